"""Two groups in two periods."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ._anywhere import fitted
from ._checks import keywords
from ._progress import Progress, chosen
from ._results import DrdidResult
from ._types import Backend, Data, Missing, Names, for_bootstrap, is_asked, only, refused, shown

if TYPE_CHECKING:
    from .engines import Engine


def drdid(
    data: Data,
    yname: str,
    tname: str,
    idname: str | None = None,
    treatname: str | None = None,
    xformla: str | None = None,
    panel: bool = True,
    est_method: str = "imp",
    weightsname: str | None = None,
    boot: bool = False,
    boot_type: str = "weighted",
    biters: int = 1000,
    inf_func: bool = False,
    trim_level: float = 0.995,
    *,
    alpha: float = 0.05,
    clustervars: Names | None = None,
    locally_efficient: bool = True,
    random_state: int | None = None,
    multiplier: str | None = None,
    frequency: str | None = None,
    missing_values: Missing = None,
    weighting: bool = False,
    keep_scores: bool = False,
    backend: Backend = None,
    precision: str | None = None,
    memory_budget: int | None = None,
    progress: bool | Progress | None = None,
    engine: Engine | None = None,
    client: Any = None,
    spark: Any = None,
    scratch: str | os.PathLike[str] | None = None,
) -> DrdidResult:
    """The effect on the treated from two groups in two periods, doubly robust [1]_.

    Arguments that are not below are those of ``att_gt``.

    Parameters
    ----------
    treatname : str
        Column of the treatment group: 1 if treated (in both periods), else 0.
    est_method : {"imp", "trad", "reg", "std_ipw", "ipw_horvitz_thompson", "twfe"}
        Improved or traditional doubly robust; ``ordid`` and ``ipwdid`` have names for the others.
    boot_type : {"weighted", "multiplier"}
        Repeat the estimation with random weights, or multiply influence values.
    inf_func : bool
        Keep influence values by unit.
    trim_level : float
        Comparison units with a propensity score of at least this get weight 0.
    locally_efficient : bool
        Of repeated cross sections, whether outcomes of the treated have a model, too.

    Returns
    -------
    DrdidResult
        One estimate.

    References
    ----------
    .. [1] Sant'Anna and Zhao (2020). https://doi.org/10.1016/j.jeconom.2020.06.003
    """
    options = locals()
    if est_method == "ipw":
        remedy = "write 'std_ipw' for normalised weights, or 'ipw_horvitz_thompson' for those of `ipwdid`'s 'ipw'"
        raise refused(f"`est_method` must say which weights are meant, got 'ipw'; {remedy}", remedy)
    return _fit(options, progress)


def ipwdid(
    data: Data,
    yname: str,
    tname: str,
    idname: str | None = None,
    treatname: str | None = None,
    xformla: str | None = None,
    panel: bool = True,
    est_method: str = "ipw",
    weightsname: str | None = None,
    boot: bool = False,
    boot_type: str = "weighted",
    biters: int = 1000,
    inf_func: bool = False,
    trim_level: float = 0.995,
    **more: Any,
) -> DrdidResult:
    """The effect on the treated by inverse probability weighting; see ``drdid``, whose keyword arguments it has.

    Parameters
    ----------
    est_method : {"ipw", "std_ipw"}
        Weights as Horvitz and Thompson have them, or normalised (Hájek). The default is that of ModernDiD; ``ipwdid`` of R ``DRDID``
        normalises (``normalized = TRUE``), as ``"std_ipw"`` does here.

    Returns
    -------
    DrdidResult
    """
    keywords("ipwdid", more, drdid)
    words = {"ipw": "ipw_horvitz_thompson", "std_ipw": "std_ipw"}
    if not isinstance(est_method, str) or est_method not in words:
        remedy = "`drdid` and `ordid` have other methods"
        raise refused(f"`est_method` must be 'ipw' or 'std_ipw', got {shown(est_method)}; {remedy}", remedy)
    return drdid(
        data, yname, tname, idname, treatname, xformla, panel, words[est_method], weightsname,
        boot, boot_type, biters, inf_func, trim_level, **more,
    )


def ordid(
    data: Data,
    yname: str,
    tname: str,
    idname: str | None = None,
    treatname: str | None = None,
    xformla: str | None = None,
    panel: bool = True,
    weightsname: str | None = None,
    boot: bool = False,
    boot_type: str = "weighted",
    biters: int = 1000,
    inf_func: bool = False,
    **more: Any,
) -> DrdidResult:
    """The effect on the treated by outcome regression; see ``drdid``, whose keyword arguments it has.

    Returns
    -------
    DrdidResult
    """
    keywords("ordid", more, drdid, ("est_method", "trim_level"))
    return drdid(
        data, yname, tname, idname, treatname, xformla, panel, "reg", weightsname, boot, boot_type, biters,
        inf_func, **more,
    )


def _fit(options: dict[str, Any], progress: bool | Progress | None) -> DrdidResult:
    data = options.pop("data")
    resampling = options["boot_type"]
    if not isinstance(resampling, str) or resampling.lower() not in ("weighted", "multiplier"):
        raise refused(f"`boot_type` must be 'weighted' or 'multiplier', got {shown(resampling)}")
    for_bootstrap(options["multiplier"], options["boot"], options["boot_type"])
    if is_asked("panel", options["panel"]):
        only("locally_efficient", options["locally_efficient"], True, "it is of repeated cross sections; give `panel=False`, too")
    options["influence"] = options.pop("inf_func")
    options["progress"] = chosen(progress)
    return fitted("drdid", data, options, DrdidResult)
