"""Folders of the cache: named by the content they are made from, whole or not there at all."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from normgrad import paths, stop

_KEEP_S = 7 * 24 * 3600.0  # an edit of a source makes a new folder of about a megabyte
_SOURCE_ENDINGS = (".cpp", ".h")
# Folders of kernels that another operator's includes, beside its own and the common one.
_KERNELS_ALSO = {"rms_norm_grad_quant": ("rms_norm_grad",)}
_STALE_S = 24 * 3600.0  # a scratch folder whose process was killed


def digest(root: Path, files: Iterable[Path], *more: str) -> str:
    """Hash of names and contents; 20 hex digits are plenty for one user's cache."""
    h = hashlib.sha256()
    for text in more:
        h.update(text.encode() + b"\0")
    for file in sorted(set(files)):
        data = file.read_bytes()
        h.update(f"{file.relative_to(root)} {len(data)}\0".encode())
        h.update(data)
    return h.hexdigest()[:20]


def sources(folder: Path) -> list[Path]:
    """The C++ files below a folder."""
    return [file for file in folder.rglob("*") if file.suffix in _SOURCE_ENDINGS and file.is_file()]


def kernel_files(root: Path, op: str) -> list[Path]:
    """All that an operator's kernels may include below op_kernel/."""
    folders = dict.fromkeys((op, *_KERNELS_ALSO.get(op, ()), "common"))
    return [file for name in folders for file in sources(root / "op_kernel" / name)]


def mirror(root: Path, files: Iterable[Path], target: Path, made: Mapping[Path, str]) -> None:
    """Makes `target` a copy of these files of `root` and what is `made`, and of nothing else.

    What is the same already keeps its time; what is written has a new one.
    """
    wanted = {target / file.relative_to(root): file.read_bytes() for file in files}
    wanted |= {target / name: text.encode() for name, text in made.items()}
    if target.is_dir():
        for old in [file for file in target.rglob("*") if not file.is_dir()]:
            if old not in wanted:
                old.unlink()
    for copy, data in wanted.items():
        if not copy.is_file() or copy.read_bytes() != data:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(data)


def publish(files: Sequence[Path], target: Path, links: Sequence[str] = ()) -> None:
    """Copies files beside the target folder and renames: a reader sees all of them or none.

    `links` are further names of the first file.
    """
    fresh = target.with_name(f"{target.name}.{os.getpid()}")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    for file in files:
        shutil.copy2(file, fresh / file.name)
    for name in links:
        (fresh / name).symlink_to(files[0].name)
    try:
        fresh.rename(target)
    except OSError:
        shutil.rmtree(fresh, ignore_errors=True)
        if not target.is_dir():
            raise
    _forget_old(target)


def _forget_old(fresh: Path) -> None:
    """Removes builds of the same thing from other sources once nobody can still be using them."""
    limit = time.time() - _KEEP_S
    for old in fresh.parent.glob(f"{fresh.name.rpartition('-')[0]}-*"):
        if old.is_dir() and old != fresh and old.stat().st_mtime < limit:
            shutil.rmtree(old, ignore_errors=True)
            old.with_name(f"{old.name}.lock").unlink(missing_ok=True)


@contextmanager
def scratch(name: str) -> Iterator[Path]:
    """A folder beside the builds, where libraries can be loaded from; removed afterwards."""
    root = paths.cache_root()
    for old in root.glob(f"{name}-*"):
        if time.time() - old.stat().st_mtime > _STALE_S:
            shutil.rmtree(old, ignore_errors=True)
    folder: Path | None = None
    try:
        with stop.held():
            folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=root))
        yield folder
    finally:
        if folder is not None:
            with stop.held():
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def locked(target: Path) -> Iterator[None]:
    """Only one process at a time makes `target`."""
    with target.with_name(f"{target.name}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
