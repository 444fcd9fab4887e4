"""Devices, memory, streams and executors: what is wrong gets a code and a sentence, the look-alike
passes in silence."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest
from conftest import D2D, D2H, DEFAULT, H2D, H2H, Acl, Call

from normgrad import build
from normgrad.backends.acl_abi import Library

MEMORY, HANDLE, PARAMETER = 107000, 107017, 100000


def refused(acl: Acl, code: int, want: int, *words: str) -> None:
    why = acl.why()
    assert code == want, why
    assert [word for word in words if word not in why] == [], why
    assert why.count("\n") == 0


# ---- memory ----


def test_memory_is_freed_once(acl: Acl) -> None:
    address = acl.malloc(100)
    assert acl("aclrtFree", address) == 0
    refused(acl, acl("aclrtFree", address), MEMORY, "freed before")
    assert acl.malloc(100) != address  # or the second free could hit another's memory
    refused(acl, acl("aclrtFree", address + 1), MEMORY, "freed before")
    inside = acl.malloc(100)
    refused(acl, acl("aclrtFree", inside + 4), MEMORY, "4 bytes inside")
    refused(acl, acl("aclrtFree", None), MEMORY, "null")
    assert acl("aclrtFree", inside) == 0


def test_copies_stay_within_memory_that_is_alive(acl: Acl) -> None:
    host, device = np.arange(64, dtype=np.uint8), acl.malloc(64)
    ours = host.ctypes.data
    assert acl("aclrtMemcpy", device, 64, ours, 64, H2D) == 0
    assert acl("aclrtMemcpy", device + 60, 4, ours, 4, H2D) == 0
    refused(acl, acl("aclrtMemcpy", device, 64, ours, 65, H2D), MEMORY, "65 bytes into 64")
    refused(acl, acl("aclrtMemcpy", device + 60, 8, ours, 8, H2D), MEMORY, "4 bytes past the end")
    refused(acl, acl("aclrtMemcpy", device + 4096, 4, ours, 4, H2D), MEMORY, "between allocations")
    acl("aclrtFree", device)
    refused(acl, acl("aclrtMemcpy", ours, 64, device, 64, D2H), MEMORY, "freed before")


def test_kind_of_a_copy_is_where_its_ends_are(acl: Acl) -> None:
    host, device = np.arange(64, dtype=np.uint8), acl.malloc(64)
    other, ours = acl.malloc(64), host.ctypes.data
    refused(acl, acl("aclrtMemcpy", ours, 64, device, 64, H2D), MEMORY, "dst", "host memory")
    refused(acl, acl("aclrtMemcpy", device, 64, ours, 64, D2D), MEMORY, "src", "host memory")
    refused(acl, acl("aclrtMemcpy", device, 64, ours, 64, H2H), MEMORY, "device memory")
    refused(acl, acl("aclrtMemcpy", device, 64, ours, 64, 9), PARAMETER, "kind 9")
    refused(acl, acl("aclrtMemcpy", device, 64, None, 64, H2D), PARAMETER, "src", "null")
    assert acl("aclrtMemcpy", device, 64, ours, 64, DEFAULT) == 0
    assert acl("aclrtMemcpy", other, 64, device, 64, D2D) == 0
    assert (acl.download(other, host) == host).all()


def test_rows_are_copied_with_their_pitches(acl: Acl) -> None:
    host, device = np.arange(48, dtype=np.uint8), acl.malloc(80)
    twod = (ctypes.c_void_p(device), ctypes.c_size_t(20), ctypes.c_void_p(host.ctypes.data))
    assert acl("aclrtMemcpy2d", *twod, *map(ctypes.c_size_t, (12, 12, 4)), H2D) == 0
    rows = acl.download(device, np.zeros(80, np.uint8)).reshape(4, 20)
    assert (rows[:, :12] == host.reshape(4, 12)).all()
    assert (rows[:, 12:] == 0xFF).all()  # nobody has written there
    refused(acl, acl("aclrtMemcpy2d", *twod, *map(ctypes.c_size_t, (12, 12, 5)), H2D), MEMORY, "12")
    refused(
        acl, acl("aclrtMemcpy2d", *twod, *map(ctypes.c_size_t, (8, 12, 4)), H2D), PARAMETER, "pitch"
    )


def test_host_memory_of_the_runtime_has_bounds(acl: Acl) -> None:
    address, device = ctypes.c_void_p(), acl.malloc(64)
    assert acl("aclrtMallocHost", ctypes.byref(address), ctypes.c_size_t(32)) == 0
    assert acl("aclrtMemcpy", address, 32, device, 32, D2H) == 0
    refused(acl, acl("aclrtMemcpy", address, 64, device, 64, D2H), MEMORY, "aclrtMallocHost")
    assert acl("aclrtFreeHost", address) == 0
    refused(acl, acl("aclrtFreeHost", address), MEMORY, "freed before")


def test_sizes_beyond_this_computer_are_refused(acl: Acl) -> None:
    address = ctypes.c_void_p()
    code = acl("aclrtMalloc", ctypes.byref(address), 2**50, 0)
    refused(acl, code, 207001, "1,125,899,906,842,624 bytes")
    refused(acl, acl("aclrtMalloc", ctypes.byref(address), 0, 0), PARAMETER, "0 bytes")
    refused(acl, acl("aclrtMalloc", None, 8, 0), PARAMETER, "null")


def test_fresh_memory_is_no_zero(acl: Acl) -> None:
    like = np.zeros(9, np.float32)
    assert np.isnan(acl.download(acl.malloc(36), like)).all()
    zeros = acl.malloc(36)
    assert acl("aclrtMemset", ctypes.c_void_p(zeros), *map(ctypes.c_size_t, (36,)), 0, ctypes.c_size_t(36)) == 0  # fmt: skip  # noqa: E501
    assert (acl.download(zeros, like) == 0).all()


DEREFERENCE = """
import ctypes, sys
from normgrad.backends import acl_abi
library = acl_abi._load(sys.argv[1])
library.need("aclInit", None)
library.need("aclrtSetDevice", 0)
address = ctypes.c_void_p()
library.need("aclrtMalloc", ctypes.byref(address), 64, 0)
ctypes.string_at(address.value if sys.argv[2] == "device" else int(sys.argv[2]), 4)
"""


@pytest.mark.parametrize(("where", "says"), [("device", True), ("8", False)])
def test_host_that_reads_device_memory_ends_with_a_sentence(where: str, says: bool) -> None:
    path = str(build.acl_folder() / "libnormgrad_acl.so")
    command = [sys.executable, "-c", DEREFERENCE, path, where]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == -11
    assert ("dereferenced a device pointer" in done.stderr) == says
    assert len(done.stderr.splitlines()) == int(says)


# ---- devices, contexts, parameters ----


def test_device_and_its_name(on_soc: Callable[[str], Acl]) -> None:
    acl = on_soc("ascend910_9391")
    assert acl.library.call("aclrtGetSocName") == "Ascend910_9391"
    refused(acl, acl("aclrtSetDevice", 1), 107001, "device 1")
    refused(acl, acl("aclInit", None), 100002, "once")


def test_a_chip_that_does_not_exist(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NORMGRAD_SOC", "ascend911")
    acl = Acl(library)
    refused(acl, acl("aclrtSetDevice", 0), PARAMETER, "ascend911", "list --socs")
    refused(acl, acl("aclrtResetDevice", 0), 107002, "not set")


def test_a_thread_needs_a_context(acl: Acl) -> None:
    stream, context = ctypes.c_void_p(), ctypes.c_void_p()
    said: list[tuple[int, str]] = []

    def work(given: ctypes.c_void_p | None) -> None:
        if given is not None:
            acl("aclrtSetCurrentContext", given)
        said.append((acl("aclrtCreateStream", ctypes.byref(stream)), acl.why()))

    assert acl("aclrtGetCurrentContext", ctypes.byref(context)) == 0
    for given in (None, context):
        thread = threading.Thread(target=work, args=(given,))
        thread.start()
        thread.join()
    assert [code for code, _ in said] == [107002, 0]
    assert "aclrtSetCurrentContext" in said[0][1]


def test_a_stream_belongs_to_its_context(acl: Acl) -> None:
    stream, other = acl.stream(), ctypes.c_void_p()
    first = ctypes.c_void_p()
    assert acl("aclrtGetCurrentContext", ctypes.byref(first)) == 0
    assert acl("aclrtCreateContext", ctypes.byref(other), 0) == 0
    refused(acl, acl("aclrtSynchronizeStream", stream), 107003, "another context")
    assert acl("aclrtSetCurrentContext", first) == 0
    assert acl("aclrtSynchronizeStream", stream) == 0
    assert acl("aclrtDestroyContext", other) == 0
    refused(acl, acl("aclrtSetCurrentContext", other), 107002, "destroyed before")


def test_parameters_of_process_and_context(acl: Acl) -> None:
    value = ctypes.c_int64(-1)
    assert acl("aclrtCtxGetSysParamOpt", 0, ctypes.byref(value)) == 0
    assert value.value == 0
    assert acl("aclrtCtxSetSysParamOpt", 0, 2) == 0
    assert acl("aclrtCtxGetSysParamOpt", 0, ctypes.byref(value)) == 0
    assert value.value == 2
    refused(acl, acl("aclrtCtxSetSysParamOpt", 0, 4), PARAMETER, "ACL_OPT_DETERMINISTIC to 4")
    refused(acl, acl("aclrtCtxSetSysParamOpt", 7, 1), PARAMETER, "option 7")


# ---- both phases ----


def test_an_executor_is_used_once(call: Call) -> None:
    acl, stream = call.acl, call.acl.stream()
    code, size, executor = acl.first_phase(call.tensors)
    workspace = acl.malloc(max(size, 1))
    assert (code, acl.second_phase(workspace, size, executor, stream)) == (0, 0)
    again = acl.second_phase(workspace, size, executor, stream)
    refused(acl, again, 161002, "executor", "used up")
    refused(acl, acl.second_phase(workspace, size, ctypes.c_void_p(), stream), 161001, "null")
    assert acl("aclrtSynchronizeStream", stream) == 0


def test_an_executor_that_was_made_repeatable_is_used_again(call: Call) -> None:
    acl, stream = call.acl, call.acl.stream()
    _, size, executor = acl.first_phase(call.tensors)
    workspace = acl.malloc(max(size, 1))
    assert acl("aclSetAclOpExecutorRepeatable", executor) == 0
    assert acl.second_phase(workspace, size, executor, stream) == 0
    assert acl("aclrtSynchronizeStream", stream) == 0
    first = call.read()
    twice = acl.upload(2 * call.dy)
    dy = ctypes.c_void_p(call.tensors[0])
    where = executor, ctypes.c_size_t(0), dy, ctypes.c_void_p(twice)
    assert acl("aclSetInputTensorAddr", *where) == 0
    assert acl.second_phase(workspace, size, executor, stream) == 0
    assert acl("aclrtSynchronizeStream", stream) == 0
    for got, before in zip(call.read(), first, strict=True):
        assert (got == 2 * before).all()  # exact: a power of two
    assert acl("aclDestroyAclOpExecutor", executor) == 0
    refused(acl, acl("aclDestroyAclOpExecutor", executor), 561103, "destroyed before")


def test_work_on_a_destroyed_stream(call: Call) -> None:
    acl, stream = call.acl, call.acl.stream()
    _, size, executor = acl.first_phase(call.tensors)
    assert acl("aclrtDestroyStream", stream) == 0
    refused(acl, acl.second_phase(acl.malloc(size), size, executor, stream), HANDLE, "destroyed")
    refused(acl, acl("aclrtSynchronizeStream", stream), HANDLE, "stream", "destroyed before")
    refused(acl, acl("aclrtDestroyStream", stream), HANDLE, "destroyed before")
    assert acl.second_phase(acl.malloc(size), size, executor, acl.stream()) == 0


def test_tensors_live_until_the_second_phase(call: Call) -> None:
    acl = call.acl
    _, size, executor = acl.first_phase(call.tensors)
    assert acl("aclDestroyTensor", ctypes.c_void_p(call.tensors[1])) == 0
    code = acl.second_phase(acl.malloc(size), size, executor, acl.stream())
    refused(acl, code, 161002, "destroyed before the second phase")
    code, _, _ = acl.first_phase(call.tensors)
    refused(acl, code, 161002, "x: the tensor was used up or destroyed before")
    refused(acl, acl("aclDestroyTensor", ctypes.c_void_p(call.tensors[1])), 161002, "destroyed")


def test_memory_of_tensors_and_workspace_is_there(call: Call) -> None:
    acl, stream = call.acl, call.acl.stream()
    for size_of, words in ((lambda n: n - 1, "asked for"), (lambda n: n, "")):
        _, size, executor = acl.first_phase(call.tensors)
        given = size_of(size)
        code = acl.second_phase(acl.malloc(size), given, executor, stream)
        if words:
            refused(acl, code, 161002, words)
        else:
            assert code == 0
    assert acl("aclrtSynchronizeStream", stream) == 0
    _, size, executor = acl.first_phase(call.tensors)
    refused(acl, acl.second_phase(None, size, executor, stream), 161002, "workspace", "null")
    assert acl("aclrtFree", call.addresses[0]) == 0
    code = acl.second_phase(acl.malloc(size), size, executor, stream)
    refused(acl, code, 161002, "dy", "freed before")


def test_a_view_stays_within_its_memory(call: Call) -> None:
    acl = call.acl
    call.tensors[1] = acl.tensor((200, 24), call.addresses[1], strides=(24, 1), offset=1)
    _, size, executor = acl.first_phase(call.tensors)
    code = acl.second_phase(acl.malloc(size), size, executor, acl.stream())
    refused(acl, code, 161002, "4 bytes past the end")
    call.tensors[1] = acl.tensor((200, 24), call.addresses[1], strides=(-24, 1), offset=8)
    _, size, executor = acl.first_phase(call.tensors)
    code = acl.second_phase(acl.malloc(size), size, executor, acl.stream())
    refused(acl, code, 161002, "before its memory")
    call.tensors[1] = acl.tensor((200, 24), call.addresses[1], strides=(-24, 1), offset=199 * 24)
    call.results()


def test_host_waits_for_the_stream(call: Call) -> None:
    """What a kernel still writes is neither read nor freed: an event holds it back meanwhile."""
    acl, first, second = call.acl, call.acl.stream(), call.acl.stream()
    blocker = Call(acl, 512, 2048)  # long enough on the twin that the calls below come earlier
    for each, stream in ((blocker, first), (call, second)):
        _, size, executor = acl.first_phase(each.tensors)
        if each is call:
            event = acl.event()
            assert acl("aclrtRecordEvent", event, first) == 0
            assert acl("aclrtStreamWaitEvent", second, event) == 0
        assert acl.second_phase(acl.malloc(size), size, executor, stream) == 0
    out = np.zeros_like(call.dy)
    copy = out.ctypes.data, out.nbytes, call.addresses[4], out.nbytes, D2H
    refused(acl, acl("aclrtMemcpy", *copy), MEMORY, "writes", "aclrtSynchronizeStream")
    refused(acl, acl("aclrtFree", call.addresses[1]), MEMORY, "reads", "aclrtSynchronizeStream")
    read = np.zeros_like(call.x)
    copy = read.ctypes.data, read.nbytes, call.addresses[1], read.nbytes, D2H
    assert acl("aclrtMemcpy", *copy) == 0  # two may read
    assert acl("aclrtSynchronizeStream", second) == 0
    assert (call.read()[0] == Call(acl).results()[0]).all()


def test_streams_of_several_threads_give_the_same_bits(acl: Acl) -> None:
    context = ctypes.c_void_p()
    assert acl("aclrtGetCurrentContext", ctypes.byref(context)) == 0
    want = [Call(acl, rows, 40).results() for rows in (3, 5)]
    got: list[list[tuple[np.ndarray, np.ndarray]]] = [[], []]  # type: ignore[type-arg]

    def work(at: int) -> None:
        assert acl("aclrtSetCurrentContext", context) == 0
        for _ in range(3):
            got[at].append(Call(acl, (3, 5)[at], 40).results())

    threads = [threading.Thread(target=work, args=(at,)) for at in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for at in range(2):
        assert len(got[at]) == 3
        for outputs in got[at]:
            assert all((a == b).all() for a, b in zip(outputs, want[at], strict=True))


def test_events_are_points_of_a_stream(acl: Acl) -> None:
    stream, start, end = acl.stream(), acl.event(), acl.event()
    ms = ctypes.c_float()
    refused(acl, acl("aclrtSynchronizeEvent", start), 107006, "never recorded")
    assert acl("aclrtRecordEvent", start, stream) == 0
    assert acl("aclrtRecordEvent", end, stream) == 0
    assert acl("aclrtSynchronizeEvent", end) == 0
    assert acl("aclrtEventElapsedTime", ctypes.byref(ms), start, end) == 0
    assert ms.value >= 0
    refused(acl, acl("aclrtEventElapsedTime", ctypes.byref(ms), end, start), 107007, "exchange")
    assert acl("aclrtDestroyEvent", end) == 0
    refused(acl, acl("aclrtRecordEvent", end, stream), HANDLE, "event", "destroyed before")
