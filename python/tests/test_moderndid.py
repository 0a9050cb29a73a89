"""The calls of ModernDiD's documentation, with only the import changed: the same numbers, where ModernDiD is installed."""

from __future__ import annotations

import importlib
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import close, golden_data

import burn_did as did

moderndid = pytest.importorskip("moderndid")


def alike(ours: Any, theirs: Any, relative: float = 1e-6) -> None:
    """Influence values, of which the units have another order there."""
    ours, theirs = (np.array(values, dtype=float) for values in (ours, theirs))
    assert ours.shape == theirs.shape
    assert np.allclose(np.sort(ours, axis=0), np.sort(theirs, axis=0), rtol=relative, atol=relative * np.abs(theirs).max())


def agree(ours: Any, theirs: Any, relative: float, least: float = 1e-3) -> None:
    ours, theirs = list(ours), [float(value) for value in theirs]
    assert len(ours) == len(theirs)
    for got, want in zip(ours, theirs, strict=True):
        # What does not exist is None here and NaN there.
        assert (got is None and want != want) or close(got, want, relative, least), (got, want)


ATT_GT: list[dict[str, Any]] = [
    {"xformla": "~1"},
    {"xformla": "~lpop"},
    {"xformla": "~lpop", "est_method": "reg"},
    {"xformla": "~lpop", "est_method": "ipw"},
    {"xformla": "~1", "control_group": "notyettreated"},
    {"xformla": "~1", "base_period": "universal"},
    {"xformla": "~1", "anticipation": 1},
    {"xformla": "~1", "panel": False, "idname": None},
]


@pytest.mark.parametrize("options", ATT_GT, ids=str)
def test_att_gt_and_aggte(options: dict[str, Any]) -> None:
    data = golden_data("mpdta")
    call = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat", **options}
    ours, theirs = (module.att_gt(data=data, **call) for module in (did, moderndid))
    agree(ours.att_gt, theirs.att_gt, 1e-6)
    universal = options.get("base_period") == "universal"
    pairs = [(o, t) for o, t in zip(ours.se_gt, theirs.se_gt, strict=True) if o is not None]
    assert universal or len(pairs) == len(ours.se_gt)
    agree([o for o, _ in pairs], [t for _, t in pairs], 1e-6)
    for kind in ("simple", "group", "dynamic", "calendar"):
        mine, other = (module.aggte(result, type=kind) for module, result in ((did, ours), (moderndid, theirs)))
        agree([mine.overall_att, mine.overall_se], [other.overall_att, other.overall_se], 1e-6)
        if kind != "simple":
            agree(mine.event_times, other.event_times, 1e-12)
            agree(mine.att_by_event, other.att_by_event, 1e-6)


@pytest.mark.parametrize("method", ["imp", "trad"])
def test_drdid(method: str) -> None:
    data = moderndid.load_nsw()
    call: dict[str, Any] = {
        "yname": "re", "tname": "year", "idname": "id", "treatname": "experimental", "est_method": method,
        "xformla": "~ age + educ + black + married + nodegree + hisp + re74",
    }
    ours, theirs = (module.drdid(data=data, **call) for module in (did, moderndid))
    agree([ours.att, ours.se], [theirs.att, theirs.se], 1e-5)


def test_ddd() -> None:
    made = moderndid.gen_ddd_mult_periods(n=500, dgp_type=1, random_state=42)
    data = made["data"]
    call: dict[str, Any] = {
        "yname": "y", "tname": "time", "idname": "id", "gname": "group", "pname": "partition", "est_method": "dr",
        "base_period": "varying", "control_group": "nevertreated",
    }
    ours, theirs = (module.ddd(data=data, **call) for module in (did, moderndid))
    agree(ours.att_gt, theirs.att, 1e-6)
    agree(ours.se_gt, theirs.se, 1e-6)


def test_did_multiplegt() -> None:
    data = moderndid.load_favara_imbs()
    call: dict[str, Any] = {
        "yname": "Dl_vloans_b", "tname": "year", "idname": "county", "dname": "inter_bra", "effects": 3, "placebo": 1,
        "cluster": "state_n",
    }
    ours, theirs = (module.did_multiplegt(data=data, **call) for module in (did, moderndid))
    rows = ours.tidy().to_dict()
    effects = [i for i, table in enumerate(rows["table"]) if table == "effects"]
    agree([rows["estimate"][i] for i in effects], theirs.effects.estimates, 1e-7)
    agree([rows["se"][i] for i in effects], theirs.effects.std_errors, 1e-7)


@pytest.mark.parametrize("options", [{}, {"xformla": "~lpop"}, {"cgroup": "never"}, {"fe": "none"}], ids=str)
def test_etwfe_and_emfx(options: dict[str, Any]) -> None:
    pytest.importorskip("pyfixest")
    data = golden_data("mpdta")
    call = {"yname": "lemp", "tname": "year", "gname": "first.treat", "idname": "countyreal", **options}
    ours, theirs = (module.etwfe(data=data, **call) for module in (did, moderndid))
    mine, other = (module.emfx(fit, "simple") for module, fit in ((did, ours), (moderndid, theirs)))
    agree([mine.overall_att, mine.overall_se], [other.overall_att, other.overall_se], 1e-6)
    for kind in ("group", "calendar", "event"):
        mine, other = (module.emfx(fit, type=kind) for module, fit in ((did, ours), (moderndid, theirs)))
        agree(mine.event_times, other.event_times, 1e-12)
        agree(mine.att_by_event, other.att_by_event, 1e-6)
        agree(mine.se_by_event, other.se_by_event, 1e-6)


def test_cont_did() -> None:
    data = moderndid.gen_cont_did_data(n=500, seed=42)
    call: dict[str, Any] = {
        "yname": "Y", "tname": "time_period", "idname": "id", "gname": "G", "dname": "D", "degree": 2, "num_knots": 1,
        "dvals": [0.2, 0.5, 0.8], "biters": 50,
    }
    ours, theirs = (module.cont_did(data=data, **call) for module in (did, moderndid))
    rows = ours.tidy().to_dict()
    curve = [e for table, e in zip(rows["table"], rows["estimate"], strict=True) if table == "effects"]
    agree(curve, theirs.att_d, 1e-6)


def test_fields_of_covariances_and_influence() -> None:
    data = golden_data("mpdta")
    ours = did.att_gt(data, "lemp", "year", "countyreal", "first.treat", influence=True)
    theirs = moderndid.att_gt(data=data, yname="lemp", tname="year", idname="countyreal", gname="first.treat")
    for mine, other in ((ours, theirs), *((did.aggte(ours, kind), moderndid.aggte(theirs, kind)) for kind in ("dynamic", "group", "calendar"))):
        matrix = np.array(mine.vcov_analytical, dtype=float)
        assert np.allclose(matrix, other.vcov_analytical, rtol=1e-6, atol=1e-9)
    assert did.att_gt(data, "lemp", "year", "countyreal", "first.treat").influence_func is None
    alike(ours.influence_func, theirs.influence_func)
    assert ours.aggregate_effects is None and theirs.aggregate_effects is None
    call: dict[str, Any] = {"yname": "re", "tname": "year", "idname": "id", "treatname": "experimental", "xformla": "~ age"}
    data = moderndid.load_nsw()
    mine, other = did.drdid(data, **call, inf_func=True), moderndid.drdid(data, **call, inf_func=True)
    alike(mine.att_inf_func, other.att_inf_func, 1e-5)


AVERAGES: list[dict[str, Any]] = [
    {}, {"xformla": "~lpop", "control_group": "notyettreated"}, {"base_period": "universal"}, {"weightsname": "lpop"},
    {"clustervars": ["state"]}, {"panel": False, "idname": None},
]


@pytest.mark.parametrize("kind", ["simple", "dynamic", "group", "calendar"])
@pytest.mark.parametrize("options", AVERAGES, ids=str)
def test_influence_values_of_averages(options: dict[str, Any], kind: str) -> None:
    data = golden_data("mpdta").with_columns(state=pl.col("countyreal") // 1000)
    call = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat", **options}
    mine = did.aggte(did.att_gt(data, **call, influence=True), kind)
    other = moderndid.aggte(moderndid.att_gt(data=data, **call), type=kind)
    alike(mine.influence_func_overall, other.influence_func_overall)
    alike(mine.influence_func, other.influence_func)
    kept = mine.influence()
    assert kept is not None and kept.shape[0] == len(np.array(mine.influence_func)) and kept.columns[:2] == ["unit", "overall"]
    copied = pickle.loads(pickle.dumps(mine))
    assert copied.influence_func == mine.influence_func
    again = did.aggte(pickle.loads(pickle.dumps(did.att_gt(data, **call, influence=True))), kind)
    assert again.influence_func == mine.influence_func
    without = did.aggte(did.att_gt(data, **call), kind)
    assert without.influence() is None and without.influence_func is None and without.influence_func_overall is None


@pytest.mark.parametrize("kind", ["simple", "eventstudy", "group", "calendar"])
def test_influence_values_of_averages_of_triple_differences(kind: str) -> None:
    data = moderndid.gen_ddd_mult_periods(n=500, dgp_type=1, random_state=42)["data"]
    call: dict[str, Any] = {
        "yname": "y", "tname": "time", "idname": "id", "gname": "group", "pname": "partition", "est_method": "dr", "base_period": "varying",
    }
    ours, theirs = did.ddd(data, **call, influence=True), moderndid.ddd(data=data, **call)
    alike(ours.inf_func_mat, theirs.inf_func_mat)
    mine, other = did.agg_ddd(ours, kind), moderndid.agg_ddd(theirs, type=kind, boot=False, cband=False)
    alike(mine.inf_func_overall, other.inf_func_overall)
    assert (mine.inf_func is None) == (other.inf_func is None) == (kind == "simple")
    if kind != "simple":
        alike(mine.inf_func, other.inf_func)


def test_fields_of_triple_differences_in_two_periods() -> None:
    data = moderndid.gen_ddd_2periods(n=500, dgp_type=1, random_state=42)["data"]
    call: dict[str, Any] = {"yname": "y", "tname": "time", "idname": "id", "gname": "state", "pname": "partition", "xformla": "~ cov1 + cov2"}
    ours, theirs = did.ddd(data, **call, influence=True), moderndid.ddd(data=data, **call)
    assert ours.did_atts is not None and list(ours.did_atts) == list(theirs.did_atts)
    agree(ours.did_atts.values(), theirs.did_atts.values(), 1e-6)
    alike(ours.att_inf_func, theirs.att_inf_func)
    assert ours.boots is None and theirs.boots is None
    ours, theirs = (module.ddd(data=data, **call, boot=True, biters=4000, random_state=1) for module in (did, moderndid))
    assert ours.boots is not None and ours.att_inf_func is None and len(ours.boots) == len(theirs.boots) == 4000
    assert close(np.std(ours.boots), np.std(theirs.boots), 0.08) and abs(np.mean(ours.boots)) < 0.1 * np.std(ours.boots)
    many = did.att_gt(golden_data("mpdta"), "lemp", "year", "countyreal", "first.treat", influence=True, boot=True)
    assert many.did_atts is None and many.boots is None and many.att_inf_func is None


@pytest.mark.parametrize("kind", ["multiplier", "weighted"])
def test_draws_of_drdid(kind: str) -> None:
    call: dict[str, Any] = {
        "yname": "re", "tname": "year", "idname": "id", "treatname": "experimental", "xformla": "~ age", "boot": True, "boot_type": kind,
        "biters": 500,
    }
    data = moderndid.load_nsw()
    ours, theirs = did.drdid(data, **call), moderndid.drdid(data, **call)
    assert len(ours.boots) == len(theirs.boots) == 500
    assert close(np.std(ours.boots), np.std(theirs.boots), 0.2)
    centre = ours.att if kind == "weighted" else 0.0
    for draws in (ours.boots, theirs.boots):
        assert abs(np.mean(draws) - centre) < 0.3 * np.std(draws)
    del call["boot"]
    assert did.drdid(data, **call).boots is None


def test_degrees_of_npiv() -> None:
    draw = np.random.default_rng(1)
    x, w = draw.uniform(size=(2, 200))
    data = pl.DataFrame({"y": x + draw.normal(size=200), "x": x, "w": w})
    for options in ({"wname": "w", "j_x_segments": 1, "k_w_segments": 1}, {"wname": "w", "j_x_segments": 1, "k_w_degree": 5}, {"wname": "x", "j_x_segments": 2}):
        ours, theirs = (module.npiv(data=data, yname="y", xname="x", **options) for module in (did, moderndid))
        assert (ours.k_w_degree, ours.j_x_degree, ours.k_w_segments) == (theirs.k_w_degree, theirs.j_x_degree, theirs.k_w_segments)


@pytest.mark.parametrize("options", [{}, {"cgroup": "never"}, {"alpha": 0.1}, {"vcov": "hetero"}, {"family": "poisson"}], ids=str)
def test_fields_of_emfx(options: dict[str, Any]) -> None:
    data = golden_data("mpdta")
    fit = did.etwfe(data, "lemp", "year", "first.treat", "countyreal", **options)
    assert fit.n_units == 500 and len(fit.coef_names) == len(fit.coefficients)
    for kind in ("simple", "group", "calendar", "event"):
        found = did.emfx(fit, kind)
        assert found.n_obs == 2500 and found.estimation_params == fit.estimation_params
        # Intervals are by this number.
        for estimate, error, end in ((found.overall_att, found.overall_se, found.overall_ci_upper), *zip(
            found.att_by_event or (), found.se_by_event or (), found.ci_upper or (), strict=True
        )):
            assert close(end, estimate + found.critical_value * error, 1e-12)
    pytest.importorskip("pyfixest")
    other = moderndid.emfx(moderndid.etwfe(data=data, yname="lemp", tname="year", gname="first.treat", idname="countyreal", **options), "event")
    assert close(found.critical_value, other.critical_value, 1e-9) and found.n_obs == other.n_obs
    shared = {name: value for name, value in found.estimation_params.items() if name not in ("family", "clustervar")}
    assert shared.items() <= other.estimation_params.items()


#: Fields of ModernDiD's results that are not here, with their reasons in differences.md.
LACKING = {
    "MPResult": "G weights_ind influence_moments", "AGGTEResult": "call_info",
    "DDDMultiPeriodResult": "args unit_groups unit_weights unit_clusters unit_partition", "DDDAggResult": "args",
    "DDDPanelResult": "args subgroup_counts", "EmfxResult": "", "EtwfeResult": "config data model_coefficients",
    "NPIVResult": "args residuals", "DRDIDResult": "args call_params",
    "DoseResult": "overall_att_inf_func overall_acrt_inf_func att_d_inf_func acrt_d_inf_func pte_params", "PTEResult": "att_gt ptep",
    "DIDInterResult": "influence_effects influence_placebos vcov_warnings",
}


@pytest.mark.parametrize("name", LACKING)
def test_fields_that_lack(name: str) -> None:
    data = golden_data("mpdta")
    fit = did.att_gt(data, "lemp", "year", "countyreal", "first.treat")
    made: dict[str, Any] = {
        "MPResult": type(fit), "DDDMultiPeriodResult": type(fit), "AGGTEResult": did.AggregatedResult, "DDDAggResult": did.AggregatedResult,
        "EmfxResult": did.EmfxResult, "EtwfeResult": did.EtwfeResult, "NPIVResult": did.NpivResult, "DRDIDResult": did.DrdidResult,
        "DDDPanelResult": type(fit), "DoseResult": did.ContDidResult, "PTEResult": did.ContDidResult, "DIDInterResult": did.MultiplegtResult,
    }
    parts = (importlib.import_module(f"moderndid.{part}.container") for part in ("did", "drdid", "didtriple", "didcont", "didinter", "etwfe", "npiv"))
    theirs = next(getattr(part, name) for part in parts if hasattr(part, name))
    ours = {*dir(made[name]), *getattr(made[name], "__dataclass_fields__", ())}
    assert set(theirs._fields) - ours == set(LACKING[name].split())
    one = object.__new__(made[name])
    for field in LACKING[name].split():
        with pytest.raises(AttributeError, match=f"{made[name].__name__} has no field `{field}`, which ModernDiD has: ."):
            getattr(one, field)
    words = (Path(__file__).parents[1] / "differences.md").read_text(encoding="utf-8")
    assert all(f"`{field}`" in words for field in LACKING[name].split())
