"""Extended two-way fixed effects, imputation, two stages and joint studies."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from conftest import close, golden_data, golden_json

import burn_did as did

COLUMNS = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat"}


def textbook() -> pl.DataFrame:
    """The panel of `tests/suite/by_unit`: six periods, 30 units that are never treated and 15 in each of the cohorts 3 to 6."""
    rows = []
    for u in range(90):
        g, x = (0, 3, 4, 5, 0, 6)[u % 6], math.cos(1.3 * u + 0.2)
        for t in range(1, 7):
            effect = 1.0 + 0.3 * (t - g) + 0.2 * x if g > 0 and t >= g else 0.0
            noise = 0.5 * math.sin(91.7 * u + 13.3 * t * t + 0.5)
            y = math.sin(2.1 * u) + 0.2 * t + 0.1 * x * t + effect + noise
            count = math.floor(2.5 + 2.0 * math.exp(0.3 * y) + 1.5 * math.sin(3.3 * u + 7.7 * t))
            rows.append((float(u), float(t), float(g), y, x, float(count)))
    return pl.DataFrame(rows, schema=["id", "t", "g", "y", "x", "c"], orient="row")


def by(fit: did.Result, table: str, key: str) -> dict[Any, tuple[float, float]]:
    rows = fit.tidy().to_dict()
    kept = [i for i, of in enumerate(rows["table"]) if of == table]
    return {rows[key][i]: (rows["estimate"][i], rows["se"][i]) for i in kept}


def test_etwfe_has_the_numbers_of_r_and_pyfixest() -> None:
    data = textbook()
    fit = did.etwfe(data, "y", "t", "g", "id", vcov="hetero")
    simple = did.emfx(fit)
    assert close(simple.overall_att, 1.2728120358042978, 1e-9) and close(simple.overall_se, 0.0680172671729173, 1e-8)
    assert simple.event_times is None
    event = did.emfx(fit, type="event")
    assert event.event_times == [0.0, 1.0, 2.0, 3.0] and event.att_by_event is not None and event.se_by_event is not None
    for got, want in zip(event.att_by_event, [0.9847512063, 1.2949196241, 1.5476421257, 1.8090724091], strict=True):
        assert close(got, want, 1e-9)
    for got, want in zip(event.se_by_event, [0.0651768624, 0.0835395055, 0.1056414234, 0.1599049559], strict=True):
        assert close(got, want, 1e-8)
    group = did.emfx(fit, "group")
    assert group.event_times == [3.0, 4.0, 5.0, 6.0] and group.att_by_event is not None
    assert close(group.att_by_event[0], 1.3897681006, 1e-9)
    calendar = did.emfx(fit, "calendar")
    assert calendar.event_times == [3.0, 4.0, 5.0, 6.0] and calendar.att_by_event is not None
    assert close(calendar.att_by_event[1], 1.1337310825, 1e-9)
    covariates = did.emfx(did.etwfe(data, "y", "t", "g", "id", "~ x", vcov="hetero"))
    assert close(covariates.overall_att, 1.2968067325254857, 1e-9) and close(covariates.overall_se, 0.0605696475820581, 1e-8)
    moderated = did.emfx(did.etwfe(data, "y", "t", "g", "id", xvar="x", vcov="hetero"))
    assert close(moderated.overall_att, 1.2728120358, 1e-9) and close(moderated.overall_se, 0.06046569, 1e-7)
    cohorts = did.emfx(did.etwfe(data, "y", "t", "g", "id", fe="none", vcov="hetero"))
    assert close(cohorts.overall_se, 0.088554403492639, 1e-8)
    counts = did.emfx(did.etwfe(data, "c", "t", "g", "id", family="poisson", vcov="hetero"))
    assert close(counts.overall_att, 1.4001273410673472, 1e-8) and close(counts.overall_se, 0.2104445777899517, 1e-7)
    teens = did.etwfe(golden_data("mpdta"), "lemp", "year", "first.treat", xformla=["lpop"], vcov={"CRV1": "countyreal"})
    assert close(did.emfx(teens).overall_att, -0.0506270331, 1e-8) and close(did.emfx(teens).overall_se, 0.0124972547, 1e-7)


def test_leads_of_etwfe_are_selected() -> None:
    fit = did.etwfe(textbook(), "y", "t", "g", "id", cgroup="never", vcov="hetero")
    leads = did.emfx(fit, "event", post_only=False)
    assert leads.event_times == [-5.0, -4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0] and leads.att_by_event is not None
    assert close(leads.att_by_event[3], -0.022745186, 1e-8) and leads.att_by_event[4] == 0.0
    assert did.emfx(fit, "event").event_times == [0.0, 1.0, 2.0, 3.0]
    assert did.emfx(fit, "event", False, window=(-2, 1)).event_times == [-2.0, -1.0, 0.0, 1.0]
    assert "Std. Error" in str(leads) and len(str(leads).splitlines()) == 11
    assert did.plot_event_study(leads).svg == fit.plot(show_ci=True).svg
    assert did.event_study(fit).vcov() == fit.vcov()
    assert "Sensitivity" in str(did.honest_did(fit, sensitivity_type="relative_magnitude", m_bar_vec=[1.0]))


def first_stage(case: dict[str, Any]) -> dict[str, Any]:
    """Data and arguments of a case of R."""
    data = golden_data(case["dataset"])
    if case["dataset"] == "stag_a":
        treated = (pl.col("g") > 0) & (pl.col("t") >= pl.col("g"))
        data = data.with_columns(wtrw=pl.when(treated).then(pl.col("w")).otherwise(0.0))
    y, i, t, g = case["columns"]
    stage = f"~ {' + '.join(case['covariates']) or '0'} | {' + '.join(case['fe'])}"
    return {
        "data": data, "yname": y, "idname": i, "tname": t, "gname": g, "first_stage": stage, "weightsname": case["weights"],
        "clustervars": case["cluster"],
    }


def test_imputation_has_the_numbers_of_r_and_of_a_dense_program() -> None:
    compared = 0
    for case in golden_json("imputation.json")["imputation"]:
        options = first_stage(case) | {"horizon": case["horizon"], "pretrends": case["pretrends"] or False, "wtr": case["wtr"]}
        for rule, want in (("row", case["r"]), ("cluster", case["dense"])):
            fit = did.imputation(**options, cell_averages=rule)
            rows = fit.tidy().to_dict()
            got = dict(zip(rows["term"], zip(rows["estimate"], rows["se"], strict=True), strict=True))
            for index, name in enumerate(want["names"]):
                estimate, se = got["overall" if name == "treat" else name]
                assert close(estimate, want["estimates"][index], 1e-8), (case["id"], name, estimate)
                if "std_errors" in want:
                    compared += 1
                    assert close(se, want["std_errors"][index], 1e-8), (case["id"], name, se)
            if "treat" in want["names"]:
                assert (fit.att, fit.se) == got["overall"]
    assert compared > 100


def test_did2s_has_the_numbers_of_r() -> None:
    compared = 0
    for case in golden_json("imputation.json")["two_stage"]:
        ref = [float(at) for at in case["ref"] if at != "Inf"]
        fit = did.did2s(**first_stage(case), ref=ref or None, groups=True)
        rows = fit.tidy().to_dict()
        of_kind = {"static": "overall", "event": "event_time"}.get(case["second_stage"], "group")
        got = {
            float(term) if kind != "overall" else 1.0: (estimate, se)
            for kind, term, estimate, se in zip(rows["kind"], rows["term"], rows["estimate"], rows["se"], strict=True)
            if kind == of_kind
        }
        for index, name in enumerate(case["r"]["names"]):
            # Names such as `treat::1`, `rel::-2` and `.g::3:treat`.
            estimate, se = got[float(name.split("::")[1].split(":")[0])]
            compared += 1
            assert close(estimate, case["r"]["estimates"][index], 1e-8, 1e-2), (case["id"], name, estimate)
            assert close(se, case["r"]["std_errors"][index], 1e-8), (case["id"], name, se)
    assert compared > 60


def test_first_stages_are_written_in_several_ways() -> None:
    data = golden_data("mpdta")
    plain = did.imputation(data, **COLUMNS, xformla="~ lpop", first_stage=["first.treat", "year"])
    other = did.did_imputation(data, **COLUMNS, first_stage="~ lpop | first.treat + year")
    assert plain.tidy().to_dict() == other.tidy().to_dict()
    assert did.imputation(data, **COLUMNS).tidy().to_dict() == did.imputation(
        data, **COLUMNS, first_stage="~ 0 | countyreal + year", horizon=True, pretrends=True
    ).tidy().to_dict()
    second = did.did2s(data, **COLUMNS, second_stage="~ treat + treat:lpop", influence=True)
    assert "treat:lpop" in second.tidy().to_dict()["term"]
    names, vcov = second.vcov() or ([], [])
    assert len(names) == len(vcov) == len(second.tidy())
    kept = second.influence()
    assert kept is not None and kept.shape[0] == 500
    for wrong, word in (
        ({"first_stage": "~ lpop"}, "fixed effects"), ({"first_stage": "~ x | id", "xformla": "~ lpop"}, "xformla"),
        ({"horizon": False}, "horizon"), ({"horizon": [-1]}, "`horizon`"), ({"pretrends": "some"}, "pretrends"),
        ({"averaged_by": "cell"}, "averaged_by"),
    ):
        with pytest.raises(did.OptionError, match=word):
            did.imputation(data, **COLUMNS, **wrong)  # type: ignore[arg-type]


def test_joint_studies() -> None:
    data = golden_data("mpdta")
    study = did.joint_study(data, **COLUMNS, estimators=["sa", "cs"], min_e=-3)
    averages = by(study, "averages", "estimator")
    assert list(averages) == ["sa", "cs"]
    rows = study.tidy().to_dict()
    kept = [i for i, of in enumerate(rows["table"]) if of == "agreement"]
    assert [(rows["first"][i], rows["second"][i]) for i in kept] == [("sa", "cs")]
    # The average's standard error and that of the difference follow from the joint covariance.
    names, vcov = study.vcov() or ([], [])
    times = study.to_dict()["result"]["event_times"]
    weights = [
        (1.0 if name.startswith("sa:") else -1.0) / len(times) if float(name.split(":")[1]) in times else 0.0 for name in names
    ]
    variance = sum(a * b * (v or 0.0) for a, row in zip(weights, vcov, strict=True) for b, v in zip(weights, row, strict=True))
    assert close(rows["se"][kept[0]], variance**0.5, 1e-8)
    alone = did.sunab(data, **COLUMNS)
    effects = dict(zip(alone.tidy().to_dict()["event_time"], alone.tidy().to_dict()["estimate"], strict=True))
    named = study.event_study("sa").tidy().to_dict()
    for at, estimate in zip(named["event_time"], named["estimate"], strict=True):
        assert close(estimate, effects[at], 1e-8, 1e-3), at
    assert did.event_study(study, term="sa").tidy().to_dict() == named
    with pytest.raises(did.EstimationError, match="`term`: `sa`, `cs`"):
        study.event_study("stacked")
    with pytest.raises(did.EstimationError, match="of 2 estimators; name one by `term`: `sa`, `cs`"):
        did.event_study(study)
    for wrong, word in (({"estimators": ["ols"]}, "estimators"), ({"estimators": ["cs", "cs"]}, "once"), ({"max_e": -1}, "window")):
        with pytest.raises(did.OptionError, match=word):
            did.joint_study(data, **COLUMNS, **wrong)  # type: ignore[arg-type]


def test_rows_without_a_covariate_serve_for_outcomes() -> None:
    """A covariate of every second period: event times stay periods, and outcomes of the others are compared."""
    gaps = textbook().with_columns(x=pl.when(pl.col("t") % 2 == 0).then(pl.col("x")))
    fit = did.lpdid(gaps, "y", "t", "id", "g", xname="x", window=(-2, 1))
    rows = fit.tidy().to_dict()
    effects = [i for i, table in enumerate(rows["table"]) if table == "effects"]
    counts = {rows["event_time"][i]: (rows["n_rows"][i], rows["n_treated"][i]) for i in effects}
    assert (counts[0], counts[1]) == ((210, 30), (135, 15))
    assert any("270 rows with missing or infinite values (270 for `x`) stay" in warning for warning in fit.warnings)


def test_effects_without_a_standard_error_say_so() -> None:
    constant = textbook().with_columns(y=pl.lit(3.7))
    for fit in (
        did.lpdid(constant, "y", "t", "id", "g", window=(-2, 1)),
        did.stacked(constant, "y", "t", "id", "g", kappa_pre=2, kappa_post=1),
    ):
        rows = fit.tidy().to_dict()
        at = next(i for i, table in enumerate(rows["table"]) if table == "effects" and rows["event_time"][i] == 0)
        assert (rows["se"][at], rows["status"][at], rows["reason"][at]) == (None, "no_standard_error", "the estimate does not vary")


def test_switching_effects_among_others() -> None:
    study = did.joint_study(golden_data("mpdta"), **COLUMNS, estimators=["cs", "dcdh"])
    cs, dcdh = (
        dict(zip(of["event_time"], of["estimate"], strict=True))
        for of in (study.event_study(name).tidy().to_dict() for name in ("cs", "dcdh"))
    )
    for at in range(4):
        assert close(dcdh[at], cs[at], 1e-8, 1e-3), at
    assert "the same estimates" in str(study)


def test_specification_curves() -> None:
    data = golden_data("mpdta")
    vary = {"control_group": None, "est_method": ["dr", "reg"], "covariates": ["~ lpop", "~ 1"]}
    curve = did.specification_curve(data, **COLUMNS, estimators=["cs", "sa"], vary=vary)
    rows = curve.tidy().to_dict()
    assert rows["estimator"] == ["cs"] * 8 + ["sa"] * 2
    assert rows["covariates"] == (["~ lpop"] * 4 + ["~ 1"] * 4) + ["~ lpop", "~ 1"]
    fit = did.att_gt(data, **COLUMNS, xformla="~ 1", control_group="nevertreated", est_method="reg", base_period="universal")
    effects = did.aggte(fit, type="dynamic").tidy().to_dict()
    after = [e for e, at in zip(effects["estimate"], effects["event_time"], strict=True) if at is not None and at >= 0]
    found = [
        e for e, x, c, m in zip(rows["estimate"], rows["covariates"], rows["control_group"], rows["est_method"], strict=True)
        if (x, c, m) == ("~ 1", "never_treated", "outcome_regression")
    ]
    assert close(found[0], sum(after) / len(after), 1e-8)
    names, vcov = curve.vcov() or ([], [])
    assert names[0] == "1"
    variance = (vcov[0][0] or 0.0) + (vcov[1][1] or 0.0) - 2 * (vcov[0][1] or 0.0)
    assert close(rows["difference_se"][1], variance**0.5, 1e-8)
    assert did.specification_curve(data, **COLUMNS, estimators="cs", vary=["control_group", "sample"]).tidy().shape[0] == 8
    for wrong in ("borders", {"anticipation": [-1]}, {"control_group": ["all"]}, []):
        with pytest.raises(did.OptionError, match="vary"):
            did.specification_curve(data, **COLUMNS, vary=wrong)  # type: ignore[arg-type]


def test_what_is_no_option_of_etwfe_is_refused() -> None:
    data = golden_data("mpdta")
    for wrong, word in (
        ({"gref": 2007}, "gref"), ({"tref": 2003}, "tref"), ({"xformla": "~ log(lpop)"}, "xformla"), ({"cgroup": "all"}, "cgroup"),
        ({"fe": "two"}, "fe"), ({"family": "gamma"}, "family"), ({"xformla": "~ lpop", "xvar": "lpop"}, "xvar"),
        ({"family": "poisson", "scale": "log"}, "scale"),
    ):
        with pytest.raises(did.OptionError, match=word):
            did.etwfe(data, **COLUMNS, **wrong)  # type: ignore[arg-type]
    fit = did.etwfe(data, **COLUMNS)
    for words, word in (
        ({"type": "cohort"}, "`type`"),
        ({"type": "event", "window": (1,)}, r"`window` must be .*got \(1,\)"),
        ({"type": "event", "window": 2}, r"`window` must be .*got 2; give \(-2, 2\)"),
        ({"type": "event", "window": "12"}, "`window` must be .*got '12'"),
        ({"type": "event", "window": (None, 2)}, "`window` must be"),
        ({"type": "event", "window": (5, 2)}, "`window` must be .*first is after its last; the 5 periods before treatment .* are -5 here"),
        ({"type": "event", "window": (8, 9)}, r"`window` has no event time in it, got \(8, 9\), and the event times are 0, 1, 2, 3"),
        ({"type": "simple", "window": (0, 1)}, "`window` is for the averages by event time"),
        ({"type": "group", "window": (0, 1)}, "`window` is for the averages by event time"),
        ({"type": "calendar", "window": (0, 1)}, "`window` is for the averages by event time"),
    ):
        with pytest.raises(did.OptionError, match=word):
            did.emfx(fit, **words)  # type: ignore[arg-type]
    leads = did.etwfe(data, **COLUMNS, cgroup="never")
    with pytest.raises(did.OptionError, match="`post_only=False`"):
        did.emfx(leads, "event", window=(-2, -1))
    assert did.emfx(leads, "event", window=[0, float("inf")]).event_times == [0.0, 1.0, 2.0, 3.0]


def test_averages_of_etwfe_have_intervals_p_values_and_tables() -> None:
    fit = did.etwfe(golden_data("mpdta"), **COLUMNS, cgroup="never", alpha=0.1)
    of_fit = fit.tidy().to_dict()
    simple = did.emfx(fit)
    assert (simple.overall_ci_lower, simple.overall_ci_upper, simple.overall_p_value) == tuple(
        of_fit[name][0] for name in ("ci_lower", "ci_upper", "p_value")
    )
    assert simple.tidy().to_dict() == {name: values[:1] for name, values in of_fit.items()}
    event = did.emfx(fit, "event", post_only=False, window=(-2, 1))
    table = event.tidy().to_dict()
    assert table["event_time"] == event.event_times == [-2.0, -1.0, 0.0, 1.0]
    assert table["p_value"] == event.p_by_event and event.p_by_event[1] is None
    assert table["ci_upper"] == event.ci_upper and table["estimate"] == event.att_by_event
    assert event.to_polars().shape[0] == 4 and event.to_polars()["p_value"].to_list() == event.p_by_event
    assert "90% CI" in str(event) and "p-value" in str(event)
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    assert list(did.emfx(fit, "group").to_pandas()["group"]) == [2004.0, 2006.0, 2007.0]
    assert did.emfx(fit, "calendar").to_arrow().num_rows == 4


def test_influence_values_are_kept_on_request() -> None:
    data = did.load_mpdta()
    fits: dict[str, Callable[..., Any]] = {
        "lpdid": lambda **more: did.lpdid(data, **COLUMNS, window=(-2, 1), **more),
        "stacked": lambda **more: did.stacked(data, **COLUMNS, kappa_pre=2, kappa_post=1, **more),
        "sunab": lambda **more: did.sunab(data, **COLUMNS, **more),
        "etwfe": lambda **more: did.etwfe(data, **COLUMNS, **more),
        "feols": lambda **more: did.feols("lemp ~ lpop | year", data, vcov="cluster:countyreal", **more),
    }
    for name, fit in fits.items():
        assert fit().influence() is None, name
        kept = fit(influence=True)
        for again in (kept, pickle.loads(pickle.dumps(kept))):
            values = again.influence().to_dict()
            clusters = len(values.pop("unit"))
            rows = kept.tidy().to_dict()
            errors = [se for se in rows["se"] if se is not None]
            for of_effect in values.values():
                root = sum(value**2 for value in of_effect) ** 0.5 / clusters
                assert any(abs(root / se - 1) < 0.05 for se in errors), (name, root, errors)
