"""ModernDiD's `att_gt` on Dask: two workers of one thread on this machine, from parquet files.

Arguments: the path, the number of covariates, the number of draws. Prints a line of JSON: wall seconds of the fit with the cluster started and a
small fit made before, the most memory of all processes together, and the cells.
"""

import json
import sys
import time
import warnings

import dask.dataframe as dd
import distributed
import moderndid


def peak():
    """Most memory of a process, in bytes."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def fit(frame, covariates, draws):
    return moderndid.att_gt(
        frame,
        yname="y",
        tname="period",
        idname="id",
        gname="group",
        xformla="~ " + (" + ".join(f"x{j + 1}" for j in range(covariates)) or "1"),
        est_method="dr",
        control_group="notyettreated",
        boot=draws > 0,
        biters=max(draws, 1),
        random_state=1,
    )


def number(value):
    return None if value is None or value != value else float(value)


def main():
    warnings.simplefilter("ignore")
    path, covariates, draws = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        small = dd.read_parquet(path, filters=[("id", "<=", 2_000)])
        fit(small, covariates, min(draws, 10))
        frame = dd.read_parquet(path)
        start = time.perf_counter()
        result = fit(frame, covariates, draws)
        seconds = time.perf_counter() - start
        memory = peak() + sum(client.run(peak).values())
    cells = zip(result.groups, result.times, result.att_gt, result.se_gt)
    cells = [[float(g), float(t), number(att), number(se)] for g, t, att, se in cells]
    print(json.dumps({"seconds": seconds, "memory": memory, "cells": cells}))


if __name__ == "__main__":
    main()
