"""`python -m burn_did` is the command line, and has the bits of the package."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import golden_data, python

import burn_did as did


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return python("-m", "burn_did", *words)


def without_times(part: Any) -> Any:
    """A document without what differs from run to run, and without names of files."""
    if isinstance(part, dict):
        return {name: without_times(value) for name, value in part.items() if name not in ("timings", "seconds", "files")}
    return [without_times(value) for value in part] if isinstance(part, list) else part


def test_version_help_and_errors() -> None:
    assert did.__version__ in command("--version").stdout
    assert "att-gt" in command("--help").stdout
    wrong = command("att-gt", "no.csv")
    assert wrong.returncode == 2 and "--gname" in wrong.stderr
    missing = command("att-gt", "no.csv", "--yname=y", "--tname=t", "--idname=i", "--gname=g")
    assert missing.returncode == 1 and "no.csv" in missing.stderr


CALLS: dict[str, tuple[list[str], Any]] = {
    "att-gt": (
        ["--yname=lemp", "--tname=year", "--idname=countyreal", "--gname=first.treat", "--xformla=~ lpop"],
        lambda path: did.att_gt(path, "lemp", "year", "countyreal", "first.treat", "~ lpop"),
    ),
    "bacon": (
        ["--yname=lemp", "--tname=year", "--idname=countyreal", "--gname=first.treat"],
        lambda path: did.bacon(path, "lemp", "year", "countyreal", "first.treat"),
    ),
    "sunab": (
        ["--yname=lemp", "--tname=year", "--idname=countyreal", "--gname=first.treat"],
        lambda path: did.sunab(path, "lemp", "year", "countyreal", "first.treat"),
    ),
    "etwfe": (
        ["--yname=lemp", "--tname=year", "--idname=countyreal", "--gname=first.treat", "--xname=lpop", "--cgroup=never_treated"],
        lambda path: did.etwfe(path, "lemp", "year", "first.treat", "countyreal", "~ lpop", cgroup="never"),
    ),
    "imputation": (
        ["--yname=lemp", "--tname=year", "--idname=countyreal", "--gname=first.treat", "--xformla=~ lpop", "--absorb=first.treat,year", "--groups"],
        lambda path: did.imputation(
            path, "lemp", "year", "countyreal", "first.treat", "~ lpop", first_stage=["first.treat", "year"], groups=True
        ),
    ),
    "two-stage": (
        ["--yname=lemp", "--tname=year", "--idname=countyreal", "--gname=first.treat", "--ref=-1"],
        lambda path: did.did2s(path, "lemp", "year", "countyreal", "first.treat", ref=-1),
    ),
    "study": (
        ["--yname=lemp", "--tname=year", "--idname=countyreal", "--gname=first.treat", "--estimators=cs,sa", "--cband"],
        lambda path: did.joint_study(path, "lemp", "year", "countyreal", "first.treat", estimators=["cs", "sa"], cband=True),
    ),
    "study --vary": (
        ["--yname=lemp", "--tname=year", "--idname=countyreal", "--gname=first.treat", "--estimators=cs,bjs", "--vary=control_group,anticipation=0,1"],
        lambda path: did.specification_curve(
            path, "lemp", "year", "countyreal", "first.treat", estimators=["cs", "bjs"], vary={"control_group": None, "anticipation": [0, 1]}
        ),
    ),
    "describe": (
        ["--tname=year", "--idname=countyreal", "--gname=first.treat"],
        lambda path: did.describe(path, "year", "countyreal", "first.treat"),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_same_document(name: str, tmp_path: Path) -> None:
    data = tmp_path / "mpdta.parquet"
    golden_data("mpdta").write_parquet(data)
    words, call = CALLS[name]
    saved = tmp_path / "result.json"
    done = command(name.split()[0], str(data), *words, "--save", str(saved), "--quiet")
    assert done.returncode == 0, done.stderr
    theirs, ours = json.loads(saved.read_text()), call(data).to_dict()
    assert without_times(theirs) == without_times(ours)


def test_a_result_of_the_command_line_is_loaded(tmp_path: Path) -> None:
    data = tmp_path / "mpdta.csv"
    golden_data("mpdta").write_csv(data)
    saved = tmp_path / "result.json"
    words = ["--yname=lemp", "--tname=year", "--idname=countyreal", "--gname=first.treat", "--save", str(saved)]
    assert command("att-gt", str(data), *words).returncode == 0
    fit = did.load(saved)
    assert isinstance(fit, did.GroupTimeResult) and fit.aggregate().overall_att is not None
