"""What is installed, whether it works, and what to do next: text for a bug report."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from normgrad import __version__, build, cann, jobs, ops, paths, run, tools
from normgrad.backends import LaunchOptions
from normgrad.errors import NormgradError

_LEAST = {"g++": 11, "clang++": 14}
_PROBE = "rms_norm_grad:ascend910b4:fp32:3x7:seed1"


@dataclass(frozen=True)
class Line:
    """One thing that was looked at."""

    what: str
    ok: bool
    found: str
    needed: bool = True  # for the twin; what only an NPU needs is not
    next_step: str = ""


def examine() -> list[Line]:
    """Looks at everything; nothing here raises."""
    lines = [
        Line("normgrad", True, f"{__version__} in {_shown(Path(__file__).parent)}"),
        Line("system", True, f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"),
        Line(
            "python",
            sys.version_info >= (3, 10),
            platform.python_version(),
            next_step="use Python 3.10 or later",
        ),
        *(_package(name) for name in ("numpy", "ml_dtypes", "jinja2", "tqdm")),
        *_compilers(),
        _tool("cmake", True, "install cmake 3.16 or later"),
        _tool("ninja", False, "optional: install ninja for faster builds"),
        _memory(),
        _cache(),
    ]
    lines += [_built("tiling"), _built("twin"), _probe()]
    return [*lines, *_npu()]


def _shown(path: Path) -> str:
    home = str(Path.home())
    return str(path).replace(home, "~", 1) if str(path).startswith(home + os.sep) else str(path)


def _package(name: str) -> Line:
    try:
        return Line(name, True, metadata.version(name))
    except metadata.PackageNotFoundError:
        return Line(name, False, "not installed", next_step=f"pip install {name}")


def _compilers() -> list[Line]:
    lines = []
    for name, least in _LEAST.items():
        version = tools.tool_version(name) if shutil.which(name) else ""
        numbers = re.findall(r"\b(\d+)\.\d+\.\d+", version)
        good = bool(numbers) and int(numbers[-1] if name == "g++" else numbers[0]) >= least
        hint = "" if good else f"install {name} {least} or later, or the other compiler"
        lines.append(Line(name, good, version or "not on the path", False, hint))
    try:
        chosen = tools.compiler()
        lines.append(Line("compiler in use", True, chosen))
    except NormgradError as error:
        lines.append(Line("compiler in use", False, "none", next_step=str(error)))
    return lines


def _tool(name: str, needed: bool, hint: str) -> Line:
    version = tools.tool_version(name) if shutil.which(name) else ""
    return Line(name, bool(version), version or "not on the path", needed, "" if version else hint)


def _memory() -> Line:
    memory = Path("/dev/shm")
    if not memory.is_dir():
        return Line("/dev/shm", False, "missing", False, "tensors go to a temporary folder")
    free = shutil.disk_usage(memory).free
    small = "" if free >= 1 << 30 else "large tensors go to a temporary folder"
    return Line("/dev/shm", not small, f"{free / 2**30:.1f} GiB free", False, small)


def _cache() -> Line:
    try:
        root = paths.cache_root()
    except NormgradError as error:
        return Line("cache", False, "unusable", next_step=str(error))
    good = os.access(root, os.W_OK)
    hint = "" if good else "set NORMGRAD_CACHE to a folder that can be written"
    return Line("cache", good, _shown(root), next_step=hint)


def _built(part: str) -> Line:
    try:
        folder = (build.tiling_library if part == "tiling" else build.twin_runner)().parent
        return Line(f"{part} builds", True, folder.name)
    except (NormgradError, OSError) as error:
        return Line(f"{part} builds", False, "no", next_step=str(error))


def _probe() -> Line:
    """One small case through everything."""
    try:
        result = run.run_case(jobs.from_text(_PROBE), LaunchOptions()).result
    except (NormgradError, OSError) as error:
        return Line("a case runs", False, _PROBE, next_step=str(error))
    found = f"{result.status} {_PROBE} in {result.seconds:.1f} s"
    return Line("a case runs", result.expected, found, next_step=result.reason)


def _npu() -> list[Line]:
    """CANN, driver, devices, packages: only an NPU needs them, and then the first fault counts.

    What comes behind it follows from it, or cannot be seen before it is mended.
    """
    types = frozenset(op.type_name for op in ops.OPS.values())
    looks = cann.examine(types)
    lines = [Line(look.what, look.ok, look.found, False) for look in looks]
    wrong = next((look for look in looks if not look.ok), None)
    found = "all is there" if wrong is None else f"{wrong.what}: {wrong.next_step}"
    return [*lines, Line("an NPU can be used", wrong is None, found, False)]
