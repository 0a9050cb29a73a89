"""The contestant csdid: `ATTgt`, from a pandas frame."""

import importlib.metadata

import contestant
import pandas as pd
from csdid.att_gt import ATTgt


def fit(case, frame):
    # Fastest setting: `faster_mode`, its default; `cores` are for the bootstrap alone.
    model = ATTgt(
        yname="y",
        tname="period",
        idname="id" if case["panel"] else None,
        gname="group",
        data=frame,
        control_group=case["control_group"].replace("_", ""),
        xformla="y ~ " + (" + ".join(contestant.covariates(case)) or "1"),
        panel=case["panel"],
        cband=case["draws"] > 0,
        biters=max(case["draws"], 1),
        pl=case["draws"] > 0,
        cores=2,
    )
    return model.fit(est_method="dr", base_period="varying", bstrap=case["draws"] > 0)


def cells(model):
    return zip(model.results["group"], model.results["year"], model.results["att"], model.results["se"])


if __name__ == "__main__":
    contestant.run(
        "csdid",
        importlib.metadata.version("csdid"),
        pd.read_parquet,
        lambda case, frame: frame[frame["id"] <= case["small"]],
        fit,
        cells,
        "faster mode, two cores for draws",
    )
