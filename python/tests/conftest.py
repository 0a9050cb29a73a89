"""Data and numbers that the tests share."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

GOLDEN = Path(__file__).parents[2] / "tests" / "golden"
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def _quiet_warnings(recwarn: pytest.WarningsRecorder) -> None:
    """Warnings of fits are looked at by the tests that are about them."""


@cache
def golden_json(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((GOLDEN / name).read_text())
    return document


@cache
def golden_data(name: str) -> pl.DataFrame:
    """A golden data set: blank fields repeat the value of the row above."""
    import burn_did

    if name == "mpdta":
        return burn_did.load_mpdta().to_polars()
    frame = pl.read_csv(GOLDEN / f"{name}.csv", infer_schema_length=None)
    return frame.with_columns(pl.all().forward_fill())


def close(got: float | None, want: float | None, relative: float, least: float = 0.0) -> bool:
    """Whether two numbers agree relative to the larger, or to `least` if that is larger still."""
    if got is None or want is None:
        return got is None and want is None
    unit = max(abs(got), abs(want), least)
    return math.isfinite(got) and abs(got - want) <= relative * unit + 1e-300


def python(*words: str, timeout: float = 120.0) -> subprocess.CompletedProcess[str]:
    """Runs this Python where the package is the one that is installed."""
    here = Path(__file__).parent
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, cwd=here, timeout=timeout, check=False
    )
