"""Functions by sieves: estimates and standard errors of moderndid 0.2.0 given the dimension; writes npiv.json.

Python 3.11, moderndid 0.2.0, numpy 2.4.
"""

import json
import pathlib
import warnings

import numpy as np
from moderndid.didcont.npiv.estimators import npiv_est
from moderndid.didcont.npiv.lepski import npiv_j, npiv_jhat_max

warnings.filterwarnings("ignore")
i = np.arange(260)
x1 = 0.05 + 0.9 * (0.5 + 0.5 * np.sin(0.77 * i + 0.4))
x2 = 1.0 + np.abs(np.sin(1.3 * i))
w1 = x1 + 0.2 * np.sin(5.1 * i)
w2 = x2 + 0.3 * np.cos(2.9 * i)
y = np.sin(3 * x1) + 0.4 * x2**2 + 0.3 * np.sin(91.7 * i + 0.5)
data = dict(y=y, x1=x1, x2=x2, w1=w1, w2=w2)
cases = []
for x, w, basis, knots, xd, xs, wd, ws, index, order in (
    (["x1"], [], "tensor", "uniform", 3, 2, 3, 2, 1, 1),
    (["x1"], [], "tensor", "quantiles", 3, 4, 3, 4, 1, 2),
    (["x1"], ["w1"], "tensor", "uniform", 3, 2, 4, 5, 1, 1),
    (["x1"], ["w1"], "tensor", "quantiles", 2, 3, 3, 6, 1, 1),
    (["x1", "x2"], [], "tensor", "uniform", 2, 2, 2, 2, 2, 1),
    (["x1", "x2"], ["w1", "w2"], "tensor", "uniform", 2, 1, 3, 3, 1, 1),
    (["x1", "x2"], ["w1", "w2"], "additive", "quantiles", 3, 2, 3, 4, 2, 1),
):
    columns = lambda names: np.column_stack([data[n] for n in names])
    X, W = columns(x), columns(w or x)
    points = np.column_stack([np.linspace(c.min(), c.max(), 7) for c in X.T])
    r = npiv_est(y, X, W, x_eval=points, basis=basis, j_x_degree=xd, j_x_segments=xs, k_w_degree=wd, k_w_segments=ws,
                 knots=knots, deriv_index=index, deriv_order=order)
    cases.append(dict(x=x, w=w, basis=basis, knots=knots, x_degree=xd, x_segments=xs, w_degree=wd, w_segments=ws,
                      derivative_index=index - 1, derivative_order=order, points=points.tolist(), h=r.h.tolist(),
                      se=r.asy_se.tolist(), derivative=r.deriv.tolist(), derivative_se=r.deriv_asy_se.tolist()))
X = x1[:, None]
grid = np.linspace(x1.min(), x1.max(), 50)[:, None]
choices = []
for name, W, degree in (("", X, 3), ("w1", w1[:, None], 4)):
    most = npiv_jhat_max(X, W, 3, degree)
    chosen = npiv_j(y, X, W, x_grid=grid, j_x_degree=3, k_w_degree=degree, j_x_segments_set=most["j_x_segments_set"],
                    k_w_segments_set=most["k_w_segments_set"], boot_num=4999, alpha=most["alpha_hat"], seed=1)
    choices.append(dict(w=name, compared=most["j_x_segments_set"].tolist(), segments=int(chosen["j_x_seg"]),
                        theta=float(chosen["theta_star"])))
    print(name, most, chosen["j_x_seg"], chosen["theta_star"])
out = dict(reference="moderndid 0.2.0", data={k: v.tolist() for k, v in data.items()}, cases=cases, choices=choices)
path = pathlib.Path(__file__).parent.parent / "npiv.json"
path.write_text(json.dumps(out, separators=(",", ":")) + "\n")
