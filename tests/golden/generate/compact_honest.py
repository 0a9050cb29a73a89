"""Writes `honest.json` from the full reference results: `python compact_honest.py FOLDER > ../honest.json`."""

import json
import sys
from pathlib import Path

DELTA = {None: "sd", "deviation from parallel trends": "rm", "deviation from linear trend": "sdrm"}


def number(value):
    return float(f"{value:.12g}")


def rows(producer):
    return [[number(row["lb"]), number(row["ub"])] for row in producer["rows"]]


def case(full):
    options, reference = full["options"], full["reference"]
    out = {"id": full["id"], "reference": reference["producer"]["package"]}
    if "method" in options:
        out |= {
            "delta": DELTA[options.get("bound")],
            "method": options["method"],
            "l_vec": options["l_vec"],
            "m": options.get("m_vec", options.get("m_bar_vec")),
            "grid_points": options["grid_points"],
        }
        for name, key in [("bias", "bias_direction"), ("monotonicity", "monotonicity_direction")]:
            if key in options:
                out[name] = options[key]
    out["rows"] = rows(reference)
    # A conic solver finds the shortest intervals more exactly than R does.
    for other in full["others"]:
        if options.get("method") == "FLCI":
            out["conic"] = rows(other)
    return out


def main(folder):
    studies = {}
    for path in sorted(Path(folder).glob("honest_did__*.json")):
        cases = json.loads(path.read_text())["cases"]
        options = cases[0]["options"]
        keys = ["betahat", "sigma", "num_pre_periods", "num_post_periods"]
        # moderndid's relative magnitudes take another difference as the largest; one end of its C-F is off by three steps.
        kept = [
            c
            for c in cases
            if c["reference"]["producer"]["package"] == "HonestDiD"
            or "m_bar_vec" not in c["options"] and c["options"].get("method") != "C-F"
        ]
        studies[path.stem.split("__")[1]] = {
            "study": {key: options[key] for key in keys},
            "cases": [case(c) for c in kept],
        }
    lines = []
    for name, entry in studies.items():
        body = ",\n".join(json.dumps(c) for c in entry["cases"])
        study = json.dumps(entry["study"])
        lines.append(f'{json.dumps(name)}: {{"study": {study}, "cases": [\n{body}\n]}}')
    print("{" + ",\n".join(lines) + "}")


if __name__ == "__main__":
    main(sys.argv[1])
