"""Processes, and what a process has in place of a terminal."""

from __future__ import annotations

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from types import SimpleNamespace

import pytest
from conftest import golden_data

import burn_did as did

COLUMNS = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat"}


def fitted(_: int) -> float | None:
    return did.aggte(did.att_gt(golden_data("mpdta"), **COLUMNS), "simple").overall_att


def test_a_process_that_was_forked_after_a_fit_says_that_it_cannot_fit():
    fitted(0)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as executor:
        with pytest.raises(RuntimeError, match="forked.*spawn"):
            executor.submit(fitted, 1).result(timeout=60)


def test_a_process_of_its_own_fits():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        assert executor.submit(fitted, 1).result(timeout=60) == fitted(0)


def closed() -> object:
    raise ValueError("I/O operation on closed file")


@pytest.mark.parametrize("error", [None, object(), SimpleNamespace(isatty=closed)])
def test_fits_need_no_standard_error(error, monkeypatch):
    plain = fitted(0)
    monkeypatch.setattr(sys, "stderr", error)
    monkeypatch.setattr("burn_did._progress.QUIET", 0.0)
    assert fitted(0) == plain
    did.att_gt(golden_data("mpdta"), **COLUMNS, progress=True)
