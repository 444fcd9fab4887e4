"""Builds the planner, the twin and kernel units into the user's cache, keyed by content.

Base targets go through CMake in a work folder per checkout, and are copied to a folder named by the
content of their sources. They are built from a copy of the sources in which a file is written only
where its content differs: ninja and make go by times, and a file that is restored with its old time
would leave the object of other content. Units are compiled directly with the flags that CMake wrote
beside the twin. Everything becomes visible by a rename, under a lock file.
"""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import jinja2

from normgrad import bank, cache, ops, paths, tools
from normgrad.errors import NormgradError

_CTYPES = {
    "fp32": "float",
    "fp16": "half",
    "bf16": "bfloat16_t",
    "int8": "int8_t",
    "int32": "int32_t",
    "hif8": "hifloat8_t",
}

# Part of the base -> CMake's targets, and the files that are kept.
_PARTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "tiling": (("normgrad_tiling",), ("libnormgrad_tiling.so",)),
    "twin": (
        ("normgrad_twin", "normgrad-twin"),
        ("libnormgrad_twin.so", "normgrad-twin", "unit_flags.txt"),
    ),
    "acl": (("normgrad_acl",), ("libnormgrad_acl.so", "libnormgrad_tiling.so")),
    "host": (("normgrad_op_host",), ("libnormgrad_op_host.so",)),
}
# The names under which a client links what CANN spreads over several libraries.
_ACL_NAMES = ("ascendcl", "acl_rt", "nnopbase", "cust_opapi", "opapi_nn", "opapi_math", "opapi")

TWIN_SHARES = ("chips.cpp", "dtype.cpp")  # sources of tiling/ that CMake compiles into the twin


class BuildError(NormgradError):
    """A compiler said no: one sentence with its first error and the log's path."""


class UnitError(BuildError):
    """A kernel does not compile: a matter of its cases alone."""


@dataclass(frozen=True)
class Unit:
    """One shared library: all strategies of an operator for one arch and one set of dtypes."""

    op: str
    arch: int
    dtypes: tuple[str, ...]  # of dy, gamma and whatever else is free


def tiling_library() -> Path:
    return _base("tiling") / "libnormgrad_tiling.so"


def twin_runner() -> Path:
    return _base("twin") / "normgrad-twin"


def acl_folder() -> Path:
    """The folder of the aclnn library, under all the names that clients link."""
    return _base("acl")


def host_library() -> Path:
    """CANN's host side of the operators, over contexts that tests build."""
    return _base("host") / "libnormgrad_op_host.so"


def unit(op: str, arch: int, dtypes: Sequence[str]) -> Path:
    """The shared library of one unit, compiled if the cache does not hold it."""
    return _unit(Unit(op, arch, tuple(dtypes)))


def units(wanted: Iterable[Unit], jobs: int | None = None) -> dict[Unit, Path]:
    """Builds several units side by side; the first one that fails is raised."""
    distinct = list(dict.fromkeys(wanted))
    if not distinct:
        return {}
    _base("twin")
    pool = ThreadPoolExecutor(max_workers=jobs or default_jobs())
    try:
        return dict(zip(distinct, pool.map(_unit, distinct), strict=True))
    finally:  # what still runs then, runs for nothing
        pool.shutdown(wait=False, cancel_futures=True)
        tools.end_all()


def missing(wanted: Iterable[Unit]) -> list[Unit]:
    """Those units that are still to be compiled."""
    twin = _base("twin")
    return [what for what in dict.fromkeys(wanted) if not unit_folder(what, twin).is_dir()]


def link_all(target: Path) -> None:
    """Makes another cache folder know all that is built here; names tell what it was made from."""
    for folder in paths.cache_root().iterdir():
        kind = folder.name.partition("-")[0]
        if kind in (*_PARTS, "unit") and folder.is_dir() and "." not in folder.name:
            (target / folder.name).symlink_to(folder)


def default_jobs() -> int:
    """Compilers at once: a unit needs about 0.5 GB, so memory decides before cores do."""
    return max(1, min(os.cpu_count() or 1, 8))


@functools.lru_cache(maxsize=4)
def _base(part: str) -> Path:
    """The folder with the built files of `tiling` or `twin`."""
    done = base_folder(part)
    if done.is_dir():
        return done
    root, cxx, ninja = paths.source_root(), tools.compiler(), tools.ninja()
    targets, wanted = _PARTS[part]
    place = cache.digest(root, [], str(root), "sources", ninja or "", *_how(cxx))
    work = paths.cache_root() / f"work-{place}"
    with cache.locked(work):
        while not (done := base_folder(part)).is_dir():
            _forget_unfinished(work)
            copied = work / "sources"
            cache.mirror(root, _all_sources(root), copied, {bank.TABLE: bank.table(root)})
            if _base_name(copied, part) != done.name:
                continue  # a source was edited meanwhile
            unfinished = _unfinished(work)
            unfinished.touch()
            _cmake(copied, work, cxx, ninja, targets)
            unfinished.unlink()
            made = [work / name for name in wanted]
            if lost := [file.name for file in made if not file.exists()]:
                raise BuildError(
                    f"building {targets[-1]}{_chosen_compiler()} made no {lost[0]}: {cxx} is no "
                    f"compiler? (log: {work / 'build.log'})"
                )
            links = [f"lib{name}.so" for name in _ACL_NAMES] if part == "acl" else []
            cache.publish(made, done, links)
    return done


def _unfinished(work: Path) -> Path:
    """There while a build runs: what one that was killed leaves behind is not to be trusted."""
    return work / "unfinished"


def _forget_unfinished(work: Path) -> None:
    if _unfinished(work).exists():
        shutil.rmtree(work)


def base_folder(part: str) -> Path:
    """Where the files of `tiling` or `twin` are, once they are built from the present sources."""
    return paths.cache_root() / _base_name(paths.source_root(), part)


def _base_name(root: Path, part: str) -> str:
    files = _base_sources(root, part)
    rows = () if part == "twin" else (bank.table(root),)  # of the planner, which the others hold
    return f"{part}-{cache.digest(root, files, *rows, *_how(tools.compiler()))}"


def _base_sources(root: Path, part: str) -> list[Path]:
    """What a part of the base is made from."""
    files = [root / "CMakeLists.txt"]
    tiling = cache.sources(root / "tiling")
    if part == "twin":  # not the planner's own sources
        shared = [f for f in tiling if f.suffix == ".h" or f.name in TWIN_SHARES]
        return files + shared + _twin_sources(root)
    if part == "acl":
        headers = [f for f in cache.sources(root / "twin" / "machine") if f.suffix == ".h"]
        files += cache.sources(root / "twin" / "acl") + cache.sources(root / "op_host") + headers
    if part == "host":
        files += cache.sources(root / "twin" / "host") + cache.sources(root / "op_host")
    return files + tiling


def _twin_sources(root: Path) -> list[Path]:
    others = {root / "twin" / "acl", root / "twin" / "host"}
    return [file for file in cache.sources(root / "twin") if others.isdisjoint(file.parents)]


def _all_sources(root: Path) -> list[Path]:
    parts = ("tiling", "twin", "op_host")
    return [root / "CMakeLists.txt", *(f for part in parts for f in cache.sources(root / part))]


def _chosen_compiler() -> str:
    chosen = os.environ.get("CXX")
    return f" with CXX={chosen}" if chosen else ""


def _how(cxx: str) -> tuple[str, str, str]:
    return cxx, tools.tool_version(cxx), os.environ.get("CXXFLAGS", "")


def _cmake(root: Path, work: Path, cxx: str, ninja: str | None, targets: Sequence[str]) -> None:
    if shutil.which("cmake") is None:
        raise NormgradError("cmake is not on the path; install cmake 3.16 or later")
    if ninja is None and shutil.which("make") is None:
        raise NormgradError("neither ninja nor make is on the path; install one of them")
    work.mkdir(parents=True, exist_ok=True)
    log = work / "build.log"
    configure = ["cmake", "-S", str(root), "-B", str(work), f"-DCMAKE_CXX_COMPILER={cxx}"]
    if ninja:
        configure += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    build = ["cmake", "--build", str(work), "--parallel", str(default_jobs()), "--target", *targets]
    with log.open("w") as out:
        for command in (configure, build):
            if tools.run(command, out) != 0:
                if command is configure:  # or it would remember what was wrong
                    (work / "CMakeCache.txt").unlink(missing_ok=True)
                _unfinished(work).unlink(missing_ok=True)  # it has come to its end
                said = tools.first_error(f"building {targets[-1]}{_chosen_compiler()} failed", log)
                raise BuildError(said.replace(f"{root}/", ""))  # a name of the tree, not of a copy


def _unit(what: Unit) -> Path:
    own = ops.find_op(what.op).own
    return _build_unit(what, own.sources() if own else "")


@functools.lru_cache(maxsize=256)
def _build_unit(what: Unit, _own: str) -> Path:
    twin = _base("twin")
    done = unit_folder(what, twin)
    if not done.is_dir():
        with cache.locked(done):
            while not (done := unit_folder(what, twin)).is_dir():
                made = _compile(what, twin, done.with_name(f"{done.name}.work"))
                if unit_folder(what, twin) == done:
                    cache.publish(made, done)
                shutil.rmtree(made[0].parent, ignore_errors=True)
    return done / "unit.so"


def unit_folder(what: Unit, twin: Path) -> Path:
    """Where a unit is, once it is compiled from the present sources.

    Of the twin only headers count: its library is found by name in the process of a launch.
    """
    root, own = paths.source_root(), ops.find_op(what.op).own
    tool, flags = _unit_flags(twin)
    headers = [f for f in _twin_sources(root) + cache.sources(root / "tiling") if f.suffix == ".h"]
    kernels = cache.kernel_files(root, what.op)
    more = (render_unit(what), own.sources() if own else "", tool, tools.tool_version(tool), *flags)
    key = cache.digest(root, headers + kernels, *more)
    return paths.cache_root() / f"unit-{what.op}-{what.arch}-{'-'.join(what.dtypes)}-{key}"


def _compile(what: Unit, twin: Path, work: Path) -> list[Path]:
    """Compiles a unit in a folder of its own; returns its source, log and library."""
    work.mkdir(exist_ok=True)
    source = work / "unit.cpp"
    source.write_text(render_unit(what))
    title = f"compiling {what.op} for arch {what.arch} ({' '.join(what.dtypes)}) failed"
    own = ops.find_op(what.op).own
    made = _compile_source(source, what.arch, title, twin, work, own.folder if own else None)
    if own:
        own.refuse_unseen(work / "unit.d")
    return [source, *made]


def _compile_source(
    source: Path, arch: int, title: str, twin: Path, work: Path, own: Path | None = None
) -> list[Path]:
    """Compiles one file into `work`; returns log and library. `own`: another tree of kernels."""
    root = paths.source_root()
    work.mkdir(exist_ok=True)
    log, made = work / "unit.log", work / "unit.so"
    tool, flags = _unit_flags(twin)
    read = str(work / "unit.d")  # what the compiler has read
    theirs = (f"-ffile-prefix-map={own}/=", f"-I{own}", "-MMD", "-MF", read) if own else ()
    command = [
        tool,
        *flags,
        f"-D__NPU_ARCH__={arch}",
        f"-ffile-prefix-map={root}/=",  # findings name files of the tree, on any machine
        *theirs,
        f"-I{root / 'twin' / 'include'}",
        f"-I{root}",
        str(source),
        "-o",
        str(made),
        str(twin / "libnormgrad_twin.so"),
        f"-Wl,-rpath,{twin}",
        "-Wl,--no-undefined",  # a missing API is a build error, not one of the launch
    ]
    with log.open("w") as out:
        out.write(" ".join(command) + "\n")
        out.flush()
        code = tools.run(command, out)
    if code != 0:
        raise UnitError(tools.first_error(title, log))
    return [log, made]


def kernel_library(source: Path, arch: int) -> Path:
    """Any kernel source as a shared library; it defines the entry that the twin calls itself.

    `source` and the headers beside it or one folder up belong to the tree of `paths.source_root`.
    """
    twin = _base("twin")
    done = _kernel_folder(source, arch, twin)
    if not done.is_dir():
        with cache.locked(done):
            if not done.is_dir():
                work = done.with_name(f"{done.name}.work")
                title = f"compiling {source.name} for arch {arch} failed"
                cache.publish(_compile_source(source, arch, title, twin, work), done)
                shutil.rmtree(work, ignore_errors=True)
    return done / "unit.so"


def _kernel_folder(source: Path, arch: int, twin: Path) -> Path:
    root = paths.source_root()
    tool, flags = _unit_flags(twin)
    headers = [*source.parent.glob("*.h"), *source.parent.parent.glob("*.h")]
    headers += [f for name in ("twin", "tiling") for f in (root / name).rglob("*.h")]
    key = cache.digest(root, [source, *headers], tool, tools.tool_version(tool), *flags)
    name = f"{source.parent.name}-{source.stem}"
    return paths.cache_root() / f"kernel-{name}-{arch}-{key}"


def render_unit(what: Unit, template: str = "unit.cpp.j2") -> str:
    """The C++ text of a unit: dtypes as macros, the kernel, and the twin's entry."""
    op = ops.find_op(what.op)
    rules = {"stats": "fp32", "fp32": "fp32", "int32": "int32"}
    rules |= dict(zip(op.free_dtypes, what.dtypes, strict=True))
    entry = kernel_entry(op.kernel_source, what.arch)
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("normgrad"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(
        op=what.op,
        arch=what.arch,
        dtypes=what.dtypes,
        arguments=[(t.ir_name, _CTYPES[rules[t.dtype]]) for t in op.tensors],
        argument_count=len(op.tensors) + 2,  # then workspace and tiling
        source=op.kernel_source if op.own else f"op_kernel/{entry}",
    )


def kernel_entry(source: str, arch: int) -> str:
    """The kernel's entry, below op_kernel/: 3510 has one of its own where there is such a file."""
    own = source.replace(".cpp", "_regbase.cpp")
    has_own = arch == 3510 and (paths.source_root() / "op_kernel" / own).is_file()
    return own if has_own else source


def _unit_flags(twin: Path) -> tuple[str, list[str]]:
    """Compiler and flags that CMake wrote; its folders are not used, since the cache may move."""
    tool, flags = tools.compiler(), []
    for line in (twin / "unit_flags.txt").read_text().splitlines():
        key, _, value = line.partition(" ")
        if key == "compiler":
            tool = value
        elif key == "flag":
            flags.append(value)
    return tool, flags
