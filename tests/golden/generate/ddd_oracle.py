#!/usr/bin/env python3
"""Triple differences (Ortiz-Villavicencio and Sant'Anna 2025) in numpy: reference fits of simulated data.

    ddd_oracle.py validate REFERENCE_DIR > group_se.json   compares with the reference files ddd__<dataset>.json
    ddd_oracle.py selftest                                 influence functions against numerical derivatives
    ddd_oracle.py write OUTPUT_DIR                         simulates ddd_oracle_*.csv and writes ddd_oracle.json
"""

import csv
import json
import pathlib
import sys

import numpy as np

import compact
from ddd_estimators import AGGREGATES, Sample, aggregate, combine, fit, panel_did, sections_did, two_periods


# ------------------------------------------------------------------------------------------- validation

def read(path):
    """A table of numbers; a blank field repeats the value above."""
    with open(path, newline="") as f:
        head, *rows = csv.reader(f)
    for above, row in zip(rows, rows[1:]):
        row[:] = [v or u for v, u in zip(row, above)]
    return {name: np.array([float(v) for v in column]) for name, column in zip(head, zip(*rows))}


def distances(got, want):
    got, want = (np.array([np.nan if v is None else v for v in x], float) for x in (got, want))
    assert got.shape == want.shape and (np.isnan(got) == np.isnan(want)).all(), (got, want)
    return got, want


def relative(got, want, floor=0.0):
    got, want = distances(got, want)
    return float(np.nanmax(np.abs(got - want) / np.maximum(np.maximum(np.abs(got), np.abs(want)), floor), initial=0.0))


def validate(reference):
    """Distances to triplediff; the exact standard errors of the overall effects of "group"."""
    worst, exact = {}, {}

    def note(key, value, case):
        if value >= worst.get(key, (-1.0,))[0]:
            worst[key] = (value, case)

    for path in sorted(reference.glob("ddd__*.json")):
        full = json.loads(path.read_text())
        raw = read(reference / full["dataset"])
        for case in full["cases"]:
            o, want = case["options"], case["reference"]
            names = {"y": o["yname"], "t": o["tname"], "g": o["gname"], "q": o["pname"], "id": o["idname"]}
            data = {k: raw[v] for k, v in names.items()} | {k: raw[k] for k in o["x"]}
            data |= {k: raw[k] for k in (o["weights"], o["cluster"]) if k}
            common = {"method": o["est_method"], "x": o["x"], "weights": o["weights"],
                      "layout": "panel" if o["panel"] else "rc"}
            group = (path.stem[5:], common["layout"], o["est_method"] if o["x"] else "no covariates")
            if o["control_group"] is None:
                got = two_periods(data, **common)
                note((*group, "att"), relative([got["att"]], [want["att"]]), case["id"])
                if not o["cluster"]:  # their standard errors are random draws
                    note((*group, "se"), relative([got["se"]], [want["se"]]), case["id"])
                continue
            if o["control_group"] == "notyettreated":
                group += ("nyt",)
            if o["cluster"]:
                group += ("cluster",)
            got = fit(data, **common, cluster=o["cluster"], not_yet_treated=o["control_group"] == "notyettreated",
                      universal=o["base_period"] == "universal")
            cells = got["cells"]
            assert got["n"] == want["n"]
            for key in ("group", "time"):
                assert [c[key] for c in cells] == want["att_gt"][key], case["id"]
            floor = 1e-3 * max(abs(v) for v in want["att_gt"]["att"])
            note((*group, "att"), relative([c["att"] for c in cells], want["att_gt"]["att"], floor), case["id"])
            note((*group, "se"), relative([c["se"] for c in cells], want["att_gt"]["se"]), case["id"])
            for a in want["aggte"]:
                spec = dict(a["spec"])
                kind = spec.pop("type")
                one = aggregate(got, kind, **spec, triplediff=True)
                if kind == "group":
                    exact[case["id"]] = aggregate(got, kind, **spec)["se"]
                rows = list(zip(*one.get("rows", []))) or [[], [], []]
                assert list(rows[0]) == a.get("egt", []), case["id"]
                note((*group, "aggregate att"), relative([one["att"], *rows[1]], [a["overall_att"], *a.get("att", [])], floor),
                     case["id"])
                note((*group, "aggregate se"), relative([one["se"], *rows[2]], [a["overall_se"], *a.get("se", [])]), case["id"])
    for key, (value, case) in sorted(worst.items()):
        print(f"{value:9.1e}  {' '.join(key):60} {case}", file=sys.stderr)
    return exact



# ------------------------------------------------------------------------------------------- derivatives

def derivative(function, w, i, h=1e-4):
    """By log w_i, to fourth order."""
    def at(step):
        changed = w.copy()
        changed[i] *= np.exp(step)
        return function(changed)

    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


def selftest():
    """Every influence function is the derivative of its estimate by the logarithm of a unit's weight."""
    def compare(name, influence, function, w):
        numeric = np.array([derivative(function, w, i) for i in range(len(w))])
        error = np.max(np.abs(numeric - influence)) / np.max(np.abs(influence))
        print(f"{error:9.1e}  {name}")
        assert error < 1e-8, name

    rng = np.random.default_rng(1)
    n = 80
    x = np.column_stack([np.ones(n), rng.normal(size=(n, 2))])
    d = rng.random(n) < 1 / (1 + np.exp(-0.5 * x[:, 1]))
    w, post, y = rng.uniform(0.5, 2, n), rng.random(n) < 0.5, x @ [1, 0.5, -0.5] + rng.normal(size=n) + d * x[:, 2]
    y += post * (1 + d * (1 - x[:, 1]))
    for method in ("dr", "reg", "ipw"):
        compare(f"panel {method}", panel_did(y, d, x, w, method)[1], lambda v: panel_did(y, d, x, v, method)[0], w)
        compare(f"repeated cross sections {method}", sections_did(y, post, d, x, w, method)[1],
                lambda v: sections_did(y, post, d, x, v, method)[0], w)

    data = numbers(unbalanced(panel(rng, [0, 3, 4], 72, 4), rng))
    for layout in ("pairs", "rows"):
        s = Sample(data, "dr", ["x1"], "w", layout)

        def reweighted(v):
            other = Sample(data, "dr", ["x1"], "w", layout)
            other.w = v[other.unit] * s.w
            other.share_weight = v * s.share_weight
            return other

        parts = [s.estimate(3, c, 1, 2) for c in (0, 4)]
        _, u, weights, _ = combine(parts)
        compare(f"two comparison cohorts, {layout}, their weights held fixed", u,
                lambda v: weights @ [reweighted(v).estimate(3, c, 1, 2)[0] for c in (0, 4)], np.ones(s.n))

        def group_effect(v):
            other = reweighted(v)
            theta = [np.mean([other.estimate(g, 0, b, t)[0] for b, t in cells]) for g, cells in grid.items()]
            share = [np.sum(other.share_weight * (other.cohort == g)) for g in grid]
            return np.dot(theta, share) / np.sum(share)

        grid = {3: [(1, 2), (1, 3)], 4: [(2, 3)]}
        r = fit(data, "dr", ["x1"], "w", layout=layout)
        captured = {}
        aggregate(r, "group", keep=captured)
        compare(f"overall effect of groups, {layout}", captured["overall"], group_effect, np.ones(s.n))


# -------------------------------------------------------------------------------------------- simulation

def panel(rng, cohorts, units, periods):
    """Cohorts and eligibility depend on covariates, trends on all of them; effects differ by cohort and period."""
    x = rng.normal(size=(units, 2))
    score = rng.gumbel(size=(units, len(cohorts))) + 0.25 * np.outer(x[:, 0], np.linspace(-1, 1, len(cohorts)))
    g = np.array(cohorts)[score.argmax(axis=1)]
    q = rng.random(units) < 1 / (1 + np.exp(-0.3 * x[:, 1]))
    cluster = rng.integers(1, 31, units)
    level = rng.normal(size=units) + 0.5 * rng.normal(size=31)[cluster] + 0.3 * q
    t = np.arange(1, periods + 1)
    walk = np.cumsum(rng.normal(size=(units, periods, 2)) * 0.4, axis=1)
    v = x[:, None, :] + walk
    trend = (0.2 + 0.3 * x[:, :1] - 0.2 * x[:, 1:] + 0.15 * q[:, None] + 0.1 * (g > 0)[:, None]) * t
    treated = (g[:, None] > 0) & (t >= g[:, None]) & q[:, None]
    effect = treated * (1 + 0.4 * (t - g[:, None]) + 0.1 * g[:, None] + 0.3 * x[:, :1])
    noise = rng.normal(size=(units, periods)) * 0.7
    y = level[:, None] + trend + 0.2 * v[:, :, 0] + effect + noise
    w = rng.uniform(0.4, 2.0, units)
    wt = w[:, None] * rng.uniform(0.7, 1.3, (units, periods))

    def spread(values):
        return np.repeat(values, periods)

    return {"id": spread(np.arange(1, units + 1)), "t": np.tile(t, units), "g": spread(g), "q": spread(q.astype(int)),
            "cl": spread(cluster), "y": y.ravel(), "x1": spread(x[:, 0]), "x2": spread(x[:, 1]),
            "v1": v[:, :, 0].ravel(), "v2": v[:, :, 1].ravel(), "w": spread(w), "wt": wt.ravel()}


def rows_of(data, keep, columns=None):
    return {k: v[keep] for k, v in data.items() if columns is None or k in columns}


def unbalanced(data, rng):
    return rows_of(data, rng.random(len(data["y"])) > 0.12)


def sections(data, rng, share):
    columns = ("t", "g", "q", "cl", "y", "x1", "x2", "w")
    return rows_of(data, rng.random(len(data["y"])) < share, columns)


def without_eligible(data, cohort):
    """A cohort that can neither be estimated nor serve as comparison."""
    return rows_of(data, (data["g"] != cohort) | (data["q"] == 0), ("id", "t", "g", "q", "cl", "y", "x1", "x2", "w"))


def text(data):
    return {k: [str(x) if v.dtype.kind == "i" else f"{x:.6f}" for x in v] for k, v in data.items()}


def numbers(data):
    """As a reader of the file has them."""
    return {k: np.array([float(x) for x in v]) for k, v in text(data).items()}


def simulate():
    rng = np.random.default_rng(20250101)
    staggered = [0, 2, 3, 5, 6]
    return {
        "ddd_oracle_panel": panel(rng, staggered, 400, 6),
        "ddd_oracle_sections": sections(panel(rng, staggered, 500, 6), rng, 0.7),
        "ddd_oracle_unbalanced": unbalanced(panel(rng, staggered, 400, 6), rng),
        "ddd_oracle_nonever": rows_of(panel(rng, [3, 4, 5, 6], 320, 6), slice(None),
                                      ("id", "t", "g", "q", "cl", "y", "x1", "x2", "w")),
        "ddd_oracle_gaps": without_eligible(panel(rng, [0, 2, 3, 5], 240, 5), 5),
        "ddd_oracle_two": rows_of(panel(rng, [0, 2], 240, 2), slice(None),
                                  ("id", "t", "g", "q", "cl", "y", "x1", "x2", "w")),
        "ddd_oracle_two_sections": sections(panel(rng, [0, 2], 400, 2), rng, 0.7),
    }


def cases():
    """Dataset, name and options of every fit."""
    x, v = {"x": ["x1", "x2"]}, {"x": ["v1", "v2"]}
    later, universal = {"not_yet_treated": True}, {"universal": True}
    methods = [{"method": m} for m in ("dr", "reg", "ipw")]
    bases = [{}, universal]
    name = "ddd_oracle_panel"
    for m in methods:
        for base in bases:
            yield name, m | x | later | base
        yield name, m | x
        yield name, m | x | later | {"weights": "w"}
        yield name, m | x | later | universal | {"weights": "w"}
        yield name, m | v | later | universal
        yield name, m | v | universal
    yield name, {"method": "reg"} | later
    yield name, {"method": "dr"} | v | later
    for o in ({}, {"weights": "w"}, universal):
        yield name, {"method": "dr"} | x | later | {"cluster": "cl"} | o
    yield name, {"method": "reg"} | x | {"cluster": "cl"} | universal
    for o in (later, later | universal, {}):
        yield name, {"method": "dr"} | x | {"weights": "wt"} | o
    name = "ddd_oracle_sections"
    for m in methods:
        for base in bases:
            yield name, m | x | later | base | {"layout": "rc"}
        yield name, m | x | {"layout": "rc"}
        yield name, m | x | later | {"weights": "w", "layout": "rc"}
    yield name, {"method": "dr"} | x | later | {"cluster": "cl", "layout": "rc"}
    yield name, {"method": "dr"} | x | later | universal | {"cluster": "cl", "weights": "w", "layout": "rc"}
    yield name, {"method": "reg"} | later | {"layout": "rc"}
    name = "ddd_oracle_unbalanced"
    for layout in ({"layout": "pairs"}, {"layout": "rows"}):
        for m in methods:
            for base in bases:
                yield name, m | x | later | base | layout
            yield name, m | x | layout
            yield name, m | x | later | {"weights": "w"} | layout
        yield name, {"method": "dr"} | v | later | universal | layout
        yield name, {"method": "dr"} | x | later | {"weights": "wt"} | layout
        yield name, {"method": "dr"} | x | later | {"cluster": "cl"} | layout
    name = "ddd_oracle_nonever"
    for m in methods:
        for base in bases:
            yield name, m | x | later | base
    yield name, {"method": "dr"} | x | later | {"weights": "w"}
    yield name, {"method": "dr"} | x | later | {"layout": "rc"}
    for base in bases:
        yield "ddd_oracle_gaps", {"method": "dr"} | x | later | base
    for name, layout in (("ddd_oracle_two", {}), ("ddd_oracle_two_sections", {"layout": "rc"})):
        for m in methods:
            for w in ({}, {"weights": "w"}):
                yield name, m | x | w | layout
        yield name, {"method": "reg"} | layout
        yield name, {"method": "dr"} | x | {"cluster": "cl"} | layout
        yield name, {"method": "dr"} | x | {"weights": "w", "cluster": "cl"} | layout


LAYOUTS = {"panel": {}, "rc": {"repeated_cross_sections": True}, "pairs": {"unbalanced": "pairs"},
           "rows": {"unbalanced": "rows"}}


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, (float, np.floating)):
        value = float(value)
        return None if np.isnan(value) else int(value) if value == int(value) else value
    return value


def case_id(dataset, o):
    flags = [o["method"], "-".join(o.get("x", ["x0"])), "nyt" if o.get("not_yet_treated") else "nev",
             "uni" if o.get("universal") else "var", o.get("layout", "panel"), o.get("weights"), o.get("cluster")]
    return "_".join([dataset.removeprefix("ddd_oracle_")] + [f for f in flags if f])


def case_line(dataset, data, options):
    layout = options.get("layout", "panel")
    out = {"id": case_id(dataset, options), "data": dataset} | {{"x": "covariates"}.get(k, k): v for k, v in options.items() if k != "layout"}
    out |= LAYOUTS[layout]
    if len(np.unique(data["t"])) == 2:
        r = two_periods(data, **options)
        return out | {"n": r["n"], "att": r["att"], "se": r["se"], "comparisons": r["comparisons"]}
    r = fit(data, **options)
    out |= {"n": r["n"], "cells": [[c[k] for k in ("group", "time", "att", "se", "se_if", "k", "used")] for c in r["cells"]]}
    specs = [a for a in AGGREGATES if layout == "panel" or len(a) == 1]
    return out | {"aggregates": [{**a, **aggregate(r, a["type"], **{k: v for k, v in a.items() if k != "type"})}
                                 for a in specs]}


CONVENTIONS = {
    "cells": ["group", "time", "att", "se", "se_if", "comparison cohorts", "units or rows used"],
    "comparisons": "the differences in differences of subgroup 4 against 3, 2 and 1",
}


def write(out):
    tables = simulate()
    for name, table in tables.items():
        columns = list(text(table).items())
        compact.write_ditto([[k for k, _ in columns], *map(list, zip(*(v for _, v in columns)))], out / f"{name}.csv")
    samples = {name: read(out / f"{name}.csv") for name in tables}
    fits = [case_line(name, samples[name], o) for name, o in cases()]
    assert len({c["id"] for c in fits}) == len(fits)
    lines = [compact.dump(plain(c)) for c in fits]
    head = {"reference": "numpy oracle for triple differences", "shares_of": "all",
            "columns": {"outcome": "y", "time": "t", "unit": "id", "group": "g", "partition": "q"}, **CONVENTIONS}
    (out / "ddd_oracle.json").write_text(compact.dump(head)[:-1] + ',"cases":[\n' + ",\n".join(lines) + "\n]}\n")
    print(f"{len(lines)} cases", file=sys.stderr)


def main():
    command, *arguments = sys.argv[1:]
    if command == "validate":
        json.dump(validate(pathlib.Path(arguments[0])), sys.stdout)
    elif command == "selftest":
        selftest()
    elif command == "write":
        write(pathlib.Path(arguments[0]))


if __name__ == "__main__":
    main()
