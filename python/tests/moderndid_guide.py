"""Runs the blocks of code of ModernDiD's guide with only the import changed, and says which fail.

It is no test, as the guide is in ModernDiD's repository (https://github.com/jordandeklerk/moderndid) and not in its wheel:

    python tests/moderndid_guide.py moderndid/docs/source/user_guide/*.rst

Data are those of ModernDiD, which must be installed. Blocks of a page share their names.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import textwrap
import types
import warnings
from pathlib import Path
from typing import Any

import matplotlib
import moderndid

import burn_did
import burn_did.didhonest

BLOCK = re.compile(r"^( *)\.\. code-block:: python\s*\n((?:\1 +.*\n|\s*\n)+)", re.MULTILINE)
IMPORTED = "burn_did_with_data"


class WithData(types.ModuleType):
    """The package, with the data that ModernDiD loads and makes."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(moderndid if name.startswith(("load_", "gen_")) else burn_did, name)


def failures(page: Path) -> tuple[int, list[str]]:
    """How many blocks a page has, and the errors of those that fail."""
    text = page.read_text()
    names: dict[str, Any] = {"__name__": "__main__"}
    found = []
    blocks = list(BLOCK.finditer(text))
    for block in blocks:
        code = re.sub(r"\bmoderndid\b", IMPORTED, textwrap.dedent(block[2]))
        line = text[: block.start()].count("\n") + 1
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(code, f"{page.name}:{line}", "exec"), names)
        except Exception as problem:
            found.append(f"{page.name}:{line}: {type(problem).__name__}: {str(problem).splitlines()[0]}")
    return len(blocks), found


if __name__ == "__main__":
    matplotlib.use("Agg")
    warnings.simplefilter("ignore")
    sys.modules[IMPORTED] = WithData(IMPORTED)
    sys.modules[f"{IMPORTED}.didhonest"] = burn_did.didhonest
    for page in map(Path, sys.argv[1:]):
        count, found = failures(page)
        print(f"{page.stem}: {count - len(found)} of {count}", *found, sep="\n    ")
