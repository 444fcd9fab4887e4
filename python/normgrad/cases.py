"""The text of a case: parsed, checked, written back, and expanded from lines of suite files.

    rms_norm_grad:ascend910b4:bf16:4096x1024:gamma=fp32:dist=heavy:seed7

The text is the test's id, the log line, the JSON key and the argument that reproduces the case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import prod
from pathlib import Path
from typing import Any

from normgrad import dtypes, ops, readers
from normgrad.grammar import MAX_CASES, CaseError, expand_text, whole
from normgrad.words import allowed

DISTS = (
    "normal", "uniform", "uniform01", "heavy", "offset", "cancelling", "parallel", "tiny", "huge",
    "subnormal", "onehot", "constant", "exact", "index", "specials",
)  # fmt: skip
MAX_RANK = 8  # of the operators' contract
FORM = "OP:SOC:DTYPE:SHAPE[:OPTION=VALUE...][:seedN]"

# Options that choose how a case is run or what is expected of it, not which numbers go in.
STEERING = ("strategy", "ub", "cores", "chunk", "expect", "det", "noncontig", "null", "mask")


@dataclass(frozen=True)
class Case:
    """One problem with its inputs: everything that is needed to run it again."""

    op: str
    soc: str  # as written: a product ("ascend910b4") or a family
    dtype: str  # of dy, x and dx
    shape: tuple[int, ...]  # of x
    gamma: str | None = None  # dtype of gamma; None: the case's dtype
    stats: str | None = None  # dtype of the statistics, where it is free
    axes: int = 1  # trailing axes that are normalised together
    mask: str | None = None
    dst: str | None = None
    div: bool | None = None
    offset: str | None = None
    scale: str | None = None  # a number, a dtype, or both as 0.5@bf16
    dist: str = "normal"
    noncontig: tuple[str, ...] = ()
    null: tuple[str, ...] = ()
    det: str | None = None
    strategy: str | None = None
    ub: int | None = None  # bytes
    cores: int | None = None
    chunk: int | None = None  # columns
    expect: int | None = None  # the status code that a refusal must have
    seed: int = 1
    scalars: tuple[tuple[str, float], ...] = ()  # of an operator from outside, where not default

    def __post_init__(self) -> None:
        object.__setattr__(self, "soc", self.soc.lower())  # one text per case
        if self.scalars and self.op in ops.OPS:
            known, given = ops.OPS[self.op].scalars, dict(self.scalars)
            kept = tuple((n, given[n]) for n in known if given.get(n, known[n]) != known[n])
            object.__setattr__(self, "scalars", kept)
        if self.gamma == self.dtype:
            object.__setattr__(self, "gamma", None)
        if self.op in ops.OPS and self.stats == self.dtype and ops.OPS[self.op].stats is None:
            object.__setattr__(self, "stats", None)
        if self.op in ops.OPS and ops.OPS[self.op].is_quantised:
            self._drop_defaults()
        _check(self)

    def _drop_defaults(self) -> None:
        """Of the quantisation."""
        if self.dst == "int8":
            object.__setattr__(self, "dst", None)
        if self.div:
            object.__setattr__(self, "div", None)
        if self.offset is not None:
            offset = None if self.offset == "none" else str(int(self.offset))
            object.__setattr__(self, "offset", offset)
        if self.scale is not None:
            object.__setattr__(self, "scale", readers.scale_text(self.scale))

    @staticmethod
    def parse(text: str) -> Case:
        """The case that a text means; CaseError with one sentence if it means none."""
        return _parse(text.strip())

    def __str__(self) -> str:
        words = [self.op, self.soc, self.dtype, "x".join(map(str, self.shape))]
        words += [
            f"{name}={readers.write(value)}" for name, value in (*_given(self), *self.scalars)
        ]
        return ":".join([*words, f"seed{self.seed}"])

    @property
    def rows(self) -> int:
        return prod(self.shape[: len(self.shape) - self.axes])

    @property
    def cols(self) -> int:
        return prod(self.shape[len(self.shape) - self.axes :])

    @property
    def attributes(self) -> Mapping[str, float]:
        """The numbers beside the tensors, of an operator from outside: given or by default."""
        return {**ops.find_op(self.op).scalars, **dict(self.scalars)}

    @property
    def divides(self) -> bool:
        """Whether a quantised dx is divided by its scale, or multiplied."""
        return self.div is not False

    @property
    def scale_value(self) -> float | None:
        """None: one that suits the numbers (see scales.py)."""
        number = (self.scale or "").partition("@")[0]
        return None if number in ("", *dtypes.FLOAT_NAMES) else float(number)

    @property
    def scale_dtype(self) -> str:
        kind = (self.scale or "").rpartition("@")[2]
        return kind if kind in dtypes.FLOAT_NAMES else "fp32"

    @property
    def is_empty(self) -> bool:
        return self.rows * self.cols == 0


def inputs_key(case: Case) -> str:
    """The part of the text that decides the inputs: the same on every SoC and for every plan."""
    words = [case.op, case.dtype, "x".join(map(str, case.shape))]
    words += [f"{n}={readers.write(v)}" for n, v in _given(case) if n not in STEERING]
    return ":".join([*words, f"seed{case.seed}"])


def _given(case: Case) -> list[tuple[str, Any]]:
    """Options whose value is not the default, in the order of the fields."""
    return [
        (field.name, getattr(case, field.name))
        for field in fields(case)
        if field.name in OPTIONS and getattr(case, field.name) != field.default
    ]


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


# Every option with the function that reads its value and refuses wrong ones.
OPTIONS: dict[str, Callable[[str], Any]] = {
    "gamma": readers.one_of(*dtypes.FLOAT_NAMES, "none"),
    "stats": readers.one_of(*dtypes.FLOAT_NAMES),
    "axes": readers.integer(1),
    "mask": readers.pattern("[01]{3}", "write three digits 0 or 1, such as 110"),
    "dst": readers.one_of("int8", "hif8"),
    "div": lambda text: readers.one_of("0", "1")(text) == "1",
    "offset": readers.offset,
    "scale": readers.scale,
    "dist": readers.one_of(*DISTS),
    "noncontig": _names,
    "null": _names,
    "det": readers.one_of("strong"),
    "strategy": readers.pattern("[A-Za-z]+", "write a strategy's name, such as DxWholeRow"),
    "ub": readers.integer(1),
    "cores": readers.integer(1),
    "chunk": readers.integer(1),
    "expect": readers.integer(1),
}


def _parse(text: str) -> Case:
    head, *rest = text.split(":")
    if len(rest) < 3:
        raise CaseError(f"case {text!r} has too few parts: write {FORM}")
    soc, dtype, shape_text, *options = rest
    try:
        op = ops.find_op(head)
    except ops.OpError as error:
        raise CaseError(f"case {text!r}: {error}") from None
    shape = [whole(length) for length in shape_text.split("x")]
    if None in shape:
        raise CaseError(
            f"case {text!r}: shape {shape_text!r} is not whole numbers with x between them, "
            "such as 4096x1024"
        )
    values: dict[str, Any] = {}
    for option in options:
        name, value = _parse_option(text, option, op)
        if name in values:
            raise CaseError(f"case {text!r} gives {name} twice: keep one")
        values[name] = value
    scalars = tuple((name, values.pop(name)) for name in op.scalars if name in values)
    lengths = tuple(n for n in shape if n is not None)
    return Case(head, soc, dtype, lengths, scalars=scalars, **values)


def _parse_option(text: str, option: str, op: ops.OpDescription) -> tuple[str, Any]:
    if option.startswith("seed") and (seed := whole(option[4:])) is not None:
        return "seed", seed
    name, equals, value = option.partition("=")
    scalars = {known: readers.scalar(default) for known, default in op.scalars.items()}
    read = {**OPTIONS, **scalars}.get(name)
    if read is None or not equals:
        known = [*(known for known in OPTIONS if known in op.options), *scalars]
        raise CaseError(
            f"case {text!r}: {option!r} is not an option: "
            + allowed(name, [*(f"{each}=" for each in known), "seedN"])
        )
    try:
        return name, read(value)
    except CaseError as error:
        raise CaseError(f"case {text!r}: {name}={value} is not valid: {error}") from None


def _check(case: Case) -> None:
    """What no single word can show: that the parts of a case fit each other."""
    text = str(case)
    op = ops.find_op(case.op)
    if not re.fullmatch(r"[a-z][a-z0-9_]*", case.soc):
        raise CaseError(f"case {text!r}: SoC {case.soc!r} is not a name such as ascend910b4")
    if case.dtype not in dtypes.FLOAT_NAMES:
        raise CaseError(
            f"case {text!r}: unknown dtype {case.dtype!r}: "
            + allowed(case.dtype, dtypes.FLOAT_NAMES)
        )
    if not 1 <= len(case.shape) <= MAX_RANK:
        raise CaseError(
            f"case {text!r} has {len(case.shape)} axes: write a shape of 1 to {MAX_RANK} axes"
        )
    if case.axes > len(case.shape):
        raise CaseError(
            f"case {text!r}: axes={case.axes} normalises more axes than the {len(case.shape)} of "
            "its shape: lower axes or add axes to the shape"
        )
    for name, _ in _given(case):
        if name not in op.options:
            raise CaseError(
                f"case {text!r}: {case.op} has no option {name}=: it takes "
                + ", ".join(sorted(op.options))
            )
    if case.gamma == "none" and "mask" not in op.options:
        raise CaseError(f"case {text!r}: {case.op} needs gamma: write gamma=fp32, fp16 or bf16")
    if "offset_x" in case.null and case.offset is not None:
        raise CaseError(
            f"case {text!r} leaves offset_x out and gives offset={case.offset}: keep one of the two"
        )
    names = [tensor.name for tensor in op.tensors]
    for word in (*case.noncontig, *case.null):
        if word not in names:
            raise CaseError(
                f"case {text!r}: {case.op} has no tensor {word!r}: {allowed(word, names)}"
            )


def expand(line: str) -> list[Case]:
    """The cases of one line of a suite file (see grammar.py); none for a comment."""
    return [Case.parse(text) for text in expand_text(line)]


def load_file(path: Path) -> list[Case]:
    """The cases of a file in their order, each once: lists may overlap."""
    return list(dict.fromkeys(read_file(path)))


def read_file(path: Path) -> list[Case]:
    """The cases of a file as they are written; CaseError names file and line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise CaseError(f"case file {path} cannot be read: {reason}") from None
    cases: list[Case] = []
    for number, line in enumerate(lines, 1):
        try:
            cases += expand(line)
        except CaseError as error:
            raise CaseError(f"{path}:{number}: {error}") from None
        if len(cases) > MAX_CASES:
            raise CaseError(
                f"{path}:{number}: more than {MAX_CASES:,} cases up to here: narrow the ranges, or "
                "make it several files"
            )
    return cases


def suite_names(root: Path) -> list[str]:
    """Suites below the folder of cases."""
    return sorted(folder.name for folder in root.iterdir() if any(folder.glob("*.txt")))


def load_own_suite(name: str, folders: Sequence[Path]) -> list[Case]:
    """All cases of a suite of operators from outside: every file <folder>/<name>.txt."""
    files = [folder / f"{name}.txt" for folder in folders if (folder / f"{name}.txt").is_file()]
    if not files:
        known = sorted({file.stem for folder in folders for file in folder.glob("*.txt")})
        raise CaseError(
            f"unknown suite {name!r} of the operators from outside: {allowed(name, known)}; "
            "or leave --ops-from out"
        )
    return [case for file in files for case in load_file(file)]


def load_suite(name: str, root: Path) -> list[Case]:
    """All cases of a suite: every file <root>/<name>/<op>.txt, in the order of their names."""
    files = sorted((root / name).glob("*.txt")) if re.fullmatch(r"\w+", name) else []
    if not files:
        raise CaseError(f"unknown suite {name!r}: {allowed(name, suite_names(root))}")
    return [case for file in files for case in load_file(file)]
