"""Fits here, or by the workers of an engine."""

from __future__ import annotations

from typing import Any, TypeVar

from . import _native
from ._results import Result, warned
from ._types import source

R = TypeVar("R", bound=Result)

#: Arguments that say where a fit runs.
PLACE = ("engine", "client", "spark", "scratch")

#: Modules of data that are elsewhere.
_ELSEWHERE = ("burn_did.engines", "dask.", "dask_expr.", "pyspark.sql")


def fitted(name: str, data: Any, options: dict[str, Any], kind: type[R]) -> R:
    """The result of an estimator: here or, where its data or options are about other machines, by the workers of an engine."""
    given = any(options.get(word) is not None for word in PLACE)
    if not given and not type(data).__module__.startswith(_ELSEWHERE):
        here = {key: value for key, value in options.items() if key not in PLACE}
        return warned(kind(getattr(_native, name)(source(data), here)))
    # Imported here, since most programs fit on one machine.
    from .engines import _place

    made = _place.fitted(name, data, options)
    # Only `engines.prepare` asks for a sample in place of a result, and expects one.
    return made if isinstance(made, _place.Sample) else warned(kind(made))  # type: ignore[return-value]
