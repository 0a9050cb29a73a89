"""Pictures by the names of ModernDiD's functions."""

from __future__ import annotations

from typing import Any

from ._analyses import event_study
from ._checks import keywords, not_by_level, of_kind
from ._extended import EmfxResult
from ._one_curve import one_curve
from ._picture import Picture
from ._results import Result
from ._types import only

#: Kinds of results whose own picture is an event study.
_STUDIES = (
    "aggregated", "event_study", "did_multiplegt", "sun_abraham", "local_projections", "stacked", "etwfe", "imputation", "two_stage",
    "joint_study",
)
_FIXED = "the picture draws the line at zero"


def _draw(
    function: str, result: Result, show_ci: bool, ref_line: float | None, xlab: str | None, ylab: str | None, title: str | None,
    look: dict[str, Any],
) -> Picture:
    only("ref_line", ref_line, 0, _FIXED)
    keywords(function, look, Result.plot, ("self", "show_ci"))
    return result.plot(show_ci=show_ci, xlab=xlab, ylab=ylab, title=title, **look)


def plot_gt(
    result: Result,
    show_ci: bool = True,
    ref_line: float | None = 0,
    title: str | None = None,
    xlab: str | None = None,
    ylab: str | None = None,
    ncol: int = 1,
    **look: Any,
) -> Picture:
    """Draw effects by group and period.

    Parameters
    ----------
    show_ci : bool
        Whether intervals are drawn.
    ref_line : 0
        The picture draws the line at zero.
    title, xlab, ylab : str, optional
        Words; ``""`` for none.
    ncol : int
        Has no effect: groups stand side by side.
    **look
        Further arguments of ``Result.plot``.

    Returns
    -------
    Picture
    """
    result = of_kind(result, ("group_time",), "effects by group and period, of `att_gt` or `ddd`")
    return _draw("plot_gt", result, show_ci, ref_line, xlab, ylab, title, look)


def plot_event_study(
    result: Result | EmfxResult,
    show_ci: bool = True,
    ref_line: float | None = 0,
    ref_period: float | None = None,
    xlab: str | None = None,
    ylab: str | None = None,
    title: str | None = None,
    **look: Any,
) -> Picture:
    """Draw an event study: of any result that ``event_study`` takes. Other arguments are those of ``plot_gt``.

    Parameters
    ----------
    ref_period : float, optional
        The reference period of the result, or the last period before treatment where it has none: the picture marks the time from there
        to treatment, and no other.

    Returns
    -------
    Picture
    """
    if isinstance(result, EmfxResult):
        not_by_level(result, "result")
        result = result.fit
    drawn = result if isinstance(result, Result) and result.kind in _STUDIES else event_study(result)
    if ref_period is not None:
        only("ref_period", ref_period, _reference(drawn), "the picture marks the time after this period, which is that of the result")
    return _draw("plot_event_study", drawn, show_ci, ref_line, xlab, ylab, title, look)


def _reference(study: Result) -> float:
    """The event time with which others are compared, or the last before units may react to treatment."""
    rows = study.tidy().to_dict()
    times = rows.get("event_time", [])
    of_result = (at for at, status in zip(times, rows.get("status", []), strict=False) if status == "reference")
    reference = float(next(of_result, -1 - (study._fact("anticipation") or 0)))
    return int(reference) if reference.is_integer() else reference


def plot_agg(
    result: Result | EmfxResult,
    show_ci: bool = True,
    ref_line: float | None = 0,
    xlab: str | None = None,
    ylab: str | None = None,
    title: str | None = None,
    **look: Any,
) -> Picture:
    """Draw averages by group, period or event time; arguments are those of ``plot_gt``.

    Returns
    -------
    Picture
    """
    result = of_kind(result, _STUDIES, "averages by group, period or event time, such as `aggte` and `emfx` give")
    return _draw("plot_agg", result, show_ci, ref_line, xlab, ylab, title, look)


def plot_dose_response(
    result: Result,
    effect_type: str | None = None,
    show_ci: bool = True,
    ref_line: float | None = 0,
    xlab: str | None = None,
    ylab: str | None = None,
    title: str | None = None,
    **look: Any,
) -> Picture:
    """Draw effects by dose above their slopes; other arguments are those of ``plot_gt``.

    Parameters
    ----------
    effect_type : {"att", "acrt"}, optional
        Draw the effects alone, or their slopes, by matplotlib; by default both, without it.

    Returns
    -------
    Picture
    """
    result = of_kind(result, ("cont_did", "npiv"), "effects by dose, of `cont_did`")
    if effect_type is not None:
        only("ref_line", ref_line, 0, _FIXED)
        keywords("plot_dose_response", look, Result.plot, ("self", "show_ci"))
        return one_curve(result, effect_type, {"title": title, "xlab": xlab, "ylab": ylab, "show_ci": show_ci, **look})
    return _draw("plot_dose_response", result, show_ci, ref_line, xlab, ylab, title, look)


def plot_sensitivity(
    result: Result,
    ref_line: float | None = 0,
    xlab: str | None = None,
    ylab: str | None = None,
    title: str | None = None,
    **look: Any,
) -> Picture:
    """Draw robust intervals by how large violations of parallel trends may be; arguments are those of ``plot_gt``.

    Returns
    -------
    Picture
    """
    result = of_kind(result, ("honest",), "a sensitivity analysis, of `honest_did`")
    return _draw("plot_sensitivity", result, True, ref_line, xlab, ylab, title, look)


def plot_multiplegt(
    result: Result,
    show_ci: bool = True,
    ref_line: float | None = 0,
    xlab: str | None = None,
    ylab: str | None = None,
    title: str | None = None,
    **look: Any,
) -> Picture:
    """Draw effects of a treatment that switches, and placebos, by event time; arguments are those of ``plot_gt``.

    Returns
    -------
    Picture
    """
    result = of_kind(result, ("did_multiplegt",), "effects of `did_multiplegt`")
    return _draw("plot_multiplegt", result, show_ci, ref_line, xlab, ylab, title, look)
