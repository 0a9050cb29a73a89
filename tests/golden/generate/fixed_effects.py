"""Golden numbers of regressions with fixed effects, beside those of R fixest in `feols_*.json`.

- `fepois.csv` and `fepois.json`: Poisson regressions of pyfixest 0.60.0 on simulated counts.
- `sun_abraham.json`: the interaction-weighted estimator on `stag_a.csv`, as a dense least-squares problem in numpy, which has
  nothing in common with the crate's way to it.

    python fixed_effects.py CASES     # CASES: the golden cases of fixest as they were published, to be compacted
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).resolve().parent.parent


def write(name, value):
    text = json.dumps(value, separators=(",", ":")).replace('{"id"', '\n{"id"')
    (HERE / name).write_text(text + "\n")


def compact(folder):
    for dataset in ["fe_easy_a", "fe_hard_a", "fe3_a"]:
        published = json.loads((folder / f"feols__{dataset}.json").read_text())
        cases = []
        for case in published["cases"]:
            options, reference = case["options"], case["reference"]
            vcov = options["vcov"]
            cases.append({
                "id": case["id"], "formula": options["formula"],
                "vcov": vcov if isinstance(vcov, str) else "cluster:" + ",".join(vcov[1:]),
                "weights": options["weights"], "keep_singletons": options["fixef_rm"] == "none",
                "names": reference["names"], "coef": reference["coef"], "se": reference["se"],
                "n": reference["n"], "df_t": reference["df_t"], "rss": reference["rss"], "vcov_matrix": reference["vcov"],
            })
        write(f"feols_{dataset}.json", {"reference": "R fixest 0.14.2", "dataset": dataset, "cases": cases})


def counts():
    rng = np.random.default_rng(20261122)
    firms, years, n = 80, 8, 2400
    firm = rng.integers(0, firms, n)
    year = 2000 + rng.integers(0, years, n)
    sector = firm % 7
    effect = rng.normal(0, 0.7, firms)
    x1 = np.round(rng.normal(0, 1, n) + 0.4 * effect[firm], 6)
    x2 = np.round(rng.uniform(0, 1, n), 6)
    w = np.round(rng.uniform(0.5, 2.0, n), 6)
    y = rng.poisson(np.exp(-0.4 + 0.3 * x1 - 0.5 * x2 + effect[firm] + 0.05 * (year - 2004)))
    # A firm without any count: its rows are separated.
    y[firm == 3] = 0
    return pd.DataFrame({"firm": firm, "year": year, "sector": sector, "x1": x1, "x2": x2, "w": w, "y": y})


def fepois():
    import pyfixest
    from pyfixest.demeaners import MapDemeaner

    data = counts()
    data.to_csv(HERE / "fepois.csv", index=False)
    designs = [
        ("y ~ x1 + x2", "iid", None),
        ("y ~ x1 + x2 | firm", "hetero", None),
        ("y ~ x1 + x2 | firm + year", "iid", None),
        ("y ~ x1 + x2 | firm + year", "cluster:firm", "w"),
        ("y ~ x1 + x2 | year + sector", "cluster:sector", None),
    ]
    cases = []
    for index, (formula, vcov, weights) in enumerate(designs):
        kind = {"CRV1": vcov[8:]} if vcov.startswith("cluster:") else vcov
        ssc = pyfixest.ssc(k_adj=True, k_fixef="nonnested", G_adj=True, G_df="min")
        fit = pyfixest.fepois(
            formula, data=data, vcov=kind, ssc=ssc, weights=weights, separation_check=["fe"], iwls_tol=1e-13, iwls_maxiter=60,
            demeaner=MapDemeaner(fixef_tol=1e-13, fixef_maxiter=100_000), fixef_rm="singleton",
        )
        cases.append({
            "id": f"fepois_{index}", "formula": formula, "vcov": vcov, "weights": weights, "n": int(fit._N),
            "names": list(fit._coefnames), "coef": fit.coef().tolist(), "se": fit.se().tolist(), "deviance": float(fit.deviance),
        })
    write("fepois.json", {"reference": f"pyfixest {pyfixest.__version__}", "dataset": "fepois", "cases": cases})


def sun_abraham():
    # Every fifth unit is enough, and a dense problem.
    data = pd.read_csv(HERE / "stag_a.csv").ffill()
    data = data[data["id"] % 5 == 0].reset_index(drop=True)
    cases = []
    for index, (weights, covariate) in enumerate([(None, None), ("w", "x3")]):
        cases.append(interaction_weighted(data, f"sun_abraham_{index}", weights, covariate))
    write("sun_abraham.json", {"reference": f"dense least squares, numpy {np.__version__}", "dataset": "stag_a", "cases": cases})


def interaction_weighted(data, name, weights, covariate):
    group = data["g"].where(data["g"] > 0, np.inf).to_numpy()
    time, unit = data["t"].to_numpy(), data["id"].to_numpy()
    last, first = time.max(), time.min()
    assert (group > last).any()
    keep = group > first
    frame, group, time, unit = data[keep].reset_index(drop=True), group[keep], time[keep], unit[keep]
    treated = group <= last
    relative = np.where(treated, time - group, np.nan)
    cells = sorted({(e, g) for e, g in zip(relative[treated], group[treated]) if e != -1})
    x = np.column_stack([((relative == e) & (group == g)).astype(float) for e, g in cells])
    if covariate is not None:
        x = np.column_stack([x, frame[covariate].to_numpy()])
    w = np.ones(len(frame)) if weights is None else frame[weights].to_numpy()
    y = frame["y"].to_numpy()
    # Least squares on all dummies, by QR, with one level of the second factor left out.
    units, periods = np.unique(unit), np.unique(time)
    dummies = np.column_stack(
        [(unit == u).astype(float) for u in units] + [(time == t).astype(float) for t in periods[1:]]
    )
    full = np.column_stack([x, dummies]) * np.sqrt(w)[:, None]
    q, r = np.linalg.qr(full)
    assert np.abs(np.diag(r)).min() > 1e-8, (np.argsort(np.abs(np.diag(r)))[:4], x.shape, full.shape)
    beta = np.linalg.solve(r, q.T @ (y * np.sqrt(w)))
    e = (y - np.column_stack([x, dummies]) @ beta) * np.sqrt(w)
    # The regressors without the dummies, for the clustered covariance.
    k = x.shape[1]
    qd, _ = np.linalg.qr(dummies * np.sqrt(w)[:, None])
    xs = x * np.sqrt(w)[:, None]
    xs = xs - qd @ (qd.T @ xs)
    bread = np.linalg.inv(xs.T @ xs)
    _, code = np.unique(unit, return_inverse=True)
    sums = np.zeros((len(units), k))
    np.add.at(sums, code, xs * e[:, None])
    n, g = len(y), len(units)
    parameters = k + len(periods) - 1 + 1
    v = bread @ (sums.T @ sums) @ bread * (n - 1) / (n - parameters) * g / (g - 1)
    b = beta[:k]
    share = np.array([w[(relative == e_) & (group == g_)].sum() for e_, g_ in cells])
    rows = []
    for at in sorted({e_ for e_, _ in cells}):
        weight = np.zeros(k)
        weight[: len(cells)] = np.where([e_ == at for e_, _ in cells], share, 0.0)
        weight /= weight.sum()
        rows.append([at, float(weight @ b), float(np.sqrt(weight @ v @ weight))])
    weight = np.zeros(k)
    weight[: len(cells)] = np.where([e_ >= 0 for e_, _ in cells], share, 0.0)
    weight /= weight.sum()
    return {
        "id": name, "weights": weights, "covariates": covariate, "n": n, "cells": len(cells), "rows": rows,
        "att": float(weight @ b), "se": float(np.sqrt(weight @ v @ weight)),
    }


if __name__ == "__main__":
    compact(Path(sys.argv[1]))
    fepois()
    sun_abraham()
