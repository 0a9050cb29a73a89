"""Event studies by windows around treatment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ._anywhere import fitted
from ._progress import Progress, chosen
from ._results import LocalProjectionsResult, StackedResult
from ._types import Data, Missing, Names, refused, shown

if TYPE_CHECKING:
    from .engines import Engine


def lpdid(
    data: Data,
    yname: str,
    tname: str,
    idname: str,
    gname: str | None = None,
    dname: str | None = None,
    xname: Names | None = None,
    weightsname: str | None = None,
    clustervars: Names | None = None,
    *,
    window: tuple[int, int],
    method: str | None = None,
    control_group: str | None = None,
    pmd: int | str | None = None,
    nocomp: bool = False,
    dylags: int = 0,
    nonabsorbing_lag: int | None = None,
    rank_periods: bool = False,
    influence: bool = False,
    alpha: float = 0.05,
    frequency: str | None = None,
    missing_values: Missing = None,
    memory_budget: int | None = None,
    progress: bool | Progress | None = None,
    engine: Engine | None = None,
    client: Any = None,
    spark: Any = None,
    scratch: str | os.PathLike[str] | None = None,
) -> LocalProjectionsResult:
    """Local projections with clean controls [1]_.

    The change of the outcome over each horizon, of units whose treatment starts and of units that stay without. Arguments that are not
    below are those of ``att_gt``, with the names of R ``lpdid``.

    Parameters
    ----------
    gname, dname : str
        Column of first treated periods, as in ``att_gt``, or of the treatment in every period, 0 or 1.
    window : (int, int)
        First and last event time: before treatment, event times go to -2.
    xname : list of str, optional
        Covariates at the first treated period: columns of numbers.
    method : {"variance", "reweighted", "adjusted"}, optional
        How the periods in which treatment starts are averaged, and what covariates do.
    pmd : int or {"last", "max"}, optional
        What outcomes are compared with: that of the last period before treatment, the mean of so many, or of all.
    nocomp : bool
        The same units at all horizons.
    dylags : int
        So many changes of the outcome before treatment are covariates.
    nonabsorbing_lag : int, optional
        Treatment (``dname``) may end and start again; its effects are stable after so many periods.
    rank_periods : bool
        Count observed periods, where periods are not evenly spaced.
    influence : bool
        Keep influence values by unit.

    Returns
    -------
    LocalProjectionsResult
        One row an event time.

    References
    ----------
    .. [1] Dube, Girardi, Jordà and Taylor (2025), A Local Projections Approach to Difference-in-Differences, Journal of Applied
       Econometrics.
    """
    options = locals()
    data = options.pop("data")
    try:
        options["window"] = [float(end) for end in window]
    except (TypeError, ValueError):
        raise refused(f"`window` must be the first and the last event time, as in (-3, 5), got {shown(window)}") from None
    options["pmd"] = None if pmd is None else str(pmd)
    options["progress"] = chosen(progress)
    return fitted("lpdid", data, options, LocalProjectionsResult)


def stacked(
    data: Data,
    yname: str,
    tname: str,
    idname: str,
    gname: str,
    kappa_pre: int,
    kappa_post: int,
    xname: Names | None = None,
    weightsname: str | None = None,
    clustervars: Names | None = None,
    *,
    control_group: str | None = None,
    stack_weights: str | None = None,
    effects: str | None = None,
    independent_copies: bool = False,
    rank_periods: bool = False,
    influence: bool = False,
    alpha: float = 0.05,
    frequency: str | None = None,
    missing_values: Missing = None,
    memory_budget: int | None = None,
    progress: bool | Progress | None = None,
    engine: Engine | None = None,
    client: Any = None,
    spark: Any = None,
    scratch: str | os.PathLike[str] | None = None,
) -> StackedResult:
    """Stacked difference-in-differences with corrective weights [1]_.

    A window around the treatment of each cohort, with controls that are not treated in it. Arguments that are not below are those of
    ``att_gt``.

    Parameters
    ----------
    kappa_pre, kappa_post : int
        Periods of the window before treatment, of which the last is the base, and its last event time.
    xname : list of str, optional
        Covariates: columns of numbers.
    stack_weights : {"corrective", "unweighted"}, optional
        How controls are weighted.
    effects : {"pooled", "sub_experiment"}, optional
        The effects of the regression beside those of treatment.
    independent_copies : bool
        Take copies of a unit as independent, for comparison with programs that cluster so.
    rank_periods : bool
        Count observed periods, where periods are not evenly spaced.
    influence : bool
        Keep influence values by unit.

    Returns
    -------
    StackedResult
        One row an event time.

    References
    ----------
    .. [1] Wing, Freedman and Hollingsworth (2024), Stacked Difference-in-Differences, NBER Working Paper 32054.
    """
    options = locals()
    data = options.pop("data")
    options["progress"] = chosen(progress)
    return fitted("stacked", data, options, StackedResult)
