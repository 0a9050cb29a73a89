"""Files as data, with conditions on their rows."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import burn_did as did

ARGUMENTS = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    to = tmp_path / "mpdta.csv"
    did.load_mpdta().to_polars().write_csv(to)
    return to


def test_rows_of_files_are_those_of_a_filtered_frame(path: Path) -> None:
    frame = pl.read_csv(path).filter(pl.col("year") >= 2004, pl.col("countyreal") < 55_000)
    files = did.DataFiles(path, rows=["year >= 2004", "countyreal < 55000"])
    fit = did.att_gt(files, **ARGUMENTS)
    assert fit.tidy().to_dict() == did.att_gt(frame, **ARGUMENTS).tidy().to_dict()
    assert f"Rows chosen: {frame.height} of 2500" in str(fit)
    assert repr(files) == f'DataFiles("{path}", rows=["year >= 2004", "countyreal < 55000"])'
    one = did.feols("lemp ~ lpop", did.DataFiles(str(path), rows="year == 2004"))
    assert "Rows chosen: 500 of 2500" in str(one)
    assert "Rows chosen: 500 of 2500" in str(did.means(did.DataFiles(path, rows="year == 2004"), "lemp", "year", gname="first.treat"))


def test_decimals_are_said_where_a_file_does_not_show_them(tmp_path: Path) -> None:
    path = tmp_path / "commas.csv"
    path.write_text("y;x\n" + "".join(f"{i},{100 + 7 * i % 50};{i % 3}\n" for i in range(1, 30)))
    with pytest.raises(did.FileError, match="1,234"):
        did.feols("y ~ x", str(path))
    fit = did.feols("y ~ x", did.DataFiles(path, decimal="comma"))
    assert len(fit.tidy().to_dict()["term"]) == 2


def test_the_home_directory_has_a_short_name(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(path.parent))
    fit = did.att_gt("~/mpdta.csv", **ARGUMENTS)
    assert fit.tidy().to_dict() == did.att_gt(did.DataFiles("~/mpdta.csv"), **ARGUMENTS).tidy().to_dict()
    fit.save("~/fit.json")
    fit.plot().save("~/fit.svg")
    did.compare([fit]).plot().save("~/two.svg")
    assert did.load("~/fit.json") == fit
    assert sorted(one.name for one in path.parent.iterdir()) == ["fit.json", "fit.svg", "mpdta.csv", "two.svg"]
    with pytest.raises(did.FileError, match="there is no folder .*none; make it first"):
        fit.save("~/none/fit.json")


def test_mistakes_are_exceptions(path: Path) -> None:
    with pytest.raises(did.OptionError, match="`rows` must be a column and what is asked of it"):
        did.DataFiles(path, rows="year")
    with pytest.raises(did.OptionError, match="decimal"):
        did.DataFiles(path, decimal="dot")
    with pytest.raises(did.OptionError, match="some row meets, got `year > 2007`, of 2500 rows"):
        did.att_gt(did.DataFiles(path, rows="year > 2007"), **ARGUMENTS)
    with pytest.raises(did.BurnDidError, match="`yeer`") as raised:
        did.att_gt(did.DataFiles(path, rows="yeer > 2007"), **ARGUMENTS)
    assert raised.value.columns == ["yeer"]
    with pytest.raises(did.BurnDidError, match="fits on this machine"):
        did.att_gt(did.DataFiles(path), **ARGUMENTS, engine=object())
