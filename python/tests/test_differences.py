"""The table of differences has every argument of ModernDiD that differs, and no other."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import pytest

import burn_did as did

HERE = Path(__file__).parent
SIGNATURES: dict[str, dict[str, str | None]] = json.loads((HERE / "moderndid_signatures.json").read_text())["functions"]
ROW = re.compile(r"^\| `(\w+)` \| `(\w+)` \| (\S.*?) \| (\S.*?) \| (.+) \|$")


def table() -> dict[tuple[str, str], tuple[str, str, str]]:
    rows = [ROW.match(line) for line in (HERE.parent / "differences.md").read_text().splitlines()]
    return {(row[1], row[2]): (row[3], row[4], row[5]) for row in rows if row}


def ours(function: str, argument: str) -> str:
    parameters = inspect.signature(getattr(did, function)).parameters
    if argument not in parameters:
        return "not there"
    default = parameters[argument].default
    return "required" if default is inspect.Parameter.empty else f"`{default!r}`"


def theirs(default: str | None) -> str:
    return "required" if default is None else f"`{default}`"


def test_every_argument_that_differs_is_listed() -> None:
    listed = table()
    for function, arguments in SIGNATURES.items():
        for argument, default in arguments.items():
            pair = (theirs(default), ours(function, argument))
            row = listed.get((function, argument))
            assert pair[0] == pair[1] or row is not None, (function, argument, pair)
            assert row is None or row[:2] == pair, (function, argument, row, pair)


def test_every_row_is_of_an_argument_of_moderndid() -> None:
    for function, argument in table():
        assert argument in SIGNATURES[function], (function, argument)


def test_arguments_stand_in_the_same_order() -> None:
    for function, arguments in SIGNATURES.items():
        parameters = inspect.signature(getattr(did, function)).parameters
        shared = [name for name in arguments if name in parameters]
        assert [name for name in parameters if name in arguments] == shared, function


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda data: did.ddd(data, "y", "t", "i", "g", "p", boot_type="weighted"), "boot_type"),
        (lambda data: did.ddd(data, "y", "t", "i", "g", "p", trim_level=0.9), "trim_level"),
        (lambda data: did.cont_did(data, "y", "t", "i", "g", "d", xformla="~ x"), "xformla"),
        (lambda data: did.cont_did(data, "y", "t", "i", "g", "d", min_e=1), "min_e"),
        (lambda data: did.did_multiplegt(data, "y", "t", "i", "d", predict_het_hc2bm=True), "predict_het_hc2bm"),
    ],
)
def test_what_must_not_be_given_is_refused(call: object, word: str) -> None:
    with pytest.raises(did.OptionError, match=word):
        call(did.load_mpdta())  # type: ignore[operator]


def test_documentation_names_every_distribution_of_multipliers() -> None:
    """Each that the message offers, wherever the values of the argument are listed."""
    with pytest.raises(did.OptionError) as refused:
        did.att_gt(did.load_mpdta(), "lemp", "year", "countyreal", "first.treat", boot=True, multiplier="none")
    words = re.findall(r"\w+", str(refused.value).partition(" must be ")[2].partition(", got")[0])
    assert "gaussian" in words
    listed = [line for name in did.__all__ for line in (getattr(did, name).__doc__ or "").splitlines() if line.strip().startswith("multiplier : {")]
    assert listed and all(f'"{word}"' in line for line in listed for word in words)


def test_documentation_says_what_differs_from_neighbours() -> None:
    for function, words in (
        (did.joint_study, "not yet treated by default"), (did.ipwdid, "``normalized = TRUE``"), (did.emfx, "``window = c(2, 3)`` is ``(-2, 3)`` here"),
        (did.emfx, "``post_only=False``"), (did.att_gt, "0, infinity or null if never treated"), (did.feglm, '``"~a + b"``'),
        *((did.event_study, f"``{name}``") for name in ("did2s", "did_imputation", "etwfe", "stacked", "lpdid")),
    ):
        assert words in (function.__doc__ or ""), (function.__name__, words)


def test_every_result_that_event_study_names_has_one() -> None:
    data = did.load_mpdta()
    columns = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat"}
    etwfe = did.etwfe(data, **columns, cgroup="never")
    for result in (
        etwfe, did.emfx(etwfe, "event"), did.did2s(data, **columns), did.did_imputation(data, **columns),
        did.stacked(data, **columns, kappa_pre=1, kappa_post=1), did.lpdid(data, **columns, window=(-2, 1)), did.sunab(data, **columns),
    ):
        assert did.event_study(result).kind == "event_study"  # type: ignore[arg-type]


def test_documentation_names_every_argument() -> None:
    """An argument is in its function's docstring, or in that of the function to which it points."""
    shared = did.att_gt.__doc__ or ""
    missing: list[tuple[str, str]] = []
    for name in did.__all__:
        function = getattr(did, name)
        if not inspect.isfunction(function):
            continue
        documentation = function.__doc__ or ""
        assert documentation, name
        assert "Returns" in documentation or name.startswith(("load", "teaching", "devices")), name
        other = getattr(did, "feglm").__doc__ if name in ("feols", "fepois") else shared
        if name.startswith("plot_"):
            other = (did.Result.plot.__doc__ or "") + (did.plot_gt.__doc__ or "")
        pointed = {"compare": "compare", "agg_ddd": "aggte", "etable": "compare", "ipwdid": "drdid", "ordid": "drdid"}
        if name in pointed:
            other = (getattr(did, pointed[name]).__doc__ or "") + shared
        for argument in inspect.signature(function).parameters:
            known = argument in documentation or argument in (other or "")
            if not known and argument not in ("look", "more", "options"):
                missing.append((name, argument))
    assert not missing
