"""Errors and warnings name the arguments of Python, the columns and the caller's line."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import golden_data, python

import burn_did as did

COLUMNS = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat"}


def data() -> pl.DataFrame:
    return golden_data("mpdta").with_columns(name=pl.col("countyreal").cast(pl.String) + "x", twice=2 * pl.col("lpop"))


def unbalanced() -> pl.DataFrame:
    return data().slice(1)


def treated() -> pl.DataFrame:
    return data().with_columns(d=(pl.col("first.treat") > 0) & (pl.col("year") >= pl.col("first.treat")))


@cache
def fitted() -> did.GroupTimeResult:
    return did.att_gt(data(), **COLUMNS, base_period="universal")


@cache
def study() -> did.AggregatedResult:
    return did.aggte(fitted(), "dynamic")


def on_and_off() -> pl.DataFrame:
    return treated().with_columns(d=(pl.col("year") == 2004) & (pl.col("first.treat") > 0))


def curve(**more: Any) -> did.NpivResult:
    points = pl.DataFrame({"x": [i / 50 for i in range(50)], "y": [(i * 7 % 50) / 50 for i in range(50)]})
    return did.npiv(points, "y", "x", **more)


def differing() -> pl.DataFrame:
    return pl.concat([data(), data().head(1).with_columns(lemp=pl.lit(1.0))])


# What is called, what the message says, and the columns that it names.
ERRORS: dict[str, tuple[Callable[[], Any], str, list[str] | None]] = {
    "bacon, unbalanced": (lambda: did.bacon(unbalanced(), **COLUMNS), "`did.panel.balance`.*`twfe_weights`", ["countyreal"]),
    "bacon, no outcome": (
        lambda: did.bacon(data().with_columns(lemp=pl.when(pl.int_range(pl.len()) > 0).then("lemp")), **COLUMNS),
        r"leave out these rows, and keep the units with all periods \(`did.panel.balance`\), or use `twfe_weights`", ["countyreal"],
    ),
    "imputation, duplicates": (
        lambda: did.imputation(differing(), **COLUMNS), "`did.panel.deduplicate`", ["countyreal", "year"],
    ),
    "deduplicate": (lambda: did.panel.deduplicate(differing(), "countyreal", "year", "equal"), r"\(`strategy`\)", ["lemp"]),
    "first_treated": (
        lambda: did.panel.first_treated(on_and_off(), "countyreal", "year", "d"), "`did_multiplegt`.*`keep_first=True`", ["d"],
    ),
    "control_group": (
        lambda: did.att_gt(data(), **COLUMNS, control_group="none"), "`control_group` must be nevertreated, notyettreated, got 'none'", [],
    ),
    "est_method": (lambda: did.att_gt(data(), **COLUMNS, est_method="none"), "`est_method` must be dr, ipw, reg, got", []),
    "cgroup": (
        lambda: did.etwfe(data(), "lemp", "year", "first.treat", cgroup="none"), "`cgroup` must be notyet, never, got", [],
    ),
    "weights of twfe": (lambda: did.twfe_weights(data(), **COLUMNS, type="none"), "`type` must be feTR, feS, fdTR, fdS", []),
    "draws": (
        lambda: did.honest_did(study(), sensitivity_type="rm", draws=7), "`draws` must be between 100", [],
    ),
    "biters": (lambda: did.att_gt(data(), **COLUMNS, boot=True, biters=0), "`biters` must be", []),
    "honest of etwfe": (lambda: did.honest_did(did.etwfe(data(), "lemp", "year", "first.treat")), r"\(`cgroup=\"never\"`\)", []),
    "honest of imputation": (
        lambda: did.honest_did(did.imputation(data(), **COLUMNS, pretrends=False)), r"estimate those before treatment, too \(`pretrends=True`\)", [],
    ),
    "honest of normalized": (
        lambda: did.honest_did(did.did_multiplegt(treated(), "lemp", "year", "countyreal", "d", effects=2, placebo=1, normalized=True)),
        "fit without `normalized` and analyse", [],
    ),
    "imputation of the outcome": (
        lambda: did.imputation(data(), **COLUMNS, xformla="~ lpop + lemp"), "`xformla` must be without the outcome", [],
    ),
    "did2s of the outcome": (lambda: did.did2s(data(), **COLUMNS, xformla="~ lemp"), "`xformla` must be without the outcome", []),
    "did_multiplegt of the outcome": (
        lambda: did.did_multiplegt(treated(), "lemp", "year", "countyreal", "d", xformla="~ lemp"), "`xformla` must be without the outcome", [],
    ),
    "a second stage of a constant": (
        lambda: did.did2s(data(), **COLUMNS, second_stage="~ 1"), "`second_stage` must be a formula with a regressor", [],
    ),
    "honest of several": (
        lambda: did.honest_did(did.joint_study(data(), **COLUMNS, estimators=["cs", "sa"])), "name one by `term`: `cs`, `sa`", [],
    ),
    "contrast of a list": (lambda: fitted().contrast([((2004, 2004), 1.0)]), "`weights` must be a dictionary, as in", []),  # type: ignore[arg-type]
    "contrast of nothing": (lambda: fitted().contrast({}), "`weights` must be at least one, got none", []),
    "contrast of numbers": (
        lambda: did.feols("lemp ~ lpop", data()).contrast({1: 1.0}), "`weights` must have a number for names", [],  # type: ignore[dict-item]
    ),
    "event_time": (lambda: did.honest_did(study(), event_time=9, m_vec=[0]), "`event_time` must be", []),
    "l_vec": (lambda: did.honest_did(study(), l_vec=[1], m_vec=[0]), "`l_vec` must be one number per period", []),
    "same_switchers_pl": (
        lambda: did.did_multiplegt(treated(), "lemp", "year", "countyreal", "d", same_switchers_pl=True),
        "`same_switchers_pl` must be given together with `same_switchers`", [],
    ),
    "deriv_index": (lambda: curve(deriv_index=2), "`deriv_index` must be .* counted from 1, got 2", []),
    "k_w_segments": (lambda: curve(k_w_segments=4), "`k_w_segments` must be given with `j_x_segments`.*`k_w_smooth`", []),
    "k_w_smooth": (lambda: curve(k_w_smooth=9), "`k_w_smooth` must be at most 6", []),
    "nonabsorbing_lag": (
        lambda: did.lpdid(data(), **COLUMNS, window=(-2, 1), nonabsorbing_lag=2), "`nonabsorbing_lag` must be given with a column of `dname`", [],
    ),
    "gname and dname": (lambda: did.lpdid(treated(), **COLUMNS, window=(-2, 1), dname="d"), "`dname` must be left out where `gname`", []),
    "window": (lambda: did.lpdid(data(), **COLUMNS, window=3), "`window` must be the first and the last event time", []),  # type: ignore[arg-type]
    "pmd": (lambda: did.lpdid(data(), **COLUMNS, window=(-2, 1), pmd="foo"), "`pmd` must be", []),
    "kappa_pre": (lambda: did.stacked(data(), **COLUMNS, kappa_pre=0, kappa_post=1), "`kappa_pre` must be between", []),
    "ref_p": (lambda: did.sunab(data(), **COLUMNS, ref_p=[77]), "as `ref_p`", None),
    "labels": (lambda: did.etable({"a": study()}, labels={"nothing": "b"}), "`labels` must be", []),
    "panelview": (lambda: did.panelview(data(), "year", "countyreal"), "`gname` must be .*`dname`", []),
    "means": (lambda: did.means(data(), "lemp", "year", "countyreal"), "`gname` must be the column of first treated periods, got none", []),
    "balance without columns": (lambda: did.balance(data(), "year", "countyreal", "first.treat"), "`xname` must be at least one", []),
    "balance of texts": (
        lambda: did.balance(data(), "year", "countyreal", "first.treat", "name"), "`xname` must have a column of numbers", [],
    ),
    "a lag again": (
        lambda: did.panel.lag(did.panel.lag(data(), "countyreal", "year", "lemp"), "countyreal", "year", "lemp"),
        "the data have a column `lemp_lag1` already", ["lemp_lag1"],
    ),
    "nobody treated": (
        lambda: did.drdid(two_periods().with_columns(d=pl.lit(0)), "lemp", "year", "countyreal", "d"),
        r"column `d` \(treatment\) says that nobody is treated in the sample", ["d"],
    ),
    "a dose that nobody gets": (
        lambda: did.cont_did(data().with_columns(d=pl.lit(0.0)), "lemp", "year", "countyreal", None, "d"),
        r"column `d` \(dose\) says that nobody is treated for the first time.*\(`gname`\)", ["d"],
    ),
    "an event study of sieves": (
        lambda: did.cont_did(data(), **COLUMNS, dname="lpop", dose_est_method="cck", aggregation="eventstudy"),
        "`aggregation` must be `dose` with the method `cck`", [],
    ),
    "a target without doses": (
        lambda: did.aggte(did.att_gt(data(), **COLUMNS), target="slope"), "`target` is for a result of `cont_did`", [],
    ),
    "no unit": (lambda: did.att_gt(data(), "lemp", "year", None, "first.treat"), r"`idname` must be .*`panel=False`", []),
    "predictions": (lambda: did.feols("lemp ~ lpop | year", data()).predict(data()), "`fixef=True`", []),
    "collinear": (lambda: did.feols("lemp ~ lpop + twice | countyreal", data()), "collinear", ["lpop", "twice"]),
    "negative groups": (
        lambda: did.att_gt(data().with_columns(pl.col("first.treat") - 1), **COLUMNS), r"\(`missing_values=\[\"first.treat=-1\"\]`\)",
        ["first.treat"],
    ),
}


@pytest.mark.parametrize("what", ERRORS)
def test_errors_name_arguments_and_columns(what: str) -> None:
    call, message, columns = ERRORS[what]
    with pytest.raises(did.BurnDidError, match=message) as raised:
        call()
    assert "--" not in str(raised.value), raised.value
    if columns is not None:
        assert raised.value.columns == columns


def test_a_remedy_says_what_to_do() -> None:
    def remedy(call: Callable[[], Any]) -> str | None:
        with pytest.raises(did.BurnDidError) as raised:
            call()
        return raised.value.remedy

    # A list of rows is none.
    assert remedy(lambda: did.compare([study()], keep="zzz")) is None
    assert remedy(lambda: did.drdid(data().with_columns(d=pl.col("year") - 2003), "lemp", "year", "countyreal", "d")) is None
    text = remedy(lambda: did.feols("lemp ~ log(name)", data()))
    assert text == "use the column by itself to get its dummies"
    assert "`cgroup" in (remedy(lambda: did.honest_did(did.etwfe(data(), "lemp", "year", "first.treat"))) or "")


def said(call: Callable[[], Any]) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        call()
    return [one for one in heard if issubclass(one.category, did.BurnDidWarning)]


def two_periods() -> pl.DataFrame:
    two = data().filter(pl.col("year").is_in([2003, 2004]), pl.col("first.treat").is_in([0, 2004])).slice(1)
    return two.with_columns(d=pl.col("first.treat") == 2004)


WARNINGS: dict[str, tuple[Callable[[], Any], str, str]] = {
    "att_gt": (lambda: did.att_gt(unbalanced(), **COLUMNS), "`allow_unbalanced_panel=True` keeps them", "unbalanced"),
    "drdid": (lambda: did.drdid(two_periods(), "lemp", "year", "countyreal", "d"), "`allow_unbalanced_panel=True`", "unbalanced"),
    "ipwdid": (lambda: did.ipwdid(two_periods(), "lemp", "year", "countyreal", "d"), "`allow_unbalanced_panel=True`", "unbalanced"),
    "ordid": (lambda: did.ordid(two_periods(), "lemp", "year", "countyreal", "d"), "`allow_unbalanced_panel=True`", "unbalanced"),
    "feols": (lambda: did.feols("lemp ~ lpop + twice", data()), "collinear", "collinear_regressors"),
    "fepois": (lambda: did.fepois("lemp ~ lpop + twice", data()), "collinear", "collinear_regressors"),
    "feglm": (lambda: did.feglm("lemp ~ lpop + twice", data()), "collinear", "collinear_regressors"),
    "aggte": (lambda: did.aggte(did.att_gt(data(), **COLUMNS), "group", balance_e=1), "`balance_e` is ignored", "ignored_option"),
    "method": (lambda: did.att_gt(data(), **COLUMNS).aggregate("simple", min_e=1), "`min_e` is ignored", "ignored_option"),
    "agg_ddd": (lambda: did.agg_ddd(did.att_gt(data(), **COLUMNS), "group", min_e=1), "`min_e` is ignored", "ignored_option"),
    "twfe_weights": (
        lambda: did.twfe_weights(unbalanced(), **COLUMNS), '`cells="unit"` has them', "cohorts_in_place_of_units",
    ),
    "joint_study": (lambda: did.joint_study(unbalanced(), **COLUMNS, estimators=["cs", "sa"]), "Callaway-Sant'Anna: ", "unbalanced"),
    "did_multiplegt": (
        lambda: did.did_multiplegt(treated(), "lemp", "year", "countyreal", "d", predict_het=(["lpop"], [5])),
        "`predict_het: effect 5` has no effect", "without_effect",
    ),
    "honest_did": (
        lambda: did.honest_did(did.imputation(data(), **COLUMNS), m_vec=[0.0]),
        '`sunab`, `lpdid`, `att_gt` with `base_period="universal"`, or `etwfe` against never-treated units (`cgroup="never"`)',
        "jump_at_treatment",
    ),
    "sunab": (
        lambda: did.sunab(data().with_columns(pl.col("lemp").replace(data()["lemp"][0], None)), **COLUMNS), "", "dropped_rows",
    ),
}


@pytest.mark.parametrize("what", WARNINGS)
def test_warnings_name_arguments_codes_and_the_line_that_called(what: str) -> None:
    call, text, code = WARNINGS[what]
    heard = said(call)
    found = [one for one in heard if getattr(one.message, "code", "") == code]
    assert found and text in str(found[0].message), [(str(one.message), getattr(one.message, "code", "")) for one in heard]
    assert all(one.filename == __file__ for one in heard), [one.filename for one in heard]


def test_warnings_are_filtered_by_the_module_that_called() -> None:
    program = (
        "import warnings, burn_did as did\n"
        "data = did.load_mpdta().to_polars().slice(1)\n"
        "warnings.filterwarnings('error', category=did.BurnDidWarning, module='__main__')\n"
        "try:\n"
        "    did.feols('lemp ~ lpop + I(2 * lpop)', data)\n"
        "except did.BurnDidWarning as warning:\n"
        "    print(warning.code)\n"
    )
    done = python("-c", program)
    assert done.stdout.strip() == "collinear_regressors", done.stdout + done.stderr


def test_a_description_ends_with_a_call() -> None:
    shown = str(did.describe(data(), "year", "countyreal", "first.treat", yname="lemp", xname=["lpop"]))
    call = shown.partition("To estimate: ")[2].strip()
    assert call == (
        'did.att_gt(data, yname="lemp", tname="year", idname="countyreal", gname="first.treat", xformla="~ lpop")'
    )
    fit = eval(call, {"did": did, "data": data()})
    assert isinstance(fit, did.GroupTimeResult)
    assert 'control_group="notyettreated"' in shown and "--" not in shown.replace("---", "")
    of_status = did.describe(on_and_off(), "year", "countyreal", "d")
    assert 'did.panel.first_treated(data, idname="countyreal", tname="year", treatname="d")' in str(of_status)


def test_missing_groups_beside_a_code_are_a_warning() -> None:
    never = pl.col("first.treat") == 0
    some = data().with_columns(g=pl.when(never & (pl.col("countyreal") % 7 == 0)).then(None).otherwise(pl.col("first.treat")))
    units = some.filter(pl.col("g").is_null())["countyreal"].n_unique()
    columns: dict[str, Any] = {**COLUMNS, "gname": "g"}
    estimators: list[Callable[..., Any]] = [did.att_gt, did.imputation, did.sunab, did.bacon]
    for estimate in estimators:
        with pytest.warns(did.BurnDidWarning, match=f"`g` .group. is missing for {units} units") as heard:
            estimate(some, **columns)
        found = [one.message for one in heard if getattr(one.message, "code", "") == "missing_groups"]
        assert len(found) == 1 and "--" not in str(found[0]), found
        assert str(found[0]).endswith("leave their rows out as well")
    every = data().with_columns(g=pl.when(never).then(None).otherwise(pl.col("first.treat")))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = did.att_gt(every, **columns)
    assert "Never treated: 309 units (`g` is missing in 1545 rows)" in str(fit)
    assert "Never treated: 309 units" in str(did.aggte(fit, "simple"))


def test_numbers_in_text_are_to_be_cast() -> None:
    texts = data().with_columns(g=pl.col("first.treat").cast(pl.Int64).cast(pl.String))
    words = texts.with_columns(g=pl.when(pl.col("g") == "0").then(pl.lit("never")).otherwise(pl.col("g")))
    columns: dict[str, Any] = {**COLUMNS, "gname": "g"}
    cases: list[tuple[pl.DataFrame, dict[str, Any]]] = [(texts, {}), (words, {"missing_values": ["never"]})]
    for frame, options in cases:
        with pytest.raises(did.DataError, match="holds numbers that are written as text") as refused:
            did.att_gt(frame, **columns, **options)
        assert refused.value.remedy == "cast the column to numbers"
    with pytest.raises(did.DataError, match="holds text, as `never`"):
        did.att_gt(words, **columns)


def test_indicators_of_stata_are_factors_here() -> None:
    with pytest.raises(did.DataError, match=r"`i.treat` is how Stata writes indicators.*`C\(treat\)`"):
        did.att_gt(data(), **COLUMNS, xformla="~ i.treat")


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "etable of a frame": (lambda: did.etable({"a": data()}), "`models` must be"),  # type: ignore[dict-item]
    "etable of pairs": (lambda: did.etable([("a", study())]), "`models` must be"),  # type: ignore[list-item]
    "etable of numbers": (lambda: did.etable({1: study()}), "`models` must be .*got the name 1"),  # type: ignore[dict-item]
    "plot_sensitivity": (lambda: did.plot_sensitivity(study()), "`honest_did`"),
    "plot_dose_response": (lambda: did.plot_dose_response(study()), "`cont_did`"),
    "plot_multiplegt": (lambda: did.plot_multiplegt(study()), "`did_multiplegt`"),
    "plot_gt": (lambda: did.plot_gt(study()), "`att_gt`"),
    "plot_agg of a frame": (lambda: did.plot_agg(data()), "got DataFrame"),  # type: ignore[arg-type]
    "honest_did of a frame": (lambda: did.honest_did(data()), "`event_study` must be .*got DataFrame"),  # type: ignore[arg-type]
    "honest_did of nothing": (lambda: did.honest_did(None), "`event_study` must be .*got NoneType"),  # type: ignore[arg-type]
    "pretrends of a frame": (lambda: did.pretrends(data()), "`event_study` must be"),  # type: ignore[arg-type]
    "event_study of a frame": (lambda: did.event_study(data()), "`result` must be"),  # type: ignore[arg-type]
    "event_study of a negative number": (
        lambda: did.event_study(betahat=[1.0], sigma=[[1.0]], num_pre_periods=-1, num_post_periods=2), "`num_pre_periods` must be",
    ),
    "a client of nothing": (lambda: did.att_gt(data(), **COLUMNS, client=3), "`client` must be a client of Dask, got int"),
    "a session of nothing": (lambda: did.att_gt(data(), **COLUMNS, spark=3), "`spark` must be a Spark session, got int"),
    "an engine of nothing": (lambda: did.att_gt(data(), **COLUMNS, engine=3), "`engine` must have a method"),  # type: ignore[arg-type]
    "emfx of a frame": (lambda: did.emfx(data()), "`result` must be what `etwfe` gives"),  # type: ignore[arg-type]
    "aggte of a frame": (lambda: did.aggte(data()), "`MP` must be .*got DataFrame"),  # type: ignore[arg-type]
    "honest_did of groups": (lambda: did.honest_did(did.emfx(etwfe(), "group")), "its `fit`"),  # type: ignore[arg-type]
    "etable of emfx": (lambda: did.etable({"a": did.emfx(etwfe(), "group")}), "its `fit`"),  # type: ignore[dict-item]
}


@cache
def etwfe() -> did.EtwfeResult:
    return did.etwfe(data(), "lemp", "year", "first.treat", "countyreal", cgroup="never")


@pytest.mark.parametrize("what", WRONG)
def test_other_objects_are_refused(what: str) -> None:
    call, message = WRONG[what]
    with pytest.raises(did.OptionError, match=message):
        call()


def test_averages_by_event_time_are_an_event_study() -> None:
    averages = did.emfx(etwfe(), "event")
    assert did.honest_did(averages, m_vec=[0.0]) is not None  # type: ignore[arg-type]
    assert did.plot_agg(averages).svg == did.plot_event_study(averages).svg
    assert repr(averages) == str(averages)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: did.feols("lemp ~ lpop", data(), weightsname="lpop"), "feols()"),
        (lambda: did.fepois("lemp ~ lpop", data(), family="logit"), "fepois()"),
        (lambda: did.ipwdid(data(), "lemp", "year", foo=1), "ipwdid()"),
        (lambda: did.ordid(data(), "lemp", "year", foo=1), "ordid()"),
        (lambda: did.etable([study()], foo=1), "etable()"),
        (lambda: did.plot_agg(study(), foo=1), "plot_agg()"),
    ],
)
def test_unknown_arguments_are_those_of_the_function_that_was_called(call: Callable[[], Any], name: str) -> None:
    with pytest.raises(TypeError) as raised:
        call()
    assert name in str(raised.value)


def test_options_that_leave_a_picture_as_it_is_are_said() -> None:
    heard = said(lambda: did.bacon(data(), **COLUMNS).plot(style="ribbon", colours=["#000000", "#ffffff"]))
    assert [str(one.message) for one in heard] == [
        "`style` has no effect: the picture is the same without it", "`colours` has no effect: the picture is the same without it",
    ]
    assert heard[0].filename == __file__
    assert not said(lambda: study().plot(style="ribbon", show_ci=True))
    assert [str(one.message).split()[0] for one in said(lambda: study().plot(show_band=False))] == ["`show_band`"]


def test_phrases_that_are_translated_are_those_of_the_library() -> None:
    root = Path(__file__).parents[2]
    sources = "".join(path.read_text() for path in sorted((root / "src").rglob("*.rs")))
    # A text goes on after the end of its line.
    sources = re.sub(r"\\\n\s*", "", sources).replace('\\"', '"')
    table = (root / "python/src/arguments.rs").read_text().partition("const PHRASES")[2].partition("];")[0]
    text = r'"((?:[^"\\]|\\.)*)"'
    phrases = [theirs.replace('\\"', '"') for theirs, _ in re.findall(rf"\(\s*{text},\s*{text},?\s*\)", table)]
    assert len(phrases) > 40
    # These are put together while the program runs: words of options behind "must be", and a number.
    made = [phrase for phrase in phrases if "must be" in phrase or phrase.endswith("time ;") or phrase == "`predict_heterogeneity"]
    assert [phrase for phrase in phrases if phrase not in sources and phrase not in made] == []
    assert len(made) < 9
