#!/usr/bin/env python3
"""Writes the compact golden files from the full reference files.

    compact.py REFERENCE_DIR OUTPUT_DIR ORACLE_JSON EXACT_SIGN_JSON

REFERENCE_DIR holds att_gt__<dataset>.json (schema did-golden/1) and data/<dataset>.csv; EXACT_SIGN_JSON comes from
exact_sign.py. Standard library only.
"""

import csv
import json
import pathlib
import sys

DIGITS = 12
SHIPPED = {"mpdta"}  # data that the library itself carries
RENAMED = {"first_treat": "first.treat"}
INFLUENCE = {"mpdta__dr_nev_var_a0_xlpop_p_w0"}


class Number(float):
    """A float that prints with DIGITS significant digits."""

    def __repr__(self):
        text = f"{float(self):.{DIGITS}g}"
        return text.replace("e-0", "e-").replace("e+0", "e+")


def short(value):
    """A value that is compared at 1e-6."""
    return float(f"{value:.9g}")


def rounded(value):
    if isinstance(value, float):
        return Number(value)
    if isinstance(value, list):
        return [rounded(v) for v in value]
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    return value


# The C encoder ignores subclasses' __repr__; the pure Python one is told to use it.
class Encoder(json.JSONEncoder):
    def iterencode(self, o, _one_shot=False):
        return json.encoder._make_iterencode(
            None, self.default, json.encoder.py_encode_basestring, None, Number.__repr__,
            ":", ",", False, False, False)(o, 0)


def dump(value):
    return "".join(Encoder().iterencode(rounded(value)))


def options(o):
    """The options that differ from the defaults."""
    out = {
        "method": o["est_method"],
        "covariates": o["x"],
        "weights": o["weights"],
        "fix_weights": o["fix_weights"],
        "cluster": (o["clustervars"] or [None])[0],
        "anticipation": o["anticipation"],
    }
    out = {k: v for k, v in out.items() if v}
    if o["control_group"] == "notyettreated":
        out["not_yet_treated"] = True
    if o["base_period"] == "universal":
        out["universal"] = True
    if not o["panel"]:
        out["repeated_cross_sections"] = True
    if o["unbalanced"]:
        out["unbalanced"] = True
    if o["boot"]:
        out["draws"] = o["biters"]
    return out


def aggregate(a, boot):
    spec = dict(a["spec"])
    out = {"type": spec.pop("type"), **spec}
    if a["status"] != "ok":
        return {**out, "error": a["error"].split(".")[0]}
    out |= {"att": a["overall_att"], "se": a["overall_se"]}
    if "egt" in a:
        out["rows"] = [list(row) for row in zip(a["egt"], a["att"], a["se"])]
        if boot:
            out["crit"] = a["crit_val"]
    return out


def with_exact_sign(r, exact):
    """The reference with the standard errors that the exact influence function gives."""
    aggregates = [{**a, "overall_se": b["overall_se"], "se": b["se"]} for a, b in zip(r["aggte"], exact["aggte"])]
    return {**r, "att_gt": {**r["att_gt"], "se": exact["se"]}, "wald": exact["wald"], "aggte": aggregates}


def compact_case(case, grids, exact):
    r = case["reference"]
    signfix = "signfix" in r["producer"]["package"]
    if signfix:
        unpatched = next(o for o in case["others"] if o["producer"]["package"] == "did")
        assert unpatched["max_rel_diff"] == 0, f"{case['id']}: the patch had an effect; use its numbers"
        assert "vcov" not in r and "influence" not in r, case["id"]
        r = with_exact_sign(r, exact[case["id"]])
    boot = case["options"]["boot"]
    grid = {k: r["att_gt"][k] for k in ("group", "time")}
    if grid not in grids:
        grids.append(grid)
    out = {"id": case["id"], **options(case["options"])}
    if signfix:
        out["exact_sign"] = True
    if "caution" in case:
        out["att_only"] = True
    out |= {"n": r["n"], "grid": grids.index(grid), "att": r["att_gt"]["att"], "se": r["att_gt"]["se"], "wald": r["wald"]}
    if boot:
        out["crit"] = r["crit_val"]
    if "vcov" in r:
        out["vcov"] = [[short(v) for v in row[i:]] for i, row in enumerate(r["vcov"])]
    if case["id"] in INFLUENCE:
        out["influence"] = {"units": [str(u) for u in r["if_ids"]], "columns": [list(map(short, c)) for c in zip(*r["influence"])]}
    out["aggregates"] = [aggregate(a, boot) for a in r["aggte"]]
    return out


def used_columns(cases):
    used = set()
    for case in cases:
        o = case["options"]
        used |= {o[k] for k in ("yname", "tname", "idname", "gname", "weights") if o[k]}
        used |= set(o["x"]) | set(o["clustervars"] or [])
    return used


def write_csv(source, target, used):
    with open(source, newline="") as f:
        rows = list(csv.reader(f))
    keep = [i for i, name in enumerate(rows[0]) if name in used]
    rows = [[row[i] for i in keep] for row in rows]
    write_ditto(rows, target)


def write_ditto(rows, target):
    """A table in which a blank field repeats the value above."""
    assert all(all(row) for row in rows), f"{target} has missing values, which ditto blanks would hide"
    ditto = [rows[0]] + [[v if v != u else "" for v, u in zip(row, above)] for above, row in zip(rows, rows[1:])]
    with open(target, "w", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows(ditto)


def compact_dataset(path, reference, out, exact):
    full = json.loads(path.read_text())
    cases, grids = full["cases"], []
    assert all(c["reference"]["status"] == "ok" for c in cases), path
    name = pathlib.Path(full["dataset"]).stem
    first = cases[0]["options"]
    columns = {"outcome": first["yname"], "time": first["tname"], "unit": first["idname"], "group": first["gname"]}
    columns = {k: RENAMED.get(v, v) for k, v in columns.items() if v}
    lines = ",\n".join(dump(compact_case(c, grids, exact)) for c in cases)
    producer = cases[0]["reference"]["producer"]
    head = {"reference": f"{producer['language']} {producer['package']} {producer['version']}", "dataset": name,
            "columns": columns, "grids": grids}
    (out / f"{name}.json").write_text(dump(head)[:-1] + ',"cases":[\n' + lines + "\n]}\n")
    if name not in SHIPPED:
        write_csv(reference / full["dataset"], out / f"{name}.csv", used_columns(cases))
    return len(cases)


def compact_oracle(path, out):
    full = json.loads(path.read_text())
    check = full.pop("_data_check")
    head = {"reference": "numpy oracle with the conventions of R did",
            "generator": {"algorithm": "SplitMix64", "units": 240, "periods": 6,
                          "data": {"seed": 42, "cohorts": [3, 4, 6, 0]},
                          "never": {"seed": 7, "cohorts": [3, 4, 6, 6]}},
            "check": check}
    cases = []
    for name, case in full.items():
        parent, _, exact = name.partition("__exact_sign")
        if name != parent:
            full[parent]["se"], full[parent]["W"] = case["se"], case["W"]
            full[parent]["exact_sign"] = True
    for name, case in full.items():
        if "args" in case:
            cases.append(dump({"id": name, **case}))
    (out / "oracle.json").write_text(dump(head)[:-1] + ',"cases":[\n' + ",\n".join(cases) + "\n]}\n")
    return len(cases)


def main():
    reference, out, oracle, exact = map(pathlib.Path, sys.argv[1:5])
    exact = json.loads(exact.read_text())
    total = sum(compact_dataset(p, reference, out, exact) for p in sorted(reference.glob("att_gt__*.json")))
    oracles = compact_oracle(oracle, out)
    size = sum(p.stat().st_size for p in out.iterdir() if p.is_file())
    print(f"{total} cases, {oracles} oracle cases, {size} bytes")


if __name__ == "__main__":
    main()
