"""What a worker of an engine does: bytes in, bytes out."""

from __future__ import annotations

import os
import socket

from burn_did import _native
from burn_did._errors import exception

#: Tells builds apart. All machines must have the same, since another build may compute in another way.
BUILD: str = _native.BUILD

#: Bytes of a sample that a worker keeps between tasks unless it is told otherwise.
MEMORY = 1 << 30


def run_task(
    task: bytes, *, backend: str = "cpu", memory: int = MEMORY, build: str | None = None
) -> bytes:
    """Does a task that an engine was given, on whatever machine this runs.

    Parameters
    ----------
    task : bytes
        One of the list that ``map`` of an engine gets.
    backend : str
        Device of this worker, as in ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.
    memory : int
        Bytes of the sample that this process keeps between tasks.
    build : str, optional
        Build of the driver, ``burn_did.engines.BUILD`` there; another one is refused at once.

    Returns
    -------
    bytes
        The answer. Problems with the data are answers, too.

    Raises
    ------
    burn_did.BurnDidError
        If this machine has another build than the driver, or no such device.
    """
    check_build(build)
    return _native.run_task(task, backend, memory, worker_name())


def check_build(build: str | None) -> None:
    """An error if the driver has another build."""
    if build is not None and build != BUILD:
        raise exception(
            "engine",
            f"{worker_name()} has burn_did {BUILD}, the driver {build}; install the same wheel on all machines",
            [],
            "install the same wheel on all machines",
        )


def worker_name() -> str:
    """Name of this process in errors."""
    return f"{socket.gethostname()}:{os.getpid()}"
