"""Seconds and memory of moderndid.cont_did on the data of benches/doses/main.rs."""

import resource
import statistics
import sys
import time
import warnings

# The file has the package's name: its folder must not come first.
sys.path.append(sys.path.pop(0))

import moderndid
import polars as pl

warnings.filterwarnings("ignore")
frame = pl.read_parquet(sys.argv[1])


def once(draws):
    start = time.perf_counter()
    moderndid.cont_did(frame, yname="y", tname="period", idname="id", gname="group", dname="dose", degree=3, num_knots=2,
                       biters=draws, cband=True, random_state=1)
    return time.perf_counter() - start


once(10)
few = statistics.median(once(10) for _ in range(3))
many = statistics.median(once(1000) for _ in range(3))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(f"{moderndid.__version__}: 10 draws {few:.3f} s, 1,000 draws {many:.3f} s, peak memory {peak} MiB")
