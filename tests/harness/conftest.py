"""A copy of the tree whose runner is tests/harness/fake_twin.py: the harness without the twin.

A copy, because the cache is keyed by the sources, and these may be edited while tests run.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from normgrad import build, paths

HERE = Path(__file__).parent
# A shell without job control starts what runs in the background deaf to Ctrl-C, and its children
# inherit that: a suite started so would wait for ever for commands that it interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

ALSO_COPIED = ("op_host", "tests/cases", "tests/defects", "tests/data/captures")
Normgrad = Callable[..., "subprocess.CompletedProcess[str]"]


def rows(done: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    """What a command printed with --json."""
    found: list[dict[str, object]] = json.loads(done.stdout)["rows"]
    return found


@dataclass(frozen=True)
class Fake:
    tree: Path
    cache: Path


def forget() -> None:
    build._base.cache_clear()
    build._build_unit.cache_clear()


@pytest.fixture(scope="session")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Fake:
    """The copy, and a cache with the real planner, the fake runner, and units that are empty."""
    found = Fake(tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("cache"))
    paths.copy_sources(found.tree, *ALSO_COPIED)
    package = Path(paths.__file__).parent
    shutil.copytree(
        package,
        found.tree / "python" / "normgrad",
        ignore=shutil.ignore_patterns("__pycache__", "_sources"),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "source_root", lambda: found.tree)
        patch.setenv("NORMGRAD_CACHE", str(found.cache))
        forget()
        build.tiling_library()
        twin = build.base_folder("twin")
        twin.mkdir()
        runner = twin / "normgrad-twin"
        runner.write_text(f"#!{sys.executable}\n{(HERE / 'fake_twin.py').read_text()}")
        runner.chmod(0o755)
        (twin / "unit_flags.txt").write_text("flag -O0\n")
        for dtype in ("bf16", "fp32"):
            folder = build.unit_folder(build.Unit("rms_norm_grad", 2201, (dtype, dtype)), twin)
            folder.mkdir()
            (folder / "unit.so").touch()
    forget()
    return found


@pytest.fixture
def in_fake_cache(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The fake tree and cache for calls in this process (worker processes know only the cache)."""
    monkeypatch.setattr(paths, "source_root", lambda: fake.tree)
    monkeypatch.setenv("NORMGRAD_CACHE", str(fake.cache))
    monkeypatch.delenv("NORMGRAD_FAKE", raising=False)
    forget()
    yield fake.cache
    forget()


@pytest.fixture
def fake_environment(fake: Fake) -> dict[str, str]:
    """Environment of a process that works on the fake tree."""
    return {
        **os.environ,
        "NORMGRAD_CACHE": str(fake.cache),
        "PYTHONPATH": str(fake.tree / "python"),
    }


@pytest.fixture
def normgrad(fake_environment: dict[str, str], tmp_path: Path) -> Normgrad:
    """The command line in a process of its own, in an empty folder, with the fake runner."""

    def call(*words: str, fake: str = "right", **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "normgrad", *words],
            cwd=tmp_path,
            env={**fake_environment, "NORMGRAD_FAKE": fake, **more},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return call
