"""Golden numbers of continuous treatments.

1. `cont_did_<data>.json` and `<data>.csv`: point estimates of moderndid 0.2.0 (dose-response curves, averages, slopes by exposure),
   compacted from the cases that were recorded with the package; `python cont_did.py compact DIRECTORY`.
2. The cases with knots in these files, of moderndid 0.4.1, which counts each treated unit once where knots are quantiles of doses (0.2.0
   counted it once for every period of its treatment): `python cont_did.py knots`, with moderndid 0.4.1 installed by
   `pip install --no-deps --ignore-requires-python moderndid==0.4.1`, polars 2.1.0, prettytable 3.18.0 and what else it imports. It
   stops unless all cases without knots, but for those of the method `cck`, whose dimension depends on draws, are those of 0.2.0.
3. `cont_did_oracle.json`: everything, by a dense program that is independent of the crate: least squares on scipy's B-splines,
   influence values unit by unit; `python cont_did.py oracle`.

Python 3.11, numpy 2.4.6, scipy 1.17.1.
"""

import json
import pathlib
import sys

import numpy as np
from scipy.interpolate import BSpline

HERE = pathlib.Path(__file__).parent.parent


def basis(x, degree, points, order=0):
    knots = np.r_[[points[0]] * degree, points, [points[-1]] * degree]
    n = len(knots) - degree - 1
    return np.column_stack([BSpline(knots, np.eye(n)[j], degree, extrapolate=True)(x, nu=order) for j in range(n)])


def design(x, degree, points, order=0):
    out = basis(x, degree, points, order)
    out[:, 0] = 0.0 if order else 1.0
    return out


def fit(data, doses, degree, knots, never, universal, weighted, clustered, anticipation=0):
    """Influence values have the scale of the estimate: its variance is the sum of their squares, by cluster."""
    y, g, d = data["y"], data["g"], data["d"]
    n, periods = y.shape
    w = data["w"] if weighted else np.ones(n)
    w = w / w.mean()
    times = np.arange(1, periods + 1)
    groups = [k for k in np.unique(g) if np.isfinite(k) and k - anticipation > 1]
    # Each treated unit counts once.
    pooled = np.array([d[i] for i in range(n) if g[i] in groups])
    interior = np.quantile(pooled, np.arange(1, knots + 1) / (knots + 1))
    p = np.array([np.sum(w * (g == k)) / n for k in groups])
    p_influence = np.column_stack([(w * (g == k)) / n for k in groups])
    cells = []
    for k in groups:
        treated = g == k
        own = d[treated]
        points = np.r_[own.min(), interior[(interior > own.min()) & (interior < own.max())], own.max()]
        for t in times[(0 if universal else 1):]:
            long = int(k) - anticipation - 1
            base = long if (t >= k or universal) else t - 1
            if base == t:
                cells.append(dict(group=k, time=int(t), att=0.0, acrt=0.0, ia=np.zeros(n), ir=np.zeros(n), reference=True))
                continue
            later = max(t, base)
            control = np.isinf(g) if never else (g > later + anticipation) & ~treated
            dy = y[:, t - 1] - y[:, base - 1]
            wt, wc = w[treated], w[control]
            X, Xd = design(own, degree, points), design(own, degree, points, 1)
            root = np.sqrt(wt)[:, None]
            beta = np.linalg.lstsq(root * X, root[:, 0] * dy[treated], rcond=None)[0]
            e = dy[treated] - X @ beta
            inverse = np.linalg.inv(X.T @ (wt[:, None] * X))
            m0 = np.sum(wc * dy[control]) / wc.sum()
            mean = np.sum(wt * dy[treated]) / wt.sum()
            slope = Xd.T @ wt / wt.sum()
            ia, ir = np.zeros(n), np.zeros(n)
            ia[treated] = wt * (dy[treated] - mean) / wt.sum()
            ia[control] -= wc * (dy[control] - m0) / wc.sum()
            acrt = slope @ beta
            ir[treated] = wt * ((Xd @ beta - acrt) / wt.sum() + e * (X @ inverse @ slope))
            Xg, Xgd = design(doses, degree, points), design(doses, degree, points, 1)
            ca, cr = np.zeros((n, len(doses))), np.zeros((n, len(doses)))
            ca[treated] = (wt * e)[:, None] * (X @ inverse @ Xg.T)
            ca[control] -= (wc * (dy[control] - m0) / wc.sum())[:, None]
            cr[treated] = (wt * e)[:, None] * (X @ inverse @ Xgd.T)
            cells.append(dict(group=k, time=int(t), att=mean - m0, acrt=acrt, ia=ia, ir=ir, curve=Xg @ beta - m0,
                              slope=Xgd @ beta, ca=ca, cr=cr, reference=False))
    cluster = data["c"] if clustered else np.arange(n)

    def se(u):
        u = u.reshape(n, -1)
        sums = np.zeros((cluster.max() + 1, u.shape[1]))
        np.add.at(sums, cluster, u)
        return np.sqrt((sums**2).sum(0))

    def mean_by(weights, values, influences, noise):
        """Average of the groups' values with shares as weights; `noise` adds the influence of the shares."""
        total = weights.sum()
        value = np.tensordot(weights / total, values, 1)
        u = sum(wk / total * i for wk, i in zip(weights, influences))
        if noise:
            for k in range(len(weights)):
                column = weights_influence[k].reshape(n, *([1] * (np.ndim(value))))
                u = u + column * (values[k] - value) / total
        return value, u

    weights_influence = p_influence.T
    post = lambda k: [c for c in cells if c["group"] == k and c["time"] >= k]
    out = {}
    for noise in (False, True):
        shown = {}
        for name, value, influence in (("curve", "curve", "ca"), ("slope", "slope", "cr"), ("att", "att", "ia"), ("acrt", "acrt", "ir")):
            values = [np.mean([c[value] for c in post(k)], axis=0) for k in groups]
            influences = [np.mean([c[influence] for c in post(k)], axis=0) for k in groups]
            v, u = mean_by(p, np.array(values), influences, noise)
            shown[name] = [np.atleast_1d(v).tolist(), se(u).tolist()]
        out["estimated" if noise else "fixed"] = shown
    study = {}
    for name, influence in (("att", "ia"), ("acrt", "ir")):
        rows, us = [], []
        for event in sorted({c["time"] - c["group"] for c in cells}):
            own = [c for c in cells if c["time"] - c["group"] == event]
            at = [groups.index(c["group"]) for c in own]
            total = p[at].sum()
            value = sum(p[a] * c[name] for a, c in zip(at, own)) / total
            u = sum(p[a] / total * c[influence] + p_influence[:, a] * (c[name] - value) / total for a, c in zip(at, own))
            rows.append([event, value, float(se(u)[0])])
            if event >= 0:
                us.append((value, u))
        overall = sum(u for _, u in us) / len(us)
        study[name] = {"rows": rows, "overall": [sum(v for v, _ in us) / len(us), float(se(overall)[0])]}
    out["event_study"] = study
    out["cells"] = [[c["group"], c["time"], c["att"], float(se(c["ia"])[0]), c["acrt"], float(se(c["ir"])[0])] for c in cells]
    out["knots"] = interior.tolist()
    return out


def oracle():
    # The example of the definitions: 320 units, 4 periods.
    u = np.arange(320)
    g = np.array([np.inf, 2, 3, 4])[u % 4]
    d = np.where(np.isinf(g), 0, 0.15 + 0.8 * (0.5 + 0.5 * np.sin(0.77 * u + 0.4)))
    since = lambda t: t - np.where(np.isinf(g), 0, g)
    y = np.column_stack([
        np.sin(2.1 * u) + 0.2 * t + np.where(t >= g, (0.5 * d + d * d) * (1 + 0.3 * since(t)), 0)
        + 0.5 * np.sin(91.7 * u + 13.3 * t * t + 0.5)
        for t in range(1, 5)
    ])
    regular = dict(y=y, g=g, d=d, w=1 + 0.5 * np.sin(1.3 * u), c=u % 23)
    # Groups of unequal sizes and ranges of doses, and 5 periods.
    u = np.arange(190)
    g = np.select([u % 7 < 2, u % 7 < 4, u % 7 < 5], [np.inf, 3.0, 4.0], 5.0)
    d = np.where(np.isinf(g), 0, 0.2 * g + (0.6 + 0.2 * g) * np.abs(np.sin(1.7 * u + 0.2)))
    y = np.column_stack([
        np.cos(3.1 * u) + 0.1 * t * t + np.where(t >= g, np.sin(2 * d) * (1 + 0.2 * t), 0) + 0.8 * np.sin(37.3 * u + 7.7 * t)
        for t in range(1, 6)
    ])
    uneven = dict(y=y, g=g, d=d, w=0.5 + np.abs(np.cos(0.9 * u)), c=(u * u) % 17)
    doses = {"regular": [0.2, 0.35, 0.5, 0.65, 0.8, 0.9], "uneven": [0.7, 1.0, 1.3, 1.6]}
    cases = []
    for name, data in (("regular", regular), ("uneven", uneven)):
        for degree, knots, never, universal, weighted, clustered, anticipation in (
            (3, 0, False, False, False, False, 0),
            (2, 1, True, False, False, False, 0),
            (3, 2, False, True, True, False, 0),
            (1, 0, False, False, True, True, 0),
            (2, 3, False, True, False, True, 1),
        ):
            numbers = fit(data, np.array(doses[name]), degree, knots, never, universal, weighted, clustered, anticipation)
            cases.append(dict(data=name, degree=degree, knots=knots, never=never, universal=universal, weighted=weighted,
                              clustered=clustered, anticipation=anticipation, numbers=numbers))
    columns = {
        name: dict(y=data["y"].tolist(), g=[0 if np.isinf(k) else k for k in data["g"]], d=data["d"].tolist(),
                   w=data["w"].tolist(), c=data["c"].tolist())
        for name, data in (("regular", regular), ("uneven", uneven))
    }
    write("cont_did_oracle.json", {"data": columns, "doses": doses, "cases": cases})


def write(name, document):
    shorten = lambda v: (
        float(f"{v:.15g}") if isinstance(v, float)
        else [shorten(x) for x in v] if isinstance(v, list)
        else {k: shorten(x) for k, x in v.items()} if isinstance(v, dict)
        else v
    )
    (HERE / name).write_text(json.dumps(shorten(document), separators=(",", ":"), default=float) + "\n")


def compact(directory):
    for name in ("cont_a", "cont2_a"):
        source = json.loads((pathlib.Path(directory) / f"cont_did__{name}.json").read_text())
        cases = []
        for case in source["cases"]:
            options, reference = case["options"], case["reference"]
            kept = {"id": case["id"], **{k: v for k, v in options.items() if v is not None}}
            if "att_d" in reference:
                for key in ("dose", "att_d", "acrt_d", "overall_att", "overall_acrt"):
                    kept[key] = reference[key]
                if options.get("dose_est_method") == "cck":
                    for key in ("att_d_se", "acrt_d_se", "overall_acrt_se"):
                        kept[key] = reference[key]
            elif options["target_parameter"] == "slope":
                study = reference["eventstudy"]
                # With a universal base the package reverses or loses the changes before the base period.
                rows = [[e, a] for e, a in zip(study["egt"], study["att"])
                        if a is not None and (e >= 0 or "base_period" not in options)]
                kept["event_study"], kept["overall"] = rows, study["overall_att"]
            else:
                continue
            cases.append(kept)
        write(f"cont_did_{name}.json", {"reference": "moderndid 0.2.0", "dataset": name, "cases": cases})
        text = (pathlib.Path(directory) / "data" / f"{name}.csv").read_text()
        (HERE / f"{name}.csv").write_text(text)


def knots():
    import moderndid
    import polars

    assert moderndid.__version__ == "0.4.1", moderndid.__version__
    options = ("target_parameter", "aggregation", "degree", "num_knots", "control_group")
    for name in ("cont_a", "cont2_a"):
        path = HERE / f"cont_did_{name}.json"
        document = json.loads(path.read_text())
        data = polars.read_csv(HERE / f"{name}.csv")
        for case in document["cases"]:
            if "att_d" not in case or "dose_est_method" in case:
                continue
            more = {key: case[key] for key in options if key in case}
            if "dvals" in case:
                more["dvals"] = np.array(case["dvals"])
            # Point estimates do not depend on the draws.
            fit = moderndid.cont_did(data=data, yname="Y", tname="time_period", idname="id", gname="G", dname="D", biters=20,
                                     random_state=1, **more)
            new = {"att_d": np.asarray(fit.att_d).tolist(), "acrt_d": np.asarray(fit.acrt_d).tolist(),
                   "overall_att": float(fit.overall_att), "overall_acrt": float(fit.overall_acrt)}
            moved = max(np.max(np.abs(np.subtract(new[key], case[key]))) for key in new)
            if case["num_knots"] > 0:
                case.update(new, reference="moderndid 0.4.1")
            else:
                assert moved < 1e-12, (case["id"], moved)
            print(case["id"], moved)
        write(path.name, document)


if __name__ == "__main__":
    {"compact": lambda: compact(sys.argv[2]), "knots": knots, "oracle": oracle}[sys.argv[1]]()
