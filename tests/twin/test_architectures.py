"""What an architecture lacks is a compile error that names the API and the architecture."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from normgrad import paths, tools

ARCHS = (1001, 2002, 2201, 3510)
SOURCE = Path(__file__).parent / "compile_fail" / "architectures.cpp"
_PROBE = re.compile(r"\s*//! ([\d ]+): (.+)$")
_PLACE = re.compile(rf"{SOURCE.name}:(\d+):")


def expected(arch: int) -> dict[int, str]:
    """Line of each call that does not compile, and the text of its message."""
    found = {}
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        probe = _PROBE.match(line)
        if probe is not None and str(arch) in probe[1].split():
            found[number + 1] = probe[2]
    return found


@cache
def errors(arch: int) -> dict[int, list[str]]:
    """Messages by the line of the source that they came from."""
    root = paths.source_root()
    compiler = tools.compiler()
    clang = "clang" in Path(compiler).name
    flags = ["-std=c++17", "-fsyntax-only", f"-D__NPU_ARCH__={arch}"]
    flags += [f"-I{root / 'twin' / 'include'}", f"-I{root}"]
    flags += ["-ferror-limit=0"] if clang else []
    done = subprocess.run(
        [compiler, *flags, str(SOURCE)], capture_output=True, text=True, check=False
    )
    return _of_clang(done.stderr) if clang else _of_gcc(done.stderr)


def _of_gcc(text: str) -> dict[int, list[str]]:
    """gcc says first where an instantiation comes from, then all that is wrong in it."""
    found: dict[int, list[str]] = {}
    origin = 0
    for line in text.splitlines():
        place = _PLACE.search(line)
        if "In instantiation of" in line or "In function" in line:
            origin = 0
        elif "required from here" in line and place is not None:
            origin = int(place[1])
        elif " error: " in line:
            at = int(place[1]) if place is not None else origin
            found.setdefault(at, []).append(line)
    return found


def _of_clang(text: str) -> dict[int, list[str]]:
    """clang says first what is wrong, then where it comes from."""
    found: dict[int, list[str]] = {}
    error = ""
    for line in text.splitlines():
        place = _PLACE.search(line)
        if " error: " in line:
            error = line
        if error and place is not None:
            found.setdefault(int(place[1]), []).append(error)
            error = ""
    return found


@pytest.mark.parametrize("arch", ARCHS)
def test_exactly_what_is_lacking_does_not_compile(arch: int) -> None:
    assert sorted(errors(arch)) == sorted(expected(arch))


@pytest.mark.parametrize("arch", ARCHS)
def test_message_names_the_api_and_the_architecture(arch: int) -> None:
    for line, text in expected(arch).items():
        message = f"{text} __NPU_ARCH__ {arch}"
        assert any(message in error for error in errors(arch)[line]), (line, errors(arch)[line])


def test_every_architecture_lacks_something() -> None:
    assert [arch for arch in ARCHS if len(expected(arch)) < 2] == []
    assert len(expected(1001)) > len(expected(2002)) > len(expected(2201)) > len(expected(3510))
