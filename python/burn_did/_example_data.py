"""Data to try the estimators on."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _native
from ._table import Table


class Simulated(NamedTuple):
    """Simulated data, what estimates of them should be, and what the truth leaves out."""

    data: Table
    truth: Table
    notes: list[str]


def teaching_data() -> dict[str, str]:
    """Names of the field's teaching data that ship with the package, with a line on each."""
    return dict(_native.teaching_data())


def load_data(name: str) -> Table:
    """Load teaching data by name, as ``teaching_data`` lists them, as a table that any data frame library reads."""
    return Table(_native.load_data(name)[0])


def load_mpdta() -> Table:
    """County teen employment and the minimum wage, 2003 to 2007 (Callaway and Sant'Anna 2021)."""
    return load_data("mpdta")


def load_nsw() -> Table:
    """Earnings before and after the National Supported Work program (Dehejia and Wahba 1999)."""
    return load_data("nsw")


def load_favara_imbs() -> Table:
    """Bank loans and branching deregulation in US counties, 1994 to 2005 (Favara and Imbs 2015)."""
    return load_data("favara_imbs")


def load_castle() -> Table:
    """Crime and castle-doctrine laws in US states, 2000 to 2010 (Cheng and Hoekstra 2013)."""
    return load_data("castle")


def load_medicaid() -> Table:
    """Adult mortality and the expansion of Medicaid in US counties, 2009 to 2019 (Baker et al.)."""
    return load_data("medicaid")


def simulate(estimator: str = "att_gt", n: int = 1000, random_state: int = 0, **options: Any) -> Simulated:
    """Simulate data whose true effects are known, for an estimator to find.

    Parameters
    ----------
    estimator : {"att_gt", "ddd", "drdid", "cont_did", "did_multiplegt", "feols", "npiv"}
    n : int
        Units.
    random_state : int
        Seed: the same gives the same bits, and more units leave those before them as they were.
    **options
        Those of ``burn-did simulate``, such as ``periods``, ``effects``, ``noise``, ``attrition``.

    Returns
    -------
    Simulated
        Data with one row a unit and period, and the true values.
    """
    data, truth, notes = _native.simulate(estimator, {"n": n, "random_state": random_state, **options})
    return Simulated(Table(data), Table(truth), notes)
