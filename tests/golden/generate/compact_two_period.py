#!/usr/bin/env python3
"""Writes the compact golden files of the two-by-two estimators and of triple differences.

    compact_two_period.py REFERENCE_DIR OUTPUT_DIR GROUP_SE_JSON

REFERENCE_DIR holds drdid_2x2__<dataset>.json, ddd__<dataset>.json (schema did-golden/1) and data/<dataset>.csv;
GROUP_SE_JSON comes from `ddd_oracle.py validate`. Standard library only.
"""

import json
import pathlib
import sys

from compact import aggregate, dump, write_csv

TWO_BY_TWO = {
    "two_a": {"outcome": "y", "time": "t", "unit": "id", "treatment": "d"},
    "two_a_rc": {"outcome": "y", "time": "t", "treatment": "d"},
    "nsw_sub": {"outcome": "re", "time": "year", "unit": "id", "treatment": "experimental"},
}
WRONG_SIGN = ("drdid_rc", "drdid_rc1")  # up to DRDID 1.2.3; see exact_sign in the README


def is_sign_fixed(reference):
    return "signfix" in reference["producer"]["package"]


def had_effect(case):
    """Whether the corrected sign changed the reference's numbers."""
    unpatched = next(o for o in case["others"] if o["producer"]["package"] in ("DRDID", "triplediff"))
    return unpatched["max_rel_diff"] > 0


def common(case, named):
    """The options that differ from the defaults, and what not to trust."""
    out = {"id": case["id"]} | {k: v for k, v in named.items() if v}
    if is_sign_fixed(case["reference"]) and had_effect(case):
        out["exact_sign"] = True
    return out


def two_by_two_case(case, _grids, _group_se):
    o, r = case["options"], case["reference"]
    named = {"estimator": o["estimator"], "covariates": o["x"], "weights": o["weights"], "trim": o.get("trim"),
             "resampling": o.get("boot_type"), "draws": o.get("nboot")}
    out = common(case, named)
    keys = ["att", "se", "lci", "uci", "if_ss"]
    if "caution" in case:
        out["att_only"] = True
        keys = ["att"]
    elif "boot_type" in o and o["estimator"] in WRONG_SIGN:
        keys.remove("if_ss")  # resampled by unpatched R: the refits are right, the influence function is not
    return out | {k: r[k] for k in keys} | {"n": r["n_if"]}


def ddd_aggregate(a, exact):
    out = aggregate(a, boot=False)
    if out["type"] != "group":
        return out
    ordered = {}
    for key, value in out.items():
        ordered[key] = value
        if key == "se":
            ordered |= {"se": exact, "se_triplediff": value}
    return ordered


def ddd_case(case, grids, group_se):
    o, r = case["options"], case["reference"]
    named = {"method": o["est_method"], "covariates": o["x"], "weights": o["weights"], "cluster": o["cluster"],
             "not_yet_treated": o["control_group"] == "notyettreated", "universal": o["base_period"] == "universal",
             "repeated_cross_sections": not o["panel"]}
    out = common(case, named)
    assert not o["unbalanced"] and "caution" not in case
    if o["control_group"] is None:
        if o["cluster"]:
            return out | {"att_only": True, "att": r["att"]}
        return out | {"att": r["att"], "se": r["se"]}
    cells = r["att_gt"]
    grid = {k: cells[k] for k in ("group", "time")}
    if grid not in grids:
        grids.append(grid)
    return out | {"n": r["n"], "grid": grids.index(grid), "att": cells["att"], "se": cells["se"],
                  "aggregates": [ddd_aggregate(a, group_se[case["id"]]) for a in r["aggte"]]}


def ddd_columns(cases):
    first = cases[0]["options"]
    names = {"outcome": "yname", "time": "tname", "unit": "idname", "group": "gname", "partition": "pname"}
    columns = {k: first[v] for k, v in names.items()}
    if all(not c["options"]["panel"] for c in cases):
        del columns["unit"]
    return columns


def compact_dataset(path, reference, out, group_se):
    full = json.loads(path.read_text())
    cases, grids = full["cases"], []
    assert all(c["reference"]["status"] == "ok" for c in cases), path
    name, family = pathlib.Path(full["dataset"]).stem, path.stem.partition("__")[0].partition("_")[0]
    columns = TWO_BY_TWO[name] if family == "drdid" else ddd_columns(cases)
    one = two_by_two_case if family == "drdid" else ddd_case
    lines = ",\n".join(dump(one(c, grids, group_se)) for c in cases)
    producer = next(c["reference"]["producer"] for c in cases if not is_sign_fixed(c["reference"]))
    head = {"reference": f"{producer['language']} {producer['package']} {producer['version']}", "dataset": name,
            **({} if family == "drdid" else {"shares_of": "all"}), "columns": columns} | ({"grids": grids} if grids else {})
    (out / f"{family}_{name}.json").write_text(dump(head)[:-1] + ',"cases":[\n' + lines + "\n]}\n")
    used = set(columns.values())
    for c in cases:
        o = c["options"]
        used |= set(o["x"]) | {o[k] for k in ("weights", "cluster") if o.get(k)}
    write_csv(reference / full["dataset"], out / f"{name}.csv", used)
    return len(cases)


def main():
    reference, out, group_se = map(pathlib.Path, sys.argv[1:4])
    group_se = json.loads(group_se.read_text())
    paths = sorted(reference.glob("drdid_2x2__*.json")) + sorted(reference.glob("ddd__*.json"))
    print(f"{sum(compact_dataset(p, reference, out, group_se) for p in paths)} cases")


if __name__ == "__main__":
    main()
