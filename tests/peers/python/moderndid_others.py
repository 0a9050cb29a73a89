"""ModernDiD's `drdid` family, `ddd` and `did_multiplegt` on the golden cases of R DRDID, triplediff and DIDmultiplegtDYN."""

import moderndid
import polars as pl

from claims import claim, report
from golden import GOLDEN, Distance, cases, data, formula

VERSION, CHECKED = "0.4.1", "2026-11-25"

# R's function, and ModernDiD's front end with its option.
ESTIMATORS = {
    "drdid_panel": ("drdid", "trad"),
    "drdid_imp_panel": ("drdid", "imp"),
    "reg_did_panel": ("ordid", None),
    "ipw_did_panel": ("ipwdid", "ipw"),
    "std_ipw_did_panel": ("ipwdid", "std_ipw"),
    "drdid_rc": ("drdid", "trad"),
    "drdid_imp_rc": ("drdid", "imp"),
    "reg_did_rc": ("ordid", None),
    "ipw_did_rc": ("ipwdid", "ipw"),
    "std_ipw_did_rc": ("ipwdid", "std_ipw"),
}


def two_periods(name, kept):
    """Distances from R DRDID 1.2.3 with the exact sign."""
    file, frame, distance = cases(f"drdid_{name}"), data(name), Distance()
    columns = file["columns"]
    for case in file["cases"]:
        if case["estimator"] not in ESTIMATORS or "resampling" in case or "trim" in case or not kept(case):
            continue
        function, method = ESTIMATORS[case["estimator"]]
        panel = case["estimator"].endswith("panel")
        result = getattr(moderndid, function)(
            frame,
            yname=columns["outcome"],
            tname=columns["time"],
            idname=columns.get("unit") if panel else None,
            treatname=columns["treatment"],
            xformla=formula(case),
            weightsname=case.get("weights"),
            panel=panel,
            **({"est_method": method} if method else {}),
        )
        distance.add(case["id"], result.att, result.se, case["att"], case["se"])
    return distance


def stays(case):
    """Without a covariate that changes over time, of which ModernDiD takes other values."""
    return "x3" not in case.get("covariates", [])


@claim("moderndid", VERSION, CHECKED, "`drdid`, `ordid`, `ipwdid` have the numbers of R DRDID with the exact sign, panels")
def _():
    return two_periods("two_a", stays).check(1e-5, 1e-5, 20)


@claim("moderndid", VERSION, CHECKED, "the same for repeated cross sections; `imp` and `trad` mean what they mean in R")
def _():
    return two_periods("two_a_rc", stays).check(1e-5, 1e-5, 20)


@claim("moderndid", VERSION, CHECKED, "the same for Lalonde's data (`nsw_sub`)")
def _():
    return two_periods("nsw_sub", stays).check(1e-5, 1e-5, 3)


def triple(name):
    """Cells and, by type, aggregates with the reference's numbers."""
    file, frame = cases(f"ddd_{name}"), data(name)
    columns, cells, shares = file["columns"], Distance(), Distance()
    for case in file["cases"]:
        rows = case.get("repeated_cross_sections", False)
        result = moderndid.ddd(
            frame,
            yname=columns["outcome"],
            tname=columns["time"],
            idname=None if rows else columns.get("unit"),
            gname=columns["group"],
            pname=columns["partition"],
            xformla=formula(case),
            control_group="notyettreated" if case.get("not_yet_treated") else "nevertreated",
            base_period="universal" if case.get("universal") else "varying",
            est_method=case["method"],
            weightsname=case.get("weights"),
            cluster=case.get("cluster"),
            panel=not rows,
            boot=False,
        )
        if not isinstance(case["att"], list):
            cells.add(case["id"], result.att, result.se, case["att"], None if case.get("att_only") else case["se"])
            continue
        grid = file["grids"][case["grid"]]
        found = {(float(g), float(t)): (a, s) for g, t, a, s in zip(result.groups, result.times, result.att, result.se)}
        for g, t, att, se in zip(grid["group"], grid["time"], case["att"], case["se"]):
            cells.add(f"{case['id']} ({g}, {t})", *found[g, t], att, se)
        for wanted in case["aggregates"]:
            if wanted["type"] == "simple":
                own = moderndid.agg_ddd(result, type="simple", boot=False, cband=False)
                shares.add(case["id"], own.overall_att, own.overall_se, wanted["att"], None)
    return cells, shares


for dataset, limit in [("ddd2p_a", 1e-5), ("ddd2p_rc_a", 1e-5), ("dddmp_a", 1e-5), ("dddmp_rc_a", 1e-5), ("dddlong_a", 1e-5)]:

    def _(dataset=dataset, limit=limit):
        return triple(dataset)[0].check(limit, limit, 6)

    claim("moderndid", VERSION, CHECKED, f"`ddd` has the cells of R triplediff 0.2.4 with the exact sign, {dataset}")(_)


@claim("moderndid", VERSION, CHECKED, "`agg_ddd` weighs cohorts by their eligible units, R triplediff by all", "ddd-shares")
def _():
    file, frame = cases("ddd_dddmp_a"), data("dddmp_a")
    case = file["cases"][0]
    fit = moderndid.ddd(
        frame, yname="y", tname="time", idname="id", gname="group", pname="partition", est_method="reg", boot=False
    )
    own = moderndid.agg_ddd(fit, type="simple", boot=False, cband=False)
    units = frame.unique("id")
    att = {(g, t): a for g, t, a in zip(fit.groups, fit.times, fit.att)}
    averages = []
    for counted in (units, units.filter(pl.col("partition") == 1)):
        share = {g: counted.filter(pl.col("group") == g).height for g in (2, 3)}
        total = 2 * share[2] + share[3]
        averages.append((share[2] * (att[2, 2] + att[2, 3]) + share[3] * att[3, 3]) / total)
    simple = next(a for a in case["aggregates"] if a["type"] == "simple")
    assert abs(averages[0] - simple["att"]) < 1e-6, f"all units: {averages[0]}, R {simple['att']}"
    assert abs(averages[1] - own.overall_att) < 1e-6, f"eligible units: {averages[1]}, ModernDiD {own.overall_att}"
    return f"R {simple['att']:.4f}, ModernDiD {own.overall_att:.4f}"


@claim("moderndid", VERSION, CHECKED, "clusters of `ddd` in two periods are bootstrapped, whatever `boot` says", "ddd-clusters")
def _():
    options = dict(yname="y", tname="time", idname="id", gname="state", pname="partition", est_method="reg", boot=False)
    errors = [moderndid.ddd(data("ddd2p_a"), cluster="cluster", **options).se for _ in range(2)]
    assert errors[0] != errors[1], errors


def switching(kept):
    """Distances from R DIDmultiplegtDYN 2.2.0."""
    distance = Distance()
    for case in cases("multiplegt")["cases"]:
        if not kept(case):
            continue
        options = dict(case["options"])
        options["predict_het"] = tuple(options["predict_het"]) if "predict_het" in options else None
        frame = pl.read_csv(GOLDEN / f"multiplegt_{case['data']}", infer_schema_length=None)
        found = moderndid.did_multiplegt(frame, **options)
        for name, block in (("effects", found.effects), ("placebos", found.placebos)):
            for j, (att, se, _, _) in enumerate(case[name]):
                distance.add(f"{case['id']} {name} {j}", block.estimates[j], block.std_errors[j], att, se)
        if case.get("average"):
            distance.add(f"{case['id']} average", found.ate.estimate, found.ate.std_error, *case["average"])
    return distance


@claim("moderndid", VERSION, CHECKED, "`did_multiplegt` has the numbers of R DIDmultiplegtDYN 2.2.0 without controls")
def _():
    return switching(lambda case: not {"xformla", "predict_het"} & set(case["options"])).check(1e-9, 1e-9, 90)


@claim("moderndid", VERSION, CHECKED, "with controls its estimates are R's and its standard errors are not", "switching-controls")
def _():
    distance = switching(lambda case: "xformla" in case["options"])
    assert distance.att < 1e-9 and 1e-4 < distance.se < 1e-2, f"{distance.att:.0e}, {distance.se:.1e}"
    return f"estimates {distance.att:.0e}, standard errors {distance.se:.1e}"


if __name__ == "__main__":
    report()
