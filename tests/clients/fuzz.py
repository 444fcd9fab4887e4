"""Random first-phase calls against the code that the contract gives them.

`python tests/clients/fuzz.py LIBRARY COUNT SEED` runs them by itself, as under a sanitizer.
"""

from __future__ import annotations

import ctypes
import os
import random
import sys
from collections import Counter
from types import ModuleType

import layer_norm_backward_oracle
import rms_norm_grad_oracle
import rms_norm_grad_quant_oracle

from normgrad.backends.acl_abi import Library, _load

ORACLES = (rms_norm_grad_oracle, layer_norm_backward_oracle, rms_norm_grad_quant_oracle)

_MEMORY = 4096  # holds nothing: the first phase must not look there


def run(library: Library, oracle: ModuleType, count: int, seed: int) -> Counter[int]:
    """How often each code came; AssertionError names the call that got another one."""
    chance = random.Random(seed)
    seen: Counter[int] = Counter()
    for soc, arch in oracle.SOCS.items():
        os.environ["NORMGRAD_SOC"] = soc
        library.need("aclrtSetDevice", 0)
        try:
            for _ in range(count // len(oracle.SOCS)):
                call = oracle.draw(chance)
                want = oracle.expected(arch, call)
                code = _first_phase(library, oracle.API, call)
                said = library.recent()
                assert code == want, f"{soc}: {call} gave {code}, not {want}: {said}"
                assert code == 0 or said != "no reason was given", call
                seen[code] += 1
        finally:
            library.need("aclrtResetDevice", 0)
    return seen


def _first_phase(library: Library, api: str, call: list[object]) -> int:
    plain = [_plain(argument) for argument in call]
    made = [
        _make(library, argument) if by_value is None else ("", None)
        for by_value, argument in zip(plain, call, strict=True)
    ]
    size, executor = ctypes.c_uint64(), ctypes.c_void_p()
    pointers = [
        ctypes.c_void_p(handle) if by_value is None else by_value
        for by_value, (_, handle) in zip(plain, made, strict=True)
    ]
    code = library.call(
        f"{api}GetWorkspaceSize", *pointers, ctypes.byref(size), ctypes.byref(executor)
    )
    if code == 0:
        library.need("aclDestroyAclOpExecutor", executor)
    for kind, handle in made:
        if handle is not None:
            library.need(f"aclDestroy{kind}", handle)
    return int(str(code))


def _plain(argument: object) -> object:
    """What is passed as it is; None: it is an object of the library."""
    if isinstance(argument, bool):
        return ctypes.c_bool(argument)
    return ctypes.c_char_p(argument.encode()) if isinstance(argument, str) else None


def _make(library: Library, argument: object) -> tuple[str, int | None]:
    """What an argument is to the library, and its address there."""
    if argument is None:
        return "", None
    if isinstance(argument, list):
        flags = (ctypes.c_bool * max(1, len(argument)))(*argument)
        return "BoolArray", _address(library.call("aclCreateBoolArray", flags, len(argument)))
    if isinstance(argument, tuple):
        lengths = (ctypes.c_int64 * max(1, len(argument)))(*argument)
        return "IntArray", _address(library.call("aclCreateIntArray", lengths, len(argument)))
    assert isinstance(argument, rms_norm_grad_oracle.Tensor)
    shape, strides = argument.shape, argument.strides
    dims = (ctypes.c_int64 * max(1, len(shape)))(*shape)
    steps = None if strides is None else (ctypes.c_int64 * max(1, len(shape)))(*strides)
    tensor = library.call(
        "aclCreateTensor", dims, len(shape), argument.dtype, steps, 0, 2, dims, len(shape), _MEMORY
    )
    return "Tensor", _address(tensor)


def _address(handle: int | str | None) -> int:
    assert isinstance(handle, int)
    return handle


def main(path: str, count: str, seed: str) -> None:
    library = _load(path)
    library.need("aclInit", None)
    for oracle in ORACLES:
        seen = run(library, oracle, int(count), int(seed))
        sys.stdout.write(f"{oracle.API}: {dict(sorted(seen.items()))}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
