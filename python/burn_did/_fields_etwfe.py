"""Fields of the regression of ``etwfe`` by the names of ModernDiD."""

from __future__ import annotations

from typing import Any

from ._fields import Numbers
from ._fields_lacking import ETWFE
from ._result import Result


class EtwfeFields(Result):
    """Fields of the regression of ``etwfe``."""

    _lacking = ETWFE

    @property
    def gt_pairs(self) -> list[tuple[Any, Any]]:
        """Cohort and period of each coefficient, in order of periods and then cohorts."""
        return [pair for pair, _ in self._cells()]

    @property
    def coefficients(self) -> Numbers:
        """Coefficients of the regression on ``gt_pairs``: effects, on the scale of the linear index if ``family`` is given."""
        return [of_cell["estimate"] for _, of_cell in self._cells()]

    @property
    def std_errors(self) -> Numbers:
        """Their standard errors."""
        return [of_cell["se"] for _, of_cell in self._cells()]

    @property
    def coef_names(self) -> list[str]:
        """Their names in the regression."""
        return [of_cell["name"] for _, of_cell in self._cells()]

    @property
    def n_units(self) -> int | None:
        """Number of units among the rows, where the regression absorbs effects of units or has clusters by unit; None elsewhere."""
        unit = self._result["settings"]["unit"]
        regression = self._result["regression"]
        counts = {of["name"]: of["levels"] for of in regression["absorbed"]} | dict(regression["clusters"])
        return counts.get(unit)

    def _cells(self) -> list[tuple[tuple[Any, Any], dict[str, Any]]]:
        """Cohort and period of the cells that the regression has, with their coefficients."""
        by_name = {coefficient["name"]: coefficient for coefficient in self._result["regression"]["coefficients"]}
        cells = sorted(zip(self._of("cells", "time"), self._of("cells", "group"), strict=True))
        named = [((group, time), f"cohort {_label(group)} in {_label(time)}") for time, group in cells]
        return [(pair, by_name[name]) for pair, name in named if name in by_name]

    @property
    def n_obs(self) -> int:
        """Number of rows."""
        return self._fact("n_rows")  # type: ignore[no-any-return]

    @property
    def r_squared(self) -> float | None:
        """R² of the regression."""
        return self._result["regression"]["r2"]  # type: ignore[no-any-return]

    @property
    def adj_r_squared(self) -> float | None:
        """Its adjusted R²."""
        return self._result["regression"]["r2_adjusted"]  # type: ignore[no-any-return]

    @property
    def estimation_params(self) -> dict[str, Any]:
        """Settings of the fit by ModernDiD's names."""
        of = self._result["settings"]
        return {
            "yname": of["outcome"], "tname": of["time"], "gname": of["group"], "idname": of["unit"],
            "cgroup": "never" if of["control_group"] == "never_treated" else "notyet",
            "family": None if of["family"] == "gaussian" else of["family"], "alpha": self._fact("alpha"), "n_obs": of["n_rows"],
            "n_units": self.n_units, "clustervar": self._cluster(),
        }

    def _cluster(self) -> str | None:
        """The column of clusters; None without them, and with several."""
        clusters = [name for name, _ in self._result["regression"]["clusters"]]
        return clusters[0] if len(clusters) == 1 else None


def _label(period: Any) -> str:
    """A period as names of coefficients have it."""
    return str(int(period)) if isinstance(period, float) and period.is_integer() else str(period)
