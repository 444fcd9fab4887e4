"""Forward RmsNorm for normgrad: `normgrad verify --ops-from examples/rms_norm/op.py`."""

import struct

import numpy as np

from normgrad.own import OwnOp, Planned, Refused, Tensor, Terms


def golden(x, gamma, epsilon):
    rstd = 1 / np.sqrt((x * x).mean(axis=1, keepdims=True) + epsilon)
    y = x * rstd * gamma
    # A relative error of the mean reaches rstd, and through it y, by half.
    return {"y": Terms(y, s=1.5 * np.abs(y)), "rstd": Terms(rstd, s=1.5 * rstd)}


def plan(soc, problem, options):
    # Whole rows, as many at once as UB takes of the kernel's six buffers.
    item = 4 if problem.dtype == "fp32" else 2
    pitch = -(-problem.cols * item // 32) * 32 // item
    epsilon = problem.attributes["epsilon"]
    cores = options.cores or soc.cores
    ub = options.ub_bytes or soc.ub_plan_bytes
    fits = (ub - 64 - 4 * pitch) // (pitch * (4 * item + 8) + 8)
    if fits < 1:
        raise Refused(561002, f"cols is {problem.cols}: a row must fit UB, take fewer")
    rows = min(fits, max(1, -(-problem.rows // cores)), 64)
    return Planned(
        cores=min(cores, -(-problem.rows // rows)),
        tiling=struct.pack("<QIIIf", problem.rows, problem.cols, pitch, rows, epsilon),
        fields={"rows_per_tile": rows, "fit": fits},
    )


OPS = [
    OwnOp(
        name="rms_norm",
        tensors=(
            Tensor("x", "in", "case", "all"),
            Tensor("gamma", "in", "gamma", "normalised"),
            Tensor("y", "out", "case", "all"),
            Tensor("rstd", "out", "fp32", "leading"),
        ),
        kernel="rms_norm.cpp",
        plan=plan,
        golden=golden,
        chips={2201: ("fp32", "bf16")},
        attributes={"epsilon": 1e-6},
    )
]
