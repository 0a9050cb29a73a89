"""Difference-in-differences estimators with R's numbers, compiled.

Functions have the names of the field and the arguments of ModernDiD; results print, plot, save and pickle.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from . import panel
from ._analyses import event_study, honest_did, pretrends
from ._comparison import Comparison, compare, etable
from ._doses import cont_did, npiv
from ._errors import (
    BurnDidError,
    BurnDidWarning,
    DataError,
    DeviceError,
    EstimationError,
    FileError,
    OptionError,
)
from ._example_data import (
    Simulated,
    load_castle,
    load_data,
    load_favara_imbs,
    load_medicaid,
    load_mpdta,
    load_nsw,
    simulate,
    teaching_data,
)
from ._extended import EmfxResult, emfx, etwfe
from ._first_stage import did2s, did_imputation, imputation
from ._frames import to_df
from ._group_time import agg_ddd, aggte, att_gt, ddd
from ._joint import joint_study, specification_curve
from ._looks import balance, describe, means, panelview
from ._native import DataFiles, __version__, devices
from ._panel_names import (
    deduplicate_panel,
    fill_panel_gaps,
    get_group,
    has_gaps,
    is_balanced_panel,
    make_balanced_panel,
    panel_to_wide,
)
from ._picture import Picture
from ._plots import (
    plot_agg,
    plot_dose_response,
    plot_event_study,
    plot_gt,
    plot_multiplegt,
    plot_sensitivity,
)
from ._regressions import demean, feglm, feols, fepois, sunab
from ._results import (
    AggregatedResult,
    BaconResult,
    Balance,
    CohortMeans,
    ContDidResult,
    Covariance,
    Description,
    DrdidResult,
    EtwfeResult,
    EventStudy,
    GroupTimeResult,
    HonestResult,
    ImputationResult,
    JointStudyResult,
    LocalProjectionsResult,
    MultiplegtResult,
    NpivResult,
    OverlapByCell,
    PanelView,
    PretrendsResult,
    RegressionResult,
    Result,
    SpecificationCurve,
    StackedResult,
    SunAbrahamResult,
    TwfeWeightsResult,
    TwoStageResult,
    Weighting,
    load,
)
from ._switching import did_multiplegt
from ._table import Table
from ._two_periods import drdid, ipwdid, ordid
from ._two_way import bacon, twfe_weights
from ._windows import lpdid, stacked

if _TYPE_CHECKING:
    from . import engines

__all__ = [
    "AggregatedResult",
    "BaconResult",
    "Balance",
    "BurnDidError",
    "BurnDidWarning",
    "CohortMeans",
    "Comparison",
    "ContDidResult",
    "Covariance",
    "DataError",
    "DataFiles",
    "Description",
    "DeviceError",
    "DrdidResult",
    "EmfxResult",
    "EstimationError",
    "EtwfeResult",
    "EventStudy",
    "FileError",
    "GroupTimeResult",
    "HonestResult",
    "ImputationResult",
    "JointStudyResult",
    "LocalProjectionsResult",
    "MultiplegtResult",
    "NpivResult",
    "OptionError",
    "OverlapByCell",
    "PanelView",
    "Picture",
    "PretrendsResult",
    "RegressionResult",
    "Result",
    "Simulated",
    "SpecificationCurve",
    "StackedResult",
    "SunAbrahamResult",
    "Table",
    "TwfeWeightsResult",
    "TwoStageResult",
    "Weighting",
    "__version__",
    "agg_ddd",
    "aggte",
    "att_gt",
    "bacon",
    "balance",
    "compare",
    "cont_did",
    "ddd",
    "deduplicate_panel",
    "demean",
    "describe",
    "devices",
    "did2s",
    "did_imputation",
    "did_multiplegt",
    "drdid",
    "emfx",
    "engines",
    "etable",
    "etwfe",
    "event_study",
    "feglm",
    "feols",
    "fepois",
    "fill_panel_gaps",
    "get_group",
    "has_gaps",
    "honest_did",
    "imputation",
    "ipwdid",
    "is_balanced_panel",
    "joint_study",
    "load",
    "load_castle",
    "load_data",
    "load_favara_imbs",
    "load_medicaid",
    "load_mpdta",
    "load_nsw",
    "lpdid",
    "make_balanced_panel",
    "means",
    "npiv",
    "ordid",
    "panel",
    "panel_to_wide",
    "panelview",
    "plot_agg",
    "plot_dose_response",
    "plot_event_study",
    "plot_gt",
    "plot_multiplegt",
    "plot_sensitivity",
    "pretrends",
    "simulate",
    "specification_curve",
    "stacked",
    "sunab",
    "teaching_data",
    "to_df",
    "twfe_weights",
]


def __getattr__(name: str) -> object:
    """Import what most programs do not need when it is asked for."""
    if name in ("didhonest", "engines"):
        from importlib import import_module

        return import_module(f".{name}", __name__)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
