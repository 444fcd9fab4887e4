"""What outside code says, looked at once: a description, a plan, inputs, a golden's numbers.

Every fault is one sentence with what it is about, the value, what is allowed, and what to do.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, get_args

import numpy as np

from normgrad import cases, dtypes, plan
from normgrad.errors import NormgradError
from normgrad.ops import Role, TensorSpec
from normgrad.own import OwnOp, Planned
from normgrad.plan import Buffer, Refused
from normgrad.words import allowed

# What a tensor from outside may be: the other words are of the package's own operators.
_DTYPES = ("case", "gamma", "stats", "fp32")
_SHAPES = ("all", "leading", "leading and ones", "normalised")
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_TAKEN = ("workspace", "tiling")  # the kernel's last arguments
# Options of single operators of the package mean nothing in other cases: their names are free.
_RESERVED = frozenset(cases.OPTIONS) - {"mask", "dst", "div", "offset", "scale"}
_MOST_ATTRIBUTES, _MOST_LETTERS = 16, 31  # tiling/own_plan.h
MOST_WORKSPACE = 2**40
_MOST_TILING = 2**20


class OwnError(NormgradError):
    """A description that cannot be used, or whose code failed; one sentence."""


def shown(value: object) -> str:
    """A value in a sentence."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


def description(told: OwnOp, folder: Path, known: Sequence[str]) -> str:
    """The first fault of a description; empty if there is none."""
    return next(_faults(told, folder, known), "")


def _faults(told: Any, folder: Path, known: Sequence[str]) -> Iterator[str]:
    """Of fields that may hold anything; each relies on what has been looked at before it."""
    name = told.name
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield f"{shown(name)} is no name: write small letters, such as rms_norm"
    if name in known:
        yield f"there is an operator {name} already: choose another name"
    yield from _tensor_faults(told)
    files = {"kernel": told.kernel} | ({} if callable(told.plan) else {"plan": told.plan})
    for what, file in files.items():
        if not isinstance(file, str):
            also = " or a function" if what == "plan" else ""
            yield f"{what} of {name} is {shown(file)}: write the name of a .cpp file{also}"
        elif not (folder / file).is_file():
            yield f"there is no {file} in {folder}: write its path from there"
    if not callable(told.golden):
        yield (
            f"golden of {name} is {shown(told.golden)}: write a function of the inputs that "
            "returns Terms for each output"
        )
    if told.inputs is not None and not callable(told.inputs):
        yield f"inputs of {name} is {shown(told.inputs)}: write a function (case, rng), or None"
    yield from _chip_faults(told)
    if not isinstance(told.suites, str) or not told.suites:
        yield f"suites of {name} is {shown(told.suites)}: write the name of a folder of NAME.txt"
    if told.suites != "cases" and not (folder / told.suites).is_dir():
        yield (
            f"suites of {name} is {shown(told.suites)}, and {folder} has no such folder: make it, "
            "with NAME.txt in it, or leave suites away"
        )
    yield from _attribute_faults(told)


def _tensor_faults(told: Any) -> Iterator[str]:
    form = 'Tensor("x", "in", "case", "all")'
    if not isinstance(told.tensors, (list, tuple)):
        yield f"tensors of {told.name} is {shown(told.tensors)}: write a list of {form}"
    seen: set[str] = set()
    for spec in told.tensors:
        if not isinstance(spec, TensorSpec):
            yield f"tensors of {told.name} holds {shown(spec)}: write {form}"
        name = spec.name
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            yield f"a tensor of {told.name} is named {shown(name)}: write small letters, such as x"
        if name in _TAKEN:
            yield (
                f"a tensor of {told.name} is named {name}: that argument follows by itself, leave "
                "it away"
            )
        if name in seen:
            yield f"two tensors of {told.name} are named {name}: rename one"
        seen.add(name)
        rules = (("role", spec.role, get_args(Role)), ("dtype", spec.dtype, _DTYPES))
        for what, value, choices in (*rules, ("shape", spec.shape, _SHAPES)):
            if value not in choices:
                yield f"{name} has {what} {shown(value)}: {allowed(str(value), choices)}"
        if spec.is_optional or spec.cann_name:
            yield f"{name} has more than name, role, dtype and shape: leave the rest away"
    for role in get_args(Role):
        if not any(spec.role == role for spec in told.tensors):
            yield f"{told.name} has no tensor with role {role!r}: add one"


def _chip_faults(told: Any) -> Iterator[str]:
    name, chips = told.name, told.chips
    form = 'write {2201: ("fp32", "bf16")}, an architecture with its dtypes'
    if not isinstance(chips, Mapping) or not chips:
        yield f"chips of {name} is {shown(chips)}: {form}"
    archs = sorted({soc.arch for soc in plan.socs()})
    for arch, pairs in chips.items():
        if isinstance(arch, bool) or arch not in archs:
            yield (
                f"chips of {name} names the architecture {shown(arch)}: allowed: "
                f"{', '.join(map(str, archs))}, as numbers"
            )
        if not isinstance(pairs, (list, tuple)) or not pairs:
            yield f"chips of {name} has {shown(pairs)} for {arch}: {form}"
        for pair in pairs:
            if isinstance(pair, str):
                words: tuple[object, ...] = (pair,)
            elif isinstance(pair, tuple) and len(pair) == 2:
                words = pair
            else:
                yield (
                    f'chips of {name} has {shown(pair)} for {arch}: write a dtype such as "fp32", '
                    'or a pair ("bf16", "fp32") of dtype and gamma\'s'
                )
            for word in words:
                if word not in dtypes.FLOAT_NAMES:
                    known = allowed(str(word), dtypes.FLOAT_NAMES)
                    yield f"dtype {shown(word)} on arch {arch}: {known}"
            if len(set(words)) == 2 and all(spec.dtype != "gamma" for spec in told.tensors):
                yield (
                    f"chips of {name} has {shown(pair)}, a dtype and gamma's, and no tensor has "
                    'dtype "gamma": write the first alone'
                )


def _attribute_faults(told: Any) -> Iterator[str]:
    name, attributes = told.name, told.attributes
    if not isinstance(attributes, Mapping) or len(attributes) > _MOST_ATTRIBUTES:
        yield (
            f"attributes of {name} is {shown(attributes)}: write names with their defaults, as "
            f'{{"epsilon": 1e-6}}, at most {_MOST_ATTRIBUTES}'
        )
    tensors = {spec.name for spec in told.tensors}
    for word, value in attributes.items():
        if not isinstance(word, str) or not _NAME.fullmatch(word) or len(word) > _MOST_LETTERS:
            yield (
                f"an attribute of {name} is named {shown(word)}: write at most {_MOST_LETTERS} "
                "small letters, such as epsilon"
            )
        if word in _RESERVED or word in tensors or re.fullmatch("seed[0-9]*", word):
            what = "a tensor" if word in tensors else "an option of every case"
            yield f"an attribute of {name} is named {word}, as {what} is: choose another name"
        if type(value) not in (bool, int, float) or not math.isfinite(value):
            yield (
                f"the default of {name}'s attribute {word} is {shown(value)}: write a finite "
                "number, True or False"
            )
        if type(value) is int and abs(value) >= 10**15:
            yield f"the default of {name}'s attribute {word} is {value}: it takes 15 digits"


def planned(op: str, made: object) -> Planned:
    """What a plan function has returned, with plain numbers. Raises OwnError."""
    if not isinstance(made, Planned):
        raise OwnError(
            f"plan of {op} returned a {type(made).__name__}: return Planned, or raise Refused"
        )
    if wrong := next(_plan_faults(made), ""):
        raise OwnError(f"plan of {op} has {wrong}")
    return replace(
        made,
        tiling=bytes(made.tiling),
        declared_c=float(made.declared_c),
        fields={name: _plain(value) for name, value in made.fields.items()},
        buffers=tuple(
            Buffer(each.name, int(each.bytes), int(each.count), each.phase) for each in made.buffers
        ),
        cores=int(made.cores),
        tiling_key=int(made.tiling_key),
        workspace_bytes=int(made.workspace_bytes),
    )


def _plan_faults(made: Any) -> Iterator[str]:
    most = {"cores": 2**32 - 1, "tiling_key": 2**64 - 1, "workspace_bytes": MOST_WORKSPACE}
    for what, limit in most.items():
        value = getattr(made, what)
        if not _whole(value) or not 0 <= value <= limit:
            yield f"{what}={shown(value)}: write a whole number from 0 to {limit:,}"
    if not isinstance(made.tiling, (bytes, bytearray)) or len(made.tiling) > _MOST_TILING:
        yield (
            f"tiling={shown(made.tiling)}: write the bytes of the kernel's struct, as struct.pack "
            "gives"
        )
    for what in ("strategy", "reason"):
        if not isinstance(getattr(made, what), str) or not getattr(made, what).isprintable():
            yield f"{what}={shown(getattr(made, what))}: write a text of one line"
    if not isinstance(made.buffers, (list, tuple)):
        yield f"buffers={shown(made.buffers)}: write a list of Buffer(name, bytes, count)"
    for buffer in made.buffers:
        good = isinstance(buffer, Buffer) and isinstance(buffer.name, str)
        if not good or not all(_whole(n) and n >= 0 for n in (buffer.bytes, buffer.count)):
            yield f"a buffer {shown(buffer)}: write Buffer(name, bytes, count) with whole numbers"
        if buffer.phase not in (1, 2):
            yield f"a buffer {buffer.name} of phase {shown(buffer.phase)}: write 1 or 2"
    if not isinstance(made.fields, Mapping):
        yield f'fields={shown(made.fields)}: write names with numbers, as {{"rows_per_tile": 8}}'
    for name, value in made.fields.items():
        if not isinstance(name, str) or not _finite(value):
            yield f"a field {shown(name)} of {shown(value)}: write a name with a finite number"
    if not _finite(made.declared_c) or made.declared_c <= 0:
        yield f"declared_c={shown(made.declared_c)}: write a positive number, usually 4.0"


def _whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


def _finite(value: object) -> bool:
    number = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    return number and math.isfinite(value)  # type: ignore[arg-type]


def _plain(value: float) -> float:
    return int(value) if _whole(value) else float(value)


def refusal(op: str, refused: Refused) -> Refused:
    """A no of outside code, with a code and a sentence. Raises OwnError."""
    code, said = refused.code, refused.sentence
    if not _whole(code) or code < 1 or not isinstance(said, str) or not said.strip():
        raise OwnError(
            f"plan of {op} raised Refused({shown(code)}, {shown(said)}): write a code such as "
            '561002 and a sentence, as Refused(561002, "cols is 9: at most 8")'
        )
    return Refused(int(code), " ".join(said.split()))


def numbers(what: str, value: object) -> np.ndarray[Any, Any]:
    """What outside code gives as real numbers, as an array in float64. Raises OwnError."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biufV":  # V: bfloat16
            raise TypeError(array.dtype.name)
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise OwnError(f"{what} is {shown(value)}: give an array of real numbers") from None
