"""A picture of effects by dose alone, or of their slopes."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ._picture import Look, Picture
from ._types import refused

if TYPE_CHECKING:
    import matplotlib.figure

    from ._result import Result

#: Panels of the figure of a result, by what ModernDiD calls them.
_PANELS = {"att": 0, "acrt": 1}

#: What such a picture takes of the look of others.
_LOOK = ("title", "xlab", "ylab", "show_ci", "width", "height", "text_scale")

#: Pixels of an inch, and the size of a picture of which nothing is said.
_DPI = 100
_SIZE = (1000, 560)


def one_curve(result: Result, effect_type: str, look: Look) -> Picture:
    """The panel of the effects (``"att"``) or of their slopes (``"acrt"``) of ``result.figure()``."""
    if effect_type not in _PANELS:
        raise refused(f"`effect_type` must be 'att', 'acrt' or None for both, got {effect_type!r}")
    other = next((name for name, value in look.items() if name not in _LOOK and value is not None), None)
    if other is not None:
        remedy = f"leave out `effect_type` or `{other}`"
        raise refused(f"`{other}` is of the picture that has both, the effects and their slopes; {remedy}", remedy)

    def draw(look: Look) -> str:
        file = io.StringIO()
        _figure(result, effect_type, look).savefig(file, format="svg")
        return file.getvalue()

    def write(path: str, look: Look) -> None:
        figure = _figure(result, effect_type, look)
        figure.savefig(path, dpi=figure.dpi)

    return Picture(look, draw, write)


def _figure(result: Result, effect_type: str, look: Look) -> matplotlib.figure.Figure:
    """The figure of the result with one of its panels, its words and its size in pixels."""
    figure = result.figure()
    panels = list(figure.axes)
    if len(panels) != len(_PANELS):
        remedy = "leave out `effect_type`, or fit with `aggregation=\"dose\"`"
        raise refused(f"`effect_type` is of curves by dose, which this result does not show; {remedy}", remedy)
    kept, words_of_axis = panels[_PANELS[effect_type]], panels[-1].get_xlabel()
    legend = panels[0].get_legend()
    for panel in panels:
        if panel is not kept:
            panel.remove()
    kept.set_subplotspec(figure.add_gridspec(1, 1)[0])
    kept.tick_params(labelbottom=True)
    kept.set_xlabel(words_of_axis if look.get("xlab") is None else look["xlab"])
    if look.get("ylab") is not None:
        kept.set_ylabel(look["ylab"])
    if look.get("title") is not None:
        kept.set_title(look["title"])
    if look.get("show_ci") is False:
        for area in list(kept.collections):
            area.remove()
    elif legend is not None:
        kept.legend(handles=kept.collections[::-1], loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False)
    width, height = look.get("width") or _SIZE[0], look.get("height") or _SIZE[1]
    scale = look.get("text_scale") or 1.0
    figure.set_size_inches(width / _DPI / scale, height / _DPI / scale)
    figure.set_dpi(_DPI * scale)
    return figure
