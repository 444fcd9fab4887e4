"""Where sources, cases, captures, caches and scratch files are: the only module that knows."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from normgrad import stop
from normgrad.errors import NormgradError

_SOURCE_FOLDERS = ("op_kernel", "tiling", "twin")
# Kept free in /dev/shm beside the tensors of a launch: it is everybody's memory.
_SHM_RESERVE_BYTES = 64 << 20


def source_root() -> Path:
    """The folder with op_kernel/, tiling/ and twin/.

    That is NORMGRAD_SOURCES if set (a tree with another kernel in it), else the checkout around
    this package, else the wheel's package data.
    """
    package = Path(__file__).resolve().parent
    chosen = os.environ.get("NORMGRAD_SOURCES")
    candidates: tuple[Path, ...] = (package.parent.parent, package / "_sources")
    if chosen:
        candidates = (_expanded("NORMGRAD_SOURCES", chosen).resolve(),)
    for folder in candidates:
        if all((folder / name).is_dir() for name in _SOURCE_FOLDERS):
            return folder
    tried = " and ".join(str(folder) for folder in candidates)
    raise NormgradError(
        f"no sources ({', '.join(_SOURCE_FOLDERS)}) in {tried}; "
        + (
            "point NORMGRAD_SOURCES at a complete tree or unset it"
            if chosen
            else "reinstall normgrad or run it from a complete checkout"
        )
    )


def products_root() -> Path:
    """Where a package of operators is built: the checkout; of a wheel the current folder."""
    root = source_root()
    return Path.cwd() if root.parent == Path(__file__).resolve().parent else root


def copy_sources(tree: Path, *more: str) -> Path:
    """What units and the planner are made from, and more folders, in a tree that may be edited."""
    from normgrad import bank  # which asks this module

    root = source_root()
    for name in (*_SOURCE_FOLDERS, *more):
        shutil.copytree(root / name, tree / name)
    shutil.copy2(root / "CMakeLists.txt", tree)
    # Rows of tuned plans as they are here: an edit of a kernel there must not drop them.
    bank.write_table(root, tree)
    return tree


def _expanded(variable: str, value: str) -> Path:
    try:
        return Path(value).expanduser()
    except RuntimeError:
        raise NormgradError(
            f"{variable} is {value!r}, but no such user has a home here; write the path out"
        ) from None


def cases_root() -> Path:
    return source_root() / "tests" / "cases"


def defects_root() -> Path:
    return source_root() / "tests" / "defects"


def captures_root() -> Path:
    return source_root() / "tests" / "data" / "captures"


def cache_root() -> Path:
    """The user's cache of builds: NORMGRAD_CACHE, else XDG_CACHE_HOME/normgrad, else ~/.cache."""
    chosen = os.environ.get("NORMGRAD_CACHE")
    if chosen:
        root = _expanded("NORMGRAD_CACHE", chosen)
    else:
        base = os.environ.get("XDG_CACHE_HOME")
        root = (Path(base) if base else Path.home() / ".cache") / "normgrad"
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NormgradError(
            f"the cache folder {root} cannot be made ({error.strerror}); set NORMGRAD_CACHE to a "
            "folder that can be written"
        ) from None
    return root


@contextmanager
def scratch_folder(needed_bytes: int) -> Iterator[Path]:
    """A folder for the files of one launch, in memory if they fit there; removed afterwards."""
    memory = Path("/dev/shm")
    parent: Path | None = None
    if memory.is_dir() and os.access(memory, os.W_OK):
        free = shutil.disk_usage(memory).free
        if free >= needed_bytes + needed_bytes // 4 + _SHM_RESERVE_BYTES:
            parent = memory
    folder: Path | None = None
    try:
        with stop.held():
            folder = Path(tempfile.mkdtemp(prefix="normgrad-", dir=parent))
        yield folder
    finally:
        if folder is not None:
            with stop.held():
                shutil.rmtree(folder, ignore_errors=True)
