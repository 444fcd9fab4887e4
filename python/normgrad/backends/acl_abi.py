"""The C interface of acl and aclnn for ctypes, and where a library with it is looked for."""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from normgrad import build, cann
from normgrad.errors import NormgradError

EXPLICIT = "NORMGRAD_OPAPI"  # a library of aclnn functions; wins over every search
_CANN_VARIABLES = ("ASCEND_CUSTOM_OPP_PATH", "ASCEND_OPP_PATH", "ASCEND_HOME_PATH")
_PACKAGE = Path("op_api/lib/libcust_opapi.so")
_TWIN_LIBRARY = "libnormgrad_acl.so"
REPEATED_INIT = 100002  # of aclInit: somebody in this process has called it before
_RUNTIME = ("libascendcl.so", "libacl_rt.so")

_POINTER, _SIZE = ctypes.c_void_p, ctypes.c_size_t
_I32, _I64, _U64 = ctypes.c_int32, ctypes.c_int64, ctypes.c_uint64
_OUT = ctypes.POINTER(ctypes.c_void_p)

# What of this process the twin's library needs at a launch.
_CARRIED = ("NORMGRAD_CACHE", "NORMGRAD_SOURCES", "PYTHONPATH")

# Arguments of each function; all return an int32 but those of _RETURNS.
_ARGUMENTS: dict[str, tuple[type[object], ...]] = {
    "aclInit": (ctypes.c_char_p,),
    "aclGetRecentErrMsg": (),
    "aclrtSetDevice": (_I32,),
    "aclrtResetDevice": (_I32,),
    "aclrtGetSocName": (),
    "aclrtCtxSetSysParamOpt": (_I32, _I64),
    "aclrtCreateStream": (_OUT,),
    "aclrtDestroyStream": (_POINTER,),
    "aclrtSynchronizeStream": (_POINTER,),
    "aclrtMalloc": (_OUT, _SIZE, _I32),
    "aclrtFree": (_POINTER,),
    "aclrtMemcpy": (_POINTER, _SIZE, _POINTER, _SIZE, _I32),
    "aclrtMemset": (_POINTER, _SIZE, _I32, _SIZE),
    "aclrtCreateEvent": (_OUT,),
    "aclrtDestroyEvent": (_POINTER,),
    "aclrtRecordEvent": (_POINTER, _POINTER),
    "aclrtEventElapsedTime": (ctypes.POINTER(ctypes.c_float), _POINTER, _POINTER),
    "aclCreateTensor": (
        ctypes.POINTER(_I64), _U64, _I32, ctypes.POINTER(_I64), _I64, _I32, ctypes.POINTER(_I64),
        _U64, _POINTER,
    ),
    "aclDestroyTensor": (_POINTER,),
    "aclCreateIntArray": (ctypes.POINTER(_I64), _U64),
    "aclCreateBoolArray": (ctypes.POINTER(ctypes.c_bool), _U64),
    "aclDestroyIntArray": (_POINTER,),
    "aclDestroyBoolArray": (_POINTER,),
    "aclDestroyAclOpExecutor": (_POINTER,),
    "normgradRuleReport": (),
}  # fmt: skip
_RETURNS: dict[str, type[object]] = {
    "aclGetRecentErrMsg": ctypes.c_char_p,
    "aclrtGetSocName": ctypes.c_char_p,
    "normgradRuleReport": ctypes.c_char_p,
    "aclCreateTensor": ctypes.c_void_p,
    "aclCreateIntArray": ctypes.c_void_p,
    "aclCreateBoolArray": ctypes.c_void_p,
}


def environment(soc: str | None = None) -> dict[str, str]:
    """What the library reads: which chip it is, and who knows where kernels are."""
    variables = {"NORMGRAD_PYTHON": sys.executable}
    if soc:
        variables["NORMGRAD_SOC"] = soc
    return variables | {name: os.environ[name] for name in _CARRIED if name in os.environ}


class AclError(Exception):
    """A call that said no: its code and its sentence."""

    def __init__(self, call: str, code: int, sentence: str) -> None:
        super().__init__(call, code, sentence)
        self.call, self.code, self.sentence = call, code, sentence

    def __str__(self) -> str:
        return f"{self.call} gave code {self.code}: {self.sentence}"


@dataclass(frozen=True)
class Library:
    """Functions by name, wherever CANN keeps each of them."""

    path: str  # of the aclnn functions
    handles: tuple[ctypes.CDLL, ...]

    @property
    def is_twin(self) -> bool:
        return Path(self.path).name == _TWIN_LIBRARY

    def function(self, name: str) -> Callable[..., Any] | None:
        for handle in self.handles:
            if hasattr(handle, name):
                found = getattr(handle, name)
                found.restype = _RETURNS.get(name, ctypes.c_int32)
                if name in _ARGUMENTS:
                    found.argtypes = list(_ARGUMENTS[name])
                return cast(Callable[..., Any], found)
        return None

    def call(self, name: str, *arguments: object) -> int | str | None:
        """What the function returned, whatever that says."""
        function = self.function(name)
        if function is None:
            raise NormgradError(f"{self.path} and the runtime beside it have no {name}")
        answer = function(*arguments)
        return answer.decode(errors="replace") if isinstance(answer, bytes) else answer

    def need(self, name: str, *arguments: object) -> None:
        """Raises AclError unless the function returned 0."""
        code = self.call(name, *arguments)
        if code != 0:
            assert isinstance(code, int)
            raise AclError(name, code, self.recent())

    def recent(self) -> str:
        return str(self.call("aclGetRecentErrMsg") or "no reason was given")


@functools.lru_cache(maxsize=8)
def find(api: str) -> Library:
    """The library with this aclnn function; the message of an error lists every place tried."""
    tried: list[str] = []
    for place in _places():
        path = Path(place)
        if path.is_absolute() and not path.is_file():
            tried.append(f"{place}: no such file")
            continue
        try:
            library = _load(place)
        except OSError as error:
            tried.append(f"{place}: {error}")
            continue
        if library.function(api) is not None:
            return library
        tried.append(f"{place}: it has no {api}")
    unset = ", ".join(name for name in (EXPLICIT, *_CANN_VARIABLES[:2]) if name not in os.environ)
    raise NormgradError(
        f"no library with {api} was found: tried {'; '.join(tried)}"
        + (f"; not set: {unset}" if unset else "")
        + "; install a package with it, source CANN's set_env.sh, or unset these variables to use "
        "the twin's library"
    )


def device_name() -> str:
    """The chip that CANN's runtime sees, "Ascend910B4"."""
    runtime = Library(_RUNTIME[0], (_load_one(_RUNTIME),))
    code = runtime.call("aclInit", None)
    if code not in (0, REPEATED_INIT):
        raise NormgradError(f"aclInit gave code {code}: {runtime.recent()}")
    try:
        runtime.need("aclrtSetDevice", 0)
    except AclError as error:
        raise NormgradError(str(error)) from None
    name = str(runtime.call("aclrtGetSocName") or "")
    runtime.call("aclrtResetDevice", 0)
    return name


def _places() -> Iterator[str]:
    """Where the aclnn functions may be, first come first served.

    The twin's library is used where nothing speaks of CANN: a broken installation must not be
    taken for a device.
    """
    if chosen := os.environ.get(EXPLICIT):
        yield str(Path(chosen).expanduser().resolve())
        return
    yield from (str(vendor / _PACKAGE) for vendor in cann.vendor_folders())
    yield from ("libopapi_nn.so", "libopapi.so")
    if not any(os.environ.get(name) for name in _CANN_VARIABLES):
        yield str(build.acl_folder() / _TWIN_LIBRARY)


def _load(place: str) -> Library:
    """A library of aclnn functions, with CANN's runtime where it has none itself."""
    handle = ctypes.CDLL(place)
    if hasattr(handle, "aclrtMalloc") and Path(place).name == _TWIN_LIBRARY:
        return Library(place, (handle,))
    runtime = [_load_one(_RUNTIME), _load_one(("libnnopbase.so",))]
    return Library(place, (handle, *runtime))


def _load_one(names: tuple[str, ...]) -> ctypes.CDLL:
    home = os.environ.get("ASCEND_HOME_PATH", "")
    candidates = [*names, *(str(Path(home) / "lib64" / name) for name in names if home)]
    said = ""
    for candidate in candidates:
        try:
            return ctypes.CDLL(candidate)
        except OSError as error:
            said = str(error)
    raise OSError(f"{' or '.join(names)} beside it: {said}")
