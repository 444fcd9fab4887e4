"""A stand-in for the twin's runner: reads a launch file, answers with numpy, or misbehaves.

How, is said by NORMGRAD_FAKE: right (default), wrong, rule, hang, crash, silent, kill-parent,
unsteady (other bits under seed 2), late-rule (a finding under seed 2 alone), batch (other bits with
an even number of rows), batch-rule (a finding with one row alone), timed (with a modelled time:
best with two rows to a tile and four buffers; one row breaks a rule), timed-slowly (in a second).
"""

import json
import os
import signal
import struct
import sys
import time
from pathlib import Path

import ml_dtypes
import numpy as np

RULE = {
    "rule": "queue.leak",
    "message": "a tensor of queue dy_in was never freed",
    "api": "FreeTensor",
    "core": 0,
    "pipe": "V",
    "buffer": "dy_in",
    "begin_byte": 0,
    "end_byte": 64,
    "file": "op_kernel/rms_norm_grad/dx_whole_row.h",
    "line": 12,
    "count": 40,
}


def answer(tensors: dict[str, tuple[int, Path]], unsteady: bool) -> None:
    sizes = {name: size for name, (size, _) in tensors.items()}
    rows, cols = sizes["rstd"] // 4, sizes["dgamma"] // 4
    wide = rows * cols == 0 or sizes["x"] == 4 * rows * cols
    kind = np.dtype(np.float32 if wide else ml_dtypes.bfloat16)

    def read(name: str, dtype: np.dtype) -> np.ndarray:
        return np.fromfile(tensors[name][1], dtype).astype(np.float64)

    x, dy = (read(name, kind).reshape(rows, cols) for name in ("x", "dy"))
    gamma = read("gamma", kind) if rows else np.zeros(cols)
    rstd = read("rstd", np.dtype(np.float32))[:, None]
    xhat = x * rstd
    dx = (dy * gamma - xhat * (dy * gamma * xhat).mean(axis=1, keepdims=True)) * rstd
    if os.environ.get("NORMGRAD_FAKE") == "wrong":
        dx[-1] = 7.0
    if unsteady:
        dx[1, 3] *= 1.0 + 2.0**-22  # fp32: a few last places; too little for the verdict
    if os.environ.get("NORMGRAD_FAKE") == "batch" and rows % 2 == 0:
        dx[-1, 3] *= 1.0 + 2.0**-22
    dx.astype(np.float32).astype(kind).tofile(tensors["dx"][1])
    (dy * xhat).sum(axis=0).astype(np.float32).tofile(tensors["dgamma"][1])


def time_of(lines: list[list[str]], tensors: dict[str, tuple[int, Path]]) -> dict[str, object]:
    tiling = next(Path(w[1]) for w in lines if w[0] == "tiling").read_bytes()
    rows_per_tile, buffers = fields_of(tiling)
    us = 2.0 + tensors["dy"][0] / 1e4 * (1 + 0.1 * abs(rows_per_tile - 2) - 0.05 * buffers)
    pipes = {f"aiv_{pipe}_time_us": us / 2 for pipe in ("vec", "scalar", "mte2", "mte3")}
    part = {"us": us, "aiv_time_us": us, **pipes}
    return {
        "calibrated": True, "clock_mhz": 1650, "gm_pool_gb_per_s": 680.0,
        "l2_pool_gb_per_s": 2900.0, "launch_us": 2.5, "sync_all_us": 3.0, "cold": part,
        "resident": part,
    }  # fmt: skip


def fields_of(tiling: bytes) -> tuple[int, int]:
    """rows_per_tile and in_buffers of NormGradTiling."""
    return struct.unpack_from("<I", tiling, 36)[0], struct.unpack_from("<I", tiling, 88)[0]


def main() -> int:
    mode = os.environ.get("NORMGRAD_FAKE", "right")
    lines = [line.split() for line in Path(sys.argv[1]).read_text().splitlines()]
    tensors = {w[1]: (int(w[3]), Path(w[4])) for w in lines if w[0] == "tensor"}
    if mode == "hang":
        limit = time.monotonic() + 600
        while (
            time.monotonic() < limit and os.getppid() != 1
        ):  # the runner, too, ends with its caller
            time.sleep(0.1)
    if mode == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "kill-parent":
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(1)
    if mode == "silent":
        return 0
    second = ["seed", "2"] in lines
    answer(tensors, mode == "unsteady" and second)
    out = sum(size for name, (size, _) in tensors.items() if name in ("dx", "dgamma"))
    report = {
        "finished": True,
        "findings": [RULE]
        if mode == "rule"
        or (mode == "late-rule" and second)
        or (mode == "batch-rule" and tensors["rstd"][0] == 4)
        else [],
        "counters": {
            "gm_read_bytes": sum(size for size, _ in tensors.values()) - out,
            "gm_write_bytes": out,
            "vector_slope_cycles": 1000,
            "sync_all": 1,
        },
        "unwritten": {"dx": 0, "dgamma": 0},
        "wall_s": 0.01,
    }
    if mode.startswith("timed"):
        report["time"] = time_of(lines, tensors)
        tiling = next(Path(w[1]) for w in lines if w[0] == "tiling").read_bytes()
        if fields_of(tiling)[0] == 1:
            report["findings"] = [RULE]
        time.sleep(1.0 if mode == "timed-slowly" else 0.0)
    Path(next(w[1] for w in lines if w[0] == "report")).write_text(json.dumps(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
