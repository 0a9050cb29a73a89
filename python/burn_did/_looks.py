"""A first look at data."""

from __future__ import annotations

from . import _native
from ._progress import Progress, chosen
from ._results import Balance, CohortMeans, Description, PanelView, warned
from ._types import Data, Missing, Names, source


def describe(
    data: Data,
    tname: str,
    idname: str | None = None,
    gname: str | None = None,
    yname: str | None = None,
    xname: Names | None = None,
    weightsname: str | None = None,
    clustervars: Names | None = None,
    anticipation: int = 0,
    *,
    frequency: str | None = None,
    missing_values: Missing = None,
    memory_budget: int | None = None,
    progress: bool | Progress | None = None,
) -> Description:
    """What kind of panel the data are, who is treated when, and what ``att_gt`` would use of them.

    Duplicates, changes of group, gaps, missing values and groups far from all periods are counted and named, not refused; a negative
    group among positive periods, such as a code of -99, is an error until ``missing_values`` names it. Arguments are those of ``att_gt``;
    ``xname`` are columns of covariates.

    Returns
    -------
    Description
    """
    options = locals()
    data = source(options.pop("data"))
    options["progress"] = chosen(progress)
    return warned(Description(_native.describe(data, options)))


def panelview(
    data: Data,
    tname: str,
    idname: str,
    gname: str | None = None,
    dname: str | None = None,
    yname: str | None = None,
    xname: Names | None = None,
    weightsname: str | None = None,
    *,
    by_cohort: bool = False,
    frequency: str | None = None,
    missing_values: Missing = None,
    memory_budget: int | None = None,
    progress: bool | Progress | None = None,
) -> PanelView:
    """Who is observed and treated when: rollout and treatment status, units by periods.

    Arguments are those of ``att_gt``; ``xname`` are columns of covariates, whose missing values count.

    Parameters
    ----------
    gname, dname : str
        Column of first treated periods, as in ``att_gt``, or of the treatment in every period, which may end and begin again.
    by_cohort : bool
        Draw one row a cohort, as high as it has units, in place of one a pattern of units.

    Returns
    -------
    PanelView
        One row a pattern.
    """
    options = locals()
    data = source(options.pop("data"))
    options["progress"] = chosen(progress)
    return warned(PanelView(_native.panelview(data, options)))


def means(
    data: Data,
    yname: str,
    tname: str,
    idname: str | None = None,
    gname: str | None = None,
    weightsname: str | None = None,
    anticipation: int = 0,
    *,
    base_period: float | str | None = None,
    relative: bool = False,
    alpha: float = 0.05,
    frequency: str | None = None,
    missing_values: Missing = None,
    memory_budget: int | None = None,
    progress: bool | Progress | None = None,
) -> CohortMeans:
    """Mean outcomes of each cohort over time, as levels and relative to the last period before treatment.

    Parameters
    ----------
    base_period : float or str, optional
        Base period of the never-treated; the first by default.
    relative : bool
        Draw the means relative to their base period.

    Returns
    -------
    CohortMeans
        One row a cohort and period.
    """
    options = locals()
    data = source(options.pop("data"))
    options["progress"] = chosen(progress)
    return warned(CohortMeans(_native.means(data, options)))


def balance(
    data: Data,
    tname: str,
    idname: str | None = None,
    gname: str | None = None,
    xname: Names | None = None,
    yname: str | None = None,
    weightsname: str | None = None,
    control_group: str = "nevertreated",
    anticipation: int = 0,
    *,
    frequency: str | None = None,
    missing_values: Missing = None,
    memory_budget: int | None = None,
    progress: bool | Progress | None = None,
) -> Balance:
    """How like each treated cohort is to its comparison units in the last period before treatment.

    Means, normalised differences and variance ratios of covariates (``xname``) and outcome, as levels and as changes from the period before.
    Where no unit is never treated, the last cohort takes their place.

    Returns
    -------
    Balance
        One row a cohort and column.
    """
    options = locals()
    data = source(options.pop("data"))
    options["progress"] = chosen(progress)
    return warned(Balance(_native.balance(data, options)))
