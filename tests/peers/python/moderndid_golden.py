"""ModernDiD on the golden cases of R did, DRDID, triplediff and DIDmultiplegtDYN."""

import moderndid

from claims import claim, report
from golden import Distance, cases, data, formula

VERSION, CHECKED = "0.4.1", "2026-11-25"
DATASETS = "antic_a collin_a mpdta nonever_a rcs_a scale_a small_a stag_a tvw_a unbal_a".split()


def fit(columns, case, frame):
    """`att_gt` with the options of a case."""
    rows = case.get("repeated_cross_sections", False)
    return moderndid.att_gt(
        frame,
        yname=columns["outcome"],
        tname=columns["time"],
        idname=None if rows else columns.get("unit"),
        gname=columns["group"],
        xformla=formula(case),
        weightsname=case.get("weights"),
        clustervars=[case["cluster"]] if "cluster" in case else None,
        est_method=case["method"],
        panel=not rows,
        allow_unbalanced_panel=case.get("unbalanced", False),
        control_group="notyettreated" if case.get("not_yet_treated") else "nevertreated",
        anticipation=case.get("anticipation", 0),
        base_period="universal" if case.get("universal") else "varying",
        boot=False,
        cband=False,
    )


def asked(file):
    """The cases that ModernDiD has the options for."""
    return [c for c in file["cases"] if "fix_weights" not in c and "draws" not in c]


def by_cell(result, names=("groups", "times", "att_gt", "se_gt")):
    columns = [list(getattr(result, name)) for name in names]
    return {(float(g), float(t)): (att, se) for g, t, att, se in zip(*columns)}


def cells(name, keep=lambda case: True):
    """Distances of the cells of a data set from R's (with the exact sign, where DRDID 1.2.3 has the wrong one)."""
    file, frame, distance, lacking = cases(name), data(name), Distance(), 0
    for case in filter(keep, asked(file)):
        found = by_cell(fit(file["columns"], case, frame))
        grid = file["grids"][case["grid"]]
        for g, t, att, se in zip(grid["group"], grid["time"], case["att"], case["se"]):
            if (g, t) not in found:
                lacking += att is not None
                continue
            distance.add(f"{case['id']} ({g}, {t})", *found[g, t], att, se)
    return distance, lacking


def aggregates(name):
    """Distances of overall effects and rows of the four aggregations."""
    file, frame, distance = cases(name), data(name), Distance()
    for case in asked(file):
        if any(v is None for v in case["att"]):
            continue
        result = fit(file["columns"], case, frame)
        for wanted in case["aggregates"]:
            if "error" in wanted or wanted.get("na_rm"):
                continue
            windows = {key: wanted[key] for key in ("min_e", "max_e", "balance_e") if key in wanted}
            found = moderndid.aggte(result, type=wanted["type"], boot=False, cband=False, **windows)
            id = f"{case['id']} {wanted['type']} {windows}"
            distance.add(id, found.overall_att, found.overall_se, wanted["att"], wanted["se"])
            if wanted.get("rows") and found.event_times is not None:
                rows = {float(e): (a, s) for e, a, s in zip(found.event_times, found.att_by_event, found.se_by_event)}
                for at, att, se in wanted["rows"]:
                    if at in rows:
                        distance.add(f"{id} at {at}", *rows[at], att, se)
    return distance


LIMITS = {"small_a": (1e-3, 1e-3), "scale_a": (1e-4, 1e-4), "collin_a": (1e-5, 1e-5)}


def declare(name):
    att, se = LIMITS.get(name, (2e-6, 2e-6))

    @claim("moderndid", VERSION, CHECKED, f"`att_gt` has the numbers of R did 2.5.1 with the exact sign, {name}")
    def _():
        distance, lacking = cells(name)
        return f"{distance.check(att, se, 40)}, {lacking} cells lacking"

    @claim("moderndid", VERSION, CHECKED, f"`aggte` has the numbers of R did 2.5.1, {name}")
    def _():
        return aggregates(name).check(att, se, 20)


for dataset in DATASETS:
    declare(dataset)

if __name__ == "__main__":
    report()
