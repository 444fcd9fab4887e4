"""The suite `published`: shapes, dtypes and ranges that hicann/ops-nn publishes.

What each case must come to is the operator's contract, written down here; the planner is asked only
for what this version has no kernel for, or none for so wide a row.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from normgrad import ops, run
from normgrad.cases import Case, expand
from normgrad.dtypes import size_bytes
from normgrad.plan import Refused

Record = Mapping[str, Any]

KINDS = ("ut_tiling", "ut_infershape", "st_ttk_csv", "st_atk_json")
DTYPES = {
    "float16": "fp16", "fp16": "fp16", "bfloat16": "bf16", "bf16": "bf16",
    "float": "fp32", "float32": "fp32", "fp32": "fp32", "int32": "int32", "int8": "int8",
    "hifloat8": "hif8",
}  # fmt: skip

CASES_HEAD = """\
# Cases that hicann/ops-nn publishes for RmsNormGrad (files below norm/rms_norm_grad/tests, August
# 2026): shapes, dtypes, chips and value ranges. Written by tests/harness/suite_writer.py.
# expect=161002 is the contract's; expect=561002 marks what this version has no kernel for yet.
# Ranges map to the nearest distribution: normal(mean 0 to 5, std 1 to 2) to dist=normal, ranges
# from zero up to dist=uniform01. rstd is what the forward pass gives for x, everywhere; the
# published cases with a rstd of their own draw it independently of x, or replace it as we do.
# Cases without a chip are for 40 cores and 192 KB, or for A2 and A3: ascend910b4 here.
"""
DIFFERENCES_HEAD = """\
# Where a published case expects something else than normgrad's contract gives.
# One per line: published case | expected there | here | row of the contract | reason
#
# Refusals with 561002 for want of a kernel are not differences: they end when it comes.
"""


LAYER_HEAD = """\
# Cases that hicann/ops-nn publishes for LayerNormGradV3 and aclnnLayerNormBackward (files below
# norm/layer_norm_grad_v3/tests, August 2026): shapes, dtypes, masks and chips. Written by
# tests/harness/suite_writer.py. expect=161002 is the contract's; expect=561002 marks what this
# version has no kernel for yet. All ranges are symmetric and map to dist=normal; rstd and mean are
# what the forward pass gives for x. Cases without a chip are for A2 and A3: ascend910b4 here.
"""


QUANT_HEAD = """\
# Cases that hicann/ops-nn publishes for RmsNormGradQuant (files below
# norm/rms_norm_grad_quant/tests, August 2026): shapes, dtypes and attributes. Written by
# tests/harness/suite_writer.py. expect=161001 is the contract's. No numbers are published: the
# scale is one that suits dx, an offset is 3.
"""
PUBLISHED_OFFSET = "3"


@dataclass(frozen=True)
class Source:
    """What is published for an operator, and how tensors are called there."""

    name: str
    root: str
    head: str
    names: Mapping[str, str]  # ours by theirs, where they differ
    kinds: tuple[str, ...] = KINDS


SOURCES = {
    "rms_norm_grad": Source("RmsNormGrad", "norm/rms_norm_grad/tests/", CASES_HEAD, {"input": "x"}),
    "rms_norm_grad_quant": Source(
        "RmsNormGradQuant",
        "norm/rms_norm_grad_quant/tests/",
        QUANT_HEAD,
        {},
        (*KINDS, "ut_op_api"),
    ),
    "layer_norm_grad_v3": Source(
        "LayerNormGradV3",
        "norm/layer_norm_grad_v3/tests/",
        LAYER_HEAD,
        {"gradOut": "dy", "input": "x", "weightOptional": "gamma", "pd_x": "dx"},
    ),
}


def texts(records: Sequence[Record], op: str = "rms_norm_grad") -> tuple[str, str]:
    """The file of cases, and the differences, one per line."""
    source = SOURCES[op]
    lines: list[str] = [source.head]
    differences: list[str] = []
    on_older: dict[str, str] = {}
    mine = [_renamed(r, source) for r in records if r["op"] == source.name]
    for kind in source.kinds:
        group = [r for r in mine if r["source_kind"] == kind]
        if not group:
            continue
        lines.append(f"# {group[0]['source_file'].removeprefix(source.root)}")
        found: dict[str, list[str]] = {}
        for record in group:
            if reason := _beyond_case_text(record):
                lines += textwrap.wrap(
                    f"{record['name']} is not a case: {reason}; tests/tiling/"
                    f"test_{op}_check.py has such calls",
                    98, initial_indent="# ", subsequent_indent="#   ",
                )  # fmt: skip
                continue
            case = case_of(record, op)
            found.setdefault(str(_with_expectation(case)), []).append(record["name"])
            if line := _difference(record, case, source.root):
                differences.append(line + "\n")
        for text, names in found.items():
            more = f" and {len(names) - 1} like it" if len(names) > 1 else ""
            lines.append(f"{text}  # {names[0]}{more}")
            if same := _on_older(Case.parse(text), len(on_older)):
                on_older.setdefault(str(_with_expectation(same)), names[0])
        lines.append("")
    if on_older:
        chips = "310P and 910" if ops.find_op(op).has_mean else "310P"
        lines.append(
            f"# Nothing is published for {chips} alone: of the above, what is taken there."
        )
    lines += [f"{text}  # {name}" for text, name in on_older.items()]
    lines.append("")
    return "\n".join(lines), "".join(differences)


def refreshed(text: str) -> str:
    """The file with what this planner refuses marked anew."""
    lines = []
    for line in text.splitlines():
        words, hash_, comment = line.partition("  #")
        cases = expand(words)
        lines.append(str(_with_expectation(cases[0])) + hash_ + comment if cases else line)
    return "\n".join(lines) + "\n"


def _renamed(record: Record, source: Source) -> Record:
    """The same with our names of tensors."""

    def ours(table: Mapping[str, Any]) -> dict[str, Any]:
        return {source.names.get(name, name): value for name, value in table.items()}

    tables = {key: ours(record[key]) for key in ("shapes", "dtypes", "out_dtypes") if key in record}
    return {**record, **tables}


def case_of(record: Record, op: str = "rms_norm_grad") -> Case:
    """The case text that has a record's chip, dtypes, shape and kind of numbers."""
    shapes, dtypes = record["shapes"], record["dtypes"]
    names = {name: DTYPES[dtype.lower()] for name, dtype in dtypes.items()}
    is_quantised = ops.find_op(op).is_quantised
    stats = names.get("rstd", ops.OPS[op].stats)
    return Case(
        op=op,
        soc="ascend950" if is_quantised or _is_950(record) else "ascend910b4",
        dtype=names["dy"],
        shape=tuple(shapes["dy"]),
        gamma=names.get("gamma"),
        stats=None if stats == ops.OPS[op].stats else stats,
        axes=len(shapes.get("gamma", shapes.get("dgamma", ()))),
        mask=_mask(record.get("attrs") or {}),
        dist=_dist(record.get("value_range")),
        **(_quantised(record, names) if is_quantised else {}),
    )


def _quantised(record: Record, names: Mapping[str, str]) -> dict[str, Any]:
    """Options that only RmsNormGradQuant has; tensors that are not there are null."""
    attrs = record.get("attrs") or {}
    named = "HIFLOAT8" if re.search("34|HIFLOAT8", str(attrs.get("dst_type"))) else "INT8"
    dst = record.get("out_dtypes", record["dtypes"]).get("dx", named)
    asked = attrs.get("div_mode", attrs.get("divMode", "true"))
    null = [name for name in ("x", "rstd", "gamma", "scales_x") if name not in record["shapes"]]
    return {
        "dst": DTYPES[dst.lower()],
        "div": str(asked).lower() == "true",
        "offset": PUBLISHED_OFFSET if "offset_x" in record["shapes"] else None,
        "scale": names.get("scales_x"),
        "null": tuple(null),
    }


def _mask(attrs: Mapping[str, Any]) -> str | None:
    """None: all outputs, or the operator has no choice."""
    asked = attrs.get("output_mask", attrs.get("outputMask", ()))
    mask = "".join(str(int(str(bit).lower() == "true")) for bit in asked)
    return None if set(mask) <= {"1"} else mask


def _on_older(case: Case, number: int) -> Case | None:
    """The same case on the products of 310P in turn, and on 910 where that has the operator; None
    for what they do not take.
    """
    socs = ("ascend310p3", "ascend310p1")
    if ops.find_op(case.op).has_mean:
        socs += ("ascend910a",)
        taken = True
    else:
        last_axis_bytes = case.shape[-1] * size_bytes(case.dtype)
        taken = case.gamma in (None, case.dtype) and last_axis_bytes >= 32
    if case.soc != "ascend910b4" or case.expect or case.dtype == "bf16" or not taken:
        return None
    return replace(case, soc=socs[number % len(socs)])


def _is_950(record: Record) -> bool:
    soc = record.get("soc")
    words = " ".join(map(str, soc.values())) if isinstance(soc, Mapping) else str(soc)
    return "3510" in words or "950" in words


def _dist(ranges: Any) -> str:
    """ATK: by tensor, a range or a normal distribution; TTK: ranges in order, dy first."""
    if ranges is None:
        return "normal"
    dy = ranges.get("dy", ranges.get("gradOut")) if isinstance(ranges, Mapping) else ranges[0]
    return "normal" if isinstance(dy, Mapping) or dy[0] < 0 else "uniform01"


def contract(case: Case) -> int:
    """The status code that the operator's contract has for a call of this form."""
    if case.null:
        return 161001
    with_mean = ops.find_op(case.op).has_mean
    allowed = (None, "fp32", case.dtype) if with_mean else (None, "fp32")
    wrong_gamma = with_mean and case.gamma not in (None, "none", "fp32")
    return 161002 if case.stats not in allowed or wrong_gamma else 0


def _with_expectation(case: Case) -> Case:
    """The case with the code that it is refused with, by the contract or for want of a kernel."""
    asked = replace(case, expect=None)
    code = contract(asked)
    try:
        run.plan_case(asked)
    except Refused as refused:
        lacks = re.search(r"has no kernel|takes .* of up to .* columns", refused.sentence)
        if code == 0 and (refused.code != 561002 or not lacks):
            raise ValueError(f"{asked}: the contract allows it, but: {refused.sentence}") from None
        if code and refused.code != code:
            raise ValueError(f"{asked}: code {refused.code} instead of {code}") from None
        return replace(asked, expect=refused.code)
    if code:
        raise ValueError(f"{asked}: the contract refuses it with {code}, the planner does not")
    return asked


def _beyond_case_text(record: Record) -> str:
    """Why a record cannot be written as a case; empty if it can."""
    shapes, outs = record["shapes"], record.get("out_dtypes", {})
    if "dy" not in shapes:
        return "it names no shapes"
    if record["op"] == "RmsNormGradQuant":
        return _beyond_quantised_text(record)
    x = shapes["x"]
    if not x:
        return "its tensors have no axes"
    if shapes["dy"] != x:
        return f"dy has shape {shapes['dy']} and x {x}, refused there and here"
    if outs.get("dx", record["dtypes"]["dy"]) != record["dtypes"]["dy"]:
        return f"dx is {outs['dx']} and dy {record['dtypes']['dy']}, refused there and here"
    return ""


def _beyond_quantised_text(record: Record) -> str:
    shapes = record["shapes"]
    x, gamma = shapes.get("x", shapes["dy"]), shapes.get("gamma", shapes.get("dgamma", ()))
    rstd = x[: len(x) - len(gamma)]
    if shapes["dy"] != x:
        return f"dy has shape {shapes['dy']} and x {x}, refused there and here"
    if shapes.get("rstd", rstd) != rstd:
        return f"rstd has shape {shapes['rstd']} beside x of {x}; it goes no further than shapes"
    if shapes.get("scales_x", [1]) != [1]:
        return f"scales_x has shape {shapes['scales_x']}, refused there and here"
    return ""


def _difference(record: Record, case: Case, root: str) -> str:
    status = str((record.get("expected") or {}).get("status") or "")
    if contract(case) and "SUCCESS" in status:
        where = f"{record['source_file'].removeprefix(root)}: {record['name']}"
        dtypes = record["dtypes"]
        if ops.find_op(case.op).has_mean:
            what = f"gamma is {dtypes['gamma']} beside x in {dtypes['x']}; ours is as x, or fp32"
        else:
            what = f"rstd is {dtypes['rstd']}; the published table, and ours, have fp32 alone"
        return f"{where} | success | {contract(case)} | dtypes | {what}"
    return ""
