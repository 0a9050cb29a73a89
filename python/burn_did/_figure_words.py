"""What is written around figures: the words of the pictures that ``plot`` draws."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ._figure_axes import Rows

if TYPE_CHECKING:
    from ._result import Result

#: Where a result has what it was estimated from.
_WAY = ("settings", "sample", "effects", "level", "study", "provenance", "event_study", "regression")

_UNITS = {"year": "Years", "quarter": "Quarters", "month": "Months", "week": "Weeks", "day": "Days"}

_BESIDE_TREATMENT = ("Pre-treatment", "Reference period", "Post-treatment")
_BESIDE_BASE = ("Pre-treatment", "Base period", "Post-treatment")
_BESIDE_REFERENCE = ("Before the reference", "Reference", "After the reference")


class Facts:
    """What a figure says of a result beside its numbers."""

    def __init__(self, result: Result, rows: Rows) -> None:
        self.kind = result.kind
        self.glance: dict[str, Any] = {name: values[0] for name, values in result.glance().to_dict().items()}
        document = result.to_dict()["result"]
        self.settings = _settings(document)
        self.outcome: str = self.glance.get("outcome") or self.settings.get("outcome") or ""
        self.frequency: str | None = self.glance.get("frequency") or self.settings.get("frequency")
        #: The last reference of coefficients by a column that counts from no event, as years do.
        self.reference = self._reference(rows)
        #: What points before, at and after the reference are called.
        self.points = _BESIDE_TREATMENT if self.reference is None else _BESIDE_REFERENCE
        #: Whether estimates are means of outcomes, of which zero is no reference, or their changes since a base period.
        self.are_levels, self.are_changes = False, False
        if self.kind == "cohort_means":
            self.are_changes = bool(document.get("relative"))
            self.are_levels, self.points = not self.are_changes, _BESIDE_BASE

    def _reference(self, rows: Rows) -> float | None:
        if not self.glance.get("event_times_of"):
            return None
        if any(at < 0 for at in rows["event_time"]):
            return None
        references = [at for at, status in zip(rows["event_time"], rows["status"], strict=True) if status == "reference"]
        # A last reference that no effect follows on divides nothing.
        before = [at for at in references if at < max(rows["event_time"])]
        return max(before or references, default=None)

    def interval(self, kind: str) -> str:
        """The kind of an interval, with its level."""
        alpha = self.glance.get("alpha")
        return kind.capitalize() if alpha is None else f"{100 * (1 - alpha):.10g}% {kind}"

    def parameter(self) -> str:
        """What is estimated."""
        if self.kind == "cohort_means":
            return "Change of mean" if self.are_changes else "Mean"
        if self.kind == "regression" or self.reference is not None:
            return "Coefficient"
        if self.settings.get("estimator") == "did_multiplegt" or self.kind == "joint_study" or not self.outcome:
            return "Effect"
        return "ACRT" if self.settings.get("target") == "slope" else "ATT"

    def measured(self, parameter: str) -> str:
        """A parameter with the outcome, for an axis."""
        if not self.outcome:
            return parameter
        per_dose = f" per unit of {self.settings.get('dose') or 'the dose'}" if parameter.startswith("ACRT") else ""
        return f"{parameter} ({self.outcome}{per_dose})"

    def along(self, key: str, places: Iterable[Any]) -> str:
        """What the places of the horizontal axis are."""
        if key == "horizon":
            return "Periods relative to the last pre-switch period"
        if key == "event_time":
            return self.glance["event_times_of"] if self.reference is not None else self._since_treatment(sorted(places))
        return {"time": "Period", "group": "Group", "term": ""}[key]

    def _since_treatment(self, times: list[float]) -> str:
        """What event times count: periods of the calendar, or those of the data where most steps are of one."""
        if self.frequency is not None and self.settings.get("estimator") != "did_multiplegt":
            return f"{_UNITS[self.frequency]} since first treatment"
        steps_of_one = sum(later - earlier == 1 for earlier, later in pairwise(times))
        are_periods = all(float(time).is_integer() for time in times) and 2 * steps_of_one + 1 >= len(times)
        return f"{'Periods' if are_periods else 'Time'} since first treatment"


def _settings(document: dict[str, Any]) -> dict[str, Any]:
    """The first part of a result that names the outcome."""
    if "outcome" in document:
        return document
    for name in _WAY:
        inner = document.get(name)
        found = _settings(inner) if isinstance(inner, dict) else {}
        if found:
            return found
    return {}
