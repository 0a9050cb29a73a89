"""Fits by workers on many machines: Dask, Spark, and whatever else runs tasks.

An estimator that is given a Dask or Spark data frame, or a path with ``engine=``, has its sample read, arranged and summed by the workers.
The numbers have the bits of a fit at home, for any number of workers and partitions.

Any object with ``map(list[bytes]) -> list[bytes]`` is an engine, if its workers call :func:`run_task`::

    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    import burn_did as did


    class Pool:
        def __init__(self, executor, workers):
            self.executor, self.workers = executor, workers

        def map(self, tasks):
            return list(self.executor.map(did.engines.run_task, tasks))


    if __name__ == "__main__":
        with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as executor:
            fit = did.att_gt(
                "panel/*.parquet", yname="y", tname="year", idname="id", gname="first", engine=Pool(executor, 4)
            )

With joblib the body of ``map`` is ``joblib.Parallel(n_jobs=4)(joblib.delayed(did.engines.run_task)(task) for task in tasks)``, with Ray
``ray.get([remote.remote(task) for task in tasks])`` where ``remote = ray.remote(did.engines.run_task)``.
"""

from ._base import Engine
from ._place import Sample, prepare
from ._worker import BUILD, run_task
from .dask import Dask
from .futures import Futures
from .spark import Spark

__all__ = ["BUILD", "Dask", "Engine", "Futures", "Sample", "Spark", "prepare", "run_task"]
