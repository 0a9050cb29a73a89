#!/usr/bin/env python3
"""Writes twfe.json from the full reference file of R bacondecomp 0.1.3 and TwoWayFEWeights 2.0.4.

    twfe.py REFERENCE_DIR OUTPUT_DIR

REFERENCE_DIR holds bacon__stag_a.json (schema did-golden/1). What R prints but is not compared is left out. Standard library only.
"""

import json
import pathlib
import sys

RENAMED = {"first_treat": "first.treat"}


def column(name):
    return RENAMED.get(name, name)


def case(full):
    options, reference = full["options"], full["reference"]
    out = {
        "id": full["id"],
        "dataset": full["dataset"].removesuffix(".csv"),
        "columns": [column(options[name]) for name in ("yname", "idname", "tname", "gname")],
    }
    if full["family"] == "bacon":
        names = ["treated", "untreated", "estimates", "weights", "twfe"]
        out["covariates"] = options["covariates"]
        if options["covariates"]:
            names += ["Omega", "beta_hat_w"]
        return out | {name: reference[name] for name in names}
    out |= {
        "type": options["type"],
        "cells": "unit" if options["group"] == options["idname"] else "cohort",
        "covariates": options["covariates"],
        "weights": options["wname"],
    }
    names = ("beta", "nr_plus", "nr_minus", "sum_plus", "sum_minus", "sensibility", "sensibility2")
    out |= {name: reference[name] for name in names}
    if "cells" in reference:
        cells = reference["cells"]
        out["rows"] = [list(row) for row in zip(cells["G"], cells["T"], cells["weight"])]
    return out


def main():
    reference, output = map(pathlib.Path, sys.argv[1:])
    cases = json.loads((reference / "bacon__stag_a.json").read_text())["cases"]
    split = {
        "bacon": [case(full) for full in cases if full["family"] == "bacon"],
        "weights": [case(full) for full in cases if full["family"] == "twfe_weights"],
    }
    lines = [
        f'"{family}": [\n' + ",\n".join(json.dumps(c, separators=(",", ":")) for c in of) + "\n]"
        for family, of in split.items()
    ]
    (output / "twfe.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
