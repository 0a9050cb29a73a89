"""Type annotations: strict, and true to the compiled module."""

from __future__ import annotations

from pathlib import Path

from conftest import python

HERE = Path(__file__).parents[1]


def test_mypy_strict() -> None:
    done = python("-m", "mypy", "--strict", "--config-file", str(HERE / "pyproject.toml"), str(HERE / "burn_did"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_are_true() -> None:
    done = python("-m", "mypy.stubtest", "burn_did._native", "--mypy-config-file", str(HERE / "pyproject.toml"))
    assert done.returncode == 0, done.stdout + done.stderr
