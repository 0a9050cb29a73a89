"""Arguments of a wrong type are errors that name them as they were given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import golden_data
from test_arguments import COLUMNS, data, study, switching, two_periods

import burn_did as did

TWO = np.array([1, 2])


def att_gt(**more: Any) -> did.GroupTimeResult:
    return did.att_gt(data(), **COLUMNS, **more)


def relative(**more: Any) -> did.HonestResult:
    return did.honest_did(study(), sensitivity_type="relative_magnitude", **more)


def etwfe(**more: Any) -> did.EtwfeResult:
    return did.etwfe(data(), **COLUMNS, **more)


CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "boot": (lambda: att_gt(boot=TWO), "`boot` must be True or False, got array"),
    "multiplier": (lambda: att_gt(multiplier=TWO), "`multiplier` must be None"),
    "boot_type": (lambda: two_periods(boot=True, boot_type=TWO), "`boot_type` must be"),
    "panel": (lambda: two_periods(panel=TWO), "`panel` must be True or False, got array"),
    "progress": (lambda: att_gt(progress=TWO), "`progress` must be True, False or a function, got array"),
    "progress by a word": (lambda: att_gt(progress="no"), "`progress` must be True, False or a function, got 'no'"),
    "tref": (lambda: etwfe(tref=TWO), "`tref` must be None"),
    "gref": (lambda: etwfe(gref=TWO), "`gref` must be None"),
    "fe": (lambda: etwfe(fe=["vs"]), "`fe` must be a text"),
    "cgroup": (lambda: etwfe(cgroup=["notyet"]), "`cgroup` must be"),
    "xformla": (lambda: etwfe(xformla=5), "`xformla` must be columns"),
    "ssc": (lambda: did.feols("lemp ~ lpop | year", data(), ssc=True), "`ssc` must be a text or a dictionary"),  # type: ignore[arg-type]
    "sum": (lambda: did.imputation(data(), **COLUMNS, sum=TWO), "`sum` must be True or False"),  # type: ignore[arg-type]
    "test": (lambda: did.pretrends(study(), test=TWO), "`test` must be"),  # type: ignore[arg-type]
    "switchers": (lambda: switching(switchers=TWO), "`switchers` must be"),
    "effects_equal": (lambda: switching(effects_equal=None), "`effects_equal` must be True, False, a text or two numbers"),
    "effects_equal of one": (lambda: switching(effects_equal=2), "`effects_equal` must be"),
    "less_conservative_se": (lambda: switching(less_conservative_se=None), "`less_conservative_se` must be True or False"),
    "more_granular_demeaning": (lambda: switching(more_granular_demeaning=0), "`more_granular_demeaning` must be True or False"),
    "predict_het_hc2bm": (lambda: switching(predict_het_hc2bm=TWO), "`predict_het_hc2bm` must be False"),
    "sensitivity_type": (lambda: did.honest_did(study(), sensitivity_type=None), "`sensitivity_type` must be a text"),  # type: ignore[arg-type]
    "method": (lambda: did.honest_did(study(), method=1), "`method` must be a text, got 1"),  # type: ignore[arg-type]
    "bias_direction": (lambda: did.honest_did(study(), bias_direction=TWO), "`bias_direction` must be 'positive'"),  # type: ignore[arg-type]
    "m_vec of a relative type": (lambda: relative(m_vec=TWO), "`m_vec` must be None.*give `m_bar_vec`"),
    "m_bar_vec": (lambda: relative(m_bar_vec=[-1]), "`m_bar_vec` must be numbers of at least 0"),
    "m_bar_vec of a word": (lambda: relative(m_bar_vec="a"), "`m_bar_vec` must be a list of numbers"),
    "fml": (lambda: did.feols(data(), "lemp ~ lpop"), r"^`fml` must be a text \(the formula comes first\), got a data frame$"),  # type: ignore[arg-type]
    "fml of pandas": (lambda: did.fepois(data().to_pandas(), "lemp ~ lpop"), "got a data frame$"),
    "a frame as a flag": (lambda: att_gt(boot=data()), "^`boot` must be True or False, got a data frame$"),
    "an array as weights": (lambda: att_gt().contrast(np.zeros((40, 40))), r"got ndarray of shape \(40, 40\)$"),  # type: ignore[arg-type]
    "a long list": (lambda: did.lpdid(data(), **COLUMNS, window=list(range(99)) + ["x"]), r"got \[0, 1, .{60,80}…$"),  # type: ignore[arg-type]
    "a result as a list": (lambda: etwfe(xformla=study()), "got AggregatedResult$"),
    "boot_type of two periods": (lambda: two_periods(boot=True, boot_type="other"), "^`boot_type` must be 'weighted' or 'multiplier', got 'other'$"),
    "boot_type of others": (lambda: two_periods(boot=True, boot_type="empirical"), "^`boot_type` must be 'weighted' or 'multiplier', got 'empirical'$"),
    "xformla of doses": (lambda: did.cont_did(data(), "lemp", "year", "countyreal", "lpop", xformla=5), "`xformla` must be a text"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("what", CALLS)
def test_wrong_types_are_option_errors(what: str) -> None:
    call, message = CALLS[what]
    with pytest.raises(did.OptionError, match=message):
        call()


def test_right_types_of_numpy_are_taken() -> None:
    plain = att_gt().tidy().to_dict()
    assert att_gt(boot=np.bool_(False), progress=np.bool_(False)).tidy().to_dict() == plain
    frame = golden_data("mpdta").select(COLUMNS.values())
    assert did.att_gt(frame, **COLUMNS, boot=None).tidy().to_dict() == plain  # type: ignore[arg-type]
    assert switching(effects=2, effects_equal=TWO).tidy().to_dict() == switching(effects=2, effects_equal=(1, 2)).tidy().to_dict()
