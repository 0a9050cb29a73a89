"""What all results can do."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from . import _native
from ._errors import warn
from ._fields_lacking import Lacking
from ._picture import Picture, warn_of_idle
from ._table import Table, Tidy
from ._types import expanded

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas

R = TypeVar("R", bound="Result")


class Covariance(NamedTuple):
    """Estimates and their covariance: a pair, of which each part also has a name."""

    #: Names of the estimates.
    names: list[str]
    #: Covariances of shape (estimates, estimates), with None for those of estimates that have none.
    matrix: list[list[float | None]]


class Result(Tidy):
    """The result of an estimator: it prints, and is HTML in notebooks.

    Two results are equal if all their numbers are, bit by bit, and so are settings, warnings and timings.
    """

    #: Fields of ModernDiD's results that this one does not have, with what their errors say.
    _lacking: ClassVar[Lacking] = {}

    def __init__(self, native: _native.Native) -> None:
        self._native = native

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            reason = type(self)._lacking.get(name)
            message = f"has no attribute {name!r}" if reason is None else f"has no field `{name}`, which ModernDiD has: {reason}"
            raise AttributeError(f"{type(self).__name__} {message}", name=name, obj=self)

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

    def to_json(self) -> str:
        """Give the result as the JSON that ``save`` writes."""
        return self._native.to_json()

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON as a dictionary: ``kind``, ``about``, tables of estimates, ``notes``, ``warnings`` and the whole ``result``."""
        document: dict[str, Any] = json.loads(self.to_json())
        return document

    def to_markdown(self) -> str:
        """Give the table in markdown."""
        return self._native.to_markdown()

    def to_latex(self) -> str:
        """Give the table in LaTeX, for the package ``booktabs``; of more than 40 lines for ``longtable``, too."""
        return self._native.to_latex()

    def to_html(self) -> str:
        """Give the table in HTML."""
        return self._native.to_html()

    def _fact(self, name: str) -> Any:
        """A fact of ``glance``, None where it has none of this name."""
        return self.glance().to_dict().get(name, [None])[0]

    @property
    def _result(self) -> dict[str, Any]:
        """The whole result, as it is saved."""
        return self.to_dict()["result"]  # type: ignore[no-any-return]

    def _of(self, table: str, column: str) -> list[Any]:
        """A column of ``tidy``, of the rows of one of its tables."""
        rows = self.tidy().to_dict()
        return [value for of, value in zip(rows["table"], rows[column], strict=True) if of == table]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result as JSON, every number to the last bit; ``load`` reads it, and so does the command line.

        Influence values, scores and residuals, which grow with the data, are not saved; pickles keep them.
        """
        self._native.save(expanded(path))

    @property
    def warnings(self) -> list[str]:
        """Warnings of the fit in words."""
        return [text for _, text in self._native.warnings()]

    def vcov(self) -> Covariance | None:
        """Names of the estimates and their covariance of shape (estimates, estimates), a pair; None if the result has none.

        The matrix alone is ``fit.vcov().matrix``, as in ``numpy.array(fit.vcov().matrix, dtype=float)``. Of a fit with ``boot=True`` it is the covariance that the fit without it has, from influence values: standard errors of the draws
        (``tidy()["se"]``) are near the roots of its diagonal, and not these.
        """
        pair = self._native.vcov()
        return None if pair is None else Covariance(*pair)

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
            Before and after treatment and of the band, as in ``["#7570b3", "#1b9e77"]``.
        width, height : int, optional
            Pixels; give both.
        """
        look = {name: value for name, value in locals().items() if name != "self"}
        picture = Picture(look, self._native.to_svg, self._native.plot)
        warn_of_idle(picture.svg, self._native.to_svg, look)
        return picture

    def figure(self, ax: Any = None) -> matplotlib.figure.Figure:
        """Draw the estimates with matplotlib: a figure whose parts can be changed.

        Several groups or estimators stand beside each other at each period; more than 15 have a colour bar in place of names. Thick strokes
        are pointwise intervals, thin ones with caps a uniform band, and hollow points reference periods.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw to; by default those of a new figure. The legend is to their right, where a figure with ``layout="constrained"``
            leaves room for it.
        """
        from ._figure import drawn

        return drawn(self, ax)

    @property
    def __maketables_coef_table__(self) -> pandas.DataFrame:
        """Estimates as maketables has them."""
        rows = Table(_native.compare_frame([("b", self._native)], {})).to_dict()
        return coefficients(rows, rows["term"])

    def __maketables_stat__(self, key: str) -> Any:
        """A fact about the fit by the name that ``glance`` has for it, or ``N``."""
        facts = {name: values[0] for name, values in self.glance().to_dict().items()}
        if key == "N":
            # Rows, of which every estimator has some, and not units, which regressions do not know.
            known = ("n_rows", "n_obs", "n", "observations", "n_units")
            return next((facts[name] for name in known if facts.get(name) is not None), None)
        if key == "se_type":
            return self.__maketables_vcov_info__["vcov_type"]
        return facts.get(key)

    @property
    def __maketables_depvar__(self) -> str:
        """The outcome."""
        outcome = self._fact("outcome")
        return str(outcome) if outcome is not None else ""

    @property
    def __maketables_fixef_string__(self) -> str | None:
        """Fixed effects of a regression, that of an event study or of untreated outcomes, too."""
        if self.kind in ("regression", "sun_abraham", "etwfe"):
            result = self._result
            absorbed = result.get("regression", result).get("absorbed")
            return "+".join(factor["name"] for factor in absorbed) if absorbed else None
        effects = self._fact("fixed_effects")
        return None if effects is None else "+".join(str(effects).split(" + "))

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


def band(rows: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Ends of the uniform band by row of a tidy table, of pointwise intervals where a row has none, as ``ci_lower`` and ``ci_upper``."""
    ends: dict[str, list[Any]] = {}
    for side in ("lower", "upper"):
        pointwise = rows[f"ci_{side}"]
        uniform = rows.get(f"band_{side}", pointwise)
        ends[f"ci_{side}"] = [of if end is None else end for end, of in zip(uniform, pointwise, strict=True)]
    return ends


def coefficients(rows: dict[str, list[Any]], terms: list[Any]) -> pandas.DataFrame:
    """Rows of a tidy table as maketables has coefficients."""
    import pandas

    columns = {
        "b": rows["estimate"],
        "se": rows["se"],
        "t": _ratio(rows["estimate"], rows["se"]),
        "p": rows["p_value"],
        "ci95l": rows["ci_lower"],
        "ci95u": rows["ci_upper"],
    }
    return pandas.DataFrame(columns, index=pandas.Index(terms, name="Coefficient"), dtype=float)


def _ratio(above: list[float | None], below: list[float | None]) -> list[float | None]:
    return [a / b if a is not None and b else None for a, b in zip(above, below, strict=True)]


def warned(result: R) -> R:
    """The result, after Python's warnings of what the fit warns of, in the name of the line that called the package."""
    for code, message in result._native.warnings():
        warn(message, code)
    return result
