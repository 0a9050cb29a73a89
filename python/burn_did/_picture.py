"""Pictures of results."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path


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
