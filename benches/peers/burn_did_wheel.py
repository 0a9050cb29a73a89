"""The contestant burn-did from Python, from a polars frame, which is handed over anew for every fit."""

import burn_did
import contestant
import polars as pl

#: Columns of fixed effects in the designs of regressions.
FACTORS = ["worker", "firm", "year"]


def fit(case, frame):
    match case["estimator"]:
        case "feols":
            return burn_did.feols(regression(frame), frame)
        case "fepois":
            return burn_did.fepois(regression(frame), frame)
        case {"did_multiplegt": [effects, placebos]}:
            return burn_did.did_multiplegt(
                frame,
                yname="y",
                tname="period",
                idname="id",
                dname="d",
                effects=effects,
                placebo=placebos,
                switchers="in",
            )
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
        case {"cont_did": resampling}:
            drawn = {**drawn, "multiplier": drawn["multiplier"] if resampling == "multiplier" else None}
            del names["panel"]
            return burn_did.cont_did(
                frame,
                **{**names, **group_time, **drawn},
                dname="dose",
                num_knots=2,
                boot_type=resampling,
            )
        case {"drdid": [method, resampling]}:
            methods = {"doubly_robust_improved": "imp", "doubly_robust": "trad"}
            return burn_did.drdid(
                frame, **names, treatname="treated", est_method=methods[method], boot_type=resampling
            )


def formula(case):
    return "~ " + (" + ".join(contestant.covariates(case)) or "1")


def regression(frame):
    """The regression of a design: of `y` on `x1`, `x2`, .., with its factors."""
    factors = [name for name in frame.columns if name in FACTORS]
    regressors = [name for name in frame.columns if name not in (*FACTORS, "y")]
    return f"y ~ {' + '.join(regressors)} | {' + '.join(factors)}"


def small(case, frame):
    """Units that warm up; of a regression the first rows, with so few firms that none has only one of them."""
    if "id" in frame.columns:
        return frame.filter(pl.col("id") <= case["small"])
    few = frame.head(case["small"])
    return few.with_columns(firm=pl.int_range(few.height) % 23)


def cells(result):
    """Group, period, effect and standard error; the one effect of `drdid` is that of group 1 in period 2.

    Tables of one estimator, and coefficients, are groups, in which rows are counted.
    """
    rows = result.to_polars()
    match type(result).__name__:
        case "ContDidResult":
            tables, first = ["effects", "slopes"], 0
        case "MultiplegtResult":
            tables, first = ["effects", "placebos"], 1
        case "RegressionResult":
            tables, first, rows = [""], 1, rows.with_columns(table=pl.lit(""))
        case _:
            for row in rows.iter_rows(named=True):
                yield row.get("group", 1), row.get("time", 2), row["estimate"], row["se"]
            return
    of_tables = [rows.filter(pl.col("table") == table) for table in tables]
    yield from contestant.counted([(of_table["estimate"], of_table["se"]) for of_table in of_tables], first)


if __name__ == "__main__":
    contestant.run(
        "burn-did (Python)",
        burn_did.__version__,
        pl.read_parquet,
        small,
        fit,
        cells,
        "the wheel",
    )
