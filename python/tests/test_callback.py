"""Two-by-two estimators that are written in Python."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import close, golden_data

import burn_did as did

COLUMNS = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat"}


def regression(y1: Any, y0: Any, d: Any, covariates: Any, i_weights: Any, influence_func: bool) -> tuple[float, Any]:
    """Outcome regression as R DRDID has it."""
    assert influence_func and covariates.shape == (len(d), 2) and y1.dtype == np.float64
    change, w = y1 - y0, i_weights
    control = w * (1 - d)
    gram = (covariates * control[:, None]).T @ covariates
    beta = np.linalg.solve(gram, covariates.T @ (control * change))
    gap = change - covariates @ beta
    treated = w * d
    att = (treated * gap).sum() / treated.sum()
    score = control[:, None] * covariates * gap[:, None] @ np.linalg.inv(gram / len(d))
    means = (treated[:, None] * covariates).sum(axis=0) / treated.sum()
    return att, treated * (gap - att) / treated.mean() - score @ means


def test_the_numbers_of_the_built_in_estimator() -> None:
    data = golden_data("mpdta")
    ours = did.att_gt(data, **COLUMNS, xformla="~ lpop", est_method=regression)
    built_in = did.att_gt(data, **COLUMNS, xformla="~ lpop", est_method="reg")
    for got, want in zip(ours.att_gt + ours.se_gt, built_in.att_gt + built_in.se_gt, strict=True):
        assert close(got, want, 1e-9)

    def named(**cell: Any) -> Any:
        att, influence = regression(**cell)
        return SimpleNamespace(att=att, att_inf_func=influence)

    assert did.att_gt(data, **COLUMNS, xformla="~ lpop", est_method=named).att_gt == ours.att_gt


def test_exceptions_are_the_reason_of_a_cell() -> None:
    def refuse(**cell: Any) -> Any:
        if cell["d"].sum() < 30:
            raise ValueError("too few to tell")
        return regression(**cell)

    fit = did.att_gt(golden_data("mpdta"), **COLUMNS, xformla="~ lpop", est_method=refuse)
    rows = fit.tidy().to_dict()
    failed = [reason for group, reason in zip(rows["group"], rows["reason"], strict=True) if group == 2004]
    assert len(failed) == 4 and all("too few to tell" in reason for reason in failed)
    assert all(se is not None for group, se in zip(rows["group"], rows["se"], strict=True) if group != 2004)


def test_influence_values_of_another_number_are_an_error() -> None:
    with pytest.raises(did.EstimationError, match="influence values") as raised:
        did.att_gt(golden_data("mpdta"), **COLUMNS, xformla="~ lpop", est_method=lambda **cell: (0.0, [1.0]))
    assert raised.value.code == "callback"


def test_influence_values_that_are_no_numbers_leave_the_estimate() -> None:
    def unsure(**cell: Any) -> Any:
        att, influence = regression(**cell)
        return att, np.full_like(influence, np.nan) if cell["d"].sum() < 30 else influence

    data = golden_data("mpdta")
    fit = did.att_gt(data, **COLUMNS, xformla="~ lpop", est_method=unsure)
    want = did.att_gt(data, **COLUMNS, xformla="~ lpop", est_method=regression)
    assert fit.att_gt == want.att_gt
    for group, se, other in zip(fit.groups, fit.se_gt, want.se_gt, strict=True):
        assert se is None if group == 2004 else close(se, other, 1e-12)
    assert sum("influence values" in said for said in fit.warnings) == 4


@pytest.mark.parametrize("more", [{}, {"boot": True}, {"influence": True}, {"base_period": "universal"}], ids=str)
def test_a_first_draft_that_fails_everywhere_says_why(more: dict[str, Any]) -> None:
    data = golden_data("mpdta")
    for draft, reason in {
        lambda **cell: 1 / 0: "division by zero",
        lambda y1: 0.0: "unexpected keyword argument",
        lambda **cell: 0.1: "must give the effect and its influence values",
        lambda **cell: {"att": 0.1}: "must give the effect and its influence values",
        lambda **cell: (0.1, np.zeros((len(cell["d"]), 2))): "of shape",
        lambda **cell: (float("nan"), np.zeros(len(cell["d"]))): "not finite",
    }.items():
        rows = did.att_gt(data, **COLUMNS, est_method=draft, **more).tidy().to_dict()
        failed = [why for why, status in zip(rows["reason"], rows["status"], strict=True) if status != "reference"]
        assert len(failed) == 12 and all(reason in why for why in failed), failed


def test_results_as_other_packages_give_them() -> None:
    data = golden_data("mpdta")
    want = did.att_gt(data, **COLUMNS, xformla="~ lpop", est_method=regression)

    def listed(**cell: Any) -> Any:
        return list(regression(**cell))

    def column(**cell: Any) -> Any:
        att, influence = regression(**cell)
        return att, influence[:, None]

    for same in (listed, column):
        assert did.att_gt(data, **COLUMNS, xformla="~ lpop", est_method=same).se_gt == want.se_gt


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_what_ends_a_program_ends_the_fit(end: type[BaseException]) -> None:
    called = []

    def ended(**cell: Any) -> Any:
        called.append(1)
        raise end

    with pytest.raises(end):
        did.att_gt(golden_data("mpdta"), **COLUMNS, est_method=ended)
