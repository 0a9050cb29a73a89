"""Fields of ModernDiD's results that results here do not have, and what their errors say: why, and what to use."""

from __future__ import annotations

from collections.abc import Mapping

#: Fields by their names.
Lacking = Mapping[str, str]

_CALL = "results do not keep the call; `estimation_params` and `glance()` say how the fit was made"
_UNITS = "results do not keep columns of the data; join those of the data to the units that `influence()` names, of a fit with `influence=True`"

GROUP_TIME: Lacking = {
    **dict.fromkeys(("G", "weights_ind", "unit_groups", "unit_weights", "unit_clusters", "unit_partition"), _UNITS),
    "influence_moments": "`vcov()` has the covariances that they are for",
    "subgroup_counts": "results do not keep them; count the units of the data by group and eligibility (`pname`)",
    "args": _CALL,
}

AVERAGES: Lacking = {"call_info": _CALL, "args": _CALL}

DRDID: Lacking = {"call_params": _CALL, "args": _CALL}

_OF_CURVES = "influence values of curves are not kept; their standard errors and bands are in `tidy()`"

DOSES: Lacking = {
    **dict.fromkeys(("overall_att_inf_func", "overall_acrt_inf_func", "att_d_inf_func", "acrt_d_inf_func"), _OF_CURVES),
    "att_gt": 'effects by group and period are not kept as a result of their own; `aggregate("group")` and the like average them',
    "pte_params": _CALL,
    "ptep": _CALL,
}

SWITCHING: Lacking = {
    **dict.fromkeys(("influence_effects", "influence_placebos"), "influence values of the groups are not kept; `vcov()` has the covariances"),
    "vcov_warnings": "they are among `warnings`",
}

ETWFE: Lacking = {
    "config": _CALL,
    "data": "results do not keep the data",
    "model_coefficients": "`tidy()` has the averages, and `coefficients` the effects by `gt_pairs`",
}

NPIV: Lacking = {
    "args": "`glance()` has the sample sizes and how the data chose the dimension",
    "residuals": "they are not kept; fit with `x_eval` at the regressors of the data, and take `h` from the outcomes",
}
