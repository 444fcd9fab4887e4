"""`python -m normgrad.check_cann`: do these sources compile against an installed CANN.

Nothing is built or installed: a host compiler reads CANN's headers. Kernels are read as CANN's CPU
debugging reads them (tikicpulib), where the toolkit has it. Errors inside CANN's own headers are
not ours to mend: they are counted, and only those in files of this tree fail.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from normgrad import build, cann, ops, package, package_tree, paths, plan, report, tools
from normgrad.errors import NormgradError

_HOST_FOLDERS = (
    "include",
    "include/aclnn",
    "include/nnopbase",
    "include/external",
    "include/exe_graph",
    "pkg_inc",
    "asc/include",
    "*-linux/include",
    "*-linux/include/aclnn",
    "*-linux/include/nnopbase",
    "*-linux/pkg_inc",
    "*-linux/asc/include",
    "*-linux/ascendc/include/highlevel_api",
)
_KERNEL_FOLDERS = (
    "tools/tikicpulib/lib/include",
    "*-linux/tikcpp/tikcfw",
    "*-linux/tikcpp/tikcfw/interface",
    "*-linux/tikcpp/tikcfw/impl",
    "*-linux/asc/include",
    "*-linux/asc/include/basic_api",
    "*-linux/asc/impl/basic_api",
    "include",
)
# How CANN's CPU debugging tells its headers which chip it is (asc-tools, cpudebug).
_CHIPS = {
    1001: ("-D__CCE_AICORE__=100", "-D__DAV_C100__"),
    2002: ("-D__CCE_AICORE__=200", "-D__DAV_M200__"),
    2201: ("-D__CCE_AICORE__=220", "-D__DAV_C220__", "-DNO_COSIM"),
    3510: ("-D__CCE_AICORE__=310", "-D__DAV_C310__", "-DNO_COSIM"),
}
_DEBUGGED = ("-D__CCE_KT_TEST__=1", "-DASCENDC_CPU_DEBUG=1")
_OLD_STRINGS = "-D_GLIBCXX_USE_CXX11_ABI=0"
_API_STANDARD = "-std=c++17"  # of the headers that aclnn functions are written with
_MODES = ((), ("-DOP_TILING_LIB",), ("-DOP_PROTO_LIB",))  # the three libraries of a package


@dataclass(frozen=True)
class Reading:
    """One source that a compiler has read."""

    name: str
    ours: tuple[str, ...]  # errors in files of this tree
    theirs: int


def folders(home: Path, patterns: tuple[str, ...]) -> list[Path]:
    return [folder for pattern in patterns for folder in sorted(home.glob(pattern))]


def read_host(home: Path) -> list[Reading]:
    """Descriptions, tiling and aclnn functions, as each library of a package compiles them."""
    root = paths.source_root() / "op_host"
    sources = [*(root / "gert").glob("*.cpp")]
    for what in ("def", "infershape", "tiling"):
        sources += root.glob(f"*/*_{what}.cpp")
    wanted = [(source, ["-std=c++11", *mode]) for source in sorted(sources) for mode in _MODES]
    api = [*(root / "common").glob("*.cpp"), *root.glob("*/op_api/*.cpp")]
    wanted += [(source, [_API_STANDARD]) for source in sorted(api)]
    where = folders(home, _HOST_FOLDERS)
    return [
        _read(str(source.relative_to(root.parent)), source, [_OLD_STRINGS, *flags], where)
        for source, flags in wanted
    ]


def read_kernels(home: Path) -> list[Reading]:
    """Every operator with every combination of dtypes on every chip; none without tikicpulib."""
    where = folders(home, _KERNEL_FOLDERS)
    if not any((folder / "kernel_operator.h").is_file() for folder in where):
        return []
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        for unit in _units():
            source = Path(scratch) / f"{unit.op}-{unit.arch}-{'-'.join(unit.dtypes)}.cpp"
            source.write_text(build.render_unit(unit, "check_kernel.cpp.j2"))
            flags = ["-std=c++17", "-fpermissive", *_DEBUGGED, *_CHIPS[unit.arch]]
            flags.append(f"-D__NPU_ARCH__={unit.arch}")
            found.append(_read(source.stem, source, flags, where))
    return found


def _units() -> list[build.Unit]:
    families = {soc.arch: soc.family for soc in reversed(plan.socs())}
    return [
        build.Unit(op, arch, pair)
        for op in ops.OPS
        for arch, family in sorted(families.items())
        if package.has_kernel(op, family)
        for pair in package_tree.combinations(op, family)
    ]


def _read(name: str, source: Path, flags: list[str], where: list[Path]) -> Reading:
    root = paths.source_root()
    includes = [word for folder in where for word in ("-isystem", str(folder))]
    command = [tools.compiler(), "-fsyntax-only", "-w", "-fmax-errors=0", *flags, f"-I{root}"]
    done = subprocess.run(
        [*command, *includes, str(source)], capture_output=True, text=True, check=False
    )
    errors = [line for line in done.stderr.splitlines() if "error: " in line]
    theirs = tuple(f"{folder}/" for folder in where)
    ours = tuple(line for line in errors if not line.startswith(theirs))
    return Reading(name, ours, len(errors) - len(ours))


def main() -> str | None:
    """None, or the sentence that says what does not compile."""
    try:
        home = cann.home()
        host, kernels = read_host(home), read_kernels(home)
    except NormgradError as error:
        return str(error)
    readings = [*host, *kernels]
    rows = [(r.name, "ok" if not r.ours else "no", r.theirs) for r in readings]
    report.table(("source", "compiles", "errors in CANN's own headers"), rows)
    if not kernels:
        report.say("kernels were not read: this toolkit has no kernel_operator.h of tikicpulib")
    failed = [reading for reading in readings if reading.ours]
    for reading in failed:
        report.say(reading.ours[0])
    return f"{len(failed)} of {len(readings)} do not compile against {home}" if failed else None


if __name__ == "__main__":
    sys.exit(main())
