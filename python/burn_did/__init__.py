"""Difference-in-differences estimators with R's numbers, compiled."""

from . import engines
from ._errors import (
    BurnDidError,
    BurnDidWarning,
    DataError,
    DeviceError,
    EstimationError,
    FileError,
    OptionError,
)
from ._estimators import aggte, att_gt
from ._native import __version__, devices
from ._results import AggregatedResult, GroupTimeResult, Result, Table, load

__all__ = [
    "AggregatedResult",
    "BurnDidError",
    "BurnDidWarning",
    "DataError",
    "DeviceError",
    "EstimationError",
    "FileError",
    "GroupTimeResult",
    "OptionError",
    "Result",
    "Table",
    "__version__",
    "aggte",
    "att_gt",
    "devices",
    "engines",
    "load",
]
