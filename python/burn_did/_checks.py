"""What functions are given in place of what they take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _native
from ._result import Result
from ._types import refused


def native_of(result: object, name: str, takes: str = "a result") -> _native.Native:
    """What is behind the result that the argument ``name`` is, or is selected from if that is an event study."""
    if isinstance(result, Result):
        return result._native
    fit = getattr(result, "fit", None)
    if not isinstance(fit, Result):
        raise refused(f"`{name}` must be {takes}, got {type(result).__name__}")
    if getattr(result, "aggregation_type", None) != "event":
        remedy = "give the result of `etwfe`, which is its `fit`"
        raise refused(f"`{name}` must be {takes}, got averages that `emfx` selected; {remedy}", remedy)
    not_by_level(result, name)
    return fit._native


def of_kind(result: object, kinds: Iterable[str], takes: str) -> Result:
    """The result, or what it is selected from, if it is of one of the kinds that a picture shows."""
    by = "event" if isinstance(result, Result) else getattr(result, "aggregation_type", "event")
    if by != "event":
        remedy = "`emfx(result, \"event\")` selects averages that are drawn"
        raise refused(f"`result` must be {takes}, got averages of `emfx` of the type {by!r}, which have no picture; {remedy}", remedy)
    not_by_level(result, "result")
    shown = getattr(result, "fit", result)
    if isinstance(shown, Result) and shown.kind in kinds:
        return shown
    got = f"a result of the kind {shown.kind!r}" if isinstance(shown, Result) else type(result).__name__
    remedy = "`plot()` of a result draws what it has"
    raise refused(f"`result` must be {takes}, got {got}; {remedy}", remedy)


def not_by_level(result: object, name: str) -> None:
    """Refuse averages by level: event studies and their pictures are of all levels together."""
    if getattr(result, "levels", None) is not None:
        remedy = "`emfx` without `by_xvar` selects those over all levels"
        raise refused(f"`{name}` must have averages over all levels, got averages by level of `emfx`; {remedy}", remedy)


def keywords(function: str, given: Mapping[str, Any], of: Callable[..., Any], without: Iterable[str] = ()) -> None:
    """Refuse keyword arguments that a function hands on and that ``of`` does not have, in the name of the function that was called."""
    known = set(inspect.signature(of).parameters) - set(without)
    wrong = next((name for name in given if name not in known), None)
    if wrong is not None:
        raise TypeError(f"{function}() got an unexpected keyword argument {wrong!r}")
