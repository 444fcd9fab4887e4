"""What the installed package is made of: what comes from here, what CANN adds, what is wrong.

What an operator takes is asked of its description and of the planner, so that no list of dtypes is
kept here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from normgrad import build, ops, paths, plan

VENDOR_DTYPES = {
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
}
_VENDOR_NAMES = VENDOR_DTYPES | {"int8": "int8", "int32": "int32", "hif8": "hifloat8"}
_INCLUDE = re.compile(r'^#include "((?:op_kernel|tiling)/[^"]+)"', re.MULTILINE)
_ANY_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
_KERNEL_HEADER = "kernel_operator.h"  # the only one of CANN's that a kernel includes
_TBE = Path("op_impl") / "ai_core" / "tbe"


@dataclass(frozen=True)
class Request:
    """What is to be in the package."""

    vendor: str
    kernels: dict[str, tuple[str, ...]]  # of each family, the operators that have one there
    dtype: str | None  # of dy; None: all
    out: Path

    @property
    def families(self) -> tuple[str, ...]:
        return tuple(self.kernels)

    @property
    def operators(self) -> tuple[str, ...]:
        packaged = {op for held in self.kernels.values() for op in held}
        return tuple(op for op in ops.OPS if op in packaged)

    @property
    def source(self) -> Path:
        return self.out / "source"

    @property
    def vendor_root(self) -> Path:
        return self.out / "tree" / "vendors" / self.vendor

    @property
    def tbe(self) -> Path:
        return self.vendor_root / _TBE


def entry(op: str, family: str) -> str:
    """The kernel's file on a family of chips, below op_kernel/."""
    return build.kernel_entry(ops.find_op(op).kernel_source, plan.find_soc(family).arch)


def combinations(op: str, family: str, dtype: str | None = None) -> list[tuple[str, ...]]:
    """Dtypes for each of which a kernel is compiled: of dy, gamma and whatever else is free."""
    return [
        dtypes
        for dy, gamma in plan.dtype_combinations(op, plan.find_soc(family).arch)
        if dtype in (None, dy)
        for dtypes in ops.unit_choices(op, dy, gamma)
    ]


def stage_kernels(what: Request, base: Path) -> None:
    """Entries at the top, what they include below, and every include relative to its file.

    CANN copies this folder, compiles it now and may compile it again where the package is
    installed: it has to be complete without any option that says where to look.
    """
    root = paths.source_root()
    entries = {entry(op, family) for family, held in what.kernels.items() for op in held}
    waiting = [f"op_kernel/{name}" for name in sorted(entries)]
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
    stage_kernels(what, what.tbe / f"{what.vendor}_impl" / "dynamic")
    for family, held in what.kernels.items():
        info = what.tbe / "config" / family / f"aic-{family}-ops-info.json"
        info.parent.mkdir(parents=True)
        described = [_info(op, family, what.dtype) for op in held]
        info.write_text(_render("ops_info.json.j2", operators=described))
    api = what.vendor_root / "op_api" / "include"
    api.mkdir(parents=True)
    for op in what.operators:
        for header in (paths.source_root() / "op_host" / op / "op_api").glob("aclnn_*.h"):
            shutil.copy(header, api)
    return files(what.out / "tree")


def added_by_cann(what: Request) -> list[str]:
    """Files of the installed package that CANN's tools make, below vendors/<vendor>/."""
    made = [
        "version.info",
        "bin/set_env.bash",
        "scripts/uninstall.sh",
        "op_api/lib/libcust_opapi.so",
        "op_proto/inc/op_proto.h",
        "op_proto/lib/linux/<arch>/libcust_opsproto_rt2.0.so",
        f"{_TBE}/op_tiling/liboptiling.so",
        f"{_TBE}/op_tiling/lib/linux/<arch>/libcust_opmaster_rt2.0.so",
    ]
    made += [f"{_TBE}/{what.vendor}_impl/dynamic/{op}.py" for op in what.operators]
    for family, held in what.kernels.items():
        made.append(f"{_TBE}/kernel/config/{family}/binary_info_config.json")
        for op in held:
            made.append(f"{_TBE}/kernel/config/{family}/{op}.json")
            for dtypes in combinations(op, family, what.dtype):
                name = f"{_TBE}/kernel/{family}/{op}/{_binary_name(op, dtypes)}"
                made += [f"{name}.o", f"{name}.json"]
    return made


def faults(what: Request) -> list[str]:
    """What is wrong with the staged trees, one sentence each."""
    found = []
    for file in [*files(what.source), *files(what.out / "tree")]:
        name = file.relative_to(what.out)
        if file.is_symlink():
            found.append(f"{name} is a link: CANN's build refuses links")
            continue
        if file.suffix == ".json":
            try:
                json.loads(file.read_text())
            except ValueError as error:
                found.append(f"{name} is no JSON: {error}")
    dynamic = what.tbe / f"{what.vendor}_impl" / "dynamic"
    for base in (what.source / "op_kernel", dynamic):
        for file in (file for file in files(base) if not file.is_symlink()):
            for include in _ANY_INCLUDE.findall(file.read_text()):
                target = (file.parent / include).resolve()
                inside = target.is_file() and base in target.parents
                if include != _KERNEL_HEADER and not inside:
                    found.append(f"{file.relative_to(what.out)} includes {include}: not staged")
    for family, held in what.kernels.items():
        for op in held:
            file = dynamic / Path(entry(op, family)).name
            if not file.is_file():
                found.append(f"{file.relative_to(what.out)} is missing: the kernel on {family}")
    return found


def files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file() or file.is_symlink())


def binary_json(op: str, family: str, dtype: str | None) -> str:
    """What CANN compiles of an operator for a family: one row for each combination of dtypes."""
    described = ops.find_op(op)
    rows = [
        {
            "name": _binary_name(op, dtypes),
            "inputs": [(spec, _dtype(described, spec, dtypes)) for spec in described.inputs],
            "outputs": [(spec, _dtype(described, spec, dtypes)) for spec in described.outputs],
        }
        for dtypes in combinations(op, family, dtype)
    ]
    return _render("binary.json.j2", op=described, rows=rows)


def _binary_name(op: str, dtypes: Sequence[str]) -> str:
    return f"{ops.find_op(op).type_name}_{'_'.join(dtypes)}"


def _info(op: str, family: str, dtype: str | None) -> dict[str, object]:
    described = ops.find_op(op)
    rows = combinations(op, family, dtype)
    return {
        "op": described,
        "file": Path(entry(op, family)).stem,
        "formats": ",".join(["ND"] * len(rows)),
        "tensors": [
            (f"{kind}{index}", spec, ",".join(_dtype(described, spec, row) for row in rows))
            for kind, specs in (("input", described.inputs), ("output", described.outputs))
            for index, spec in enumerate(specs)
        ],
    }


def _dtype(op: ops.OpDescription, spec: ops.TensorSpec, dtypes: Sequence[str]) -> str:
    rules = {"stats": "fp32", "fp32": "fp32", "int32": "int32"}
    rules |= dict(zip(op.free_dtypes, dtypes, strict=True))
    return _VENDOR_NAMES[rules[spec.dtype]]


def _render(template: str, **values: object) -> str:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("normgrad"), undefined=jinja2.StrictUndefined
    )
    return environment.get_template(template).render(**values) + "\n"
