"""pyfixest beside the golden cases of R fixest."""

import inspect

import numpy as np
import pandas as pd
import pyfixest as pf

from claims import claim, report
from golden import cases, data

VERSION, CHECKED = "0.60.0", "2026-11-25"


def says(text, departure=None):
    return claim("pyfixest", VERSION, CHECKED, text, departure)


def vcov(text):
    return text if text in ("iid", "hetero") else {"CRV1": text.split(":")[1].replace(",", " + ")}


@says("`feols` has the numbers of R fixest 0.14.2 where its small-sample factors are set as there")
def _():
    worst, worst_se, n = 0.0, 0.0, 0
    for name in ("fe_easy_a", "fe_hard_a", "fe3_a"):
        frame = data(name).to_pandas()
        for case in cases(f"feols_{name}")["cases"]:
            if "," in case["vcov"]:
                continue
            found = pf.feols(
                case["formula"],
                frame,
                vcov=vcov(case["vcov"]),
                weights=case["weights"],
                fixef_rm="none" if case["keep_singletons"] else "singleton",
                fixef_tol=1e-12,
                fixef_maxiter=100_000,
            )
            own, se = found.coef(), found.se()
            for key, b, s in zip(case["names"], case["coef"], case["se"]):
                key = "Intercept" if "Intercept" in key else key
                worst, worst_se = max(worst, abs(own[key] / b - 1)), max(worst_se, abs(se[key] / s - 1))
                n += 1
    assert worst < 1e-7 and worst_se < 1e-6, f"{worst:.0e}, {worst_se:.0e}"
    return f"{n} coefficients, {worst:.0e}, standard errors {worst_se:.0e}"


@says("`fepois` has the numbers of the golden file, which it made")
def _():
    frame, worst = data("fepois").to_pandas(), 0.0
    for case in cases("fepois")["cases"]:
        if case["weights"]:
            continue
        found = pf.fepois(case["formula"], frame, vcov=vcov(case["vcov"]), iwls_tol=1e-12, fixef_tol=1e-12)
        for key, b in zip(case["names"], case["coef"]):
            key = "Intercept" if "Intercept" in key else key
            worst = max(worst, abs(found.coef()[key] / b - 1))
    assert worst < 1e-6, worst
    return f"{worst:.0e}"


@says("a regressor that is zero without its fixed effects is left out, as here")
def _():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"f": np.repeat(np.arange(20), 5), "y": rng.normal(size=100), "x": rng.normal(size=100)})
    frame["z"] = 1.0 * frame["f"]
    assert list(pf.feols("y ~ x + z | f", frame).coef().index) == ["x"]


@says("its threshold of collinearity is 1e-9 by default", "fe-collinear")
def _():
    assert inspect.signature(pf.feols).parameters["collin_tol"].default == 1e-9


@says("three clusters or more, Newey-West and Driscoll-Kraay are its own, not here")
def _():
    text = inspect.getdoc(pf.feols)
    assert "NW" in text and "DK" in text


if __name__ == "__main__":
    report()
