"""The twin's library through ctypes, with a device that is set."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from normgrad import build
from normgrad.backends import acl_abi
from normgrad.backends.acl_abi import Library

SOC = "ascend910b4"
H2H, H2D, D2H, D2D, DEFAULT = range(5)  # aclrtMemcpyKind


@dataclass(frozen=True)
class Acl:
    """Calls by name: the code, and the sentence that belongs to it."""

    library: Library

    def __call__(self, name: str, *arguments: object) -> int:
        return int(str(self.library.call(name, *arguments)))

    def why(self) -> str:
        return self.library.recent()

    def malloc(self, size: int) -> int:
        """Of 0 bytes there is none."""
        address = ctypes.c_void_p()
        if size == 0:
            return 0
        assert self("aclrtMalloc", ctypes.byref(address), size, 0) == 0
        assert address.value
        return address.value

    def stream(self) -> ctypes.c_void_p:
        stream = ctypes.c_void_p()
        assert self("aclrtCreateStream", ctypes.byref(stream)) == 0
        return stream

    def event(self) -> ctypes.c_void_p:
        event = ctypes.c_void_p()
        assert self("aclrtCreateEvent", ctypes.byref(event)) == 0
        return event

    def upload(self, array: np.ndarray) -> int:  # type: ignore[type-arg]
        address = self.malloc(array.nbytes)
        assert self("aclrtMemcpy", address, array.nbytes, array.ctypes.data, array.nbytes, H2D) == 0
        return address

    def download(self, address: int, like: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        out = np.zeros_like(like)
        assert self("aclrtMemcpy", out.ctypes.data, out.nbytes, address, out.nbytes, D2H) == 0
        return out

    def tensor(
        self,
        shape: Sequence[int],
        address: int | None,
        dtype: int = 0,
        strides: Sequence[int] | None = None,
        offset: int = 0,
        storage: Sequence[int] | None = None,
        form: int = 2,
    ) -> int:
        def array(values: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
            return (ctypes.c_int64 * max(1, len(values)))(*values)

        held = shape if storage is None else storage
        handle = self.library.call(
            "aclCreateTensor", array(shape), len(shape), dtype,
            None if strides is None else array(strides), offset, form, array(held), len(held),
            address,
        )  # fmt: skip
        assert isinstance(handle, int), self.why()
        return handle

    def first_phase(
        self, tensors: Sequence[int | None], api: str = "aclnnRmsNormGrad"
    ) -> tuple[int, int, ctypes.c_void_p]:
        """Code, bytes of the workspace, executor."""
        size, executor = ctypes.c_uint64(), ctypes.c_void_p()
        handles = [ctypes.c_void_p(tensor) for tensor in tensors]
        code = self(f"{api}GetWorkspaceSize", *handles, ctypes.byref(size), ctypes.byref(executor))
        return code, size.value, executor

    def second_phase(
        self, workspace: int | None, size: int, executor: ctypes.c_void_p, stream: ctypes.c_void_p
    ) -> int:
        arguments = ctypes.c_void_p(workspace), ctypes.c_uint64(size), executor, stream
        return self("aclnnRmsNormGrad", *arguments)


@pytest.fixture(scope="session")
def library() -> Library:
    """Found by its path, so that a CANN of this computer is left alone."""
    found = acl_abi._load(str(build.acl_folder() / "libnormgrad_acl.so"))
    assert found.is_twin
    assert found.call("aclInit", None) in (0, acl_abi.REPEATED_INIT)  # by --backend aclnn
    return found


@pytest.fixture
def on_soc(library: Library, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Acl]]:
    """Sets the device as a chip; it is reset afterwards."""
    used = 0

    def start(soc: str) -> Acl:
        nonlocal used
        for name, value in acl_abi.environment(soc).items():
            monkeypatch.setenv(name, value)
        assert os.environ["NORMGRAD_SOC"] == soc
        assert library.call("aclrtSetDevice", 0) == 0
        used += 1
        return Acl(library)

    yield start
    for _ in range(used):
        assert library.call("aclrtResetDevice", 0) == 0


@pytest.fixture
def acl(on_soc: Callable[[str], Acl]) -> Acl:
    return on_soc(SOC)


class Call:
    """A small call of RmsNormGrad whose tensors are on the device."""

    def __init__(self, acl: Acl, rows: int = 200, cols: int = 24) -> None:
        draw = np.random.default_rng(rows * 1000 + cols)
        self.acl = acl
        self.dy = draw.standard_normal((rows, cols)).astype(np.float32)
        self.x = draw.standard_normal((rows, cols)).astype(np.float32)
        self.rstd = draw.uniform(0.5, 2, rows).astype(np.float32)
        self.gamma = draw.standard_normal(cols).astype(np.float32)
        self.arrays = [self.dy, self.x, self.rstd, self.gamma, self.dy * 0, self.gamma * 0]
        self.addresses = [acl.upload(array) for array in self.arrays]
        self.tensors: list[int | None] = [
            acl.tensor(array.shape, address)
            for array, address in zip(self.arrays, self.addresses, strict=True)
        ]

    def results(self) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
        """Of both phases, as they stand."""
        code, size, executor = self.acl.first_phase(self.tensors)
        assert code == 0, self.acl.why()
        stream = self.acl.stream()
        workspace = self.acl.malloc(size)
        assert self.acl.second_phase(workspace, size, executor, stream) == 0, self.acl.why()
        assert self.acl("aclrtDestroyStream", stream) == 0, self.acl.why()
        return self.read()

    def read(self) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
        return (
            self.acl.download(self.addresses[4], self.arrays[4]),
            self.acl.download(self.addresses[5], self.arrays[5]),
        )


@pytest.fixture
def call(acl: Acl) -> Call:
    return Call(acl)
