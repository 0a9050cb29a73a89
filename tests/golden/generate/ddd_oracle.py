#!/usr/bin/env python3
"""Triple differences (Ortiz-Villavicencio and Sant'Anna 2025) in numpy: reference fits of simulated data.

    ddd_oracle.py validate REFERENCE_DIR > group_se.json   compares with the reference files ddd__<dataset>.json
    ddd_oracle.py selftest                                 influence functions against numerical derivatives
    ddd_oracle.py write OUTPUT_DIR                         simulates ddd_oracle_*.csv and writes ddd_oracle.json

An estimator returns the estimate and its influence u on the scale of the data: the variance is sum u^2, and u_i is the
derivative of the estimate by the logarithm of observation i's weight. Where triplediff 0.2.4 is known to be wrong, this
follows the formulas instead: the sign of the pre-period in the doubly robust influence of repeated cross sections, and
the scale of the influence of panel cells that do not use all units.
"""

import csv
import json
import pathlib
import sys

import numpy as np

import compact

TRIM = 0.995


# ---------------------------------------------------------------------------------------------- two by two

class CannotEstimate(Exception):
    """The cell has too few observations of some kind."""


def logit(d, x, w):
    """Maximum likelihood by Newton steps, to full convergence."""
    def loss(b):
        eta = x @ b
        return np.sum(w * (np.logaddexp(0.0, eta) - d * eta))

    beta = np.zeros(x.shape[1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-(x @ beta)))
        hessian = x.T @ ((w * p * (1 - p))[:, None] * x)
        if np.linalg.matrix_rank(hessian) < x.shape[1]:
            raise CannotEstimate("logit")
        step = np.linalg.solve(hessian, x.T @ (w * (d - p)))
        scale, start = 1.0, loss(beta)
        while loss(beta + scale * step) > start + 1e-12 * abs(start) and scale > 1e-6:
            scale /= 2
        beta = beta + scale * step
        if np.max(np.abs(step)) < 1e-13 * (1 + np.max(np.abs(beta))):
            break
    p = np.minimum(1 / (1 + np.exp(-(x @ beta))), 1 - 1e-6)
    return p, x.T @ ((w * p * (1 - p))[:, None] * x)


def regression(y, x, w, on):
    """Coefficients on a subsample and its Gram matrix."""
    wx = w[on, None] * x[on]
    gram = x[on].T @ wx
    if on.sum() < x.shape[1] or np.linalg.matrix_rank(gram) < x.shape[1]:
        raise CannotEstimate("regression")
    return np.linalg.solve(gram, wx.T @ y[on]), gram


def odds_weights(d, x, w, trim):
    """Propensity scores, their Hessian, and the weights of the comparison units."""
    p, hessian = logit(d * 1.0, x, w)
    v = np.where(~d & (p < trim), w * p / (1 - p), 0.0)
    return p, hessian, v


def mean(v, y):
    return v @ y / v.sum()


def panel_did(change, d, x, w, method, trim=TRIM):
    a = w * d
    total = a.sum()
    moments = a @ x / total
    if method == "reg":
        beta, gram = regression(change, x, w, ~d)
        r = change - x @ beta
        att = mean(a, r)
        return att, a * (r - att) / total - w * ~d * r * (x @ np.linalg.solve(gram, moments))
    p, hessian, v = odds_weights(d, x, w, trim)
    r, from_regression = change, 0.0
    if method == "dr":
        beta, gram = regression(change, x, w, ~d)
        r = change - x @ beta
        from_regression = w * ~d * r * (x @ np.linalg.solve(gram, mean_rows(v, x) - moments))
    treated, comparison = mean(a, r), mean(v, r)
    slope = x @ np.linalg.solve(hessian, (v * (r - comparison)) @ x / v.sum())
    u = a * (r - treated) / total - v * (r - comparison) / v.sum() - w * (d - p) * slope + from_regression
    return treated - comparison, u


def mean_rows(v, x):
    return v @ x / v.sum()


def sections_did(y, post, d, x, w, method, trim=TRIM):
    """Repeated cross sections; dr is the locally efficient estimator, with the exact influence function."""
    sign = {False: -1.0, True: 1.0}
    a = w * d
    influence, att = np.zeros(len(y)), 0.0
    fits = {}
    if method != "ipw":
        groups = [(False, s) for s in sign] + ([(True, s) for s in sign] if method == "dr" else [])
        for key in groups:
            on = (d == key[0]) & (post == key[1])
            beta, gram = regression(y, x, w, on)
            fits[key] = (x @ beta, gram, w * on * (y - x @ beta))

    def through(key, direction):
        """Influence of the coefficients of a regression, in a direction."""
        _, gram, score = fits[key]
        return score * (x @ np.linalg.solve(gram, direction))

    if method == "reg":
        target = mean_rows(a, x)
        gain = fits[False, True][0] - fits[False, False][0]
        for s, sigma in sign.items():
            at = a * (post == s)
            level = mean(at, y)
            att += sigma * level
            influence += sigma * (at * (y - level) / at.sum() - through((False, s), target))
        expected = mean(a, gain)
        return att - expected, influence - a * (gain - expected) / a.sum()

    p, hessian, v = odds_weights(d, x, w, trim)
    slope = np.zeros(x.shape[1])
    for s, sigma in sign.items():
        at, vt = a * (post == s), v * (post == s)
        if not (at.sum() > 0 and vt.sum() > 0):
            raise CannotEstimate("empty")
        r = y - fits[False, s][0] if method == "dr" else y
        treated, comparison = mean(at, r), mean(vt, r)
        att += sigma * (treated - comparison)
        influence += sigma * (at * (r - treated) / at.sum() - vt * (r - comparison) / vt.sum())
        slope += sigma * (vt * (r - comparison)) @ x / vt.sum()
        if method == "dr":
            influence += sigma * through((False, s), mean_rows(vt, x) - mean_rows(at, x))
            gap = fits[True, s][0] - fits[False, s][0]
            overall, within = mean(a, gap), mean(at, gap)
            att += sigma * (overall - within)
            influence += sigma * (a * (gap - overall) / a.sum() - at * (gap - within) / at.sum())
            shift = mean_rows(a, x) - mean_rows(at, x)
            influence += sigma * (through((True, s), shift) - through((False, s), shift))
    return att, influence - w * (d - p) * (x @ np.linalg.solve(hessian, slope))


SIGNS = ((3, 1.0), (2, 1.0), (1, -1.0))


def three_dids(code, fit):
    """4 against 3, plus 4 against 2, minus 4 against 1."""
    if any(not (code == c).any() for c in (1, 2, 3, 4)):
        raise CannotEstimate("empty subgroup")
    att, influence, parts = 0.0, np.zeros(len(code)), {}
    for c, sign in SIGNS:
        on = (code == 4) | (code == c)
        part, u = fit(on, code[on] == 4)
        att += sign * part
        influence[on] += sign * u
        parts[f"4v{c}"] = part
    return att, influence, parts


def ddd_panel(change, code, x, w, method):
    return three_dids(code, lambda on, d: panel_did(change[on], d, x[on], w[on], method))


def ddd_sections(y, post, code, x, w, method):
    return three_dids(code, lambda on, d: sections_did(y[on], post[on], d, x[on], w[on], method))


# ------------------------------------------------------------------------------------------ two periods

def two_periods(data, method, x=(), weights=None, cluster=None, layout="panel"):
    """data has y, t, g (0 or the treated cohort), q and, for a panel, id."""
    first, last = np.unique(data["t"])
    code = 1 + 2 * (data["g"] > 0) + (data["q"] > 0)
    w = data[weights] if weights else np.ones(len(code))
    design = np.column_stack([np.ones(len(code))] + [data[c] for c in x])
    if layout == "panel":
        order = np.lexsort((data["t"], data["id"]))
        pre, post = order[::2], order[1::2]
        assert (data["id"][pre] == data["id"][post]).all() and (data["t"][pre] == first).all()
        att, u, parts = ddd_panel(data["y"][post] - data["y"][pre], code[pre], design[pre], w[pre], method)
        clusters = data[cluster][pre] if cluster else None
    else:
        att, u, parts = ddd_sections(data["y"], data["t"] == last, code, design, w, method)
        clusters = data[cluster] if cluster else None
    if cluster:
        se = root_of_squares(by_cluster(u, clusters))
    else:
        n = len(u)
        se = np.sqrt(n / (n - 1) * np.sum((u - u.mean()) ** 2))
    return {"n": len(u), "att": att, "se": se, "comparisons": parts, "influence": u}


def by_cluster(u, clusters):
    _, index = np.unique(clusters, return_inverse=True)
    sums = np.zeros((index.max() + 1,) + u.shape[1:])
    np.add.at(sums, index, u)
    return sums


def root_of_squares(u):
    return np.sqrt(np.sum(u * u, axis=0))


# ------------------------------------------------------------------------------------- several periods

class Sample:
    """Units (or rows) and how a pair of periods and cohorts is estimated.

    layout: "panel" (balanced), "rc" (repeated cross sections), "pairs" (unbalanced; a cell uses the units observed in
    both periods), "rows" (unbalanced; the repeated cross section estimator, its influence summed by unit).
    """

    def __init__(self, data, method, x, weights, layout):
        self.method, self.layout = method, layout
        rows = len(data["y"])
        data = dict(data) | {"id": np.arange(rows)} if layout == "rc" else data
        self.times = np.unique(data["t"])
        latest = data["g"] > self.times[-1]
        self.row_cohort = np.where(latest, 0, data["g"])  # treated after the sample ends: never treated in it
        _, first, self.unit = np.unique(data["id"], return_index=True, return_inverse=True)
        self.n = len(first)
        self.period = np.searchsorted(self.times, data["t"])
        self.y, self.q = data["y"], data["q"] > 0
        self.x = np.column_stack([np.ones(rows)] + [data[c] for c in x])
        self.w = data[weights] if weights else np.ones(rows)
        self.cohort, self.eligible = self.row_cohort[first], self.q[first]
        self.row = np.full((self.n, len(self.times)), -1)
        self.row[self.unit, self.period] = np.arange(rows)
        if layout == "panel":
            assert (self.row >= 0).all()
            self.share_weight = self.w[self.row[:, 0]]  # of the first period
        else:  # mean of the unit's rows
            self.share_weight = np.bincount(self.unit, self.w) / np.bincount(self.unit)

    def estimate(self, g, comparison, b, t):
        """DDD of a cohort against one other, from period b to period t: estimate and the units' influence."""
        u = np.zeros(self.n)
        if self.layout in ("panel", "pairs"):
            on = np.isin(self.cohort, (g, comparison)) & (self.row[:, b] >= 0) & (self.row[:, t] >= 0)
            base, now = self.row[on, b], self.row[on, t]
            code = 1 + 2 * (self.cohort[on] == g) + self.eligible[on]
            att, u[on], _ = ddd_panel(self.y[now] - self.y[base], code, self.x[base], self.w[base], self.method)
            return att, u, on
        rows = np.isin(self.row_cohort, (g, comparison)) & np.isin(self.period, (b, t))
        code = 1 + 2 * (self.row_cohort[rows] == g) + self.q[rows]
        att, by_row, _ = ddd_sections(self.y[rows], self.period[rows] == t, code, self.x[rows], self.w[rows],
                                      self.method)
        np.add.at(u, self.unit[rows], by_row)
        used = np.zeros(self.n, bool)
        used[self.unit[rows]] = True
        return att, u, used


def combine(parts):
    """The linear combination of smallest variance (GMM) of estimates of the same effect."""
    columns = np.column_stack([u for _, u, _ in parts])
    used = np.any([on for _, _, on in parts], axis=0)
    centred = columns[used] - columns[used].mean(axis=0)
    inverse = np.linalg.inv(centred.T @ centred)
    v = inverse.sum(axis=1) / inverse.sum()
    return v @ [att for att, _, _ in parts], columns @ v, v, used


def fit(data, method="dr", x=(), weights=None, cluster=None, layout="panel", not_yet_treated=False, universal=False):
    cohorts = {g for g in np.unique(data["g"]) if 0 < g <= data["t"].max()}  # later ones: never treated in the sample
    if np.isin(data["g"], list(cohorts)).all():
        assert not_yet_treated
        last = max(cohorts)  # it serves as comparison only, in the periods before its treatment
        keep = data["t"] < last
        data = {k: v[keep] for k, v in data.items()}
        cohorts = {g for g in cohorts if g < last}
        data["g"] = np.where(data["g"] == last, 0, data["g"])
    s = Sample(data, method, x, weights, layout)
    clusters = None
    if cluster:
        clusters = np.zeros(s.n)
        clusters[s.unit] = data[cluster]
    cells, columns = [], []
    for g in sorted(cohorts):
        before = np.flatnonzero(s.times < g)
        if not len(before):
            continue
        for t in range(0 if universal else 1, len(s.times)):
            b = before[-1] if universal or g <= s.times[t] else t - 1
            cell = {"group": g, "time": s.times[t]}
            if b == t:
                cells.append(cell | {"att": 0.0, "se": np.nan, "se_if": np.nan, "k": 0, "used": 0})
                columns.append(np.zeros(s.n))
                continue
            comparisons = [0]
            if not_yet_treated:
                comparisons += sorted(c for c in cohorts if c > max(s.times[t], s.times[b]) and c != g)
            parts = []
            for c in comparisons:
                try:
                    parts.append(s.estimate(g, c, b, t))
                except CannotEstimate:
                    pass
            if not parts:
                continue
            if len(parts) == 1:
                att, u, used = parts[0]
            else:
                att, u, _, used = combine(parts)
            se_if = standard_error(u, clusters)
            se = se_if
            if len(parts) > 1 and clusters is None:
                n = used.sum() if layout in ("panel", "pairs") else s.n
                se = se_if * np.sqrt(n / (n - 1))
            cells.append(cell | {"att": att, "se": se, "se_if": se_if, "k": len(parts), "used": int(used.sum())})
            columns.append(u)
    return {"n": s.n, "cells": cells, "influence": np.column_stack(columns), "cohort": s.cohort, "times": s.times,
            "share_weight": s.share_weight, "clusters": clusters}


def standard_error(u, clusters):
    se = root_of_squares(u if clusters is None else by_cluster(u, clusters))
    return np.where(se > 10 * np.sqrt(np.finfo(float).eps), se, np.nan)[()]


# ----------------------------------------------------------------------------------------- aggregations

def aggregate(r, kind, balance_e=None, min_e=-np.inf, max_e=np.inf, triplediff=False, keep=None):
    """The aggregations of R did, with the influence of the estimated shares.

    triplediff: its error in the overall effect of "group", where the influence of the share of the k-th group is
    given to the cohort of the k-th cell. keep: receives the influence of the overall effect.
    """
    cells, n = r["cells"], r["n"]
    g = np.array([c["group"] for c in cells])
    t = np.array([c["time"] for c in cells])
    att = np.array([c["att"] for c in cells])
    groups = np.unique(g)
    share = {k: np.sum(r["share_weight"] * (r["cohort"] == k)) / n for k in groups}
    p = np.array([share[k] for k in g])
    points = np.unique(np.concatenate([r["times"], groups]))
    g_rank, t_rank = np.searchsorted(points, g), np.searchsorted(points, t)

    def weighted(theta, weight, influence, labels):
        total = weight.sum()
        value = theta @ weight / total
        u = influence @ (weight / total)
        for label, one in zip(labels, theta):
            u = u + r["share_weight"] * (r["cohort"] == label) * (one - value) / total / n
        return value, u

    def of_cells(on):
        return weighted(att[on], p[on], r["influence"][:, on], g[on])

    def answer(overall, rows):
        value, u = overall
        if keep is not None:
            keep["overall"] = u
        out = {"att": value, "se": standard_error(u, r["clusters"])}
        return out | ({"rows": [[at, a, standard_error(v, r["clusters"])] for at, (a, v) in rows]} if rows else {})

    def average(rows):
        return np.mean([a for a, _ in rows]), np.mean([u for _, u in rows], axis=0)

    post = (g_rank <= t_rank) & (t_rank <= g_rank + max_e)
    if kind == "simple":
        return answer(of_cells(post), [])
    if kind == "group":
        rows = [(k, (att[on].mean(), r["influence"][:, on].mean(axis=1))) for k in groups if (on := post & (g == k)).any()]
        theta = np.array([a for _, (a, _) in rows])
        weight = np.array([share[k] for k, _ in rows])
        labels = g[:len(rows)] if triplediff else [k for k, _ in rows]
        overall = weighted(theta, weight, np.column_stack([u for _, (_, u) in rows]), labels)
        return answer(overall, rows)
    if kind == "calendar":
        rows = [(k, of_cells(on)) for k in np.unique(t) if (on := (g_rank <= t_rank) & (t == k)).any()]
        return answer(average([row for _, row in rows]), rows)
    e = t - g
    include = np.ones(len(e), bool)
    if balance_e is not None:
        include = (t.max() - g >= balance_e) & (e <= balance_e) & (e >= balance_e - t.max() + points[0])
    include &= (min_e <= e) & (e <= max_e)
    rows = [(k, of_cells(include & (e == k))) for k in np.unique(e[include])]
    return answer(average([row for k, row in rows if k >= 0]), rows)


AGGREGATES = ({"type": "simple"}, {"type": "eventstudy"}, {"type": "group"}, {"type": "calendar"},
              {"type": "eventstudy", "balance_e": 1}, {"type": "eventstudy", "min_e": -2, "max_e": 2})


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
    head = {"reference": "numpy oracle for triple differences",
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
