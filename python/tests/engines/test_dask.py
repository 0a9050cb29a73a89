"""Fits by the workers of a Dask cluster."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import os
import signal
import threading
import time
import warnings

import pytest

distributed = pytest.importorskip("distributed")
dask_frame = pytest.importorskip("dask.dataframe")

import burn_did as did  # noqa: E402
import dask  # noqa: E402
from burn_did.engines import Dask  # noqa: E402
from burn_did.engines._runner import Runner  # noqa: E402
from burn_did.engines._runners import Made, Runners  # noqa: E402
from burn_did.engines.dask import _chosen  # noqa: E402
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


def test_nothing_is_left_on_the_workers(client, path):
    """At once, and not when Python collects cycles."""
    gc.disable()
    try:
        fits = [lambda: did.att_gt(path, **COLUMNS, client=client), lambda: did.att_gt(path, **COLUMNS, engine=Dask(client))]
        for fit in fits:
            fit()
            until = time.monotonic() + 30.0
            while any(client.run(_left).values()) and time.monotonic() < until:
                time.sleep(0.02)
            assert [left for left in client.run(_left).values() if left] == []
            assert not [key for key in client.futures if key.startswith(("burn-did", "hold"))]
    finally:
        gc.enable()


def _left(dask_worker):
    from burn_did.engines import _runner

    return [*dask_worker.state.actors, *_runner._HERE, *(key for key in dask_worker.state.tasks if key.startswith(("burn-did", "hold")))]


def slow(seconds):
    """A report on progress that takes so long, the first five times."""
    seen = itertools.count()
    return lambda *_: time.sleep(seconds if next(seen) < 5 else 0.0)


def test_an_idle_timeout_does_not_end_a_cluster_that_fits(path):
    with dask.config.set({"distributed.scheduler.idle-timeout": "4s"}):
        cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, processes=False)
    with cluster, distributed.Client(cluster, set_as_default=False) as other:
        fit = did.att_gt(path, **COLUMNS, client=other, progress=slow(1.2))
        assert bits(fit) == bits(did.att_gt(path, **COLUMNS))


def test_adaptive_clusters_start_a_worker_and_keep_it(path):
    with distributed.LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address=None) as cluster:
        cluster.adapt(minimum=0, maximum=2, interval="200ms", wait_count=2)
        with distributed.Client(cluster, set_as_default=False) as other:
            with warnings.catch_warnings():
                warnings.simplefilter("error", did.BurnDidWarning)
                fit = did.att_gt(path, **COLUMNS, client=other, progress=slow(0.4))
            assert bits(fit) == bits(did.att_gt(path, **COLUMNS))


def test_a_cluster_that_is_closed_during_a_fit_is_an_error(path):
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, processes=False)
    seen = itertools.count()

    def closing(*_):
        if next(seen) == 2:
            cluster.close()

    with distributed.Client(cluster, set_as_default=False) as other:
        with pytest.raises(did.DeviceError, match="the scheduler is gone") as raised:
            did.att_gt(path, **COLUMNS, client=other, progress=closing)
        assert raised.value.remedy == "connect again, and fit again"


def test_a_client_that_is_closed_is_an_error(frame, path, tmp_path):
    """Wherever the data are, and whether the engine was made before."""
    parts = dask_frame.from_pandas(frame, npartitions=2)
    categories = dask_frame.from_pandas(frame.assign(id=frame["id"].astype("category")), npartitions=2)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None, processes=False) as cluster:
        other = distributed.Client(cluster, set_as_default=False)
        engine = Dask(other)
        other.close()
        for place in ({"engine": engine}, {"client": other}, {"engine": engine, "scratch": tmp_path}):
            for data in (path, frame, parts, categories):
                with pytest.raises(did.DeviceError, match="the Dask client is closed; the scheduler is gone"):
                    did.att_gt(data, **COLUMNS, **place)


def test_workers_retire_once_an_engine_has_ended(path):
    at_home = bits(did.att_gt(path, **COLUMNS))
    with distributed.LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None, processes=False) as cluster:
        with distributed.Client(cluster, set_as_default=False) as other:
            engine = Dask(other)
            assert bits(did.att_gt(path, **COLUMNS, engine=engine)) == at_home
            sample = did.engines.prepare(did.att_gt, path, **COLUMNS, client=other)
            worker = sorted(other.nthreads())[0]
            for idle in (engine, sample):
                assert not other.retire_workers([worker])
                idle.end()
            # Dask takes a moment to forget what was released.
            until = time.monotonic() + 30.0
            while not (retired := other.retire_workers([worker])) and time.monotonic() < until:
                time.sleep(0.02)
            assert list(retired) == [worker]
            assert bits(did.att_gt(path, **COLUMNS, engine=engine)) == bits(did.att_gt(sample, **COLUMNS)) == at_home


def test_a_fit_that_stops_gives_up_its_tasks():
    """Those that have not begun; a process that ends takes none."""
    runner = Runner("one", 1, {})
    began, may_end = threading.Event(), threading.Event()

    def work(task):
        began.set()
        assert may_end.wait(10)
        return task

    runner._run = work

    async def stopped():
        calls = [asyncio.ensure_future(runner.run("batch", task)) for task in (b"0", b"1", b"2")]
        await asyncio.get_running_loop().run_in_executor(None, began.wait, 10)
        await runner.drop("batch")
        may_end.set()
        answers = await asyncio.gather(*calls, return_exceptions=True)
        runner._threads.shutdown()
        return answers, (await asyncio.gather(runner.run("batch", b"3"), return_exceptions=True))[0]

    (first, *others), late = asyncio.run(stopped())
    assert first == b"0" and [str(other) for other in others] == ["the task was given up"] * 2
    assert isinstance(late, OSError) and "closing" in str(late)
    assert not runner._open


class Waiting:
    """A future of a runner that no worker makes, or of one that is made."""

    def __init__(self, status):
        self.status = status

    def result(self, timeout):
        return self

    def done(self):
        return False

    def release(self):
        self.status = "released"


class Replaced:
    """The client of a cluster whose only worker leaves before it makes its runner, and another comes."""

    status = "running"

    def __init__(self):
        self.looks = itertools.count()
        self.pending = []

    def nthreads(self):
        return {"a": 1} if next(self.looks) == 0 else {"b": 2}

    def submit(self, function, *arguments, workers=None, **more):
        made = Waiting("pending" if workers == ["a"] else "finished")
        if made.status == "pending":
            self.pending.append(made)
        return made

    @contextlib.contextmanager
    def as_current(self):
        yield


def test_a_worker_that_leaves_before_its_runner_is_there_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("burn_did.engines._runners.PAUSE", 0.05)
    client = Replaced()
    ready = Runners(client, {}, 1.0).ready()
    assert [made.worker for made in ready] == ["b", "b"] and [made.status for made in client.pending] == ["released"]


def test_tasks_of_a_runner_that_is_lost_go_to_the_next():
    runners = [Made("a", "a", Waiting("error")), Made("b", "b", Waiting("finished")), Made("c", "c", Waiting("finished"))]
    assert [_chosen(runners, number).worker for number in range(6)] == ["b", "b", "c", "b", "b", "c"]
    lost = [Made("a", "a", Waiting("error"))]
    assert _chosen(lost, 3) is lost[0]


def test_a_worker_that_is_lost_when_builds_are_compared_lacks_none():
    class Client:
        status = "running"

        def run(self, *arguments, on_error):
            return {"tcp://1": OSError("lost"), "tcp://2": None, "tcp://3": self.problem}

    Client.problem = None
    Dask(Client())
    Client.problem = ModuleNotFoundError("No module named 'burn_did'")
    with pytest.raises(did.DeviceError, match="worker tcp://3: burn_did is not installed there"):
        Dask(Client())


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
