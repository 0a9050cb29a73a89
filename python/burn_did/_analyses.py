"""Analyses of event studies: sensitivity and pre-trends."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

from . import _native
from ._checks import native_of
from ._results import EventStudy, HonestResult, PretrendsResult, Result, warned
from ._types import equals, only, refused, shown, text

Matrix = Sequence[Sequence[float]]

#: Words for the type of sensitivity whose values are M.
_SMOOTHNESS = ("smoothness", "sd", "deltasd")


def event_study(
    result: Result | None = None,
    *,
    term: str | None = None,
    betahat: Sequence[float] | None = None,
    sigma: Matrix | None = None,
    num_pre_periods: int | None = None,
    num_post_periods: int | None = None,
    event_times: Sequence[float] | None = None,
) -> EventStudy:
    """The event study of a result, or one from coefficients and their covariance.

    Parameters
    ----------
    result : Result, optional
        Of ``att_gt``, ``ddd`` (averaged by event time), ``aggte``, ``cont_did``, ``did_multiplegt``, ``sunab``, ``etwfe`` and ``emfx`` (with
        ``cgroup="never"``, which has leads), ``did2s``, ``did_imputation``, ``stacked``, ``lpdid``, of ``feols`` with an ``i()``, or of
        ``joint_study``.
    term : str, optional
        One of several event studies of a result: of a joint study, the estimator, which must be named, as in ``"cs"``.
    betahat : array of shape (pre + post,)
        Coefficients in order of time, without the reference period.
    sigma : array of shape (pre + post, pre + post)
        Their covariance.
    num_pre_periods, num_post_periods : int
        How many of the coefficients are before and after the reference period.
    event_times : array of shape (pre + post,), optional
        Their event times; without them, the reference is at -1.

    Returns
    -------
    EventStudy
    """
    given = {
        "betahat": betahat, "sigma": sigma, "num_pre_periods": num_pre_periods, "num_post_periods": num_post_periods,
        "event_times": event_times,
    }
    if result is not None:
        for name, value in given.items():
            only(name, value, None, "`result` is given, which has its own; leave out one")
        return EventStudy(_native.event_study(native_of(result, "result"), term))
    if betahat is None or sigma is None or num_pre_periods is None or num_post_periods is None:
        raise refused("`event_study` needs a result, or `betahat`, `sigma`, `num_pre_periods` and `num_post_periods`")
    only("term", term, None, "coefficients are given, and are one event study")
    for name, count in (("num_pre_periods", num_pre_periods), ("num_post_periods", num_post_periods)):
        if isinstance(count, bool) or not isinstance(count, Integral) or count < 0:
            raise refused(f"`{name}` must be a whole number of at least 0, got {shown(count)}")
    return EventStudy(
        _native.given_event_study(
            list(map(float, betahat)), [list(map(float, row)) for row in _rows(sigma)], num_pre_periods,
            num_post_periods, None if event_times is None else list(map(float, event_times)),
        )
    )


def _rows(matrix: Any) -> Any:
    """The rows of a matrix: a data frame goes over its columns."""
    return matrix.to_numpy() if hasattr(matrix, "to_numpy") else matrix


def honest_did(
    event_study: Result,
    event_time: float | None = None,
    sensitivity_type: str = "smoothness",
    grid_points: int | None = None,
    *,
    method: str | None = None,
    m_vec: Sequence[float] | None = None,
    m_bar_vec: Sequence[float] | None = None,
    l_vec: Sequence[float] | str | None = None,
    bias_direction: str | None = None,
    monotonicity_direction: str | None = None,
    alpha: float | None = None,
    kappa: float | None = None,
    grid_lb: float | None = None,
    grid_ub: float | None = None,
    search: str | None = None,
    draws: int | None = None,
    random_state: int | None = None,
    term: str | None = None,
) -> HonestResult:
    """How robust an event study is to violations of parallel trends [1]_.

    Parameters
    ----------
    event_study : Result
        A result that ``event_study`` takes. Those of ``imputation`` and ``did2s`` come with a warning, as their estimates before and after
        treatment are of different kinds; normalized effects of ``did_multiplegt`` are refused.
    event_time : float, optional
        Effect at this event time; by default that of the period in which treatment starts.
    sensitivity_type : {"smoothness", "relative_magnitude", "relative_smoothness"}
        What is assumed of the difference in trends.
    m_vec, m_bar_vec : list of float, optional
        Values of M with ``"smoothness"``, which takes ``m_vec``, and of Mbar with the relative types, which take ``m_bar_vec``.
    l_vec : list of float or {"first", "average"}, optional
        Weights of all coefficients after the reference period, in place of ``event_time``.
    method : {"flci", "conditional", "c_f", "c_lf"}, optional
        By default ``"flci"`` for smoothness, ``"c_f"`` for smoothness with a direction, ``"c_lf"`` for the relative types.
    bias_direction : {"positive", "negative"}, optional
    monotonicity_direction : {"increasing", "decreasing"}, optional
    kappa : float, optional
        Level of the first stage of ``c_f`` and ``c_lf``; a tenth of ``alpha`` by default.
    grid_points, grid_lb, grid_ub, search
        The grid of effects that conditional tests (all methods but ``"flci"``) search, in whole (``"grid"``) or by bisection; both ends of
        the grid, or neither.
    draws, random_state : int, optional
        Draws for the critical value of ``c_lf``, and their seed.

    Returns
    -------
    HonestResult
        One row a value of M or Mbar.

    References
    ----------
    .. [1] Rambachan and Roth (2023). https://doi.org/10.1093/restud/rdad018
    """
    if bias_direction is not None and monotonicity_direction is not None:
        only("monotonicity_direction", monotonicity_direction, None, "`bias_direction` is given; leave out one")
    _one_of("bias_direction", bias_direction, "positive", "negative")
    _one_of("monotonicity_direction", monotonicity_direction, "increasing", "decreasing")
    is_smooth = text("sensitivity_type", sensitivity_type).lower() in _SMOOTHNESS
    if is_smooth:
        only("m_bar_vec", m_bar_vec, None, 'give `m_vec`, or sensitivity_type="relative_magnitude" (or "relative_smoothness")')
    else:
        only("m_vec", m_vec, None, f'with sensitivity_type="{sensitivity_type}" give `m_bar_vec`')
    has_direction = bias_direction is not None or monotonicity_direction is not None
    asked = None if method is None else text("method", method).lower().replace("-", "_") or None
    if (asked or ("flci" if is_smooth and not has_direction else "")) == "flci":
        searched = {
            "kappa": kappa, "grid_points": grid_points, "grid_lb": grid_lb, "grid_ub": grid_ub, "search": search, "draws": draws,
        }
        for name, value in searched.items():
            only(name, value, None, 'it is of conditional tests, and the method is "flci"; leave it out, or give another `method`')
    options: dict[str, Any] = {
        "event_time": event_time, "sensitivity_type": sensitivity_type, "grid_points": grid_points,
        "method": asked, "m_vec": m_vec, "m_bar_vec": m_bar_vec, "l_vec": l_vec,
        "restriction": bias_direction or monotonicity_direction, "alpha": alpha, "kappa": kappa,
        "grid_lb": grid_lb, "grid_ub": grid_ub, "search": search, "draws": draws,
        "random_state": random_state, "term": term,
    }
    return warned(HonestResult(_native.honest_did(native_of(event_study, "event_study"), options)))


def _one_of(name: str, given: str | None, *words: str) -> None:
    if given is not None and not (isinstance(given, str) and given in words):
        raise refused(f"`{name}` must be {' or '.join(map(repr, words))}, got {shown(given)}")


def pretrends(
    event_study: Result,
    test: str | None = None,
    *,
    critical: float | None = None,
    alpha: float | None = None,
    power: Sequence[float] | None = None,
    slope: Sequence[float] | None = None,
    violations: Sequence[float] | None = None,
    threshold: float | None = None,
    term: str | None = None,
) -> PretrendsResult:
    """What a test of pre-trends would detect, and what passing it leaves [1]_.

    Parameters
    ----------
    event_study : Result
        A result that ``event_study`` takes.
    test : {"individual", "joint"}, optional
        The test of the coefficients before the reference period.
    critical : float, optional
        What the t statistics of individual tests are compared with; 1.96 by default.
    alpha : float, optional
        Level of the joint test and of the equivalence tests; 0.05 by default. Individual tests have ``critical``.
    power : list of float, optional
        Powers for which the slope of a linear violation is found.
    slope : list of float, optional
        Slopes of linear violations, per unit of event time.
    violations : list of float, optional
        A violation at every event time but the reference, in order of time.
    threshold : float, optional
        Violations below this are negligible.

    Returns
    -------
    PretrendsResult

    References
    ----------
    .. [1] Roth (2022). https://doi.org/10.1257/aeri.20210236
    """
    options = locals()
    study = options.pop("event_study")
    if equals(test, "joint"):
        only("critical", critical, None, "it is of individual tests; the joint test has the level `alpha`")
    return warned(PretrendsResult(_native.pretrends(native_of(study, "event_study"), options)))
