#!/usr/bin/env python3
"""Golden numbers of triple differences whose averages weight groups by their eligible units, by ModernDiD 0.4.1.

    python ddd_eligible.py DATASET ...       # writes ../ddd_DATASET_eligible.json

The cases are those of `../ddd_DATASET.json`; `ddd_shares`, where 15 % of one group and 85 % of the other are eligible and effects are 1
and 5, has its own. Python 3.11 or later, with

    pip install --no-deps --ignore-requires-python moderndid==0.4.1
    pip install numpy scipy polars pyarrow narwhals statsmodels prettytable
"""

import json
import math
import pathlib
import sys
import warnings

import moderndid
import polars as pl

HERE = pathlib.Path(__file__).parent.parent
OWN = {
    "ddd_shares": {
        "columns": {"outcome": "y", "time": "t", "unit": "id", "group": "g", "partition": "q"},
        "cases": [
            {"id": "ddd_shares__reg_nev", "method": "reg", "aggregates": []},
            {"id": "ddd_shares__dr_nyt", "method": "dr", "not_yet_treated": True, "universal": True, "aggregates": []},
        ],
    }
}
WINDOWS = [
    {"type": "simple"},
    {"type": "eventstudy"},
    {"type": "group"},
    {"type": "calendar"},
    {"type": "eventstudy", "balance_e": 1},
    {"type": "eventstudy", "min_e": -1, "max_e": 1},
]


def frame(dataset):
    """The data; a blank field repeats the value of the row above."""
    return pl.read_csv(HERE / f"{dataset}.csv", infer_schema_length=None).fill_null(strategy="forward").cast(pl.Float64)


def number(value):
    value = float(value)
    return float(f"{value:.12g}") if math.isfinite(value) else None


def fit(case, columns, data):
    return moderndid.ddd(
        data,
        yname=columns["outcome"],
        tname=columns["time"],
        idname=None if case.get("repeated_cross_sections") else columns["unit"],
        gname=columns["group"],
        pname=columns["partition"],
        xformla=f"~ {' + '.join(case['covariates'])}" if case.get("covariates") else None,
        control_group="notyettreated" if case.get("not_yet_treated") else "nevertreated",
        base_period="universal" if case.get("universal") else "varying",
        est_method=case["method"],
        weightsname=case.get("weights"),
        cluster=case.get("cluster"),
        panel=not case.get("repeated_cross_sections", False),
    )


def aggregated(result, window):
    options = {"boot": False, "cband": False, **window}
    out = moderndid.agg_ddd(result, **options)
    wanted = {**window, "att": number(out.overall_att), "se": number(out.overall_se)}
    if out.egt is not None:
        rows = zip(out.egt, out.att_egt, out.se_egt, strict=True)
        wanted["rows"] = [[number(at), number(att), number(se)] for at, att, se in rows]
    return wanted


def grid_of(grids, result):
    """Position of the result's groups and periods among those known, of which it becomes one."""
    own = {"group": [int(g) for g in result.groups], "time": [int(t) for t in result.times]}
    if own not in grids:
        grids.append(own)
    return grids.index(own)


def case_of(case, columns, data, grids):
    result = fit(case, columns, data)
    kept = ("method", "covariates", "weights", "cluster", "not_yet_treated", "universal", "repeated_cross_sections")
    cells = {
        "n": result.n,
        "grid": grid_of(grids, result),
        "att": [number(v) for v in result.att],
        "se": [number(v) for v in result.se],
    }
    aggregates = [aggregated(result, window) for window in WINDOWS]
    return {"id": f"{case['id']}__eligible", **{k: case[k] for k in kept if k in case}, **cells, "aggregates": aggregates}


def write(dataset):
    source = OWN.get(dataset) or json.loads((HERE / f"ddd_{dataset}.json").read_text())
    data, columns, grids = frame(dataset), source["columns"], source.get("grids", [])
    cases = [case_of(case, columns, data, grids) for case in source["cases"] if "aggregates" in case]
    head = {
        "reference": f"moderndid {moderndid.__version__}",
        "dataset": dataset,
        "shares_of": "eligible",
        "columns": columns,
        "grids": grids,
    }
    lines = [json.dumps(case, separators=(",", ":")) for case in cases]
    text = json.dumps(head, separators=(",", ":"))[:-1] + ',"cases":[\n' + ",\n".join(lines) + "\n]}\n"
    (HERE / f"ddd_{dataset}_eligible.json").write_text(text)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name in sys.argv[1:]:
        write(name)
