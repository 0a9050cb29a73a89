"""Extended two-way fixed effects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import isnan, nan
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from . import _native
from ._regressions import Vcov, _ssc, _vcov
from ._result import coefficients
from ._results import EtwfeResult, warned
from ._table import Table, Tidy, chosen
from ._types import Backend, Data, Missing, Names, flag, only, refused, shown, source, text

if TYPE_CHECKING:
    import pandas

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
    undetermined: bool = False,
    random_shares: bool = False,
    ssc: str | dict[str, Any] | None = None,
    solver: str | None = None,
    fixef_tol: float | None = None,
    fixef_maxiter: int | None = None,
    glm_tol: float | None = None,
    glm_maxiter: int | None = None,
    influence: bool = False,
    scale: str | None = None,
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
        A column that effects may differ by: numbers, or categories (texts, booleans or a categorical column). With at most 20 levels
        effects are averaged by level, too, and ``emfx`` selects these with ``by_xvar=True``. In ``tidy()`` they are the tables ``levels``,
        ``level_differences`` (from the first level), ``level_event_times``, ``level_groups`` and ``level_periods``.
    tref, gref : optional
        Must not be given: the first period is the reference, and the never treated are, or the last cohort where there are none.
    cgroup : {"notyet", "never"}
        What cohorts are compared with: rows not yet treated, or the never treated, with leads.
    fe : {"vs", "feo", "none"}
        Which effects a linear regression projects out beside those of periods: of units (``"vs"``, ``"feo"``) or of cohorts (``"none"``).
    family : {"gaussian", "poisson", "logit", "probit"}, optional
        Least squares, or maximum likelihood for counts and for probabilities.
    vcov, ssc, solver, fixef_tol, fixef_maxiter, glm_tol, glm_maxiter, influence : optional
        As in ``feglm``, but that ``fixef_tol`` is 1e-10 by default; standard errors are clustered by unit by default, and robust to
        heteroskedasticity without a unit.
    unweighted_averages : bool
        Average over treated rows without their weights.
    undetermined : bool
        Show averages that depend on which of the collinear slopes are left out, too, as R does; without it they have no value, and a warning.
    random_shares : bool
        Treat the shares of cohorts and periods as estimates, and add their sampling variance.
    scale : {"response", "link"}, optional
        With ``"poisson"``, ``"logit"`` and ``"probit"``, whether effects are differences of means, as by default, or of the linear index,
        as with ``predict = "link"`` in R's ``emfx``.

    Returns
    -------
    EtwfeResult
        The average over all treated rows, averages by event time, cohort and period, the effects of cohorts in periods, and averages by
        level of ``xvar``.

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
            raise refused(f"`xformla` must be columns, as in '~ x1 + x2' or ['x1', 'x2'], got {shown(formula)}")
        return list(formula)
    terms = [term.strip() for term in formula.strip().removeprefix("~").split("+")]
    columns = [term.strip("`") for term in terms if term not in ("1", "")]
    wrong = next((term for term in columns if re.search(r"[()*:^|~]", term)), None)
    if wrong is None:
        return columns
    remedy = f"make `{wrong}` a column of the data"
    raise refused(f"`xformla` must be columns, as in '~ x1 + x2', got {shown(formula)}; {remedy}", remedy)


@dataclass(frozen=True, repr=False)
class EmfxResult(Tidy):
    """Averages of the effects of a regression, selected from its result ``fit``, which has all methods of results."""

    #: What they are averages by.
    aggregation_type: str
    #: The average over all treated rows.
    overall_att: float | None
    #: Its standard error.
    overall_se: float | None
    #: Lower end of its interval.
    overall_ci_lower: float | None
    #: Upper end of its interval.
    overall_ci_upper: float | None
    #: Its p-value.
    overall_p_value: float | None
    #: Event time, cohort or period of each average; None of the simple type.
    event_times: list[Any] | None
    #: Level of ``xvar`` of each average; None unless they are by level.
    levels: list[str] | None
    #: The averages.
    att_by_event: list[float | None] | None
    #: Their standard errors.
    se_by_event: list[float | None] | None
    #: Lower ends of their pointwise intervals.
    ci_lower: list[float | None] | None
    #: Upper ends of their pointwise intervals.
    ci_upper: list[float | None] | None
    #: Their p-values.
    p_by_event: list[float | None] | None
    #: The whole result.
    fit: EtwfeResult
    #: Where the averages are among the rows of ``fit.tidy()``.
    _rows: list[int]

    @property
    def critical_value(self) -> float:
        """Standard errors from an average to the ends of its interval, which are pointwise and by the normal distribution."""
        return NormalDist().inv_cdf(1 - float(self.fit.glance()["alpha"][0]) / 2)

    @property
    def n_obs(self) -> int:
        """Number of rows of the regression."""
        return self.fit.n_obs

    @property
    def estimation_params(self) -> dict[str, Any]:
        """Settings of the fit by ModernDiD's names."""
        return self.fit.estimation_params

    def tidy(self) -> Table:
        """One row an average, with the columns of ``fit.tidy()``; of the simple type, the average over all treated rows or by level."""
        return chosen(self.fit.tidy(), self._rows)

    def __str__(self) -> str:
        rows: list[tuple[Any, ...]] = [
            ("", "overall", self.overall_att, self.overall_se, self.overall_ci_lower, self.overall_ci_upper, self.overall_p_value)
        ]
        columns = (self.att_by_event, self.se_by_event, self.ci_lower, self.ci_upper, self.p_by_event)
        if self.att_by_event is not None:
            none = [""] * len(self.att_by_event)
            rows += zip(self.levels or none, self.event_times or none, *(column or [] for column in columns), strict=True)
        width = 0 if self.levels is None else max([10, *(2 + len(level) for level in self.levels)])

        def line(level: str, at: Any, *numbers: float | None) -> str:
            return level.rjust(width) + f"{at!s:>10}" + "".join("".rjust(12) if number is None else f"{number:12.4f}" for number in numbers)

        covered = 100 * (1 - self.fit.glance()["alpha"][0])
        heads = ("Estimate", "Std. Error", f"{covered:.10g}% CI", "", "p-value")
        first = "" if self.levels is None else "level"
        head = first.rjust(width) + f"{self.aggregation_type:>10}" + "".join(f"{head:>12}" for head in heads)
        return "\n".join([head, *(line(*row) for row in rows)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    @property
    def __maketables_coef_table__(self) -> pandas.DataFrame:
        """The averages as maketables has coefficients."""
        count = len(self.levels or self.event_times or [None])
        levels = [""] * count if self.levels is None else [f" ({level})" for level in self.levels]
        places = ["ATT"] * count if self.event_times is None else [f"{self.aggregation_type} {_shown_place(at)}" for at in self.event_times]
        return coefficients(self.tidy().to_dict(), [place + level for place, level in zip(places, levels, strict=True)])

    def __maketables_stat__(self, key: str) -> Any:
        """A fact about the fit."""
        return self.fit.__maketables_stat__(key)

    @property
    def __maketables_depvar__(self) -> str:
        """The outcome."""
        return self.fit.__maketables_depvar__

    @property
    def __maketables_fixef_string__(self) -> str | None:
        """Fixed effects of the regression."""
        return self.fit.__maketables_fixef_string__

    @property
    def __maketables_vcov_info__(self) -> dict[str, str | None]:
        """Kind of standard errors, and clusters."""
        return self.fit.__maketables_vcov_info__

    @property
    def __maketables_default_stat_keys__(self) -> list[str]:
        """Facts that tables show by default."""
        return self.fit.__maketables_default_stat_keys__

    @property
    def __maketables_stat_labels__(self) -> dict[str, str]:
        """Labels of facts."""
        return self.fit.__maketables_stat_labels__


#: Tables of the averages of each type, over all levels and by level, and the column by which they differ.
_TABLES = {
    "simple": ("overall", "levels", None),
    "group": ("groups", "level_groups", "group"),
    "calendar": ("periods", "level_periods", "time"),
    "event": ("event_times", "level_event_times", "event_time"),
}

#: Columns of a result with the numbers of the average over all treated rows, and of the averages by event time, cohort, period or level.
_OVERALL = {
    "overall_att": "estimate", "overall_se": "se", "overall_ci_lower": "ci_lower", "overall_ci_upper": "ci_upper",
    "overall_p_value": "p_value",
}
_AVERAGES = {"att_by_event": "estimate", "se_by_event": "se", "ci_lower": "ci_lower", "ci_upper": "ci_upper", "p_by_event": "p_value"}


def emfx(
    result: EtwfeResult,
    type: str = "simple",
    post_only: bool = True,
    window: Sequence[float] | None = None,
    *,
    by_xvar: bool = False,
) -> EmfxResult:
    """Averages of the effects of ``etwfe``, selected from its result, which has all of them.

    Parameters
    ----------
    result : EtwfeResult
        What ``etwfe`` gave. Pictures and sensitivity analyses are of it.
    type : {"simple", "group", "calendar", "event"}
        Over all treated rows, or by cohort, period or event time. The overall average is that over all treated rows in each case.
    post_only : bool
        Of event times, only those from 0 on, as in ModernDiD. Event times before treatment are estimated with ``cgroup="never"``, where R
        ``etwfe`` shows them by default; ``post_only=False`` does so here.
    window : (int, int), optional
        First and last event time, as in ``(-2, 3)`` and as in ModernDiD, for the type ``"event"``. R ``etwfe`` counts periods before and
        after treatment: its ``window = c(2, 3)`` is ``(-2, 3)`` here, and its ``window = 2`` is ``(-2, 2)``. R also averages over the window
        in the other types; here they are over all treated rows, and refuse a window.
    by_xvar : bool
        Averages by level of ``xvar`` in place of those over all levels, of results that have them: of ``etwfe`` with an ``xvar`` of at most
        20 levels. R has them by default where there is an ``xvar``. The overall average is over all levels in either case.

    Returns
    -------
    EmfxResult
    """
    if not isinstance(result, EtwfeResult):
        raise refused(f"`result` must be what `etwfe` gives, got {result.__class__.__name__}")
    if type not in _TABLES:
        raise refused(f"`type` must be one of {', '.join(_TABLES)}, got {shown(type)}")
    ends = None if window is None else _window(type, window)
    by_level = flag("by_xvar", by_xvar)
    rows = result.tidy().to_dict()
    if by_level and "levels" not in rows["table"]:
        remedy = "fit `etwfe` with `xvar`, a column of at most 20 levels"
        raise refused(f"`by_xvar` is for results with averages by level of `xvar`, which this one does not have; {remedy}", remedy)
    overall = rows["table"].index("overall")
    of_all = {name: rows[column][overall] for name, column in _OVERALL.items()}
    over_levels, of_levels, key = _TABLES[type]
    table = of_levels if by_level else over_levels
    kept = [i for i, of in enumerate(rows["table"]) if of == table]
    if key == "event_time":
        kept = _in_window(rows[key], kept, post_only, ends)
    averages: dict[str, Any] = {name: [rows[column][i] for i in kept] for name, column in _AVERAGES.items()}
    if table == "overall":
        averages = dict.fromkeys(_AVERAGES)
    return EmfxResult(
        type,
        event_times=None if key is None else [_number(rows[key][i]) for i in kept],
        levels=[rows["level"][i] for i in kept] if by_level else None,
        fit=result,
        _rows=kept,
        **of_all,
        **averages,
    )


def _window(type: str, window: Any) -> tuple[float, float]:
    """The first and the last event time of a window."""
    takes = "`window` must be the first and the last event time, as in (-3, 5)"
    if type != "event":
        remedy = 'leave it out, or give type="event"'
        raise refused(f"`window` is for the averages by event time; those of the type {type!r} are over all treated rows; {remedy}", remedy)
    if isinstance(window, (int, float)):
        remedy = f"give ({-window:g}, {window:g}) for so many periods before and after treatment, as R has it"
        raise refused(f"{takes}, got {window!r}; {remedy}", remedy)
    try:
        first, last = map(float, window)
    except (TypeError, ValueError):
        first = last = nan
    if isnan(first) or isnan(last) or isinstance(window, str):
        raise refused(f"{takes}, got {shown(window)}")
    if first > last:
        remedy = f"the {first:g} periods before treatment that R counts are {-first:g} here" if first > 0 else "give the first one first"
        raise refused(f"{takes}, got {shown(window)}, whose first is after its last; {remedy}", remedy)
    return first, last


def _in_window(at: list[Any], rows: list[int], post_only: bool, ends: tuple[float, float] | None) -> list[int]:
    """The rows whose event times are asked for, one at least if a window is given."""
    known = [i for i in rows if not (post_only and at[i] < 0)]
    if ends is None:
        return known
    kept = [i for i in known if ends[0] <= at[i] <= ends[1]]
    if kept:
        return kept
    there = ", ".join(dict.fromkeys(f"{at[i]:g}" for i in known))
    has_leads = any(ends[0] <= at[i] <= ends[1] for i in rows)
    remedy = "give `post_only=False` for those before treatment, too" if has_leads else "give a window that has one of them"
    raise refused(f"`window` has no event time in it, got ({ends[0]:g}, {ends[1]:g}), and the event times are {there}; {remedy}", remedy)


def _number(at: Any) -> Any:
    """A period as a number if it is one."""
    try:
        return float(at)
    except ValueError:
        return at


def _shown_place(at: Any) -> str:
    """A period or event time, without decimals if it has none."""
    return f"{at:g}" if isinstance(at, float) else str(at)
