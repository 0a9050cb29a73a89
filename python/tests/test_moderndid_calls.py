"""Arguments, fields, helpers and frames of ModernDiD; compared with it where it is installed."""

from __future__ import annotations

import copy
import pickle
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import close, golden_data

import burn_did as did

COLUMNS: dict[str, Any] = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat"}
SWITCHING: dict[str, Any] = {"yname": "Dl_vloans_b", "tname": "year", "idname": "county", "dname": "inter_bra"}


@cache
def fit(**options: Any) -> did.GroupTimeResult:
    return did.att_gt(golden_data("mpdta"), **COLUMNS, **options)


@cache
def drawn() -> did.GroupTimeResult:
    return fit(boot=True, biters=200, random_state=7, clustervars="countyreal")


@cache
def doses(**options: Any) -> did.ContDidResult:
    data = did.simulate("cont_did", 300, 1).data
    return did.cont_did(data, "y", "period", "id", "group", "dose", **options)


def agree(ours: Any, theirs: Any, relative: float = 1e-6) -> None:
    """Whether numbers are those of ModernDiD, where what does not exist is None here and NaN there."""
    ours, theirs = np.atleast_1d(np.array(ours, dtype=float)), np.atleast_1d(np.array(theirs, dtype=float))
    assert ours.shape == theirs.shape
    for got, want in zip(ours, theirs, strict=True):
        assert (np.isnan(got) and np.isnan(want)) or close(got, want, relative, 1e-3), (ours, theirs)


def test_averages_take_what_agrees_with_the_fit() -> None:
    analytic = did.aggte(fit(), "dynamic")
    agreeing: list[dict[str, Any]] = [
        {"boot": False}, {"biters": 500, "random_state": 3}, {"alpha": 0.05, "cband": False}, {"clustervars": []},
    ]
    for options in agreeing:
        assert did.aggte(fit(), "dynamic", **options) == analytic, options
    of_draws = did.aggte(drawn(), "dynamic")
    assert did.aggte(drawn(), "dynamic", boot=True, biters=200, random_state=7) == of_draws
    band = did.aggte(fit(), "dynamic", cband=True, alpha=0.1)
    assert band.critical_values[0] is not None and band.critical_values[0] > 2 and band.estimation_params["alpha"] == 0.1
    triple = did.ddd(did.simulate("ddd", 300, 1).data, "y", "period", "id", "group", "eligible")
    assert did.agg_ddd(triple, "eventstudy", boot=False, biters=999, cband=False, alpha=0.05).aggregation_type == "eventstudy"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: did.aggte(fit(), boot=True), "`boot` must be False, got True: .*give it to the estimator"),
        (lambda: did.aggte(drawn(), boot=False), "`boot` must be True, got False"),
        (lambda: did.aggte(drawn(), biters=999), "`biters` must be 200, got 999"),
        (lambda: did.aggte(drawn(), random_state=8), "`random_state` must be 7, got 8"),
        (lambda: did.aggte(fit(), random_state="a"), "`random_state` must be a whole number"),  # type: ignore[arg-type]
        (lambda: did.aggte(fit(), clustervars=["state"]), r"`clustervars` must be \[\], got"),
        (lambda: did.plot_event_study(did.aggte(fit(), "dynamic"), ref_period=0), "`ref_period` must be -1, got 0"),
        (lambda: did.plot_dose_response(doses(), "slope"), "`effect_type` must be 'att', 'acrt' or None"),
        (lambda: did.plot_dose_response(doses(), "att", style="ribbon"), "`style` is of the picture that has both"),
        (lambda: did.plot_event_study(did.aggte(fit(), "dynamic")).save("x.png", dpi=300), "`width` and `height`"),
        (lambda: did.npiv(y=[1.0], x=[1.0], yname="y"), "`yname` and `y` are both given"),
        (lambda: did.npiv(y=[1.0]), "`x` must be given"),
        (lambda: did.npiv(y=[1.0, 2.0], x=[1.0]), "equally many rows: `y` has 2, `x1` has 1"),
        (lambda: did.npiv(y=[[1.0, 2.0]], x=[1.0]), "`y` must be one column, got 2"),
        (lambda: did.npiv(y=["a"], x=[1.0]), "`y` must be numbers"),
        (lambda: did.npiv(), "needs `data`, `yname` and `xname`, or arrays"),
        (lambda: did.to_df(did.aggte(fit(), "simple")), "one average"),
        (lambda: did.to_df(fit(), effect_type="att"), "`effect_type`.*GroupTimeResult"),
        (lambda: did.to_df(3), "no frame of these columns: it is int"),
        (lambda: did.get_group(golden_data("mpdta"), "id", "year", "treat"), "column `id` is not in the data"),
    ],
)
def test_what_cannot_be_done_is_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(did.BurnDidError, match=message):
        call()


def test_an_event_study_marks_its_reference() -> None:
    for study, reference in (
        (did.aggte(fit(), "dynamic"), -1), (did.aggte(fit(base_period="universal"), "dynamic"), -1),
        (did.aggte(fit(anticipation=1, base_period="universal"), "dynamic"), -2),
    ):
        assert did.plot_event_study(study, ref_period=reference).svg == did.plot_event_study(study).svg


def test_one_curve_of_doses(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pictures = {kind: did.plot_dose_response(doses(), kind, title="Alone") for kind in ("att", "acrt")}
    assert all("<svg" in picture.svg for picture in pictures.values()) and pictures["att"].svg != pictures["acrt"].svg
    pictures["att"].save(tmp_path / "att.png", width=8, height=5, dpi=50)
    assert size_of((tmp_path / "att.png").read_bytes()) == (400, 250)
    plain = did.plot_dose_response(doses(), "att", show_ci=False).svg
    assert len(plain) < len(pictures["att"].svg)
    with pytest.raises(did.OptionError, match="curves by dose"):
        did.plot_dose_response(doses(aggregation="eventstudy"), "acrt")


def size_of(png: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", png[16:24])
    return width, height


class labs:
    """Stands for that of plotnine."""

    def __init__(self, **words: str) -> None:
        vars(self).update(words)


class theme_gray:
    """Stands for that of plotnine."""


labs.__module__ = theme_gray.__module__ = "plotnine.labels"


def test_words_of_plotnine(tmp_path: Path) -> None:
    picture = did.plot_gt(fit(), ncol=3)
    named = picture + labs(title="Another title", x="Year", y="Effect")
    assert named.svg == fit().plot(title="Another title", xlab="Year", ylab="Effect").svg
    with pytest.warns(did.BurnDidWarning) as heard:
        same = picture + labs(subtitle="Small") + theme_gray()
    assert same.svg == picture.svg
    assert [str(warning.message).partition(" has no effect")[0] for warning in heard] == ["`subtitle` of `labs`", "`theme_gray`"]
    with pytest.raises(TypeError):
        picture + 3
    picture.save(tmp_path / "picture.png", width=8, height=5, dpi=200)
    assert size_of((tmp_path / "picture.png").read_bytes()) == (1600, 1000)


def test_sieves_of_arrays() -> None:
    data = did.simulate("npiv", 200, 1).data.to_polars()
    named = did.npiv(data, "y", "x", "w", j_x_segments=2, biters=50, seed=1)
    columns: dict[str, Any] = {name: data[name].to_numpy() for name in ("y", "x", "w")}
    given = did.npiv(**columns, j_x_segments=2, biters=50, seed=1)
    assert given.h == named.h and given.h_lower == named.h_lower
    assert did.npiv(**{**columns, "x": columns["x"].reshape(-1, 1)}, j_x_segments=2, biters=50, seed=1).h == named.h
    assert named.j_x_segments == 2 and len(named.h) == len(named.deriv) == len(named.asy_se) == 200 and len(named.beta) == 5
    alone = did.npiv(data, "y", "x", "w", j_x_segments=2, ucb_h=False, ucb_deriv=False, check_is_fullrank=True)
    for again in (alone, copy.deepcopy(alone), pickle.loads(pickle.dumps(alone))):
        assert (again.h_lower, again.h_upper, again.cv, again.h_lower_deriv, again.h_upper_deriv, again.cv_deriv) == (None,) * 6
    assert alone.h == named.h


def test_tools_for_panels_keep_the_kind_of_the_data() -> None:
    rows = pl.DataFrame({"id": [2, 1, 1, 1], "t": [3, 2, 1, 3], "d": [0.0, 1.0, 0.0, None], "y": [1.0, 2.0, 3.0, 4.0]})
    groups = did.get_group(rows, "id", "t", "d")
    assert groups["G"].to_list() == [0, 2, 2, 2] and groups["t"].to_list() == rows["t"].to_list()
    assert did.get_group(rows, "id", "t", "d", treat_period=9)["G"].to_list() == [0, 9, 9, 9]
    assert did.fill_panel_gaps(rows, "id", "t").shape == (6, 4) and did.make_balanced_panel(rows, "id", "t")["id"].to_list() == [1, 1, 1]
    assert did.has_gaps(rows, "id", "t") and not did.is_balanced_panel(rows, "id", "t")
    whole = did.fill_panel_gaps(rows, "id", "t")
    # A row without a unit is no row of the unit that it was of.
    nameless = whole.with_columns(id=pl.when(pl.int_range(pl.len()) == 0).then(None).otherwise(pl.col("id")))
    assert did.is_balanced_panel(whole, "id", "t") and not did.is_balanced_panel(nameless, "id", "t")
    twice = pl.concat([rows, rows[:1].with_columns(y=9.0)])
    assert did.deduplicate_panel(twice, "id", "t")["y"].to_list()[-1] == 9.0 and did.has_gaps(twice, "id", "t")
    assert "y_3" in did.panel_to_wide(rows, "id", "t").columns and "y.3" in did.panel_to_wide(rows, "id", "t", ".").columns
    pandas = pytest.importorskip("pandas")
    for tool in (did.fill_panel_gaps, did.make_balanced_panel, did.panel_to_wide):
        assert isinstance(tool(rows.to_pandas(), "id", "t"), pandas.DataFrame)
        assert isinstance(tool(did.panel.balance(rows, "id", "t"), "id", "t"), did.panel.Panel)
    assert isinstance(did.get_group(rows.to_pandas(), "id", "t", "d"), pandas.DataFrame)
    with pytest.raises(did.DataError, match="must have numbers"):
        did.get_group(rows.with_columns(t=pl.lit("a")), "id", "t", "d")


def test_fields_are_those_of_the_table() -> None:
    rows = fit().tidy()
    assert fit().att == rows["estimate"] and fit().lci == rows["ci_lower"] and fit().n_units == 500
    switching = did.did_multiplegt(did.load_favara_imbs(), **SWITCHING, effects=2, placebo=0)
    assert switching.placebos is None and switching.heterogeneity is None and switching.effects_equal_test is None
    assert switching.effects.horizons == [1, 2] and switching.n_units == switching.n_switchers + switching.n_never_switchers
    study = doses(aggregation="eventstudy").event_study
    assert study is not None and study.event_times == did.to_df(doses(aggregation="eventstudy"))["event_time"].to_list()
    assert doses().event_study is None and len(doses().dose) == len(doses().att_d) == len(doses().acrt_d)
    study = did.aggte(fit(base_period="universal"), "dynamic")
    sensitivity = did.honest_did(study, m_vec=[0.0, 0.01])
    assert sensitivity.robust_ci.columns == ["lb", "ub", "method", "delta", "m"] and sensitivity.sensitivity_type == "smoothness"
    assert did.to_df(sensitivity)["param_value"].to_list() == [0.0, 0.01, -0.01]


def test_ends_are_those_of_the_band() -> None:
    two = did.simulate("ddd", 300, 1).data
    triple = did.ddd(two, "y", "period", "id", "group", "eligible", boot=True, biters=200, random_state=1)
    assert triple.critical_value is not None and abs(triple.critical_value - 1.96) > 1e-3
    assert close(triple.lci, triple.att - triple.critical_value * triple.se, 1e-12)
    assert close(triple.uci, triple.att + triple.critical_value * triple.se, 1e-12)
    banded = fit(cband=True)
    rows = banded.tidy()
    assert banded.lci == rows["band_lower"] and did.to_df(banded)["ci_upper"].to_list() == rows["band_upper"]
    average = did.aggte(banded, "dynamic")
    bands = [band for table, band in zip(average.tidy()["table"], average.tidy()["band_upper"], strict=True) if table == "rows"]
    assert did.to_df(average)["ci_upper"].to_list() == bands
    curve = doses(cband=True)
    assert did.to_df(curve)["ci_lower"].to_list() == curve._of("effects", "band_lower")
    # One more dose has the fit's critical value.
    at = curve.at(curve.dose[20]).to_dict()
    assert at["band_upper"][at["table"].index("effects")] == curve._of("effects", "band_upper")[20]


def test_a_band_of_one_estimate_is_said() -> None:
    two = did.simulate("ddd", 300, 1).data
    one = did.att_gt(two, "y", "period", "id", "group", cband=True)
    assert any("a uniform band over one estimate" in said for said in one.warnings), one.warnings
    assert not any("uniform band" in said for said in did.att_gt(two, "y", "period", "id", "group").warnings)


def test_cross_sections_take_allow_unbalanced_panel() -> None:
    columns = {"yname": "lemp", "tname": "year", "gname": "first.treat", "panel": False}
    both = did.att_gt(golden_data("mpdta"), **columns, allow_unbalanced_panel=True)
    assert both.tidy().to_polars().equals(did.att_gt(golden_data("mpdta"), **columns).tidy().to_polars())


def test_submodules() -> None:
    from burn_did.didhonest import honest_did

    assert honest_did is did.honest_did is did.didhonest.honest_did


@pytest.fixture
def moderndid() -> Any:
    return pytest.importorskip("moderndid")


class TestAgainstModernDid:
    """The same fields and frames of the same data."""

    def both(self, moderndid: Any, estimator: str, *arguments: Any, **options: Any) -> tuple[Any, Any]:
        ours, theirs = (getattr(module, estimator)(*arguments, **options) for module in (did, moderndid))
        return ours, theirs

    def fields(self, ours: Any, theirs: Any, names: str, relative: float = 1e-6) -> None:
        for name in names.split():
            agree(getattr(ours, name), getattr(theirs, name), relative)

    def frames(self, moderndid: Any, ours: Any, theirs: Any, **options: Any) -> None:
        from polars.testing import assert_frame_equal

        mine, other = did.to_df(ours, **options), moderndid.to_df(theirs, **options)
        assert_frame_equal(mine, other.with_columns(pl.selectors.float().fill_nan(None)), rel_tol=1e-5, abs_tol=1e-9)

    def test_group_time(self, moderndid: Any) -> None:
        ours, theirs = self.both(moderndid, "att_gt", golden_data("mpdta"), **COLUMNS)
        self.fields(ours, theirs, "groups times att_gt se_gt critical_value n_units wald_stat alpha")
        agree(ours.wald_pvalue, theirs.wald_pvalue, 1e-3)
        # The level is a field there, and the band that of the default.
        shared = {name: value for name, value in ours.estimation_params.items() if name not in ("alpha", "uniform_bands")}
        assert shared.items() <= theirs.estimation_params.items()
        self.frames(moderndid, ours, theirs)
        for kind in ("dynamic", "group", "calendar"):
            mine, other = did.aggte(ours, kind, cband=False), moderndid.aggte(theirs, kind, cband=False)
            assert mine.aggregation_type == other.aggregation_type
            self.fields(mine, other, "overall_att overall_se event_times att_by_event se_by_event")
            agree(mine.critical_values, 1.959964 if other.critical_values is None else other.critical_values)
            if other.critical_values is not None:
                self.frames(moderndid, mine, other)

    def test_two_periods(self, moderndid: Any) -> None:
        call = {"yname": "re", "tname": "year", "idname": "id", "treatname": "experimental", "xformla": "~ age"}
        self.fields(*self.both(moderndid, "drdid", moderndid.load_nsw(), **call), "att se lci uci")

    def test_triple(self, moderndid: Any) -> None:
        call = {"yname": "y", "tname": "time", "idname": "id", "pname": "partition"}
        data = moderndid.gen_ddd_mult_periods(n=500, dgp_type=1, random_state=42)["data"]
        ours, theirs = self.both(moderndid, "ddd", data, **call, gname="group", base_period="universal")
        self.fields(ours, theirs, "groups times att se lci uci n")
        self.frames(moderndid, ours, theirs)
        mine, other = did.agg_ddd(ours, boot=False, cband=False), moderndid.agg_ddd(theirs, boot=False, cband=False)
        self.fields(mine, other, "overall_att overall_se egt att_egt se_egt crit_val")
        self.frames(moderndid, mine, other)
        data = moderndid.gen_ddd_2periods(n=500, dgp_type=1, random_state=42)["data"]
        ours, theirs = self.both(moderndid, "ddd", data, **call, gname="state")
        assert isinstance(ours.att, float)
        self.fields(ours, theirs, "att se lci uci")

    def test_doses(self, moderndid: Any) -> None:
        data = moderndid.gen_cont_did_data(n=500, seed=42)
        call = {"yname": "Y", "tname": "time_period", "idname": "id", "gname": "G", "dname": "D", "biters": 20}
        ours, theirs = self.both(moderndid, "cont_did", data, **call)
        # Standard errors are analytic here, and of draws there.
        self.fields(ours, theirs, "dose att_d acrt_d overall_att overall_acrt att_d_crit_val acrt_d_crit_val")
        assert did.to_df(ours, effect_type="acrt").columns == moderndid.to_df(theirs, effect_type="acrt").columns
        study, other = (fit.event_study for fit in self.both(moderndid, "cont_did", data, **call, aggregation="eventstudy"))
        self.fields(study, other, "overall_att event_times att_by_event")

    def test_switching(self, moderndid: Any) -> None:
        call = {**SWITCHING, "effects": 3, "placebo": 2, "effects_equal": True, "cluster": "state_n", "predict_het": (["state_n"], [-1])}
        ours, theirs = self.both(moderndid, "did_multiplegt", moderndid.load_favara_imbs(), **call)
        for part in ("effects", "placebos", "ate"):
            self.fields(getattr(ours, part), getattr(theirs, part), " ".join(getattr(theirs, part)._fields))
        self.fields(ours, theirs, "n_units n_switchers n_never_switchers alpha")
        for test in ("effects_equal_test", "placebo_joint_test"):
            mine, other = ([getattr(fit, test)[name] for name in ("chi2_stat", "df", "p_value")] for fit in (ours, theirs))
            agree(mine, other)
        for mine, other in zip(ours.heterogeneity, theirs.heterogeneity, strict=True):
            assert (mine.horizon, mine.covariates, mine.n_obs) == (other.horizon, other.covariates, other.n_obs)
            agree(mine.estimates, other.estimates)
            # HC1 here, and there HC2, which a row with a dummy of its own has not.
            assert np.isnan(other.std_errors[0]) or close(mine.std_errors[0], other.std_errors[0], 0.01)
            assert did.to_df(mine).columns == moderndid.to_df(other).columns
        assert ours.estimation_params.items() <= {**theirs.estimation_params, "xformla": "~1"}.items()
        self.frames(moderndid, ours, theirs)

    def test_sieves(self, moderndid: Any) -> None:
        call = {"yname": "food", "xname": "logexp", "wname": "logwages", "j_x_segments": 4, "biters": 20, "seed": 1}
        ours, theirs = self.both(moderndid, "npiv", moderndid.load_engel(), **call)
        self.fields(ours, theirs, "h deriv beta asy_se deriv_asy_se j_x_degree j_x_segments k_w_segments")
        # Bands rest on other draws.
        self.fields(ours, theirs, "cv cv_deriv", 0.2)

    @pytest.mark.parametrize("options", [{}, {"xformla": "~ lpop"}, {"cgroup": "never"}, {"family": "poisson"}], ids=str)
    def test_etwfe(self, moderndid: Any, options: dict[str, Any]) -> None:
        pytest.importorskip("pyfixest")
        ours, theirs = self.both(moderndid, "etwfe", golden_data("mpdta"), **COLUMNS, **options)
        assert ours.gt_pairs == theirs.gt_pairs[: len(ours.gt_pairs)]
        self.fields(ours, theirs, "coefficients std_errors n_obs")
        if "family" not in options:
            self.fields(ours, theirs, "r_squared adj_r_squared")
        assert {**ours.estimation_params, "family": None}.items() <= {**theirs.estimation_params, "family": None}.items()
        mine, other = did.emfx(ours, "event"), moderndid.emfx(theirs, "event")
        self.frames(moderndid, mine, other)

    def test_sensitivity(self, moderndid: Any) -> None:
        pytest.importorskip("cvxpy")
        pytest.importorskip("highspy")
        ours, theirs = self.both(moderndid, "att_gt", golden_data("mpdta"), **COLUMNS, base_period="universal")
        mine = did.honest_did(did.aggte(ours, "dynamic"), m_vec=[0.0, 0.01])
        other = moderndid.honest_did(moderndid.aggte(theirs, "dynamic"), m_vec=[0.0, 0.01])
        self.fields(mine.original_ci, other.original_ci, "lb ub")
        assert mine.robust_ci.columns == other.robust_ci.columns and mine.original_ci.method == other.original_ci.method
        agree(mine.robust_ci["lb"].to_list(), other.robust_ci["lb"].to_list(), 1e-3)
        self.frames(moderndid, mine, other)

    def test_panels(self, moderndid: Any) -> None:
        from polars.testing import assert_frame_equal

        data, keys = moderndid.load_favara_imbs(), ("county", "year")
        twice = pl.concat([data, data[:50].with_columns(Dl_vloans_b=1.0)])
        assert_frame_equal(did.get_group(data, *keys, "inter_bra"), moderndid.get_group(data, *keys, "inter_bra"))
        for tool, given in (("fill_panel_gaps", data), ("make_balanced_panel", data), ("deduplicate_panel", twice)):
            mine, other = (getattr(module, tool)(given, *keys).sort(keys) for module in (did, moderndid))
            assert_frame_equal(mine, other, check_column_order=False)
        for check in ("has_gaps", "is_balanced_panel"):
            assert getattr(did, check)(data, *keys) == getattr(moderndid, check)(data, *keys)
        wide, other = (module.panel_to_wide(golden_data("mpdta"), "countyreal", "year").sort("countyreal") for module in (did, moderndid))
        assert_frame_equal(wide, other, check_column_order=False)
