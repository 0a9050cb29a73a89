"""What each kind of result can do besides."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _native
from ._fields import AggregatedFields, DrdidFields, GroupTimeFields
from ._fields_curves import DoseFields, NpivFields
from ._fields_etwfe import EtwfeFields
from ._fields_sensitivity import HonestFields
from ._fields_switching import SwitchingFields
from ._result import Covariance as Covariance, Result as Result, warned as warned
from ._table import Table
from ._types import Data, expanded, refused, shown, source


def _weights(weights: Any, example: str) -> list[tuple[Any, Any]]:
    """Weights with what they are of."""
    if not isinstance(weights, Mapping):
        raise refused(f"`weights` must be a dictionary, as in `{example}`, got {shown(weights)}")
    return list(weights.items())


class _WithInfluence(Result):
    """What results have besides whose fits may keep influence values."""

    def influence(self) -> Table | None:
        """Influence values, a column an estimate, with the unit or the cluster in ``unit``; None unless the fit kept them (``influence=True``)."""
        kept = self._native.influence()
        return None if kept is None else Table(kept)


class _OnSample(_WithInfluence):
    """What results of estimators on samples of units have besides."""

    def scores(self) -> Table | None:
        """Propensity scores and weights by unit; None unless the fit kept them (``keep_scores=True``)."""
        kept = self._native.scores()
        return None if kept is None else Table(kept)


class _Weighing(_OnSample):
    def overlap(self) -> OverlapByCell:
        """How the estimator weighs the comparison units of each cell."""
        return OverlapByCell(self._native.overlap())

    def weighting(self, group: Any = None, time: Any = None) -> Weighting:
        """What the estimator's weighting does to the comparison; needs a fit with ``weighting=True``.

        ``group`` and ``time`` choose comparisons, as the result shows them (``2004``, ``"2004-01"``) or as dates.
        """
        return Weighting(self._native.weighting(group, time))


class GroupTimeResult(_Weighing, GroupTimeFields):
    """Effects on groups in periods, of ``att_gt`` or ``ddd``."""

    def aggregate(self, type: str = "dynamic", **window: Any) -> AggregatedResult:
        """Average the effects; see ``aggte``."""
        return warned(AggregatedResult(_native.aggte(self._native, {"type": type, **window})))

    def contrast(self, weights: Mapping[tuple[Any, Any], float]) -> dict[str, float | None]:
        """A linear combination of effects by (group, period), with its standard error.

        Groups and periods are as the result shows them, as in ``{(2004, 2006): 1.0}`` or ``{("2004-01", "2005-01"): 1.0}``, or dates.
        """
        return self._native.contrast(_weights(weights, "{(2004, 2006): 1.0}"))


class AggregatedResult(AggregatedFields):
    """Averages of group-time effects."""


class DrdidResult(_Weighing, DrdidFields):
    """The effect on the treated from two groups in two periods."""


class ContDidResult(_OnSample, DoseFields):
    """Effects of a continuous treatment by dose, and by group and period."""

    def at(self, doses: float | Sequence[float]) -> Table:
        """Effects at another dose or at several, with the intervals of the fit: a uniform band has the fit's critical value."""
        given = [doses] if isinstance(doses, (int, float)) else doses
        return Table(self._native.at_doses(list(map(float, given))))

    @property
    def event_study(self) -> AggregatedResult | None:
        """Averages by event time of the target, of a fit with ``aggregation="eventstudy"``; else None."""
        return self.aggregate() if self._result["aggregation"] == "event_study" else None

    def aggregate(self, type: str = "dynamic", **window: Any) -> AggregatedResult:
        """Average the effects by group and period; see ``aggte``."""
        return warned(AggregatedResult(_native.aggte(self._native, {"type": type, **window})))


class MultiplegtResult(SwitchingFields):
    """Effects of a treatment that switches, by the time since a group's first change."""


class RegressionResult(_WithInfluence):
    """A regression with fixed effects."""

    def contrast(self, weights: Mapping[str, float]) -> dict[str, float | None]:
        """A linear combination of coefficients by name, with its standard error."""
        return self._native.contrast(_weights(weights, '{"x": 1.0}'))

    def coef(self) -> dict[str, float]:
        """Coefficients by name."""
        rows = self.tidy().to_dict()
        return dict(zip(rows["term"], rows["estimate"], strict=True))

    def se(self) -> dict[str, float]:
        """Standard errors by name."""
        rows = self.tidy().to_dict()
        return dict(zip(rows["term"], rows["se"], strict=True))

    def resid(self) -> list[float | None] | None:
        """Residuals by row of the data, None for rows that are not in the sample; None unless kept (``residuals=True``)."""
        return self._native.residuals()

    def fixef(self) -> dict[str, dict[str, float]]:
        """Fixed effects by factor and level, of a fit that kept them (``fixef=True``)."""
        return {
            name: dict(zip(levels, effects, strict=True))
            for name, levels, effects in self._native.fixed_effects()
        }

    def predict(self, data: Data) -> list[float | None]:
        """Predictions by row of data, of a fit that kept its fixed effects (``fixef=True``)."""
        return self._native.predict(source(data))


class SunAbrahamResult(_WithInfluence):
    """The event study of Sun and Abraham."""


class EventStudy(Result):
    """Effects by event time with their covariance."""


class LocalProjectionsResult(_WithInfluence):
    """Local projections with clean controls."""


class StackedResult(_WithInfluence):
    """Stacked difference-in-differences."""


class EtwfeResult(_WithInfluence, EtwfeFields):
    """Extended two-way fixed effects; ``emfx`` selects averages."""


class _FirstStage(_WithInfluence):
    """What results of regressions of untreated outcomes have besides."""

    @property
    def att(self) -> float | None:
        """The average effect on all treated rows that were imputed."""
        return self._overall("estimate")

    @property
    def se(self) -> float | None:
        """Its standard error."""
        return self._overall("se")

    def _overall(self, column: str) -> float | None:
        rows = self.tidy().to_dict()
        return next((value for kind, value in zip(rows["kind"], rows[column], strict=True) if kind == "overall"), None)


class ImputationResult(_FirstStage):
    """Effects by imputation."""


class TwoStageResult(_FirstStage):
    """Effects by two stages."""


class JointStudyResult(Result):
    """Several estimators of one sample, with their joint covariance."""

    def event_study(self, estimator: str) -> EventStudy:
        """Effects by event time of one estimator, as in ``"cs"``."""
        return EventStudy(_native.event_study(self._native, estimator))


class SpecificationCurve(Result):
    """A study under many specifications, with their joint covariance."""


class HonestResult(HonestFields):
    """A sensitivity analysis."""


class PretrendsResult(Result):
    """An analysis of pre-trends."""


class NpivResult(NpivFields):
    """A function estimated by sieves."""


class BaconResult(Result):
    """The decomposition of a two-way coefficient."""


class TwfeWeightsResult(Result):
    """The weights of a two-way coefficient on effects."""


class Description(Result):
    """What kind of panel the data are."""


class PanelView(Result):
    """Who is observed and treated when."""


class CohortMeans(Result):
    """Mean outcomes of cohorts."""


class Balance(Result):
    """How like cohorts are to their comparison units."""


class Weighting(Result):
    """What an estimator's weighting does to the comparison."""


class OverlapByCell(Result):
    """How each cell's comparison units are weighted."""


_KINDS: dict[str, type[Result]] = {
    "group_time": GroupTimeResult,
    "aggregated": AggregatedResult,
    "drdid": DrdidResult,
    "cont_did": ContDidResult,
    "did_multiplegt": MultiplegtResult,
    "regression": RegressionResult,
    "sun_abraham": SunAbrahamResult,
    "event_study": EventStudy,
    "local_projections": LocalProjectionsResult,
    "stacked": StackedResult,
    "etwfe": EtwfeResult,
    "imputation": ImputationResult,
    "two_stage": TwoStageResult,
    "joint_study": JointStudyResult,
    "specification_curve": SpecificationCurve,
    "honest": HonestResult,
    "pretrends": PretrendsResult,
    "npiv": NpivResult,
    "bacon": BaconResult,
    "twfe_weights": TwfeWeightsResult,
    "description": Description,
    "panel_view": PanelView,
    "cohort_means": CohortMeans,
    "balance": Balance,
    "weighting": Weighting,
    "overlap": OverlapByCell,
}


def load(path: str | os.PathLike[str]) -> Result:
    """Read a result that ``save`` or the command line wrote, of the kind that the file names."""
    native = _native.load(expanded(path))
    return _KINDS.get(native.kind, Result)(native)
