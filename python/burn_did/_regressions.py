"""Regressions with fixed effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _native
from ._checks import keywords
from ._results import RegressionResult, SunAbrahamResult, warned
from ._table import Table
from ._types import Backend, Data, Missing, Names, refused, shown, source

Vcov = str | dict[str, str]


def feols(
    fml: str,
    data: Data,
    vcov: Vcov | None = None,
    weights: str | None = None,
    ssc: str | dict[str, Any] | None = None,
    **more: Any,
) -> RegressionResult:
    """A linear regression with any number of fixed effects, in the way of R ``fixest``; see ``feglm`` for the other arguments.

    Returns
    -------
    RegressionResult
        One row a coefficient.
    """
    keywords("feols", more, feglm, ("family",))
    return feglm(fml, data, "gaussian", vcov, weights, ssc, **more)


def fepois(
    fml: str,
    data: Data,
    vcov: Vcov | None = None,
    weights: str | None = None,
    ssc: str | dict[str, Any] | None = None,
    **more: Any,
) -> RegressionResult:
    """A Poisson regression with fixed effects; see ``feglm`` for the other arguments.

    Returns
    -------
    RegressionResult
    """
    keywords("fepois", more, feglm, ("family",))
    return feglm(fml, data, "poisson", vcov, weights, ssc, **more)


def feglm(
    fml: str,
    data: Data,
    family: str = "gaussian",
    vcov: Vcov | None = None,
    weights: str | None = None,
    ssc: str | dict[str, Any] | None = None,
    *,
    alpha: float = 0.05,
    keep_singletons: bool = False,
    solver: str | None = None,
    fixef_tol: float | None = None,
    fixef_maxiter: int | None = None,
    glm_tol: float | None = None,
    glm_maxiter: int | None = None,
    residuals: bool = False,
    fixef: bool = False,
    influence: bool = False,
    missing_values: Missing = None,
    backend: Backend = None,
    precision: str | None = None,
) -> RegressionResult:
    """A linear, Poisson, logit or probit regression with fixed effects, in the way of R ``fixest``.

    Parameters
    ----------
    fml : str
        Outcome, regressors and fixed effects, as in ``"log(y) ~ x1 + i(year, treated, ref = 2005) | worker + firm^year"``.
    data : data frame or path
    family : {"gaussian", "poisson", "logit", "probit"}
    vcov : str or dict, optional
        ``"iid"`` (the default), ``"hetero"``, ``"hc2"``, ``"hc3"``, or clusters of one factor or two: ``"cluster:a,b"``, ``"~a + b"`` as in
        R, or ``{"CRV1": "a+b"}`` as in pyfixest, whose correction is the only one of clusters here.
    weights : str, optional
        Column of weights.
    ssc : str or dict, optional
        Corrections for small samples: ``k_adj``, ``k_fixef``, ``k_exact``, ``G_adj``, ``G_df``.
    keep_singletons : bool
        Keep rows that are the only ones of a level of a fixed effect.
    solver, fixef_tol, fixef_maxiter
        How fixed effects are projected out, to which relative tolerance, and in how many iterations at most.
    glm_tol, glm_maxiter
        Relative change of the deviance at which maximum likelihood has converged, and its most steps.
    residuals, fixef : bool
        Keep residuals, and the fixed effects' levels (for ``fixef`` and ``predict`` of the result).
    influence : bool
        Keep influence values by cluster, for ``influence`` of the result; needs clusters of one factor.

    Returns
    -------
    RegressionResult

    References
    ----------
    Bergé, Butts and McDermott (2026), fixest. https://lrberge.github.io/fixest
    """
    options = locals()
    if not isinstance(fml, str):
        raise refused(f"`fml` must be a text (the formula comes first), got {shown(fml)}", "give the formula first, and then the data")
    data = source(options.pop("data"))
    options["vcov"], options["ssc"] = _vcov(vcov), _ssc(ssc)
    return warned(RegressionResult(_native.feglm(data, options)))


def sunab(
    data: Data,
    yname: str,
    tname: str,
    idname: str,
    gname: str,
    xformla: str | None = None,
    ref_p: float | Sequence[float] | None = None,
    vcov: Vcov | None = None,
    weightsname: str | None = None,
    *,
    absorb: Names | None = None,
    ssc: str | dict[str, Any] | None = None,
    solver: str | None = None,
    fixef_tol: float | None = None,
    fixef_maxiter: int | None = None,
    influence: bool = False,
    alpha: float = 0.05,
    frequency: str | None = None,
    missing_values: Missing = None,
    backend: Backend = None,
    precision: str | None = None,
) -> SunAbrahamResult:
    """The event study of Sun and Abraham: a regression on all pairs of cohort and event time, averaged by event time [1]_.

    Parameters
    ----------
    ref_p : float or list of float, optional
        Event times that all others are compared with; -1 by default.
    absorb : str or list of str, optional
        Further fixed effects, as in ``["region", "firm^year"]``.
    vcov, ssc, solver, fixef_tol, fixef_maxiter, influence : optional
        As in ``feglm``; standard errors are clustered by unit by default.

    Returns
    -------
    SunAbrahamResult
        One row an event time.

    References
    ----------
    .. [1] Sun and Abraham (2021). https://doi.org/10.1016/j.jeconom.2020.09.006
    """
    options = locals()
    data = source(options.pop("data"))
    options["vcov"], options["ssc"] = _vcov(vcov), _ssc(ssc)
    return warned(SunAbrahamResult(_native.sunab(data, options)))


def demean(
    data: Data,
    columns: Names,
    absorb: Names,
    weightsname: str | None = None,
    *,
    solver: str | None = None,
    fixef_tol: float | None = None,
    fixef_maxiter: int | None = None,
    missing_values: Missing = None,
    backend: Backend = None,
    precision: str | None = None,
) -> Table:
    """Columns without their fixed effects; null for rows with a missing value or a weight of 0.

    Parameters
    ----------
    columns, absorb : str or list of str
        Columns of numbers, and fixed effects as in ``["worker", "firm^year"]``.
    solver, fixef_tol, fixef_maxiter
        As in ``feglm``.

    Returns
    -------
    Table
        One row for each row of the data.
    """
    options = locals()
    data = source(options.pop("data"))
    return Table(_native.demean(data, options))


def _vcov(vcov: Vcov | None) -> str | None:
    """The covariance as the library has it: clusters by their names."""
    if vcov is None:
        return None
    if isinstance(vcov, str):
        return _vcov_of_text(vcov)
    clusters = vcov.get("CRV1") if isinstance(vcov, dict) and len(vcov) == 1 else None
    if not isinstance(clusters, str):
        remedy = "give {\"CRV1\": \"a+b\"} or \"cluster:a,b\" for clusters, which have no other correction than that of CRV1 here"
        raise refused(f"`vcov` must be a text or {{\"CRV1\": ...}}, got {shown(vcov)}; {remedy}", remedy)
    return _clustered(clusters)


def _vcov_of_text(vcov: str) -> str:
    words = vcov.strip()
    if words.startswith("~"):
        return _clustered(words[1:])
    if words.lower() in ("cluster", "twoway"):
        remedy = "give vcov=\"cluster:firm\" or vcov=\"~firm\", and for two ways vcov=\"cluster:firm,year\" or vcov=\"~firm + year\""
        raise refused(f"`vcov` must name the clusters, got {vcov!r}; {remedy}", remedy)
    return vcov


def _clustered(sum_of_factors: str) -> str:
    """Clusters of a sum of factors, as in ``a + b``."""
    return f"cluster:{','.join(factor.strip() for factor in sum_of_factors.split('+'))}"


def _ssc(ssc: str | dict[str, Any] | None) -> str | None:
    if ssc is None or isinstance(ssc, str):
        return ssc
    if not isinstance(ssc, Mapping):
        raise refused(f"`ssc` must be a text or a dictionary, as in {{\"k_adj\": False}}, got {shown(ssc)}")
    return ",".join(f"{name}={str(value).lower()}" for name, value in ssc.items())
