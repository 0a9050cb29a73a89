#!/usr/bin/env python3
"""Writes lpdid.json and stacked.json from the full reference files of R lpdid 0.6.1 and of the functions of the tutorial on weighted
stacked difference-in-differences (2024).

    by_unit.py REFERENCE_DIR OUTPUT_DIR

REFERENCE_DIR holds lpdid__stag_a.json and stacked__stag_a.json (schema did-golden/1). Where a case has corrected numbers, these are kept.
Standard library only.
"""

import json
import pathlib
import sys

RENAMED = {"first_treat": "first.treat"}


def column(name):
    return RENAMED.get(name, name)


def head(full):
    options = full["options"]
    cluster = options["cluster"]
    return {
        "id": full["id"],
        "dataset": full["dataset"].removesuffix(".csv"),
        "columns": [column(options[name]) for name in ("yname", "idname", "tname", "gname")],
        "cluster": cluster if cluster not in (options["idname"], "unit_sub") else None,
        "covariates": options["covariates"],
    }


def lpdid(full):
    options, numbers = full["options"], full.get("corrected") or full["reference"]
    names = ("names", "estimates", "std_errors")
    out = head(full) | {
        "window": options["window"],
        "rw": options.get("rw", False),
        "nocomp": options.get("nocomp", False),
        "pmd": options.get("pmd"),
        "pooled": options.get("pooled", False),
        "dylags": options.get("dylags", 0),
    }
    out |= {name: numbers[name] for name in names}
    out["n"] = numbers["n"]
    other = full.get("regression_adjustment")
    if other:
        out["adjusted"] = [other["names"], other["estimates"], other["std_errors_diff_diff"]]
    return out


def stacked(full):
    options, numbers = full["options"], full["reference"]
    out = head(full) | {
        "kappa": [options["kappa_pre"], options["kappa_post"]],
        "copies": options["cluster"] == "unit_sub",
        "sub": options.get("fe") == "sub",
    }
    event_time = lambda name: int(name.split("::")[1].split(":")[0])
    kept = [i for i, name in enumerate(numbers["names"]) if "::" in name]
    out["event_times"] = [event_time(numbers["names"][i]) for i in kept]
    for name in ("estimates", "std_errors"):
        out[name] = [numbers[name][i] for i in kept]
    out["vcov"] = [[numbers["vcov"][i][j] for j in kept] for i in kept]
    out |= {name: numbers[name] for name in ("att", "att_se", "n", "sub_exp")}
    weights = numbers["control_weights"]
    rows = zip(weights["sub_exp"], weights["event_time"], weights["weight"])
    out["control_weights"] = [list(row) for row in rows]
    return out


def main():
    reference, output = map(pathlib.Path, sys.argv[1:])
    for name, case in (("lpdid", lpdid), ("stacked", stacked)):
        cases = json.loads((reference / f"{name}__stag_a.json").read_text())["cases"]
        lines = [json.dumps(case(full), separators=(",", ":")) for full in cases]
        (output / f"{name}.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")


main()
