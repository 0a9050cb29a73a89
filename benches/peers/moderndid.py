"""The contestant ModernDiD, from a polars frame, on the CPU or by CuPy."""

import json
import sys

# This file has the package's name: its folder must not come first.
sys.path.append(sys.path.pop(0))

import contestant
import moderndid
import polars as pl

BACKEND = json.loads(sys.argv[1]).get("device")
METHODS = {"doubly_robust_improved": "imp", "doubly_robust": "trad"}


def fit(case, frame):
    # Fastest setting: all cores (`n_jobs`; `drdid` has no such option).
    match case["estimator"]:
        case "att_gt":
            return att_gt(case, frame)
        case "ddd":
            return ddd(case, frame)
        case {"drdid": [method, resampling]}:
            return drdid(case, frame, METHODS[method], resampling)
        case {"cont_did": "multiplier"}:
            return cont_did(case, frame)
        case {"did_multiplegt": [effects, placebos]}:
            return did_multiplegt(frame, effects, placebos)
        case "etwfe":
            return etwfe(case, frame)


def att_gt(case, frame):
    return moderndid.att_gt(
        frame,
        yname="y",
        tname="period",
        idname="id" if case["panel"] else None,
        gname="group",
        xformla=formula(case),
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


def drdid(case, frame, method, resampling):
    # It takes no seed.
    with moderndid.use_backend(BACKEND or "numpy"):
        return moderndid.drdid(
            frame,
            yname="y",
            tname="period",
            idname="id" if case["panel"] else None,
            treatname="treated",
            xformla=formula(case),
            panel=case["panel"],
            est_method=method,
            boot=case["draws"] > 0,
            boot_type=resampling,
            biters=max(case["draws"], 1),
        )


def ddd(case, frame):
    return moderndid.ddd(
        frame,
        yname="y",
        tname="period",
        idname="id" if case["panel"] else None,
        gname="group",
        pname="eligible",
        xformla=formula(case),
        control_group=case["control_group"].replace("_", ""),
        base_period="varying",
        est_method="dr",
        panel=case["panel"],
        boot=case["draws"] > 0,
        biters=max(case["draws"], 1),
        random_state=case["seed"],
        n_jobs=-1,
        backend=BACKEND,
    )


def cont_did(case, frame):
    return moderndid.cont_did(
        frame,
        yname="y",
        tname="period",
        idname="id",
        gname="group",
        dname="dose",
        degree=3,
        num_knots=2,
        control_group=case["control_group"].replace("_", ""),
        biters=case["draws"],
        cband=True,
        random_state=case["seed"],
    )


def did_multiplegt(frame, effects, placebos):
    return moderndid.did_multiplegt(
        frame,
        yname="y",
        tname="period",
        idname="id",
        dname="d",
        effects=effects,
        placebo=placebos,
        switchers="in",
    )


def etwfe(case, frame):
    # Its own choice of algorithm for fixed effects: the others are not faster here.
    model = moderndid.etwfe(
        frame,
        yname="y",
        tname="period",
        gname="group",
        idname="id",
        xformla=formula(case) if case["covariates"] else None,
        cgroup=case["control_group"].removesuffix("_treated").replace("_", ""),
        backend=BACKEND,
    )
    return moderndid.emfx(model, type="event")


def formula(case):
    return "~ " + (" + ".join(contestant.covariates(case)) or "1")


def cells(result):
    """Group, period, effect and standard error; the one effect of `drdid` is that of group 1 in period 2."""
    if hasattr(result, "att_d"):
        curves = [(result.att_d, result.att_d_se), (result.acrt_d, result.acrt_d_se)]
        return contestant.counted(curves, 0)
    if hasattr(result, "placebos"):
        return contestant.counted([(rows.estimates, rows.std_errors) for rows in (result.effects, result.placebos)], 1)
    if hasattr(result, "att_by_event"):
        effects = zip(result.event_times, result.att_by_event, result.se_by_event)
        return [(0, at, effect, se) for at, effect, se in effects]
    if hasattr(result, "att_gt"):
        return zip(result.groups, result.times, result.att_gt, result.se_gt)
    if hasattr(result, "groups"):
        return zip(result.groups, result.times, result.att, result.se)
    return [(1, 2, result.att, result.se)]


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
        f"backend {BACKEND or 'numpy'}, all cores, Rademacher draws (Mammen for two periods)",
        synchronize,
    )
