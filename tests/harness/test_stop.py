"""A command that is told to end takes its children, their launches and their files along."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Fake

from normgrad import stop

CASES = [f"rms_norm_grad:ascend910b4:fp32:{rows}x7:seed1" for rows in (3, 4, 5)]
MARK = "NORMGRAD_TEST_OF_STOP"


def marked(token: str) -> dict[int, list[str]]:
    """Command lines of the processes that have the token in their environment."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"{MARK}={token}".encode() in (
                entry / "environ"
            ).read_bytes().split(b"\0"):
                words = (entry / "cmdline").read_bytes().decode().split("\0")
                found[int(entry.name)] = words
        except OSError:
            continue
    return found


def until(true: Callable[[], bool], seconds: float = 30.0) -> bool:
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if true():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(
    "words",
    [["verify", *CASES, "--jobs", "2"], ["run", CASES[0]], ["selftest", "skips_the_last_row"]],
)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
def test_nothing_stays(
    fake_environment: dict[str, str], tmp_path: Path, words: list[str], number: signal.Signals
) -> None:
    if number == signal.SIGKILL and words[0] == "run":
        pytest.skip("nobody is left to remove anything")
    token = f"{os.getpid()}-{number}-{words[0]}"
    process = subprocess.Popen(
        [sys.executable, "-m", "normgrad", *words],
        cwd=tmp_path,
        env={**fake_environment, "NORMGRAD_FAKE": "hang", MARK: token},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    launches = 2 if words[0] == "verify" else 1

    def files() -> list[Path]:
        lines = marked(token).values()
        return [Path(w) for line in lines for w in line if w.endswith("launch.txt")]

    assert until(lambda: len(files()) == launches)
    folders = [file.parent for file in files()]
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert "Traceback" not in err
    if number != signal.SIGKILL:
        assert process.returncode == 1
        assert "interrupted" in out + err
    assert until(lambda: not marked(token)), marked(token)
    assert [folder for folder in folders if folder.exists()] == []


def test_a_signal_waits_until_a_process_has_its_owner() -> None:
    """A launch that starts just then would have nobody to end it."""
    done: list[str] = []

    def start() -> None:
        with stop.held():
            with stop.held():
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(0.01)
            done.append("started")
        done.append("not reached")

    with pytest.raises(KeyboardInterrupt), stop.as_interrupt():
        start()
    assert done == ["started"]
    with stop.held():  # nothing is left waiting
        pass


def _catches(pid: int, number: signal.Signals) -> bool:
    """Whether a process has a handler of its own; Python's makes a traceback."""
    status = Path(f"/proc/{pid}/status").read_text()
    mask = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(mask.split()[1], 16) >> (number - 1) & 1)


@pytest.mark.parametrize("delay", [0.0, 0.002, 0.005, 0.01, 0.02, 0.05])
def test_nothing_stays_whenever_it_is_told(
    fake_environment: dict[str, str], tmp_path: Path, delay: float
) -> None:
    """Just as a launch starts, or its files are removed."""
    token = f"{os.getpid()}-{delay}"
    shapes = [f"rms_norm_grad:ascend910b4:fp32:{rows}x7:seed1" for rows in range(1, 40)]
    process = subprocess.Popen(
        [sys.executable, "-m", "normgrad", "verify", *shapes, "--jobs", "2"],
        cwd=tmp_path,
        env={**fake_environment, MARK: token, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()  # the heading
    process.stdout.readline()  # a case has ended
    time.sleep(delay)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert "Traceback" not in err
    assert until(lambda: not marked(token), 10.0), marked(token)


def test_planted_trees_do_not_stay(
    fake: Fake, fake_environment: dict[str, str], tmp_path: Path
) -> None:
    token = f"{os.getpid()}-plant"
    process = subprocess.Popen(
        [sys.executable, "-m", "normgrad", "selftest", "skips_the_last_row", "adds_the_mean"],
        cwd=tmp_path,
        env={**fake_environment, MARK: token},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

    def compiles() -> bool:
        return any("cc1plus" in word for line in marked(token).values() for word in line)

    assert until(lambda: any(fake.cache.glob("selftest-*")) and compiles())
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert err.endswith("normgrad: interrupted\n")
    assert until(lambda: not marked(token)), marked(token)
    assert not list(fake.cache.glob("selftest-*"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_compilers_do_not_stay(
    fake_environment: dict[str, str], tmp_path: Path, number: signal.Signals
) -> None:
    slow = tmp_path / "slow-compiler"
    slow.write_text('#!/bin/sh\n[ "$1" = --version ] && echo slow 12.0.0 || sleep 600\n')
    slow.chmod(0o755)
    token = f"{os.getpid()}-{number}-build"
    environment = {"CXX": str(slow), "NORMGRAD_CACHE": str(tmp_path / "cache"), MARK: token}
    process = subprocess.Popen(
        [sys.executable, "-m", "normgrad", "run", CASES[0]],
        cwd=tmp_path,
        env={**fake_environment, **environment},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert until(lambda: any("sleep" in line for line in marked(token).values()))
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert err == "normgrad: interrupted\n"
    assert until(lambda: not marked(token)), marked(token)


def test_closed_output_is_nobody_to_tell(fake_environment: dict[str, str], tmp_path: Path) -> None:
    for words in ("list", f"plan {CASES[0]}", "verfy"):
        done = subprocess.run(
            f"exec {sys.executable} -m normgrad {words} >&- 2>&-",
            shell=True,
            cwd=tmp_path,
            env=fake_environment,
            check=False,
        )
        assert done.returncode == (2 if words == "verfy" else 0)


def test_hangup_that_is_ignored_stays_ignored(
    fake_environment: dict[str, str], tmp_path: Path
) -> None:
    """nohup normgrad verify ..."""
    script = (
        "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN);"
        "from normgrad import stop\n"
        "with stop.as_interrupt():\n"
        "    os.kill(os.getpid(), signal.SIGHUP)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=fake_environment, cwd=tmp_path, check=False
    )
    assert done.returncode == 0


def _catches(pid: int, number: signal.Signals) -> bool:
    """Whether a process has a handler of its own; Python's makes a traceback."""
    status = Path(f"/proc/{pid}/status").read_text()
    mask = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(mask.split()[1], 16) >> (number - 1) & 1)


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.1, 0.2, 0.3, 0.5])
def test_interrupt_at_any_time_has_no_traceback(
    fake_environment: dict[str, str], tmp_path: Path, delay: float
) -> None:
    """Modules are loaded for some tenths of a second; the first line of ours ends Python's way."""
    process = subprocess.Popen(
        [sys.executable, "-c", "print(flush=True); from normgrad.__main__ import main; main()"],
        cwd=tmp_path,
        env={**fake_environment, "NORMGRAD_FAKE": "hang"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    limit = time.monotonic() + 30
    while _catches(process.pid, signal.SIGINT) and time.monotonic() < limit:
        time.sleep(0.001)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert "Traceback" not in err


@pytest.mark.parametrize("words", [["list", "--json"], ["list"], ["plan", CASES[0]], ["doctor"]])
def test_full_standard_output_is_one_sentence(
    fake_environment: dict[str, str], tmp_path: Path, words: list[str]
) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "normgrad", *words],
            cwd=tmp_path,
            env=fake_environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == (
        "normgrad: standard output cannot be written (No space left on device)\n"
    )
