"""Continuous treatments, and curves by sieves."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _native
from ._anywhere import fitted
from ._progress import Progress, chosen
from ._results import ContDidResult, NpivResult, warned
from ._types import Backend, Data, Missing, Names, flag, for_bootstrap, only, refused, shown, source, text

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
        Column of first treated periods, as in ``att_gt``; without it, the first period with a dose.
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
    data: Data | None = None,
    yname: str | None = None,
    xname: Names | None = None,
    wname: Names | None = None,
    y: Any = None,
    x: Any = None,
    w: Any = None,
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
    ucb_h: bool = True,
    ucb_deriv: bool = True,
    deriv_index: int = 1,
    deriv_order: int = 1,
    check_is_fullrank: bool = False,
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
    y, x, w : arrays of shape (n,), (n, regressors) and (n, instruments), optional
        Outcome, regressors and instruments, in place of ``data``; by pyarrow, as columns ``y``, ``x1``, ``x2``, …, ``w1``, ….
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
    ucb_h, ucb_deriv : bool
        Whether ``h_lower``, ``h_upper`` and ``cv``, and the same of the derivative, are there: bands are formed in any case.
    check_is_fullrank : bool
        Has no effect: it is always checked, and warned of.
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
    bands = flag("ucb_h", options.pop("ucb_h")), flag("ucb_deriv", options.pop("ucb_deriv"))
    flag("check_is_fullrank", options.pop("check_is_fullrank"))
    data, arrays = options.pop("data"), {name: options.pop(name) for name in ("y", "x", "w")}
    given = next((name for name, values in arrays.items() if values is not None), None)
    if given is not None:
        for name, value in (("data", data), ("yname", yname), ("xname", xname), ("wname", wname)):
            if value is not None:
                raise refused(f"`{name}` and `{given}` are both given; leave out one of them", f"leave out `{name}` or `{given}`")
        data, options["yname"], options["xname"], options["wname"] = _columns(**arrays)
    elif data is None or yname is None or xname is None:
        raise refused("`npiv` needs `data`, `yname` and `xname`, or arrays `y` and `x`")
    result = NpivResult(_native.npiv(source(data), options))
    result._bands = bands
    return warned(result)


def _columns(y: Any, x: Any, w: Any) -> tuple[Any, str, list[str], list[str] | None]:
    """Arrays as a table, and the names of its columns: outcome, regressors, instruments."""
    import pyarrow

    missing = next((name for name, values in (("y", y), ("x", x)) if values is None), None)
    if missing is not None:
        raise refused(f"`{missing}` must be given with the other arrays")
    outcome, regressors, instruments = _matrix("y", y), _matrix("x", x), [] if w is None else _matrix("w", w)
    if len(outcome) != 1:
        raise refused(f"`y` must be one column, got {len(outcome)}")
    columns = {"y": outcome[0]}
    columns |= {f"{name}{at}": values for name, of in (("x", regressors), ("w", instruments)) for at, values in enumerate(of, start=1)}
    counts = {name: len(values) for name, values in columns.items()}
    if len(set(counts.values())) > 1:
        rows = ", ".join(f"`{name}` has {count}" for name, count in counts.items())
        raise refused(f"`y`, `x` and `w` must have equally many rows: {rows}")
    names = list(columns)[1:]
    return pyarrow.table(columns), "y", names[: len(regressors)], names[len(regressors) :] or None


def _matrix(name: str, values: Any) -> list[Any]:
    """The columns of an array of numbers with one dimension or two."""
    import numpy

    try:
        matrix = numpy.asarray(values, dtype=float)
    except (TypeError, ValueError):
        matrix = numpy.empty((0, 0, 0))
    if matrix.ndim not in (1, 2):
        raise refused(f"`{name}` must be numbers in an array of one or two dimensions, got {shown(values)}")
    return [matrix] if matrix.ndim == 1 else list(matrix.T)
