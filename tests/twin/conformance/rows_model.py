"""Tables of vector calls: the rows, the launch that runs a whole table, and where lanes lie.

Nothing here comes from the twin: addresses follow the vendor's description of repeats, blocks,
strides and masks, values are numpy's, one rounding per operation.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from normgrad import build
from normgrad.backends import LaunchOptions, twin

BYTES = 16384  # of each operand
UB_BYTES = 131072
SOCS = {1001: "ascend910a", 2002: "ascend310p3", 2201: "ascend910b4", 3510: "ascend950pr_9599"}
FORMS = ("first", "lanes", "bits", "register", "register bits", "counter", "counted")
MASKED = FORMS[1:]
SATURATES = (1001, 2002)  # 16-bit arithmetic has no Inf and NaN there
DTYPES: dict[str, np.dtype[Any]] = {
    "fp32": np.dtype(np.float32),
    "fp16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "int8": np.dtype(np.int8),
    "uint8": np.dtype(np.uint8),
    "int16": np.dtype(np.int16),
    "uint16": np.dtype(np.uint16),
    "int32": np.dtype(np.int32),
    "uint32": np.dtype(np.uint32),
    "int64": np.dtype(np.int64),
    "uint64": np.dtype(np.uint64),
    "hif8": np.dtype(np.uint8),  # codes
}
_SPECIALS = (
    0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 1.17549435e-38, 3.4028235e38,
    -3.4028235e38, 65504.0, 65520.0, 6e-8, 5.96e-8, 2.98e-8, 1.0009765625, 1.00048828125, 1e-5,
)  # fmt: skip
Array = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Row:
    """One call. `strides`: in the order of the call's parameters; `data`: seeds of the operands."""

    api: str
    dtype: str
    form: str = "first"
    count: int = 0
    repeats: int = 0
    mode: int = 0
    alias: int = 0
    mask: tuple[int, int] = (0, 0)
    strides: tuple[int, ...] = ()
    scalar: float = 0.0
    other: str = ""  # element type of a second kind of operand
    data: tuple[str, str, str] = ("", "", "")  # "dtype:kind:seed" of dst, src0, src1
    control: int = 0  # what the row changes in the control register: rows.h

    def __str__(self) -> str:
        what = self.other + ">" + self.dtype if self.other else self.dtype
        size = self.count if self.form == "first" else f"{self.repeats}x{self.mask}"
        return f"{self.api}-{what}-{self.form}-{size}-{self.mode}-{self.strides}".replace(" ", "")


def operand(name: str) -> Bytes:
    """BYTES of numbers: "dtype:kind:seed". Kinds: mixed (specials among them), finite, order
    (sums show the order of additions), positive."""
    dtype, kind, seed = name.split(":")
    rng = np.random.Generator(np.random.PCG64(int(seed)))
    target = DTYPES[dtype]
    count = BYTES // target.itemsize
    if target.kind in "iu":
        low, high = np.iinfo(target).min, np.iinfo(target).max
        values = rng.integers(low, high, count, dtype=target, endpoint=True)
        return values.view(np.uint8)
    spread = 3 if dtype == "fp16" else 12
    floats = rng.standard_normal(count) * 2.0 ** rng.integers(-spread, spread, count)
    if kind == "mixed":
        floats = np.where(rng.random(count) < 0.2, rng.choice(_SPECIALS, count), floats)
    if kind == "positive":
        floats = np.abs(floats)
    with np.errstate(all="ignore"):
        return floats.astype(np.float32).astype(target).view(np.uint8)


def run(
    source: Path,
    arch: int,
    apis: Sequence[str],
    rows: Sequence[Row],
    given: Mapping[str, Array] | None = None,
) -> list[Bytes]:
    """dst after each row, from one launch. `given`: operands that have values of their own."""
    operands = {name: _padded(values) for name, values in (given or {}).items()}
    names = sorted({name for row in rows for name in row.data})
    table = b"".join(_packed(row, apis, names) for row in rows)
    launch = twin.RawLaunch(
        unit=build.kernel_library(source, arch),
        soc=SOCS.get(arch, "ascend950pr_9599"),
        cores=1,
        ub_bytes=UB_BYTES,
        tiling_key=0,
        tiling=struct.pack("<2I", len(rows), 0),
        workspace_bytes=0,
    )
    inputs = {
        "rows": np.frombuffer(table, np.uint8),
        "sets": np.concatenate(
            [operands[name] if name in operands else operand(name) for name in names]
        ),
    }
    outputs = {"out": ((len(rows), BYTES), np.dtype(np.uint8))}
    done = twin.launch(
        launch, ("rows", "sets", "out"), inputs, outputs, LaunchOptions(timeout_s=60.0)
    )
    assert done.error is None, done.error
    assert done.findings == (), done.findings
    assert done.finished
    return list(done.arrays["out"])


def legal(arch: int, rows: Sequence[Row]) -> list[Row]:
    """Without the calls that have nothing to do, which are a finding on 3510."""

    def empty(row: Row) -> bool:
        nothing = row.repeats == 0 if row.form in FORMS[1:5] else not row.count + row.repeats
        return nothing and row.form not in ("counter", "counted") and row.api != "GetCmpMask"

    return [row for row in rows if arch != 3510 or not empty(row)]


def _padded(values: Array) -> Bytes:
    data = np.zeros(BYTES, np.uint8)
    data[: values.nbytes] = np.ascontiguousarray(values).view(np.uint8).reshape(-1)
    return data


def _packed(row: Row, apis: Sequence[str], names: Sequence[str]) -> bytes:
    kinds = list(DTYPES)
    other = kinds.index(row.other) if row.other else 0
    head = [apis.index(row.api), kinds.index(row.dtype), other, FORMS.index(row.form)]
    head += [row.count, row.repeats, row.mode, row.alias]
    strides = (*row.strides, *(0,) * 6)[:6]
    scalar = scalar_of(row).tobytes().ljust(8, b"\0")
    sets = [names.index(name) for name in row.data]
    return struct.pack("<8I2Q6I8s3II", *head, *row.mask, *strides, scalar, *sets, row.control)


def scalar_of(row: Row) -> Array:
    """The row's scalar in the element's format."""
    return np.array([row.scalar], np.float64).astype(DTYPES[row.other or row.dtype])


def repeats_of(row: Row, wide: int) -> list[list[int]]:
    """Active lanes, repeat by repeat, for elements of `wide` bytes."""
    per = min(256 // wide, 128)
    if row.form in ("first", "counter", "counted"):
        count = row.count if row.form == "first" else row.mask[0]
        return [list(range(min(per, count - at))) for at in range(0, count, per)]
    if row.form == "lanes":
        return [list(range(min(row.mask[0], per)))] * row.repeats
    bits = row.mask[0] | row.mask[1] << 64
    return [[lane for lane in range(per) if bits >> lane & 1]] * row.repeats


def places(row: Row, size: int, wide: int, block: int, repeat: int) -> list[Array]:
    """Element indices of an operand's active lanes, repeat by repeat; strides in 32 B blocks.

    The first n elements of an operand lie without gaps, whatever its type.
    """
    found = []
    for number, lanes in enumerate(repeats_of(row, wide)):
        if row.form == "first":
            found.append(np.array(lanes, np.int64) + number * (256 // wide))
            continue
        at = np.array(lanes, np.int64) * size
        bytes_at = at // 32 * block * 32 + at % 32 + number * repeat * 32
        found.append(bytes_at // size)
    return found


def saturated(values: Array, arch: int) -> Array:
    """A result as the chip stores it: on a chip without Inf and NaN in 16 bits, neither."""
    if values.dtype != np.float16 or arch not in SATURATES:
        return values
    finite = np.clip(values.astype(np.float32), -65504.0, 65504.0)
    return np.where(np.isnan(values), np.float32(0), finite).astype(np.float16)


def mismatches(got: Bytes, want: Bytes, dtype: str, ulps: int = 0, zeros: bool = True) -> Array:
    """Elements that differ. A NaN may have any bits; `zeros`: -0 is not +0."""
    kind = DTYPES[dtype]
    bits = np.dtype(f"i{kind.itemsize}")
    g, w = got.view(bits), want.view(bits)
    same = g == w
    if kind.kind not in "iu":
        a, b = (x.view(kind).astype(np.float32) for x in (got, want))
        same |= np.isnan(a) & np.isnan(b)
        if not zeros:
            same |= (a == 0) & (b == 0)
        if ulps:
            near = np.abs(g.astype(np.int64) - w.astype(np.int64)) <= ulps
            same |= near & ((g < 0) == (w < 0))
    return np.flatnonzero(~same)


Model = Callable[[Row, int, Bytes, Bytes, Bytes], Bytes]


def check(row: Row, arch: int, got: Bytes, model: Model, **how: Any) -> None:
    """The twin's bits are the model's, in the whole destination."""
    dst, src0, src1 = (operand(name) for name in row.data)
    out = dst.copy()
    a = out if row.alias == 1 else src0
    b = out if row.alias == 2 else src1
    with np.errstate(all="ignore"):
        want = model(row, arch, out, a, b)
    wrong = mismatches(got, want, row.dtype, **how)
    kind = DTYPES[row.dtype]
    first = wrong[:5]
    assert wrong.size == 0, f"{row}: {(first, got.view(kind)[first], want.view(kind)[first])}"
