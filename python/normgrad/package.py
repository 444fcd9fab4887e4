"""`python -m normgrad.package ...`: a package of custom operators for CANN from these sources.

The staged source tree is complete for CANN's build. With --dry-run the installed tree is staged
too, as far as it comes from here, checked, and what CANN would add is listed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from normgrad import bank, cann, ops, package_tree, paths, plan, report
from normgrad.errors import NormgradError
from normgrad.package_tree import VENDOR_DTYPES, Request, combinations
from normgrad.words import allowed

_VENDOR = re.compile(r"[a-z][a-z0-9_]*")
_GIB_OF_A_KERNEL = 3  # of memory that one of CANN's kernel compilers may take: an assumption


def request(args: argparse.Namespace) -> Request:
    """The words of a command line; NormgradError says which is wrong."""
    if not _VENDOR.fullmatch(args.vendor):
        raise NormgradError(
            f"--vendor {args.vendor!r} names no folder: use lower-case letters, digits and _"
        )
    described = [op for op in ops.OPS if _is_described(op)]
    families = list(dict.fromkeys(soc.family for soc in plan.socs()))
    for words, known, what in ((args.op, described, "--op"), (args.soc, families, "--soc")):
        for word in words or ():
            if word not in known:
                raise NormgradError(f"{what} {word!r} cannot be packaged: {allowed(word, known)}")
    kernels = {
        family: tuple(op for op in args.op or described if has_kernel(op, family))
        for family in args.soc or families
    }
    _say_what_has_none(args, kernels)
    packaged = {
        family: held
        for family, operators in kernels.items()
        if (held := tuple(op for op in operators if combinations(op, family, args.dtype)))
    }
    for family in args.soc or ():
        if family not in packaged:
            op = kernels[family][0]
            known = list(dict.fromkeys(row[0] for row in combinations(op, family)))
            raise NormgradError(
                f"{op} on {family} takes no dy in {args.dtype}: {allowed(args.dtype, known)}"
            )
    out = Path(args.out) if args.out else paths.products_root() / "build" / "package"
    return Request(args.vendor, packaged, args.dtype, out.resolve())


def _say_what_has_none(args: argparse.Namespace, kernels: dict[str, tuple[str, ...]]) -> None:
    """A family or an operator that was named, but has no kernel in all that was asked for."""
    for family in args.soc or ():
        if not kernels[family]:
            name = " and ".join(args.op) if args.op else "no operator"
            raise NormgradError(
                f"{name} has {'no' if args.op else 'a'} kernel on {family}: name another --soc"
            )
    for op in args.op or ():
        if not any(op in held for held in kernels.values()):
            raise NormgradError(
                f"{op} has no kernel on {' and '.join(kernels)}: name another --soc, or --op "
                "without it"
            )


def _is_described(op: str) -> bool:
    return (paths.source_root() / "op_host" / op / f"{op}_def.cpp").is_file()


def has_kernel(op: str, family: str) -> bool:
    """Whether the planner has a plan for some small problem."""
    rows = combinations(op, family)
    entry = paths.source_root() / "op_kernel" / package_tree.entry(op, family)
    if not rows or not entry.is_file():
        return False
    dy, gamma = rows[0][:2]
    described = ops.find_op(op)
    sums = "fp32" if described.tensor("dgamma").dtype == "fp32" else gamma
    problem = plan.Problem(
        64, 512, dy, gamma, ops.stats_choices(op, dy)[0], sums, 1, described.has_mean
    )
    try:
        plan.make_plan(op, family, problem)
    except plan.Refused:
        return False
    return True


def stage(what: Request) -> list[Path]:
    """Writes the source tree anew; returns its files.

    A file that is as it was keeps its time: CANN's build then compiles only what has changed.
    """
    root = paths.source_root()
    fresh = what.out / "source.new"
    shutil.rmtree(fresh, ignore_errors=True)
    for name in ("tiling", "op_host/gert", "op_host/common"):
        shutil.copytree(root / name, fresh / name)
    for op in what.operators:
        shutil.copytree(root / "op_host" / op, fresh / "op_host" / op)
    bank.write_table(root, fresh)
    shutil.copy(root / "cmake" / "cann" / "CMakeLists.txt", fresh)
    package_tree.stage_kernels(what, fresh / "op_kernel")
    for family, held in what.kernels.items():
        folder = fresh / "op_host" / "config" / family
        folder.mkdir(parents=True)
        for op in held:
            text = package_tree.binary_json(op, family, what.dtype)
            (folder / f"{op}_binary.json").write_text(text)
    _replace(what.source, fresh)
    return package_tree.files(what.source)


def _replace(old: Path, new: Path) -> None:
    """Puts the tree `new` in the place of `old`; what is equal keeps the time of the old one."""
    for file in package_tree.files(new):
        before = old / file.relative_to(new)
        if before.is_file() and before.read_bytes() == file.read_bytes():
            times = before.stat()
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        else:
            os.utime(file)
    shutil.rmtree(old, ignore_errors=True)
    new.rename(old)


def build_with_cann(what: Request, jobs: int) -> Path:
    """Configures and builds the staged sources; returns the .run file."""
    home = cann.home()
    work = what.out / "build"
    configure = [
        "cmake",
        *("-S", str(what.source), "-B", str(work)),
        f"-Dvendor_name={what.vendor}",
        f"-DASCEND_COMPUTE_UNIT={';'.join(what.families)}",
        f"-DASCEND_CANN_PACKAGE_PATH={home}",
    ]
    if what.dtype:
        configure.append(f"-DNORMGRAD_DTYPE={plan.dtype_code(what.dtype)}")
    compile_ = ["cmake", "--build", str(work), "--target", "binary", "package", "-j", str(jobs)]
    for command in (configure, compile_):
        if subprocess.run(command, check=False).returncode != 0:
            raise NormgradError(f"`{' '.join(command[:2])} ...` failed: its reason is above")
    made = sorted(work.rglob("custom_opp_*.run"))
    if not made:
        raise NormgradError(f"CANN's build made no custom_opp_*.run in {work}")
    return made[-1]


def default_jobs() -> int:
    """Kernel compilers at once, as memory allows."""
    try:
        gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (OSError, ValueError):
        gib = _GIB_OF_A_KERNEL
    return max(1, min(os.cpu_count() or 1, int(gib / _GIB_OF_A_KERNEL)))


def main(words: Sequence[str]) -> str | None:
    """None, or the sentence that says why there is no package."""
    parser = argparse.ArgumentParser(prog="scripts/build.sh package", allow_abbrev=False)
    parser.add_argument("--dry-run", action="store_true", help="stage and check, without CANN")
    parser.add_argument("--soc", action="append", help="a family: ascend910b, ascend310p, ...")
    parser.add_argument("--op", action="append", help="an operator: rms_norm_grad")
    parser.add_argument("--dtype", choices=sorted(VENDOR_DTYPES), help="only this dtype of dy")
    parser.add_argument("--vendor", default="normgrad", help="folder below vendors/")
    parser.add_argument("--out", help="where to stage and build (build/package)")
    parser.add_argument("--jobs", type=int, default=default_jobs(), help="compilers at once")
    args = parser.parse_args(words)
    try:
        what = request(args)
        staged = stage(what)
        if not args.dry_run:
            report.say(f"package: {build_with_cann(what, args.jobs)}")
            return None
        tree = package_tree.stage_tree(what)
        wrong = package_tree.faults(what)
    except NormgradError as error:
        return str(error)
    for file in tree:
        report.say(f"staged   {file.relative_to(what.vendor_root.parent.parent)}")
    for name in package_tree.added_by_cann(what):
        report.say(f"by CANN  vendors/{what.vendor}/{name}")
    report.say(f"{len(staged)} source files in {what.source}, {len(tree)} of the installed tree")
    return "; ".join(wrong) or None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
