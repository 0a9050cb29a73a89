"""What ModernDiD's `att_gt`, `aggte` and the package have and lack, beside what the comparison says of them."""

import importlib.metadata
import importlib.util
import inspect
import math
import sys
import warnings
from functools import cache
from pathlib import Path

import moderndid
import numpy as np
import polars as pl
from moderndid.core.bootstrap import keyed_rademacher

from claims import claim, refused, report
from golden import cases, data, formula

VERSION, CHECKED = "0.4.1", "2026-11-25"
COLUMNS = dict(yname="y", tname="t", idname="id", gname="g", boot=False, cband=False)


def says(text, departure=None):
    return claim("moderndid", VERSION, CHECKED, text, departure)


@cache
def staggered():
    return data("stag_a")


def fit(frame, **options):
    return moderndid.att_gt(frame, **(COLUMNS | options))


def parameters(function):
    return set(inspect.signature(function).parameters)


@says("needs Python 3.12")
def _():
    needs = importlib.metadata.metadata("moderndid")["Requires-Python"]
    assert needs == ">=3.12", needs


@says("has no Dask; Spark has `att_gt` alone")
def _():
    extras = importlib.metadata.metadata("moderndid").get_all("Provides-Extra")
    assert "dask" not in extras and "spark" in extras, extras
    folder = Path(moderndid.__file__).parent / "spark"
    found = {path.stem for path in folder.glob("*.py")}
    assert "att_gt" in found and not found & {"ddd", "cont_did", "did_multiplegt"}, found


@says("GPU by CuPy for `att_gt`, `ddd` and `cont_did`: they have `backend`, the others do not")
def _():
    have = {n for n in ("att_gt", "ddd", "cont_did", "did_multiplegt") if "backend" in parameters(getattr(moderndid, n))}
    assert have == {"att_gt", "ddd", "cont_did"}, have


@says("has no `fix_weights`")
def _():
    assert not {"fix_weights", "weights_period"} & parameters(moderndid.att_gt)


@says("formulas are names of columns; anything else is an error")
def _():
    for formula in ("~ I(x1**2)", "~ x1:x2", "~ log(w)"):
        text = refused(lambda: fit(staggered(), xformla=formula), "is not a column name")
    return text


@says("NaN is missing")
def _():
    missing = pl.when(pl.col("id") == 3).then(math.nan).otherwise(pl.col("y")).alias("y")
    found = fit(staggered().with_columns(missing)).att_gt
    without = fit(staggered().filter(pl.col("id") != 3)).att_gt
    assert abs(found - without).max() < 1e-12


@says("clusters count without a bootstrap, as in R did")
def _():
    file, frame = cases("stag_a"), staggered()
    case = next(c for c in file["cases"] if "cluster" in c and "draws" not in c)
    found = fit(
        frame,
        clustervars=[case["cluster"]],
        xformla=formula(case),
        weightsname=case.get("weights"),
        est_method=case["method"],
        panel=not case.get("repeated_cross_sections"),
        control_group="notyettreated" if case.get("not_yet_treated") else "nevertreated",
        base_period="universal" if case.get("universal") else "varying",
    )
    off = max(abs(own / r - 1) for own, r in zip(found.se_gt, case["se"]) if r)
    assert off < 1e-8, off
    return f"{case['id']}: {off:.0e}"


@says("no uniform band of cells without a bootstrap: pointwise intervals, in silence", "uniform-bands")
def _():
    assert abs(fit(staggered(), cband=True).critical_value - 1.959964) < 1e-6


@says("multipliers of `att_gt` are Rademacher's, as in R did 2.5")
def _():
    draws = np.unique(keyed_rademacher(np.arange(100, dtype=np.uint64), 1, 50))
    assert set(draws.tolist()) == {-1.0, 1.0}, draws
    assert "rademacher" in inspect.getsource(sys.modules["moderndid.did.mboot"]).lower()


@says("overlap is judged by a logit with sampling weights, R did's without")
def _():
    assert "freq_weights=weights" in inspect.getsource(sys.modules["moderndid.did.compute_att_gt"]._cell_fails_screen)


@says("a cell that fails is left out with a varying base and NaN with a universal one", "failed-cells")
def _():
    found = {}
    for base in ("varying", "universal"):
        result = moderndid.att_gt(
            data("small_a"), xformla="~ xsep", est_method="ipw", base_period=base, **COLUMNS
        )
        found[base] = len(result.att_gt), sum(math.isnan(a) for a in result.att_gt)
    assert found == {"varying": (28, 0), "universal": (40, 7)}, found
    return f"cells, of which NaN: {found}"


@says("averages over cells that a varying base left out are made without a word", "failed-cells")
def _():
    result = moderndid.att_gt(data("small_a"), xformla="~ xsep", est_method="ipw", **COLUMNS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        moderndid.aggte(result, type="simple", boot=False, cband=False)


@says("with NaN cells `aggte` stops unless `na_rm`")
def _():
    options = COLUMNS | {"base_period": "universal"}
    result = moderndid.att_gt(data("small_a"), xformla="~ xsep", est_method="ipw", **options)
    return refused(lambda: moderndid.aggte(result, type="simple", boot=False, cband=False), "na_rm")


@says("without never-treated units the last cohort is the comparison and has no cells")
def _():
    file = cases("nonever_a")
    case = next(c for c in file["cases"] if c.get("not_yet_treated"))
    found = fit(data("nonever_a"), control_group="notyettreated", est_method="reg")
    assert set(map(float, found.groups)) == set(map(float, file["grids"][case["grid"]]["group"]))


@says("repeated cross sections with `idname` have the standard errors of those without")
def _():
    with_id = fit(staggered(), panel=False).se_gt
    without = fit(staggered(), panel=False, idname=None).se_gt
    assert abs(with_id - without).max() < 1e-12


@says("a cohort treated after the last period but within the anticipation window has cells")
def _():
    late = pl.when((pl.col("g") == 0) & (pl.col("id") % 2 == 0)).then(9.0).otherwise(pl.col("g")).alias("g")
    assert 9.0 in set(fit(staggered().with_columns(late), anticipation=1).groups)


@says("units must be numbers", "any-type")
def _():
    text = staggered().with_columns(pl.col("id").cast(pl.String))
    return refused(lambda: fit(text), "not numeric")


@says("dates are no periods", "calendar")
def _():
    dates = (pl.date(2000, 1, 1) + pl.duration(days=30) * pl.col("t")).alias("t")
    return refused(lambda: fit(staggered().with_columns(dates)), "not numeric")


@says("event times of months as decimals of a year are split by rounding", "calendar")
def _():
    months = [
        (2000 + pl.col("t") / 12).alias("t"),
        pl.when(pl.col("g") > 0).then(2000 + pl.col("g") / 12).otherwise(0.0).alias("g"),
    ]
    counts = []
    for frame in (staggered(), staggered().with_columns(months)):
        event_times = moderndid.aggte(fit(frame), type="dynamic", boot=False, cband=False).event_times
        counts.append(len(event_times))
    assert counts[1] > counts[0], counts
    return f"{counts[0]} event times, {counts[1]} of the same data in months"


@says("rows with a null group are dropped, as in R", "null-group")
def _():
    null = pl.when(pl.col("g") == 0).then(None).otherwise(pl.col("g")).alias("g")
    found = fit(staggered().with_columns(null))
    assert found.n_units == staggered().filter(pl.col("g") != 0)["id"].n_unique(), found.n_units


@says("has `dyn_balancing` and `didml`, which burn-did lacks")
def _():
    assert all(importlib.util.find_spec(f"moderndid.{name}") for name in ("diddynamic", "didml"))


@says("has no contrasts, joint tests, saved results that aggregate without unit data, or command line")
def _():
    result = fit(staggered())
    lacking = ("contrast", "joint_test", "save", "load")
    assert not [name for name in lacking if hasattr(result, name) or hasattr(moderndid, name)]
    scripts = [e for e in importlib.metadata.distribution("moderndid").entry_points if e.group == "console_scripts"]
    assert not scripts, scripts
    assert result.influence_func.shape[0] == 1500, "the influence matrix is kept"


@says("`honest_did` refuses event studies of a varying base", "honest-bases")
def _():
    study = moderndid.aggte(fit(staggered()), type="dynamic", boot=False, cband=False)
    return refused(lambda: moderndid.honest_did(study, sensitivity_type="relative_magnitude"), "universal")


@says("has no breakdown value", "honest-breakdown")
def _():
    assert not [name for name in dir(moderndid) if "breakdown" in name.lower()]


@says("`did_multiplegt` has no `by`, `by_path`, `design`")
def _():
    assert not {"by", "by_path", "design"} & parameters(moderndid.did_multiplegt)


@says("`drdid` has no clusters")
def _():
    assert not [p for p in parameters(moderndid.drdid) if "cluster" in p]


@says("`ddd` has no anticipation and no `fix_weights`; the comparisons of a cell exist in two periods alone")
def _():
    assert not {"anticipation", "fix_weights"} & parameters(moderndid.ddd)
    assert not hasattr(moderndid.DDDMultiPeriodResult, "did_atts") and hasattr(moderndid.DDDPanelResult, "did_atts")


if __name__ == "__main__":
    report()
