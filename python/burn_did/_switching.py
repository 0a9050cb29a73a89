"""Treatments that switch on, off, up and down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _native
from ._progress import Progress, chosen
from ._results import MultiplegtResult, warned
from ._types import Data, Missing, Names, equals, flag, only, refused, shown, source


def did_multiplegt(
    data: Data,
    yname: str,
    tname: str,
    idname: str,
    dname: str,
    cluster: Names | None = None,
    weightsname: str | None = None,
    xformla: str = "~1",
    effects: int = 1,
    placebo: int = 0,
    normalized: bool = False,
    effects_equal: bool | str | tuple[int, int] = False,
    predict_het: str | tuple[Sequence[str], Sequence[int]] | None = None,
    predict_het_hc2bm: bool = False,
    switchers: str = "",
    only_never_switchers: bool = False,
    same_switchers: bool = False,
    same_switchers_pl: bool = False,
    trends_lin: bool = False,
    trends_nonparam: Names | None = None,
    continuous: int = 0,
    alpha: float = 0.05,
    less_conservative_se: bool = False,
    more_granular_demeaning: bool = False,
    keep_bidirectional_switchers: bool = False,
    drop_missing_preswitch: bool = False,
    boot: bool = False,
    biters: int = 1000,
    random_state: int | None = None,
    n_jobs: int = 1,
    *,
    frequency: str | None = None,
    separate_control_variance: bool = False,
    missing_values: Missing = None,
    progress: bool | Progress | None = None,
) -> MultiplegtResult:
    """Effects of a treatment that may switch on and off, have doses and change more than once [1]_.

    Effects are by the time since a group's first change of treatment.

    Parameters
    ----------
    data : data frame or path
        Rows of one group and period are averaged with their weights.
    yname, tname, idname, dname : str
        Columns of the outcome, the period, the group whose treatment changes, and the treatment in every period.
    cluster : str, optional
        Cluster of the standard errors beyond the group.
    xformla : str
        Controls.
    effects, placebo : int
        How many effects and placebos are estimated.
    normalized : bool
        Divide each effect by the average cumulative change of its switchers' treatment.
    effects_equal : bool, str or (int, int)
        Test that effects are equal: all, or those from the first to the second number.
    predict_het : str or (list of str, list of int), optional
        Regress the groups' effects on columns that do not change over time, as in ``(["x"], [1, 2])``; ``[-1]`` for all effects.
    predict_het_hc2bm : bool
        Must be False: those regressions have no small-sample correction here.
    switchers : {"", "in", "out"}
        Estimate effects of all switchers, or of those whose treatment first rises or falls.
    only_never_switchers : bool
        Compare with never-switching groups only.
    same_switchers, same_switchers_pl : bool
        Estimate all effects, and all placebos, on the same switchers.
    trends_lin : bool
        Allow each group its own linear trend.
    keep_bidirectional_switchers : bool
        Keep cells from the period on in which a group's treatment has been both above and below its first value.
    drop_missing_preswitch : bool
        If a group's treatment is missing before its first switch, drop its outcomes from then on.
    separate_control_variance : bool
        With controls, use the variance of the Stata program, not that of R ``DIDmultiplegtDYN`` 2.2, where groups start from several
        treatments.
    more_granular_demeaning : bool
        The same as ``less_conservative_se``.
    trends_nonparam : list of str, optional
        Compare only groups with equal values in these columns.
    continuous : int
        For treatments with many values: degree of a polynomial in the first treatment by which trends differ.
    n_jobs : int
        Has no effect: all cores are used, and no bit of a result depends on how many there are.

    Returns
    -------
    MultiplegtResult
        One row an effect or placebo, by event time.

    References
    ----------
    .. [1] de Chaisemartin and D'Haultfœuille (2024). https://doi.org/10.1162/rest_a_01414
    """
    options = locals()
    data = source(options.pop("data"))
    options.pop("n_jobs")
    only("predict_het_hc2bm", options.pop("predict_het_hc2bm"), False, "there is no such correction here")
    del options["more_granular_demeaning"]
    more = flag("more_granular_demeaning", more_granular_demeaning)
    options["less_conservative_se"] = flag("less_conservative_se", less_conservative_se) or more
    options["switchers"] = None if equals(switchers, "") else switchers
    options["effects_equal"] = _equal(effects_equal)
    options["predict_het"] = _heterogeneity(predict_het)
    options["progress"] = chosen(progress)
    return warned(MultiplegtResult(_native.did_multiplegt(data, options)))


def _equal(given: Any) -> str | None:
    """The effects that are tested as the command line has them."""
    if isinstance(given, str):
        return given
    if isinstance(given, Iterable) and not isinstance(given, (bytes, Mapping)):
        return ",".join(map(str, given))
    return "all" if flag("effects_equal", given, "True, False, a text or two numbers, as in (1, 3)") else None


def _heterogeneity(given: Any) -> str | None:
    """Columns and effects as the command line has them."""
    if given is None or isinstance(given, str):
        return given
    remedy = 'give columns and effects, as in (["x"], [1, 2]), with [-1] for all effects'
    try:
        columns, effects = given
        effects = [int(effect) for effect in effects]
    except (TypeError, ValueError):
        raise refused(f"`predict_het` cannot be {shown(given)}; {remedy}", remedy) from None
    columns = [columns] if isinstance(columns, str) else list(columns)
    for column in columns:
        if not isinstance(column, str):
            raise refused(f"`predict_het` cannot be {shown(given)}; {remedy}", remedy)
        if "," in column or column != column.strip():
            remedy = "rename the column"
            raise refused(f"`predict_het` cannot have a column with a comma or with spaces around it, got {column!r}; {remedy}", remedy)
    return f"{','.join(columns)}:{','.join(map(str, effects))}"
