"""Times pyfixest's demeaners on columns and codes that the bench wrote, a line of JSON each.

Arguments: the files' folder, rows, factors, columns, then names of demeaners. Codes are ready as pyfixest wants them before a clock
starts; one small call comes first, so that nothing is loaded or started within the time.
"""

import json
import sys
import time

import numpy as np
from pyfixest.core.demean import demean, demean_within

folder, rows, factors, columns = sys.argv[1], *(int(a) for a in sys.argv[2:5])
codes = np.fromfile(f"{folder}/codes", dtype=np.uint32).reshape(factors, rows).T
x = np.asfortranarray(np.fromfile(f"{folder}/columns", dtype=np.float64).reshape(columns, rows).T)
narrow, wide, ones = np.ascontiguousarray(codes), np.ascontiguousarray(codes, dtype=np.uint64), np.ones(rows)

RUN = {
    # The default of feols, and the same at the tolerance of the others.
    "map 1e-6": lambda x, n, w, o: demean(x, w, o, tol=1e-6, maxiter=100_000),
    "map 1e-8": lambda x, n, w, o: demean(x, w, o, tol=1e-8, maxiter=100_000),
    "lsmr diagonal": lambda x, n, w, o: demean_within(x, n, None, tol=1e-8, maxiter=10_000, preconditioner="diagonal"),
    "within": lambda x, n, w, o: demean_within(x, n, None, tol=1e-8, maxiter=10_000),
}


def normal(residual, column):
    """The norm of `A'r`, relative to that of the column less its mean."""
    total = 0.0
    for factor in narrow.T:
        weight = np.bincount(factor)
        total += (np.bincount(factor, residual)[weight > 0] ** 2 / weight[weight > 0]).sum()
    return float(np.sqrt(total) / np.linalg.norm(column - column.mean()))


for name in sys.argv[5:]:
    few = slice(0, min(rows, 1_000))
    RUN[name](x[few], narrow[few], wide[few], ones[few])
    start = time.perf_counter()
    residuals, converged, *_ = RUN[name](x, narrow, wide, ones)
    seconds = time.perf_counter() - start
    worst = max(normal(residuals[:, k], x[:, k]) for k in range(columns))
    print(json.dumps({"name": name, "seconds": seconds, "converged": bool(converged), "normal": worst}), flush=True)
