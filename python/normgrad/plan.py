"""The planner's C interface as Python values. Nothing is planned here: tiling/ decides."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from normgrad.errors import NormgradError
from normgrad.errors import Refused as Refused
from normgrad.knobs import Knobs, read_knobs
from normgrad.knobs import Options as Options
from normgrad.knobs import raw_options as raw_options
from normgrad.knobs import refuse_beyond as refuse_beyond
from normgrad.tiling_abi import (
    MAX_RANK,
    AnswerStruct,
    AttributesStruct,
    KnobsStruct,
    PlanStruct,
    ProblemStruct,
    SocStruct,
    TensorStruct,
    library,
)
from normgrad.words import allowed

# Values of aclDataType; tiling/problem.h has the same list.
_DTYPE_CODES = {"fp32": 0, "fp16": 1, "int8": 2, "int32": 3, "bf16": 27, "hif8": 34}
_DTYPE_NAMES = {code: name for name, code in _DTYPE_CODES.items()}
_UNDEFINED = -1
# Names under which chips are sold or that tools print, and that no nearest word would lead to.
_SOLD_AS = {
    "ascend910c": "ascend910_93",
    "910c": "ascend910_93",
    "910b": "ascend910b",
    "310p": "ascend310p",
}
MAX_LENGTH = 2**63 - 1


class SocError(NormgradError, ValueError):
    """A chip that does not exist; the message is one sentence for the user."""


@dataclass(frozen=True)
class Soc:
    """One product: what its chip can do and how much of it there is."""

    name: str
    family: str
    arch: int
    cores: int
    clock_mhz: int
    ub_bytes: int
    ub_plan_bytes: int  # what plans may use
    event_ids: int
    has_bf16: bool
    saturates: bool  # 16-bit formats: Inf becomes the largest finite value, NaN becomes 0
    l2_bytes: int
    hbm_gb_per_s: float  # peak; 0 where no figure is published
    achievable_gb_per_s: float  # measured; 0 where nobody has
    gm_pool_gb_per_s: float  # that the model of time takes: measured or inferred
    l2_pool_gb_per_s: float


@dataclass(frozen=True)
class TensorDesc:
    """A tensor as a caller hands it over; strides in elements, None if contiguous."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    present: bool = True


@dataclass(frozen=True)
class Attributes:
    """What a caller says beside the tensors, for operators that ask; None: a null pointer."""

    normalized_shape: tuple[int, ...] | None = None
    output_mask: tuple[bool, ...] | None = None
    quant_mode: str | None = None
    div_mode: bool = True
    dst_type: str | None = None  # None: the dtype of dx says it


@dataclass(frozen=True)
class Problem:
    """What a check has made of a call."""

    rows: int
    cols: int
    dtype: str  # of dy, x and dx
    gamma_dtype: str | None  # None: there is no gamma
    stats_dtype: str = "fp32"  # of rstd and mean
    sums_dtype: str = "fp32"  # of dgamma and dbeta
    outputs: int = 0b011  # that are asked for: bits for dx, dgamma, dbeta
    has_mean: bool = False
    dx_dtype: str | None = None  # None: dx is not quantised
    scale_dtype: str | None = None
    divides: bool = False
    has_offset: bool = False
    attributes: Mapping[str, float] = field(default_factory=dict)  # of an operator from outside


@dataclass(frozen=True)
class Buffer:
    """One buffer of UB and how many there are of it."""

    name: str
    bytes: int  # of one
    count: int
    phase: int = 1  # phases follow each other, so only buffers of one phase add up


@dataclass(frozen=True)
class Plan:
    """How a problem is cut: the tiling data for the kernel, and the same plan for people."""

    op: str
    soc: Soc
    strategy: str
    reason: str
    tiling_key: int
    cores: int  # 0: nothing to launch
    ub_limit_bytes: int
    workspace_bytes: int
    minimum_bytes: int  # each input read once, each output written once
    tiling: bytes
    buffers: tuple[Buffer, ...]
    fields: dict[str, int | float]
    units: dict[str, str]  # of `fields`
    declared_c: float
    remark: str = ""  # what a person who asked for it should know
    tuned: str = ""  # the row of tiling/tuned that it comes from, if any

    def ub_used_bytes(self, phase: int = 1) -> int:
        """Sum of the buffers of one phase."""
        return sum(b.bytes * b.count for b in self.buffers if b.phase == phase)


def socs() -> list[Soc]:
    """Every product of the chip table."""
    found = []
    for index in range(library().normgrad_soc_count()):
        raw = SocStruct()
        library().normgrad_soc_at(index, ctypes.byref(raw))
        found.append(_read_soc(raw))
    return found


def find_soc(name: str) -> Soc:
    """The product that a product or family name means; SocError names the nearest one."""
    if (raw := raw_soc(name)).name:
        return _read_soc(raw)
    known = socs()
    words = [soc.name for soc in known] + sorted({soc.family for soc in known})
    if name.lower() in _SOLD_AS:
        raise SocError(f"unknown chip {name!r}: its name here is {_SOLD_AS[name.lower()]}")
    raise SocError(f"unknown chip {name!r}: {allowed(name, words)}")


def dtype_combinations(op: str, arch: int) -> list[tuple[str, str]]:
    """Pairs (dtype of dy, dtype of gamma) that the operator takes; none: it is not on this chip."""
    dy, gamma = ctypes.c_int32(), ctypes.c_int32()

    def ask(index: int) -> int:
        count: int = library().normgrad_dtype_combination(
            op.encode(), ctypes.c_uint32(arch), index, ctypes.byref(dy), ctypes.byref(gamma)
        )
        return count

    pairs = []
    for index in range(ask(0)):
        ask(index)
        pairs.append((_DTYPE_NAMES[dy.value], _DTYPE_NAMES[gamma.value]))
    return pairs


def check(
    op: str,
    soc: Soc | str,
    tensors: Sequence[TensorDesc],
    attributes: Attributes | None = None,
) -> Problem:
    """What a call asks for; `tensors` in the operator's order. Raises Refused."""
    refuse_beyond("a length of a shape", MAX_LENGTH, [n for t in tensors for n in t.shape])
    descriptors = (TensorStruct * max(1, len(tensors)))(*map(_write_tensor, tensors))
    problem, answer = ProblemStruct(), AnswerStruct()
    library().normgrad_check(
        op.encode(),
        _soc_name(soc),
        descriptors,
        len(tensors),
        ctypes.byref(_write_attributes(attributes or Attributes())),
        ctypes.byref(problem),
        ctypes.byref(answer),
    )
    _raise_if_refused(answer)
    return Problem(
        problem.rows,
        problem.cols,
        _DTYPE_NAMES[problem.dtype],
        _DTYPE_NAMES.get(problem.gamma_dtype),
        _DTYPE_NAMES[problem.stats_dtype],
        _DTYPE_NAMES[problem.sums_dtype],
        problem.outputs,
        bool(problem.has_mean),
        _DTYPE_NAMES[problem.dx_dtype] if problem.is_quantised else None,
        _DTYPE_NAMES[problem.scale_dtype] if problem.is_quantised else None,
        bool(problem.divides),
        bool(problem.has_offset),
    )


def make_plan(op: str, soc: Soc | str, problem: Problem, options: Options | None = None) -> Plan:
    """How the problem is cut. Raises Refused."""
    where = soc if isinstance(soc, Soc) else find_soc(soc)
    asked, wishes = raw_problem(problem), raw_options(options or Options())
    raw, answer = PlanStruct(), AnswerStruct()
    library().normgrad_plan(
        op.encode(), _soc_name(where), *map(ctypes.byref, (asked, wishes, raw, answer))
    )
    _raise_if_refused(answer)
    return read_plan(op, where, raw)


def find_knobs(
    op: str, soc: Soc | str, problem: Problem, options: Options | None = None
) -> list[Knobs]:
    """The strategies that a problem may take, each with the ranges of its knobs."""
    where = soc if isinstance(soc, Soc) else find_soc(soc)
    raw = KnobsStruct()
    given = (raw_problem(problem), raw_options(options or Options()))
    ask = functools.partial(
        library().normgrad_knobs, op.encode(), _soc_name(where), *map(ctypes.byref, given)
    )
    found = []
    for index in range(ask(-1, ctypes.byref(raw))):
        ask(index, ctypes.byref(raw))
        found.append(read_knobs(raw))
    return found


# ---- conversions ----


def raw_soc(name: str) -> SocStruct:
    raw = SocStruct()
    library().normgrad_find_soc(_bytes(name), ctypes.byref(raw))
    return raw


def raw_problem(problem: Problem) -> ProblemStruct:
    return ProblemStruct(
        problem.rows,
        problem.cols,
        *map(
            dtype_code,
            (problem.dtype, problem.gamma_dtype, problem.stats_dtype, problem.sums_dtype),
        ),
        problem.outputs,
        problem.has_mean,
        problem.dx_dtype is not None,
        dtype_code(problem.dx_dtype),
        dtype_code(problem.scale_dtype),
        problem.divides,
        problem.has_offset,
    )


def _soc_name(soc: Soc | str) -> bytes:
    return _bytes(soc.name if isinstance(soc, Soc) else soc)


def _bytes(word: str) -> bytes:
    """A user's word for C; what is not text there matches no name, which is the right answer."""
    return word.encode(errors="replace")


def dtype_code(name: str | None) -> int:
    """The value of aclDataType."""
    return _DTYPE_CODES.get(name or "", _UNDEFINED)


def _raise_if_refused(answer: AnswerStruct) -> None:
    if answer.code != 0:
        raise Refused(answer.code, answer.sentence.decode())


def _write_tensor(tensor: TensorDesc) -> TensorStruct:
    raw = TensorStruct(tensor.present, dtype_code(tensor.dtype), len(tensor.shape))
    # A rank that is too large reaches the check, which refuses it with its sentence.
    for axis, length in enumerate(tensor.shape[:MAX_RANK]):
        raw.shape[axis] = length
    for axis, stride in enumerate((tensor.strides or ())[:MAX_RANK]):
        raw.strides[axis] = min(stride, MAX_LENGTH)  # of an empty tensor, or refused by its size
    return raw


def _write_attributes(attributes: Attributes) -> AttributesStruct:
    raw = AttributesStruct(div_mode=attributes.div_mode, dst_type=dtype_code(attributes.dst_type))
    if attributes.quant_mode is not None:
        raw.has_quant_mode = 1
        raw.quant_mode = _bytes(attributes.quant_mode)[:16]
    if attributes.normalized_shape is not None:
        raw.has_normalized_shape = 1
        raw.normalized_rank = len(attributes.normalized_shape)
        for axis, length in enumerate(attributes.normalized_shape[:MAX_RANK]):
            raw.normalized_shape[axis] = length
    if attributes.output_mask is not None:
        raw.has_output_mask = 1
        raw.mask_length = len(attributes.output_mask)
        for index, bit in enumerate(attributes.output_mask[: len(raw.output_mask)]):
            raw.output_mask[index] = bit
    return raw


def _read_soc(raw: SocStruct) -> Soc:
    return Soc(
        name=raw.name.decode(),
        family=raw.family.decode(),
        arch=raw.arch,
        cores=raw.cores,
        clock_mhz=raw.clock_mhz,
        ub_bytes=raw.ub_bytes,
        ub_plan_bytes=raw.ub_plan_bytes,
        event_ids=raw.event_ids,
        has_bf16=bool(raw.has_bf16),
        saturates=bool(raw.saturates),
        l2_bytes=raw.l2_bytes,
        hbm_gb_per_s=raw.hbm_gb_per_s,
        achievable_gb_per_s=raw.achievable_gb_per_s,
        gm_pool_gb_per_s=raw.gm_pool_gb_per_s,
        l2_pool_gb_per_s=raw.l2_pool_gb_per_s,
    )


def read_plan(op: str, soc: Soc, raw: PlanStruct) -> Plan:
    fields = raw.fields[: raw.field_count]
    return Plan(
        op=op,
        soc=soc,
        strategy=text_of(raw.strategy),
        reason=text_of(raw.reason),
        tiling_key=raw.tiling_key,
        cores=raw.cores,
        ub_limit_bytes=raw.ub_limit_bytes,
        workspace_bytes=raw.workspace_bytes,
        minimum_bytes=raw.minimum_bytes,
        tiling=bytes(raw.tiling[: raw.tiling_bytes]),
        buffers=tuple(
            Buffer(text_of(b.name), b.bytes, b.count, b.phase)
            for b in raw.buffers[: raw.buffer_count]
        ),
        fields={text_of(f.name): _number(f.value, f.unit) for f in fields},
        units={text_of(f.name): text_of(f.unit) for f in fields},
        declared_c=raw.declared_c,
        tuned=raw.tuned.decode(),
    )


def text_of(raw: bytes) -> str:
    """One line, of whatever bytes a planner from outside has left there."""
    return " ".join(raw.decode(errors="replace").split())


def _number(value: float, unit: bytes) -> int | float:
    """Whatever is counted in a unit is whole."""
    return int(value) if unit else value
