"""Pictures of results."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ._errors import warn
from ._types import expanded, refused

Look = dict[str, Any]

#: Words of a picture by the names that ``labs`` of plotnine has for them.
_WORDS = {"title": "title", "x": "xlab", "y": "ylab"}

#: Pixels of an inch at which texts have their usual size.
_USUAL_DPI = 100


class Picture:
    """A picture: SVG in notebooks, and a file by ``save``.

    ``picture + labs(x=…, y=…, title=…)``, with ``labs`` of plotnine, has these words. Other parts of plotnine, such as themes, leave
    the picture as it is, and are warned of.
    """

    def __init__(self, look: Look, draw: Callable[[Look], str], write: Callable[[str, Look], None]) -> None:
        self._look, self._draw, self._write = look, draw, write
        self.svg = draw(look)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Picture({len(self.svg)} characters of SVG)"

    def __add__(self, part: object) -> Picture:
        if not type(part).__module__.startswith("plotnine."):
            return NotImplemented
        kind = type(part).__name__
        given = {name: value for name, value in vars(part).items() if isinstance(value, str)} if kind == "labs" else {}
        words = {_WORDS[name]: value for name, value in given.items() if name in _WORDS}
        idle = [f"`{name}` of `labs`" for name in given if name not in _WORDS] if kind == "labs" else [f"`{kind}`"]
        for name in idle:
            warn(f"{name} has no effect on this picture, which plotnine did not draw; `figure()` of a result is one of matplotlib")
        return Picture({**self._look, **words}, self._draw, self._write)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        width: float | None = None,
        height: float | None = None,
        dpi: float | None = None,
    ) -> None:
        """Write a ``.png``, ``.svg`` or ``.pdf`` file.

        Parameters
        ----------
        width, height : float, optional
            Inches, as in plotnine; give both. By default the size that the picture has.
        dpi : float, optional
            Pixels of an inch, 100 by default; texts grow with it.
        """
        self._write(expanded(path), {**self._look, **_size(self._look, width, height, dpi)})

    @property
    def png(self) -> bytes:
        """The picture as a PNG file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "picture.png"
            self.save(path)
            return path.read_bytes()


def _size(look: Look, width: float | None, height: float | None, dpi: float | None) -> Look:
    """The pixels of a size in inches, with texts of a size that fits."""
    if width is None and height is None and dpi is None:
        return {}
    if width is None or height is None:
        raise refused("`save` needs `width` and `height`, both in inches, if one of them or `dpi` is given")
    pixels = _USUAL_DPI if dpi is None else dpi
    scale = (look.get("text_scale") or 1.0) * pixels / _USUAL_DPI
    return {"width": round(width * pixels), "height": round(height * pixels), "text_scale": scale}


#: Options that leave some pictures as they are, with what they are if nothing is said.
_IDLE: dict[str, Any] = {
    "style": "points", "colours": None, "show_ci": True, "show_band": True, "show_caps": False, "show_overall": True, "show_treatment": True,
    "show_legend": True,
}


def warn_of_idle(svg: str, draw: Callable[[Look], str], look: Look) -> None:
    """Warn of options that leave a picture as it is."""
    for name, usual in _IDLE.items():
        if look.get(name) not in (None, usual) and draw({**look, name: None}) == svg:
            warn(f"`{name}` has no effect: the picture is the same without it")
