"""Results side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from . import _native
from ._checks import keywords, native_of
from ._picture import Picture, warn_of_idle
from ._results import Result
from ._table import Table
from ._types import refused

Models = Mapping[str, Result] | Sequence[Result] | Result


class Comparison:
    """A table of results: it prints, and is HTML in notebooks."""

    def __init__(self, models: list[tuple[str, _native.Native]], options: dict[str, Any]) -> None:
        self._models, self._options = models, options
        self._text, self._markdown, self._latex, self._html = _native.compare(models, options)

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._html

    def to_markdown(self) -> str:
        """Give the table in markdown."""
        return self._markdown

    def to_latex(self) -> str:
        """Give the table in LaTeX, for the package ``booktabs``."""
        return self._latex

    def to_html(self) -> str:
        """Give the table in HTML."""
        return self._html

    def tidy(self) -> Table:
        """One row an estimate and result."""
        return Table(_native.compare_frame(self._models, self._options))

    def plot(self, *, facets: bool = False, **look: Any) -> Picture:
        """Draw effects by event time, group or period side by side; ``look`` is that of ``Result.plot``."""
        keywords("plot", look, Result.plot, ("self",))
        options = {**self._options, "facets": facets}
        draw = partial(_native.compare_svg, self._models, options)
        picture = Picture(look, draw, partial(_native.compare_plot, self._models, options))
        warn_of_idle(picture.svg, draw, look)
        return picture


def compare(
    models: Models,
    *,
    keep: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    labels: Mapping[str, str] | None = None,
    stars: str = "none",
    below: str = "se",
    digits: int | None = None,
    caption: str | None = None,
    tex_label: str | None = None,
    siunitx: bool = False,
) -> Comparison:
    """Results of any kind side by side: one column a result, standard errors under the estimates.

    Parameters
    ----------
    models : dict of str to Result, or list of Result
        Results with the names of their columns; a list, or one result, has the names (1), (2), ….
    keep, drop : str or list of str, optional
        Rows to keep, in this order, or to leave out; ``*`` stands for any characters and ``?`` for one.
    labels : dict, optional
        Other names of rows, outcomes, fixed effects and columns.
    stars : {"none", "interval", "levels"}
        Where an interval leaves out zero, or by the p-values 0.01, 0.05 and 0.1.
    below : {"se", "interval"}
        What stands under an estimate.
    digits : int, optional
        Decimal places; by default each standard error has two significant digits at least.
    caption, tex_label : str, optional
        Title of the table in markdown and LaTeX, and the name by which ``\\ref`` finds it.
    siunitx : bool
        Align numbers in LaTeX on their decimal points, by the package ``siunitx``.

    Returns
    -------
    Comparison
    """
    named = _named(models)
    options: dict[str, Any] = {
        "keep": keep, "drop": drop, "labels": list(labels.items()) if labels else None, "stars": stars,
        "below": below, "digits": digits, "caption": caption, "tex_label": tex_label, "siunitx": siunitx,
    }
    return Comparison(named, options)


def etable(models: Models, *, stars: str = "levels", **options: Any) -> Comparison:
    """Results side by side with stars, as R ``fixest`` prints regressions; see ``compare`` for the arguments.

    The command ``burn-did etable`` is ``burn-did compare`` by another name, and has stars only where ``--stars`` asks for them.

    Returns
    -------
    Comparison
    """
    keywords("etable", options, compare)
    return compare(models, stars=stars, **options)


def _named(models: Models) -> list[tuple[str, _native.Native]]:
    """Results with the names of their columns."""
    takes = "a dict of names and results, or a list of results"
    if isinstance(models, Result):
        models = [models]
    if isinstance(models, Mapping):
        wrong = next((name for name in models if not isinstance(name, str)), None)
        if wrong is not None:
            raise refused(f"`models` must be {takes}, got the name {wrong!r}, which is no text")
        return [(name, native_of(result, "models", takes)) for name, result in models.items()]
    if isinstance(models, str) or not isinstance(models, Iterable):
        raise refused(f"`models` must be {takes}, got {type(models).__name__}")
    return [(f"({at})", native_of(result, "models", takes)) for at, result in enumerate(models, start=1)]
