"""verify on a real Ray cluster of two nodes, all on this computer: nothing lost, nothing twice."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import Fake
from test_stop import MARK, marked, until

pytestmark = [pytest.mark.full, pytest.mark.xdist_group("ray")]
CASES = [f"rms_norm_grad:ascend910b4:bf16:2048x2048:seed{seed}" for seed in range(1, 13)]
SMALL = [f"rms_norm_grad:ascend910b4:fp32:{rows}x7:seed1" for rows in (3, 4, 5)]


@dataclass
class Nodes:
    """A cluster of two nodes with a CPU each; Ray's own processes know the token."""

    cluster: Any
    second: Any
    token: str
    folder: Path

    def verify(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "normgrad", "verify", *words, "--executor", "ray"],
            cwd=self.folder,
            env={**os.environ, "RAY_ADDRESS": self.cluster.address},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ended(self) -> list[dict[str, Any]]:
        """Rows of the journal."""
        journal = self.folder / "normgrad-report" / "results.jsonl"
        if not journal.exists():
            return []
        return [json.loads(line) for line in journal.read_text().split("\n")[1:-1]]

    def runners(self) -> list[int]:
        """Launches of the twin."""
        return [pid for pid, words in marked(self.token).items() if "launch.txt" in " ".join(words)]

    def second_works(self) -> bool:
        """Whether a worker of the second node, whose parent is its raylet, is at a task."""
        (raylet,) = self.second.all_processes["raylet"]
        for pid, words in marked(self.token).items():
            with suppress(OSError):
                status = Path(f"/proc/{pid}/status").read_text()
                if words[0].startswith("ray::_call") and f"PPid:\t{raylet.process.pid}\n" in status:
                    return True
        return False


Start = Callable[..., Nodes]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    pytest.importorskip("ray", reason="the extra [cluster] is not installed")
    from ray.cluster_utils import Cluster

    started: list[Nodes] = []
    scratch = tempfile.mkdtemp(prefix="nr-")  # sockets have short names

    def call(**environment: str) -> Nodes:
        token = f"{os.getpid()}-{len(started)}"
        given = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_TMPDIR": scratch, MARK: token, **environment}
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        (Path(scratch) / "ray").mkdir()
        node = {"num_cpus": 1, "object_store_memory": 80 << 20}
        # Ray makes another address of 127.0.0.1; these two are no less of this computer alone.
        head = {**node, "node_ip_address": "127.0.0.2", "include_dashboard": False}
        cluster = Cluster(initialize_head=True, head_node_args=head)
        started.append(Nodes(cluster, None, token, tmp_path))
        started[0].second = cluster.add_node(**node, node_ip_address="127.0.0.3")
        cluster.wait_for_nodes()
        return started[0]

    yield call
    for nodes in started:
        nodes.cluster.shutdown()
        assert until(lambda nodes=nodes: not others(nodes)), others(nodes)  # type: ignore[misc]
    shutil.rmtree(scratch, ignore_errors=True)


def others(nodes: Nodes) -> dict[int, list[str]]:
    """What has the token and is not this process or a parent of its."""
    return {pid: words for pid, words in marked(nodes.token).items() if pid != os.getpid()}


def test_a_node_that_is_killed_half_way_loses_nothing(start: Start) -> None:
    nodes = start()
    process = nodes.verify(*CASES)
    assert until(lambda: len(nodes.ended()) >= 4 and nodes.second_works(), 300.0)
    nodes.cluster.remove_node(nodes.second, allow_graceful=False)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, out + err
    assert "Ray cluster: 2 nodes, 2 CPUs" in err
    assert "lost on the way and run again: 1 case," in out
    assert sorted(row["case"] for row in nodes.ended()) == sorted(CASES)
    found = json.loads((nodes.folder / "normgrad-report" / "results.json").read_text())["rows"]
    assert [(row["case"], row["status"]) for row in found] == [(text, "PASSED") for text in CASES]


def test_a_case_that_kills_its_worker_is_its_own_error(
    start: Start, fake_environment: dict[str, str], fake: Fake
) -> None:
    nodes = start(**_on(fake_environment), NORMGRAD_FAKE="kill-parent")
    empty = "rms_norm_grad:ascend910b4:bf16:3x0"  # nothing to launch
    process = nodes.verify(SMALL[0], empty, "--json")
    out, err = process.communicate(timeout=300)
    assert process.returncode == 1, out + err
    rows = {row["case"]: row for row in json.loads(out)["rows"]}
    assert rows[SMALL[0]]["status"] == "ERROR"
    assert "its worker process died 3 times" in rows[SMALL[0]]["reason"]
    assert [row["status"] for row in rows.values()].count("PASSED") == 1, err
    assert process.returncode == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_what_runs_on_the_nodes(
    start: Start, fake_environment: dict[str, str], fake: Fake, number: signal.Signals
) -> None:
    nodes = start(**_on(fake_environment), NORMGRAD_FAKE="hang")
    process = nodes.verify(*SMALL)
    assert until(lambda: len(nodes.runners()) == 2, 120.0)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "interrupted; to run the other cases: normgrad verify" in out
    assert "--executor ray --resume" in out
    assert "Traceback" not in err
    assert until(lambda: not nodes.runners()), nodes.runners()


def _on(environment: dict[str, str]) -> dict[str, str]:
    return {name: environment[name] for name in ("NORMGRAD_CACHE", "PYTHONPATH")}
