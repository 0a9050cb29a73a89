"""The contestant pyfixest: `did2s`, `lpdid` and the saturated `event_study`, from a pandas frame."""

import importlib.metadata
import json
import re
import sys

import contestant
import pandas as pd
import pyfixest

CASE = json.loads(sys.argv[1])


def load(path):
    """The frame, for `did2s` with treatment and event time; the never treated share the reference's, which has no indicator."""
    frame = pd.read_parquet(path)
    if CASE["estimator"] == "two_stage":
        frame["treated"] = (frame["group"] > 0) & (frame["period"] >= frame["group"])
        frame["event_time"] = (frame["period"] - frame["group"]).where(frame["group"] > 0, -1)
    return frame


def fit(case, frame):
    # Its own choice of algorithm for fixed effects; these functions have no option for it.
    names = {"yname": "y", "idname": "id", "tname": "period", "gname": "group"}
    match case["estimator"]:
        case "two_stage":
            return pyfixest.did2s(
                frame,
                yname="y",
                first_stage="~ 0 | id + period",
                second_stage="~ i(event_time, ref=-1)",
                treatment="treated",
                cluster="id",
            ).tidy()
        case "local_projections":
            before, after = contestant.longest_window(case)
            return pyfixest.lpdid(frame, **names, pre_window=-before, post_window=after, att=False).tidy()
        case "sun_abraham":
            return pyfixest.event_study(frame, **names, estimator="saturated").aggregate()


def cells(table):
    """Event times, effects and standard errors, by rows that are named as `event_time::2`, or by event times."""
    for name, row in table.iterrows():
        yield 0, re.search(r"-?\d+(\.\d+)?(?=\D*$)", str(name)).group(), row["Estimate"], row["Std. Error"]


if __name__ == "__main__":
    contestant.run(
        "pyfixest",
        importlib.metadata.version("pyfixest"),
        load,
        lambda case, frame: frame[frame["id"] <= case["small"]],
        fit,
        cells,
        "default algorithms",
    )
