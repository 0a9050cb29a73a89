"""Progress of a fit, in terminals and notebooks."""

from __future__ import annotations

import sys
from collections.abc import Callable

Progress = Callable[[str, int, int], None]


def chosen(progress: bool | Progress | None) -> Progress | None:
    """The callback that an argument ``progress`` asks for: without one, a line on a terminal or in a notebook, else nothing."""
    if callable(progress):
        return progress
    if progress is None:
        progress = sys.stderr.isatty() or "ipykernel" in sys.modules
    return _line if progress else None


def _line(stage: str, done: int, total: int) -> None:
    width = 40
    full = width * done // max(total, 1)
    end = "\r" + " " * (width + 40) + "\r" if done >= total else ""
    sys.stderr.write(f"\r{stage:18} {'█' * full}{'░' * (width - full)} {done}/{total}{end}")
    sys.stderr.flush()
