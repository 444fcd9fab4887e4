"""The two executors through their one interface, and what the cluster's adds, with a stand-in."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_ray import FakeRay, RuntimeEnvSetupError

from normgrad import cli, cluster, jobs, pool, store
from normgrad.backends import LaunchOptions
from normgrad.errors import NormgradError
from normgrad.many import work

CASES = [f"rms_norm_grad:ascend910b4:fp32:{rows}x7:seed1" for rows in range(3, 9)]
CAPTURE = "npz:rms_norm_grad:ascend910b4:rms_fp32_d320_final_step60.npz"


def square(number: int) -> int:
    if number < 0:
        os._exit(1)  # takes its worker along
    return number * number


SQUARES: pool.Work[int, object] = pool.Work(square, lambda number, why: f"{number}: {why}")


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    found = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", found)
    return found


@pytest.fixture(params=["one", "two", "cluster"])
def executor(request: pytest.FixtureRequest, ray: FakeRay) -> Iterator[pool.Executor]:
    if request.param == "cluster":
        with pool.executor("ray", 100) as found:
            yield found
    else:
        yield pool.Local(1 if request.param == "one" else 2)


def test_each_task_has_one_result(executor: pool.Executor) -> None:
    assert sorted(executor.run(SQUARES, range(20))) == [(n, n * n) for n in range(20)]
    assert list(executor.run(SQUARES, [])) == []
    assert list(executor.remarks) == []


def test_a_task_that_takes_its_worker_along_is_lost_alone() -> None:
    found = dict(pool.Local(2).run(SQUARES, [1, -2, 3, 4]))
    assert found == {0: 1, 1: "-2: its worker process died (out of memory?)", 2: 9, 3: 16}


def process_id(_: int) -> int:
    return os.getpid()


def test_a_fresh_process_has_run_nothing_before(ray: FakeRay) -> None:
    work_: pool.Work[int, int] = pool.Work(process_id, lambda number, why: 0)
    for fresh, count in ((True, 3), (False, 1)):
        with pool.executor("local", 9, 1, fresh=fresh) as executor:
            assert len({pid for _, pid in executor.run(work_, range(3))}) == count
    with pool.executor("ray", 9, fresh=True) as executor:
        list(executor.run(work_, [1]))
        assert ray.asked == {"num_cpus": 1, "max_retries": 0, "max_calls": 1}


def test_what_a_cluster_loses_runs_again_and_counts_once(ray: FakeRay) -> None:
    ray.lose.update({"3": 1, "5": 2, "7": 3})
    with pool.executor("ray", 10) as executor:
        found = list(executor.run(SQUARES, range(10)))
        assert len(executor.remarks) == 1
        assert "run again: 3 cases" in executor.remarks[0]
    assert sorted(index for index, _ in found) == list(range(10))
    died = "7: its worker process died 3 times (out of memory?)"
    assert dict(found) == {n: died if n == 7 else n * n for n in range(10)}
    assert ray.is_down


def test_tasks_at_once_threads_and_devices(ray: FakeRay) -> None:
    ray.resources = [{"CPU": 8.0}, {"CPU": 4.0, "NPU": 2.0}, {"object_store_memory": 1.0}]
    for count, wanted, on_npu, threads, asked in (
        (100, None, False, 1, {}),
        (3, None, False, 4, {}),
        (1, None, False, 4, {}),  # not the 12 that no node has
        (100, 6, False, 2, {}),
        (100, None, True, 4, {"resources": {"NPU": 1}, "max_calls": 1}),
    ):
        with pool.executor("ray", count, wanted, needs_device=on_npu) as executor:
            assert executor.threads == threads
            list(executor.run(SQUARES, range(20)))
            assert ray.asked == {"num_cpus": threads, "max_retries": 0, **asked}
            assert ray.most <= (wanted or 20)
        ray.most = 0
    ray.resources = [{"CPU": 4.0}]  # no NPU: the aclnn backend runs in the twin's library
    with pool.executor("ray", 9, None, needs_device=True) as executor:
        list(executor.run(SQUARES, [1]))
        assert "resources" not in ray.asked


def test_without_ray_or_cluster_one_sentence(
    ray: FakeRay,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    words = ["verify", CASES[0], "--executor", "ray", "--report", str(tmp_path)]
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    ray.join_error = ConnectionError("nobody")
    assert cli.main(words) == 2
    assert "finds no Ray cluster: start one with `ray start --head`" in capsys.readouterr().err
    ray.join_error = None
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")
    assert cli.main(words) == 2
    assert "no Ray cluster at RAY_ADDRESS=127.0.0.1:9" in capsys.readouterr().err
    monkeypatch.delenv("RAY_ADDRESS")
    ray.join_error = RuntimeError("Version mismatch: 1 and 2\nmore")
    assert cli.main(words) == 2
    assert "(RuntimeError: Version mismatch: 1 and 2)" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "ray", None)
    assert cli.main(words) == 2
    assert "the extra [cluster]" in capsys.readouterr().err
    assert cli.main([*words[:2], "--executor", "rey"]) == 2
    assert "did you mean ray?" in capsys.readouterr().err


def test_a_node_that_cannot_run_it_is_one_sentence(ray: FakeRay) -> None:
    def fails() -> str:
        with (
            pool.executor("ray", 2) as executor,
            pytest.raises(NormgradError) as said,
        ):
            list(executor.run(SQUARES, ["no number", 2]))  # type: ignore[list-item]
        return str(said.value)

    assert "cannot run normgrad (TypeError: " in fails()
    ray.setup_error = RuntimeEnvSetupError("no room")
    assert "cannot run normgrad (RuntimeEnvSetupError: no room)" in fails()
    assert ray.is_down


def test_without_nodes_it_waits_and_then_says_so(
    ray: FakeRay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_PATIENCE_S", 0.01)
    with pool.executor("ray", 9) as executor:
        ray.deaf = True
        ray.resources = [{"CPU": 0.0}]
        with pytest.raises(NormgradError, match=r"has had 1 CPU for .* --resume"):
            list(executor.run(SQUARES, range(3)))
    assert ray.cancelled == [0, 1, 2]


def test_whoever_stops_ends_what_runs(ray: FakeRay) -> None:
    def stopped() -> None:
        with pool.executor("ray", 9) as executor:
            for _ in executor.run(SQUARES, range(4)):
                raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert ray.cancelled == [0, 1, 2]
    assert ray.is_down
    assert signal.getsignal(signal.SIGTERM) is before


def test_nodes_get_the_sources_of_this_run(ray: FakeRay) -> None:
    with pool.executor("ray", 9):
        environment = ray.given["runtime_env"]
        folder = Path(environment["working_dir"])
        done = subprocess.run(
            [sys.executable, "-c", "from normgrad import paths; print(paths.source_root())"],
            cwd=folder,
            env={**os.environ, **environment["env_vars"], "PYTHONPATH": str(folder)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == str(folder / "normgrad" / "_sources")
    assert not folder.exists()


def test_captures_are_found_on_another_computer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = jobs.from_text(CAPTURE)
    sent = jobs.portable(here)
    assert sent.npz == Path("rms_fp32_d320_final_step60.npz")
    assert jobs.arrived(sent) == here
    mine = tmp_path / "mine.npz"
    mine.write_bytes(here.npz.read_bytes() if here.npz else b"")
    monkeypatch.chdir(tmp_path)
    job = jobs.from_text("npz:rms_norm_grad:ascend910b4:mine.npz")
    assert jobs.portable(job).npz == mine
    assert jobs.portable(job).text == job.text


def test_verify_on_a_cluster_says_what_it_says_here(
    in_fake_cache: Path, ray: FakeRay, tmp_path: Path
) -> None:
    ray.lose[str(jobs.from_text(CASES[1]))] = 1
    for name in ("local", "ray"):
        words = ["verify", *CASES, "--executor", name, "--jobs", "1"]
        assert cli.main([*words, "--report", str(tmp_path / name)]) == 0
    here, there = (
        json.loads((tmp_path / name / "results.json").read_text())["rows"]
        for name in ("local", "ray")
    )
    timed = ("seconds", "launch_seconds")
    for one, two in zip(here, there, strict=True):
        assert {k: v for k, v in one.items() if k not in timed} == {
            k: v for k, v in two.items() if k not in timed
        }
    journal = (tmp_path / "ray" / "results.jsonl").read_text().splitlines()[1:]
    assert sorted(json.loads(line)["case"] for line in journal) == sorted(CASES)


def test_an_error_row_is_what_a_lost_case_ends_as() -> None:
    job = jobs.from_text(CASES[0])
    row: store.Result = work(LaunchOptions()).lost(job, "its worker process died")
    assert (row.status, row.reason, row.expected) == ("ERROR", "its worker process died", False)


def test_tune_on_a_cluster_finds_what_it_finds_here(
    ray: FakeRay, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = "rms_norm_grad:ascend910b4:bf16:80x512:seed1"
    found = []
    for name in ("local", "ray"):
        folder = str(tmp_path / name)
        words = ["tune", case, "--budget", "3", "--out", folder, "--report", folder, "--json"]
        assert cli.main([*words, "--jobs", "1", "--executor", name]) == 0
        (row,) = json.loads(capsys.readouterr().out)["rows"]
        found.append({key: value for key, value in row.items() if key != "row"})  # has the folder
    assert found[0] == found[1]
    assert found[0]["winner_us"] > 0
    assert ray.is_down
