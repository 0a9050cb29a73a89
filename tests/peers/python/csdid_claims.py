"""csdid (a Python translation of R did) on the golden cases of R did."""

import contextlib
import io

from csdid.att_gt import ATTgt

from claims import claim, report
from golden import Distance, cases, data, formula

VERSION, CHECKED = "0.4.3", "2026-11-25"


def fit(columns, case, frame):
    rows = case.get("repeated_cross_sections", False)
    unit = columns.get("unit")
    with contextlib.redirect_stdout(io.StringIO()):
        model = ATTgt(
            yname=columns["outcome"],
            tname=columns["time"],
            idname=None if rows else unit,
            gname=columns["group"],
            data=frame,
            control_group=["notyettreated" if case.get("not_yet_treated") else "nevertreated"],
            xformla=f"{columns['outcome']} {formula(case)}",
            panel=not rows,
            allow_unbalanced_panel=case.get("unbalanced", False),
            clustervar=case.get("cluster"),
            weights_name=case.get("weights"),
            anticipation=case.get("anticipation", 0),
            fix_weights=case.get("fix_weights"),
        )
        base = "universal" if case.get("universal") else "varying"
        return model.fit(est_method=case["method"], base_period=base, bstrap=False).results


def cells(name, kept):
    file, distance = cases(name), Distance()
    frame = data(name).to_pandas()
    for case in file["cases"]:
        if "draws" in case or not kept(case):
            continue
        found = fit(file["columns"], case, frame)
        own = {(g, t): (a, s) for g, t, a, s in zip(found["group"], found["year"], found["att"], found["se"])}
        grid = file["grids"][case["grid"]]
        for g, t, att, se in zip(grid["group"], grid["time"], case["att"], case["se"]):
            if (g, t) in own:
                distance.add(f"{case['id']} ({g}, {t})", *own[g, t], att, se)
    return distance


@claim("csdid", VERSION, CHECKED, "standard errors with the exact sign are those of the golden cases", "rc-sign")
def _():
    distance = Distance()
    for name in ("collin_a", "mpdta", "rcs_a", "scale_a", "stag_a", "tvw_a", "unbal_a"):
        own = cells(name, lambda case: case.get("exact_sign"))
        distance.att, distance.se = max(distance.att, own.att), max(distance.se, own.se)
        distance.n += own.n
    return distance.check(1e-6, 1e-6, 300)


@claim("csdid", VERSION, CHECKED, "`fix_weights` has R's numbers")
def _():
    return cells("tvw_a", lambda case: "fix_weights" in case).check(1e-6, 1e-6, 50)


if __name__ == "__main__":
    report()
