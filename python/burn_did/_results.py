"""Results: what all of them can do, and what each kind can do besides."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from . import _native
from ._errors import BurnDidWarning
from ._picture import Picture
from ._table import Table
from ._types import Data, source

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas
    import polars
    import pyarrow

R = TypeVar("R", bound="Result")


class Result:
    """The result of an estimator: it prints, and is HTML in notebooks.

    Two results are equal if all their numbers are, bit by bit, and so are settings, warnings and timings.
    """

    def __init__(self, native: _native.Native) -> None:
        self._native = native

    @property
    def kind(self) -> str:
        """Kind of result, as in saved files."""
        return self._native.kind

    def __str__(self) -> str:
        return str(self._native)

    def __repr__(self) -> str:
        return str(self._native)

    def _repr_html_(self) -> str:
        return self._native.to_html()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._native == other._native

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _from_json, (self.to_json(),)

    def print(self) -> None:
        """Print the table."""
        print(self)

    def summary(self) -> str:
        """Give the table that ``print`` shows."""
        return str(self)

    def tidy(self) -> Table:
        """One row an estimate: its keys, ``estimate``, ``se``, ``ci_lower``, ``ci_upper``, ``p_value``, ``status`` and what else is known."""
        return Table(self._native.estimates())

    def glance(self) -> Table:
        """One row about the fit: how it was made, sample sizes and critical values."""
        return Table(self._native.glance())

    def to_arrow(self) -> pyarrow.Table:
        """Give the estimates as a ``pyarrow.Table``."""
        return self.tidy().to_arrow()

    def to_polars(self) -> polars.DataFrame:
        """Give the estimates as a ``polars.DataFrame``."""
        return self.tidy().to_polars()

    def to_pandas(self) -> pandas.DataFrame:
        """Give the estimates as a ``pandas.DataFrame``."""
        return self.tidy().to_pandas()

    def to_json(self) -> str:
        """Give the result as the JSON that ``save`` writes."""
        return self._native.to_json()

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON as a dictionary: ``kind``, ``about``, tables of estimates, ``warnings`` and the whole ``result``."""
        document: dict[str, Any] = json.loads(self.to_json())
        return document

    def to_markdown(self) -> str:
        """Give the table in markdown."""
        return self._native.to_markdown()

    def to_latex(self) -> str:
        """Give the table in LaTeX, for the package ``booktabs``."""
        return self._native.to_latex()

    def to_html(self) -> str:
        """Give the table in HTML."""
        return self._native.to_html()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result as JSON, every number to the last bit; ``load`` reads it, and so does the command line.

        Influence values, scores and residuals, which grow with the data, are not saved.
        """
        self._native.save(os.fspath(path))

    @property
    def warnings(self) -> list[str]:
        """Warnings of the fit in words."""
        return [text for _, text in self._native.warnings()]

    def vcov(self) -> tuple[list[str], list[list[float | None]]] | None:
        """Names of the estimates and their covariance of shape (estimates, estimates); None if the result has none."""
        return self._native.vcov()

    def plot(
        self,
        *,
        title: str | None = None,
        xlab: str | None = None,
        ylab: str | None = None,
        style: str | None = None,
        grid: str | None = None,
        colours: Sequence[str] | None = None,
        width: int | None = None,
        height: int | None = None,
        text_scale: float | None = None,
        x_ticks: int | None = None,
        y_ticks: int | None = None,
        show_ci: bool | None = None,
        show_band: bool | None = None,
        show_caps: bool | None = None,
        show_overall: bool | None = None,
        show_treatment: bool | None = None,
        show_legend: bool | None = None,
    ) -> Picture:
        """Draw the result: SVG in notebooks, and a PNG, SVG or PDF file by ``Picture.save``.

        Parameters
        ----------
        title, xlab, ylab : str, optional
            Words; ``""`` for none.
        style, grid : str, optional
            How effects are drawn, and lines behind them, by the words of ``burn-did plot``.
        colours : list of str, optional
            Before and after treatment and of the band, as in ``["#d55e00", "#0072b2"]``.
        width, height : int, optional
            Pixels; give both.
        """
        look = {name: value for name, value in locals().items() if name != "self"}
        native = self._native

        def write(path: str | os.PathLike[str]) -> None:
            native.plot(os.fspath(path), look)

        return Picture(native.to_svg(look), write)

    def figure(self, ax: Any = None) -> matplotlib.figure.Figure:
        """Draw the estimates with matplotlib: a figure whose parts can be changed.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw to; by default those of a new figure.
        """
        from ._figure import drawn

        return drawn(self.tidy().to_dict(), ax)

    @property
    def __maketables_coef_table__(self) -> pandas.DataFrame:
        """Estimates as maketables has them."""
        import pandas

        rows = Table(_native.compare_frame([("b", self._native)], {})).to_dict()
        frame = pandas.DataFrame(
            {
                "b": rows["estimate"],
                "se": rows["se"],
                "t": _ratio(rows["estimate"], rows["se"]),
                "p": rows["p_value"],
                "ci95l": rows["ci_lower"],
                "ci95u": rows["ci_upper"],
            },
            index=pandas.Index(rows["term"], name="Coefficient"),
            dtype=float,
        )
        return frame

    def __maketables_stat__(self, key: str) -> Any:
        """A fact about the fit by the name that ``glance`` has for it, or ``N``."""
        facts = {name: values[0] for name, values in self.glance().to_dict().items()}
        if key == "N":
            known = ("n_units", "n_obs", "n", "n_rows", "observations")
            return next((facts[name] for name in known if facts.get(name) is not None), None)
        if key == "se_type":
            return self.__maketables_vcov_info__["vcov_type"]
        return facts.get(key)

    @property
    def __maketables_depvar__(self) -> str:
        """The outcome."""
        outcome = self.glance().to_dict().get("outcome", [None])[0]
        return str(outcome) if outcome is not None else ""

    @property
    def __maketables_fixef_string__(self) -> str | None:
        """Fixed effects of a regression."""
        absorbed = self.to_dict()["result"].get("absorbed") if self.kind == "regression" else None
        return "+".join(factor["name"] for factor in absorbed) if absorbed else None

    @property
    def __maketables_vcov_info__(self) -> dict[str, str | None]:
        """Kind of standard errors, and clusters."""
        facts = {name: values[0] for name, values in self.glance().to_dict().items()}
        booted = facts.get("bootstrap_draws") is not None
        kind = facts.get("vcov") or ("bootstrap" if booted else "analytic")
        cluster = facts.get("cluster")
        return {"vcov_type": str(kind), "clustervar": None if cluster is None else str(cluster)}

    @property
    def __maketables_default_stat_keys__(self) -> list[str]:
        """Facts that tables show by default."""
        return ["N", "se_type"]

    @property
    def __maketables_stat_labels__(self) -> dict[str, str]:
        """Labels of facts."""
        return {"se_type": "Std. errors"}


def _ratio(above: list[float | None], below: list[float | None]) -> list[float | None]:
    return [a / b if a is not None and b else None for a, b in zip(above, below, strict=True)]


class _OnSample(Result):
    """What results of estimators on samples of units have besides."""

    def influence(self) -> Table | None:
        """Influence values of shape (units, estimates) with a column ``unit``; None unless the fit kept them (``influence=True``)."""
        kept = self._native.influence()
        return None if kept is None else Table(kept)

    def scores(self) -> Table | None:
        """Propensity scores and weights by unit; None unless the fit kept them (``keep_scores=True``)."""
        kept = self._native.scores()
        return None if kept is None else Table(kept)


class _Weighing(_OnSample):
    def overlap(self) -> OverlapByCell:
        """How the estimator weighs the comparison units of each cell."""
        return OverlapByCell(self._native.overlap())

    def weighting(self, group: float | None = None, time: float | None = None) -> Weighting:
        """What the estimator's weighting does to the comparison; needs a fit with ``weighting=True``."""
        return Weighting(self._native.weighting(group, time))


class GroupTimeResult(_Weighing):
    """Effects on groups in periods, of ``att_gt`` or ``ddd``."""

    def aggregate(self, type: str = "dynamic", **window: Any) -> AggregatedResult:
        """Average the effects; see ``aggte``."""
        return warned(AggregatedResult(_native.aggte(self._native, {"type": type, **window})))

    def contrast(self, weights: Mapping[tuple[float, float], float]) -> dict[str, float | None]:
        """A linear combination of effects by (group, period), with its standard error."""
        return self._native.contrast(list(weights.items()))

    @property
    def groups(self) -> list[Any]:
        """Group of each effect."""
        return self.tidy().to_dict()["group"]

    @property
    def times(self) -> list[Any]:
        """Period of each effect."""
        return self.tidy().to_dict()["time"]

    @property
    def att_gt(self) -> list[float | None]:
        """The effects, in order of groups and then periods."""
        return self.tidy().to_dict()["estimate"]

    @property
    def se_gt(self) -> list[float | None]:
        """Their standard errors."""
        return self.tidy().to_dict()["se"]


class AggregatedResult(Result):
    """Averages of group-time effects."""

    def _of(self, table: str, column: str) -> list[Any]:
        rows = self.tidy().to_dict()
        return [value for of, value in zip(rows["table"], rows[column], strict=True) if of == table]

    @property
    def overall_att(self) -> float | None:
        """The overall average."""
        return self._of("overall", "estimate")[0]  # type: ignore[no-any-return]

    @property
    def overall_se(self) -> float | None:
        """Its standard error."""
        return self._of("overall", "se")[0]  # type: ignore[no-any-return]

    @property
    def event_times(self) -> list[Any]:
        """Event time, group or period of each row."""
        rows = self.tidy().to_dict()
        key = next((name for name in ("event_time", "group", "time") if name in rows), None)
        return [] if key is None else self._of("rows", key)

    @property
    def att_by_event(self) -> list[float | None]:
        """The averages by event time, group or period."""
        return self._of("rows", "estimate")

    @property
    def se_by_event(self) -> list[float | None]:
        """Their standard errors."""
        return self._of("rows", "se")


class DrdidResult(_Weighing):
    """The effect on the treated from two groups in two periods."""

    @property
    def att(self) -> float | None:
        """The effect."""
        return self.tidy().to_dict()["estimate"][0]  # type: ignore[no-any-return]

    @property
    def se(self) -> float | None:
        """Its standard error."""
        return self.tidy().to_dict()["se"][0]  # type: ignore[no-any-return]


class ContDidResult(_OnSample):
    """Effects of a continuous treatment by dose, and by group and period."""

    def at(self, doses: Sequence[float]) -> Table:
        """Effects at other doses, with the intervals of the fit."""
        return Table(self._native.at_doses(list(map(float, doses))))

    def aggregate(self, type: str = "dynamic", **window: Any) -> AggregatedResult:
        """Average the effects by group and period; see ``aggte``."""
        return warned(AggregatedResult(_native.aggte(self._native, {"type": type, **window})))


class MultiplegtResult(Result):
    """Effects of a treatment that switches, by the time since a group's first change."""


class RegressionResult(Result):
    """A regression with fixed effects."""

    def contrast(self, weights: Mapping[str, float]) -> dict[str, float | None]:
        """A linear combination of coefficients by name, with its standard error."""
        return self._native.contrast(list(weights.items()))

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


class SunAbrahamResult(Result):
    """The event study of Sun and Abraham."""


class EventStudy(Result):
    """Effects by event time with their covariance."""


class LocalProjectionsResult(Result):
    """Local projections with clean controls."""


class StackedResult(Result):
    """Stacked difference-in-differences."""


class HonestResult(Result):
    """A sensitivity analysis."""


class PretrendsResult(Result):
    """An analysis of pre-trends."""


class NpivResult(Result):
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


def warned(result: R, depth: int = 3) -> R:
    """The result, after Python's warnings of what the fit warns of, in the name of the caller so many calls above."""
    for code, message in result._native.warnings():
        warning = BurnDidWarning(message)
        warning.code = code
        warnings.warn(warning, stacklevel=depth)
    return result


def _from_json(text: str) -> Result:
    native = _native.from_json(text)
    return _KINDS.get(native.kind, Result)(native)


def load(path: str | os.PathLike[str]) -> Result:
    """Read a result that ``save`` or the command line wrote, of the kind that the file names."""
    native = _native.load(os.fspath(path))
    return _KINDS.get(native.kind, Result)(native)
