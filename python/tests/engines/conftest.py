"""Data that the tests of engines share."""

from __future__ import annotations

import pytest

@pytest.fixture(scope="session")
def frame():
    from engines import panel

    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    return pandas.DataFrame(panel.rows())


@pytest.fixture(scope="session")
def path(frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("panel")
    third = len(frame) // 3
    for part in range(3):
        end = len(frame) if part == 2 else (part + 1) * third
        frame.iloc[part * third : end].to_parquet(folder / f"part-{part}.parquet", index=False)
    return str(folder / "*.parquet")
