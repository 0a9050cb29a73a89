"""Estimators in the names of the field."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Protocol

from . import _native
from ._progress import Progress, chosen
from ._results import AggregatedResult, GroupTimeResult, R, _result
from .engines import Engine, _place


class ArrowStream(Protocol):
    """A data frame that gives its columns by the Arrow C stream interface."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


Data = ArrowStream | str | os.PathLike[str]
Backend = str | Sequence[str] | None


def _anywhere(name: str, data: Any, options: dict[str, Any], kind: type[R]) -> R:
    """Fit here or, where data or options are about other machines, by the workers of an engine."""
    if not _place.is_elsewhere(data, options):
        here = {key: options[key] for key in options if key not in _place.PLACE}
        return _result(getattr(_native, name)(data, here), kind)
    made = _place.fitted(name, data, options)
    # A sample is only prepared by `engines.prepare`, which expects one.
    return made if isinstance(made, _place.Sample) else _result(made, kind)  # type: ignore[return-value]


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
    clustervars: str | Sequence[str] | None = None,
    est_method: str = "dr",
    panel: bool = True,
    allow_unbalanced_panel: bool = False,
    control_group: str = "nevertreated",
    anticipation: int = 0,
    base_period: str = "varying",
    random_state: int | None = None,
    backend: Backend = None,
    *,
    frequency: str | None = None,
    fix_weights: str | None = None,
    multiplier: str | None = None,
    missing_values: Sequence[str | float] | None = None,
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
    """Group-time average treatment effects under staggered adoption.

    Returns
    -------
    GroupTimeResult
    """
    options = locals()
    options.pop("data")
    options["progress"] = chosen(progress)
    return _anywhere("att_gt", data, options, GroupTimeResult)


def aggte(
    MP: GroupTimeResult,
    type: str = "group",
    balance_e: int | None = None,
    min_e: float | None = None,
    max_e: float | None = None,
    na_rm: bool = False,
) -> AggregatedResult:
    """Averages of group-time effects."""
    window = {"type": type, "balance_e": balance_e, "min_e": min_e, "max_e": max_e, "na_rm": na_rm}
    return _result(_native.aggte(MP._native, window), AggregatedResult)
