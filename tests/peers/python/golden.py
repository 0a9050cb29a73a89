"""The golden cases of `tests/golden`, for other packages."""

import json
import math
from pathlib import Path

import polars as pl

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests/golden"


def cases(name):
    """A file of cases, with its options."""
    return json.loads((GOLDEN / f"{name}.json").read_text())


def data(name):
    """The data of a golden file: a blank field repeats the value of the row above."""
    if name == "mpdta":
        return pl.read_csv(ROOT / "src/data/mpdta.csv").with_columns(pl.col("first.treat").cast(pl.Float64))
    return pl.read_csv(GOLDEN / f"{name}.csv", infer_schema_length=None).fill_null(strategy="forward")


def formula(case):
    """The covariates of a case as a formula."""
    return "~ " + (" + ".join(case.get("covariates", [])) or "1")


class Distance:
    """The largest distance of estimates, in units of the larger of effect and standard error, and of standard errors."""

    def __init__(self):
        self.att, self.se, self.n, self.at = 0.0, 0.0, 0, ""

    def add(self, id, att, se, want, want_se):
        """One estimate; a missing number or a missing standard error of the reference asks nothing."""
        if want is None:
            return
        att, se = float(att), math.nan if se is None else float(se)
        unit = max(abs(want), want_se or 0.0, 1e-12)
        off = abs(att - want) / unit
        off_se = abs(se / want_se - 1) if want_se and se is not None else 0.0
        self.n += 1
        if not max(off, off_se) <= max(self.att, self.se):
            self.at = id
        self.att, self.se = worst(self.att, off), worst(self.se, off_se)

    def check(self, att, se, n=1):
        """Asserts both are within a limit and that there were at least `n` numbers."""
        assert self.n >= n, f"only {self.n} estimates"
        text = f"{self.n} estimates, largest distance {self.att:.0e}, of standard errors {self.se:.0e}"
        assert self.att <= att and self.se <= se, f"{text} ({self.at})"
        return text


def worst(a, b):
    """The larger; NaN is larger than any."""
    return b if math.isnan(b) or b > a else a
