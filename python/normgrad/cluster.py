"""The executor of a Ray cluster: the same tasks, in worker processes of many computers.

The package and the tree of kernels travel with the run (Ray's working_dir), so that no node needs a
checkout, and none can have an old one. A node needs Python and the packages of normgrad, and what
compiles kernels; it keeps what it built in its own cache.

Ray may run a lost task again by itself; here it does not (max_retries=0), so that a task that takes
its worker down is seen. A result counts when it has arrived here: what a lost node had not yet
given is run again elsewhere, and what it had given is not.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import signal
import socket
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from normgrad import own_parts, paths, report, stop
from normgrad.errors import NormgradError
from normgrad.pool import Work
from normgrad.words import counted

T = TypeVar("T")
R = TypeVar("R")
_TRIES = 3  # of a task whose worker or node is lost: a node, or two, may go; a third is its fault
_POLL_S = 1.0
_PATIENCE_S = 60.0  # without a node that could run what is left; a lost node may come back
_LAST_WORDS_S = 5.0
_KNOCK_S = 5.0
_NPU = "NPU"  # Ray's name of Ascend devices, which it finds itself and numbers for each worker


@contextlib.contextmanager
def connected(
    count: int, wanted: int | None, needs_device: bool, fresh: bool = False
) -> Iterator[Cluster]:
    """An executor for `count` tasks on the cluster that this computer is part of."""
    ray = _ray()
    handlers = {number: signal.getsignal(number) for number in stop.SIGNALS}
    with tempfile.TemporaryDirectory(prefix="normgrad-") as folder:
        _join(ray, _sent(Path(folder)))
        try:
            if stop.in_main_thread():  # Ray takes SIGTERM for itself
                for number, handler in handlers.items():
                    signal.signal(number, handler)
            yield replace(_cluster(ray, count, wanted, needs_device), fresh=fresh)
        finally:
            with stop.held():
                ray.shutdown()


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "2")  # of 45 s each; read when Ray is loaded
    try:
        import ray
    except ImportError:
        raise NormgradError(
            "--executor ray needs Ray, which is not installed here: install normgrad with the "
            "extra [cluster] (in a checkout: .venv/bin/pip install --require-hashes -r "
            "requirements/cluster.txt), or use --executor local"
        ) from None
    return ray


def _join(ray: Any, folder: Path) -> None:
    environment = {
        "working_dir": str(folder),
        "env_vars": {"NORMGRAD_SOURCES": "", "RAY_USAGE_STATS_ENABLED": "0"},
    }
    address = os.environ.get("RAY_ADDRESS") or "auto"
    try:
        _knock(address)
        _hush(ray)
        ray.init(
            address=address,
            runtime_env=environment,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except (ConnectionError, TimeoutError, socket.gaierror):
        where = "" if address == "auto" else f" at RAY_ADDRESS={address}"
        raise NormgradError(
            f"--executor ray finds no Ray cluster{where}: start one with `ray start --head` here "
            "and `ray start --address=HOST:6379` on the other computers, or use --executor local"
        ) from None
    except Exception as error:  # of versions, sizes, networks
        ray.shutdown()
        raise NormgradError(
            f"--executor ray cannot join the Ray cluster ({_first_line(error)}); see `ray status`, "
            "or use --executor local"
        ) from None


def _knock(address: str) -> None:
    """Ray itself tries for minutes where nobody listens."""
    host, _, port = address.rpartition(":")
    if port.isdigit() and "/" not in host:
        socket.create_connection((host.strip("[]"), int(port)), _KNOCK_S).close()


def _hush(ray: Any) -> None:
    """Ray says on standard output, where results are, that workers died; no option stops it."""
    worker: Any = getattr(getattr(ray, "_private", None), "worker", None)
    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda *_, **__: None


def _sent(folder: Path) -> Path:
    """What the nodes get: the package, with the tree of kernels where a wheel has it."""
    package = folder / "normgrad"
    shutil.copytree(
        Path(__file__).parent,
        package,
        ignore=shutil.ignore_patterns("__pycache__", "_sources"),
    )
    paths.copy_sources(package / "_sources", "op_host", "tests/data/captures")
    return folder


def _cluster(ray: Any, count: int, wanted: int | None, needs_device: bool) -> Cluster:
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    cpus = [int(node.get("CPU", 0)) for node in nodes]
    devices = sum(int(node.get(_NPU, 0)) for node in nodes) if needs_device else 0
    slots = devices or sum(cpus)
    if not slots:
        raise NormgradError(
            "--executor ray: no node of the Ray cluster has a CPU for tasks; see `ray status`"
        )
    workers = max(1, min(wanted or slots, count))
    threads = max(1, min(sum(cpus) // workers, min(cpu for cpu in cpus if cpu)))
    what = counted(devices, _NPU) if devices else counted(sum(cpus), "CPU")
    report.note(f"Ray cluster: {counted(len(nodes), 'node')}, {what}")
    return Cluster(ray, wanted, threads, bool(devices))


@dataclass
class Cluster:
    """Worker processes of a Ray cluster."""

    ray: Any
    wanted: int | None  # tasks at once; None: what the nodes have room for
    threads: int
    on_devices: bool
    fresh: bool = False
    remarks: list[str] = field(default_factory=list)

    def run(self, work: Work[T, R], tasks: Sequence[T]) -> Iterator[tuple[int, R]]:
        """Results with the index of their task, in the order in which they end."""
        submit = self._remote()
        own = [file.resolve() for file in own_parts.files_in_use()]
        waiting, tries = deque(range(len(tasks))), Counter[int]()
        running: dict[Any, int] = {}
        since = time.monotonic()
        try:
            while waiting or running:
                while waiting and len(running) < (self.wanted or len(tasks)):
                    index = waiting.popleft()
                    running[submit(work.call, own, tasks[index])] = index
                ended, _ = self.ray.wait(list(running), num_returns=1, timeout=_POLL_S)
                if ended or self._has_room():
                    since = time.monotonic()
                elif time.monotonic() - since > _PATIENCE_S:
                    raise NormgradError(
                        f"no node of the Ray cluster has had {self._needs()} for "
                        f"{_PATIENCE_S:.0f} s: see `ray status`; with nodes there again, --resume "
                        "goes on with what has ended"
                    )
                for one in ended:
                    index = running.pop(one)
                    found = self._result(one)
                    if found:
                        yield index, found[0]
                        continue
                    tries[index] += 1
                    if tries[index] < _TRIES:
                        waiting.append(index)
                    else:
                        died = f"its worker process died {_TRIES} times (out of memory?)"
                        yield index, work.lost(tasks[index], died)
        finally:
            self._remark(tries)
            self._end(list(running))

    def _remote(self) -> Callable[..., Any]:
        """Starts a task. A process that has set a device keeps it, so it does not see another."""
        more: dict[str, Any] = {"resources": {_NPU: 1}} if self.on_devices else {}
        more |= {"max_calls": 1} if self.on_devices or self.fresh else {}
        remote = self.ray.remote(num_cpus=self.threads, max_retries=0, **more)(_call)
        start: Callable[..., Any] = remote.remote
        return start

    def _result(self, one: Any) -> tuple[Any] | None:
        """What a task has given; None if its worker, its node, or its result was lost."""
        errors = self.ray.exceptions
        try:
            return (self.ray.get(one),)
        except (errors.RayTaskError, errors.RuntimeEnvSetupError) as error:
            cause = getattr(error, "cause", None) or error
            if isinstance(cause, NormgradError):
                raise NormgradError(f"on a node of the Ray cluster: {cause}") from None
            raise NormgradError(
                f"a node of the Ray cluster cannot run normgrad ({_first_line(cause)}): it needs "
                "the Python of this computer with the packages of requirements/cluster.txt"
            ) from None
        except errors.RayError:
            return None

    def _has_room(self) -> bool:
        """Whether a node could ever run a task, busy as it may be."""
        needs = {"CPU": self.threads, **({_NPU: 1} if self.on_devices else {})}
        return any(
            node["Alive"] and all(node["Resources"].get(what, 0) >= needs[what] for what in needs)
            for node in self.ray.nodes()
        )

    def _needs(self) -> str:
        return counted(self.threads, "CPU") + (f" and an {_NPU}" if self.on_devices else "")

    def _remark(self, tries: Mapping[int, int]) -> None:
        if tries:
            self.remarks.append(
                f"lost on the way and run again: {counted(len(tries), 'case')}, whose worker or "
                "node of the Ray cluster was gone before the result was here"
            )

    def _end(self, left: Sequence[Any]) -> None:
        """Interrupts what still runs, so that launches are killed and their files removed."""
        if not left:
            return
        with stop.held(), contextlib.suppress(self.ray.exceptions.RayError):
            for one in left:
                self.ray.cancel(one, force=False)
            self.ray.wait(list(left), num_returns=len(left), timeout=_LAST_WORDS_S)


def _call(call: Callable[[T], R], own: Sequence[Path], task: T) -> R:
    """In a worker of Ray."""
    own_parts.use(own)
    return call(task)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}{f': {lines[0]}' if lines else ''}"[:300]
