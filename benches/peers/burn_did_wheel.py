"""The contestant burn-did from Python: `att_gt`, `drdid` and `ddd`, from a polars frame, which is handed over anew for every fit."""

import burn_did
import contestant
import polars as pl


def fit(case, frame):
    names = {
        "yname": "y",
        "tname": "period",
        "idname": "id" if case["panel"] else None,
        "xformla": formula(case),
        "panel": case["panel"],
        "boot": case["draws"] > 0,
        "biters": max(case["draws"], 1),
        "random_state": case["seed"],
    }
    group_time = {"gname": "group", "control_group": case["control_group"].replace("_", "")}
    drawn = {"cband": case["draws"] > 0, "multiplier": "mammen" if case["draws"] else None}
    match case["estimator"]:
        case "att_gt":
            return burn_did.att_gt(frame, **names, **group_time, **drawn, base_period="varying", est_method="dr")
        case "ddd":
            return burn_did.ddd(
                frame, **names, **group_time, **drawn, pname="eligible", base_period="varying", est_method="dr"
            )
        case {"drdid": [method, resampling]}:
            methods = {"doubly_robust_improved": "imp", "doubly_robust": "trad"}
            return burn_did.drdid(
                frame, **names, treatname="treated", est_method=methods[method], boot_type=resampling
            )


def formula(case):
    return "~ " + (" + ".join(contestant.covariates(case)) or "1")


def cells(result):
    """Group, period, effect and standard error; the one effect of `drdid` is that of group 1 in period 2."""
    for row in result.to_polars().iter_rows(named=True):
        yield row.get("group", 1), row.get("time", 2), row["estimate"], row["se"]


if __name__ == "__main__":
    contestant.run(
        "burn-did (Python)",
        burn_did.__version__,
        pl.read_parquet,
        lambda case, frame: frame.filter(pl.col("id") <= case["small"]),
        fit,
        cells,
        "the wheel, Mammen draws",
    )
