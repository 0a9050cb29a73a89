"""Fits here, or by the workers of an engine."""

from __future__ import annotations

from typing import Any, TypeVar

from . import _native
from ._results import Result, warned
from ._types import source
from .engines import _place

R = TypeVar("R", bound=Result)


def fitted(name: str, data: Any, options: dict[str, Any], kind: type[R]) -> R:
    """The result of an estimator: here or, where its data or options are about other machines, by the workers of an engine."""
    if not _place.is_elsewhere(data, options):
        here = {key: value for key, value in options.items() if key not in _place.PLACE}
        return warned(kind(getattr(_native, name)(source(data), here)), depth=4)
    made = _place.fitted(name, data, options)
    # Only `engines.prepare` asks for a sample in place of a result, and expects one.
    return made if isinstance(made, _place.Sample) else warned(kind(made), depth=4)  # type: ignore[return-value]
