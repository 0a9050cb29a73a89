"""What every Python contestant does around its fit: warm up, measure, report one line of JSON.

The one argument is the case as JSON, see `case.rs`. Times are wall seconds of the fit alone; memory is in bytes.
"""

import gc
import importlib.metadata
import json
import os
import platform
import sys
import time
import warnings


def memory(field):
    """`VmRSS`, or `VmHWM`: the largest `VmRSS` so far."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    return 0


def forget_peak():
    """Makes `VmHWM` count from now."""
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")


def covariates(case):
    """Names of the covariates."""
    return [f"x{j + 1}" for j in range(case["covariates"])]


def common_window(case):
    """Periods before and after the first treated one that every cohort has."""
    return min(case["cohorts"]) - 1, case["periods"] - max(case["cohorts"])


def longest_window(case):
    """Periods before and after the first treated one that some cohort has."""
    return max(case["cohorts"]) - 1, case["periods"] - min(case["cohorts"])


def counted(tables, first):
    """Cells of tables of estimates and standard errors, one after the other: tables are groups, in which rows are counted."""
    for group, (estimates, errors) in enumerate(tables):
        for number, (estimate, error) in enumerate(zip(estimates, errors), first):
            yield group, number, estimate, error


def run(name, version, load, small, fit, cells, settings, synchronize=lambda: None):
    """Times `fit(case, frame)` after a fit of `small(case, frame)` that compiles and imports what is done lazily."""
    warnings.simplefilter("ignore")
    case = json.loads(sys.argv[1])
    frame = load(case["path"])
    fit({**case, "draws": min(case["draws"], 100)}, small(case, frame))
    gc.collect()
    loaded, peak_before = memory("VmRSS"), memory("VmHWM")
    forget_peak()
    synchronize()
    start = time.perf_counter()
    for _ in range(case["repeats"]):
        result = fit(case, frame)
    synchronize()
    seconds = (time.perf_counter() - start) / case["repeats"]
    peak_fit = memory("VmHWM")
    report = {
        "contestant": name,
        "version": version,
        "settings": f"{settings}, {blas()}; {libraries()}",
        "seconds": seconds,
        "memory": {"loaded": loaded, "peak_fit": peak_fit, "peak": max(peak_before, peak_fit)},
        "cells": [
            {"group": float(g), "time": float(t), "att": number(att), "se": number(se)}
            for g, t, att, se in cells(result)
        ],
    }
    print(json.dumps(report))


def blas():
    """How many threads OpenBLAS may have."""
    return f"OpenBLAS threads: {os.environ.get('OPENBLAS_NUM_THREADS', 'its default')}"


def libraries():
    """The versions that matter for speed."""
    found = [f"Python {platform.python_version()}"]
    for name in ["numpy", "scipy", "pandas", "polars", "statsmodels", "pyfixest", "numba", "cupy-cuda12x"]:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            pass
    return ", ".join(found)


def number(value):
    """A float, or null for NaN, which JSON lacks."""
    value = float(value)
    return value if value == value else None
