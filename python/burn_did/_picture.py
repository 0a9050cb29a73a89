"""Pictures of results."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ._errors import warn


class Picture:
    """A picture: SVG in notebooks, and a file by ``save``."""

    def __init__(self, svg: str, write: Callable[[str | os.PathLike[str]], None]) -> None:
        self.svg = svg
        self._write = write

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Picture({len(self.svg)} characters of SVG)"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a ``.png``, ``.svg`` or ``.pdf`` file."""
        self._write(path)

    @property
    def png(self) -> bytes:
        """The picture as a PNG file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "picture.png"
            self._write(path)
            return path.read_bytes()


#: Options that leave some pictures as they are, with what they are if nothing is said.
_IDLE: dict[str, Any] = {
    "style": "points", "colours": None, "show_ci": True, "show_band": True, "show_caps": False, "show_overall": True, "show_treatment": True,
    "show_legend": True,
}


def warn_of_idle(svg: str, draw: Callable[[dict[str, Any]], str], look: dict[str, Any]) -> None:
    """Warn of options that leave a picture as it is."""
    for name, usual in _IDLE.items():
        if look.get(name) not in (None, usual) and draw({**look, name: None}) == svg:
            warn(f"`{name}` has no effect: the picture is the same without it")
