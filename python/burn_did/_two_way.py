"""What a two-way fixed-effects regression averages."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ._anywhere import fitted
from ._progress import Progress, chosen
from ._results import BaconResult, TwfeWeightsResult
from ._types import Data, Missing, Names

if TYPE_CHECKING:
    from .engines import Engine


def bacon(
    data: Data,
    yname: str,
    tname: str,
    idname: str,
    gname: str,
    clustervars: Names | None = None,
    *,
    xname: Names | None = None,
    alpha: float = 0.05,
    frequency: str | None = None,
    missing_values: Missing = None,
    memory_budget: int | None = None,
    progress: bool | Progress | None = None,
    engine: Engine | None = None,
    client: Any = None,
    spark: Any = None,
    scratch: str | os.PathLike[str] | None = None,
) -> BaconResult:
    """The two-way fixed-effects coefficient as the average of all two-by-two comparisons of cohorts [1]_.

    The panel must be balanced; arguments that are not below are those of ``att_gt``.

    Parameters
    ----------
    xname : list of str, optional
        Controls: columns of numbers. With them cohorts are compared in pairs over all periods, and differences within cohorts have a weight
        of their own; on one machine alone, which has the rows in memory.

    Returns
    -------
    BaconResult
        One row a comparison, with its estimate and weight.

    References
    ----------
    .. [1] Goodman-Bacon (2021). https://doi.org/10.1016/j.jeconom.2021.03.014
    """
    options = locals()
    data = options.pop("data")
    options["progress"] = chosen(progress)
    return fitted("bacon", data, options, BaconResult)


def twfe_weights(
    data: Data,
    yname: str,
    tname: str,
    idname: str,
    gname: str,
    xname: Names | None = None,
    weightsname: str | None = None,
    type: str | None = None,
    *,
    cells: str | None = None,
    frequency: str | None = None,
    missing_values: Missing = None,
    memory_budget: int | None = None,
    progress: bool | Progress | None = None,
    engine: Engine | None = None,
    client: Any = None,
    spark: Any = None,
    scratch: str | os.PathLike[str] | None = None,
) -> TwfeWeightsResult:
    """The weights that a two-way coefficient gives to effects by group and period, and what negative ones may do [1]_.

    Parameters
    ----------
    xname : list of str, optional
        Controls: columns of numbers.
    type : {"feTR", "feS", "fdTR", "fdS"}, optional
        The regression, in levels or first differences, and what is assumed of effects, as in R ``TwoWayFEWeights``.
    cells : str, optional
        Of what the cells of the regression are, and its effects beside those of periods: by an engine cohorts, as those of units need the
        rows in memory.

    Returns
    -------
    TwfeWeightsResult
        One row a cell, with its weight.

    References
    ----------
    .. [1] de Chaisemartin and D'Haultfœuille (2020). https://doi.org/10.1257/aer.20181169
    """
    options = locals()
    data = options.pop("data")
    options["progress"] = chosen(progress)
    return fitted("twfe_weights", data, options, TwfeWeightsResult)
