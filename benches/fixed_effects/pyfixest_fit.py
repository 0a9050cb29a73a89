"""One regression by pyfixest from a parquet file that the bench wrote: a line of JSON.

Arguments: the file, the formula, the demeaner, and `fepois` if it is no least squares. Data are read and a small regression is run before a clock starts; the peak of memory is
that of the regression, as Linux counts it, with the frame in it.
"""

import json
import sys
import time

import pandas as pd
import pyfixest
from pyfixest.demeaners import LsmrDemeaner, MapDemeaner

path, formula, name, *function = sys.argv[1:]
regression = pyfixest.fepois if function == ["fepois"] else pyfixest.feols
DEMEANERS = {
    # The default of feols, and the same at the tolerance of the others.
    "map 1e-6": lambda: MapDemeaner(),
    "map 1e-8": lambda: MapDemeaner(fixef_tol=1e-8, fixef_maxiter=100_000),
    "lsmr diagonal": lambda: LsmrDemeaner(fixef_maxiter=10_000, preconditioner="diagonal"),
    "within": lambda: LsmrDemeaner(fixef_maxiter=10_000),
    # With torch, on an NVIDIA card.
    "lsmr cuda": lambda: LsmrDemeaner(fixef_maxiter=10_000, backend="torch", device="cuda"),
}


def fit(data):
    # Its leanest settings: neither a copy of the data nor what predictions need is kept.
    settings = {"copy_data": False, "store_data": False, "lean": True}
    return regression(formula, data, vcov="iid", demeaner=DEMEANERS[name](), **settings)


def status(field):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":"))


data = pd.read_parquet(path)
fit(data.head(1_000).assign(firm=lambda few: few.index % 23))
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
loaded = status("VmRSS")
start, processor = time.perf_counter(), time.process_time()
try:
    fitted = fit(data)
except Exception as error:
    print(json.dumps({"error": str(error).splitlines()[0]}))
    sys.exit()
seconds, processor = time.perf_counter() - start, time.process_time() - processor
print(json.dumps({
    "seconds": seconds, "processor": processor, "loaded": loaded, "peak": status("VmHWM"),
    "coef": fitted.coef().tolist(), "se": fitted.se().tolist(),
}))
