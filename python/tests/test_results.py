"""What results, errors and warnings can do."""

from __future__ import annotations

import copy
import json
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import golden_data, python

import burn_did as did

COLUMNS = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat"}


def all_results() -> dict[str, did.Result]:
    data = golden_data("mpdta")
    fit = did.att_gt(data, **COLUMNS, xformla="~ lpop", weighting=True)
    study = fit.aggregate("dynamic")
    regression = did.feols("lemp ~ i(year, treat, ref = 2003) | countyreal + year", data, "cluster:countyreal")
    triple, two = did.simulate("ddd", 500, 1), did.simulate("drdid", 500, 1)
    doses, switching = did.simulate("cont_did", 500, 1), did.simulate("did_multiplegt", 200, 1)
    curve = did.simulate("npiv", 300, 1)
    keys = {"tname": "year", "idname": "countyreal", "gname": "first.treat"}
    return {
        "att_gt": fit,
        "aggte": study,
        "ddd": did.ddd(triple.data, "y", "period", "id", "group", "eligible"),
        "drdid": did.drdid(two.data, "y", "period", "id", "treated", "~ x1"),
        "cont_did": did.cont_did(doses.data, "y", "period", "id", "group", "dose"),
        "did_multiplegt": did.did_multiplegt(switching.data, "y", "period", "id", "d", effects=2, placebo=1),
        "feols": regression,
        "sunab": did.sunab(data, **COLUMNS),
        "lpdid": did.lpdid(data, **COLUMNS, window=(-3, 2)),
        "stacked": did.stacked(data, **COLUMNS, kappa_pre=1, kappa_post=1),
        "etwfe": did.etwfe(data, **COLUMNS, xformla="~ lpop"),
        "imputation": did.imputation(data, **COLUMNS),
        "did2s": did.did2s(data, **COLUMNS),
        "joint_study": did.joint_study(data, **COLUMNS),
        "specification_curve": did.specification_curve(data, **COLUMNS, estimators=["cs"], vary="control_group"),
        "npiv": did.npiv(curve.data, "y", "x", "w", x_eval=[0.2, 0.5], biters=199),
        "event_study": did.event_study(regression),
        "honest_did": did.honest_did(study, sensitivity_type="relative_magnitude", m_bar_vec=[0.5, 1.0]),
        "pretrends": did.pretrends(study),
        "bacon": did.bacon(data, **COLUMNS),
        "twfe_weights": did.twfe_weights(data, **COLUMNS),
        "describe": did.describe(data, **keys),
        "panelview": did.panelview(data, **keys),
        "means": did.means(data, **COLUMNS),
        "balance": did.balance(data, **keys, xname=["lpop"]),
        "overlap": fit.overlap(),
        "weighting": fit.weighting(2004),
    }


@pytest.fixture(scope="module")
def results() -> dict[str, did.Result]:
    return all_results()


def test_every_result_has_the_whole_surface(results: dict[str, did.Result], tmp_path: Path) -> None:
    for name, result in results.items():
        assert str(result).strip() and result.summary() == str(result), name
        assert "<table" in result._repr_html_(), name
        assert "|" in result.to_markdown(), name
        assert "\\begin{tabular}" in result.to_latex() or "\\begin{longtable}" in result.to_latex(), name
        table = result.tidy()
        assert len(table) > 0 and table.columns, name
        assert result.to_polars().shape == table.shape, name
        assert result.to_pandas().shape == table.shape, name
        assert result.to_arrow().column_names == table.columns, name
        assert result.to_polars().to_dict(as_series=False) == table.to_dict(), name
        assert len(result.glance()) == 1, name
        assert json.loads(result.to_json())["kind"] == result.kind, name
        path = tmp_path / f"{name}.json"
        result.save(path)
        loaded = did.load(path)
        assert type(loaded) is type(result) and loaded == result, name
        again = pickle.loads(pickle.dumps(result))
        assert type(again) is type(result) and again == result, name
        assert copy.deepcopy(result) == result, name


def test_pictures(results: dict[str, did.Result], tmp_path: Path) -> None:
    for name, result in results.items():
        picture = result.plot(title="A title", width=500, height=400)
        assert picture._repr_svg_().startswith("<svg") and "A title" in picture.svg, name
        assert picture.png.startswith(b"\x89PNG"), name
    picture = did.plot_event_study(results["aggte"])
    picture.save(tmp_path / "a.pdf")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(did.EstimationError):
        picture.save(tmp_path / "a.bmp")
    with pytest.raises(did.OptionError, match="colours"):
        results["aggte"].plot(colours=["red"])


def test_figures_of_matplotlib(results: dict[str, did.Result]) -> None:
    pytest.importorskip("matplotlib")
    for name in ("att_gt", "aggte", "feols", "sunab", "did_multiplegt", "event_study", "etwfe", "imputation", "did2s", "joint_study"):
        axes = results[name].figure().axes[0]
        assert axes.containers, name


def test_maketables(results: dict[str, did.Result]) -> None:
    for name in ("att_gt", "aggte", "drdid", "feols", "sunab", "did_multiplegt", "etwfe", "imputation", "did2s"):
        result = results[name]
        table = result.__maketables_coef_table__
        assert list(table.columns) == ["b", "se", "t", "p", "ci95l", "ci95u"] and len(table) > 0, name
        assert result.__maketables_depvar__, name
        assert result.__maketables_stat__("N"), name
        assert result.__maketables_vcov_info__["vcov_type"], name
        assert all(result.__maketables_stat__(key) for key in result.__maketables_default_stat_keys__), name
    # One number of rows, whichever estimator it is, and the fixed effects of each that has some.
    assert {results[name].__maketables_stat__("N") for name in ("att_gt", "aggte", "sunab", "etwfe", "imputation")} == {2500}
    for name in ("sunab", "imputation", "did2s"):
        assert results[name].__maketables_fixef_string__ == "countyreal+year", name
    assert results["att_gt"].__maketables_fixef_string__ is None
    maketables = pytest.importorskip("maketables")
    maketables.ETable([results["feols"], results["sunab"]])


def test_covariances_of_switching_treatments_have_the_names_of_the_table(results: dict[str, did.Result]) -> None:
    fit = results["did_multiplegt"]
    names, vcov = fit.vcov() or ([], [])
    assert names == ["1", "2", "-1"]
    rows = fit.tidy().to_dict()
    errors = {(table, horizon): se for table, horizon, se in zip(rows["table"], rows["horizon"], rows["se"], strict=True)}
    for place, name in enumerate(names):
        table = "effects" if int(name) > 0 else "placebos"
        variance, se = vcov[place][place], errors[table, int(name)]
        assert variance is not None and abs(variance**0.5 - se) < 1e-12


def test_averages_have_the_names_of_moderndid(results: dict[str, did.Result]) -> None:
    study = results["aggte"]
    assert isinstance(study, did.AggregatedResult)
    assert study.event_times == [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]
    assert study.overall_att is not None and study.overall_se is not None
    assert len(study.att_by_event) == len(study.se_by_event) == 7
    names, vcov = study.vcov() or ([], [])
    assert len(names) == len(vcov) == 7
    for variance, se in zip((vcov[i][i] for i in range(7)), study.se_by_event, strict=True):
        assert variance is not None and se is not None and abs(variance**0.5 - se) < 1e-12
    pair = study.vcov()
    assert isinstance(pair, did.Covariance) and pair == (names, vcov) and (pair.names, pair.matrix) == (names, vcov)
    assert did.Result.vcov.__doc__ is not None and "vcov().matrix" in did.Result.vcov.__doc__
    simple = did.aggte(results["att_gt"], "simple")  # type: ignore[arg-type]
    assert simple.event_times == [] and simple.overall_att is not None


def test_comparisons(results: dict[str, did.Result]) -> None:
    table = did.etable({"CS": results["aggte"], "SA": results["sunab"]}, keep="Event time *", digits=3)
    assert "Event time 0" in str(table) and "tabular" in table.to_latex()
    assert set(table.tidy().to_dict()) >= {"estimate", "se"}
    assert "<svg" in table.plot().svg
    with pytest.raises(did.OptionError, match="row in common"):
        did.compare([results["att_gt"], results["npiv"]])


def test_contrasts_predictions_and_effects() -> None:
    data = golden_data("mpdta")
    fit = did.att_gt(data, **COLUMNS, influence=True)
    one = fit.contrast({(2004.0, 2005.0): 1.0, (2004.0, 2006.0): -1.0})
    assert one["estimate"] is not None and one["se"] is not None
    kept = fit.influence()
    assert kept is not None and kept.shape == (500, 13)
    column = kept.to_dict()["att(2004,2005)"]
    se = sum(value**2 for value in column) ** 0.5 / 500
    assert abs(se - (fit.se_gt[1] or 0.0)) < 1e-10
    assert did.att_gt(data, **COLUMNS).influence() is None
    regression = did.feols("lemp ~ lpop | year", data, residuals=True, fixef=True)
    predicted, residuals = regression.predict(data), regression.resid()
    assert residuals is not None
    for outcome, mean, error in zip(data["lemp"], predicted, residuals, strict=True):
        assert abs(outcome - mean - error) < 1e-9
    assert list(regression.fixef()["year"]) == ["2003", "2004", "2005", "2006", "2007"]
    with pytest.raises(did.EstimationError, match="keep_fixed_effects|fixef"):
        did.feols("lemp ~ lpop | year", data).fixef()


def test_errors_have_code_columns_and_remedy() -> None:
    data = golden_data("mpdta")
    with pytest.raises(did.DataError) as missing:
        did.att_gt(data, **{**COLUMNS, "yname": "lemq"})
    assert missing.value.code == "column_not_found" and missing.value.columns == ["lemq"]
    assert missing.value.remedy is not None and "lemp" in missing.value.remedy
    for wrong, word in (
        ({"alpha": "x"}, "alpha"), ({"alpha": 2.0}, "alpha"), ({"est_method": "foo"}, "est_method"),
        ({"control_group": 3}, "control_group"), ({"boot": "yes"}, "boot"), ({"anticipation": -1}, "anticipation"),
        ({"anticipation": 1.5}, "anticipation"), ({"anticipation": True}, "anticipation"), ({"xformla": "~ (("}, "formula"),
        ({"boot": True, "biters": 10**15}, "biters"), ({"backend": "tpu"}, "backend"), ({"backend": ["cpu", "cpu"]}, "backend"),
        ({"clustervars": ["a", "b"]}, "clustervars"), ({"idname": None}, "idname"), ({"gname": None}, "gname"),
        ({"random_state": -1}, "random_state"), ({"missing_values": 3}, "missing_values"),
    ):
        with pytest.raises(did.BurnDidError) as refused:
            did.att_gt(data, **{**COLUMNS, **wrong})
        assert word in str(refused.value), (wrong, refused.value)
        assert isinstance(refused.value, (did.OptionError, did.DeviceError)), (wrong, refused.value)
    with pytest.raises(TypeError):
        did.att_gt(data, **COLUMNS, no_such_argument=1)  # type: ignore[call-arg]
    with pytest.raises(did.FileError) as no_file:
        did.att_gt("no such file.csv", **COLUMNS)
    assert isinstance(no_file.value, OSError)
    with pytest.raises(did.FileError):
        did.load("no such file.json")
    with pytest.raises(did.OptionError, match="cuda"):
        if "cuda" not in " ".join(did.devices()):
            did.att_gt(data, **COLUMNS, backend="cuda")
        else:
            raise did.OptionError("cuda")


def test_warnings_are_pythons() -> None:
    data = golden_data("mpdta").with_columns(
        pl.when(pl.int_range(pl.len()) < 5).then(None).otherwise(pl.col("lemp")).alias("lemp")
    )
    with pytest.warns(did.BurnDidWarning) as warned:
        fit = did.att_gt(data, **COLUMNS)
    assert [str(w.message) for w in warned] == fit.warnings
    assert all(w.message.code for w in warned)  # type: ignore[union-attr]
    assert warned[0].filename == __file__


def test_eight_threads_give_the_bits_of_one() -> None:
    data = golden_data("mpdta")

    def fit(method: str) -> Any:
        return did.att_gt(data, **COLUMNS, xformla="~ lpop", est_method=method).tidy().to_dict()

    methods = ["dr", "ipw", "reg"] * 8
    alone = {method: fit(method) for method in set(methods)}
    with ThreadPoolExecutor(8) as pool:
        for method, got in zip(methods, pool.map(fit, methods), strict=True):
            assert got == alone[method]


def test_other_threads_run_during_a_fit() -> None:
    data = did.simulate("att_gt", 20_000, 1).data
    counted, done = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            done.wait(0.001)

    other = threading.Thread(target=count)
    other.start()
    did.att_gt(data, "y", "period", "id", "group", boot=True, biters=2000)
    done.set()
    other.join()
    assert counted > 10


def test_progress_is_heard_and_its_errors_are_raised() -> None:
    data = golden_data("mpdta")
    heard: list[tuple[str, int, int]] = []
    did.att_gt(data, **COLUMNS, xformla="~ lpop", progress=lambda *event: heard.append(event))
    assert heard and all(0 <= done <= total for _, done, total in heard)

    class Enough(Exception):
        pass

    def stop(stage: str, done: int, total: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        did.att_gt(data, **COLUMNS, progress=stop)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on Unix")
def test_an_interrupt_stops_a_fit() -> None:
    program = """
import os, signal, threading, time
import burn_did as did
data = did.simulate("att_gt", 100_000, 1, periods=12, cohorts=[3, 5, 7, 9], covariates=4).data
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    while True:
        did.att_gt(data, "y", "period", "id", "group", "~ x1 + x2 + x3 + x4", boot=True, biters=20_000)
except KeyboardInterrupt:
    print("stopped", time.monotonic() - start)
"""
    done = python("-c", program)
    word, seconds = done.stdout.split()
    assert word == "stopped" and 0.9 < float(seconds) < 3.0, (done.stdout, done.stderr)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on Unix")
@pytest.mark.parametrize(
    ("data", "work"),
    [
        (
            "did.simulate('att_gt', 20_000, 1, periods=10, cohorts=[4, 6, 8], covariates=1)",
            "did.joint_study(data, 'y', 'period', 'id', 'group', '~ x1')",
        ),
        ("did.simulate('did_multiplegt', 5_000, 1)", "did.did_multiplegt(data, 'y', 'period', 'id', 'd', effects=3)"),
        ("did.simulate('npiv', 1_000, 1)", "did.npiv(data, 'y', ['x'])"),
    ],
)
def test_after_an_interrupt_no_work_goes_on(data: str, work: str) -> None:
    program = f"""
import os, signal, threading, time
import burn_did as did
data = {data}.data
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    while True:
        {work}
except KeyboardInterrupt:
    time.sleep(4.0)  # A step that has begun goes on to its end.
    before = time.process_time()
    time.sleep(1.0)
    print(time.process_time() - before)
"""
    done = python("-c", program)
    assert done.stdout and float(done.stdout) < 0.2, (done.stdout, done.stderr)


def test_the_import_is_light() -> None:
    program = "import sys, time; t = time.process_time(); import burn_did; print(time.process_time() - t, *(m for m in " \
        "('numpy', 'pandas', 'polars', 'pyarrow', 'matplotlib') if m in sys.modules))"
    fastest = min(
        float(out.split()[0])
        for out in (
            python("-c", program).stdout
            for _ in range(5)
        )
        if len(out.split()) == 1
    )
    assert fastest < 0.15, fastest


def test_periods_are_numbers_where_they_are_no_dates(results: dict[str, did.Result]) -> None:
    for name in ("att_gt", "etwfe"):
        rows = results[name].tidy()
        assert all(at is None or isinstance(at, float) for column in ("group", "time") for at in rows[column]), name
