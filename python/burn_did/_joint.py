"""Several estimators of one sample, and all combinations of choices."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from . import _native
from ._results import JointStudyResult, SpecificationCurve, warned
from ._types import Backend, Data, Missing, Names, refused, source


#: Names of the choices that specifications vary in.
_CHOICES = {"control_group", "base_period", "est_method", "method", "anticipation", "covariates", "xformla", "sample"}


def joint_study(
    data: Data,
    yname: str,
    tname: str,
    idname: str,
    gname: str,
    xformla: str | None = None,
    weightsname: str | None = None,
    clustervars: Names | None = None,
    *,
    estimators: Names | None = None,
    control_group: str | None = None,
    anticipation: int = 0,
    min_e: float | None = None,
    max_e: float | None = None,
    cband: bool | None = None,
    alpha: float = 0.05,
    frequency: str | None = None,
    missing_values: Missing = None,
    backend: Backend = None,
    precision: str | None = None,
) -> JointStudyResult:
    """Several robust estimators of one sample: effects by event time of each, their joint covariance, and tests that they agree.

    The test that two estimators agree is right under heterogeneous effects and clusters. An estimator that cannot estimate says why, and
    the others go on. Arguments that are not below are those of ``att_gt``.

    Parameters
    ----------
    estimators : list of {"cs", "sa", "bjs", "gardner", "etwfe", "stacked", "lpdid", "dcdh"}, optional
        The estimators in the order of the results, all if nothing is said: Callaway and Sant'Anna, Sun and Abraham, imputation, two stages,
        extended two-way fixed effects, stacks with corrective weights, local projections, and the estimator of de Chaisemartin and
        D'Haultfœuille for treatments that may switch.
    control_group : {"notyettreated", "nevertreated"}, optional
        Comparison units, where an estimator has the choice: those not yet treated by default, where ``att_gt`` alone takes the never treated.
    anticipation : int
        Periods before treatment in which units may already react.
    min_e, max_e : float, optional
        Smallest and largest event time.
    cband : bool, optional
        Bands that are uniform over all effects of all estimators.

    Returns
    -------
    JointStudyResult
        One row an estimator and event time, the averages, and the differences of estimators.
    """
    options = locals()
    data = source(options.pop("data"))
    return warned(JointStudyResult(_native.joint_study(data, _windowed(options))))


def specification_curve(
    data: Data,
    yname: str,
    tname: str,
    idname: str,
    gname: str,
    xformla: str | None = None,
    weightsname: str | None = None,
    clustervars: Names | None = None,
    *,
    vary: str | Iterable[str] | Mapping[str, Iterable[Any] | None],
    estimators: Names | None = None,
    control_group: str | None = None,
    anticipation: int = 0,
    min_e: float | None = None,
    max_e: float | None = None,
    cband: bool | None = None,
    alpha: float = 0.05,
    frequency: str | None = None,
    missing_values: Missing = None,
    backend: Backend = None,
    precision: str | None = None,
) -> SpecificationCurve:
    """Every estimator with every value of some choices: the effects, their joint covariance, and tests of all of them together.

    The effect of a specification is the average over the event times from 0 on at which all that ran have an effect. Arguments that are not
    below are those of ``joint_study``.

    Parameters
    ----------
    vary : str, list of str or dict
        The choices: ``control_group``, ``base_period``, ``est_method``, ``anticipation``, ``covariates`` (every subset of the formula's terms)
        and ``sample`` (all rows, and all without each cohort in turn). A dict gives values, None for all, as in ``{"control_group": None,
        "anticipation": [0, 1, 2], "covariates": ["~ 1", "~ x"], "sample": ["all", "without:2004", "urban"]}``.
    estimators : list of str, optional
        Those that every choice is combined with; all by default.
    min_e, max_e : float, optional
        First and last event time that an effect may average over.

    Returns
    -------
    SpecificationCurve
        One row a specification, with its difference from the first.
    """
    options = locals()
    data = source(options.pop("data"))
    options["vary"] = _choices(vary)
    return warned(SpecificationCurve(_native.specification_curve(data, _windowed(options))))


def _windowed(options: dict[str, Any]) -> dict[str, Any]:
    """The options without ends of the window that are infinite."""
    for name in ("min_e", "max_e"):
        end = options[name]
        options[name] = None if isinstance(end, float) and math.isinf(end) else end
    return options


def _choices(vary: str | Iterable[str] | Mapping[str, Iterable[Any] | None]) -> str:
    """Choices as the command line has them."""
    if isinstance(vary, str):
        return vary
    if not isinstance(vary, Mapping):
        return ",".join(vary)

    def choice(name: str, values: Any) -> str:
        if values is None:
            return name
        if isinstance(values, str) or not isinstance(values, Iterable):
            return f"{name}={values}"
        return f"{name}={','.join(_value(str(value), vary) for value in values)}"

    return ",".join(choice(name, values) for name, values in vary.items())


def _value(text: str, choices: Iterable[str]) -> str:
    """A value of a choice, which must not be read as two, or as another choice."""
    outside, brackets = text, 1
    while brackets:
        outside, brackets = re.subn(r"\([^()]*\)", "", outside)
    if "," in outside or text.partition("=")[0].strip().lower() in _CHOICES:
        remedy = "rename the column"
        raise refused(f"`vary` cannot have the value {text!r}, which has a comma or is the name of a choice; {remedy}", remedy)
    return text
