"""Continuous treatments, and curves by sieves."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _native
from ._anywhere import fitted
from ._progress import Progress, chosen
from ._results import ContDidResult, NpivResult, warned
from ._types import Backend, Data, Missing, Names, for_bootstrap, only, source, text

if TYPE_CHECKING:
    from .engines import Engine


def cont_did(
    data: Data,
    yname: str,
    tname: str,
    idname: str,
    gname: str | None = None,
    dname: str | None = None,
    xformla: str | None = "~1",
    target_parameter: str = "level",
    aggregation: str = "dose",
    balance_e: int | None = None,
    min_e: float | None = None,
    max_e: float | None = None,
    treatment_type: str = "continuous",
    dose_est_method: str = "parametric",
    dvals: Sequence[float] | str | None = None,
    degree: int = 3,
    num_knots: int = 0,
    allow_unbalanced_panel: bool = False,
    control_group: str = "notyettreated",
    anticipation: int = 0,
    weightsname: str | None = None,
    alpha: float = 0.05,
    cband: bool | None = None,
    boot_type: str = "multiplier",
    biters: int = 1000,
    clustervars: Names | None = None,
    base_period: str = "varying",
    random_state: int | None = None,
    backend: Backend = None,
    *,
    boot: bool = False,
    compare_at: Sequence[float] | str | None = None,
    damping: bool = True,
    comparison_noise: bool = True,
    shares: str | None = None,
    curve_errors: str | None = None,
    frequency: str | None = None,
    multiplier: str | None = None,
    missing_values: Missing = None,
    influence: bool = False,
    precision: str | None = None,
    memory_budget: int | None = None,
    progress: bool | Progress | None = None,
    engine: Engine | None = None,
    client: Any = None,
    spark: Any = None,
    scratch: str | os.PathLike[str] | None = None,
) -> ContDidResult:
    """Effects of a continuous treatment by dose, and their slopes [1]_.

    Arguments that are not below are those of ``att_gt``.

    Parameters
    ----------
    dname : str
        Column of the dose: 0 or any number for never-treated units, and one positive number from treatment on for treated ones.
    gname : str, optional
        Column of first treated periods; without it, the first period with a dose.
    xformla, treatment_type, allow_unbalanced_panel
        Must be ``"~1"``, ``"continuous"`` and False: the estimator has no covariates and needs a balanced panel.
    target_parameter : {"level", "slope"}
        Parameter of the event study: average effects, or their slopes in the dose.
    aggregation : {"dose", "eventstudy"}
        Results to show: curves over the dose, or the event study.
    balance_e, min_e, max_e
        Must not be given: ``aggte`` averages a result in windows.
    dose_est_method : {"parametric", "cck"}
        Splines as specified, or cubic splines whose number the data choose.
    dvals : list of float or str, optional
        Doses at which effects are reported; also ``"quantiles:0.1:0.99:90"`` or ``"grid:50"``, the default.
    degree, num_knots : int
        Degree and interior knots of the splines.
    boot_type : {"multiplier", "empirical", "weighted"}
        With ``boot``: multiply influence values, or repeat the estimation.
    compare_at, damping, comparison_noise : optional
        With ``"cck"``: doses at which curves of different dimensions are compared, whether dimensions need a minimum of treated units, and
        whether standard errors have the noise of the comparison units' mean change. The reference packages compare at ``dvals``, and
        have neither.
    shares : {"estimated", "fixed"}, optional
        Whether the sampling error of cohort shares is part of the standard errors of curves.
    curve_errors : {"hc0", "hc1"}, optional
        Standard errors of curves from squared residuals, or times n / (n - J).

    Returns
    -------
    ContDidResult
        Curves with one row a dose, and effects by group and period.

    References
    ----------
    .. [1] Callaway, Goodman-Bacon and Sant'Anna (2024). https://arxiv.org/abs/2107.02637
    """
    options = locals()
    data = options.pop("data")
    formula = options.pop("xformla")
    covariates = "~1" if formula is None else text("xformla", formula).replace(" ", "")
    only("xformla", covariates or "~1", "~1", "a continuous treatment has no covariates")
    only("treatment_type", options.pop("treatment_type"), "continuous", "doses are numbers")
    only("allow_unbalanced_panel", options.pop("allow_unbalanced_panel"), False, "balance the panel first")
    for name in ("balance_e", "min_e", "max_e"):
        only(name, options.pop(name), None, f"`aggte(result, \"dynamic\", {name}=…)` averages the result so")
    for_bootstrap(multiplier, boot, boot_type)
    options["progress"] = chosen(progress)
    return fitted("cont_did", data, options, ContDidResult)


def npiv(
    data: Data,
    yname: str,
    xname: Names,
    wname: Names | None = None,
    x_eval: Sequence[float] | str | None = None,
    alpha: float = 0.05,
    basis: str = "tensor",
    biters: int | None = None,
    j_x_degree: int = 3,
    j_x_segments: int | None = None,
    k_w_degree: int = 4,
    k_w_segments: int | None = None,
    k_w_smooth: int = 2,
    knots: str = "uniform",
    deriv_index: int = 1,
    deriv_order: int = 1,
    w_min: float | None = None,
    w_max: float | None = None,
    x_min: float | None = None,
    x_max: float | None = None,
    seed: int | None = None,
    *,
    weightsname: str | None = None,
    damping: bool = True,
    missing_values: Missing = None,
) -> NpivResult:
    """A function of regressors by splines, with instruments or without [1]_.

    Parameters
    ----------
    data : data frame or path
        One row an observation.
    yname : str
        Column of the outcome.
    xname, wname : str or list of str
        Columns of the regressors and of the instruments; without instruments, the regressors are their own.
    x_eval : list of float or str, optional
        Points of one regressor at which the function is evaluated; also ``"grid:50"``. By default the observations.
    basis : {"tensor", "additive"}
        All products of the regressors' splines, or their sum.
    j_x_degree, j_x_segments, k_w_degree, k_w_segments, k_w_smooth : int
        Degrees and segments of the splines of regressors and instruments; without segments, the data choose.
    knots : {"uniform", "quantiles"}
        Where the knots are.
    x_min, x_max, w_min, w_max : float, optional
        Ranges of the splines, by both ends; those of the data by default.
    damping : bool
        Where the data choose, whether dimensions need a minimum of observations; R ``npiv`` has none.
    deriv_index, deriv_order : int
        Regressor of the derivative, counted from 1, and its order.
    biters, seed : int, optional
        Draws that decide the dimension and the bands.

    Returns
    -------
    NpivResult

    References
    ----------
    .. [1] Chen, Christensen and Kankanala (2025). https://doi.org/10.1093/restud/rdae025
    """
    options = locals()
    data = source(options.pop("data"))
    return warned(NpivResult(_native.npiv(data, options)))
