"""Any object with `map` is an engine."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import burn_did as did
import pytest
from burn_did.engines import Futures, run_task
from engines.panel import COLUMNS, bits, by_unit, others


class Here:
    """Does the tasks one after the other."""

    def __init__(self, workers=2):
        self.workers = workers
        self.tasks = 0

    def map(self, tasks):
        assert all(isinstance(task, bytes) for task in tasks)
        self.tasks += len(tasks)
        return [run_task(task) for task in tasks]


OPTIONS = [
    {},
    {"xformla": "~ x + z", "control_group": "notyettreated", "weightsname": "w"},
    {"xformla": "~ x", "est_method": "ipw", "clustervars": "c", "boot": True, "biters": 200, "random_state": 7, "cband": True},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("workers", [1, 3])
def test_bits_of_a_fit_at_home(path, options, workers):
    engine = Here(workers)
    assert bits(did.att_gt(path, **COLUMNS, **options, engine=engine)) == bits(did.att_gt(path, **COLUMNS, **options))
    assert engine.tasks > 0


@pytest.mark.parametrize("which", [0, 1, 2])
def test_other_estimators_have_the_bits_of_home(frame, which):
    estimator, data, arguments = others(frame)[which]
    assert bits(estimator(data, **arguments, engine=Here())) == bits(estimator(data, **arguments))
    sample = did.engines.prepare(estimator, data, **arguments, engine=Here())
    assert bits(estimator(sample, **arguments)) == bits(estimator(data, **arguments))


@pytest.mark.parametrize("which", [0, 1, 2])
def test_estimators_by_unit_have_the_bits_of_home(frame, path, which):
    estimator, arguments = by_unit()[which]
    here = bits(estimator(path, **arguments))
    assert bits(estimator(path, **arguments, engine=Here())) == here
    assert bits(estimator(frame, **arguments, engine=Here(3))) == here
    sample = did.engines.prepare(did.att_gt, path, **COLUMNS, engine=Here())
    with pytest.raises(did.OptionError, match="a prepared sample is for `att_gt`"):
        estimator(sample, **arguments)


def test_estimators_of_one_machine_say_so(frame, path):
    sample = did.engines.prepare(did.att_gt, path, **COLUMNS, engine=Here())
    with pytest.raises(TypeError):
        did.feols(frame, "y ~ x | id", engine=Here())
    with pytest.raises(did.BurnDidError):
        did.bacon(sample, yname="y", tname="t", idname="id", gname="g")


def test_a_data_frame_goes_as_parquet(frame, tmp_path):
    fit = did.att_gt(frame, **COLUMNS, xformla="~ x", engine=Here(), scratch=tmp_path)
    assert bits(fit) == bits(did.att_gt(frame, **COLUMNS, xformla="~ x"))
    assert list(tmp_path.iterdir()) == []


def test_one_sample_serves_several_fits(path):
    engine = Here()
    sample = did.engines.prepare(did.att_gt, path, **COLUMNS, xformla="~ x + z", engine=engine)
    before = engine.tasks
    for options in [{"xformla": "~ x + z"}, {"xformla": "~ x", "est_method": "reg"}, {"control_group": "notyettreated"}]:
        assert bits(did.att_gt(sample, **COLUMNS, **options)) == bits(did.att_gt(path, **COLUMNS, **options))
    assert engine.tasks > before
    with pytest.raises(did.OptionError, match="no column `w`|another sample|weights"):
        did.att_gt(sample, **COLUMNS, weightsname="w")
    with pytest.raises(did.OptionError, match="leave out `engine`"):
        did.att_gt(sample, **COLUMNS, engine=engine)


def test_a_sample_can_be_kept(path, tmp_path):
    kept = did.engines.prepare(did.att_gt, path, **COLUMNS, engine=Here(), scratch=tmp_path).keep()
    sample = did.engines.Sample.open(kept, Here())
    assert bits(did.att_gt(sample, **COLUMNS)) == bits(did.att_gt(path, **COLUMNS))


def test_influence_values_are_files(path, tmp_path):
    folder = tmp_path / "influence"
    fit = did.att_gt(path, **COLUMNS, engine=Here(), influence=folder)
    assert bits(fit) == bits(did.att_gt(path, **COLUMNS, influence=True))
    assert list(folder.glob("*.parquet"))


def test_processes(path):
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        fit = did.att_gt(path, **COLUMNS, xformla="~ x", engine=Futures(executor))
    assert bits(fit) == bits(did.att_gt(path, **COLUMNS, xformla="~ x"))


def test_joblib(path):
    joblib = pytest.importorskip("joblib")

    class Jobs:
        workers = 2

        def map(self, tasks):
            return joblib.Parallel(n_jobs=2)(joblib.delayed(run_task)(task) for task in tasks)

    assert bits(did.att_gt(path, **COLUMNS, engine=Jobs())) == bits(did.att_gt(path, **COLUMNS))


def test_ray(path):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        remote = ray.remote(run_task)

        class Ray:
            workers = 2

            def map(self, tasks):
                return ray.get([remote.remote(task) for task in tasks])

        assert bits(did.att_gt(path, **COLUMNS, engine=Ray())) == bits(did.att_gt(path, **COLUMNS))
    finally:
        ray.shutdown()


def test_a_forked_process_says_that_it_cannot(path):
    did.att_gt(path, **COLUMNS)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as executor:
        with pytest.raises(RuntimeError, match="spawn"):
            did.att_gt(path, **COLUMNS, engine=Futures(executor))


class Losing(Here):
    """Loses, damages and mixes up answers, so often."""

    def __init__(self, times):
        super().__init__()
        self.times = times

    def map(self, tasks):
        answers = super().map(tasks)
        if self.times > 0:
            self.times -= 1
            answers[0] = None
            if len(answers) > 2:
                answers[1], answers[2] = answers[2], answers[1][:-1]
        return answers


def test_lost_and_damaged_answers_are_asked_for_again(path):
    with pytest.warns(did.BurnDidWarning, match="lost and asked for again"):
        fit = did.att_gt(path, **COLUMNS, engine=Losing(3))
    assert bits(fit) == bits(did.att_gt(path, **COLUMNS))


def test_an_engine_that_loses_all_is_an_error(path):
    with pytest.raises(did.DeviceError, match="no answer after 4 attempts.*gave no answer") as raised:
        did.att_gt(path, **COLUMNS, engine=Losing(1000))
    assert raised.value.code == "engine"


def test_exceptions_of_engines_are_raised(path):
    class Failing(Here):
        def map(self, tasks):
            raise KeyError("no such queue")

    with pytest.raises(KeyError, match="no such queue"):
        did.att_gt(path, **COLUMNS, engine=Failing())
    # The next fit does not hear of it.
    did.att_gt(path, **COLUMNS, engine=Here())


def test_mistakes(path, frame, tmp_path):
    with pytest.raises(did.OptionError, match="`map"):
        did.att_gt(path, **COLUMNS, engine=3)
    with pytest.raises(did.OptionError, match="both given"):
        did.att_gt(path, **COLUMNS, engine=Here(), client=object())
    with pytest.raises(did.OptionError, match="no workers"):
        did.att_gt(path, **COLUMNS, scratch=tmp_path)
    with pytest.raises(did.BurnDidError, match="column `yy` .outcome. is not in the data"):
        did.att_gt(frame, **{**COLUMNS, "yname": "yy"}, engine=Here())
    with pytest.raises(did.OptionError, match="no workers"):
        did.engines.prepare(did.att_gt, path, **COLUMNS)
    with pytest.raises(did.OptionError, match="write it to parquet files there"):
        did.att_gt(frame, **COLUMNS, engine=Here(), scratch="s3://bucket/scratch")
    frame.to_csv(tmp_path / "panel.csv", index=False)
    with pytest.raises(did.BurnDidError, match="parquet"):
        did.att_gt(str(tmp_path / "panel.csv"), **COLUMNS, engine=Here())
    with pytest.raises(did.BurnDidError, match="install the same wheel"):
        run_task(b"", build="0.0.0-other")
    with pytest.raises(did.OptionError, match="`backend` must be"):
        run_task(b"", backend="tpu")
    assert run_task(b"nonsense")
    with pytest.raises(did.OptionError, match="estimator of your own"):
        did.att_gt(path, **COLUMNS, est_method=lambda **cell: None, engine=Here())


def test_progress_and_what_it_raises(path):
    stages = []
    did.att_gt(path, **COLUMNS, engine=Here(), progress=lambda stage, done, total: stages.append(stage))
    assert "arranging" in stages

    def stop(stage, done, total):
        raise InterruptedError("enough")

    with pytest.raises(InterruptedError, match="enough"):
        did.att_gt(path, **COLUMNS, engine=Here(), progress=stop)
