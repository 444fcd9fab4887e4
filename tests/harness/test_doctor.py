"""doctor looks at everything, fails at nothing, and says what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from normgrad import doctor

Normgrad = Callable[..., "CompletedProcess[str]"]


def test_what_works_here(in_fake_cache: Path) -> None:
    lines = {line.what: line for line in doctor.examine()}
    for what in ("python", "numpy", "compiler in use", "cmake", "cache", "a case runs"):
        assert lines[what].ok, lines[what]
    assert not lines["CANN"].needed
    assert all(line.ok or not line.needed for line in lines.values())


def test_nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("NORMGRAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CXX", raising=False)
    doctor.build._base.cache_clear()
    lines = {line.what: line for line in doctor.examine()}
    assert not lines["compiler in use"].ok
    assert "install g++ 11" in lines["compiler in use"].next_step
    assert "install cmake" in lines["cmake"].next_step
    assert not lines["a case runs"].ok


def test_says_what_is_next(normgrad: Normgrad, tmp_path: Path) -> None:
    done = normgrad("doctor", PATH=str(tmp_path), NORMGRAD_CACHE=str(tmp_path / "cache"))
    assert done.returncode == 1
    assert "next: cmake: install cmake" in done.stdout
    assert "Traceback" not in done.stderr
    assert normgrad("doctor").returncode == 0
