"""Analyses of event studies: sensitivity and pre-trends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _native
from ._errors import OptionError
from ._results import EventStudy, HonestResult, PretrendsResult, Result, warned
from ._types import only

Matrix = Sequence[Sequence[float]]


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
        Of ``att_gt``, ``ddd`` (averaged by event time), ``aggte``, ``cont_did``, ``did_multiplegt``, ``sunab``, or of ``feols`` with an
        ``i()``; ``term`` names one of several.
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
    if result is not None:
        return EventStudy(_native.event_study(result._native, term))
    if betahat is None or sigma is None or num_pre_periods is None or num_post_periods is None:
        raise OptionError(
            "`event_study` needs a result, or `betahat`, `sigma`, `num_pre_periods` and `num_post_periods`"
        )
    return EventStudy(
        _native.given_event_study(
            list(map(float, betahat)), [list(map(float, row)) for row in sigma], num_pre_periods,
            num_post_periods, None if event_times is None else list(map(float, event_times)),
        )
    )


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
        A result that ``event_study`` takes.
    event_time : float, optional
        Effect at this event time; by default that of the period in which treatment starts.
    sensitivity_type : {"smoothness", "relative_magnitude", "relative_smoothness"}
        What is assumed of the difference in trends.
    m_vec, m_bar_vec : list of float, optional
        Values of M (smoothness) or Mbar (relative).
    l_vec : list of float or {"first", "average"}, optional
        Weights of all coefficients after the reference period, in place of ``event_time``.
    method : {"flci", "conditional", "c_f", "c_lf"}, optional
    bias_direction : {"positive", "negative"}, optional
    monotonicity_direction : {"increasing", "decreasing"}, optional
    kappa : float, optional
        Level of the first stage of ``c_f`` and ``c_lf``; a tenth of ``alpha`` by default.
    grid_points, grid_lb, grid_ub, search
        The grid of effects that conditional tests search, in whole (``"grid"``) or by bisection.
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
    if m_vec is not None and m_bar_vec is not None:
        only("m_bar_vec", m_bar_vec, None, "`m_vec` is given; leave out one")
    options: dict[str, Any] = {
        "event_time": event_time, "sensitivity_type": sensitivity_type, "grid_points": grid_points,
        "method": method.lower().replace("-", "_") if method else None,
        "m_vec": m_vec if m_vec is not None else m_bar_vec, "l_vec": l_vec,
        "restriction": bias_direction or monotonicity_direction, "alpha": alpha, "kappa": kappa,
        "grid_lb": grid_lb, "grid_ub": grid_ub, "search": search, "draws": draws,
        "random_state": random_state, "term": term,
    }
    return warned(HonestResult(_native.honest_did(event_study._native, options)))


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
    return warned(PretrendsResult(_native.pretrends(study._native, options)))
