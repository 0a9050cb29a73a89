"""Fits by the executors of Spark."""

from __future__ import annotations

import datetime
import os
import shutil
import sys

import pytest

pyspark = pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

import burn_did as did  # noqa: E402
from burn_did.engines import Spark  # noqa: E402
from engines.panel import COLUMNS, bits, others  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    with pytest.MonkeyPatch.context() as patch:
        # Executors import from the folder in which Spark starts, where the package's source would hide the wheel.
        patch.chdir(tmp_path_factory.mktemp("spark"))
        session = settings.config("spark.sql.shuffle.partitions", "2").config("spark.log.level", "ERROR").getOrCreate()
    yield session
    session.stop()


@pytest.mark.parametrize("partitions", [1, 5])
def test_a_spark_frame_has_the_bits_of_home(spark, frame, partitions):
    parts = spark.createDataFrame(frame).repartition(partitions)
    for options in [{"xformla": "~ x + z"}, {"clustervars": "c", "boot": True, "biters": 100, "random_state": 3}]:
        assert bits(did.att_gt(parts, **COLUMNS, **options)) == bits(did.att_gt(frame, **COLUMNS, **options))


@pytest.mark.parametrize("workers", [1, 3])
def test_any_number_of_workers(spark, path, workers):
    assert bits(did.att_gt(path, **COLUMNS, engine=Spark(spark, workers=workers))) == bits(did.att_gt(path, **COLUMNS))


def test_types_arrive(spark, frame):
    typed = frame.assign(region=frame["c"].map(lambda c: f"r{c % 3}"), month=frame["t"].map(lambda t: datetime.date(2020, t, 1)))
    typed["first"] = typed["g"].map(lambda g: datetime.date(2020, g, 1) if g else None)
    names = {**COLUMNS, "tname": "month", "gname": "first"}
    fit = did.att_gt(spark.createDataFrame(typed), **names, xformla="~ x + region", frequency="month", spark=spark)
    assert bits(fit)[0] == bits(did.att_gt(typed, **names, xformla="~ x + region", frequency="month"))[0]


@pytest.mark.parametrize("which", [0, 1, 2])
def test_other_estimators_have_the_bits_of_home(spark, frame, which):
    estimator, data, arguments = others(frame)[which]
    assert bits(estimator(spark.createDataFrame(data), **arguments)) == bits(estimator(data, **arguments))


def test_one_sample_serves_several_fits(spark, frame, tmp_path):
    sample = did.engines.prepare(did.att_gt, spark.createDataFrame(frame), **COLUMNS, xformla="~ x", scratch=tmp_path)
    for method in ["dr", "reg"]:
        fit = did.att_gt(sample, **COLUMNS, xformla="~ x", est_method=method)
        assert bits(fit) == bits(did.att_gt(frame, **COLUMNS, xformla="~ x", est_method=method))


def test_another_build_is_refused(spark, path, monkeypatch):
    monkeypatch.setattr("burn_did.engines.spark.BUILD", "0.0.0-other")
    with pytest.raises(did.DeviceError, match="install the same wheel"):
        did.att_gt(path, **COLUMNS, spark=spark)


def test_mistakes(spark, frame):
    parts = spark.createDataFrame(frame)
    with pytest.raises(did.BurnDidError, match="column `yy` .outcome. is not in the data"):
        did.att_gt(parts, **{**COLUMNS, "yname": "yy"})
    with pytest.raises(did.OptionError, match="written by Spark"):
        did.att_gt(parts, **COLUMNS, engine=object.__new__(did.engines.Futures))
