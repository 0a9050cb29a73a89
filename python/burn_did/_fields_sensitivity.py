"""Fields of sensitivity analyses by the names of ModernDiD."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ._result import Result

if TYPE_CHECKING:
    import polars

#: Methods of intervals, as ModernDiD writes them.
_INTERVALS = {"flci": "FLCI", "conditional": "Conditional", "c_f": "C-F", "c_lf": "C-LF"}


class OriginalInterval(NamedTuple):
    """The interval under exactly parallel trends."""

    lb: float | None
    ub: float | None
    method: str
    delta: None


class HonestFields(Result):
    """Fields of a sensitivity analysis."""

    @property
    def sensitivity_type(self) -> str:
        """What is assumed of the difference in trends, as in ``"relative_magnitude"``."""
        return str(self._result["options"]["delta"])

    @property
    def original_ci(self) -> OriginalInterval:
        """The interval under exactly parallel trends."""
        return OriginalInterval(self._of("original", "ci_lower")[0], self._of("original", "ci_upper")[0], "Original", None)

    @property
    def robust_ci(self) -> polars.DataFrame:
        """A polars data frame of the robust intervals: ``lb``, ``ub``, ``method``, ``delta``, and ``m`` or ``Mbar``."""
        import polars

        bound = "m" if self.sensitivity_type == "smoothness" else "Mbar"
        columns = {"lb": "ci_lower", "ub": "ci_upper", "method": "method", "delta": "delta", bound: "m"}
        frame = polars.DataFrame({name: self._of("intervals", column) for name, column in columns.items()})
        return frame.with_columns(polars.col("method").replace(_INTERVALS))
