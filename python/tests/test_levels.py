"""Averages of extended two-way fixed effects by level of what effects may differ by, and effects on the linear index."""

from __future__ import annotations

import io
import math
import pickle
from typing import Any

import polars as pl
import pytest
from conftest import close, golden_data

import burn_did as did
from burn_did import _native
from burn_did._table import Table

COLUMNS = {"yname": "lemp", "tname": "year", "gname": "first.treat"}
LAKES = [17, 18, 26, 27, 36, 39, 42, 55]
LEADS = [-2.0, -1.0, 0.0, 1.0]


class Made(did.EtwfeResult):
    """A result with the table of one that has averages by level, with leads."""

    def __init__(self) -> None:
        super().__init__(fitted(None)._native)

    def tidy(self) -> Table:
        keys: list[tuple[Any, ...]] = [("overall", None, None, None, None), ("groups", None, None, "2004", None)]
        keys += [("event_times", None, at, None, None) for at in LEADS]
        for level in ("a", "the other"):
            keys += [("levels", level, None, None, None), ("level_periods", level, None, None, "2004")]
            keys += [("level_event_times", level, at, None, None) for at in LEADS]
            keys += [("level_groups", level, None, group, None) for group in ("2004", "2006")]
        frame = pl.DataFrame(keys, schema=["table", "level", "event_time", "group", "time"], orient="row")
        frame = frame.sort("table", maintain_order=True).with_row_index("estimate").with_columns(
            pl.col("estimate").cast(pl.Float64), se=pl.lit(1.0), ci_lower=pl.lit(0.5), ci_upper=pl.lit(2.5), p_value=pl.lit(0.01)
        )
        file = io.BytesIO()
        frame.write_parquet(file)
        return Table(_native.read_table(file.getvalue()))


def fitted(moderator: pl.Expr | None, **options: Any) -> did.EtwfeResult:
    data = golden_data("mpdta")
    if moderator is not None:
        data, options = data.with_columns(moderator.alias("gls")), {"xvar": "gls", **options}
    return did.etwfe(data, **COLUMNS, xformla="~ lpop", vcov={"CRV1": "countyreal"}, **options)


def lakes() -> pl.Expr:
    """Whether a county is in a state at the Great Lakes."""
    return (pl.col("countyreal") // 1000).is_in(LAKES)


def test_averages_by_level_are_selected() -> None:
    simple = did.emfx(Made(), by_xvar=True)
    rows = simple.tidy().to_dict()
    assert rows["table"] == ["levels"] * 2 and rows["level"] == simple.levels == ["a", "the other"]
    assert simple.event_times is None and simple.att_by_event == rows["estimate"] and simple.p_by_event == [0.01, 0.01]
    assert simple.overall_att == did.emfx(Made()).overall_att and did.emfx(Made()).levels is None
    group, calendar = did.emfx(Made(), "group", by_xvar=True), did.emfx(Made(), "calendar", by_xvar=True)
    assert (group.levels, group.event_times) == (["a", "a", "the other", "the other"], [2004.0, 2006.0] * 2)
    assert (calendar.levels, calendar.event_times) == (["a", "the other"], [2004.0] * 2)


def test_windows_are_of_each_level() -> None:
    after = did.emfx(Made(), "event", by_xvar=True)
    assert (after.levels, after.event_times) == (["a", "a", "the other", "the other"], [0.0, 1.0] * 2)
    assert did.emfx(Made(), "event", False, by_xvar=True).event_times == LEADS * 2
    window = did.emfx(Made(), "event", False, (-1, 0), by_xvar=True)
    assert (window.levels, window.event_times) == (after.levels, [-1.0, 0.0] * 2)
    with pytest.raises(did.OptionError, match=r"the event times are 0, 1; give `post_only=False`"):
        did.emfx(Made(), "event", window=(-2, -1), by_xvar=True)


def test_rows_that_do_not_follow_each_other_are_a_table() -> None:
    window = did.emfx(Made(), "event", False, (-1, 0), by_xvar=True)
    table = window.tidy()
    assert table["estimate"] == window.att_by_event and table["level"] == window.levels and table["event_time"] == window.event_times
    assert table.columns == Made().tidy().columns and (len(table), table.shape) == (4, (4, 10))
    assert table.to_dict() == pickle.loads(pickle.dumps(table)).to_dict()
    assert len(repr(table).splitlines()) == 6 and "the other" in repr(table)
    assert window.to_polars().to_dict(as_series=False) == table.to_dict()
    pytest.importorskip("pyarrow")
    assert window.to_arrow().to_pydict() == table.to_dict()


def test_levels_are_the_first_column_in_print() -> None:
    head, overall, *rest = str(did.emfx(Made(), "event", by_xvar=True)).splitlines()
    assert head.split()[:3] == ["level", "event", "Estimate"] and overall.split()[0] == "overall"
    assert [line.split()[:2] for line in rest[:2]] == [["a", "0.0"], ["a", "1.0"]] and rest[2].startswith("  the other       0.0")
    assert len({len(line) for line in (head, overall, *rest)}) == 1
    simple = str(did.emfx(Made(), by_xvar=True)).splitlines()
    assert [line.split()[0] for line in simple] == ["level", "overall", "a", "the"]


def test_averages_by_level_need_levels() -> None:
    with pytest.raises(did.OptionError, match="`by_xvar` is for results with averages by level of `xvar`.*at most 20 levels"):
        did.emfx(fitted(None), by_xvar=True)
    with pytest.raises(did.OptionError, match="`by_xvar` must be True or False, got 'auto'"):
        did.emfx(fitted(None), by_xvar="auto")  # type: ignore[arg-type]


def test_event_studies_are_of_all_levels() -> None:
    by_level = did.emfx(Made(), "event", by_xvar=True)
    calls: tuple[Any, ...] = (did.event_study, did.honest_did, did.plot_event_study, did.plot_agg)
    for call in calls:
        with pytest.raises(did.OptionError, match="must have averages over all levels, got averages by level"):
            call(by_level)


def test_averages_by_level_have_the_numbers_of_r() -> None:
    fit = fitted(lakes())
    simple = did.emfx(fit, by_xvar=True)
    assert simple.att_by_event is not None and simple.se_by_event is not None and simple.levels is not None
    assert simple.levels == ["false", "true"]
    for got, want in zip(simple.att_by_event, [-0.0600010426077679, -0.0449165785109597], strict=True):
        assert got is not None and math.isclose(got, want, abs_tol=1e-7)
    for got, want in zip(simple.se_by_event, [0.0343946845417874, 0.0281086484211582], strict=True):
        assert close(got, want, 1e-4)
    rows = fit.tidy().to_dict()
    difference = rows["table"].index("level_differences")
    assert [rows["level"][difference], rows["less_level"][difference]] == simple.levels[::-1]
    assert close(rows["estimate"][difference], simple.att_by_event[1] - simple.att_by_event[0], 1e-9)  # type: ignore[operator]
    event = did.emfx(fit, "event", by_xvar=True)
    elsewhere, at_lakes = simple.levels
    # The counties that were treated first are all at the lakes.
    assert event.levels == [elsewhere] * 2 + [at_lakes] * 4 and event.event_times == [0.0, 1.0, 0.0, 1.0, 2.0, 3.0]
    assert did.emfx(fit, "group", by_xvar=True).event_times == [2006.0, 2007.0, 2004.0, 2006.0, 2007.0]
    assert did.emfx(fit, "event").levels is None


def test_categories_are_levels_by_their_names() -> None:
    names = pl.when(lakes()).then(pl.lit("lakes")).otherwise(pl.lit("elsewhere"))
    want = did.emfx(fitted(lakes()), by_xvar=True).att_by_event
    for moderator in (names, names.cast(pl.Categorical)):
        simple = did.emfx(fitted(moderator), by_xvar=True)
        assert simple.levels == ["elsewhere", "lakes"]
        for got, other in zip(simple.att_by_event or [], want or [], strict=True):
            assert close(got, other, 1e-9)


def test_effects_on_the_linear_index() -> None:
    means = {("treated", 1): 2, ("treated", 2): 9, ("untreated", 1): 3, ("untreated", 2): 4}
    rows = [
        {"t": t, "g": 2 if who == "treated" else 0, "y": float(mean + (-1) ** (unit + t))}
        for (who, t), mean in means.items() for unit in range(40)
    ]
    scales = (None, "response", "link")
    counts = {scale: did.emfx(did.etwfe(pl.DataFrame(rows), "y", "t", "g", family="poisson", scale=scale)) for scale in scales}
    untreated = 2 * 4 / 3
    assert close(counts["link"].overall_att, math.log(9 / untreated), 1e-7)
    assert close(counts["response"].overall_att, 9 - untreated, 1e-7) and counts[None].overall_att == counts["response"].overall_att
    with pytest.raises(did.OptionError, match="`scale` must be response, link"):
        did.etwfe(pl.DataFrame(rows), "y", "t", "g", family="poisson", scale="log")


def test_maketables_reads_the_averages() -> None:
    pytest.importorskip("pandas")
    events = did.emfx(fitted(None), "event")
    table = events.__maketables_coef_table__
    assert list(table.index) == [f"event {at:g}" for at in events.event_times or []]
    assert list(table["b"]) == events.att_by_event and list(table["se"]) == events.se_by_event
    simple = did.emfx(fitted(lakes()), by_xvar=True).__maketables_coef_table__
    assert list(simple.index) == ["ATT (false)", "ATT (true)"]
    assert list(did.emfx(fitted(None)).__maketables_coef_table__.index) == ["ATT"]
    assert events.__maketables_depvar__ == "lemp" and events.__maketables_stat__("N") == events.fit.__maketables_stat__("N")
    assert events.__maketables_vcov_info__ == events.fit.__maketables_vcov_info__
    assert events.__maketables_default_stat_keys__ == ["N", "se_type"] and "se_type" in events.__maketables_stat_labels__
    assert events.__maketables_fixef_string__ == events.fit.__maketables_fixef_string__
