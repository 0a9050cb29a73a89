#!/usr/bin/env python3
"""Writes imputation.json from the full reference files of R didimputation 0.5.0 and did2s 1.2.0.

    imputation.py REFERENCE_DIR OUTPUT_DIR

REFERENCE_DIR holds imputation__stag_a.json and did2s__stag_a.json (schema did-golden/1), and the data in `data`: the column x3 of unbal_a.csv,
which compact.py leaves out, is added to the file of that name in OUTPUT_DIR. `dense` are numbers of a separate dense program, by
which weights enter the projection once and cells are averaged as in the authors' Stata program; `leave_out` are its standard errors
with clusters left out. Where weights are used, R's standard errors are not kept: its weights of rows miss the estimate. Standard library only.
"""

import json
import pathlib
import sys

RENAMED = {"first_treat": "first.treat"}


def column(name):
    return RENAMED.get(name, name)


def common(full):
    options = full["options"]
    return {
        "id": full["id"],
        "dataset": full["dataset"].removesuffix(".csv"),
        "columns": [column(options[name]) for name in ("yname", "idname", "tname", "gname")],
        "fe": [column(name) for name in options["fe"]],
        "covariates": options["covariates"],
        "weights": options["wname"],
        "cluster": column(options["cluster_var"]) if options["cluster_var"] else None,
    }


def numbers(of, *names):
    return {name: of[name] for name in ("names", "estimates", *names)}


def imputation(full):
    options, reference, dense = full["options"], full["reference"], full["corrected"]
    out = common(full) | {name: options[name] for name in ("horizon", "pretrends", "wtr")}
    out["r"] = numbers(reference)
    if options["wname"] is None:
        out["r"]["std_errors"] = reference["std_errors"]
    out["dense"] = numbers(dense, "std_errors", "vcov")
    out["leave_out"] = dense["std_errors_leave_one_out"]
    return out


def two_stage(full):
    options, reference = full["options"], full["reference"]
    out = common(full) | {"second_stage": options["second_stage"], "ref": options["ref"]}
    return out | {"r": numbers(reference, "std_errors", "vcov") | {"n": reference["n"]}}


def with_x3(source, target):
    """Adds the last column; a value that is that of the row before is left out, as in all data there."""
    lines = target.read_text().splitlines()
    if lines[0].endswith(",x3"):
        return
    added = [line.rsplit(",", 1)[1] for line in source.read_text().splitlines()]
    before = [None] + added[:-1]
    cells = ["" if value == last else value for value, last in zip(added, before)]
    target.write_text("".join(f"{line},{cell}\n" for line, cell in zip(lines, cells, strict=True)))


def main():
    source, target = (pathlib.Path(path) for path in sys.argv[1:3])
    with_x3(source / "data" / "unbal_a.csv", target / "unbal_a.csv")
    parts = {}
    for family, name, case in (("imputation", "imputation", imputation), ("two_stage", "did2s", two_stage)):
        cases = json.loads((source / f"{name}__stag_a.json").read_text())["cases"]
        lines = [json.dumps(case(full), separators=(",", ":")) for full in cases]
        parts[family] = "[\n" + ",\n".join(lines) + "\n]"
    text = ",\n".join(f'"{family}": {cases}' for family, cases in parts.items())
    (target / "imputation.json").write_text("{\n" + text + "\n}\n")


main()
