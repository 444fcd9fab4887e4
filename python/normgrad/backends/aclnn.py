"""The aclnn functions through their C interface: on an NPU, or in the twin's library."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from normgrad import dtypes, knobs, ops
from normgrad.backends import Array, Finding, LaunchOptions, Outputs
from normgrad.backends.acl_abi import REPEATED_INIT, AclError, Library, environment, find
from normgrad.backends.callers import resolve
from normgrad.cases import Case
from normgrad.errors import NormgradError
from normgrad.jobs import Job
from normgrad.plan import Plan, Refused, dtype_code, find_soc

_TO_DEVICE, _TO_HOST = 1, 2  # aclrtMemcpyKind
_FORMAT_ND = 2
_DETERMINISTIC, _STRONG = 0, 2  # aclSysParamOpt and its value
_KERNEL_FAILED = 507015  # of a synchronisation, with a sentence that has these words:
_RULE = "breaks the rule"
_WARM_UPS = 2  # launches whose time does not count
_POISON = 0xFF  # NaN in every floating type: what is not written does not pass for a result

# The functions of each operator, and their arguments: tensors by name, "" for one that no case has.
_APIS = {
    "rms_norm_grad": "aclnnRmsNormGrad",
    "rms_norm_grad_quant": "aclnnRmsNormGradQuant",
    "layer_norm_grad_v3": "aclnnLayerNormBackward",
}
_AXES, _MASK, _MODE, _DIVIDES = "normalised axes", "output mask", "quantMode", "divMode"
_ARGUMENTS = {
    "rms_norm_grad": ("dy", "x", "rstd", "gamma", "dx", "dgamma"),
    "rms_norm_grad_quant": (
        "dy", "x", "rstd", "gamma", "scales_x", "offset_x", _MODE, _DIVIDES, "dx", "dgamma",
    ),
    "layer_norm_grad_v3": (
        "dy", "x", _AXES, "mean", "rstd", "gamma", "", _MASK, "dx", "dgamma", "dbeta",
    ),
}  # fmt: skip
# Wishes that the functions have no argument for.
_FORCED = ("strategy", "ub", "cores", "chunk")


def select(jobs: Sequence[Job], asked: Sequence[str]) -> tuple[list[Job], str]:
    """The jobs that the functions can run, and what to say of the others.

    `asked` are options of the command line that only the twin's own backend can follow.
    """
    for option in asked:
        raise NormgradError(
            f"--backend aclnn calls the operator as clients do, who have no {option}: leave it "
            "out, or use --backend twin"
        )
    for job in jobs:
        if job.case.op not in _APIS:
            raise NormgradError(
                f"--backend aclnn has no function for {job.case.op}, which comes from outside: use "
                "--backend twin"
            )
    kept = [job for job in jobs if not _forced(job.case)]
    if len(kept) == len(jobs):
        return kept, ""
    words = sorted({word for job in jobs for word in _forced(job.case)})
    return kept, (
        f"{len(jobs) - len(kept)} of {len(jobs)} cases left out: the aclnn functions take no "
        f"{', '.join(words)}; --backend twin does"
    )


def _forced(case: Case) -> list[str]:
    return [f"{name}=" for name in _FORCED if getattr(case, name) is not None]


def refuse(case: Case) -> None:
    """The first phase by itself: raises Refused if it says no."""
    with _session(case, LaunchOptions()) as session:
        tensors = {spec.name: session.tensor(*_form(spec, case)) for spec in _tensors(case)}
        _first_phase(session, case, tensors)


def wish(wishes: Sequence[tuple[str, Any]]) -> None:
    """What the planner is asked in this process, beyond what the functions have arguments for.

    CANN keeps the tiling of a call that it has seen: wishes that change need another process.
    """
    if wishes:
        os.environ[knobs.VARIABLE] = ",".join(knobs.words(dict(wishes)))
    else:
        os.environ.pop(knobs.VARIABLE, None)


def is_twin(op: str) -> bool:
    """Whether the functions are the twin's, whose times say nothing of a device."""
    return _initialised(_APIS[op]).is_twin


def run(case: Case, inputs: Mapping[str, Array], plan: Plan, options: LaunchOptions) -> Outputs:
    """Both phases on device memory. `plan` is not used: the library makes its own."""
    try:
        with _session(case, options) as session:
            return _run(session, case, inputs, options.repeats)
    except AclError as error:
        if found := _broken_rules(case, error):
            return Outputs({}, findings=found, finished=False)
        return Outputs({}, error=str(error))


def _broken_rules(case: Case, error: AclError) -> tuple[Finding, ...]:
    """What the twin found in the launch that ended so; an NPU finds nothing."""
    library = _initialised(_APIS[case.op])
    if not library.is_twin or error.code != _KERNEL_FAILED or _RULE not in error.sentence:
        return ()
    unit, _, report = str(library.call("normgradRuleReport")).partition("\n")
    return resolve(Path(unit), json.loads(report)["findings"])


@dataclass
class _Tensor:
    """A tensor on the device, dense or every second element of memory twice as long."""

    shape: tuple[int, ...]
    kind: np.dtype[Any]
    step: int
    memory: int | None
    handle: int | None

    def storage(self) -> Array:
        """Host memory as the device's is, all of it poison."""
        return np.full(int(np.prod(self.shape)) * self.step * self.kind.itemsize, _POISON, np.uint8)

    def elements(self, storage: Array) -> Array:
        """The bytes of the elements in it, one row each."""
        return storage.reshape(-1, self.step, self.kind.itemsize)[:, 0, :]


@dataclass
class _Session:
    """A device that is set, with one stream, and what has to be given back."""

    library: Library
    stream: ctypes.c_void_p = field(default_factory=ctypes.c_void_p)
    memory: list[int] = field(default_factory=list)
    tensors: list[int] = field(default_factory=list)
    arrays: list[tuple[str, int]] = field(default_factory=list)

    def allocate(self, size: int) -> int:
        address = ctypes.c_void_p()
        self.library.need("aclrtMalloc", ctypes.byref(address), size, 0)
        assert address.value is not None
        self.memory.append(address.value)
        return address.value

    def tensor(
        self,
        shape: tuple[int, ...],
        dtype: str,
        step: int = 1,
        present: bool = True,
        memory: int | None = None,
    ) -> _Tensor:
        """A view whose elements lie `step` apart; without memory only the first phase takes it."""
        kind = dtypes.numpy_dtype(dtype)
        if not present:
            return _Tensor(shape, kind, step, None, None)
        dims = (ctypes.c_int64 * max(1, len(shape)))(*shape)
        strides = (ctypes.c_int64 * max(1, len(shape)))()
        length = step
        for axis in reversed(range(len(shape))):
            strides[axis] = min(length, 2**62)  # of shapes that the first phase refuses
            length *= max(shape[axis], 1)
        held = (ctypes.c_int64 * 1)(min(int(np.prod(shape, dtype=object)) * step, 2**62))
        handle = self.library.call(
            "aclCreateTensor", dims, len(shape), dtype_code(dtype), strides, 0, _FORMAT_ND, held, 1,
            memory,
        )  # fmt: skip
        if not isinstance(handle, int):
            raise AclError("aclCreateTensor", -1, self.library.recent())
        self.tensors.append(handle)
        return _Tensor(shape, kind, step, memory, handle)

    def array(self, kind: str, item: type[Any], values: Sequence[int]) -> int:
        """An array of integers or booleans."""
        given = (item * max(1, len(values)))(*values)
        handle = self.library.call(f"aclCreate{kind}Array", given, len(values))
        if not isinstance(handle, int):
            raise AclError(f"aclCreate{kind}Array", -1, self.library.recent())
        self.arrays.append((f"aclDestroy{kind}Array", handle))
        return handle

    def give_back(self) -> None:
        for destroy, handle in self.arrays:
            self.library.call(destroy, handle)
        for handle in self.tensors:
            self.library.call("aclDestroyTensor", handle)
        for address in self.memory:
            self.library.call("aclrtFree", address)
        if self.stream.value:
            self.library.call("aclrtDestroyStream", self.stream)


@functools.lru_cache(maxsize=8)
def _initialised(api: str) -> Library:
    """The library with this function, whose runtime is started once in a process."""
    library = find(api)
    code = library.call("aclInit", None)
    if code not in (0, REPEATED_INIT):  # another function's library is the same one
        raise AclError("aclInit", int(str(code)), library.recent())
    return library


@contextmanager
def _variables(variables: Mapping[str, str]) -> Iterator[None]:
    """Environment variables for a while: what else this process starts is not to have them."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _session(case: Case, options: LaunchOptions) -> Iterator[_Session]:
    library = _initialised(_APIS[case.op])
    soc = find_soc(case.soc).name
    read: dict[str, str] = {}
    if library.is_twin:  # when the device is set, and at a launch
        read = {**environment(soc), "NORMGRAD_THREADS": str(options.threads)}
    with _variables(read), _device(library, case, soc) as session:
        yield session


@contextmanager
def _device(library: Library, case: Case, soc: str) -> Iterator[_Session]:
    library.need("aclrtSetDevice", 0)
    session = _Session(library)
    try:
        here = str(library.call("aclrtGetSocName")).lower().partition("-")[0]
        if here != soc:
            raise AclError("aclrtGetSocName", 0, f"the device is {here}, the case is for {soc}")
        library.need("aclrtCreateStream", ctypes.byref(session.stream))
        if case.det == "strong":
            library.need("aclrtCtxSetSysParamOpt", _DETERMINISTIC, _STRONG)
        yield session
    finally:
        session.give_back()
        library.call("aclrtResetDevice", 0)


def _tensors(case: Case) -> tuple[ops.TensorSpec, ...]:
    return ops.find_op(case.op).tensors


def _form(spec: ops.TensorSpec, case: Case) -> tuple[tuple[int, ...], str, int, bool]:
    step = 2 if spec.name in case.noncontig else 1
    dtype = ops.tensor_dtype(spec, case)
    return ops.tensor_shape(spec, case), dtype, step, ops.is_given(spec, case)


def _first_phase(
    session: _Session, case: Case, tensors: Mapping[str, _Tensor]
) -> tuple[int, ctypes.c_void_p]:
    """Bytes of the workspace, and the executor."""
    size, executor = ctypes.c_uint64(), ctypes.c_void_p()
    others: dict[str, object] = {
        "": ctypes.c_void_p(), _MODE: ctypes.c_char_p(b"static"),
        _DIVIDES: ctypes.c_bool(case.divides),
    }  # fmt: skip
    if _AXES in _ARGUMENTS[case.op]:
        wanted = ops.wanted(case)
        axes = session.array("Int", ctypes.c_int64, case.shape[-case.axes :])
        others[_AXES] = ctypes.c_void_p(axes)
        mask = [spec in wanted for spec in ops.find_op(case.op).outputs]
        others[_MASK] = ctypes.c_void_p(session.array("Bool", ctypes.c_bool, mask))
    handles = [
        others[name] if name in others else ctypes.c_void_p(tensors[name].handle)
        for name in _ARGUMENTS[case.op]
    ]
    name = f"{_APIS[case.op]}GetWorkspaceSize"
    code = session.library.call(name, *handles, ctypes.byref(size), ctypes.byref(executor))
    if code != 0:
        raise Refused(int(str(code)), session.library.recent())
    return size.value, executor


def _run(session: _Session, case: Case, inputs: Mapping[str, Array], repeats: int) -> Outputs:
    library, tensors = session.library, {}
    for spec in _tensors(case):
        shape, dtype, step, present = _form(spec, case)
        blank = _Tensor(shape, dtypes.numpy_dtype(dtype), step, None, None)
        storage, memory = blank.storage(), None
        if not present:
            tensors[spec.name] = blank
            continue
        if spec.role == "in":
            source = np.ascontiguousarray(inputs[spec.name]).reshape(-1).view(np.uint8)
            blank.elements(storage)[:] = source.reshape(-1, blank.kind.itemsize)
        if storage.size:
            memory = session.allocate(storage.size)
            library.need(
                "aclrtMemcpy", memory, storage.size, storage.ctypes.data, storage.size, _TO_DEVICE
            )
        tensors[spec.name] = session.tensor(shape, dtype, step, present, memory)
    size, executor = _first_phase(session, case, tensors)
    workspace = session.allocate(size) if size else None
    began = time.perf_counter()
    library.need(_APIS[case.op], *_second_phase(workspace, size, executor, session.stream))
    library.need("aclrtSynchronizeStream", session.stream)
    wall_s = time.perf_counter() - began
    arrays = {}
    for spec in ops.wanted(case):
        tensor = tensors[spec.name]
        storage = tensor.storage()
        if storage.size:
            library.need(
                "aclrtMemcpy", storage.ctypes.data, storage.size, tensor.memory, storage.size,
                _TO_HOST,
            )  # fmt: skip
        gaps = storage.reshape(-1, tensor.step, tensor.kind.itemsize)[:, 1:, :]
        if not (gaps == _POISON).all():
            return Outputs({}, error=f"{spec.name} was written between the elements of its view")
        flat = np.ascontiguousarray(tensor.elements(storage)).reshape(-1)
        arrays[spec.name] = flat.view(tensor.kind).reshape(tensor.shape)
    measured_us = _median_us(session, case, tensors, workspace, repeats) if repeats else None
    return Outputs(arrays, wall_s=wall_s, measured_us=measured_us)


def _median_us(
    session: _Session,
    case: Case,
    tensors: Mapping[str, _Tensor],
    workspace: int | None,
    repeats: int,
) -> float:
    """Of launches one by one, each after L2 has been filled with something else."""
    library = session.library
    other_bytes = 1 << 20 if library.is_twin else 2 * find_soc(case.soc).l2_bytes
    other = session.allocate(other_bytes)
    events = [ctypes.c_void_p() for _ in range(2)]
    for event in events:
        library.need("aclrtCreateEvent", ctypes.byref(event))
    times = []
    for count in range(_WARM_UPS + repeats):
        size, executor = _first_phase(session, case, tensors)
        library.need("aclrtMemset", other, other_bytes, count % 256, other_bytes)
        library.need("aclrtRecordEvent", events[0], session.stream)
        library.need(_APIS[case.op], *_second_phase(workspace, size, executor, session.stream))
        library.need("aclrtRecordEvent", events[1], session.stream)
        library.need("aclrtSynchronizeStream", session.stream)
        ms = ctypes.c_float()
        library.need("aclrtEventElapsedTime", ctypes.byref(ms), *events)
        times.append(ms.value * 1e3)
    for event in events:
        library.need("aclrtDestroyEvent", event)
    return float(np.median(times[_WARM_UPS:]))


def _second_phase(
    workspace: int | None, size: int, executor: ctypes.c_void_p, stream: ctypes.c_void_p
) -> tuple[object, ...]:
    return ctypes.c_void_p(workspace), ctypes.c_uint64(size), executor, stream
