"""The contestant diff-diff: `CallawaySantAnna` and the estimators of event studies, from a pandas frame."""

import json
import sys

# This file has the package's name: its folder must not come first.
sys.path.append(sys.path.pop(0))

import contestant
import diff_diff
import pandas as pd
from diff_diff import (
    CallawaySantAnna,
    ImputationDiD,
    LPDiD,
    StackedDiD,
    SunAbraham,
    TwoStageDiD,
    WooldridgeDiD,
)
from diff_diff._backend import HAS_RUST_BACKEND

CASE = json.loads(sys.argv[1])
NAMES = {"outcome": "y", "unit": "id", "time": "period"}
BY_GROUP = {**NAMES, "first_treat": "group"}


def load(path):
    """The frame, for `LPDiD` with the column of treatment that it wants."""
    frame = pd.read_parquet(path)
    if CASE["estimator"] == "local_projections":
        frame["treated"] = ((frame["group"] > 0) & (frame["period"] >= frame["group"])).astype("int8")
    return frame


def fit(case, frame):
    # Of the estimators of event studies, the fastest settings are the defaults; effects by event time are a step after the fit.
    match case["estimator"]:
        case "att_gt":
            return group_time(case, frame)
        case "imputation":
            return ImputationDiD().fit(frame, **BY_GROUP).aggregate("event_study")
        case "two_stage":
            return TwoStageDiD(pretrends=True).fit(frame, **BY_GROUP).aggregate("event_study")
        case "etwfe":
            return WooldridgeDiD().fit(frame, **BY_GROUP).aggregate("event_study")
        case "sun_abraham":
            return SunAbraham().fit(frame, **BY_GROUP)
        case "stacked":
            before, after = contestant.common_window(case)
            model = StackedDiD(kappa_pre=before, kappa_post=after, weighting="aggregate")
            return model.fit(frame, **BY_GROUP)
        case "local_projections":
            before, after = contestant.longest_window(case)
            model = LPDiD(pre_window=before, post_window=after)
            return model.fit(frame, **NAMES, treatment="treated", only_event=True)


def group_time(case, frame):
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
    """Group, period, effect and standard error; effects by event time are of group 0, and references have no standard error."""
    match result:
        case diff_diff.CallawaySantAnnaResults():
            for (group, time), effect in result.group_time_effects.items():
                yield group, time, effect["effect"], effect["se"]
            return
        case diff_diff.WooldridgeDiDResults():
            effects = [(at, effect["att"], effect["se"]) for at, effect in result.event_study_effects.items()]
        case diff_diff.SunAbrahamResults() | diff_diff.StackedDiDResults():
            effects = [(at, effect["effect"], effect["se"]) for at, effect in result.event_study_effects.items()]
        case diff_diff.LPDiDResults():
            effects = result.event_study[["horizon", "coefficient", "se"]].itertuples(index=False)
        case _:
            effects = zip(result.event_time, result.att, result.se)
    yield from ((0, at, effect, se) for at, effect, se in effects if se > 0)


if __name__ == "__main__":
    contestant.run(
        "diff-diff",
        diff_diff.__version__,
        load,
        lambda case, frame: frame[frame["id"] <= case["small"]],
        fit,
        cells,
        f"compiled backend {'on' if HAS_RUST_BACKEND else 'OFF'}, Mammen draws of group-time effects",
    )
