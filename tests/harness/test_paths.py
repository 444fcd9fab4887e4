"""Sources, cache and scratch files are found from a checkout and from a wheel, and cleaned up."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from normgrad import paths
from normgrad.errors import NormgradError


def pretend_package(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    folder.mkdir(parents=True)
    monkeypatch.setattr(paths, "__file__", str(folder / "paths.py"))


def make_sources(root: Path) -> None:
    for name in ("op_kernel", "tiling", "twin"):
        (root / name).mkdir(parents=True)


def test_this_tree_has_everything() -> None:
    assert (paths.source_root() / "CMakeLists.txt").is_file()
    assert paths.cases_root().is_dir()
    assert paths.captures_root().is_dir()


def test_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_package(monkeypatch, tmp_path / "python" / "normgrad")
    make_sources(tmp_path)
    assert paths.source_root() == tmp_path
    assert paths.products_root() == tmp_path


def test_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site-packages" / "normgrad"
    pretend_package(monkeypatch, package)
    make_sources(package / "_sources")
    assert paths.source_root() == package / "_sources"
    assert paths.cases_root() == package / "_sources" / "tests" / "cases"
    assert paths.products_root() == Path.cwd()  # nothing is made among installed packages


def test_no_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_package(monkeypatch, tmp_path / "a" / "normgrad")
    with pytest.raises(NormgradError, match=r"no sources .* reinstall normgrad"):
        paths.source_root()


def test_cache_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NORMGRAD_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert paths.cache_root() == tmp_path / "home" / ".cache" / "normgrad"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert paths.cache_root() == tmp_path / "xdg" / "normgrad"
    monkeypatch.setenv("NORMGRAD_CACHE", str(tmp_path / "own"))
    assert paths.cache_root() == tmp_path / "own"
    assert paths.cache_root().is_dir()


def test_cache_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("NORMGRAD_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(NormgradError, match="set NORMGRAD_CACHE to a folder"):
        paths.cache_root()


@pytest.mark.parametrize(
    ("variable", "call"),
    [("NORMGRAD_CACHE", paths.cache_root), ("NORMGRAD_SOURCES", paths.source_root)],
)
def test_home_of_nobody(
    monkeypatch: pytest.MonkeyPatch, variable: str, call: Callable[[], Path]
) -> None:
    monkeypatch.setenv(variable, "~nobody-of-this-name/x")
    with pytest.raises(NormgradError, match=f"{variable} is .* write the path out"):
        call()


def test_scratch_is_removed_on_errors() -> None:
    kept: list[Path] = []

    def fail() -> None:
        with paths.scratch_folder(100) as folder:
            kept.append(folder)
            (folder / "x.bin").write_bytes(b"123")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not kept[0].exists()


def test_scratch_leaves_memory_that_is_too_small() -> None:
    memory = Path("/dev/shm")
    if not memory.is_dir():
        pytest.skip("no /dev/shm here")
    with paths.scratch_folder(shutil.disk_usage(memory).total) as folder:
        assert memory not in folder.parents
