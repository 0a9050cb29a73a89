"""Fields of results by the names of ModernDiD.

Arrays are lists, in the order of ``tidy``, with None for what has no number.
"""

from __future__ import annotations

import math
from typing import Any

from ._fields_lacking import AVERAGES, DRDID, GROUP_TIME
from ._result import Result, band
from ._table import Table

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

    _lacking = GROUP_TIME

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
        of_one = self._of_two_periods()
        return rows[column] if of_one is None else rows[column][of_one]

    def _of_two_periods(self) -> int | None:
        """The row of the only effect, of data with two periods; None elsewhere."""
        kept = [i for i, status in enumerate(self.tidy()["status"]) if status != "reference"]
        return kept[0] if len(self._result["audit"]["periods"]) == 2 and len(kept) == 1 else None

    @property
    def did_atts(self) -> dict[str, float] | None:
        """The three comparisons of which ``ddd`` with two periods is made, ``att_4v3 + att_4v2 - att_4v1``; None elsewhere.

        They are of the treated and eligible units with those treated and ineligible, untreated and eligible, untreated and ineligible.
        With more periods ``to_dict()["result"]["comparisons"]`` has them cell by cell.
        """
        comparisons = self._result.get("comparisons")
        if self._of_two_periods() is None or not comparisons or len(comparisons) != 1:
            return None
        names = ("treated_ineligible", "untreated_eligible", "untreated_ineligible")
        return {f"att_4v{subgroup}": comparisons[0][name] for subgroup, name in zip((3, 2, 1), names, strict=True)}

    @property
    def boots(self) -> list[float] | None:
        """Draws of ``ddd`` with two periods and ``boot=True``: deviations from the effect times the root of the number of units, or of clusters.

        None elsewhere.
        """
        row, of = self._of_two_periods(), self._result["estimates"]
        if row is None or of["draws"] is None or self._fact("estimator") != "ddd":
            return None
        count = self._result["settings"]["inference"]["bootstrap"]["draws"]
        root = math.sqrt(of["n_clusters"] or of["n"])
        return [root * draw for draw in of["draws"][row * count : (row + 1) * count]]

    @property
    def att_inf_func(self) -> Numbers | None:
        """Influence values of the units on the effect of ``ddd`` with two periods; None elsewhere, and without ``influence=True``."""
        row, values = self._of_two_periods(), self.influence_func
        if row is None or not values:
            return None
        # References may have no column, so that the only effect has the first.
        has_all = len(values[0]) == len(list(self.tidy()["status"]))
        return [of_unit[row if has_all else 0] for of_unit in values]

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

    _lacking = AVERAGES

    def influence(self) -> Table | None:
        """Influence values of shape (units, averages), the overall one first, with a column ``unit``.

        None unless the fit kept its own here (``influence=True``).
        """
        kept = self._native.influence()
        return None if kept is None else Table(kept)

    @property
    def influence_func(self) -> Any:
        """Influence values of shape (units, averages), without the overall one; of the simple average, one number a unit.

        None unless the fit kept its own (``influence=True``). ``influence()`` names the units.
        """
        if self._fact("type") == "simple":
            return self.influence_func_overall
        values = _influence_of(self)
        return None if values is None else [row[1:] for row in values]

    @property
    def inf_func(self) -> Any:
        """``influence_func`` as ``agg_ddd`` of ModernDiD has it: None of the simple average, which has ``inf_func_overall``."""
        return None if self._fact("type") == "simple" else self.influence_func

    @property
    def influence_func_overall(self) -> Numbers | None:
        """Influence values of the units on the overall average; None unless the fit kept its own (``influence=True``)."""
        values = _influence_of(self)
        return None if values is None else [row[0] for row in values]

    inf_func_overall = influence_func_overall

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

    _lacking = DRDID

    @property
    def boots(self) -> list[float] | None:
        """Draws of the bootstrap: of the effect if it is weighted, of deviations from the effect if it multiplies influence values.

        None without ``boot=True``. Draws that could not be estimated are left out.
        """
        draws, effect = self._result["draws"], self.att
        if draws is None or effect is None:
            return None
        centre = 0.0 if self._result["resampling"] == "multiplier" else effect
        return [centre + draw for draw in draws]

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


def _influence_of(result: Any) -> list[Numbers] | None:
    """Influence values without the column of units, by rows."""
    kept = result.influence()
    if kept is None:
        return None
    columns = kept.to_dict()
    return [list(row) for row in zip(*(columns[name] for name in columns if name != "unit"), strict=True)]
