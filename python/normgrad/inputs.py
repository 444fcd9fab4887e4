"""Inputs of a case: seeded by its text, the same on every machine, each kind with a purpose.

dy, x and gamma come from the distribution, in their storage dtype. rstd and mean are what the
forward pass would have given for the stored x, except in `exact`, and in `index` for the mean: rstd
is 1 / sqrt(mean(x^2) + 1e-6), or of x less its mean where the operator subtracts it.

normal       typical activations and gradients
uniform      [-1, 1]
uniform01    [0, 1]: no cancellation, every rounding error of a sum has the same sign
heavy        Student t with 2.5 degrees of freedom: a few elements dominate
offset       x has mean 100 (20 in bf16, which would lose the noise)
cancelling   rows come in far apart pairs that cancel in dgamma, up to a remainder
parallel     dy * gamma is nearly parallel to x: dx is a small difference of large numbers
tiny, huge   1e-12 and 1e12 (fp16: as far as its range allows)
subnormal    dy is subnormal in its dtype in even rows, x in odd rows
onehot       x has one element per row that is not zero
constant     all rows are the same positive row: the hardest for sums over rows
exact        x = +-1, dy = +-2^k, rstd = 1: sums are exact in any order (see is_exact)
index        x tells the row, dy tells the column: an address fault shows in the numbers
specials     normal, with NaN, +Inf and -Inf planted in a few rows of dy and x after rstd was taken
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from math import prod

import numpy as np
import numpy.typing as npt

from normgrad import dtypes, ops, scales
from normgrad.cases import Case, inputs_key
from normgrad.dtypes import Array

EPS = 1e-6  # of the forward pass
F32 = npt.NDArray[np.float32]

# Beyond this size, one block of about a million elements is drawn and each row is one of its rows,
# scaled: drawing 33M normals takes 0.4 s per tensor, scaling them 0.05 s.
_DRAW_ALL_ELEMS = 1 << 22
_BLOCK_ELEMS = 1 << 20
_STREAM_ELEMS = 1 << 16  # worked on at once, so that temporaries stay in the caches

_FP16_LIMIT = 60000.0


def make_inputs(case: Case) -> dict[str, Array]:
    """The input tensors of a case by name, in their storage dtypes and shapes."""
    op = ops.find_op(case.op)
    shape = {spec.name: ops.tensor_shape(spec, case) for spec in op.inputs}
    dtype = {spec.name: ops.tensor_dtype(spec, case) for spec in op.inputs}
    gamma32 = _gamma(case)
    gamma = dtypes.from_float32(gamma32, dtype.get("gamma", case.dtype))
    x, dy = _matrices(case, dtypes.to_float32(gamma))
    values = {"dy": dy, "x": x, "gamma": gamma}
    if statistics := [name for name in ("rstd", "mean") if name in dtype]:
        values |= _statistics(case, x, dtype[statistics[0]])
    if case.dist == "specials":
        _plant_specials(case, x, dy)
    if op.own:
        values = _outside(case, op, values)
    if op.is_quantised:
        values |= scales.make(case, values)
    given = [spec.name for spec in op.inputs if ops.is_given(spec, case)]
    return {name: values[name].reshape(shape[name]) for name in given}


# What a name means: an input from outside with another shape is drawn as any other is.
_MEANT: dict[str, tuple[ops.ShapeRule, ...]] = {
    "x": ("all",),
    "dy": ("all",),
    "gamma": ("normalised",),
    "rstd": ("leading", "leading and ones"),
    "mean": ("leading", "leading and ones"),
}


def _outside(case: Case, op: ops.OpDescription, values: Mapping[str, Array]) -> dict[str, Array]:
    """Inputs of an operator from outside: those of the package's names are as they are there, those
    under names of its own are drawn like x, and what it gives itself wins."""
    assert op.own is not None
    fill = _FILLS.get(case.dist, (_normal, _normal))[0]
    found: dict[str, Array] = {}
    for spec in op.inputs:
        if spec.name in values and spec.shape in _MEANT[spec.name]:
            found[spec.name] = dtypes.to_float32(values[spec.name])
        else:
            rows = 1 if spec.shape == "normalised" else case.rows
            cols = 1 if spec.by_rows else case.cols
            found[spec.name] = _limited(case, fill(case, _generator(case, spec.name), rows, cols))
    for name, given in op.own.drawn(case, _generator(case, "own")).items():
        found[name] = _limited(case, given.astype(np.float32))
    kinds = {spec.name: ops.tensor_dtype(spec, case) for spec in op.inputs}
    return {name: dtypes.from_float32(each, kinds[name]) for name, each in found.items()}


def completed(case: Case, captured: Mapping[str, Array]) -> Mapping[str, Array]:
    """Captured tensors with what a case has beside them: a scale suits any."""
    if not ops.find_op(case.op).is_quantised:
        return captured
    return {**scales.make(case, captured), **captured}


def _statistics(case: Case, x: Array, dtype: str) -> dict[str, Array]:
    """rstd, and mean where the operator has one."""
    if not ops.find_op(case.op).has_mean:
        exact = case.dist == "exact"
        return {"rstd": np.ones(case.rows, np.float32) if exact else forward_rstd(x)}
    if case.dist == "exact":
        mean, rstd = np.zeros(case.rows, np.float32), np.ones(case.rows, np.float32)
    elif case.dist == "index":  # all x of a row are equal: less their mean they would show nothing
        mean, rstd = np.full(case.rows, 0.5, np.float32), forward_rstd(x)
    else:
        mean, rstd = forward_mean_and_rstd(x)
    return {"mean": dtypes.from_float32(mean, dtype), "rstd": dtypes.from_float32(rstd, dtype)}


def is_exact(case: Case) -> tuple[bool, bool]:
    """Whether (dx, sums over rows) of dist=exact come out exact from fp32 arithmetic in any order.

    Terms are +-2^k with k in [-3, 3], so a sum of n of them has at most log2(n) + 6 bits, and 24
    are there. dx also holds the mean, exact if cols is a power of two, with log2(cols) more bits
    below the point; 2^14 columns leave dx = dy*gamma - x*mean within 24 bits.
    """
    if case.dist != "exact":
        return False, False
    power_of_two = case.cols & (case.cols - 1) == 0
    return power_of_two and case.cols <= 1 << 14, case.rows <= 1 << 17


def forward_rstd(x: Array) -> F32:
    """1 / sqrt(mean(x^2) + EPS) of every row of a matrix, rounded to fp32."""
    rows, cols = x.shape
    mean = np.zeros(rows)
    step = max(1, _STREAM_ELEMS // max(cols, 1))
    with np.errstate(all="ignore"):
        for at in range(0, rows if cols else 0, step):
            block = dtypes.to_float64(x[at : at + step])
            mean[at : at + step] = np.einsum("rc,rc->r", block, block) / cols
        return (1.0 / np.sqrt(mean + EPS)).astype(np.float32)


def forward_mean_and_rstd(x: Array) -> tuple[F32, F32]:
    """mean(x) and 1 / sqrt(mean((x - mean)^2) + EPS) of every row of a matrix, rounded to fp32."""
    rows, cols = x.shape
    mean, variance = np.zeros(rows), np.zeros(rows)
    step = max(1, _STREAM_ELEMS // max(cols, 1))
    with np.errstate(all="ignore"):
        for at in range(0, rows if cols else 0, step):
            block = dtypes.to_float64(x[at : at + step])
            mean[at : at + step] = block.mean(axis=1)
            block -= mean[at : at + step, None]
            variance[at : at + step] = np.einsum("rc,rc->r", block, block) / cols
        return mean.astype(np.float32), (1.0 / np.sqrt(variance + EPS)).astype(np.float32)


def _generator(case: Case, stream: str) -> np.random.Generator:
    """One independent stream per tensor, so that no tensor depends on when another is drawn."""
    digest = hashlib.sha256(f"{inputs_key(case)}/{stream}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little")))


def _gamma(case: Case) -> F32:
    rng = _generator(case, "gamma")
    size = case.cols
    if case.dist in ("exact", "index", "parallel"):  # powers of two: a product adds no rounding
        return rng.choice(np.array([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0], np.float32), size)
    if case.dist == "uniform":
        return rng.uniform(-1.0, 1.0, size).astype(np.float32)
    if case.dist == "uniform01":
        return rng.random(size, np.float32)
    if case.dist == "constant":
        return rng.uniform(0.5, 2.0, size).astype(np.float32)
    return _affine(rng.standard_normal(size, np.float32), 0.25, 1.0)


def _affine(values: F32, scale: float, shift: float = 0.0) -> F32:
    """values * scale + shift in fp32, in place."""
    values *= np.float32(scale)
    values += np.float32(shift)
    return values


Fill = Callable[[Case, np.random.Generator, int, int], F32]


def _normal(_case: Case, rng: np.random.Generator, rows: int, cols: int) -> F32:
    return rng.standard_normal((rows, cols), np.float32)


def _uniform(_case: Case, rng: np.random.Generator, rows: int, cols: int) -> F32:
    return _affine(rng.random((rows, cols), np.float32), 2.0, -1.0)


def _uniform01(_case: Case, rng: np.random.Generator, rows: int, cols: int) -> F32:
    return rng.random((rows, cols), np.float32)


def _heavy(_case: Case, rng: np.random.Generator, rows: int, cols: int) -> F32:
    return rng.standard_t(2.5, (rows, cols)).astype(np.float32)


def _scaled(fp16: float, other: float) -> Fill:
    def fill(case: Case, rng: np.random.Generator, rows: int, cols: int) -> F32:
        scale = fp16 if case.dtype == "fp16" else other
        return _affine(rng.standard_normal((rows, cols), np.float32), scale)

    return fill


def _offset(case: Case, rng: np.random.Generator, rows: int, cols: int) -> F32:
    mean = 20.0 if case.dtype == "bf16" else 100.0
    return _affine(rng.standard_normal((rows, cols), np.float32), 1.0, mean)


def _positive(_case: Case, rng: np.random.Generator, rows: int, cols: int) -> F32:
    return rng.uniform(0.5, 2.0, (rows, cols)).astype(np.float32)


def _signs(_case: Case, rng: np.random.Generator, rows: int, cols: int) -> F32:
    return _affine(rng.integers(0, 2, (rows, cols)).astype(np.float32), 2.0, -1.0)


def _signed_powers(case: Case, rng: np.random.Generator, rows: int, cols: int) -> F32:
    powers = rng.integers(-2, 3, (rows, cols)).astype(np.int32)
    return np.ldexp(_signs(case, rng, rows, cols), powers)


# How x and dy are drawn; where a distribution needs both at once, _related works on these.
_FILLS: dict[str, tuple[Fill, Fill]] = {
    "normal": (_normal, _normal),
    "uniform": (_uniform, _uniform),
    "uniform01": (_uniform01, _uniform01),
    "heavy": (_heavy, _heavy),
    "offset": (_offset, _normal),
    "cancelling": (_normal, _normal),
    "parallel": (_normal, _normal),
    "tiny": (_scaled(1e-3, 1e-12), _scaled(1e-4, 1e-12)),
    "huge": (_scaled(8e3, 1e12), _scaled(1e3, 1e12)),
    "subnormal": (_normal, _normal),
    "onehot": (_normal, _normal),
    "constant": (_positive, _positive),
    "exact": (_signs, _signed_powers),
    "specials": (_normal, _normal),
}


def _matrices(case: Case, gamma: F32) -> tuple[Array, Array]:
    """x and dy as (rows, cols) in the storage dtype."""
    rows, cols = case.rows, case.cols
    if case.dist == "constant":
        row = [_FILLS["constant"][0](case, _generator(case, n), 1, cols) for n in ("x", "dy")]
        x, dy = (dtypes.from_float32(r, case.dtype).repeat(rows, axis=0) for r in row)
        return x, dy
    if case.dist == "index":
        return _index_coded(case)
    drawn = rows
    if prod((rows, cols)) > _DRAW_ALL_ELEMS and case.dist != "cancelling":
        drawn = min(rows, max(2, _BLOCK_ELEMS // cols))
    fill_x, fill_dy = _FILLS[case.dist]
    x = fill_x(case, _generator(case, "x"), drawn, cols)
    dy = fill_dy(case, _generator(case, "dy"), drawn, cols)
    x, dy = _related(case, x, dy, gamma)
    x, dy = _limited(case, x), _limited(case, dy)
    if drawn < rows:
        return _spread(case, "x", x), _spread(case, "dy", dy)
    return dtypes.from_float32(x, case.dtype), dtypes.from_float32(dy, case.dtype)


def _limited(case: Case, values: F32) -> F32:
    """fp16 ends at 65504: no accidental Inf from the tails of a distribution."""
    return np.clip(values, -_FP16_LIMIT, _FP16_LIMIT) if case.dtype == "fp16" else values


def _related(case: Case, x: F32, dy: F32, gamma: F32) -> tuple[F32, F32]:
    """The distributions in which dy depends on x, or a row on another row."""
    rng = _generator(case, "relation")
    rows, cols = x.shape
    if case.dist == "parallel" and rows * cols:
        x = dtypes.to_float32(dtypes.from_float32(x, case.dtype))
        noise = np.float32(1.0) + np.float32(2.0**-10) * dy
        dy = x * noise / gamma
    elif case.dist == "cancelling" and rows >= 2:
        order = rng.permutation(rows)
        first, second = order[: rows // 2], order[rows // 2 : rows // 2 * 2]
        x[second] = x[first]
        dy[second] = -dy[first]
        dy[first[0]] *= np.float32(1.0 + 2.0**-6)  # the remainder: dgamma is small, but not zero
        if rows % 2:
            dy[order[-1]] *= np.float32(2.0**-6)
    elif case.dist == "subnormal":
        step = dtypes.FORMATS[case.dtype].min_subnormal * 16.0
        dy[0::2] *= np.float32(step)
        x[1::2] *= np.float32(step)
    elif case.dist == "onehot" and cols:
        hot = np.arange(rows) * 7 % cols
        value = x[np.arange(rows), hot] * np.float32(np.sqrt(cols))
        x = np.zeros_like(x)
        x[np.arange(rows), hot] = value
    return x, dy


def _spread(case: Case, stream: str, block: F32) -> Array:
    """Every row of the tensor is a row of the block, times a factor of its own."""
    rng = _generator(case, f"{stream} rows")
    drawn, cols = block.shape
    source = rng.integers(0, drawn, case.rows)
    factor = rng.uniform(0.75, 1.0, (case.rows, 1)).astype(np.float32)
    if case.dist == "exact":
        factor[:] = 1.0
    if case.dist == "parallel":  # dy must keep its direction: it follows the row and factor of x
        rng = _generator(case, "x rows")
        source = rng.integers(0, drawn, case.rows)
    out = np.empty((case.rows, cols), dtypes.numpy_dtype(case.dtype))
    step = max(1, _STREAM_ELEMS // cols)
    for at in range(0, case.rows, step):
        rows = slice(at, at + step)
        scaled = block[source[rows]]
        scaled *= factor[rows]
        out[rows] = dtypes.from_float32(scaled, case.dtype)
    return out


def _index_coded(case: Case) -> tuple[Array, Array]:
    """x = 1 + (row mod 127) / 128, dy = (1 + (col mod 113) / 128) * 2^(row mod 3): exact in bf16.

    All x of a row are equal, so the row shows in rstd and dx, and the column in both outputs.
    """
    row = np.arange(case.rows)[:, None]
    col = np.arange(case.cols)[None, :]
    x = np.float32(1.0) + (row % 127).astype(np.float32) / np.float32(128.0)
    dy = np.float32(1.0) + (col % 113).astype(np.float32) / np.float32(128.0)
    power = np.ldexp(np.float32(1.0), row % 3).astype(np.float32)
    shape = (case.rows, case.cols)
    x_all = np.broadcast_to(dtypes.from_float32(x, case.dtype), shape).copy()
    out = np.empty(shape, dtypes.numpy_dtype(case.dtype))
    step = max(1, _STREAM_ELEMS // max(case.cols, 1))
    for at in range(0, case.rows, step):
        out[at : at + step] = dtypes.from_float32(dy * power[at : at + step], case.dtype)
    return x_all, out


def _plant_specials(case: Case, x: Array, dy: Array) -> None:
    """NaN, +Inf and -Inf in at most a quarter of the rows and columns, at least in one of each."""
    rng = _generator(case, "specials")
    rows, cols = x.shape
    if rows * cols == 0:
        return
    count = max(1, min(6, rows // 4, cols // 4))
    at_row = rng.choice(rows, count, replace=False)
    at_col = rng.choice(cols, count, replace=False)
    for i in range(count):
        target = dy if i % 2 == 0 else x
        target[at_row[i], at_col[i]] = (np.inf, np.nan, -np.inf)[i % 3]
