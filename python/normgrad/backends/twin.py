"""The twin: one kernel launch in a process of its own, with the tensors in files that it maps."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from normgrad import build, dtypes, ops, paths
from normgrad.backends import Array, Finding, LaunchOptions, Outputs
from normgrad.cases import Case
from normgrad.plan import Plan

# A launch runs about 20 M elements/s with all checks on two cores; 1 M/s leaves room for slow
# computers and busy ones, and a hang is still cut within the minute.
_TIMEOUT_BASE_S = 30.0
_TIMEOUT_ELEMS_PER_S = 1.0e6


def run(case: Case, inputs: Mapping[str, Array], plan: Plan, options: LaunchOptions) -> Outputs:
    """Launches the kernel of `plan` on `inputs`; findings and counters come with it."""
    op = ops.find_op(case.op)
    outputs = {
        spec.name: (
            ops.tensor_shape(spec, case),
            dtypes.numpy_dtype(ops.tensor_dtype(spec, case)),
        )
        for spec in op.outputs
    }
    if plan.cores == 0:
        return Outputs({name: np.zeros(shape, kind) for name, (shape, kind) in outputs.items()})
    unit = build.unit(case.op, plan.soc.arch, (case.dtype, case.gamma or case.dtype))
    runner = build.twin_runner()
    sizes = {name: int(np.prod(shape)) * kind.itemsize for name, (shape, kind) in outputs.items()}
    total = sum(sizes.values()) + sum(inputs[spec.name].nbytes for spec in op.inputs)
    with paths.scratch_folder(total) as folder:
        lines = _header(unit, plan, options, folder)
        for name in (spec.name for spec in op.tensors):
            file = folder / f"{name}.bin"
            if name in sizes:
                _reserve(file, sizes[name])
                lines.append(f"tensor {name} out {sizes[name]} {file}")
            else:
                _write(file, inputs[name])
                lines.append(f"tensor {name} in {inputs[name].nbytes} {file}")
        report = folder / "report.json"
        lines += [f"workspace {plan.workspace_bytes}", f"report {report}"]
        launch = folder / "launch.txt"
        launch.write_text("\n".join(lines) + "\n")
        began = time.perf_counter()
        error = _launch([str(runner), str(launch)], _timeout_s(case, options))
        wall_s = time.perf_counter() - began
        if error is None:
            error = None if report.exists() else "the runner ended without a report"
        if error is not None:
            return Outputs({}, error=error, wall_s=wall_s)
        answer = json.loads(report.read_text())
        arrays = {
            name: _read(folder / f"{name}.bin", shape, kind)
            for name, (shape, kind) in outputs.items()
        }
    return Outputs(
        arrays=arrays,
        counters=dict(answer.get("counters", {})),
        findings=tuple(_finding(entry) for entry in answer.get("findings", ())),
        unwritten=dict(answer.get("unwritten", {})),
        finished=bool(answer.get("finished", True)),
        wall_s=float(answer.get("wall_s", wall_s)),
    )


def _header(unit: Path, plan: Plan, options: LaunchOptions, folder: Path) -> list[str]:
    tiling = folder / "tiling.bin"
    tiling.write_bytes(plan.tiling)
    return [
        f"unit {unit}",
        f"soc {plan.soc.name}",
        f"cores {plan.cores}",
        f"ub_bytes {options.ub_bytes or plan.ub_limit_bytes}",
        f"tiling_key {plan.tiling_key}",
        f"tiling {tiling}",
        f"check {options.check}",
        f"seed {options.seed}",
        f"threads {options.threads}",
    ]


def _reserve(file: Path, size: int) -> None:
    """A file whose bytes exist: a full disk is an error here, not a bus error in the runner."""
    with file.open("wb") as handle:
        if size:
            os.posix_fallocate(handle.fileno(), 0, size)


def _write(file: Path, array: Array) -> None:
    with file.open("wb") as handle:
        if array.nbytes:
            np.ascontiguousarray(array).reshape(-1).view(np.uint8).tofile(handle)


def _read(file: Path, shape: tuple[int, ...], kind: np.dtype[Any]) -> Array:
    """The file as an array; the mapping outlives the file, so nothing is copied."""
    size = int(np.prod(shape)) * kind.itemsize
    if size == 0:
        return np.zeros(shape, kind)
    return np.memmap(file, dtype=np.uint8, mode="r", shape=(size,)).view(kind).reshape(shape)


def _timeout_s(case: Case, options: LaunchOptions) -> float:
    if options.timeout_s is not None:
        return options.timeout_s
    return _TIMEOUT_BASE_S + case.rows * case.cols / _TIMEOUT_ELEMS_PER_S


def _launch(command: list[str], timeout_s: float) -> str | None:
    """Runs the runner in a process group of its own; a sentence if it did not end well."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        _, said = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        _kill_group(process)
        return f"cut off after {timeout_s:.0f} s without an end: the kernel hangs, or is very slow"
    except BaseException:
        _kill_group(process)
        raise
    code = process.returncode
    if code == 0:
        return None
    last = said.strip().splitlines()[-1][:400] if said.strip() else "it said nothing"
    if code < 0:
        return f"the launch was ended by {_signal_name(-code)}: {last}"
    return f"the runner stopped with code {code}: {last}"


def _kill_group(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _finding(entry: Mapping[str, Any]) -> Finding:
    known = {name: entry[name] for name in Finding.__dataclass_fields__ if name in entry}
    return Finding(**known)
