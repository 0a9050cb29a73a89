"""ModernDiD's sensitivity analysis of the mpdta event study, beside `cargo bench --bench honest`:

    python benches/peers/honest.py     # with moderndid[didhonest]

Relative magnitudes with the defaults of R: C-LF, ten Mbar from 0 to 2, 1000 points. Prints seconds of the second call.
"""

import json
import sys
import time
from pathlib import Path

# This folder has a file of the package's name: it must not come first.
sys.path.append(sys.path.pop(0))

import moderndid
import numpy as np

GOLDEN = Path(__file__).parents[2] / "tests/golden/honest.json"


def analyse(study):
    return moderndid.create_sensitivity_results_rm(
        np.array(study["betahat"]),
        np.array(study["sigma"]),
        study["num_pre_periods"],
        study["num_post_periods"],
        method="C-LF",
        m_bar_vec=np.linspace(0, 2, 10),
        grid_points=1000,
    )


if __name__ == "__main__":
    study = json.loads(GOLDEN.read_text())["mpdta"]["study"]
    # The first call compiles.
    analyse(study)
    start = time.perf_counter()
    rows = analyse(study)
    print(f"{time.perf_counter() - start:.3f} s")
    print(rows)
