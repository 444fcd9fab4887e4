"""What an architecture lacks is a compile error that names the API."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from normgrad import paths, tools

SOURCE = Path(__file__).parent / "compile_fail" / "calls.cpp"
_SAMPLE = re.compile(r"SAMPLE == (\d+)\n\s*//! error: (.+)\n")
EXPECTED = {int(number): text for number, text in _SAMPLE.findall(SOURCE.read_text())}


def _compile(sample: int, arch: int = 2201) -> subprocess.CompletedProcess[str]:
    root = paths.source_root()
    flags = ["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", f"-D__NPU_ARCH__={arch}"]
    flags += [f"-I{root / 'twin' / 'include'}", f"-I{root}", f"-DSAMPLE={sample}"]
    return subprocess.run(
        [tools.compiler(), *flags, str(SOURCE)], capture_output=True, text=True, check=False
    )


def test_without_a_mistake_the_file_compiles() -> None:
    done = _compile(0)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("sample", EXPECTED, ids=[text.split()[0] for text in EXPECTED.values()])
def test_compiler_names_the_api(sample: int) -> None:
    done = _compile(sample)
    assert done.returncode != 0
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    assert any(EXPECTED[sample] in line for line in errors), done.stderr


def test_every_sample_foretells_an_error() -> None:
    assert sorted(EXPECTED) == list(range(1, len(EXPECTED) + 1))
    assert f"SAMPLE == {len(EXPECTED) + 1}" not in SOURCE.read_text()


def test_unknown_architecture_is_refused() -> None:
    done = _compile(0, arch=9999)
    assert done.returncode != 0
    assert "__NPU_ARCH__" in done.stderr
