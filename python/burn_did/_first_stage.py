"""Effects by a regression of untreated outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _native
from ._results import ImputationResult, TwoStageResult, warned
from ._types import Data, Missing, Names, is_asked, only, refused, shown, source


def imputation(
    data: Data,
    yname: str,
    tname: str,
    idname: str,
    gname: str,
    xformla: str | None = None,
    weightsname: str | None = None,
    clustervars: Names | None = None,
    *,
    first_stage: Names | None = None,
    horizon: Sequence[float] | bool | None = None,
    pretrends: Sequence[float] | bool | str | None = None,
    wtr: Names | None = None,
    sum: bool = False,
    hbalance: bool = False,
    minn: float | None = None,
    groups: bool = False,
    trends: bool = False,
    averaged_by: str | None = None,
    cell_averages: str | None = None,
    leave_out: bool = False,
    influence: bool = False,
    alpha: float = 0.05,
    frequency: str | None = None,
    missing_values: Missing = None,
) -> ImputationResult:
    """Effects as differences between treated outcomes and what a regression of untreated ones predicts for them [1]_.

    Arguments that are not below are those of ``att_gt``, with the names of R ``didimputation`` and Stata ``did_imputation``. The function
    is also there under the name ``did_imputation``.

    Parameters
    ----------
    first_stage : str or list of str, optional
        The regression of untreated outcomes: its fixed effects, as in ``["id", "region^year"]``, or a formula with covariates, as in
        ``"~ x1 | id + year"``. Effects of units and periods, and the covariates of ``xformla``, if nothing is said.
    horizon : list of float, optional
        Event times from 0 on whose average effects are estimated; all that occur (True) if nothing is said.
    pretrends : list of float or bool, optional
        Event times before treatment whose coefficients are estimated, on untreated rows alone: all but the earliest (True, as if
        nothing is said), none (False), or these.
    wtr : str or list of str, optional
        Columns with weights of treated rows, for an average of effects with each.
    sum : bool
        Take the weights of ``wtr`` as they are, and do not divide them by their sum.
    hbalance : bool
        Average by event time over the units that are observed at all horizons.
    minn : float, optional
        Do not estimate averages whose effective number of rows, (Σw)²/Σw², is below this.
    groups : bool
        Estimate the average effect of each group, too.
    trends : bool
        Give each unit a linear trend.
    averaged_by : {"group_time", "group", "event_time", "time", "all"}, optional
        Group of rows whose average effect is subtracted before deviations count as noise in the standard errors.
    cell_averages : {"cluster", "row"}, optional
        How rows are weighted in the averages of ``averaged_by``: as in the paper and Stata, or as in R ``didimputation``.
    leave_out : bool
        Measure the deviations of a cluster from the average of the others.
    influence : bool
        Keep influence values by cluster.

    Returns
    -------
    ImputationResult
        The overall effect, and one row an event time, group and weight.

    References
    ----------
    .. [1] Borusyak, Jaravel and Spiess (2024). https://doi.org/10.1093/restud/rdae007
    """
    options = locals()
    data = source(options.pop("data"))
    options["xformla"], options["first_stage"] = _stage(xformla, first_stage)
    if isinstance(horizon, bool):
        only("horizon", horizon, True, "effects by event time are always estimated, beside the overall one")
        options["horizon"] = None
    if isinstance(pretrends, bool):
        options["pretrends"] = "all" if pretrends else "none"
    if is_asked("sum", sum) and wtr is None:
        raise refused("`sum` is for the weights of `wtr`, which is not given; give `wtr`, or leave out `sum`", "give `wtr`, or leave out `sum`")
    return warned(ImputationResult(_native.imputation(data, options)))


did_imputation = imputation


def did2s(
    data: Data,
    yname: str,
    tname: str,
    idname: str,
    gname: str,
    xformla: str | None = None,
    weightsname: str | None = None,
    clustervars: Names | None = None,
    *,
    first_stage: Names | None = None,
    second_stage: str | None = None,
    ref: float | Sequence[float] | None = None,
    groups: bool = False,
    trends: bool = False,
    influence: bool = False,
    alpha: float = 0.05,
    frequency: str | None = None,
    missing_values: Missing = None,
) -> TwoStageResult:
    """Effects by two regressions [1]_: of untreated outcomes, and of what it leaves of all outcomes on the treatment.

    Standard errors are those of both stages. Arguments that are not below are those of ``imputation`` and ``att_gt``.

    Parameters
    ----------
    first_stage, trends, groups, influence
        As in ``imputation``.
    second_stage : str, optional
        A formula of any columns, without a constant, in place of the treatment and its event times: as in
        ``"~ i(event_time, ref = c(-1, -1000))"`` or ``"~ treated + treated:x"``.
    ref : float or list of float, optional
        Event times without an indicator in the second stage; the coefficients of the others do not depend on it.

    Returns
    -------
    TwoStageResult
        The overall effect, and one row an event time and group.

    References
    ----------
    .. [1] Gardner (2021). https://arxiv.org/abs/2207.05943
    """
    options = locals()
    data = source(options.pop("data"))
    options["xformla"], options["first_stage"] = _stage(xformla, first_stage)
    return warned(TwoStageResult(_native.did2s(data, options)))


def _stage(covariates: str | None, stage: Names | None) -> tuple[str | None, Any]:
    """Covariates and fixed effects of a first stage."""
    if not isinstance(stage, str) or not stage.lstrip().startswith("~"):
        return covariates, stage
    terms, bar, factors = stage.partition("|")
    found = [factor.strip() for factor in factors.split("+") if factor.strip() not in ("", "0", "1")]
    if not bar or not found:
        raise refused(f"`first_stage` must have fixed effects, as in '~ x1 | id + year', got {stage!r}")
    if terms.strip("~ ") in ("", "0", "1"):
        return covariates, found
    if covariates is not None:
        raise refused(f"`first_stage` and `xformla` both have covariates: {stage!r} and {shown(covariates)}; give them in one")
    return terms.strip(), found
