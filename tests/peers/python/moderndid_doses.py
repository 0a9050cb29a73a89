"""ModernDiD's `cont_did` and `honest_did` beside the golden cases."""

import json

import moderndid
import numpy as np
import polars as pl

from claims import claim, refused, report
from golden import GOLDEN, cases, data

VERSION, CHECKED = "0.4.1", "2026-11-25"


def says(text, departure=None):
    return claim("moderndid", VERSION, CHECKED, text, departure)


def fit(frame, columns, **options):
    y, t, unit, g, d = columns
    return moderndid.cont_did(frame, yname=y, tname=t, idname=unit, gname=g, dname=d, random_state=1, **options)


@says("`cont_did` without knots: curves, slopes and averages agree to 1e-12")
def _():
    off = 0.0
    for name in ("cont_a", "cont2_a"):
        frame = data(name)
        for case in cases(f"cont_did_{name}")["cases"]:
            if "att_d" not in case or case.get("num_knots", 0) or "dose_est_method" in case:
                continue
            options = {"dvals": np.array(case["dvals"])} if "dvals" in case else {}
            options |= dict(target_parameter=case["target_parameter"], degree=case["degree"], biters=20)
            options |= dict(control_group=case.get("control_group", "notyettreated"))
            found = fit(frame, ("Y", "time_period", "id", "G", "D"), **options)
            for key in ("att_d", "acrt_d"):
                off = max(off, np.abs(np.array(getattr(found, key)) - case[key]).max())
            off = max(off, abs(found.overall_att - case["overall_att"]), abs(found.overall_acrt - case["overall_acrt"]))
    assert off < 1e-12, off
    return f"{off:.0e}"


@says("knots are quantiles of doses that count each treated unit once")
def _():
    frame = data("cont_a")
    columns = ("Y", "time_period", "id", "G", "D")
    once = fit(frame, columns, degree=2, num_knots=1, biters=20, dvals=np.array([0.2, 0.8]))
    treated = frame.filter(pl.col("G") > 0).unique("id")["D"].to_numpy()
    knots = np.asarray(once.pte_params.knots)
    assert np.allclose(knots, np.quantile(treated, 0.5)), (knots, np.quantile(treated, 0.5))
    return f"one knot at {knots[0]:.6f}, the median of treated units"


def oracle():
    """The cases of the independent program without weights and clusters."""
    file = json.loads((GOLDEN / "cont_did_oracle.json").read_text())
    for case in file["cases"]:
        source = file["data"][case["data"]]
        rows = [
            (i, t + 1, source["g"][i], source["d"][i], y)
            for i, values in enumerate(source["y"])
            for t, y in enumerate(values)
        ]
        frame = pl.DataFrame(rows, schema=["id", "t", "g", "d", "y"], orient="row")
        if not (case["weighted"] or case["clustered"] or case["knots"]):
            yield frame, case, np.array(file["doses"][case["data"]])


@says("standard errors of curves and averages are those of estimated shares, within simulation error", "dose-shares")
def _():
    ratios = []
    for frame, case, doses in oracle():
        options = dict(degree=case["degree"], dvals=doses, biters=4000)
        found = fit(frame, ("y", "t", "id", "g", "d"), **options)
        wanted = case["numbers"]["estimated"]
        ratios += list(found.att_d_se / np.array(wanted["curve"][1]))
        ratios += [found.overall_att_se / wanted["att"][1][0], found.overall_acrt_se / wanted["acrt"][1][0]]
    assert all(0.9 < r < 1.1 for r in ratios) and abs(np.mean(ratios) - 1) < 0.03, np.round(ratios, 2)
    return f"{len(ratios)} ratios to the exact ones, {min(ratios):.2f} to {max(ratios):.2f}, mean {np.mean(ratios):.3f}"


@says("`cont_did` refuses weights and covariates")
def _():
    frame = next(oracle())[0].with_columns(w=pl.col("d") + 1)
    columns = ("y", "t", "id", "g", "d")
    refused(lambda: fit(frame, columns, weightsname="w"), "weights")
    return refused(lambda: fit(frame, columns, xformla="~ w"), "covariates")


@says("`cont_did` ignores `clustervars`")
def _():
    frame = next(oracle())[0].with_columns(c=pl.col("id") % 20)
    columns = ("y", "t", "id", "g", "d")
    errors = [fit(frame, columns, biters=200, **more).overall_att_se for more in ({}, {"clustervars": ["c"]})]
    assert errors[0] == errors[1], errors


@says("standard errors are drawn: they depend on the number of draws, and there is no way without")
def _():
    frame = next(oracle())[0]
    found = {fit(frame, ("y", "t", "id", "g", "d"), biters=b).overall_att_se for b in (100, 200)}
    assert len(found) == 2, found


def study(name):
    entry = json.loads((GOLDEN / "honest.json").read_text())[name]
    own = entry["study"]
    return np.array(own["betahat"]), np.array(own["sigma"]), entry["cases"]


def analyse(betahat, sigma, case, **grid):
    weights = np.eye(3)[0] if case["l_vec"] == "first" else np.full(3, 1 / 3)
    options = dict(l_vec=weights.reshape(-1, 1), method=case["method"], **grid)
    options |= dict(bias_direction=case.get("bias"), monotonicity_direction=case.get("monotonicity"))
    if case["delta"] == "sd":
        found = moderndid.create_sensitivity_results_sm(betahat, sigma, 2, 3, m_vec=np.array(case["m"]), **options)
    else:
        bound = "deviation from " + ("parallel trends" if case["delta"] == "rm" else "linear trend")
        m_bar = np.array(case["m"])
        found = moderndid.create_sensitivity_results_rm(betahat, sigma, 2, 3, bound=bound, m_bar_vec=m_bar, **options)
    se = float(np.sqrt(weights @ sigma[2:, 2:] @ weights))
    return found.select("lb", "ub").rows(), se


def beside_r(kept):
    """Largest distance of an end from R HonestDiD 0.2.6's, in steps of R's grid."""
    worst, at, n = 0.0, "", 0
    for name in ("antic_a", "mpdta"):
        betahat, sigma, asked = study(name)
        for case in asked:
            if case.get("method") in (None, "FLCI") or case["reference"] != "HonestDiD" or not kept(case):
                continue
            rows, se = analyse(betahat, sigma, case, grid_points=1500)
            for own, wanted, m in zip(rows, case["rows"], case["m"]):
                width = 40 * se + (12 * m if case["delta"] == "sd" else 0)
                step = width / (case["grid_points"] - 1)
                # R cuts an interval at the end of its grid, 20 standard errors from zero or more.
                cut = [abs(end) > 19.99 * se for end in wanted]
                off = max(0 if c and abs(o) > abs(w) else abs(o - w) / step for o, w, c in zip(own, wanted, cut))
                n += 1
                if off > worst:
                    worst, at = off, case["id"]
    return worst, at, n


@says("conditional and least favourable tests of all sets are within a step and a half of R HonestDiD's grid")
def _():
    worst, at, n = beside_r(lambda case: case["method"] != "C-F")
    assert worst < 1.5, f"{worst:.2f} steps in {at}"
    return f"{n} intervals, {worst:.2f} steps at most"


@says("`C-F` is within a step and a half of R HonestDiD's grid")
def _():
    worst, at, n = beside_r(lambda case: case["method"] == "C-F")
    assert worst < 1.5, f"{worst:.2f} steps in {at}"
    return f"{n} intervals, {worst:.2f} steps at most"


@says("`FLCI` is within 1.5 % of its length of R HonestDiD's", "honest-flci")
def _():
    worst = 0.0
    for name in ("antic_a", "mpdta"):
        betahat, sigma, asked = study(name)
        for case in asked:
            if case.get("method") == "FLCI" and case["reference"] == "HonestDiD":
                for own, wanted in zip(analyse(betahat, sigma, case)[0], case["rows"]):
                    off = max(abs(own[0] - wanted[0]), abs(own[1] - wanted[1]))
                    worst = max(worst, off / (wanted[1] - wanted[0]))
    assert worst < 0.015, worst
    return f"{worst:.4f} of the length"


if __name__ == "__main__":
    report()
