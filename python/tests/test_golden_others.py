"""Golden cases of the other estimators."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest
from conftest import GOLDEN, close, golden_data, golden_json

import burn_did as did

IMPROVED = {"drdid_imp": "imp", "drdid": "trad", "reg": "reg", "std_ipw": "std_ipw", "ipw": "ipw_horvitz_thompson", "twfe": "twfe"}


@pytest.mark.parametrize("dataset", ["nsw_sub", "two_a", "two_a_rc"])
def test_drdid(dataset: str) -> None:
    golden = golden_json(f"drdid_{dataset}.json")
    data, columns = golden_data(golden["dataset"]), golden["columns"]
    for case in golden["cases"]:
        name = case["estimator"]
        method = next(word for start, word in IMPROVED.items() if name.startswith(start))
        sections = not name.endswith("panel")
        fit = did.drdid(
            data, columns["outcome"], columns["time"], columns.get("unit"), columns["treatment"],
            "~ " + (" + ".join(case.get("covariates", [])) or "1"), not sections, method, case.get("weights"),
            "draws" in case, case.get("resampling", "weighted"), case.get("draws", 1000),
            trim_level=case.get("trim", 0.995), locally_efficient=not (sections and name.endswith("1")), random_state=11,
            multiplier="mammen" if "draws" in case and case.get("resampling") == "multiplier" else None,
        )
        # R stops its searches for propensity scores early: `tests/support/departures.rs`.
        searched = method in ("imp", "ipw_horvitz_thompson") or (method in ("trad", "std_ipw") and case.get("covariates"))
        relative = 2e-6 if searched else 1e-9
        assert close(fit.att, case["att"], relative, 1e-3), (case["id"], fit.att, case["att"])
        if case.get("se") is not None and not case.get("att_only"):
            se = 0.2 if "draws" in case else 10 * relative
            assert close(fit.se, case["se"], se), (case["id"], fit.se, case["se"])


@pytest.mark.parametrize("file", ["multiplegt.json", "multiplegt_oracle.json"])
def test_did_multiplegt(file: str) -> None:
    for case in golden_json(file)["cases"]:
        options = {name: value for name, value in case["options"].items() if value is not None}
        options["keep_bidirectional_switchers"] = options.pop("dont_drop_larger_lower", False) or options.get(
            "keep_bidirectional_switchers", False
        )
        options["drop_missing_preswitch"] = options.pop("drop_if_d_miss_before_first_switch", False) or options.get(
            "drop_missing_preswitch", False
        )
        if "oracle" in file and "xformla" in options:
            options["separate_control_variance"] = True
        data = pl.read_csv(GOLDEN / f"multiplegt_{case['data']}", infer_schema_length=None)
        fit = did.did_multiplegt(data, **options)
        rows = fit.tidy().to_dict()
        tables: dict[str, list[Any]] = {}
        for table, estimate, se in zip(rows["table"], rows["estimate"], rows["se"], strict=True):
            tables.setdefault(table, []).append((estimate, se))
        for name in ("effects", "placebos"):
            got = tables.get(name, [])
            assert len(got) == len(case[name]), (case["id"], name, tables.keys())
            for (estimate, se), want in zip(got, case[name], strict=True):
                assert close(estimate, want[0], 1e-6), (case["id"], name, estimate, want)
                assert close(se, want[1], 1e-6), (case["id"], name, se, want)


@pytest.mark.parametrize("dataset", ["cont_a", "cont2_a"])
def test_cont_did(dataset: str) -> None:
    golden, data = golden_json(f"cont_did_{dataset}.json"), golden_data(dataset)
    numbers = 0
    for case in golden["cases"]:
        cck = case.get("dose_est_method") == "cck"
        fit = did.cont_did(
            data, "Y", "time_period", "id", "G", "D", target_parameter=case.get("target_parameter", "level"),
            aggregation=case.get("aggregation", "dose"), control_group=case.get("control_group", "notyettreated"),
            base_period=case.get("base_period", "varying"), dose_est_method=case.get("dose_est_method", "parametric"),
            degree=case.get("degree", 3), num_knots=case.get("num_knots", 0), dvals=case.get("dvals"),
            compare_at=case.get("dvals"), damping=not cck, comparison_noise=not cck,
        )
        if "att_d" not in case:
            continue
        rows = fit.tidy().to_dict()
        level = [e for t, e in zip(rows["table"], rows["estimate"], strict=True) if t == "effects"]
        assert len(level) == len(case["att_d"]), (case.get("id"), set(rows["table"]))
        for got, want in zip(level, case["att_d"], strict=True):
            numbers += 1
            assert close(got, want, 1e-7, 1e-3), (case, got, want)
    assert numbers > 50


def check_regression(case: dict[str, Any], fit: did.RegressionResult, coef: float, se: float) -> None:
    rows = fit.tidy().to_dict()
    assert [name.strip("()") for name in rows["term"]] == [name.strip("()") for name in case["names"]], case["id"]
    for got, want in zip(rows["estimate"], case["coef"], strict=True):
        assert close(got, want, coef), (case["id"], got, want)
    for got, want in zip(rows["se"], case["se"], strict=True):
        assert close(got, want, se), (case["id"], got, want)


@pytest.mark.parametrize("dataset", ["fe_easy_a", "fe_hard_a", "fe3_a"])
def test_feols(dataset: str) -> None:
    golden, data = golden_json(f"feols_{dataset}.json"), golden_data(dataset)
    for case in golden["cases"]:
        fit = did.feols(
            case["formula"], data, case["vcov"], case.get("weights"), keep_singletons=case.get("keep_singletons", False)
        )
        check_regression(case, fit, 1e-7, 1e-7)


def test_fepois() -> None:
    data = golden_data("fepois")
    for case in golden_json("fepois.json")["cases"]:
        check_regression(case, did.fepois(case["formula"], data, case["vcov"], case.get("weights")), 1e-6, 1e-6)


def test_feglm() -> None:
    data = golden_data("fepois").with_columns(
        any=(pl.col("y") > 1).cast(pl.Float64),
        share=pl.col("y") / (pl.col("y") + 3.0),
        cell=pl.col("firm") * 100 + pl.col("year"),
    )
    for case in golden_json("feglm.json")["cases"]:
        if "cell" in case["formula"]:
            continue
        fit = did.feglm(case["formula"], data, case["family"], case["vcov"], case.get("weights"))
        check_regression(case, fit, 1e-6, 1e-6)


def test_sunab() -> None:
    for case in golden_json("sunab.json")["cases"]:
        fit = did.sunab(
            golden_data(case["dataset"]), case["outcome"], case["time"], case["unit"], case["group"],
            case.get("covariates"), case["reference"], weightsname=case.get("weights"),
        )
        names, vcov = fit.vcov() or ([], [])
        of = {float(at): vcov[i][i] for i, at in enumerate(names)}
        rows = fit.tidy().to_dict()
        estimates = dict(zip(rows["event_time"], rows["estimate"], strict=True))
        for at, estimate, error in zip(case["times"], case["estimates"], case["errors"], strict=True):
            assert close(estimates[at], estimate, 1e-8, 1e-3), (case["dataset"], at)
            assert close((of[at] or 0.0) ** 0.5, error, 1e-8), (case["dataset"], at)


def test_npiv() -> None:
    golden = golden_json("npiv.json")
    data = pl.DataFrame({name: golden["data"][name] for name in ("y", "x1", "x2", "w1", "w2")})
    for case in golden["cases"]:
        fit = did.npiv(
            data, "y", case["x"], case["w"], x_eval=case["points"], basis=case["basis"], knots=case["knots"],
            j_x_degree=case["x_degree"], j_x_segments=case["x_segments"], k_w_degree=case["w_degree"],
            k_w_segments=case["w_segments"], deriv_index=case["derivative_index"] + 1,
            deriv_order=case["derivative_order"],
        )
        rows = fit.to_dict()["result"]["rows"]
        largest = max(map(abs, case["h"]))
        for row, want in zip(rows, case["h"], strict=True):
            assert close(row["h"]["estimate"], want, 1e-8, largest), (case, row)


@pytest.mark.parametrize("name", ["antic_a", "mpdta"])
def test_honest_did(name: str) -> None:
    golden = golden_json("honest.json")[name]
    given = golden["study"]
    study = did.event_study(
        betahat=given["betahat"], sigma=given["sigma"], num_pre_periods=given["num_pre_periods"],
        num_post_periods=given["num_post_periods"],
    )
    kinds = {"sd": "smoothness", "rm": "relative_magnitude", "sdrm": "relative_smoothness"}
    compared = 0
    for case in golden["cases"]:
        if "method" not in case:
            continue
        l_vec = case.get("l_vec")
        fit = did.honest_did(
            study, sensitivity_type=kinds[case["delta"]], method=case["method"], l_vec=l_vec,
            **{"m_vec" if case["delta"] == "sd" else "m_bar_vec": case["m"]}, bias_direction=case.get("bias"), monotonicity_direction=case.get("monotonicity"),
            grid_points=case.get("grid_points") if case["method"] != "FLCI" else None,
        )
        result = fit.to_dict()["result"]
        # Ends of tests are points of a grid of 20 standard errors around zero; R's search for the fixed length ends early.
        step = 40 * result["original"]["se"] / ((case.get("grid_points") or 1000) - 1)
        for got, (lower, upper) in zip(result["intervals"], case["rows"], strict=True):
            compared += 1
            allowed = 0.015 * (upper - lower) if case["method"] == "FLCI" else 1.5 * step
            assert got["lower"] is not None and abs(got["lower"] - lower) <= allowed, (case["id"], got, lower)
            assert got["upper"] is not None and abs(got["upper"] - upper) <= allowed, (case["id"], got, upper)
    assert compared > 20


def test_bacon_and_twfe_weights() -> None:
    golden = golden_json("twfe.json")
    for case in golden["bacon"]:
        y, i, t, g = case["columns"]
        fit = did.bacon(golden_data(case["dataset"]), y, t, i, g, xname=case["covariates"] or None)
        rows = fit.to_dict()["result"]["comparisons"]
        want = sorted(zip(case["weights"], case["estimates"], strict=True))
        got = sorted((row["weight"], row["estimate"]) for row in rows)
        assert len(got) == len(want)
        for (weight, estimate), (weight_want, estimate_want) in zip(got, want, strict=True):
            assert close(weight, weight_want, 1e-9) and close(estimate, estimate_want, 1e-8, 1e-3), case["id"]
        if case["covariates"]:
            within = fit.to_dict()["result"]["within"]
            assert close(within["weight"], case["Omega"], 1e-9) and close(within["estimate"], case["beta_hat_w"], 1e-7, 1e-3)
    for case in golden["weights"]:
        y, i, t, g = case["columns"]
        fit = did.twfe_weights(
            golden_data(case["dataset"]), y, t, i, g, case["covariates"], case.get("weights"), case["type"],
            cells=case["cells"],
        )
        result = fit.to_dict()["result"]
        assert (result["n_positive"], result["n_negative"]) == (case["nr_plus"], case["nr_minus"]), case["id"]
        assert close(result["coefficient"], case["beta"], 1e-8), case["id"]


def test_pretrends_reads_event_studies_of_r() -> None:
    given = json.loads((GOLDEN / "pretrends.json").read_text())
    study = did.event_study(
        betahat=given["betahat"], sigma=given["sigma"], num_pre_periods=given["num_pre_periods"],
        num_post_periods=given["num_post_periods"],
    )
    # R's `slope_for_power` simulates and gives 0.0520; this is the exact slope, which the Rust tests hold against it.
    rows = did.pretrends(study).to_dict()["result"]["alternatives"]
    assert close(rows[0]["slope"], 0.05206758, 1e-6), rows[0]
