#!/usr/bin/env python3
"""Standard errors of doubly robust cases on repeated cross sections with the exact influence function.

    exact_sign.py REFERENCE_DIR ORACLE_DIR > exact_sign.json

The reference cases that are labelled `did+drdid_rc_signfix` have the estimates and the standard errors of unpatched R,
digit for digit: the patch of the two signs had no effect. This recomputes them with the numpy oracle (oracle.py and
check_formulas.py in ORACLE_DIR), first with R's sign, to show that the oracle reproduces R, then with the exact one.
"""

import csv
import json
import pathlib
import sys

reference, oracle_dir = map(pathlib.Path, sys.argv[1:3])
sys.path.insert(0, str(oracle_dir))

import check_formulas  # noqa: E402
import numpy as np  # noqa: E402
import oracle  # noqa: E402


def fit(data, o, exact):
    oracle.rc = lambda *a: check_formulas.rc(*a, exact)
    layout = "rc" if not o["panel"] else "unbalanced" if o["unbalanced"] else "panel"
    return oracle.att_gt(
        data, X=tuple(o["x"]), method=o["est_method"], control=o["control_group"], base=o["base_period"],
        delta=o["anticipation"], wcol=o["weights"], fix=o["fix_weights"], layout=layout,
        cluster=(o["clustervars"] or [None])[0])


def column(data, o, name):
    values = np.array([float(row[name]) for row in data])
    return (values - values.mean()) / values.std() if name in o["x"] else values  # effects do not change


def prepare(data, o):
    names = {"id": o["idname"] or o["tname"], "t": o["tname"], "g": o["gname"], "y": o["yname"]}
    names |= {name: name for name in o["x"] + [o["weights"]] + (o["clustervars"] or []) if name}
    return {key: column(data, o, name) for key, name in names.items()}


def distance(a, b):
    a, b = (np.array([np.nan if v is None else v for v in x], float) for x in (a, b))
    assert (np.isnan(a) == np.isnan(b)).all()
    return np.nanmax(np.abs(a - b) / np.maximum(np.abs(b), 1e-3 * np.nanmax(np.abs(b))))


def nullable(values):
    return [None if np.isnan(v) else float(v) for v in values]


out, worst = {}, {"att": 0.0, "se": 0.0}
for path in sorted(reference.glob("att_gt__*.json")):
    full = json.loads(path.read_text())
    with open(reference / full["dataset"], newline="") as f:
        rows = list(csv.DictReader(f))
    for case in full["cases"]:
        r = case["reference"]
        if "signfix" not in r["producer"]["package"]:
            continue
        data = prepare(rows, case["options"])
        old = fit(data, case["options"], False)
        worst["att"] = max(worst["att"], distance(old["att"], r["att_gt"]["att"]))
        worst["se"] = max(worst["se"], distance(old["se"], r["att_gt"]["se"]))
        new = fit(data, case["options"], True)
        aggregates = []
        for a in r["aggte"]:
            spec = dict(a["spec"])
            got = oracle.aggte(new, spec.pop("type"), **spec)
            aggregates.append({"overall_se": got["overall_se"], "se": nullable(got.get("se", []))})
        out[case["id"]] = {"se": nullable(new["se"]), "wald": new["W"], "aggte": aggregates}
print(f"{len(out)} cases; with R's sign the oracle is within {worst} of the reference", file=sys.stderr)
json.dump(out, sys.stdout)
