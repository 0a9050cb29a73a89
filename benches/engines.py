#!/usr/bin/env python3
"""The wheel on Dask and Spark, beside one process and beside ModernDiD on Spark: `python benches/engines.py`, some cases
with `--cases 2 3`, without the peer with `--alone`, without Spark with `--without-spark`, beside Ballista with `--ballista PROGRAM`, which is the
command `burn-did` with the feature `ballista`.

Needs an interpreter with this crate's wheel, dask, distributed, pyspark (and Java), and for the comparison moderndid 0.4.1. Dask has two worker
processes of one thread, Spark `local[2]`, and at home a fit has two threads. All read the same parquet file; the cluster is started and a
small fit made before. Ballista has two executors of one thread; its seconds are those that a fit says of itself, in a process of its own.
Seconds are medians of `RUNS` fits in turn, of ModernDiD of two.
"""

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
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


class Ballista:
    """A cluster that the command starts, and fits that the command has it make."""

    def __init__(self, program):
        self.program = program
        command = [program, "cluster", "--executors", "2", "--threads", "1", "--port", "0"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def fit(self, estimator, path, options):
        """The seconds of a fit, its estimates and standard errors."""
        words = [self.program, estimator.__name__.replace("_", "-"), str(path), "--cluster", self.address, "-q", "--format", "json"]
        for name, value in options.items():
            words += [f"--{name.replace('_', '-')}", value]
        done = subprocess.run(words, check=True, capture_output=True, text=True, env=os.environ | {"RAYON_NUM_THREADS": "1"})
        said = json.loads(done.stdout)
        columns = [np.array([cell[name] for cell in said["cells"]], float) for name in ("estimate", "se")]
        return said["result"]["timings"]["total"], columns

    def median(self, estimator, path, options):
        """Median seconds, and the last numbers."""
        runs = [self.fit(estimator, path, options) for _ in range(RUNS)]
        return statistics.median(taken for taken, _ in runs), runs[-1][1]


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
    if isinstance(result, list):
        return result
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
    parser.add_argument("--without-spark", action="store_true", help="leave out Spark, and ModernDiD on it")
    parser.add_argument("--ballista", metavar="PROGRAM", help="the command with the feature `ballista`")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="burn-did-engines-"))
    import dask.dataframe
    import distributed

    spark = None if asked.without_spark else spark_session()
    try:
        import moderndid
    except ImportError:
        moderndid = None
    moderndid = None if asked.alone or spark is None else moderndid
    columns = ["case", "at home", "Ballista", "Dask", "to home", "to Ballista", "Spark", "to home", "ModernDiD on Spark", "to Spark"]
    print(f"| {' | '.join(columns)} |\n|---|{'---:|' * (len(columns) - 1)}")
    workers = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    executors = Ballista(asked.ballista) if asked.ballista else contextlib.nullcontext()
    with workers, executors as ballista, distributed.Client(workers) as client:
        for number, (name, frame, estimator, options) in enumerate(cases(asked.units), 1):
            if number not in asked.cases:
                continue
            path, small = folder / "data.parquet", folder / "small.parquet"
            frame.write_parquet(path, row_group_size=max(1, frame.height // 8))
            frame.filter(pl.col("id") <= 2_000).write_parquet(small)
            options = {**COLUMNS, **options}
            estimator(dask.dataframe.read_parquet(small), **options)
            home, result = seconds(lambda: estimator(str(path), **options))
            line = {"case": name, "home": f"{home:.3f}"} | dict.fromkeys(["ballista", "dask", "dask/home", "dask/ballista"], "")
            on_dask, other = seconds(lambda: estimator(str(path), client=client, **options))
            assert agree(result, other)
            line |= {"dask": f"{on_dask:.3f}", "dask/home": f"{on_dask / home:.2f}"}
            if ballista:
                ballista.fit(estimator, small, options)
                on_ballista, other = ballista.median(estimator, path, options)
                assert agree(result, other)
                line |= {"ballista": f"{on_ballista:.3f}", "dask/ballista": f"{on_dask / on_ballista:.2f}"}
            line |= dict.fromkeys(["spark", "spark/home", "peer", "peer/spark"], "")
            if spark:
                estimator(spark.read.parquet(str(small)), **options)
                frame_of_spark = spark.read.parquet(str(path))
                on_spark, other = seconds(lambda: estimator(frame_of_spark, **options))
                assert agree(result, other)
                line |= {"spark": f"{on_spark:.2f}", "spark/home": f"{on_spark / home:.2f}"}
            if moderndid and estimator is did.att_gt:
                theirs, other = seconds(lambda: moderndid.att_gt(frame_of_spark, **options, boot=False), 2)
                verdict = f"{theirs / on_spark:.1f}" if agree(result, other) else "other numbers"
                line |= {"peer": f"{theirs:.1f}", "peer/spark": verdict}
            print(f"| {' | '.join(line.values())} |", flush=True)
    if spark:
        spark.stop()
    shutil.rmtree(folder)


def spark_session():
    """Two threads of this machine."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.memory", "6g")
    return session.config("spark.log.level", "ERROR").getOrCreate()


if __name__ == "__main__":
    main()
