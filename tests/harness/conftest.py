"""A cache in which the runner is tests/harness/fake_twin.py: the harness without the twin."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from normgrad import build, paths

HERE = Path(__file__).parent
Normgrad = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def fake_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder with the real planner, the fake runner, and units that are empty files."""
    cache = tmp_path_factory.mktemp("fake_cache")
    real = build.tiling_library().parent
    before = os.environ.get("NORMGRAD_CACHE")
    os.environ["NORMGRAD_CACHE"] = str(cache)
    try:
        (cache / real.name).symlink_to(real)
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
    finally:
        if before is None:
            del os.environ["NORMGRAD_CACHE"]
        else:
            os.environ["NORMGRAD_CACHE"] = before
    return cache


@pytest.fixture
def in_fake_cache(fake_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The fake cache for calls in this process."""
    monkeypatch.setenv("NORMGRAD_CACHE", str(fake_cache))
    monkeypatch.delenv("NORMGRAD_FAKE", raising=False)
    build._base.cache_clear()
    build._build_unit.cache_clear()
    yield fake_cache
    build._base.cache_clear()
    build._build_unit.cache_clear()


@pytest.fixture
def normgrad(fake_cache: Path, tmp_path: Path) -> Normgrad:
    """The command line in a process of its own, in an empty folder, with the fake runner."""

    def call(*words: str, fake: str = "right", **more: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "NORMGRAD_CACHE": str(fake_cache),
            "NORMGRAD_FAKE": fake,
            "PYTHONPATH": str(paths.source_root() / "python"),
            **more,
        }
        return subprocess.run(
            [sys.executable, "-m", "normgrad", *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return call
