"""Every golden case of `att_gt` and `ddd`, and of averages of them, to the tolerances of the Rust tests."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import close, golden_data, golden_json

import burn_did as did

DATASETS = ["antic_a", "collin_a", "mpdta", "nonever_a", "rcs_a", "scale_a", "small_a", "stag_a", "tvw_a", "unbal_a"]
TRIPLE = [
    "ddd2p_a", "ddd2p_rc_a", "dddlong_a", "dddmp_a", "dddmp_rc_a", "dddlong_a_eligible", "dddmp_a_eligible",
    "dddmp_rc_a_eligible", "ddd_shares_eligible",
]


def formula(case: dict[str, Any]) -> str:
    return "~ " + (" + ".join(case.get("covariates", [])) or "1")


def has_logit(case: dict[str, Any]) -> bool:
    return case["method"] != "reg" and bool(case.get("covariates"))


def tolerance(dataset: str, case: dict[str, Any]) -> float:
    """As `tests/support/tolerance.rs`, which has the reasons."""
    if dataset.startswith("collin_"):
        return 1e-6
    if not has_logit(case):
        return 1e-9
    if dataset.startswith("small_"):
        return 1e-3
    return 2e-6 if dataset.startswith("unbal_") or dataset.endswith("_eligible") else 1e-6


class Compared:
    """Collects what differs."""

    def __init__(self, dataset: str, case: dict[str, Any]) -> None:
        self.id = case["id"]
        self.relative = tolerance(dataset, case)
        self.se = 0.05 if case.get("draws") else self.relative
        self.att_only = bool(case.get("att_only"))
        self.missing_matters = not dataset.startswith(("scale_", "collin_"))
        self.problems: list[str] = []
        self.numbers = 0

    def number(self, what: str, got: float | None, want: float | None, relative: float, least: float = 0.0) -> None:
        if not self.missing_matters and (got is None or want is None):
            return
        self.numbers += 1
        if not close(got, want, relative, least):
            self.problems.append(f"{self.id}: {what} is {got}, not {want}")

    def rows(self, what: str, got: list[Any], want: list[Any]) -> None:
        """Rows of an estimate and its standard error, by what they are of; R leaves out averages over no cell."""
        places = [row[0] for row in want]
        got = [row for row in got if row[1] is not None or row[0] in places]
        if len(got) != len(want):
            self.problems.append(f"{self.id}: {what} has {len(got)} rows, not {len(want)}")
            return
        least = 1e-3 * max((abs(row[1]) for row in want if row[1] is not None), default=0.0)
        for (at, att, se), (at_want, att_want, se_want) in zip(got, want, strict=True):
            if at != at_want:
                self.problems.append(f"{self.id}: {what} at {at}, not {at_want}")
            self.number(f"{what} {at}", att, att_want, self.relative, least)
            # R's reference period has a standard error of 0, or none.
            if not self.att_only and se_want:
                self.number(f"se of {what} {at}", se, se_want, self.se)


def compare_aggregates(compared: Compared, fit: did.GroupTimeResult, case: dict[str, Any], na_rm: bool) -> None:
    for asked in case.get("aggregates", []):
        kind = "dynamic" if asked["type"] == "eventstudy" else asked["type"]
        window = {name: asked[name] for name in ("min_e", "max_e", "balance_e") if asked.get(name) is not None}
        window["na_rm"] = na_rm or asked.get("na_rm", False)
        if "error" in asked:
            with pytest.raises(did.BurnDidError):
                fit.aggregate(kind, **window)
            continue
        average = fit.aggregate(kind, **window)
        got = list(zip(average.event_times, average.att_by_event, average.se_by_event, strict=True))
        compared.rows(kind, got, [tuple(row) for row in asked.get("rows") or []])
        compared.rows(f"overall {kind}", [(0, average.overall_att, average.overall_se)], [(0, asked["att"], asked["se"])])


@pytest.mark.parametrize("dataset", DATASETS)
def test_att_gt(dataset: str) -> None:
    golden, data = golden_json(f"{dataset}.json"), golden_data(dataset)
    columns = golden["columns"]
    problems, numbers = [], 0
    for case in golden["cases"]:
        sections = case.get("repeated_cross_sections", False)
        fit = did.att_gt(
            data, columns["outcome"], columns["time"], None if sections else columns.get("unit"), columns["group"],
            formula(case), case.get("weights"), fix_weights=case.get("fix_weights"),
            clustervars=case.get("cluster"), anticipation=case.get("anticipation", 0),
            control_group="notyettreated" if case.get("not_yet_treated") else "nevertreated",
            base_period="universal" if case.get("universal") else "varying", est_method=case["method"],
            panel=not sections, allow_unbalanced_panel=case.get("unbalanced", False),
            boot="draws" in case, biters=case.get("draws", 1000), random_state=1, multiplier="rademacher" if "draws" in case else None,
        )
        compared = Compared(dataset, case)
        grid = golden["grids"][case["grid"]]
        got = list(zip(zip(fit.groups, fit.times, strict=True), fit.att_gt, fit.se_gt, strict=True))
        at = list(zip(grid["group"], grid["time"], strict=True))
        compared.rows("att", got, list(zip(at, case["att"], case["se"], strict=True)))
        compare_aggregates(compared, fit, case, na_rm=False)
        problems += compared.problems
        numbers += compared.numbers
    assert numbers > 20
    assert not problems, f"{len(problems)} of {numbers}:\n" + "\n".join(problems[:20])


@pytest.mark.parametrize("dataset", TRIPLE)
def test_ddd(dataset: str) -> None:
    golden = golden_json(f"ddd_{dataset}.json")
    data, columns = golden_data(golden["dataset"]), golden["columns"]
    problems, numbers = [], 0
    for case in golden["cases"]:
        sections = case.get("repeated_cross_sections", False)
        fit = did.ddd(
            data, columns["outcome"], columns["time"], None if sections else columns.get("unit"), columns["group"],
            columns["partition"], formula(case),
            "notyettreated" if case.get("not_yet_treated") else "nevertreated",
            "universal" if case.get("universal") else "varying", case["method"], case.get("weights"),
            cluster=case.get("cluster"), panel=not sections, unbalanced=case.get("unbalanced"),
            shares_of=golden.get("shares_of"),
        )
        compared = Compared(dataset, case)
        got = list(zip(zip(fit.groups, fit.times, strict=True), fit.att_gt, fit.se_gt, strict=True))
        if "grid" in case:
            grid = golden["grids"][case["grid"]]
            at = list(zip(grid["group"], grid["time"], strict=True))
            compared.rows("att", got, list(zip(at, case["att"], case["se"], strict=True)))
        else:
            compared.rows("att", [(0, *row[1:]) for row in got if row[2]], [(0, case["att"], case.get("se"))])
        compare_aggregates(compared, fit, case, na_rm=True)
        problems += compared.problems
        numbers += compared.numbers
    assert numbers >= 2 * len(golden["cases"]) - len([c for c in golden["cases"] if c.get("att_only")])
    assert not problems, f"{len(problems)} of {numbers}:\n" + "\n".join(problems[:20])
