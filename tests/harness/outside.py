"""An operator from outside, for tests: a sum over weighted rows, and the rows' norms."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from normgrad.cases import Case

HEAD = """
import numpy as np
from normgrad.own import OwnOp, Planned, Refused, Tensor, Terms

def golden(a, weight):
    return {"total": Terms((a * weight).sum(axis=0), np.abs(a * weight).sum(axis=0)),
            "norm": Terms(np.abs(a).sum(axis=1, keepdims=True))}

def plan(soc, problem, options):
    if problem.cols > 100:
        raise Refused(561002, f"cols is {problem.cols}: at most 100, take fewer")
    return Planned(cores=options.cores or soc.cores, tiling=b"12345678")

def inputs(case, rng):
    return {"weight": rng.integers(1, 5, case.rows).astype(np.float32)}

told = dict(
    name="weighted",
    tensors=[Tensor("a", "in", "case", "all"), Tensor("weight", "in", "fp32", "leading"),
             Tensor("total", "out", "fp32", "normalised"),
             Tensor("norm", "out", "fp32", "leading")],
    kernel="kernel.cpp", plan=plan, golden=golden, inputs=inputs,
    chips={2201: ["fp32", "bf16"]},
)
"""


def described(folder: Path, more: str = "", last: str = "OPS = [OwnOp(**told)]") -> Path:
    (folder / "kernel.cpp").write_text("")
    file = folder / "op.py"
    file.write_text(f"{HEAD}\n{more}\n{last}\n")
    return file


def outputs_of(case: Case, data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    a = data["a"].astype(np.float64).reshape(case.rows, case.cols)
    weight = data["weight"].astype(np.float64)[:, None]
    total, norm = (a * weight).sum(axis=0), np.abs(a).sum(axis=1)
    return {"total": total.astype(np.float32), "norm": norm.astype(np.float32)}
