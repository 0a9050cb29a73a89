"""Fields of results of ``did_multiplegt`` by the names of ModernDiD."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._fields import Numbers
from ._fields_lacking import SWITCHING
from ._result import Result, _ratio


class Horizons(NamedTuple):
    """Effects of ``did_multiplegt``, or placebos, one an event time."""

    #: Event times: from 1 on of effects, from -1 on downwards of placebos.
    horizons: list[float]
    #: The estimates.
    estimates: Numbers
    #: Their standard errors.
    std_errors: Numbers
    #: Lower ends of their intervals.
    ci_lower: Numbers
    #: Upper ends of their intervals.
    ci_upper: Numbers
    #: Numbers of groups that switch.
    n_switchers: Numbers
    #: Numbers of cells of group and period that are compared.
    n_observations: Numbers


class TotalEffect(NamedTuple):
    """The average total effect of ``did_multiplegt``."""

    estimate: float | None
    std_error: float | None
    ci_lower: float | None
    ci_upper: float | None
    n_observations: float
    n_switchers: float


class Heterogeneity(NamedTuple):
    """The regression of the effects at one event time on covariates."""

    horizon: int
    covariates: list[str]
    estimates: Numbers
    std_errors: Numbers
    t_stats: Numbers
    ci_lower: Numbers
    ci_upper: Numbers
    n_obs: int
    #: P-value of the test that no covariate matters.
    f_pvalue: float | None


class SwitchingFields(Result):
    """Fields of the effects of a treatment that switches."""

    _lacking = SWITCHING

    @property
    def effects(self) -> Horizons:
        """Effects by event time."""
        return self._horizons("effects")

    @property
    def placebos(self) -> Horizons | None:
        """Placebos by event time, None without any."""
        placebos = self._horizons("placebos")
        return placebos if placebos.horizons else None

    def _horizons(self, table: str) -> Horizons:
        columns = ("horizon", "estimate", "se", "ci_lower", "ci_upper", "n_switchers", "n_obs")
        return Horizons(*(self._of(table, column) for column in columns))

    @property
    def ate(self) -> TotalEffect | None:
        """The average total effect per unit of treatment, None where there is none."""
        average = self._result["average"]
        if average is None:
            return None
        names = ("estimate", "se", "ci_lower", "ci_upper", "n_obs", "n_switchers")
        return TotalEffect(*(average[name] for name in names))

    @property
    def n_units(self) -> int:
        """Number of groups in the sample."""
        return self._fact("n_units")  # type: ignore[no-any-return]

    @property
    def n_switchers(self) -> int:
        """Number of groups whose treatment changes."""
        audit = self._result["audit"]
        return int(audit["switchers_in"] + audit["switchers_out"])

    @property
    def n_never_switchers(self) -> int:
        """Number of groups whose treatment never changes."""
        return int(self._result["audit"]["never_switchers"])

    @property
    def alpha(self) -> float:
        """Level of the intervals: their probability of error."""
        return self._fact("alpha")  # type: ignore[no-any-return]

    @property
    def effects_equal_test(self) -> dict[str, float] | None:
        """Test that the effects are equal, None unless asked for (``effects_equal``): ``chi2_stat``, ``df``, ``p_value``."""
        return self._test("equal")

    @property
    def placebo_joint_test(self) -> dict[str, float] | None:
        """Test that all placebos are zero, None with fewer than two: ``chi2_stat``, ``df``, ``p_value``."""
        return self._test("placebos")

    def _test(self, name: str) -> dict[str, float] | None:
        test = self._result["tests"][name]
        return None if test is None else {"chi2_stat": test["stat"], "df": test["df"], "p_value": test["p_value"]}

    @property
    def heterogeneity(self) -> list[Heterogeneity] | None:
        """Regressions of effects on covariates, one an event time, None unless asked for (``predict_het``). Standard errors are HC1."""
        rows = self._result["heterogeneity"]
        found = []
        for effect in dict.fromkeys(row["effect"] for row in rows):
            of = [row for row in rows if row["effect"] == effect]
            estimates, errors = ([row[name] for row in of] for name in ("estimate", "se"))
            found.append(
                Heterogeneity(
                    effect, [row["covariate"] for row in of], estimates, errors, _ratio(estimates, errors), [row["ci_lower"] for row in of],
                    [row["ci_upper"] for row in of], of[0]["n"], of[0]["p_all"],
                )
            )
        return found or None

    @property
    def estimation_params(self) -> dict[str, Any]:
        """Settings of the fit by ModernDiD's names."""
        result = self._result
        of = result["settings"]
        return {
            "yname": of["outcome"], "effects": len(result["effects"]), "placebo": len(result["placebos"]),
            "normalized": result["normalized"], "xformla": of["covariates"], "cluster": of["cluster"], "weightsname": of["weights"],
            "boot": of["inference"]["bootstrap"] is not None,
        }
