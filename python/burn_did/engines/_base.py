"""What an engine is, and how any object with ``map`` becomes one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, Protocol, runtime_checkable

from burn_did._errors import exception


@runtime_checkable
class Engine(Protocol):
    """Runs tasks on workers, wherever these are.

    Tasks and answers are bytes. An engine may lose answers (``None``) and run a task more than once: the driver checks every answer,
    and asks again for those that are missing, at most four times. Each task is done by :func:`burn_did.engines.run_task` in a process
    that has the same build of burn_did.
    """

    def map(self, tasks: list[bytes]) -> Iterable[bytes | None]:
        """Answers in the order of the tasks; an iterator hands them over as they come."""
        ...


class Adapter:
    """An engine as the driver uses it."""

    def __init__(self, engine: Any) -> None:
        if not callable(getattr(engine, "answers", None)) and not callable(getattr(engine, "map", None)):
            raise exception(
                "config",
                f"`engine` must have a method `map(list[bytes]) -> list[bytes]`, got {type(engine).__name__}",
                [],
                None,
            )
        self.engine = engine

    def workers(self) -> int:
        """How many tasks are worked on at the same time: by the engine's `workers`, else the processors here."""
        given = getattr(self.engine, "workers", None)
        given = given() if callable(given) else given
        return max(1, int(given)) if given is not None else (os.cpu_count() or 1)

    def answers(self, stage: str, tasks: list[bytes]) -> Iterator[tuple[int, bytes | str]]:
        """Answers with the numbers of their tasks, in any order. A text in place of an answer says why there is none."""
        own = getattr(self.engine, "answers", None)
        if callable(own):
            yield from own(stage, tasks)
            return
        for number, answer in enumerate(self.engine.map(tasks)):
            yield number, "the engine gave no answer" if answer is None else answer
