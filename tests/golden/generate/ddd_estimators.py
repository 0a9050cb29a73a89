"""Estimators of triple differences (Ortiz-Villavicencio and Sant'Anna 2025) and their aggregations in numpy.

An estimator returns the estimate and its influence u on the scale of the data: the variance is sum u^2, and u_i is the
derivative of the estimate by the logarithm of observation i's weight. Where triplediff 0.2.4 is known to be wrong, this
follows the formulas instead: the sign of the pre-period in the doubly robust influence of repeated cross sections, and
the scale of the influence of panel cells that do not use all units.
"""

import numpy as np

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
