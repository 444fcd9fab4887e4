"""The twin: one kernel launch in a process of its own, with the tensors in files that it maps."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import signal
import struct
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from normgrad import build, dtypes, ops, paths, stop
from normgrad.backends import (
    Array,
    Form,
    LaunchOptions,
    Outputs,
    SparseInput,
    SparseOutput,
)
from normgrad.backends.callers import hang, resolve
from normgrad.cases import Case
from normgrad.plan import Plan

# A launch runs about 20 M elements/s with all checks on two cores; 1 M/s leaves room for slow
# computers and busy ones, and a hang is still cut within the minute.
_TIMEOUT_BASE_S = 30.0
_TIMEOUT_ELEMS_PER_S = 1.0e6
_LAST_WORDS_S = 3.0


def run(case: Case, inputs: Mapping[str, Array], plan: Plan, options: LaunchOptions) -> Outputs:
    """Launches the kernel of `plan` on `inputs`; findings and counters come with it."""
    op = ops.find_op(case.op)
    outputs = {
        spec.name: (
            ops.tensor_shape(spec, case),
            dtypes.numpy_dtype(ops.tensor_dtype(spec, case)),
        )
        for spec in ops.wanted(case)
    }
    if plan.cores == 0:
        return Outputs({name: np.zeros(shape, kind) for name, (shape, kind) in outputs.items()})
    if options.timeout_s is None:
        timeout_s = _TIMEOUT_BASE_S + case.rows * case.cols / _TIMEOUT_ELEMS_PER_S
        options = replace(options, timeout_s=timeout_s)
    order = tuple(spec.name for spec in op.tensors)
    return launch(raw_launch(case, plan), order, inputs, outputs, options)


@dataclass(frozen=True)
class RawLaunch:
    """One launch without a case: the unit, and what the host decides."""

    unit: Path
    soc: str
    cores: int
    ub_bytes: int
    tiling_key: int
    tiling: bytes
    workspace_bytes: int
    workspace_zeroed_bytes: int = 0  # at its head, for a soft SyncAll's counters
    kernel: str = "the kernel"  # its name, for sentences
    cores_run: tuple[int, ...] = ()  # empty: all; the others only come to meetings


def raw_launch(case: Case, plan: Plan) -> RawLaunch:
    """The launch of the kernel that a plan is for."""
    return RawLaunch(
        unit=build.unit(case.op, plan.soc.arch, ops.unit_dtypes(case)),
        soc=plan.soc.name,
        cores=plan.cores,
        ub_bytes=plan.ub_limit_bytes,
        tiling_key=plan.tiling_key,
        tiling=plan.tiling,
        workspace_bytes=plan.workspace_bytes,
        kernel=f"the kernel {case.op} ({plan.strategy}, {case.dtype})",
    )


def launch(
    what: RawLaunch,
    order: Sequence[str],
    inputs: Mapping[str, Array | SparseInput],
    outputs: Mapping[str, Form | SparseOutput],
    options: LaunchOptions,
) -> Outputs:
    """Runs one unit on arrays; `order` names the kernel's tensors before workspace and tiling.

    A place of a sparse output is the array `name@offset` of what comes back.
    """
    runner = build.twin_runner()
    files = _files(outputs)
    total = sum(_size(form) for form in files.values())
    for data in inputs.values():
        parts = data.data.values() if isinstance(data, SparseInput) else (data,)
        total += sum(part.nbytes for part in parts)
    with paths.scratch_folder(total) as folder:
        lines = _header(what, options, folder)
        for name in order:
            lines += _tensor(name, inputs.get(name), outputs.get(name), folder)
        report = folder / "report.json"
        lines += [f"workspace {what.workspace_bytes} {what.workspace_zeroed_bytes}"]
        lines += [f"report {report}"]
        trace = folder / "trace.json"
        lines += [f"trace {trace}"] if options.trace else []
        launch_file = folder / "launch.txt"
        launch_file.write_text("\n".join(lines) + "\n")
        began = time.perf_counter()
        command = [str(runner), str(launch_file)]
        error = _launch(command, options.timeout_s or _TIMEOUT_BASE_S, what)
        wall_s = time.perf_counter() - began
        if error is None:
            error = None if report.exists() else "the runner ended without a report"
        if error is not None:
            return Outputs({}, error=error, wall_s=wall_s)
        answer = json.loads(report.read_text())
        if options.trace and trace.exists():
            shutil.copyfile(trace, options.trace)
        arrays = {
            name: _read(folder / f"{name}.bin", shape, kind)
            for name, (shape, kind) in files.items()
        }
    return Outputs(
        arrays=arrays,
        counters=dict(answer.get("counters", {})),
        findings=resolve(what.unit, answer.get("findings", ())),
        unwritten=dict(answer.get("unwritten", {})),
        time=dict(answer.get("time", {})),
        finished=bool(answer.get("finished", True)),
        wall_s=float(answer.get("wall_s", wall_s)),
        cpu_s=float(answer.get("cpu_s", 0.0)),
    )


def _files(outputs: Mapping[str, Form | SparseOutput]) -> dict[str, Form]:
    """What comes back, by the name of its file."""
    files: dict[str, Form] = {}
    for name, output in outputs.items():
        if isinstance(output, SparseOutput):
            files |= {f"{name}@{begin}": form for begin, form in output.places.items()}
        else:
            files[name] = output
    return files


def _tensor(
    name: str, data: Array | SparseInput | None, output: Form | SparseOutput | None, folder: Path
) -> list[str]:
    """The lines of one tensor of a launch file; its files are written, or reserved."""
    file = folder / f"{name}.bin"
    if isinstance(output, SparseOutput):
        lines = [f"sparse {name} out {output.nbytes}"]
        for begin, form in output.places.items():
            place = folder / f"{name}@{begin}.bin"
            _reserve(place, _size(form))
            lines.append(f"slice {begin} {_size(form)} {place}")
        return lines
    if output is not None:
        _reserve(file, _size(output))
        return [f"tensor {name} out {_size(output)} {file}"]
    if data is None:  # neither given nor asked for
        return [f"tensor {name} null 0 -"]
    if isinstance(data, SparseInput):
        lines = [f"sparse {name} in {data.nbytes}"]
        for begin, array in data.data.items():
            place = folder / f"{name}@{begin}.bin"
            _write(place, array)
            lines.append(f"slice {begin} {array.nbytes} {place}")
        return lines
    _write(file, data)
    return [f"tensor {name} in {data.nbytes} {file}"]


def _size(form: Form) -> int:
    shape, kind = form
    return int(np.prod(shape)) * kind.itemsize


def _header(what: RawLaunch, options: LaunchOptions, folder: Path) -> list[str]:
    tiling = folder / "tiling.bin"
    tiling.write_bytes(what.tiling)
    return [
        f"unit {what.unit}",
        f"soc {what.soc}",
        f"cores {what.cores}",
        *([f"cores_run {' '.join(map(str, what.cores_run))}"] if what.cores_run else []),
        f"ub_bytes {options.ub_bytes or what.ub_bytes}",
        f"tiling_key {what.tiling_key}",
        f"tiling {tiling}",
        f"check {options.check}",
        f"sync {options.sync}",
        f"cycles {'on' if options.cycles else 'off'}",
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


def _launch(command: list[str], timeout_s: float, what: RawLaunch) -> str | None:
    """Runs the runner in a process group of its own; a sentence if it did not end well."""
    kernel = what.kernel
    process: subprocess.Popen[str] | None = None
    try:
        with stop.held():
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        _, said = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        place = hang(what.unit, _last_words(process))
        said = f"cut off after {timeout_s:.0f} s without an end: the kernel hangs, or is very slow"
        return f"{said}; {place}" if place else said
    except OSError as error:
        if process is not None or error.errno != errno.ENOEXEC:
            raise
        return (
            f"{command[0]} is no program any more ({error.strerror}): remove the folder "
            f"{Path(command[0]).parent}, it is built again"
        )
    except BaseException:
        _kill_group(process)
        raise
    code = process.returncode
    if code == 0:
        return None
    if "can't load the unit" in said or _is_cut_off(what.unit):
        return (
            f"the compiled kernel {what.unit} is not whole (a full disk?): remove the folder "
            f"{what.unit.parent}, it is built again"
        )
    last = said.strip().splitlines()[-1][:400] if said.strip() else ""
    last = f": {last}" if last else ""
    if code < 0:
        name = _signal_name(-code)
        if name in ("SIGSEGV", "SIGBUS"):
            return (
                f"{kernel} ended the launch by {name}: it dereferenced an address itself, which "
                "the twin does not see (it checks API calls); look for raw pointers in the kernel, "
                f"and read GM and UB through GlobalTensor and LocalTensor{last}"
            )
        return f"{kernel} ended the launch by {name}{last}"
    return f"the runner stopped with code {code}{last}"


def _is_cut_off(library: Path) -> bool:
    """Whether the end of an ELF file, its table of sections, is missing: it loads, then dies."""
    with library.open("rb") as file:
        head = file.read(64)
    if len(head) < 64 or head[:4] != b"\x7fELF":
        return False
    at, entry, count = struct.unpack_from("<Q10xHH", head, 40)
    return bool(library.stat().st_size < at + entry * count)


def _last_words(process: subprocess.Popen[str] | None) -> str:
    """What the runner says where it is asked to end; then it ends, however."""
    said = ""
    if process is not None:
        try:
            process.terminate()
            _, said = process.communicate(timeout=_LAST_WORDS_S)
        except subprocess.TimeoutExpired:
            pass
        finally:
            _kill_group(process)
    return said


def _kill_group(process: subprocess.Popen[str] | None) -> None:
    if process is None:
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
