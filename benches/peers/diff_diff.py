"""The contestant diff-diff: `CallawaySantAnna`, from a pandas frame."""

import sys

# This file has the package's name: its folder must not come first.
sys.path.append(sys.path.pop(0))

import contestant
import diff_diff
import pandas as pd
from diff_diff import CallawaySantAnna
from diff_diff._backend import HAS_RUST_BACKEND


def fit(case, frame):
    # Fastest setting: the compiled backend of the wheel, `DIFF_DIFF_BACKEND=auto`; there is no option for threads.
    # `pscore_trim`: R, and the other contestants, do not clip propensity scores at 0.01.
    # `bootstrap_weights`: the law of the others.
    # Uniform bands over the effects do not exist there: its bands are those of event studies.
    model = CallawaySantAnna(
        control_group=case["control_group"],
        estimation_method="dr",
        base_period="varying",
        n_bootstrap=case["draws"],
        bootstrap_weights="mammen",
        seed=case["seed"],
        panel=case["panel"],
        pscore_trim=1e-6,
    )
    return model.fit(
        frame,
        outcome="y",
        unit="id",
        time="period",
        first_treat="group",
        covariates=contestant.covariates(case) or None,
    )


def cells(result):
    for (group, time), effect in result.group_time_effects.items():
        yield group, time, effect["effect"], effect["se"]


if __name__ == "__main__":
    contestant.run(
        "diff-diff",
        diff_diff.__version__,
        pd.read_parquet,
        lambda case, frame: frame[frame["id"] <= case["small"]],
        fit,
        cells,
        f"compiled backend {'on' if HAS_RUST_BACKEND else 'OFF'}, Mammen draws",
    )
