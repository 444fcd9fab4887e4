"""Launches on zeros, which take no memory: time knows no numbers, only how many there are."""

from __future__ import annotations

from math import prod

from normgrad import dtypes, ops
from normgrad.backends import LaunchOptions, Outputs, SparseInput, SparseOutput, twin
from normgrad.cases import Case
from normgrad.plan import Plan


def launch(case: Case, plan: Plan, options: LaunchOptions) -> Outputs:
    """The kernel of a plan."""
    tensors = ops.find_op(case.op).tensors
    sizes = {
        spec: prod(ops.tensor_shape(spec, case))
        * dtypes.numpy_dtype(ops.tensor_dtype(spec, case)).itemsize
        for spec in tensors
        if ops.is_given(spec, case)
    }
    inputs = {spec.name: SparseInput(size) for spec, size in sizes.items() if spec.role == "in"}
    outputs = {spec.name: SparseOutput(size) for spec, size in sizes.items() if spec.role == "out"}
    order = tuple(spec.name for spec in tensors)
    return twin.launch(twin.raw_launch(case, plan), order, inputs, outputs, options)
