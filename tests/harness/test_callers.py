"""Callers of a finding: addresses in a unit become lines of the tree."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from normgrad.backends import callers

SOURCE = """\
__attribute__((noinline)) int deepest(int n) { return n < 2 ? n : n * 3; }
static inline __attribute__((always_inline)) int helper(int n) {
  return deepest(n) + 1;
}
extern "C" int strategy(int n) {
  return helper(n) + 2;
}
"""


@pytest.fixture(scope="module")
def unit(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A library, and the address of the call of `deepest` in it."""
    folder = tmp_path_factory.mktemp("unit")
    (folder / "op_kernel" / "op").mkdir(parents=True)
    (folder / "op_kernel" / "op" / "strategy.h").write_text(SOURCE)
    (folder / "unit.cpp").write_text('#include "op_kernel/op/strategy.h"\n')
    words = [
        "g++",
        "-O2",
        "-g1",
        "-gdwarf-4",
        "-fPIC",
        "-shared",
        f"-ffile-prefix-map={folder}/=",
        "-I.",
    ]
    subprocess.run([*words, "-o", "unit.so", "unit.cpp"], cwd=folder, check=True)
    shown = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", "unit.so"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    body = shown.partition("<strategy>:")[2]
    call = next(line for line in body.splitlines() if "deepest" in line)
    return folder / "unit.so", int(call.partition(":")[0], 16)


def entry(address: int, **more: object) -> dict[str, object]:
    found = {"rule": "r", "message": "m", "file": "op_kernel/op/strategy.h", "line": 3}
    return {**found, "callers": [address], **more}


def test_an_inlined_helper_has_callers_in_other_files_only(unit: tuple[Path, int]) -> None:
    library, address = unit
    (same,) = callers.resolve(library, [entry(address)])
    assert same.callers == ()  # strategy() stands in the same file
    assert callers._lines(library, [address])[address] == [
        "op_kernel/op/strategy.h:3",
        "op_kernel/op/strategy.h:6",
    ]


def test_a_finding_of_another_place_has_none(unit: tuple[Path, int]) -> None:
    """What is found when all cores meet is of none of the calls in progress."""
    library, address = unit
    (other,) = callers.resolve(library, [entry(address, line=77)])
    assert other.callers == ()


def test_without_a_tool_there_are_none(
    unit: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    library, address = unit
    monkeypatch.setattr(shutil, "which", lambda _: None)
    (found,) = callers.resolve(library, [entry(address)])
    assert (found.rule, found.callers) == ("r", ())
