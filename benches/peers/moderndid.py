"""The contestant ModernDiD: `att_gt`, from a polars frame, on the CPU or by CuPy."""

import json
import sys

# This file has the package's name: its folder must not come first.
sys.path.append(sys.path.pop(0))

import contestant
import moderndid
import polars as pl
from moderndid.core.numba_utils import HAS_NUMBA

BACKEND = json.loads(sys.argv[1]).get("device")


def fit(case, frame):
    # Fastest setting: all cores (`n_jobs`), and the extra `numba` for the draws.
    return moderndid.att_gt(
        frame,
        yname="y",
        tname="period",
        idname="id" if case["panel"] else None,
        gname="group",
        xformla="~ " + (" + ".join(contestant.covariates(case)) or "1"),
        est_method="dr",
        control_group=case["control_group"].replace("_", ""),
        base_period="varying",
        panel=case["panel"],
        boot=case["draws"] > 0,
        biters=max(case["draws"], 1),
        cband=case["draws"] > 0,
        random_state=case["seed"],
        n_jobs=-1,
        backend=BACKEND,
    )


def cells(result):
    return zip(result.groups, result.times, result.att_gt, result.se_gt)


def synchronize():
    if BACKEND == "cupy":
        import cupy

        cupy.cuda.Stream.null.synchronize()


if __name__ == "__main__":
    contestant.run(
        "moderndid",
        moderndid.__version__,
        pl.read_parquet,
        lambda case, frame: frame.filter(pl.col("id") <= case["small"]),
        fit,
        cells,
        f"backend {BACKEND or 'numpy'}, numba {'on' if HAS_NUMBA else 'OFF'}, all cores, Mammen draws",
        synchronize,
    )
