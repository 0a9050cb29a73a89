"""Data frames: every library, every type, and streams that lie."""

from __future__ import annotations

import ctypes
import datetime
import decimal
import random
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import golden_data

import burn_did as did

COLUMNS = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat"}


def numbers(result: did.Result) -> Any:
    return result.tidy().to_dict()


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    return golden_data("mpdta")


@pytest.fixture(scope="module")
def fitted(frame: pl.DataFrame) -> Any:
    return numbers(did.att_gt(frame, **COLUMNS, xformla="~ lpop"))


CONVERSIONS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda df: df,
    "polars in chunks": lambda df: pl.concat([df[:700], df[700:701], df[701:]], rechunk=False),
    "polars, sliced": lambda df: pl.concat([df[-51:], df, df[:3]])[51 : 51 + len(df)],
    "polars, lazy": lambda df: df.lazy(),
    "pyarrow": lambda df: df.to_arrow(),
    "pyarrow in chunks": lambda df: pa.concat_tables([df[:1000].to_arrow(), df[:0].to_arrow(), df[1000:].to_arrow()]),
    "pyarrow batches": lambda df: pa.RecordBatchReader.from_batches(
        df.to_arrow().schema, df.to_arrow().to_batches(max_chunksize=97)
    ),
    "pandas": lambda df: df.to_pandas(),
    "pandas by pyarrow": lambda df: df.to_pandas(use_pyarrow_extension_array=True),
    "pandas with an index": lambda df: df.to_pandas().set_index(pd.Index(range(7, 7 + len(df)), name="row")),
    "a table of burn_did": lambda df: did.load_mpdta(),
}


@pytest.mark.parametrize("name", CONVERSIONS)
def test_every_library_gives_the_same_bits(name: str, frame: pl.DataFrame, fitted: Any) -> None:
    data = CONVERSIONS[name](frame)
    assert numbers(did.att_gt(data, **COLUMNS, xformla="~ lpop")) == fitted


def test_files_give_the_same_bits(tmp_path: Any, frame: pl.DataFrame, fitted: Any) -> None:
    frame.write_parquet(tmp_path / "a.parquet")
    assert numbers(did.att_gt(tmp_path / "a.parquet", **COLUMNS, xformla="~ lpop")) == fitted
    frame.write_csv(tmp_path / "a.csv")
    assert numbers(did.att_gt(str(tmp_path / "a.csv"), **COLUMNS, xformla="~ lpop")) == fitted


def test_duckdb(frame: pl.DataFrame, fitted: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    arrow = frame.to_arrow()  # noqa: F841
    relation = duckdb.sql('SELECT * FROM arrow ORDER BY countyreal, year')
    if not hasattr(relation, "__arrow_c_stream__"):
        pytest.skip("this DuckDB has no Arrow streams")
    assert numbers(did.att_gt(relation, **COLUMNS, xformla="~ lpop")) == fitted


TYPES = {
    "int8": pa.int8(), "int16": pa.int16(), "int32": pa.int32(), "uint8": pa.uint8(), "uint16": pa.uint16(),
    "uint32": pa.uint32(), "uint64": pa.uint64(), "float32": pa.float32(), "float64": pa.float64(),
    "string": pa.string(), "large_string": pa.large_string(), "string_view": pa.string_view(),
    "dictionary of ints": pa.dictionary(pa.int8(), pa.int64()), "dictionary of texts": pa.dictionary(pa.uint16(), pa.string()),
    "decimal": pa.decimal128(12, 2), "wide decimal": pa.decimal256(40, 3),
}


@pytest.mark.parametrize("name", TYPES)
def test_units_and_periods_of_every_type(name: str, frame: pl.DataFrame) -> None:
    """A unit may have any type; the numbers are those of whole numbers."""
    small = frame.with_columns(unit=pl.col("countyreal").rank("dense").cast(pl.Int64) % 100)
    small = small.unique(["unit", "year"], keep="first", maintain_order=True).sort("unit", "year")
    columns = {**COLUMNS, "idname": "unit"}
    firsts = small.group_by("unit", maintain_order=True).agg(pl.col("first.treat").first().alias("g"))
    small = small.join(firsts, on="unit").with_columns(pl.col("g").alias("first.treat"))
    want = did.att_gt(small, **columns).overlap().tidy().shape
    values = small["unit"].to_list()
    dtype = TYPES[name]
    of_values = dtype.value_type if pa.types.is_dictionary(dtype) else dtype
    if pa.types.is_string(of_values) or pa.types.is_large_string(of_values) or pa.types.is_string_view(of_values):
        column = pa.array([f"{value:03}" for value in values], of_values)
    elif pa.types.is_decimal(of_values):
        column = pa.array([decimal.Decimal(value) for value in values], of_values)
    else:
        column = pa.array(values, of_values)
    if pa.types.is_dictionary(dtype):
        column = column.dictionary_encode().cast(dtype)
    table = small.to_arrow()
    table = table.set_column(table.schema.get_field_index("unit"), "unit", column)
    fit = did.att_gt(table, **columns)
    assert fit.overlap().tidy().shape == want
    assert numbers(fit)["estimate"] == numbers(did.att_gt(small, **columns))["estimate"]


def test_dates_need_a_frequency(frame: pl.DataFrame) -> None:
    def dated(name: str) -> pl.Expr:
        date = pl.date(pl.col(name), 1, 1)
        return pl.when(pl.col(name) > 0).then(date).otherwise(None).alias(name)

    data = frame.with_columns(dated("year"), dated("first.treat"))
    with pytest.raises(did.DataError, match="frequency"):
        did.att_gt(data, **COLUMNS)
    got = numbers(did.att_gt(data, **COLUMNS, frequency="year"))["estimate"]
    assert got == numbers(did.att_gt(frame, **COLUMNS))["estimate"]
    stamps = data.with_columns(pl.col("year").cast(pl.Datetime("us", "UTC")))
    assert numbers(did.att_gt(stamps, **COLUMNS, frequency="year"))["estimate"] == got


def test_levels_in_an_order_keep_it(frame: pl.DataFrame) -> None:
    large = pl.when(pl.col("lpop") > 4).then(pl.lit("large"))
    size = large.when(pl.col("lpop") > 3).then(pl.lit("middle")).otherwise(pl.lit("small"))
    texts = frame.with_columns(size.alias("size"))
    order = ["small", "middle", "large"]
    enum = texts.with_columns(pl.col("size").cast(pl.Enum(order)))
    pandas = texts.to_pandas()
    pandas["size"] = pd.Categorical(pandas["size"], order, ordered=True)
    formula = "lemp ~ C(size) | year"
    assert list(did.feols(formula, texts).coef()) == list(
        did.feols(formula, texts.with_columns(pl.col("size").cast(pl.Categorical))).coef()
    )
    assert did.feols(formula, enum).coef() == did.feols(formula, pandas).coef()
    assert list(did.feols(formula, enum).coef()) != list(did.feols(formula, texts).coef())


def test_nulls_everywhere(frame: pl.DataFrame) -> None:
    for column in COLUMNS.values():
        gone = frame.with_columns(pl.lit(None).alias(column))
        with pytest.raises(did.BurnDidError):
            did.att_gt(gone, **COLUMNS)
    holes = frame.with_columns(
        pl.when(pl.int_range(pl.len()) % 7 == 0).then(None).otherwise(pl.col("lpop")).alias("lpop")
    )
    with pytest.warns(did.BurnDidWarning):
        did.att_gt(holes, **COLUMNS, xformla="~ lpop")


def test_empty_frames(frame: pl.DataFrame) -> None:
    for data in (frame[:0], frame[:0].to_arrow(), frame[:0].to_pandas(), pl.DataFrame(), pa.table({})):
        with pytest.raises(did.DataError):
            did.att_gt(data, **COLUMNS)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[1]] * 2500), pa.array([{"a": 1}] * 2500), pa.array([b"x"] * 2500),
        pa.array([datetime.timedelta(1)] * 2500), pa.nulls(2500),
        pa.array(["x"] * 2500), pa.array([(1, 2, 3)] * 2500, pa.list_(pa.int8(), 3)),
        pa.array([datetime.time(1)] * 2500), pa.array([None] * 2500, pa.map_(pa.int8(), pa.int8())),
    ],
    ids=lambda column: str(column.type),
)
def test_wrong_types_are_named(column: pa.Array, frame: pl.DataFrame) -> None:
    table = frame.to_arrow().append_column("wrong", column)
    # A column that nothing names is not looked at.
    did.att_gt(table, **COLUMNS)
    with pytest.raises((did.DataError, did.EstimationError)) as raised:
        did.att_gt(table, **{**COLUMNS, "yname": "wrong"})
    assert "wrong" in str(raised.value) or raised.value.code in ("empty_sample", "plot")


def test_a_column_is_named_as_a_whole(frame: pl.DataFrame, fitted: Any) -> None:
    """A list that is called as a part of a column's name is not looked at, and odd names are found."""
    lists = frame.with_columns(pl.lit([1]).alias("county"), pl.lit([1]).alias("t"), pl.lit([1]).alias(""))
    assert numbers(did.att_gt(lists, **COLUMNS, xformla="~ lpop")) == fitted
    odd = frame.rename({"lpop": "log population, 1000s", "lemp": "jobs (log)"})
    call = {**COLUMNS, "yname": "jobs (log)", "xformla": "~ `log population, 1000s`"}
    assert numbers(did.att_gt(odd, **call)) == fitted


def test_a_stream_is_read_once(frame: pl.DataFrame) -> None:
    class Once:
        """Hands out one capsule, twice."""

        def __init__(self) -> None:
            self.capsule = frame.to_arrow().__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return self.capsule

    data = Once()
    did.att_gt(data, **COLUMNS)
    with pytest.raises(did.DataError, match="read before"):
        did.att_gt(data, **COLUMNS)


def test_what_is_no_data() -> None:
    class Wrong:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return 3

    for data in (3, None, [1, 2], object()):
        with pytest.raises(did.DataError):
            did.att_gt(data, **COLUMNS)
    with pytest.raises(TypeError, match="PyCapsule"):
        did.att_gt(Wrong(), **COLUMNS)


class Schema(ctypes.Structure):
    """ArrowSchema of the C data interface."""


class Array(ctypes.Structure):
    """ArrowArray of the C data interface."""


Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)), ("release", Release), ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.POINTER(Array)), ("release", Release),
    ("private_data", ctypes.c_void_p),
]


class Stream(ctypes.Structure):
    """ArrowArrayStream of the C stream interface."""

    _fields_ = [
        ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Schema))),
        ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Array))),
        ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)),
        ("release", Release),
        ("private_data", ctypes.c_void_p),
    ]


class Forged:
    """A stream of one batch whose structures a test changes before they are handed over; it counts what is released."""

    def __init__(self, table: pa.Table, forge: Callable[[Schema, Array], None] | None, status: int = 0) -> None:
        batch = table.combine_chunks().to_batches()[0]
        self.keep: list[Any] = [batch]
        self.schema, self.array = Schema(), Array()
        batch.schema._export_to_c(ctypes.addressof(self.schema))
        batch._export_to_c(ctypes.addressof(self.array))
        # The true callbacks are kept for the end, and ours count.
        self.released: list[str] = []
        self.true = [(self.schema, Release(ctypes.cast(self.schema.release, ctypes.c_void_p).value)),
                     (self.array, Release(ctypes.cast(self.array.release, ctypes.c_void_p).value))]
        for structure, name in ((self.schema, "schema"), (self.array, "array")):
            structure.release = self.counting(name, type(structure))
        if forge is not None:
            forge(self.schema, self.array)
        self.given = 0
        self.status = status
        self.stream = Stream()
        self.stream.get_schema = Stream._fields_[0][1](self.get_schema)
        self.stream.get_next = Stream._fields_[1][1](self.get_next)
        self.stream.get_last_error = Stream._fields_[2][1](lambda _: b"as asked")
        self.stream.release = self.counting("stream", Stream)

    def counting(self, name: str, kind: Any) -> Any:
        def release(pointer: int) -> None:
            self.released.append(name)
            ctypes.cast(pointer, ctypes.POINTER(kind)).contents.release = Release()

        callback = Release(release)
        self.keep.append(callback)
        return callback

    def get_schema(self, _: int, out: Any) -> int:
        if self.status == 1:
            return 22
        ctypes.memmove(out, ctypes.addressof(self.schema), ctypes.sizeof(Schema))
        return 0

    def get_next(self, _: int, out: Any) -> int:
        self.given += 1
        if self.status == 2:
            return 5
        if self.given == 1:
            ctypes.memmove(out, ctypes.addressof(self.array), ctypes.sizeof(Array))
        else:
            ctypes.memset(out, 0, ctypes.sizeof(Array))
        return 0

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.stream), b"arrow_array_stream", None)

    def give_back(self) -> None:
        """Calls the true callbacks, with the structures as they were."""
        for structure, release in self.true:
            release(ctypes.addressof(structure))


def forged_fields(schema: Schema, array: Array, name: str) -> tuple[Any, Any]:
    for index in range(schema.n_children):
        if schema.children[index].contents.name == name.encode():
            return schema.children[index].contents, array.children[index].contents
    raise KeyError(name)


def setting(name: str, **values: Any) -> Callable[[Schema, Array], None]:
    def forge(schema: Schema, array: Array) -> None:
        of_schema, of_array = (schema, array) if not name else forged_fields(schema, array, name)
        for field, value in values.items():
            part = of_schema if field in ("format", "flags") else of_array
            setattr(part, field.removeprefix("schema_"), value)

    return forge


def offsets(values: list[int]) -> Callable[[Schema, Array], None]:
    def forge(schema: Schema, array: Array) -> None:
        _, texts = forged_fields(schema, array, "texts")
        numbers = (ctypes.c_int32 * len(values))(*values)
        ctypes.memmove(texts.buffers[1], numbers, 4 * len(values))

    return forge


def bytes_of_texts(first: int) -> Callable[[Schema, Array], None]:
    def forge(schema: Schema, array: Array) -> None:
        _, texts = forged_fields(schema, array, "texts")
        ctypes.memset(texts.buffers[2], first, 2)

    return forge


def keys(value: int) -> Callable[[Schema, Array], None]:
    def forge(schema: Schema, array: Array) -> None:
        _, codes = forged_fields(schema, array, "codes")
        ctypes.memset(codes.buffers[1], value, 1)

    return forge


def no_buffer(name: str, index: int) -> Callable[[Schema, Array], None]:
    def forge(schema: Schema, array: Array) -> None:
        _, column = forged_fields(schema, array, name)
        column.buffers[index] = None

    return forge


def forgery_table() -> pa.Table:
    frame = did.load_mpdta().to_arrow()
    rows = len(frame)
    return frame.append_column("texts", pa.array(["ab"] * rows)).append_column(
        "codes", pa.array(["x", "y"] * (rows // 2)).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
    )


FORGERIES: dict[str, Callable[[Schema, Array], None]] = {
    "negative length of the batch": setting("", length=-1),
    "negative offset of the batch": setting("", offset=-5),
    "enormous length of the batch": setting("", length=2**62),
    "negative number of columns": setting("", n_children=-1),
    "too few arrays": setting("", n_children=2),
    "no arrays": setting("", children=None),
    "nulls in the batch": setting("", null_count=3),
    "no table": setting("", format=b"g"),
    "unknown type of all": setting("", format=b"+z"),
    "negative length": setting("lemp", length=-7),
    "short column": setting("lemp", length=3),
    "enormous offset": setting("lemp", offset=2**61),
    "negative null count": setting("lemp", null_count=-9),
    "null count beyond the rows": setting("lemp", null_count=10**9),
    "nulls and no bits": setting("lemp", null_count=5),
    "no buffers": setting("lemp", buffers=None),
    "negative number of buffers": setting("lemp", n_buffers=-2),
    "too many buffers": setting("lemp", n_buffers=9),
    "no values": no_buffer("lemp", 1),
    "type of another width": setting("lemp", format=b"vu"),
    "unknown type": setting("lemp", format=b"?"),
    "no type": setting("lemp", format=None),
    "type that is no text": setting("lemp", format=b"\xff\xfe"),
    "falling offsets": offsets([0, 5, 2]),
    "negative offsets": offsets([-4, 0, 2]),
    "bytes that are no text": bytes_of_texts(0xFF),
    "half a letter": bytes_of_texts(0xC3),
    "key beyond the dictionary": keys(100),
    "negative key": keys(0xFF),
    "no dictionary": setting("codes", dictionary=None),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_streams_that_lie(name: str) -> None:
    """Each is refused with a reason, and everything that was handed over is released once."""
    forged = Forged(forgery_table(), FORGERIES[name])
    with pytest.raises(did.DataError) as raised:
        did.feols("lemp ~ C(texts) + C(codes) | year", forged)
    assert raised.value.code == "arrow", raised.value
    assert forged.released.count("schema") == 1
    assert forged.released.count("stream") == 1
    assert forged.released.count("array") == (forged.given > 0)


@pytest.mark.parametrize("status", [1, 2])
def test_streams_that_fail(status: int) -> None:
    forged = Forged(forgery_table(), None, status)
    with pytest.raises(did.DataError, match="as asked"):
        did.att_gt(forged, **COLUMNS)
    assert sorted(forged.released) == (["stream"] if status == 1 else ["schema", "stream"])


def test_a_stream_that_tells_the_truth_is_released_once() -> None:
    forged = Forged(forgery_table(), None)
    fit = did.att_gt(forged, **COLUMNS)
    assert numbers(fit) == numbers(did.att_gt(did.load_mpdta(), **COLUMNS))
    assert sorted(forged.released) == ["array", "schema", "stream"]
    forged.give_back()


def test_ten_thousand_hostile_frames() -> None:
    """Random types, nulls, chunks, slices and lengths: a result or a clear error, and never a crash."""
    draw = random.Random(7)
    rows = 24
    outcomes: dict[str, int] = {"fitted": 0, "refused": 0}
    makers: list[Callable[[], pa.Array]] = [
        lambda: pa.array([draw.choice([None, 1, 2, 3]) for _ in range(rows)]),
        lambda: pa.array([draw.random() for _ in range(rows)]),
        lambda: pa.array([draw.choice([None, float("nan"), float("inf"), 1e308, 0.0]) for _ in range(rows)]),
        lambda: pa.array([draw.choice(["a", "", None, "ü"]) for _ in range(rows)]),
        lambda: pa.array([draw.choice(["a", "b"]) for _ in range(rows)]).dictionary_encode(),
        lambda: pa.nulls(rows),
        lambda: pa.array([draw.choice([True, False, None]) for _ in range(rows)]),
        lambda: pa.array([datetime.date(2000 + draw.randrange(4), 1, 1) for _ in range(rows)]),
        lambda: pa.array([[1]] * rows),
        lambda: pa.array([i // 4 for i in range(rows)]),
        lambda: pa.array([i % 4 for i in range(rows)], pa.int8()),
        lambda: pa.array([draw.choice([0, 2, 3]) for _ in range(rows)], pa.float32()),
        lambda: pa.array([draw.choice(["x", "longer than twelve bytes"]) for _ in range(rows)], pa.string_view()),
    ]
    for _ in range(10_000):
        table = pa.table({name: draw.choice(makers)() for name in "ytig"})
        if draw.random() < 0.3:
            cut = draw.randrange(rows)
            table = pa.concat_tables([table[:cut], table[cut:]])
        if draw.random() < 0.3:
            table = table[draw.randrange(4) : draw.randrange(4, rows + 1)]
        data: Any = pl.DataFrame(table) if draw.random() < 0.2 else table
        try:
            did.att_gt(data, "y", "t", "i", "g", allow_unbalanced_panel=draw.random() < 0.5)
            outcomes["fitted"] += 1
        except did.BurnDidError as error:
            assert error.code and error.code != "bug", error
            outcomes["refused"] += 1
    assert outcomes["refused"] > 5_000, outcomes


def test_frames_do_not_leak(frame: pl.DataFrame) -> None:
    resource = pytest.importorskip("resource")
    table = pl.concat([frame] * 40).with_columns(countyreal=pl.int_range(pl.len()) // 5).to_arrow()

    def largest() -> int:
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)

    for _ in range(5):
        did.describe(table, "year", "countyreal", "first.treat")
    before = largest()
    for _ in range(40):
        did.describe(table, "year", "countyreal", "first.treat")
    # A leak of the columns would be 2.4 MB each time.
    assert largest() - before < 40_000, "kilobytes"
    pool = pa.total_allocated_bytes()
    del table
    assert pa.total_allocated_bytes() <= pool
