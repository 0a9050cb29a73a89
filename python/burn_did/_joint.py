"""Several estimators of one sample."""

from __future__ import annotations

import math

from . import _native
from ._results import JointStudyResult, warned
from ._types import Backend, Data, Missing, Names, source


def joint_study(
    data: Data,
    yname: str,
    tname: str,
    idname: str,
    gname: str,
    xformla: str | None = None,
    weightsname: str | None = None,
    clustervars: Names | None = None,
    *,
    estimators: Names | None = None,
    control_group: str | None = None,
    min_e: float | None = None,
    max_e: float | None = None,
    cband: bool | None = None,
    alpha: float = 0.05,
    frequency: str | None = None,
    missing_values: Missing = None,
    backend: Backend = None,
    precision: str | None = None,
) -> JointStudyResult:
    """Several robust estimators of one sample: effects by event time of each, their joint covariance, and tests that they agree.

    The test that two estimators agree is right under heterogeneous effects and clusters. An estimator that cannot estimate says why, and
    the others go on. Arguments that are not below are those of ``att_gt``.

    Parameters
    ----------
    estimators : list of {"cs", "sa", "stacked", "lpdid"}, optional
        The estimators in the order of the results, all if nothing is said: Callaway and Sant'Anna, Sun and Abraham, stacks with corrective
        weights, local projections.
    control_group : {"notyettreated", "nevertreated"}, optional
        Comparison units, where an estimator has the choice.
    min_e, max_e : float, optional
        Smallest and largest event time.
    cband : bool, optional
        Bands that are uniform over all effects of all estimators.

    Returns
    -------
    JointStudyResult
        One row an estimator and event time, the averages, and the differences of estimators.
    """
    options = locals()
    data = source(options.pop("data"))
    for name in ("min_e", "max_e"):
        end = options[name]
        options[name] = None if isinstance(end, float) and math.isinf(end) else end
    return warned(JointStudyResult(_native.joint_study(data, options)))
