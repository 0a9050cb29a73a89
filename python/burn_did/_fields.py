"""Fields of results by the names of ModernDiD.

Arrays are lists, in the order of ``tidy``, with None for what has no number.
"""

from __future__ import annotations

from typing import Any

from ._result import Result, band

Numbers = list[float | None]

#: Words of settings by those that are their values in saved results.
_CONTROL_GROUPS = {"never_treated": "nevertreated", "not_yet_treated": "notyettreated"}
_METHODS = {"doubly_robust": "dr", "outcome_regression": "reg"}


def settings(of: dict[str, Any]) -> dict[str, Any]:
    """Settings of a fit on a sample of units by the names of ModernDiD's ``estimation_params``, those that results have."""
    inference = of["inference"]
    bootstrap = inference["bootstrap"]
    known = {
        "yname": of["outcome"],
        "control_group": _CONTROL_GROUPS.get(str(of.get("control_group"))),
        "anticipation_periods": of.get("anticipation", 0),
        "estimation_method": _METHODS.get(str(of.get("method")), of.get("method")),
        "base_period": of.get("base_period"),
        "panel": of["layout"] != "repeated_cross_sections",
        "alpha": inference["alpha"],
        "bootstrap": bootstrap is not None,
        "uniform_bands": inference["band"] == "uniform",
        "clustervars": None if of["cluster"] is None else [of["cluster"]],
        "n_units": of["n_units"],
        "n_obs": of["n_rows"],
    }
    if bootstrap is not None:
        known |= {"biters": bootstrap["draws"], "random_state": bootstrap["seed"]}
    return known


class _Covariances(Result):
    """The covariances of estimates of units, as ModernDiD scales them."""

    @property
    def vcov_analytical(self) -> list[Numbers] | None:
        """Covariances times the number of units: ``vcov()`` has those of the estimates. None if the result has none."""
        covariance = self.vcov()
        if covariance is None:
            return None
        units = self._result["settings"]["n_units"]
        return [[None if value is None else units * value for value in row] for row in covariance.matrix]


class GroupTimeFields(_Covariances):
    """Fields of effects by group and period."""

    #: ``aggte`` and ``agg_ddd`` average the effects.
    aggregate_effects: None = None

    @property
    def groups(self) -> list[Any]:
        """Group of each effect."""
        return self.tidy()["group"]

    @property
    def times(self) -> list[Any]:
        """Period of each effect."""
        return self.tidy()["time"]

    @property
    def att_gt(self) -> Numbers:
        """The effects, in order of groups and then periods."""
        return self.tidy()["estimate"]

    @property
    def se_gt(self) -> Numbers:
        """Their standard errors."""
        return self.tidy()["se"]

    @property
    def att(self) -> Any:
        """The effects, as ``ddd`` of ModernDiD has them: one number if the data have two periods, else as ``att_gt``."""
        return self._of_ddd("estimate")

    @property
    def se(self) -> Any:
        """Their standard errors."""
        return self._of_ddd("se")

    @property
    def lci(self) -> Any:
        """Lower ends of their uniform band if the fit has one, else of their pointwise intervals."""
        return self._of_ddd("ci_lower")

    @property
    def uci(self) -> Any:
        """Upper ends of their uniform band if the fit has one, else of their pointwise intervals."""
        return self._of_ddd("ci_upper")

    def _of_ddd(self, column: str) -> Any:
        rows = self.tidy().to_dict()
        rows |= band(rows)
        kept = [i for i, status in enumerate(rows["status"]) if status != "reference"]
        if len(self._result["audit"]["periods"]) == 2 and len(kept) == 1:
            return rows[column][kept[0]]
        return rows[column]

    @property
    def glist(self) -> list[Any]:
        """The groups, each once."""
        return sorted(dict.fromkeys(self.tidy()["group"]))

    @property
    def tlist(self) -> list[Any]:
        """The periods of the sample."""
        return list(self._result["audit"]["periods"])

    @property
    def influence_func(self) -> list[Numbers] | None:
        """Influence values of shape (units, effects); None unless the fit kept them (``influence=True``). ``influence()`` names the units."""
        return _influence_of(self)

    inf_func_mat = influence_func

    @property
    def alpha(self) -> float:
        """Level of the intervals: their probability of error."""
        return self._fact("alpha")  # type: ignore[no-any-return]

    @property
    def critical_value(self) -> float | None:
        """Standard errors from an estimate to the ends of its interval."""
        return self._fact("critical_value")  # type: ignore[no-any-return]

    @property
    def n_units(self) -> int:
        """Number of units; of rows, if they are repeated cross sections."""
        return self._fact("n_units")  # type: ignore[no-any-return]

    n = n_units

    @property
    def wald_stat(self) -> float | None:
        """Statistic of the test that all effects before treatment are zero; None without such effects."""
        return self._fact("wald_stat")  # type: ignore[no-any-return]

    @property
    def wald_pvalue(self) -> float | None:
        """Its p-value."""
        return self._fact("wald_p_value")  # type: ignore[no-any-return]

    @property
    def estimation_params(self) -> dict[str, Any]:
        """Settings of the fit by ModernDiD's names."""
        return settings(self._result["settings"])


class AggregatedFields(_Covariances):
    """Fields of averages of group-time effects."""

    @property
    def overall_att(self) -> float | None:
        """The overall average."""
        return self._of("overall", "estimate")[0]  # type: ignore[no-any-return]

    @property
    def overall_se(self) -> float | None:
        """Its standard error."""
        return self._of("overall", "se")[0]  # type: ignore[no-any-return]

    @property
    def aggregation_type(self) -> str:
        """What they are averages by: ``"simple"``, ``"dynamic"`` (of ``ddd``: ``"eventstudy"``), ``"group"`` or ``"calendar"``."""
        kind = str(self._fact("type"))
        return "eventstudy" if kind == "dynamic" and self._fact("estimator") == "ddd" else kind

    @property
    def event_times(self) -> list[Any]:
        """Event time, group or period of each row."""
        columns = self.tidy().columns
        key = next((name for name in ("event_time", "group", "time") if name in columns), None)
        return [] if key is None else self._of("rows", key)

    egt = event_times

    @property
    def att_by_event(self) -> Numbers:
        """The averages by event time, group or period."""
        return self._of("rows", "estimate")

    att_egt = att_by_event

    @property
    def se_by_event(self) -> Numbers:
        """Their standard errors."""
        return self._of("rows", "se")

    se_egt = se_by_event

    @property
    def crit_val(self) -> float | None:
        """Standard errors from an average to the ends of its interval; those of the overall average are pointwise."""
        return self._fact("critical_value")  # type: ignore[no-any-return]

    critical_value = crit_val

    @property
    def critical_values(self) -> Numbers:
        """``crit_val`` of each row."""
        return [self.crit_val] * len(self.att_by_event)

    @property
    def min_event_time(self) -> float | None:
        """The smallest event time that was asked for."""
        return self._fact("min_e")  # type: ignore[no-any-return]

    @property
    def max_event_time(self) -> float | None:
        """The largest event time that was asked for."""
        return self._fact("max_e")  # type: ignore[no-any-return]

    @property
    def balanced_event_threshold(self) -> int | None:
        """``balance_e``, if it was given."""
        return self._fact("balance_e")  # type: ignore[no-any-return]

    balance_event = balanced_event_threshold

    @property
    def estimation_params(self) -> dict[str, Any]:
        """Settings of the fit by ModernDiD's names, with the level of the averages."""
        result = self._result
        return {**settings(result["settings"]), "alpha": result["alpha"], "uniform_bands": result["band"] == "uniform"}


class DrdidFields(Result):
    """Fields of the effect in two periods."""

    @property
    def att(self) -> float | None:
        """The effect."""
        return self.tidy()["estimate"][0]  # type: ignore[no-any-return]

    @property
    def se(self) -> float | None:
        """Its standard error."""
        return self.tidy()["se"][0]  # type: ignore[no-any-return]

    @property
    def lci(self) -> float | None:
        """Lower end of its interval."""
        return self.tidy()["ci_lower"][0]  # type: ignore[no-any-return]

    @property
    def uci(self) -> float | None:
        """Upper end of its interval."""
        return self.tidy()["ci_upper"][0]  # type: ignore[no-any-return]

    @property
    def att_inf_func(self) -> Numbers | None:
        """Influence values of the units; None unless the fit kept them (``inf_func=True``)."""
        rows = _influence_of(self)
        return None if rows is None else [row[0] for row in rows]


class DoseFields(Result):
    """Fields of the effects of doses."""

    @property
    def dose(self) -> list[float]:
        """The doses."""
        return self._of("effects", "dose")

    @property
    def att_d(self) -> Numbers:
        """Effects on the treated by dose."""
        return self._of("effects", "estimate")

    @property
    def att_d_se(self) -> Numbers:
        """Their standard errors."""
        return self._of("effects", "se")

    @property
    def att_d_crit_val(self) -> float | None:
        """Standard errors from an effect to the ends of its interval."""
        return self._fact("critical_value_att")  # type: ignore[no-any-return]

    @property
    def acrt_d(self) -> Numbers:
        """Slopes of the effects in the dose."""
        return self._of("slopes", "estimate")

    @property
    def acrt_d_se(self) -> Numbers:
        """Their standard errors."""
        return self._of("slopes", "se")

    @property
    def acrt_d_crit_val(self) -> float | None:
        """Standard errors from a slope to the ends of its interval."""
        return self._fact("critical_value_acrt")  # type: ignore[no-any-return]

    @property
    def overall_att(self) -> float | None:
        """The average effect over the doses of the treated."""
        return self._fact("overall_att")  # type: ignore[no-any-return]

    @property
    def overall_att_se(self) -> float | None:
        """Its standard error."""
        return self._fact("overall_att_se")  # type: ignore[no-any-return]

    @property
    def overall_acrt(self) -> float | None:
        """The average slope over the doses of the treated."""
        return self._fact("overall_acrt")  # type: ignore[no-any-return]

    @property
    def overall_acrt_se(self) -> float | None:
        """Its standard error."""
        return self._fact("overall_acrt_se")  # type: ignore[no-any-return]


class NpivFields(Result):
    """Fields of a function that sieves estimate, at the points of ``x_eval``."""

    #: Whether ``h_lower`` and ``h_upper``, and the same of the derivative, were asked for.
    _bands: tuple[bool, bool] = (True, True)

    @property
    def h(self) -> Numbers:
        """The function."""
        return self._of("function", "estimate")

    @property
    def h_lower(self) -> Numbers | None:
        """Lower ends of its uniform band; None with ``ucb_h=False``."""
        return self._of("function", "band_lower") if self._bands[0] else None

    @property
    def h_upper(self) -> Numbers | None:
        """Upper ends of its uniform band; None with ``ucb_h=False``."""
        return self._of("function", "band_upper") if self._bands[0] else None

    @property
    def deriv(self) -> Numbers:
        """The derivative."""
        return self._of("derivative", "estimate")

    @property
    def h_lower_deriv(self) -> Numbers | None:
        """Lower ends of its uniform band; None with ``ucb_deriv=False``."""
        return self._of("derivative", "band_lower") if self._bands[1] else None

    @property
    def h_upper_deriv(self) -> Numbers | None:
        """Upper ends of its uniform band; None with ``ucb_deriv=False``."""
        return self._of("derivative", "band_upper") if self._bands[1] else None

    @property
    def beta(self) -> list[float]:
        """Coefficients of the splines."""
        return self._result["coefficients"]  # type: ignore[no-any-return]

    @property
    def asy_se(self) -> Numbers:
        """Pointwise standard errors of the function."""
        return self._of("function", "se")

    @property
    def deriv_asy_se(self) -> Numbers:
        """Pointwise standard errors of the derivative."""
        return self._of("derivative", "se")

    @property
    def cv(self) -> float | None:
        """Standard errors from the function to the ends of its band; None with ``ucb_h=False``."""
        return self._fact("critical_value") if self._bands[0] else None

    @property
    def cv_deriv(self) -> float | None:
        """Standard errors from the derivative to the ends of its band; None with ``ucb_deriv=False``."""
        return self._fact("critical_value_derivative") if self._bands[1] else None

    @property
    def j_x_degree(self) -> int:
        """Degree of the splines of the regressors."""
        return self._fact("degree")  # type: ignore[no-any-return]

    @property
    def j_x_segments(self) -> int:
        """Segments of the splines of the regressors, as given or as the data chose."""
        return self._fact("x_segments")  # type: ignore[no-any-return]

    @property
    def k_w_segments(self) -> int:
        """Segments of the splines of the instruments."""
        return self._fact("w_segments")  # type: ignore[no-any-return]


class EtwfeFields(Result):
    """Fields of the regression of ``etwfe``."""

    @property
    def gt_pairs(self) -> list[tuple[Any, Any]]:
        """Cohort and period of each coefficient, in order of periods and then cohorts."""
        return [pair for pair, _ in self._cells()]

    @property
    def coefficients(self) -> Numbers:
        """Coefficients of the regression on ``gt_pairs``: effects, on the scale of the linear index if ``family`` is given."""
        return [of_cell["estimate"] for _, of_cell in self._cells()]

    @property
    def std_errors(self) -> Numbers:
        """Their standard errors."""
        return [of_cell["se"] for _, of_cell in self._cells()]

    @property
    def coef_names(self) -> list[str]:
        """Their names in the regression."""
        return [of_cell["name"] for _, of_cell in self._cells()]

    @property
    def n_units(self) -> int | None:
        """Number of units among the rows, where the regression absorbs effects of units or has clusters by unit; None elsewhere."""
        unit = self._result["settings"]["unit"]
        regression = self._result["regression"]
        counts = {of["name"]: of["levels"] for of in regression["absorbed"]} | dict(regression["clusters"])
        return counts.get(unit)

    def _cells(self) -> list[tuple[tuple[Any, Any], dict[str, Any]]]:
        """Cohort and period of the cells that the regression has, with their coefficients."""
        by_name = {coefficient["name"]: coefficient for coefficient in self._result["regression"]["coefficients"]}
        cells = sorted(zip(self._of("cells", "time"), self._of("cells", "group"), strict=True))
        named = [((group, time), f"cohort {_label(group)} in {_label(time)}") for time, group in cells]
        return [(pair, by_name[name]) for pair, name in named if name in by_name]

    @property
    def n_obs(self) -> int:
        """Number of rows."""
        return self._fact("n_rows")  # type: ignore[no-any-return]

    @property
    def r_squared(self) -> float | None:
        """R² of the regression."""
        return self._result["regression"]["r2"]  # type: ignore[no-any-return]

    @property
    def adj_r_squared(self) -> float | None:
        """Its adjusted R²."""
        return self._result["regression"]["r2_adjusted"]  # type: ignore[no-any-return]

    @property
    def estimation_params(self) -> dict[str, Any]:
        """Settings of the fit by ModernDiD's names."""
        of = self._result["settings"]
        return {
            "yname": of["outcome"], "tname": of["time"], "gname": of["group"], "idname": of["unit"],
            "cgroup": "never" if of["control_group"] == "never_treated" else "notyet",
            "family": None if of["family"] == "gaussian" else of["family"], "alpha": self._fact("alpha"), "n_obs": of["n_rows"],
            "n_units": self.n_units, "clustervar": self._cluster(),
        }

    def _cluster(self) -> str | None:
        """The column of clusters; None without them, and with several."""
        clusters = [name for name, _ in self._result["regression"]["clusters"]]
        return clusters[0] if len(clusters) == 1 else None


def _influence_of(result: Any) -> list[Numbers] | None:
    """Influence values without the column of units, by rows."""
    kept = result.influence()
    if kept is None:
        return None
    columns = kept.to_dict()
    return [list(row) for row in zip(*(columns[name] for name in columns if name != "unit"), strict=True)]


def _label(period: Any) -> str:
    """A period as names of coefficients have it."""
    return str(int(period)) if isinstance(period, float) and period.is_integer() else str(period)
