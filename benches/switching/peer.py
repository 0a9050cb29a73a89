"""The contestant ModernDiD: `did_multiplegt` of a parquet file, switchers in."""

import json
import resource
import sys
import time

import moderndid
import polars as pl


def fit(frame):
    return moderndid.did_multiplegt(
        frame, yname="y", tname="period", idname="id", dname="d", effects=4, placebo=2, switchers="in"
    )


frame = pl.read_parquet(sys.argv[1])
# Imports and thread pools.
fit(frame.filter(pl.col("id") <= 1_000))
start = time.perf_counter()
found = fit(frame)
seconds = time.perf_counter() - start
blocks = [found.effects, found.placebos]
numbers = [float(v) for b in blocks for pair in zip(b.estimates, b.std_errors) for v in pair]
peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"seconds": seconds, "peak": peak, "numbers": numbers}))
