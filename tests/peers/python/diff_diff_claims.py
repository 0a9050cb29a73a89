"""diff-diff's triple differences and group-time effects beside the golden cases."""

import diff_diff
import numpy as np

from claims import claim, report
from golden import Distance, cases, data

VERSION, CHECKED = "3.13.0", "2026-11-25"


def says(text, departure=None):
    return claim("diff-diff", VERSION, CHECKED, text, departure)


def effects(frame, columns, **options):
    model = diff_diff.CallawaySantAnna(**options)
    covariates = options.pop("covariates", None)
    names = dict(outcome=columns["outcome"], unit=columns["unit"], time=columns["time"], first_treat=columns["group"])
    return model.fit(frame, covariates=covariates, **names).group_time_effects


@says("`CallawaySantAnna` without covariates has the numbers of R did")
def _():
    distance = Distance()
    for name in ("mpdta", "stag_a"):
        file, frame = cases(name), data(name).to_pandas()
        case = next(c for c in file["cases"] if set(c) <= {"id", "method", "n", "grid", "att", "se", "wald", "vcov", "aggregates"})
        found = effects(frame, file["columns"], estimation_method="reg")
        grid = file["grids"][case["grid"]]
        for g, t, att, se in zip(grid["group"], grid["time"], case["att"], case["se"]):
            own = found.get((g, t))
            if own is not None:
                distance.add(f"{name} ({g}, {t})", own["effect"], own["se"], att, se)
    return distance.check(1e-9, 1e-9, 20)


@says("triple differences weigh cohorts by eligible units", "ddd-shares")
def _():
    frame = data("dddmp_a").to_pandas()
    model = diff_diff.StaggeredTripleDifference(estimation_method="reg")
    columns = dict(outcome="y", unit="id", time="time", first_treat="group", eligibility="partition")
    found = model.fit(frame, **columns)
    cells = {(int(g), int(t)): e["effect"] for (g, t), e in found.group_time_effects.items() if t >= g}
    units = frame.drop_duplicates("id")
    averages = []
    for counted in (units, units[units["partition"] == 1]):
        weights = np.array([(counted["group"] == g).sum() for g, _ in cells], float)
        averages.append(float(np.dot(weights, list(cells.values())) / weights.sum()))
    own = float(found.overall_att)
    assert abs(own - averages[1]) < 1e-8 < abs(own - averages[0]), (own, averages)
    return f"{own:.4f}; by all units {averages[0]:.4f}"


if __name__ == "__main__":
    report()
