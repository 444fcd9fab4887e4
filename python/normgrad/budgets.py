"""What a kernel may cost: the limits that `bench` prints beside its figures."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from normgrad import dtypes, ops
from normgrad.cases import Case
from normgrad.plan import Plan

# Columns up to which every byte is read once: with 16-bit tensors, with gamma in fp32 beside them,
# all in fp32. In 192 KB of UB (2201), in 248 KB, and in 192 KB where the plan declares one
# accumulator per column.
_ONE_READ_COLS = {
    "rms_norm_grad": ((12288, 10240, 8192), (16384, 13312, 10752), (16384, 14336, 10240)),
    "layer_norm_grad_v3": ((7680, 7168, 6144), (10240, 9728, 8192), (12288, 10240, 8192)),
}
_ONE_READ_COLS["rms_norm_grad_quant"] = _ONE_READ_COLS["rms_norm_grad"]
_TWO_ACCUMULATORS_C = 4.0  # what a plan declares that keeps (hi, lo) pairs
_BYTES_SLACK = 1.005  # row statistics, and rows that do not divide among the cores
_PARTIAL_BYTES = 8  # of a column's partial sum, out to the workspace and back in
_TWO_READS = 1.75  # of a row that does not fit UB
_TWO_READS_QUANTISED = (1.88, 1.97)  # dx weighs less: in 16 bits, in fp32
_TWO_READS_ROWS_PER_CORE = 48  # with fewer rows the sums over rows weigh too much for a limit
# Cycles of vector instructions per 64 elements: with four or more rows at once, and with fewer.
_SLOPE = {"rms_norm_grad": (22.0, 28.0), "layer_norm_grad_v3": (32.0, 42.0)}
_SLOPE_ROWS = 4
# Of the bandwidth that streaming kernels reach, where rows are long and many.
_FRACTION = {"rms_norm_grad": 0.75, "layer_norm_grad_v3": 0.70}
_FRACTION_SOC, _FRACTION_COLS, _FRACTION_ROWS = "ascend910b4", 1024, 4096
# Modelled time, cold, on ascend910b4 in bf16, against the 112.5 and 92.3 us that the kernel of CANN
# 8.3.RC1 takes for the first two (Ascend/msinsight, 4e16fca1f, kernel_details.csv).
_MODELLED_US = {(4096, 1024): 42.0, (32768, 128): 45.0, (65536, 128): 88.0}


@dataclass(frozen=True)
class Budget:
    """None: there is no limit for this case."""

    bytes_over_minimum: float | None = None  # at most
    slope_cycles_per_64: float | None = None  # at most
    modelled_us: float | None = None  # at most
    bandwidth_fraction: float | None = None  # at least


def of(case: Case, plan: Plan) -> Budget:
    """The limits of a planned case."""
    if case.is_empty or plan.cores == 0 or case.op not in _ONE_READ_COLS:
        return Budget()
    one_read = case.cols <= _one_read_cols(case, plan)
    few, many = _SLOPE.get(case.op, (None, None))[::-1]
    rows = plan.fields.get("rows_per_step", plan.fields.get("rows_per_tile", 0))
    registers = plan.soc.arch == 3510  # their instructions are another kind
    slope = None if registers else many if rows >= _SLOPE_ROWS else few
    # Whole groups of rows do not divide evenly: det=strong has its cost printed, not limited.
    on_b4 = plan.soc.name == _FRACTION_SOC and case.det is None
    long = case.cols >= _FRACTION_COLS and case.rows >= _FRACTION_ROWS
    return Budget(
        bytes_over_minimum=_bytes_limit(case, plan, one_read),
        slope_cycles_per_64=slope,
        modelled_us=(
            _MODELLED_US.get((case.rows, case.cols))
            if on_b4 and case.op == "rms_norm_grad" and case.dtype == "bf16"
            else None
        ),
        bandwidth_fraction=(
            _FRACTION.get(case.op)
            if on_b4 and long and one_read and dtypes.numpy_dtype(case.dtype).itemsize == 2
            else None
        ),
    )


def _one_read_cols(case: Case, plan: Plan) -> int:
    small = plan.soc.arch == 2201
    table = (0 if plan.declared_c <= _TWO_ACCUMULATORS_C else 2) if small else 1
    wide = 2 if case.dtype == "fp32" else 1 if case.gamma == "fp32" else 0
    return _ONE_READ_COLS[case.op][table][wide]


def _bytes_limit(case: Case, plan: Plan, one_read: bool) -> float | None:
    if not one_read:
        if case.rows < _TWO_READS_ROWS_PER_CORE * plan.cores:
            return None
        quantised = ops.find_op(case.op).is_quantised
        return _TWO_READS_QUANTISED[case.dtype == "fp32"] if quantised else _TWO_READS
    row_bytes = sums = gamma_bytes = 0
    wanted = {spec.name for spec in ops.wanted(case)}
    for spec in ops.find_op(case.op).tensors:
        item = dtypes.numpy_dtype(ops.tensor_dtype(spec, case)).itemsize
        if not ops.is_given(spec, case) or prod(ops.tensor_shape(spec, case)) == 0:
            continue
        if (spec.name == "x" and wanted == {"dbeta"}) or (
            spec.name == "gamma" and "dx" not in wanted
        ):
            continue  # no output that is asked for needs it
        if spec.shape == "all":
            row_bytes += item
        elif spec.shape == "normalised" and spec.role == "out":
            sums += 1
        elif spec.name == "gamma":
            gamma_bytes = item
    partials = plan.cores  # one sum over rows per core, or per group of rows
    if case.det == "strong":
        partials = int(plan.fields["partial_slots"])
    extra = partials * _PARTIAL_BYTES * sums + plan.cores * gamma_bytes
    return _BYTES_SLACK + extra / (row_bytes * case.rows)
