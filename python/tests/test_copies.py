"""Copies and pickles of results, tables, comparisons and pictures have all that the objects have."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import polars as pl
import pytest
from conftest import golden_data

import burn_did as did

COLUMNS = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat"}
WAYS = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda of: pickle.loads(pickle.dumps(of))}


def data() -> pl.DataFrame:
    return golden_data("mpdta")


def fits() -> dict[str, did.Result]:
    doses = did.simulate("cont_did", n=200, random_state=1).data.to_polars()
    two = data().filter(pl.col("year").is_in([2006, 2007]), pl.col("first.treat").is_in([0, 2007]))
    two = two.with_columns(d=pl.col("first.treat") == 2007)
    return {
        "att_gt": did.att_gt(data(), **COLUMNS, xformla="~ lpop", influence=True, keep_scores=True, weighting=True),
        "drdid": did.drdid(two, "lemp", "year", "countyreal", "d", xformla="~ lpop", inf_func=True, keep_scores=True),
        "cont_did": did.cont_did(doses, "y", "period", "id", "group", "dose", influence=True),
        "imputation": did.imputation(data(), **COLUMNS, influence=True),
        "did2s": did.did2s(data(), **COLUMNS, influence=True),
        "feols": did.feols("lemp ~ lpop | year", data().with_columns(lpop=pl.when(pl.col("lpop") > 1).then("lpop")), residuals=True, fixef=True),
    }


@pytest.mark.parametrize("way", WAYS)
def test_results_keep_what_grows_with_the_data(way: str) -> None:
    for name, fit in fits().items():
        again = WAYS[way](fit)
        assert again == fit and type(again) is type(fit), name
        for part in ("influence", "scores"):
            if (kept := getattr(fit, part, lambda: None)()) is not None:
                assert getattr(again, part)().to_polars().equals(kept.to_polars()), (name, part)
        if isinstance(fit, did.RegressionResult):
            assert again.resid() == fit.resid() and None in fit.resid() and again.fixef() == fit.fixef()
    assert all(fit.influence() is not None for name, fit in fits().items() if name != "feols")  # type: ignore[attr-defined]


@pytest.mark.parametrize("way", WAYS)
def test_tables_keep_their_types(way: str) -> None:
    simulated = did.simulate("att_gt", n=20)
    fit = did.att_gt(data(), **COLUMNS)
    for table in (fit.tidy(), fit.glance(), simulated.data, did.load_castle()):
        again = WAYS[way](table)
        assert type(again) is type(table) and again.to_polars().equals(table.to_polars())
        assert again.to_polars().schema == table.to_polars().schema
    panel = did.panel.lag(data(), "countyreal", "year", "lemp")
    again = WAYS[way](panel)
    assert isinstance(again, did.panel.Panel) and again.change == panel.change
    assert again.to_polars().equals(panel.to_polars())
    assert WAYS[way](simulated).truth.to_dict() == simulated.truth.to_dict()


@pytest.mark.parametrize("way", WAYS)
def test_comparisons_and_pictures(way: str, tmp_path: Any) -> None:
    fit = did.att_gt(data(), **COLUMNS)
    study = did.aggte(fit, "dynamic")
    table = did.etable({"a": study, "b": study}, caption="A title")
    again = WAYS[way](table)
    assert str(again) == str(table) and again.tidy().to_dict() == table.tidy().to_dict()
    for picture in (study.plot(title="Effects"), table.plot()):
        copied = WAYS[way](picture)
        assert copied.svg == picture.svg and copied.png == picture.png
        copied.save(tmp_path / "picture.svg")
        assert (tmp_path / "picture.svg").read_text().startswith("<svg")
    averages = did.emfx(did.etwfe(data(), "lemp", "year", "first.treat", "countyreal"), "event")
    assert WAYS[way](averages) == averages


def test_results_of_other_processes() -> None:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as others:
        assert others.submit(_fitted, did.load_mpdta()).result() == _fitted(did.load_mpdta())


def _fitted(rows: did.Table) -> dict[str, list[Any]]:
    return did.feols("lemp ~ lpop | year", rows).tidy().to_dict()


def test_tables_show_their_rows() -> None:
    table = did.load_mpdta()
    assert table["year"][:2] == [2003, 2004] and next(iter(table))["lemp"] == table["lemp"][0]
    with pytest.raises(KeyError, match="lpop"):
        table["nothing"]
    shown = repr(table).splitlines()
    assert shown[0] == "Table of 2500 rows and 6 columns" and "…" in shown[12] and len(shown) == 23
    assert table._repr_html_().count("<tr>") == 22
    short = did.aggte(did.att_gt(data(), **COLUMNS), "simple").tidy()
    assert len(repr(short).splitlines()) == 3 and short._repr_html_().count("<tr>") == 2
