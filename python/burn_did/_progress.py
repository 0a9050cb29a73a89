"""Progress of a fit, in terminals and notebooks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress

from ._types import flag

Progress = Callable[[str, int, int], None]

# Seconds that a fit may take before its progress is shown.
QUIET = 1.0
WIDTH = 40


def chosen(progress: bool | Progress | None) -> Progress | None:
    """The callback that an argument ``progress`` asks for: without one, a line on a terminal or in a notebook, else nothing."""
    if callable(progress):
        return progress
    if progress is None:
        return _Line() if _is_terminal() or "ipykernel" in sys.modules else None
    return _Line() if flag("progress", progress, "True, False or a function") else None


def _is_terminal() -> bool:
    """Whether standard error is a terminal: programs without a console have none, and others put objects of their own in its place."""
    try:
        return sys.stderr.isatty()
    except (AttributeError, OSError, ValueError):
        return False


class _Line:
    """A line on standard error: the stage, how far it is, and the seconds so far. Short fits write none, and what was written is erased."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.written = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        seconds = time.monotonic() - self.start
        if seconds < QUIET:
            return
        line = ""
        if done < total:
            full = WIDTH * done // total
            line = f"{stage:18} {'█' * full}{'░' * (WIDTH - full)} {done}/{total}, {seconds:.0f} s"
        if line or self.written:
            # A terminal that is gone costs the line, not the fit.
            with suppress(AttributeError, OSError, ValueError):
                sys.stderr.write("\r" + line.ljust(self.written) + ("" if line else "\r"))
                sys.stderr.flush()
        self.written = len(line)
