"""The chip table, the layout of the C interface, and the language of what kernels include."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest
from tiling_struct import ROOT

from normgrad import plan, tiling_abi

# family: arch, UB that exists, UB that plans use, event ids, bf16, saturates
FAMILIES = {
    "ascend910b": (2201, 196608, 188416, 8, True, False),
    "ascend910_93": (2201, 196608, 188416, 8, True, False),
    "ascend310p": (2002, 262144, 253952, 8, False, True),
    "ascend910": (1001, 262144, 253952, 4, False, True),
    "ascend950": (3510, 253952, 253952, 8, True, False),
}

# product: family, cores, MHz, L2 in MiB
PRODUCTS = {
    "ascend910b1": ("ascend910b", 48, 1850, 192),
    "ascend910b2": ("ascend910b", 48, 1800, 192),
    "ascend910b3": ("ascend910b", 40, 1800, 192),
    "ascend910b4": ("ascend910b", 40, 1650, 96),
    "ascend910_9391": ("ascend910_93", 48, 1850, 192),
    "ascend910_9392": ("ascend910_93", 48, 1850, 192),
    "ascend910_9381": ("ascend910_93", 48, 1800, 192),
    "ascend910_9382": ("ascend910_93", 48, 1800, 192),
    "ascend910_9372": ("ascend910_93", 40, 1800, 192),
    "ascend910_9362": ("ascend910_93", 40, 1500, 168),
    "ascend310p1": ("ascend310p", 10, 1060, 16),
    "ascend310p3": ("ascend310p", 8, 1060, 16),
    "ascend910a": ("ascend910", 32, 1000, 32),
    "ascend950pr_9579": ("ascend950", 56, 1650, 128),
    "ascend950pr_9589": ("ascend950", 64, 1650, 128),
    "ascend950pr_9599": ("ascend950", 72, 1800, 128),
    "ascend950dt_9591": ("ascend950", 72, 1800, 128),
    "ascend950dt_95a2": ("ascend950", 72, 1800, 128),
}


def test_socs_are_those_of_the_table() -> None:
    assert {soc.name for soc in plan.socs()} == set(PRODUCTS)


@pytest.mark.parametrize("name", PRODUCTS)
def test_soc_has_its_figures(name: str) -> None:
    soc = plan.find_soc(name)
    assert (soc.family, soc.cores, soc.clock_mhz, soc.l2_bytes >> 20) == PRODUCTS[name]
    arch, ub, ub_plan, event_ids, has_bf16, saturates = FAMILIES[soc.family]
    assert (soc.arch, soc.ub_bytes, soc.ub_plan_bytes) == (arch, ub, ub_plan)
    assert (soc.event_ids, soc.has_bf16, soc.saturates) == (event_ids, has_bf16, saturates)


def test_bandwidth_is_zero_where_nobody_published_it() -> None:
    rates = {soc.name: (soc.hbm_gb_per_s, soc.achievable_gb_per_s) for soc in plan.socs()}
    assert rates["ascend910b4"] == (800, 680)
    assert rates["ascend910b1"] == (1600, 1280)
    assert rates["ascend910_9382"] == (1600, 0)
    assert rates["ascend310p3"] == rates["ascend910a"] == (0, 0)
    assert rates["ascend950pr_9599"] == (1600, 0)
    assert rates["ascend950dt_9591"] == (4000, 0)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("ascend910b", "ascend910b1"),
        ("ascend910_93", "ascend910_9391"),
        ("ascend310p", "ascend310p3"),
        ("ascend910", "ascend910a"),
        ("ascend950", "ascend950pr_9599"),
        ("Ascend910B4", "ascend910b4"),
        ("Ascend950", "ascend950pr_9599"),
    ],
)
def test_family_and_vendor_spelling_resolve(written: str, meant: str) -> None:
    assert plan.find_soc(written).name == meant


@pytest.mark.parametrize("name", ["ascend910b5", "ascend", "", "ascend910b44", "\udc80"])
def test_unknown_soc_names_value_and_allowed(name: str) -> None:
    with pytest.raises(plan.SocError, match=r"unknown chip .*allowed: ascend910b1, ") as caught:
        plan.find_soc(name)
    assert repr(name) in str(caught.value)


def test_mirrors_have_the_size_of_the_structs() -> None:
    library = tiling_abi.library()
    for name, mirror in tiling_abi.MIRRORS.items():
        assert library.normgrad_struct_bytes(name.encode()) == ctypes.sizeof(mirror), name
    assert library.normgrad_struct_bytes(b"Nonsense") == 0


def test_soc_index_past_the_end_is_refused() -> None:
    raw = tiling_abi.SocStruct()
    assert tiling_abi.library().normgrad_soc_at(-1, ctypes.byref(raw)) == -1
    assert tiling_abi.library().normgrad_soc_at(len(PRODUCTS), ctypes.byref(raw)) == -1


@pytest.mark.parametrize("header", ["norm_grad.h", "problem.h", "chip.h"])
@pytest.mark.parametrize("compiler", ["g++", "clang++", "clang++-14"])
def test_shared_header_is_cxx11(header: str, compiler: str, tmp_path: Path) -> None:
    tool = shutil.which(compiler)
    if tool is None:
        pytest.skip(f"{compiler} is not installed")
    source = tmp_path / "alone.cpp"
    source.write_text(f'#include "tiling/{header}"\n')
    flags = ["-std=c++11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    run = subprocess.run(
        [tool, *flags, f"-I{ROOT}", str(source)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
