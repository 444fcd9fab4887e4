"""A stand-in for Ray: runs tasks in this process when they are waited for, the last one first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any


class RayError(Exception):
    """What everything that goes wrong in the cluster is one of."""


class WorkerCrashedError(RayError):
    pass


class RuntimeEnvSetupError(RayError):
    pass


class RayTaskError(RayError):
    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class FakeRay:
    """The parts of the module that cluster.py uses. `lose`: how often, by the text of a task."""

    exceptions = SimpleNamespace(
        RayError=RayError, RayTaskError=RayTaskError, RuntimeEnvSetupError=RuntimeEnvSetupError
    )

    def __init__(self, *resources: dict[str, float]) -> None:
        self.resources = list(resources) or [{"CPU": 2.0}, {"CPU": 1.0}]
        self.lose: Counter[str] = Counter()
        self.join_error: Exception | None = None
        self.setup_error: Exception | None = None
        self.deaf = False
        self.given: dict[str, Any] = {}
        self.asked: dict[str, Any] = {}
        self.most = 0
        self.cancelled: list[int] = []
        self.is_down = False
        self._tasks: dict[int, Callable[[], Any]] = {}

    def init(self, **given: Any) -> None:
        self.given = given
        if self.join_error:
            raise self.join_error

    def shutdown(self) -> None:
        self.is_down = True

    def nodes(self) -> list[dict[str, Any]]:
        return [{"Alive": True, "Resources": each} for each in self.resources]

    def remote(self, **asked: Any) -> Callable[[Callable[..., Any]], Any]:
        self.asked = asked

        def submit(function: Callable[..., Any], *args: Any) -> int:
            number = len(self._tasks)
            self._tasks[number] = lambda: self._run(function, *args)
            return number

        return lambda function: SimpleNamespace(remote=lambda *args: submit(function, *args))

    def _run(self, function: Callable[..., Any], *args: Any) -> Any:
        if self.setup_error:
            raise self.setup_error
        name = str(args[-1])
        result = None
        try:
            result = function(*args)  # what is lost may have been done
        except Exception as error:
            raise RayTaskError(error) from error
        if self.lose[name]:
            self.lose[name] -= 1
            raise WorkerCrashedError(name)
        return result

    def wait(
        self, refs: Sequence[int], num_returns: int, timeout: float
    ) -> tuple[list[int], list[int]]:
        self.most = max(self.most, len(refs))
        return ([], list(refs)) if self.deaf else ([refs[-1]], list(refs[:-1]))

    def get(self, ref: int) -> Any:
        return self._tasks[ref]()

    def cancel(self, ref: int, force: bool) -> None:
        assert not force, "the launch of a worker that is killed is nobody's"
        self.cancelled.append(ref)
