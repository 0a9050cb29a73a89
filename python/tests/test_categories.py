"""Categories of every library are read by their codes: what texts give, in the order of levels that parquet files have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import golden_data

import burn_did as did

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")

COLUMNS = {"yname": "lemp", "tname": "year", "idname": "unit", "gname": "first.treat"}
ORDER = ["small", "unused", "middle", "large"]


def texts() -> pl.DataFrame:
    large = pl.when(pl.col("lpop") > 4).then(pl.lit("large"))
    size = large.when(pl.col("lpop") > 3).then(pl.lit("middle")).when(pl.col("lpop") > 1.5).then(pl.lit("small"))
    unit = pl.format("county {}", "countyreal")
    return golden_data("mpdta").with_columns(unit=unit, state=pl.format("s{}", pl.col("countyreal") // 1000), size=size)


def of_pandas(data: pl.DataFrame) -> Any:
    return data.to_pandas().astype(dict.fromkeys(("unit", "state"), "category"))


def encoded(keys: Any, values: Any = None) -> Callable[[pl.DataFrame], Any]:
    def table(data: pl.DataFrame) -> Any:
        made = data.to_arrow()
        for name in ("unit", "state"):
            column = made[name].cast(values or pa.string()).combine_chunks().dictionary_encode()
            made = made.set_column(made.schema.get_field_index(name), name, column.cast(pa.dictionary(keys, column.type.value_type)))
        return made

    return table


def in_parts(data: pl.DataFrame) -> Any:
    """A table whose parts have dictionaries of their own."""
    parts = [data[:701].to_arrow(), data[701:703].to_arrow(), data[703:].to_arrow()]
    coded = [part.set_column(part.schema.get_field_index(name), name, part[name].cast(pa.string()).combine_chunks().dictionary_encode()) for part in parts for name in ("unit",)]
    return pa.concat_tables(coded)


KINDS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda data: data.with_columns(pl.col("unit", "state").cast(pl.Categorical)),
    "polars in pieces": lambda data: pl.concat([data[:9], data[9:]], rechunk=False).with_columns(pl.col("unit", "state").cast(pl.Categorical)),
    "polars of eight bits": lambda data: data.with_columns(pl.col("state").cast(pl.Categorical(pl.Categories.random(physical=pl.UInt8)))),
    "enum": lambda data: data.with_columns(pl.col("unit").cast(pl.Enum(data["unit"].unique().sort(descending=True)))),
    "pandas": of_pandas,
    "int16": encoded(pa.int16()),
    "int64": encoded(pa.int64()),
    "uint32": encoded(pa.uint32(), pa.large_string()),
    "uint64": encoded(pa.uint64()),
    "parts": in_parts,
}


def known(data: Any) -> list[Any]:
    fit = did.att_gt(data, **COLUMNS, xformla="~ lpop", clustervars="state", influence=True)
    regression = did.feols("lemp ~ lpop + state | year", data, "hetero")
    effects = did.feols("lemp ~ i(year, ref=2003) | unit", data, "cluster:state", fixef=True).fixef()
    influence = fit.influence()
    assert influence is not None
    return [fit.tidy().to_dict(), influence.to_dict(), regression.tidy().to_dict(), effects]


@pytest.fixture(scope="module")
def of_texts() -> list[Any]:
    return known(texts())


@pytest.mark.parametrize("kind", KINDS)
def test_they_give_the_bits_of_texts(kind: str, of_texts: list[Any]) -> None:
    assert known(KINDS[kind](texts())) == of_texts


@pytest.mark.parametrize("sort", [None, "unit"])
def test_files_with_categories_give_them_too(sort: str | None, of_texts: list[Any], tmp_path: Path) -> None:
    data = texts() if sort is None else texts().sort(sort)
    data.with_columns(pl.col("unit", "state").cast(pl.Categorical)).write_parquet(tmp_path / "data.parquet")
    assert known(tmp_path / "data.parquet") == of_texts


def coefficients(data: Any) -> list[str]:
    return list(did.feols("lemp ~ size", data).coef())


def test_levels_have_the_order_that_files_give_them(tmp_path: Path) -> None:
    data = texts()
    for dtype, levels in ((pl.Enum(ORDER), ["middle", "large"]), (pl.Categorical, ["middle", "small"])):
        typed = data.with_columns(pl.col("size").cast(dtype))
        typed.write_parquet(tmp_path / "data.parquet")
        want = ["(Intercept)", *(f"size{level}" for level in levels)]
        assert coefficients(typed) == coefficients(tmp_path / "data.parquet") == want
    for ordered in (True, False):
        frame = data.to_pandas()
        frame["size"] = pd.Categorical(frame["size"], ORDER, ordered=ordered)
        assert coefficients(frame) == ["(Intercept)", "sizemiddle", "sizelarge"]


def dictionary(keys: list[int | None], values: list[str | None], ordered: bool = False) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(keys, pa.int8()), pa.array(values), ordered=ordered)


def with_size(*parts: Any) -> Any:
    """The rows of the data in as many parts, with this column."""
    data = golden_data("mpdta").select("lemp").to_arrow()
    ends = [0, *pa.compute.cumulative_sum(pa.array([len(part) for part in parts])).to_pylist()]
    tables = [data[start:end].append_column("size", part) for start, end, part in zip(ends[:-1], ends[1:], parts, strict=True)]
    return pa.concat_tables(tables)


def test_values_that_are_null_or_occur_twice() -> None:
    keys: list[int | None] = [0, 1, 2, 3, 4, None] * 50
    got = with_size(dictionary(keys, ["b", None, "a", "b", "c"]))
    plain = with_size(pa.array(["b", None, "a", "b", "c", None] * 50))
    for formula in ("lemp ~ size", "lemp ~ 1 | size"):
        fit, want = did.feols(formula, got, fixef=True), did.feols(formula, plain, fixef=True)
        assert (fit.tidy().to_dict(), fit.fixef(), fit.warnings) == (want.tidy().to_dict(), want.fixef(), want.warnings)


def test_parts_may_have_more_levels_behind_those_of_the_parts_before() -> None:
    keys: list[int | None] = [0, 1] * 40
    first, more = dictionary(keys, ["z", "m"], True), dictionary([*keys, 2, 2], ["z", "m", "a"], True)
    for parts in ([first, more], [more, first]):
        assert coefficients(with_size(*parts)) == ["(Intercept)", "sizem", "sizea"]
    for other in (["m", "z"], ["z", "a", "m"]):
        with pytest.raises(did.DataError, match="column `size`: its batches have their levels in different orders"):
            coefficients(with_size(first, dictionary(keys, other, True)))
    assert coefficients(with_size(dictionary(keys, ["z", "m"]), dictionary(keys, ["m", "a"]))) == ["(Intercept)", "sizem", "sizez"]
    with pytest.raises(did.DataError, match="column `size`: .*duplicate"):
        coefficients(with_size(dictionary(keys, ["z", "z"], True)))


@pytest.mark.parametrize("ordered", [False, True])
def test_more_levels_than_a_key_of_sixteen_bits_has(ordered: bool) -> None:
    count = 70_000
    names = pa.array([f"unit {unit:05}" for unit in range(count)])
    units = pa.array([unit for unit in reversed(range(count)) for _ in range(2)], pa.int32())
    data = pa.table({
        "unit": pa.DictionaryArray.from_arrays(units, names, ordered=ordered), "year": [1, 2] * count,
        "first.treat": [2 * (unit % 2) for unit in units.to_pylist()], "lemp": [float((7 * row) % 11 + row % 2) for row in range(2 * count)],
    })
    plain = data.set_column(0, "unit", data["unit"].cast(pa.string()))
    got, want = (did.att_gt(table, **COLUMNS, influence=True).influence() for table in (data, plain))
    assert got is not None and want is not None and got.to_dict() == want.to_dict()


def test_words_for_missing_values_are_missing_where_they_are_categories() -> None:
    data = texts().with_columns(pl.col("size").fill_null("NA"))
    want = did.feols("lemp ~ size", data)
    assert want.warnings
    for typed in (data.with_columns(pl.col("size").cast(pl.Categorical)), data.to_pandas().astype({"size": "category"})):
        got = did.feols("lemp ~ size", typed)
        assert (got.coef(), got.warnings) == (want.coef(), want.warnings)


def test_errors_say_that_a_column_has_categories() -> None:
    data = texts().with_columns(pl.col("size").cast(pl.Categorical))
    with pytest.raises(did.DataError, match="`size`.*categories"):
        did.att_gt(data, **{**COLUMNS, "yname": "size"})


def test_tools_for_panels_give_texts() -> None:
    data = texts().with_columns(pl.col("unit", "state").cast(pl.Categorical), pl.col("size").cast(pl.Enum(ORDER)))
    table = did.panel.lag(data, "unit", "year", "lemp")
    back = table.to_polars()
    assert [back.schema[name] for name in ("unit", "state", "size")] == [pl.String, pl.String, pl.Enum(ORDER)]
    plain = did.panel.lag(texts(), "unit", "year", "lemp")
    assert table.to_dict() == plain.to_dict()
    assert table.to_pandas()["unit"].tolist() == plain.to_pandas()["unit"].tolist()
