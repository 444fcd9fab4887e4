"""`python -m normgrad.package ...`: a package of custom operators for CANN from these sources.

The staged source tree is complete for CANN's build. With --dry-run the install tree is staged too,
as far as it comes from here, checked, and what CANN would add is listed. What an operator takes is
asked of its description and of the planner, so that no list of dtypes is kept here.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from normgrad import build, cann, ops, paths, plan, report
from normgrad.errors import NormgradError
from normgrad.words import allowed

_VENDOR_DTYPES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32"}
_INCLUDE = re.compile(r'^#include "((?:op_kernel|tiling)/[^"]+)"', re.MULTILINE)
_ANY_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
_VENDOR = re.compile(r"[a-z][a-z0-9_]*")
_KERNEL_HEADER = "kernel_operator.h"  # the only one of CANN's that a kernel includes
_GIB_OF_A_KERNEL = 3  # of memory that one of CANN's kernel compilers may take: an assumption


@dataclass(frozen=True)
class Request:
    """What is to be in the package."""

    vendor: str
    operators: tuple[str, ...]
    families: tuple[str, ...]
    dtype: str | None  # of dy; None: all
    out: Path

    @property
    def source(self) -> Path:
        return self.out / "source"

    @property
    def vendor_root(self) -> Path:
        return self.out / "tree" / "vendors" / self.vendor


def request(args: argparse.Namespace) -> Request:
    """The words of a command line; NormgradError says which is wrong."""
    if not _VENDOR.fullmatch(args.vendor):
        raise NormgradError(
            f"--vendor {args.vendor!r} names no folder: use lower-case letters, digits and _"
        )
    described = [op for op in ops.OPS if _described(op)]
    families = {soc.family: soc for soc in plan.socs()}
    operators = tuple(args.op or described)
    wanted = tuple(args.soc or [f for f in families if any(has_kernel(op, f) for op in operators)])
    for words, known, what in ((operators, described, "--op"), (wanted, families, "--soc")):
        for word in words:
            if word not in known:
                raise NormgradError(f"{what} {word!r} cannot be packaged: {allowed(word, known)}")
    for family in wanted:
        for op in operators:
            if not has_kernel(op, family):
                raise NormgradError(
                    f"{op} has no kernel on {family}: name another --soc, or --op without it"
                )
            if args.dtype and not combinations(op, family, args.dtype):
                raise NormgradError(
                    f"{op} on {family} takes no dy in {args.dtype}: "
                    f"{allowed(args.dtype, sorted({d for d, _ in combinations(op, family)}))}"
                )
    out = Path(args.out) if args.out else paths.source_root() / "build" / "package"
    return Request(args.vendor, operators, wanted, args.dtype, out.resolve())


def _described(op: str) -> bool:
    return (paths.source_root() / "op_host" / op / f"{op}_def.cpp").is_file()


def has_kernel(op: str, family: str) -> bool:
    """Whether the planner has a plan for some small problem."""
    pairs = plan.dtype_combinations(op, plan.find_soc(family).arch)
    if not pairs or not (paths.source_root() / "op_kernel" / _entry(op, family)).is_file():
        return False
    dy, gamma = pairs[0]
    stats = ops.find_op(op).stats or dy
    sums = "fp32" if ops.find_op(op).tensor("dgamma").dtype == "fp32" else gamma
    problem = plan.Problem(64, 512, dy, gamma, stats, sums, 1, ops.find_op(op).has_mean)
    try:
        plan.make_plan(op, family, problem)
    except plan.Refused:
        return False
    return True


def _entry(op: str, family: str) -> str:
    return build.kernel_entry(ops.find_op(op).kernel_source, plan.find_soc(family).arch)


def combinations(op: str, family: str, dtype: str | None = None) -> list[tuple[str, str]]:
    """Dtypes of dy and gamma that go into the package."""
    pairs = plan.dtype_combinations(op, plan.find_soc(family).arch)
    return [pair for pair in pairs if dtype in (None, pair[0])]


def stage(what: Request) -> list[Path]:
    """Writes the source tree anew; returns its files."""
    root = paths.source_root()
    shutil.rmtree(what.source, ignore_errors=True)
    for name in ("tiling", "op_host/gert", "op_host/common"):
        shutil.copytree(root / name, what.source / name)
    for op in what.operators:
        shutil.copytree(root / "op_host" / op, what.source / "op_host" / op)
    shutil.copy(root / "cmake" / "cann" / "CMakeLists.txt", what.source)
    stage_kernels(what, what.source / "op_kernel")
    for family in what.families:
        folder = what.source / "op_host" / "config" / family
        folder.mkdir(parents=True)
        for op in what.operators:
            text = _render("binary.json.j2", **_binary(op, family, what.dtype))
            (folder / f"{op}_binary.json").write_text(text)
    return _files(what.source)


def stage_kernels(what: Request, base: Path) -> None:
    """Entries at the top, what they include below, and every include relative to its file.

    CANN copies this folder, compiles it now and may compile it again where the package is
    installed: it has to be complete without any option that says where to look.
    """
    root = paths.source_root()
    entries = {_entry(op, family) for op in what.operators for family in what.families}
    waiting = [f"op_kernel/{entry}" for entry in sorted(entries)]
    done: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in done:
            continue
        done.add(name)
        text = (root / name).read_text()
        waiting += _INCLUDE.findall(text)
        to = base / (Path(name).name if name.endswith(".cpp") else name)
        to.parent.mkdir(parents=True, exist_ok=True)
        folder = to.parent

        def relative(found: re.Match[str], folder: Path = folder) -> str:
            return f'#include "{os.path.relpath(base / found[1], folder)}"'

        to.write_text(_INCLUDE.sub(relative, text))


def stage_tree(what: Request) -> list[Path]:
    """Writes what of the installed package comes from here; returns its files."""
    shutil.rmtree(what.out / "tree", ignore_errors=True)
    tbe = what.vendor_root / "op_impl" / "ai_core" / "tbe"
    stage_kernels(what, tbe / f"{what.vendor}_impl" / "dynamic")
    for family in what.families:
        info = tbe / "config" / family / f"aic-{family}-ops-info.json"
        info.parent.mkdir(parents=True)
        info.write_text(
            _render(
                "ops_info.json.j2", operators=[_info(op, family, what) for op in what.operators]
            )
        )
    api = what.vendor_root / "op_api" / "include"
    api.mkdir(parents=True)
    for op in what.operators:
        for header in (paths.source_root() / "op_host" / op / "op_api").glob("aclnn_*.h"):
            shutil.copy(header, api)
    return _files(what.out / "tree")


def added_by_cann(what: Request) -> list[str]:
    """Files of the installed package that CANN's tools make, below vendors/<vendor>/."""
    tbe = "op_impl/ai_core/tbe"
    made = [
        "version.info",
        "bin/set_env.bash",
        "scripts/uninstall.sh",
        "op_api/lib/libcust_opapi.so",
        "op_proto/inc/op_proto.h",
        "op_proto/lib/linux/<arch>/libcust_opsproto_rt2.0.so",
        f"{tbe}/op_tiling/liboptiling.so",
        f"{tbe}/op_tiling/lib/linux/<arch>/libcust_opmaster_rt2.0.so",
    ]
    made += [f"{tbe}/{what.vendor}_impl/dynamic/{op}.py" for op in what.operators]
    for family in what.families:
        made.append(f"{tbe}/kernel/config/{family}/binary_info_config.json")
        for op in what.operators:
            made.append(f"{tbe}/kernel/config/{family}/{op}.json")
            for row in _binary(op, family, what.dtype)["rows"]:
                made += [f"{tbe}/kernel/{family}/{op}/{row['name']}.{x}" for x in ("o", "json")]
    return made


def faults(what: Request) -> list[str]:
    """What is wrong with the staged trees, one sentence each."""
    found = []
    for file in [*_files(what.source), *_files(what.out / "tree")]:
        name = file.relative_to(what.out)
        if file.is_symlink():
            found.append(f"{name} is a link: CANN's build refuses links")
            continue
        if file.suffix == ".json":
            try:
                json.loads(file.read_text())
            except ValueError as error:
                found.append(f"{name} is no JSON: {error}")
    tbe = what.vendor_root / "op_impl" / "ai_core" / "tbe"
    for base in (what.source / "op_kernel", tbe / f"{what.vendor}_impl" / "dynamic"):
        for file in (file for file in _files(base) if not file.is_symlink()):
            for include in _ANY_INCLUDE.findall(file.read_text()):
                target = (file.parent / include).resolve()
                inside = target.is_file() and base in target.parents
                if include != _KERNEL_HEADER and not inside:
                    found.append(f"{file.relative_to(what.out)} includes {include}: not staged")
    for family in what.families:
        for op in what.operators:
            entry = tbe / f"{what.vendor}_impl" / "dynamic" / Path(_entry(op, family)).name
            if not entry.is_file():
                found.append(f"{entry.relative_to(what.out)} is missing: the kernel on {family}")
    return found


def _render(template: str, **values: object) -> str:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("normgrad"), undefined=jinja2.StrictUndefined
    )
    return environment.get_template(template).render(**values) + "\n"


def _dtype(spec: ops.TensorSpec, pair: tuple[str, str]) -> str:
    name = {"case": pair[0], "gamma": pair[1]}.get(spec.dtype, "fp32")
    return _VENDOR_DTYPES[name]


def _binary(op: str, family: str, dtype: str | None) -> dict[str, list[dict[str, object]]]:
    described = ops.find_op(op)

    def row(pair: tuple[str, str]) -> dict[str, object]:
        def of(specs: Sequence[ops.TensorSpec]) -> list[dict[str, str]]:
            return [{"name": spec.name, "dtype": _dtype(spec, pair)} for spec in specs]

        name = f"{ops.find_op(op).type_name}_{'_'.join(pair)}"
        return {"name": name, "inputs": of(described.inputs), "outputs": of(described.outputs)}

    rows = [row(pair) for pair in combinations(op, family, dtype)]
    return {"op_type": ops.find_op(op).type_name, "rows": rows}  # type: ignore[dict-item]


def _info(op: str, family: str, what: Request) -> dict[str, object]:
    pairs = combinations(op, family, what.dtype)
    described = ops.find_op(op)
    tensors = [
        {
            "key": f"{kind}{index}",
            "name": spec.name,
            "dtypes": [_dtype(spec, pair) for pair in pairs],
            "formats": ["ND"] * len(pairs),
        }
        for kind, specs in (("input", described.inputs), ("output", described.outputs))
        for index, spec in enumerate(specs)
    ]
    file = Path(_entry(op, family)).stem
    return {"type": ops.find_op(op).type_name, "name": op, "file": file, "tensors": tensors}


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file() or file.is_symlink())


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
    parser.add_argument("--dtype", choices=sorted(_VENDOR_DTYPES), help="only this dtype of dy")
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
        tree = stage_tree(what)
        wrong = faults(what)
    except NormgradError as error:
        return str(error)
    for file in tree:
        report.say(f"staged   {file.relative_to(what.vendor_root.parent.parent)}")
    for name in added_by_cann(what):
        report.say(f"by CANN  vendors/{what.vendor}/{name}")
    report.say(f"{len(staged)} source files in {what.source}, {len(tree)} of the installed tree")
    return "; ".join(wrong) or None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
