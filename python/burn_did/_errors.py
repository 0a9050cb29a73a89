"""Exceptions and warnings."""

from __future__ import annotations

import sys
import warnings
from types import FrameType


class BurnDidError(Exception):
    """What went wrong, where in the data, and what to do about it.

    Attributes
    ----------
    code : str
        A word for the kind of error that stays the same when messages change, such as ``column_not_found``.
    columns : list of str
        The columns of the data that the error is about.
    remedy : str or None
        What to do, where the error knows.
    """

    code: str = ""
    columns: list[str] = []  # noqa: RUF012
    remedy: str | None = None


class OptionError(BurnDidError, ValueError):
    """An argument has a value that it cannot have, or two arguments exclude each other."""


class DataError(BurnDidError, ValueError):
    """A column, a row or a value of the data is not what the estimator needs."""


class EstimationError(BurnDidError, ArithmeticError):
    """The data are fine, and the estimator cannot estimate from them."""


class DeviceError(BurnDidError, RuntimeError):
    """A device, the memory or a worker cannot do the work."""


class FileError(BurnDidError, OSError):
    """A file cannot be read or written."""


class BurnDidWarning(UserWarning):
    """What a fit left out, replaced or could not do.

    Attributes
    ----------
    code : str
        A word for the kind of warning, such as ``dropped_rows``; empty where there is none.
    """

    code: str = ""


_OPTIONS = {"config", "formula"}
_ESTIMATION = {
    "missing_cells", "empty_window", "no_influence", "event_study", "singular", "all_collinear", "separated", "not_converged",
    "not_demeaned", "no_switchers", "no_never_treated", "no_comparison", "small_group", "small_never_treated", "no_valid_groups",
    "callback", "sieve", "plot",
}
_DEVICES = {"precision", "device", "memory", "too_many_cells", "engine", "cluster", "worker", "panicked", "bug"}
_FILES = {"file", "io", "json", "temporary", "types_differ"}


def exception(
    code: str, message: str, columns: list[str], remedy: str | None
) -> BurnDidError:
    """Make the exception for an error of the library."""
    kind: type[BurnDidError] = DataError
    for codes, of_codes in (
        (_OPTIONS, OptionError),
        (_ESTIMATION, EstimationError),
        (_DEVICES, DeviceError),
        (_FILES, FileError),
    ):
        if code in codes:
            kind = of_codes
    error = kind(message)
    error.code, error.columns, error.remedy = code, columns, remedy
    return error


def _called() -> tuple[FrameType, int]:
    """The frame of the package's function that others called, and how many frames it is above this one."""
    frame, depth = sys._getframe(1), 1
    while (caller := frame.f_back) is not None and _is_ours(frame):
        if not _is_ours(caller):
            break
        frame, depth = caller, depth + 1
    return frame, depth


def _is_ours(frame: FrameType) -> bool:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0] == __name__.partition(".")[0]


def arguments() -> list[str]:
    """Names of the arguments of the function that was called."""
    code = _called()[0].f_code
    return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def warn(message: str, code: str = "") -> None:
    """Warn in the name of the line that called the package."""
    warning = BurnDidWarning(message)
    warning.code = code
    warnings.warn(warning, stacklevel=_called()[1] + 1)
