"""Results as data frames with ModernDiD's columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._checks import not_by_level
from ._extended import EmfxResult
from ._fields_switching import Heterogeneity
from ._result import band
from ._results import AggregatedResult, ContDidResult, GroupTimeResult, HonestResult, MultiplegtResult
from ._types import refused

if TYPE_CHECKING:
    import polars

Columns = dict[str, Any]

#: Tables of a continuous treatment's curves, by what ModernDiD calls them.
_CURVES = {"att": "effects", "acrt": "slopes"}


def to_df(result: object, effect_type: str | None = None) -> polars.DataFrame:
    """A polars data frame with the columns of ModernDiD's ``to_df``; ``to_polars`` of a result has all that is known of its estimates.

    Parameters
    ----------
    result : Result
        Of ``att_gt``, ``ddd``, ``aggte``, ``agg_ddd``, ``emfx``, ``cont_did``, ``did_multiplegt`` or ``honest_did``, or one of the
        regressions in ``heterogeneity`` of ``did_multiplegt``.
    effect_type : {"att", "acrt"}, optional
        Of ``cont_did``: the effects (the default) or their slopes.

    Returns
    -------
    polars.DataFrame
        Estimates with the ends of their uniform band if the fit has one, else of their intervals, and without reference periods. Whole numbers of groups,
        periods and event times are integers.
    """
    curve = isinstance(result, ContDidResult) and result.event_study is None
    if effect_type is not None and (not curve or effect_type not in _CURVES):
        raise refused(f"`effect_type` must be 'att' or 'acrt', for curves of `cont_did`, got {effect_type!r} for {type(result).__name__}")
    if isinstance(result, ContDidResult):
        return _of_doses(result, effect_type or "att")
    if isinstance(result, GroupTimeResult):
        rows = result.tidy().to_dict()
        status = [_status(time < group) for group, time in zip(rows["group"], rows["time"], strict=True)]
        columns = {"group": rows["group"], "time": rows["time"], **_estimates(rows), "treatment_status": status}
        return _frame(columns, ("group", "time"), without_references=result._fact("estimator") == "ddd")
    if isinstance(result, (AggregatedResult, EmfxResult)):
        return _of_averages(result)
    if isinstance(result, MultiplegtResult):
        rows = result.tidy().to_dict()
        kept = sorted((i for i, table in enumerate(rows["table"]) if table in ("placebos", "effects")), key=lambda i: rows["horizon"][i])
        rows = {name: [values[i] for i in kept] for name, values in rows.items()}
        status = [_status(horizon < 0) for horizon in rows["horizon"]]
        return _frame({"horizon": rows["horizon"], **_estimates(rows), "treatment_status": status}, ("horizon",))
    if isinstance(result, Heterogeneity):
        return _of_heterogeneity(result)
    if isinstance(result, HonestResult):
        return _of_sensitivity(result)
    raise refused(f"`result` has no frame of these columns: it is {type(result).__name__}; `to_polars()` of a result has its estimates")


def _status(is_before: bool) -> str:
    return "Pre" if is_before else "Post"


def _estimates(rows: Columns) -> Columns:
    return {"att": rows["estimate"], "se": rows["se"], **band(rows)}


def _frame(columns: Columns, keys: tuple[str, ...], *, without_references: bool = False) -> polars.DataFrame:
    """The columns, of which keys are integers if they all are whole."""
    import polars

    frame = polars.DataFrame(columns)
    if without_references:
        frame = frame.filter(polars.col("se").is_not_null())
    whole = [key for key in keys if frame[key].dtype.is_float() and all(value.is_integer() for value in frame[key].drop_nulls())]
    return frame.with_columns(polars.col(key).cast(polars.Int64) for key in whole)


def _of_averages(result: AggregatedResult | EmfxResult) -> polars.DataFrame:
    """Averages by event time, group or period."""
    not_by_level(result, "result")
    if result.aggregation_type == "simple":
        raise refused("`result` is one average, which has no frame of these columns; `overall_att` and `overall_se` have it")
    times, rows = result.event_times or [], result.tidy().to_dict()
    if isinstance(result, AggregatedResult):
        rows = {name: result._of("rows", name) for name in rows}
    columns = {"event_time": times, **_estimates(rows)}
    if result.aggregation_type in ("dynamic", "eventstudy", "event"):
        columns["treatment_status"] = [_status(at < 0) for at in times]
    return _frame(columns, ("event_time",), without_references=True)


def _of_doses(result: ContDidResult, effect_type: str) -> polars.DataFrame:
    """A curve of a continuous treatment, or its event study."""
    study = result.event_study
    if study is not None:
        return _of_averages(study)
    rows = {name: result._of(_CURVES[effect_type], name) for name in result.tidy().columns}
    return _frame({"dose": rows["dose"], "effect": rows["estimate"], "se": rows["se"], **band(rows)}, ())


def _of_heterogeneity(result: Heterogeneity) -> polars.DataFrame:
    count = len(result.covariates)
    return _frame(
        {
            "Horizon": [result.horizon] * count, "Covariate": result.covariates, "Estimate": result.estimates,
            "Std. Error": result.std_errors, "t-stat": result.t_stats, "CI Lower": result.ci_lower, "CI Upper": result.ci_upper, "N": [result.n_obs] * count,
            "F p-value": [result.f_pvalue] * count,
        },
        (),
    )


def _of_sensitivity(result: HonestResult) -> polars.DataFrame:
    """The robust intervals by their bounds, after the original one, which is one step below the smallest bound."""
    import polars

    robust = result.robust_ci.rename({result.robust_ci.columns[-1]: "param_value"}).select("param_value", "lb", "ub", "method")
    bounds = sorted(set(robust["param_value"]))
    step = min(after - before for before, after in zip(bounds, bounds[1:], strict=False)) if len(bounds) > 1 else bounds[0]
    original = result.original_ci
    first = polars.DataFrame({"param_value": [bounds[0] - step], "lb": [original.lb], "ub": [original.ub], "method": [original.method]})
    frame = polars.concat([first, robust]).with_columns(midpoint=(polars.col("lb") + polars.col("ub")) / 2)
    return frame.sort("method", "param_value")
