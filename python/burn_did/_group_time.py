"""Group-time effects and averages of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

from . import _native
from ._anywhere import fitted
from ._checks import native_of
from ._progress import Progress, chosen
from ._results import AggregatedResult, ContDidResult, GroupTimeResult, warned
from ._table import Table
from ._types import Backend, Data, Missing, Names, flag, for_bootstrap, only, refused, shown

if TYPE_CHECKING:
    from .engines import Engine

TwoByTwo = Callable[..., Any]


def att_gt(
    data: Data,
    yname: str,
    tname: str,
    idname: str | None = None,
    gname: str | None = None,
    xformla: str | None = None,
    weightsname: str | None = None,
    alpha: float = 0.05,
    cband: bool | None = None,
    boot: bool = False,
    biters: int = 1000,
    clustervars: Names | None = None,
    est_method: str | TwoByTwo = "dr",
    panel: bool = True,
    allow_unbalanced_panel: bool = False,
    control_group: str = "nevertreated",
    anticipation: int = 0,
    base_period: str = "varying",
    random_state: int | None = None,
    n_jobs: int = 1,
    backend: Backend = None,
    *,
    frequency: str | None = None,
    fix_weights: str | None = None,
    multiplier: str | None = None,
    missing_values: Missing = None,
    influence: bool = False,
    weighting: bool = False,
    keep_scores: bool = False,
    precision: str | None = None,
    memory_budget: int | None = None,
    progress: bool | Progress | None = None,
    engine: Engine | None = None,
    client: Any = None,
    spark: Any = None,
    scratch: str | os.PathLike[str] | None = None,
) -> GroupTimeResult:
    r"""Group-time average treatment effects under staggered adoption.

    For every group :math:`g` (units first treated in period :math:`g`) and period :math:`t`, the average effect of the treatment on
    the group in that period,

    .. math:: ATT(g, t) = E[Y_t(g) - Y_t(\infty) \mid G = g],

    under parallel trends given covariates between the group and its comparison units [1]_.

    Parameters
    ----------
    data : data frame or path
        One row a unit and period, in any data frame with ``__arrow_c_stream__``, of Dask or of Spark, or the path of CSV or parquet files, a folder of such
        files or a pattern. Only columns that the arguments name are read.
    yname, tname, idname, gname : str
        Columns of the outcome, the period, the unit (needed for panels) and the first treated period: 0, infinity or null if never treated;
        rows with NaN are left out. NaN in frames of pandas is null.
    xformla : str, optional
        Covariates, as in ``"~ x1 + log(x2) + C(region)"``.
    weightsname : str, optional
        Column of sampling weights.
    alpha : float
        One minus the confidence level.
    cband : bool, optional
        Uniform bands (True) or pointwise intervals (False). Without it, uniform with ``boot`` and pointwise without.
    boot : bool
        Multiplier bootstrap in place of analytic standard errors, with ``biters`` draws from the seed ``random_state``.
    clustervars : str or list of str, optional
        Cluster of the standard errors beyond the unit.
    est_method : {"dr", "ipw", "reg"} or callable
        Doubly robust, inverse probability weighting or outcome regression; or a two-by-two estimator of your own, which is called for
        each cell with arrays of numpy: ``y1``, ``y0``, ``d``, ``i_weights`` of shape (n,), ``covariates`` of shape (n, k) and
        ``influence_func=True`` (of repeated cross sections, ``y`` and ``post`` in place of ``y1`` and ``y0``). It gives the effect and its
        influence values of shape (n,), as a pair or as ``att`` and ``att_inf_func``; an exception leaves the cell without an estimate.
    panel : bool
        False for repeated cross sections: every row is then a unit of its own.
    allow_unbalanced_panel : bool
        Keep units that are missing in some periods. All rows are then compared as pooled cross sections, mostly with larger standard errors.
    control_group : {"nevertreated", "notyettreated"}
        Comparison units.
    anticipation : int
        Periods before treatment in which units may already react.
    base_period : {"varying", "universal"}
        Base period with which outcomes are compared.
    n_jobs : int
        Has no effect: all cores are used, and no bit of a result depends on how many there are.
    backend : str or list of str, optional
        Where the arithmetic is done: ``"cpu"``, ``"cuda"``, ``"cuda:1"``, ``"vulkan"``, ``"wgpu"``, or several of one kind.
    frequency : {"year", "quarter", "month", "week", "day"}, optional
        Length of a period, if the columns of periods and groups have dates.
    fix_weights : {"varying", "base_period", "first_period"}, optional
        Period whose weight is used where weights change over time.
    multiplier : {"mammen", "rademacher", "webb", "gaussian"}, optional
        Distribution of the multipliers, with ``boot``.
    missing_values : list of str or float, optional
        Words and numbers that stand for a missing value, in place of the usual words; ``"start=0"`` is one of the column ``start`` alone, beside them.
    influence, weighting, keep_scores : bool
        Keep influence values by unit, form what the estimator's weighting does to the comparison, keep scores by unit.
    precision : {"f64", "f32"}, optional
        Floating-point type on the device.
    memory_budget : int, optional
        Bytes of unit data that may be held at once.
    progress : bool or callable, optional
        Hears ``(stage, done, total)``. Without it, a line on terminals and in notebooks.
    engine : object with ``map(list[bytes]) -> list[bytes]``, optional
        Workers that read, arrange and sum the data, as in :mod:`burn_did.engines`. The numbers are those of a fit here, to the last bit.
        ``backend`` is then the device of each worker.
    client, spark : optional
        A Dask client or a Spark session as the engine; a Dask or Spark data frame finds its own.
    scratch : path, optional
        Directory for the arranged sample that all workers see under this name; needed if workers are on other machines.

    Returns
    -------
    GroupTimeResult
        One row a group and period, in order of groups and then periods.

    References
    ----------
    .. [1] Callaway and Sant'Anna (2021). https://doi.org/10.1016/j.jeconom.2020.12.001
    """
    options = locals()
    data = options.pop("data")
    options.pop("n_jobs")
    for_bootstrap(multiplier, boot)
    options["progress"] = chosen(progress)
    return fitted("att_gt", data, options, GroupTimeResult)


def ddd(
    data: Data,
    yname: str,
    tname: str,
    idname: str | None = None,
    gname: str | None = None,
    pname: str | None = None,
    xformla: str | None = None,
    control_group: str = "nevertreated",
    base_period: str | None = None,
    est_method: str = "dr",
    weightsname: str | None = None,
    boot: bool = False,
    boot_type: str = "multiplier",
    biters: int = 1000,
    cluster: Names | None = None,
    alpha: float = 0.05,
    trim_level: float = 0.995,
    panel: bool = True,
    allow_unbalanced_panel: bool = False,
    random_state: int | None = None,
    n_jobs: int = 1,
    backend: Backend = None,
    *,
    cband: bool | None = None,
    frequency: str | None = None,
    unbalanced: str | None = None,
    covariates_of_cell: bool = False,
    shares_of: str | None = None,
    multiplier: str | None = None,
    missing_values: Missing = None,
    influence: bool = False,
    weighting: bool = False,
    keep_scores: bool = False,
    precision: str | None = None,
    memory_budget: int | None = None,
    progress: bool | Progress | None = None,
    engine: Engine | None = None,
    client: Any = None,
    spark: Any = None,
    scratch: str | os.PathLike[str] | None = None,
) -> GroupTimeResult:
    """Triple differences: effects on the eligible units of treated groups, in two periods or under staggered adoption [1]_.

    Arguments that are not below are those of ``att_gt``.

    Parameters
    ----------
    pname : str
        Column that says whether the treatment applies to the row's unit: 1 if eligible, else 0.
    boot_type : {"multiplier"}
        The bootstrap multiplies influence values.
    trim_level : float
        Comparison units with a propensity score of at least this get weight 0; it is 0.995.
    unbalanced : {"drop", "pairs", "rows"}, optional
        Handling of units that are missing in some periods: drop them, compare the pairs of rows of each cell, or use all rows of each
        cell. ``allow_unbalanced_panel`` is ``"rows"``, as in R.
    covariates_of_cell : bool
        Take a panel's covariates, and weights that change over time, from the cell's own period, not from its base period.
    shares_of : {"eligible", "all"}, optional
        Weight groups in averages by their eligible units, which are the treated ones, or by all units, as in R.

    Returns
    -------
    GroupTimeResult

    References
    ----------
    .. [1] Ortiz-Villavicencio and Sant'Anna (2025). https://arxiv.org/abs/2505.09942
    """
    options = locals()
    data = options.pop("data")
    only("boot_type", options.pop("boot_type"), "multiplier", "influence values are multiplied")
    only("trim_level", options.pop("trim_level"), 0.995, "the level of R's triplediff is used")
    options.pop("n_jobs")
    for_bootstrap(multiplier, boot)
    options["progress"] = chosen(progress)
    return fitted("ddd", data, options, GroupTimeResult)


def aggte(
    MP: GroupTimeResult | ContDidResult,
    type: str = "group",
    balance_e: int | None = None,
    min_e: float | None = None,
    max_e: float | None = None,
    na_rm: bool = False,
    boot: bool | None = None,
    biters: int | None = None,
    cband: bool | None = None,
    alpha: float | None = None,
    clustervars: Names | None = None,
    random_state: int | None = None,
    *,
    target: str | None = None,
) -> AggregatedResult:
    """Average group-time effects, from their covariance: no data are needed.

    Parameters
    ----------
    MP : GroupTimeResult or ContDidResult
        Effects by group and period, of ``att_gt``, ``ddd`` or ``cont_did``.
    type : {"simple", "dynamic", "group", "calendar"}
        One number, or averages by event time (the event study), group or calendar period.
    balance_e : int, optional
        With ``"dynamic"``: keep only groups observed for at least this many periods after treatment.
    min_e, max_e : float, optional
        Smallest and largest event time.
    na_rm : bool
        Leave out cells without an estimate in place of an error, and say what that changes.
    cband, alpha : optional
        Another band or level than those of the fit.
    boot, biters, clustervars, random_state : optional
        Must be those of the fit, as which averages are inferred; ``biters`` and ``random_state`` have no effect if it has no draws.
    target : {"level", "slope"}, optional
        What of a continuous treatment is averaged.

    Returns
    -------
    AggregatedResult
        One row an event time, group or period, and the overall average.

    References
    ----------
    Callaway and Sant'Anna (2021), section 3. https://doi.org/10.1016/j.jeconom.2020.12.001
    """
    native = native_of(MP, "MP", "effects by group and period")
    _as_fitted(native, boot, biters, clustervars, random_state)
    options = {
        "type": type, "balance_e": balance_e, "min_e": min_e, "max_e": max_e, "na_rm": na_rm, "cband": cband,
        "alpha": alpha, "target": target,
    }
    return warned(AggregatedResult(_native.aggte(native, options)))


def _as_fitted(
    native: _native.Native, boot: bool | None, biters: int | None, clustervars: Names | None, random_state: int | None
) -> None:
    """Refuse what would infer averages otherwise than the fit was inferred: they have its covariance, or its draws."""
    facts = Table(native.glance()).to_dict()
    draws, seed, cluster = (facts.get(name, [None])[0] for name in ("bootstrap_draws", "bootstrap_seed", "cluster"))
    fitted = "averages are inferred as the fit was; give it to the estimator"
    if boot is not None:
        only("boot", flag("boot", boot), draws is not None, fitted)
    for name, value, of_fit in (("biters", biters, draws), ("random_state", random_state, seed)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, Integral)):
            raise refused(f"`{name}` must be a whole number, got {shown(value)}")
        # Without draws there is nothing that they could change.
        if value is not None and draws is not None:
            only(name, value, of_fit, fitted)
    if clustervars is not None:
        given = list(clustervars) if isinstance(clustervars, Sequence) and not isinstance(clustervars, str) else [clustervars]
        only("clustervars", given, [] if cluster is None else [cluster], fitted)


def agg_ddd(
    ddd_result: GroupTimeResult,
    type: str = "eventstudy",
    balance_e: int | None = None,
    min_e: float | None = None,
    max_e: float | None = None,
    na_rm: bool = False,
    boot: bool | None = None,
    biters: int | None = None,
    cband: bool | None = None,
    alpha: float | None = None,
    random_state: int | None = None,
) -> AggregatedResult:
    """Average the effects of triple differences (``ddd_result``); see ``aggte``.

    Returns
    -------
    AggregatedResult
    """
    return aggte(
        ddd_result, type, balance_e, min_e, max_e, na_rm, boot, biters, cband, alpha, None, random_state
    )
