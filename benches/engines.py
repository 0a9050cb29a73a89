#!/usr/bin/env python3
"""The wheel on Dask and Spark, beside one process and beside ModernDiD on Spark: `python benches/engines.py`, some cases
with `--cases 2 3`, without the peer with `--alone`.

Needs an interpreter with this crate's wheel, dask, distributed, pyspark (and Java), and for the comparison moderndid 0.4.1. Dask has two worker
processes of one thread, Spark `local[2]`, and at home a fit has two threads. All read the same parquet file; the cluster is started and a
small fit made before. Seconds are medians of `RUNS` fits in turn, of ModernDiD of two.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
import warnings
from pathlib import Path

import burn_did as did
import numpy as np
import polars as pl

RUNS = 5
COLUMNS = {"yname": "y", "tname": "period", "idname": "id"}


def panel(units, periods, covariates, seed=1):
    """Units by periods: cohorts from period 3 on, two fifths never treated, effects that grow with exposure."""
    random = np.random.default_rng(seed)
    cohorts = np.array([0] * max(1, round((periods - 2) * 2 / 3)) + list(range(3, periods + 1)))
    group = random.choice(cohorts, units)
    eligible = random.integers(0, 2, units)
    x = random.normal(size=(units, covariates))
    effect = random.normal(size=units) + 0.3 * x.sum(axis=1)
    columns = {"id": np.repeat(np.arange(1, units + 1), periods)}
    period = np.tile(np.arange(1, periods + 1), units)
    long = {"group": group, "eligible": eligible, "effect": effect}
    long = {name: np.repeat(values, periods) for name, values in long.items()}
    exposure = np.where((long["group"] > 0) & (period >= long["group"]), period - long["group"] + 1, 0)
    y = long["effect"] + period * (1 + 0.2 * long["eligible"]) + exposure * long["eligible"] + random.normal(size=units * periods)
    columns |= {"period": period, "group": long["group"], "eligible": long["eligible"], "y": y}
    columns |= {f"x{j + 1}": np.repeat(x[:, j], periods) for j in range(covariates)}
    return pl.DataFrame(columns)


def cases(units):
    """Name, data, and what is asked of them."""
    formula = "~ " + " + ".join(f"x{j + 1}" for j in range(5))
    never, not_yet = {"control_group": "nevertreated"}, {"control_group": "notyettreated"}
    fifth = units // 5
    yield f"att_gt, {units:,} × 5", panel(units, 5, 0), did.att_gt, {"gname": "group", "xformla": "~ 1", **never}
    yield f"att_gt, {fifth:,} × 10, k = 5", panel(fifth, 10, 5), did.att_gt, {"gname": "group", "xformla": formula, **not_yet}
    triple = {"gname": "group", "pname": "eligible", "xformla": "~ x1 + x2", **never}
    yield f"ddd, {fifth:,} × 8, k = 2", panel(fifth, 8, 2), did.ddd, triple


def seconds(fit, runs=RUNS):
    """Median seconds, and the last result."""
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        result = fit()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken), result


def numbers(result):
    """Estimates and standard errors."""
    if hasattr(result, "to_polars"):
        frame = result.to_polars()
        return frame["estimate"].to_numpy(), frame["se"].to_numpy()
    return np.asarray(result.att_gt, float), np.asarray(result.se_gt, float)


def agree(ours, theirs):
    """Whether all numbers are the same but for rounding."""
    return all(np.allclose(a, b, rtol=1e-7, atol=1e-9, equal_nan=True) for a, b in zip(numbers(ours), numbers(theirs)))


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=1_000_000, help="of the first case; the others have a fifth")
    parser.add_argument("--cases", type=int, nargs="+", default=[1, 2, 3], help="numbers of the cases")
    parser.add_argument("--alone", action="store_true", help="leave out ModernDiD")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="burn-did-engines-"))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    import dask.dataframe
    import distributed
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.memory", "6g")
    spark = session.config("spark.log.level", "ERROR").getOrCreate()
    try:
        import moderndid
    except ImportError:
        moderndid = None
    moderndid = None if asked.alone else moderndid
    print("| case | at home | Dask | ratio | Spark | ratio | ModernDiD on Spark | ratio |\n|---|---:|---:|---:|---:|---:|---:|---:|")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        for number, (name, frame, estimator, options) in enumerate(cases(asked.units), 1):
            if number not in asked.cases:
                continue
            path = folder / "data.parquet"
            frame.write_parquet(path, row_group_size=max(1, frame.height // 8))
            options = {**COLUMNS, **options}
            small = folder / "small.parquet"
            frame.filter(pl.col("id") <= 2_000).write_parquet(small)
            on_spark = spark.read.parquet(str(path))
            for few in [dask.dataframe.read_parquet(small), spark.read.parquet(str(small))]:
                estimator(few, **options)
            home, result = seconds(lambda: estimator(str(path), **options))
            dask_seconds, other = seconds(lambda: estimator(str(path), client=client, **options))
            assert agree(result, other)
            spark_seconds, other = seconds(lambda: estimator(on_spark, **options))
            assert agree(result, other)
            line = f"| {name} | {home:.3f} | {dask_seconds:.3f} | {dask_seconds / home:.2f} | {spark_seconds:.2f} | {spark_seconds / home:.2f} "
            if moderndid is None or estimator is not did.att_gt:
                print(line + "| | |", flush=True)
                continue
            theirs, other = seconds(lambda: moderndid.att_gt(on_spark, **options, boot=False), 2)
            verdict = f"{theirs / spark_seconds:.1f}" if agree(result, other) else "other numbers"
            print(line + f"| {theirs:.1f} | {verdict} |", flush=True)
    spark.stop()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
