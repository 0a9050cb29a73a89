"""A panel for the tests of engines, and what a fit is compared by."""

from __future__ import annotations

import json
import random
from typing import Any

COLUMNS = {"yname": "y", "tname": "t", "idname": "id", "gname": "g"}


def rows(units: int = 600, periods: int = 5, seed: int = 1) -> dict[str, list[Any]]:
    """Columns of a panel in no order of units, with covariates, clusters, weights and a column that no fit names."""
    drawn = random.Random(seed)
    made = []
    for unit in range(units):
        group = drawn.choice([0, 3, 4, 5])
        x, z, cluster, weight = drawn.gauss(0, 1), drawn.gauss(0, 1), unit % 40, drawn.uniform(0.5, 2)
        level = drawn.gauss(0, 1) + x
        for period in range(1, periods + 1):
            effect = 1.0 + 0.5 * (period - group) if group and period >= group else 0.0
            y = level + 0.3 * period + 0.2 * x * period + effect + drawn.gauss(0, 1)
            treated, eligible, dose = int(group > 0), unit % 2, 0.5 + abs(x) if group else 0.0
            made.append((unit, period, group, y, x, z, cluster, weight, treated, eligible, dose, "unused"))
    drawn.shuffle(made)
    names = ["id", "t", "g", "y", "x", "z", "c", "w", "d", "p", "dose", "other"]
    return {name: [row[i] for row in made] for i, name in enumerate(names)}


def others(frame: Any) -> list[tuple[Any, Any, dict[str, Any]]]:
    """Calls of the other estimators that run on clusters."""
    import burn_did as did

    two = frame[frame["t"].isin([2, 3])]
    return [
        (did.drdid, two, {"yname": "y", "tname": "t", "idname": "id", "treatname": "d", "xformla": "~ x"}),
        (did.ddd, frame, {**COLUMNS, "pname": "p", "xformla": "~ x"}),
        (did.cont_did, frame, {**COLUMNS, "dname": "dose", "degree": 2}),
    ]


def by_unit() -> list[tuple[Any, dict[str, Any]]]:
    """Estimators that ask units one by one, with arguments."""
    import burn_did as did

    window = {**COLUMNS, "window": (-2, 1)}
    return [
        (did.lpdid, window),
        (did.lpdid, {**window, "xname": ["x"], "weightsname": "w", "clustervars": "c", "method": "adjusted", "dylags": 1}),
        (did.stacked, {**COLUMNS, "kappa_pre": 1, "kappa_post": 1, "xname": ["x", "z"]}),
    ]


def bits(fit: Any) -> Any:
    """Everything that a fit has estimated, to the last bit: JSON has the shortest digits that give the same number."""
    document = json.loads(fit._native.to_json())
    tables = {name: table for name, table in document.items() if name not in ("about", "result", "warnings")}
    return tables, document["result"].get("estimates"), document["result"].get("wald"), document["result"].get("critical_value")
