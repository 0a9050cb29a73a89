"""Data that the tests of engines share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


@pytest.fixture(scope="session")
def frame():
    import panel

    return pandas.DataFrame(panel.rows())


@pytest.fixture(scope="session")
def path(frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("panel")
    third = len(frame) // 3
    for part in range(3):
        end = len(frame) if part == 2 else (part + 1) * third
        frame.iloc[part * third : end].to_parquet(folder / f"part-{part}.parquet", index=False)
    return str(folder / "*.parquet")
