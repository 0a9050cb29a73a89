"""Fits by the workers of a Dask cluster."""

from __future__ import annotations

import itertools
import os
import signal
import time

import pytest

distributed = pytest.importorskip("distributed")
dask_frame = pytest.importorskip("dask.dataframe")

import burn_did as did  # noqa: E402
from burn_did.engines import Dask  # noqa: E402
from engines.panel import COLUMNS, bits, others  # noqa: E402


@pytest.fixture(scope="module")
def client():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


@pytest.mark.parametrize("partitions", [1, 7])
def test_a_dask_frame_has_the_bits_of_home(client, frame, partitions):
    parts = dask_frame.from_pandas(frame, npartitions=partitions, sort=False)
    for options in [{"xformla": "~ x + z"}, {"clustervars": "c", "boot": True, "biters": 100, "random_state": 3}]:
        assert bits(did.att_gt(parts, **COLUMNS, **options)) == bits(did.att_gt(frame, **COLUMNS, **options))


@pytest.mark.parametrize("workers", [1, 3])
def test_any_number_of_workers(frame, path, workers):
    with distributed.LocalCluster(n_workers=workers, threads_per_worker=2, dashboard_address=None, processes=False) as cluster:
        with distributed.Client(cluster, set_as_default=False) as other:
            assert bits(did.att_gt(path, **COLUMNS, xformla="~ x", client=other)) == bits(did.att_gt(path, **COLUMNS, xformla="~ x"))


def test_types_arrive(client, frame):
    typed = frame.assign(region=frame["c"].map(lambda c: f"r{c % 3}").astype("category"), t=frame["t"].astype("int32"))
    typed.loc[3, "x"] = None
    fit = did.att_gt(dask_frame.from_pandas(typed, npartitions=3), **COLUMNS, xformla="~ x + region", allow_unbalanced_panel=True)
    assert bits(fit) == bits(did.att_gt(typed, **COLUMNS, xformla="~ x + region", allow_unbalanced_panel=True))


@pytest.mark.parametrize("which", [0, 1, 2])
def test_other_estimators_have_the_bits_of_home(client, frame, which):
    estimator, data, arguments = others(frame)[which]
    assert bits(estimator(dask_frame.from_pandas(data, npartitions=3), **arguments)) == bits(estimator(data, **arguments))


def test_one_sample_serves_several_fits(client, frame, tmp_path):
    parts = dask_frame.from_pandas(frame, npartitions=3)
    sample = did.engines.prepare(did.att_gt, parts, **COLUMNS, xformla="~ x", client=client, scratch=tmp_path)
    for method in ["dr", "ipw", "reg"]:
        fit = did.att_gt(sample, **COLUMNS, xformla="~ x", est_method=method)
        assert bits(fit) == bits(did.att_gt(frame, **COLUMNS, xformla="~ x", est_method=method))
    del sample
    assert list(tmp_path.iterdir()) == []


def test_workers_that_die_are_survived(frame, path):
    """One of three workers is killed in each fit, at another of its events each time; Dask starts another worker."""
    at_home = bits(did.att_gt(path, **COLUMNS, xformla="~ x"))
    events = []
    here = _cluster()
    try:
        did.att_gt(path, **COLUMNS, xformla="~ x", engine=Dask(here), progress=lambda *event: events.append(event))
        victim = None
        for kill in range(int(os.environ.get("BURN_DID_KILLS", "3"))):
            here, living = _living(here, victim)
            victim, engine = living[kill % 3], Dask(here)
            # How many events there are depends on the time that they take.
            at, seen = (7 * kill + 1) % (len(events) // 2), itertools.count()

            def killing(*event, at=at, seen=seen, victim=victim):
                if next(seen) == at:
                    os.kill(victim, signal.SIGKILL)

            started = time.monotonic()
            assert bits(did.att_gt(path, **COLUMNS, xformla="~ x", engine=engine, progress=killing)) == at_home
            assert next(seen) > at
            assert time.monotonic() - started < 120
    finally:
        _close(here)


def test_a_worker_that_others_keep_busy_is_left_out(frame, path):
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster, set_as_default=False) as other:
            busy = sorted(other.nthreads())[0]
            work = other.submit(time.sleep, 60, workers=[busy])
            while work.status == "pending" and not other.processing()[busy]:
                time.sleep(0.01)
            assert bits(did.att_gt(path, **COLUMNS, xformla="~ x", client=other)) == bits(did.att_gt(path, **COLUMNS, xformla="~ x"))
            assert work.status == "pending"


def test_workers_that_come_later_are_used(frame, path):
    at_home = bits(did.att_gt(path, **COLUMNS, xformla="~ x"))
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster, set_as_default=False) as other:
            engine = Dask(other)
            assert bits(did.att_gt(path, **COLUMNS, xformla="~ x", engine=engine)) == at_home
            cluster.scale(2)
            other.wait_for_workers(2, timeout=60)
            assert bits(did.att_gt(path, **COLUMNS, xformla="~ x", engine=engine)) == at_home
            assert sorted(other.run(_has_runner).values()) == [True, True]


def test_the_cluster_that_is_named_is_used(client, path):
    """The actors of one cluster are not asked by the client of another, the default one."""
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None, processes=False) as cluster:
        with distributed.Client(cluster, set_as_default=False) as other:
            assert distributed.default_client() is client
            before = _held(client)
            assert bits(did.att_gt(path, **COLUMNS, xformla="~ x", client=other)) == bits(did.att_gt(path, **COLUMNS, xformla="~ x"))
            assert _held(client) <= before


def _held(client):
    return {key for keys in client.has_what().values() for key in keys}


def _has_runner(dask_worker):
    return bool(dask_worker.state.actors)


def _living(client, dead):
    """A cluster with three workers, once that of the dead process is no longer among them, and their processes."""
    while True:
        try:
            client.wait_for_workers(3, timeout=15)
        except TimeoutError:
            # Now and then Dask does not start a worker again.
            _close(client)
            client = _cluster()
        found = client.run(os.getpid, on_error="ignore")
        if len(found) == 3 and dead not in found.values():
            return client, sorted(found.values())
        time.sleep(0.1)


def _cluster():
    cluster = distributed.LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None)
    return distributed.Client(cluster, set_as_default=False)


def _close(client):
    client.cluster.close()
    client.close()


def test_a_cluster_without_workers_is_an_error(path):
    with distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster:
        with distributed.Client(cluster, set_as_default=False) as other:
            with pytest.raises(did.DeviceError, match="no worker"):
                did.att_gt(path, **COLUMNS, engine=Dask(other, patience=0.2))


def test_mistakes(client, frame, monkeypatch):
    parts = dask_frame.from_pandas(frame, npartitions=2)
    with pytest.raises(did.BurnDidError, match="column `yy` .outcome. is not in the data"):
        did.att_gt(parts, **{**COLUMNS, "yname": "yy"}, client=client)
    with pytest.raises(did.OptionError, match="`backend` must be"):
        did.att_gt(parts, **COLUMNS, client=client, backend="tpu")

    with monkeypatch.context() as patched:
        patched.setattr("burn_did.engines.dask.BUILD", "0.0.0-other")
        with pytest.raises(did.DeviceError, match="worker tcp://.* has burn_did .*install the same wheel"):
            did.att_gt(parts, **COLUMNS, client=client)

    class Other:
        def map(self, tasks):
            return tasks

    with pytest.raises(did.OptionError, match="written by Dask"):
        did.att_gt(parts, **COLUMNS, engine=Other())


def test_without_a_client(frame):
    parts = dask_frame.from_pandas(frame, npartitions=2)
    try:
        distributed.default_client()
    except ValueError:
        with pytest.raises(did.OptionError, match="no Dask client"):
            did.att_gt(parts, **COLUMNS)


def test_categories_are_those_of_home(client, frame):
    """Of texts with more levels than a key of eight bits has, and of numbers, which are levels in a formula."""
    typed = frame.assign(
        id=frame["id"].map(lambda i: f"u{i:05}").astype("category"), c=frame["c"].astype("category"), region=(frame["c"] % 3).astype("category"),
    )
    assert len(typed["id"].cat.categories) > 127
    parts = dask_frame.from_pandas(typed, npartitions=3)
    for options in [{"clustervars": "c"}, {"xformla": "~ region"}]:
        assert bits(did.att_gt(parts, **COLUMNS, **options)) == bits(did.att_gt(typed, **COLUMNS, **options))
    by_client = did.att_gt(typed, **COLUMNS, xformla="~ region", client=client)
    assert bits(by_client) == bits(did.att_gt(typed, **COLUMNS, xformla="~ region"))


def test_a_missing_column_is_the_error_of_home(client, frame):
    for data in (frame, dask_frame.from_pandas(frame, npartitions=2)):
        for wrong in ({"yname": "zz"}, {"xformla": "~ zz"}):
            with pytest.raises(did.DataError) as missing:
                did.att_gt(data, **{**COLUMNS, **wrong}, client=client)
            assert (missing.value.code, missing.value.columns) == ("column_not_found", ["zz"])


def test_estimators_of_one_machine_say_so(client, frame):
    parts = dask_frame.from_pandas(frame, npartitions=2)
    with pytest.raises(did.DataError, match="compute"):
        did.sunab(parts, "y", "t", "id", "g")
