"""Arguments that would have no effect, or another than their name says, are refused with a remedy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import polars as pl
import pytest
from conftest import golden_data

import burn_did as did

COLUMNS = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat"}


def data() -> pl.DataFrame:
    return golden_data("mpdta").with_columns(st=pl.col("countyreal") // 1000)


@cache
def study() -> did.AggregatedResult:
    return did.aggte(did.att_gt(data(), **COLUMNS, base_period="universal"), "dynamic")


def two_periods(**more: Any) -> did.DrdidResult:
    two = data().filter(pl.col("year").is_in([2006, 2007]), pl.col("first.treat").is_in([0, 2007]))
    return did.drdid(two.with_columns(d=pl.col("first.treat") == 2007), "lemp", "year", "countyreal", "d", **more)


def points() -> pl.DataFrame:
    return pl.DataFrame({"x": [i / 50 for i in range(50)], "y": [(i * 7 % 50) / 50 for i in range(50)]})


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "clusters of CRV3": (lambda: did.feols("lemp ~ lpop | year", data(), vcov={"CRV3": "st"}), "`vcov`.*CRV1"),
    "clusters of two corrections": (lambda: did.feols("lemp ~ lpop", data(), vcov={"CRV1": "st", "CRV3": "st"}), "`vcov`.*CRV1"),
    "a list of clusters": (lambda: did.sunab(data(), **COLUMNS, vcov=["st"]), "`vcov`.*CRV1"),  # type: ignore[arg-type]
    "clusters without names": (lambda: did.feols("lemp ~ lpop", data(), vcov="cluster"), "`vcov`.*vcov=\"cluster:firm\" or vcov=\"~firm\""),
    "two ways without names": (lambda: did.sunab(data(), **COLUMNS, vcov="twoway"), "`vcov`.*vcov=\"~firm . year\""),
    "clusters of etwfe": (lambda: did.etwfe(data(), "lemp", "year", "first.treat", vcov={"CRV2": "st"}), "`vcov`.*CRV1"),
    "one end of x": (lambda: did.npiv(points(), "y", "x", x_min=-1), "`x_min` goes with `x_max`"),
    "the other end of w": (lambda: did.npiv(points(), "y", "x", w_max=1), "`w_max` goes with `w_min`"),
    "one end of a grid": (
        lambda: did.honest_did(study(), sensitivity_type="relative_magnitude", m_bar_vec=[1], grid_lb=-0.01),
        "`grid_lb` goes with `grid_ub`",
    ),
    "one side of a picture": (lambda: study().plot(width=300), "`width` goes with `height`"),
    "Mbar as M": (lambda: did.honest_did(study(), m_bar_vec=[0.5, 1]), "`m_bar_vec`.*relative_magnitude"),
    "M as Mbar": (lambda: did.honest_did(study(), sensitivity_type="relative_magnitude", m_vec=[1]), "`m_vec`.*`m_bar_vec`"),
    "a direction as a sign": (lambda: did.honest_did(study(), bias_direction="increasing"), "`bias_direction`"),
    "a sign as a direction": (lambda: did.honest_did(study(), monotonicity_direction="positive"), "`monotonicity_direction`"),
    "a grid for a fixed length": (lambda: did.honest_did(study(), m_vec=[0], grid_points=10), "`grid_points`.*flci"),
    "coefficients beside a result": (lambda: did.event_study(study(), betahat=[1.0]), "`betahat`"),
    "a critical value of the joint test": (lambda: did.pretrends(study(), "joint", critical=2), "`critical`.*`alpha`"),
    "multipliers without a bootstrap": (lambda: did.att_gt(data(), **COLUMNS, multiplier="webb"), "`multiplier`.*`boot=True`"),
    "multipliers of random weights": (lambda: two_periods(boot=True, multiplier="webb"), "`multiplier`.*boot_type"),
    "sections of a panel": (lambda: two_periods(locally_efficient=False), "`locally_efficient`.*`panel=False`"),
    "weights of two kinds": (lambda: did.drdid(data(), "lemp", "year", est_method="ipw"), "`est_method`.*'std_ipw'.*'ipw_horvitz_thompson'"),
    "regression by weighting": (lambda: did.ipwdid(data(), "lemp", "year", est_method="reg"), "`est_method`.*`ordid`"),
    "heterogeneity without effects": (lambda: switching(predict_het=["lpop"]), "`predict_het`"),
    "heterogeneity in a column with a comma": (lambda: switching(predict_het=(["a,b"], [1])), "`predict_het`.*rename"),
    "a sample with a comma": (lambda: curve({"sample": ["all", "big, county"]}), "`vary`.*rename"),
    "a sample with the name of a choice": (lambda: curve({"sample": ["all", "anticipation"]}), "`vary`.*rename"),
    "a group beside a base": (lambda: did.panel.long_difference(data(), "countyreal", "year", "lemp", "first.treat", base=2003), "`gname`"),
}


def switching(**more: Any) -> did.MultiplegtResult:
    treated = data().with_columns(d=(pl.col("first.treat") > 0) & (pl.col("year") >= pl.col("first.treat")))
    return did.did_multiplegt(treated, "lemp", "year", "countyreal", "d", **more)


def curve(vary: Any) -> did.SpecificationCurve:
    return did.specification_curve(data(), **COLUMNS, vary=vary, estimators=["cs"])


@pytest.mark.parametrize("what", REFUSED)
def test_what_would_be_ignored_is_refused(what: str) -> None:
    call, message = REFUSED[what]
    with pytest.raises(did.OptionError, match=message):
        call()


def test_a_term_of_a_result_without_terms_is_refused() -> None:
    with pytest.raises(did.EstimationError, match="`term`.*leave it out"):
        did.honest_did(study(), m_vec=[0], term="sa")


def test_clusters_by_their_correction_are_those_by_name() -> None:
    by_name = did.feols("lemp ~ lpop | year", data(), vcov="cluster:st")
    assert did.feols("lemp ~ lpop | year", data(), vcov={"CRV1": "st"}).se() == by_name.se()
    assert did.feols("lemp ~ lpop | year", data(), vcov="~st").se() == by_name.se()
    assert did.fepois("lemp ~ lpop | year", data(), vcov=" ~ st ").se() == did.fepois("lemp ~ lpop | year", data(), vcov="cluster:st").se()
    two = did.feols("lemp ~ lpop", data(), vcov="cluster:st,year")
    assert did.feols("lemp ~ lpop", data(), vcov="~st + year").se() == two.se()
    assert did.etwfe(data(), **COLUMNS, vcov="~st").tidy().to_dict() == did.etwfe(data(), **COLUMNS, vcov="cluster:st").tidy().to_dict()


def test_values_of_sensitivity_and_levels_of_tests() -> None:
    smooth = did.honest_did(study(), m_vec=[0.0, 0.01], bias_direction="positive")
    relative = did.honest_did(study(), sensitivity_type="rm", m_bar_vec=[0.0, 0.01], grid_points=100, grid_lb=-1, grid_ub=1)
    assert len(smooth.tidy()) == len(relative.tidy())
    assert str(did.pretrends(study(), alpha=0.2)) != str(did.pretrends(study()))


def test_heterogeneity_by_one_column_and_choices_by_one_value() -> None:
    one = switching(predict_het=("lpop", [1]))
    assert one.tidy().to_dict() == switching(predict_het=(["lpop"], [1])).tidy().to_dict()
    assert curve({"anticipation": 1}).tidy().to_dict() == curve({"anticipation": [1]}).tidy().to_dict()
    brackets = {"covariates": ["~ 1", "~ poly(lpop, 2)"]}
    with pytest.raises(did.BurnDidError, match="poly"):
        curve(brackets)


@pytest.mark.parametrize("name", ["log\u00a0pop", "a\\b", 'a"b', "a'b", "two\nlines"])
def test_columns_in_lists_have_any_name(name: str) -> None:
    renamed = data().rename({"lpop": name})
    want = did.demean(data(), ["lpop"], ["countyreal"]).to_dict()["lpop"]
    assert did.demean(renamed, [name], ["countyreal"]).to_dict()[name] == want
    assert did.demean(renamed, (name,), ["countyreal"]).to_dict()[name] == want
    fit = did.lpdid(renamed, "lemp", "year", "countyreal", "first.treat", window=(-2, 1), xname=[name])
    assert fit.tidy().to_dict()["estimate"] == did.lpdid(
        data(), "lemp", "year", "countyreal", "first.treat", window=(-2, 1), xname=["lpop"]
    ).tidy().to_dict()["estimate"]


@pytest.mark.parametrize("name", ["a\\b", 'a"b'])
def test_predictions_from_columns_of_any_name(name: str) -> None:
    fit = did.feols(f"lemp ~ `{name}`", data().rename({"lpop": name}))
    assert fit.predict(data().rename({"lpop": name})) == did.feols("lemp ~ lpop", data()).predict(data())


def test_sums_are_of_weights_that_are_given() -> None:
    with pytest.raises(did.OptionError, match="`wtr`"):
        did.imputation(data(), "lemp", "year", "countyreal", "first.treat", sum=True)


@pytest.mark.parametrize("words", [{"lemp": [-99]}, b"NA"])
def test_words_for_missing_values_are_a_list(words):
    with pytest.raises(did.OptionError, match="`missing_values` must be a list"):
        did.att_gt(data(), **COLUMNS, missing_values=words)
