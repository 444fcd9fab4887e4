"""The package's CMake file, over functions by the names of CANN's, which write down their words."""

from __future__ import annotations

import argparse
import os
import subprocess
from pathlib import Path

import pytest

from normgrad import package

# What find_package(ASC) finds in a toolkit. A library is a target: the file sets options of it.
FUNCTION = """
function({name})
  file(APPEND ${{CMAKE_BINARY_DIR}}/said "{name} ${{ARGN}}\\n")
  if({name} STREQUAL npu_op_library)
    list(SUBLIST ARGN 2 -1 files)
    add_library(${{ARGV0}} OBJECT ${{files}})
  endif()
endfunction()
"""
NAMES = (
    "npu_op_package", "npu_op_code_gen", "npu_op_library", "npu_op_kernel_sources",
    "npu_op_kernel_library", "npu_op_package_add",
)  # fmt: skip
FUNCTIONS = "".join(FUNCTION.format(name=name) for name in NAMES)
FUNCTIONS += "set(ASCEND_AUTOGEN_PATH ${CMAKE_BINARY_DIR}/autogen)\n"


def configure(
    tmp_path: Path, functions: str = FUNCTIONS, **words: object
) -> subprocess.CompletedProcess[str]:
    known = {"vendor": "mine", "op": None, "soc": None, "dtype": None, "out": str(tmp_path / "out")}
    what = package.request(argparse.Namespace(**(known | words)))
    package.stage(what)
    home = tmp_path / "cann"
    module = home / "compiler" / "tikcpp" / "ascendc_kernel_cmake"
    module.mkdir(parents=True, exist_ok=True)
    (module / "asc-config.cmake").write_text(functions)
    command = ["cmake", "-S", str(what.source), "-B", str(tmp_path / "build")]
    command += [f"-Dvendor_name={what.vendor}", f"-DASCEND_COMPUTE_UNIT={';'.join(what.families)}"]
    command += [f"-DNORMGRAD_DTYPE={1 if what.dtype else ''}"]
    return subprocess.run(
        command,
        env={**os.environ, "ASCEND_HOME_PATH": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


def said(tmp_path: Path) -> dict[str, list[str]]:
    """The words of each call; those of npu_op_library by the library."""
    found = {}
    for line in (tmp_path / "build" / "said").read_text().splitlines():
        name, _, rest = line.partition(" ")
        words = rest.split(";")
        found[words[0] if name == "npu_op_library" else name] = words
    return found


def names(words: list[str]) -> set[str]:
    return {Path(word).name for word in words}


def test_each_library_has_its_sources(tmp_path: Path) -> None:
    done = configure(tmp_path)
    assert done.returncode == 0, done.stderr
    calls = said(tmp_path)
    called = {f"{op}_{what}.cpp" for op in ("rms_norm_grad", "layer_norm_grad_v3")
              for what in ("def", "infershape", "tiling")}  # fmt: skip
    for name in ("npu_op_code_gen", "cust_optiling", "cust_op_proto"):
        assert names(calls[name]) >= {*called, "call.cpp", "norm_grad_plan.cpp"}
    api = names(calls["cust_opapi"])
    assert api >= {"aclnn_rms_norm_grad.cpp", "aclnn_layer_norm_backward.cpp", "norm_grad_plan.cpp"}
    assert api.isdisjoint(called)
    assert calls["cust_opapi"][1] == "ACLNN"
    at = calls["npu_op_code_gen"].index("JOIN_OP_DEF")
    assert calls["npu_op_code_gen"][at + 1 : at + 3] == ["True", "OUT_DIR"]
    assert {"aclnn_rms_norm_grad.h", "aclnn_layer_norm_backward.h"} <= names(
        calls["npu_op_package_add"]
    )


def test_one_dtype_is_told_to_the_descriptions(tmp_path: Path) -> None:
    assert configure(tmp_path, dtype="fp16", op=["rms_norm_grad"]).returncode == 0
    calls = said(tmp_path)
    assert "-DNORMGRAD_PACKAGE_DTYPE=1" in calls["npu_op_code_gen"]
    assert "layer_norm_grad_v3_def.cpp" not in names(calls["cust_optiling"])


@pytest.mark.parametrize("functions", ["", "function(npu_op_package)\nendfunction()\n"])
def test_a_toolkit_that_is_too_old_is_told_so(functions: str, tmp_path: Path) -> None:
    done = configure(tmp_path, functions)
    assert done.returncode != 0
    told = " ".join(done.stderr.split())
    assert "has no npu_op_package" in told
    assert "use a newer toolkit" in told
