"""What an architecture lacks is a compile error that names the API."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from normgrad import paths, tools

FOLDER = Path(__file__).parent / "compile_fail"
ARCHS = {"calls": 2201, "registers": 3510}  # file -> the architecture that it is for
_SAMPLE = re.compile(r"SAMPLE == (\d+)\n\s*//! error: (.+)\n")
EXPECTED = {
    (name, int(number)): text
    for name in ARCHS
    for number, text in _SAMPLE.findall((FOLDER / f"{name}.cpp").read_text())
}


def _compile(name: str, sample: int, arch: int) -> subprocess.CompletedProcess[str]:
    root = paths.source_root()
    flags = ["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", f"-D__NPU_ARCH__={arch}"]
    flags += [f"-I{root / 'twin' / 'include'}", f"-I{root}", f"-DSAMPLE={sample}"]
    return subprocess.run(
        [tools.compiler(), *flags, str(FOLDER / f"{name}.cpp")],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", ARCHS)
def test_without_a_mistake_the_file_compiles(name: str) -> None:
    done = _compile(name, 0, ARCHS[name])
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize(
    "sample", EXPECTED, ids=[f"{name}-{text.split()[0]}" for (name, _), text in EXPECTED.items()]
)
def test_compiler_names_the_api(sample: tuple[str, int]) -> None:
    done = _compile(*sample, ARCHS[sample[0]])
    assert done.returncode != 0
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    assert any(EXPECTED[sample] in line for line in errors), done.stderr


@pytest.mark.parametrize("name", ARCHS)
def test_every_sample_foretells_an_error(name: str) -> None:
    numbers = sorted(number for file, number in EXPECTED if file == name)
    assert numbers == list(range(1, len(numbers) + 1))
    assert f"SAMPLE == {len(numbers) + 1}" not in (FOLDER / f"{name}.cpp").read_text()


def test_unknown_architecture_is_refused() -> None:
    done = _compile("calls", 0, 9999)
    assert done.returncode != 0
    assert "__NPU_ARCH__" in done.stderr
