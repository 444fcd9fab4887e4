"""How far honest and defective computations are from the limits of the second gate.

    python tests/harness/calibrate.py

prints the table of docs/accuracy.md. Not a test: the limits are fixed, and not moved for a kernel.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from reference import Defect, correctly_rounded, kernel_order, rms_norm_grad

from normgrad import fair, verdict
from normgrad.cases import Case
from normgrad.dtypes import Array
from normgrad.inputs import make_inputs

Compute = Callable[[Mapping[str, Array]], dict[str, Array]]

SHAPES = ("4096x64", "4097x24", "300x65", "129x300", "64x1000", "16x4096", "40x8", "8x16")
DISTS = (
    "normal", "uniform", "uniform01", "heavy", "offset", "cancelling", "parallel", "constant",
    "onehot", "exact", "tiny", "huge", "index", "subnormal", "specials",
)  # fmt: skip
HONEST: dict[str, Compute] = {
    "correctly rounded": correctly_rounded,
    "in pairs": rms_norm_grad,
    "kernel's order, 40 cores, 4 rows a tile": lambda d: kernel_order(d, 40, 4),
    "kernel's order, 40 cores, 37 rows a tile": lambda d: kernel_order(d, 40, 37),
    "kernel's order, 1 core, 1 row a tile": lambda d: kernel_order(d, 1, 1),
    "kernel's order, 7 cores, 16 rows a tile": lambda d: kernel_order(d, 7, 16),
}
DEFECTS: dict[str, Compute] = {
    "rows added one by one": lambda d: rms_norm_grad(d, Defect(sequential=True)),
    "40 cores, each adds its rows one by one": lambda d: kernel_order(d, 40, 999, serial=True),
    "16-bit xhat": lambda d: rms_norm_grad(d, Defect(xhat_in_dtype=True)),
    "dx cut off, not rounded": lambda d: rms_norm_grad(d, Defect(truncate=True)),
    "16-bit dy * gamma": lambda d: rms_norm_grad(d, Defect(term_in_dtype=True)),
    "1 / (cols + 1)": lambda d: rms_norm_grad(d, Defect(cols_off_by=1)),
}


def measure(compute: Compute, dtype: str, dist: str, shape: str) -> dict[str, dict[str, float]]:
    """Metrics by output, for those outputs that the gate would judge."""
    case = Case.parse(f"rms_norm_grad:ascend910b4:{dtype}:{shape}:dist={dist}")
    data = make_inputs(case)
    found = verdict.judge(case, data, compute(data)).metrics
    return {output: metrics for output, metrics in found.items() if metrics["rmse_binds"]}


def main() -> None:
    say = sys.stdout.write
    say(f"{'':<42} {'out':<7} {'score':>8} {'rmse':>8} {'bias':>8}  worst rmse at\n")
    for title, table in (("honest", HONEST), ("defects", DEFECTS)):
        say(f"{title}\n")
        for name, compute in table.items():
            found: dict[str, list[tuple[float, float, float, str]]] = {"dx": [], "dgamma": []}
            for dtype in ("fp32", "bf16", "fp16"):
                for dist in DISTS:
                    for shape in SHAPES:
                        for output, m in measure(compute, dtype, dist, shape).items():
                            bias = m["bias_share"] if dist in fair.BIAS_DISTS else 0.0
                            at = f"{dtype} {shape} {dist}"
                            found[output].append((m["rmse_share"], m["score"], bias, at))
            for output, rows in found.items():
                rmse, _, _, at = max(rows)
                score, bias = max(r[1] for r in rows), max(r[2] for r in rows)
                say(f"  {name:<40} {output:<7} {score:>8.3g} {rmse:>8.3g} {bias:>8.3g}  {at}\n")


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main()
