"""Values of B-splines and of their derivatives by scipy, for src/splines/tests.rs; writes bsplines.json beside this directory.

Python 3.11, scipy and numpy as `versions` in the file says.
"""

import json
import pathlib

import numpy as np
import scipy
from scipy.interpolate import BSpline

cases = []
for degree, points in [
    (0, [0.0, 1.0, 3.0]),
    (1, [0.1, 0.35, 0.5, 0.95]),
    (2, [-2.0, -1.5, 0.25, 4.0]),
    (3, [0.0, 1.0]),
    (3, [0.15, 0.4, 0.55, 0.7, 0.95]),
    (4, [1.0, 10.0, 100.0, 1000.0]),
    (5, list(np.linspace(0.0, 1.0, 9))),
    (7, [0.0, 0.3, 0.31, 2.0]),
]:
    knots = np.r_[[points[0]] * degree, points, [points[-1]] * degree]
    n = len(knots) - degree - 1
    low, high = points[0], points[-1]
    width = high - low
    xs = sorted(points + list(low + width * np.array([0.013, 0.21, 0.377, 0.5, 0.71, 0.9999])) + [low - 0.1 * width, high + 0.07 * width])
    for order in range(min(degree, 3) + 1):
        rows = []
        for x in xs:
            row = []
            for j in range(n):
                c = np.zeros(n)
                c[j] = 1.0
                spline = BSpline(knots, c, degree, extrapolate=True)
                row.append(float(spline(x, nu=order)))
            rows.append(row)
        cases.append({"degree": degree, "breakpoints": points, "order": order, "x": xs, "rows": rows})
out = {"versions": {"scipy": scipy.__version__, "numpy": np.__version__}, "cases": cases}
path = pathlib.Path(__file__).parent.parent / "bsplines.json"
path.write_text(json.dumps(out) + "\n")
