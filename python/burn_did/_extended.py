"""Extended two-way fixed effects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from . import _native
from ._regressions import Vcov, _ssc, _vcov
from ._results import EtwfeResult, warned
from ._types import Backend, Data, Missing, Names, only, refused, source, text

_EFFECTS = {"vs": "unit", "feo": "unit", "none": "cohort"}


def etwfe(
    data: Data,
    yname: str,
    tname: str,
    gname: str,
    idname: str | None = None,
    xformla: Names | None = None,
    xvar: str | None = None,
    tref: float | None = None,
    gref: float | None = None,
    cgroup: str = "notyet",
    fe: str = "vs",
    family: str | None = None,
    weightsname: str | None = None,
    vcov: Vcov | None = None,
    alpha: float = 0.05,
    backend: Backend = None,
    *,
    unweighted_averages: bool = False,
    random_shares: bool = False,
    ssc: str | dict[str, Any] | None = None,
    solver: str | None = None,
    frequency: str | None = None,
    missing_values: Missing = None,
    precision: str | None = None,
) -> EtwfeResult:
    """Extended two-way fixed effects [1]_, [2]_: a regression with an effect of each cohort in each of its treated periods.

    Averages of these over all treated rows and by cohort, period and event time are in the result; ``emfx`` selects them. Arguments that
    are not below are those of ``att_gt``.

    Parameters
    ----------
    idname : str, optional
        Unit, whose effects are projected out, and by which standard errors are clustered; without one, effects are those of cohorts.
    xformla : str or list of str, optional
        Covariates, as in ``"~ x1 + x2"``: columns of numbers, with slopes of cohorts, periods and effects.
    xvar : str, optional
        A column of numbers that effects may differ by.
    tref, gref : optional
        Must not be given: the first period is the reference, and the never treated are, or the last cohort where there are none.
    cgroup : {"notyet", "never"}
        What cohorts are compared with: rows not yet treated, or the never treated, with leads.
    fe : {"vs", "feo", "none"}
        Which effects a linear regression projects out beside those of periods: of units (``"vs"``, ``"feo"``) or of cohorts (``"none"``).
    family : {"gaussian", "poisson", "logit", "probit"}, optional
        Least squares, or maximum likelihood for counts and for probabilities, with effects on means.
    vcov, ssc, solver : optional
        As in ``feglm``; standard errors are clustered by unit by default, and robust to heteroskedasticity without a unit.
    unweighted_averages : bool
        Average over treated rows without their weights.
    random_shares : bool
        Treat the shares of cohorts and periods as estimates, and add their sampling variance.

    Returns
    -------
    EtwfeResult
        The average over all treated rows, averages by event time, cohort and period, and the effects of cohorts in periods.

    References
    ----------
    .. [1] Wooldridge (2025), Two-Way Fixed Effects, the Two-Way Mundlak Regression, and Difference-in-Differences Estimators.
       https://doi.org/10.1007/s00181-025-02807-z
    .. [2] Wooldridge (2023), Simple Approaches to Nonlinear Difference-in-Differences with Panel Data.
       https://doi.org/10.1093/ectj/utad016
    """
    options = locals()
    data = source(options.pop("data"))
    only("tref", options.pop("tref"), None, "the first period is the reference")
    only("gref", options.pop("gref"), None, "the never treated are the reference, or the last cohort where there are none")
    options["xformla"] = _columns(xformla)
    options["fe"] = _EFFECTS.get(text("fe", fe), fe)
    options["vcov"], options["ssc"] = _vcov(vcov), _ssc(ssc)
    return warned(EtwfeResult(_native.etwfe(data, options)))


def _columns(formula: Names | None) -> list[str] | None:
    """The columns of a formula that has nothing but columns."""
    if formula is None:
        return None
    if not isinstance(formula, str):
        if isinstance(formula, (bytes, Mapping)) or not isinstance(formula, Iterable):
            raise refused(f"`xformla` must be columns, as in '~ x1 + x2' or ['x1', 'x2'], got {formula!r}")
        return list(formula)
    terms = [term.strip() for term in formula.strip().removeprefix("~").split("+")]
    columns = [term.strip("`") for term in terms if term not in ("1", "")]
    wrong = next((term for term in columns if re.search(r"[()*:^|~]", term)), None)
    if wrong is None:
        return columns
    remedy = f"make `{wrong}` a column of the data"
    raise refused(f"`xformla` must be columns, as in '~ x1 + x2', got {formula!r}; {remedy}", remedy)


@dataclass(frozen=True, repr=False)
class EmfxResult:
    """Averages of the effects of a regression, selected from its result ``fit``, which has all methods of results."""

    #: What they are averages by.
    aggregation_type: str
    #: The average over all treated rows.
    overall_att: float | None
    #: Its standard error.
    overall_se: float | None
    #: Event time, cohort or period of each average; None of the simple one.
    event_times: list[Any] | None
    #: The averages.
    att_by_event: list[float | None] | None
    #: Their standard errors.
    se_by_event: list[float | None] | None
    #: Lower ends of their pointwise intervals.
    ci_lower: list[float | None] | None
    #: Upper ends of their pointwise intervals.
    ci_upper: list[float | None] | None
    #: The whole result.
    fit: EtwfeResult

    def __str__(self) -> str:
        rows = [("overall", self.overall_att, self.overall_se)]
        if self.event_times is not None and self.att_by_event is not None and self.se_by_event is not None:
            rows += zip(self.event_times, self.att_by_event, self.se_by_event, strict=True)

        def line(at: Any, *numbers: float | None) -> str:
            return f"{at!s:>10}" + "".join("".rjust(12) if number is None else f"{number:12.4f}" for number in numbers)

        return "\n".join([f"{self.aggregation_type:>10}    Estimate  Std. Error", *(line(*row) for row in rows)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


_KEYS = {"event": ("event_times", "event_time"), "group": ("groups", "group"), "calendar": ("periods", "time")}


def emfx(
    result: EtwfeResult,
    type: str = "simple",
    post_only: bool = True,
    window: Sequence[float] | None = None,
) -> EmfxResult:
    """Averages of the effects of ``etwfe``, selected from its result, which has all of them.

    Parameters
    ----------
    result : EtwfeResult
        What ``etwfe`` gave. Pictures, tables and sensitivity analyses are of it.
    type : {"simple", "group", "calendar", "event"}
        Over all treated rows, or by cohort, period or event time. The overall average is that over all treated rows in each case.
    post_only : bool
        Of event times, only those from 0 on. Others are estimated with ``cgroup="never"``.
    window : (int, int), optional
        First and last event time.

    Returns
    -------
    EmfxResult
    """
    if not isinstance(result, EtwfeResult):
        raise refused(f"`result` must be what `etwfe` gives, got {result.__class__.__name__}")
    rows = result.tidy().to_dict()
    overall = rows["table"].index("overall")
    estimate, se = rows["estimate"][overall], rows["se"][overall]
    if type == "simple":
        return EmfxResult(type, estimate, se, None, None, None, None, None, result)
    if type not in _KEYS:
        raise refused(f"`type` must be one of simple, group, calendar, event, got {type!r}")
    if window is not None and len(window) != 2:
        raise refused(f"`window` must be the first and the last event time, as in (-3, 5), got {window!r}")
    table, key = _KEYS[type]

    def is_asked(at: Any) -> bool:
        if type != "event":
            return True
        return not (post_only and at < 0) and (window is None or window[0] <= at <= window[1])

    kept = [i for i, of in enumerate(rows["table"]) if of == table and is_asked(rows[key][i])]

    def column(name: str) -> list[float | None]:
        return [rows[name][i] for i in kept]

    at = [_number(rows[key][i]) for i in kept]
    return EmfxResult(
        type, estimate, se, at, column("estimate"), column("se"), column("ci_lower"), column("ci_upper"), result
    )


def _number(at: Any) -> Any:
    """A period as a number if it is one."""
    try:
        return float(at)
    except ValueError:
        return at
