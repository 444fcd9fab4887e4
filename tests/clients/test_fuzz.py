"""The first phase never crashes and always gives the contract's code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import fuzz
import pytest

from normgrad import build, paths, tools
from normgrad.backends.acl_abi import Library

HERE = Path(__file__).parent


@pytest.mark.parametrize("oracle", fuzz.ORACLES, ids=lambda oracle: oracle.API)
def test_random_calls_get_the_codes_of_the_contract(
    library: Library, oracle: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NORMGRAD_SOC", "ascend910b4")
    seen = fuzz.run(library, oracle, 5000, 1)
    assert set(seen) >= {0, 161001, 161002}
    assert seen[0] > 500


def test_a_wrong_code_is_noticed(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    oracle = fuzz.ORACLES[0]
    monkeypatch.setenv("NORMGRAD_SOC", "ascend910b4")
    monkeypatch.setattr(oracle, "_INVALID", 161003)
    with pytest.raises(AssertionError, match="gave 161002, not 161003"):
        fuzz.run(library, oracle, 400, 1)


@pytest.fixture(scope="module", params=["address,undefined", "thread"])
def sanitized(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library built with sanitizers; what they have to say ends the process with an error."""
    # Its folder's name tells the sources, as in the cache: kernels are found by it.
    place = tmp_path_factory.mktemp("sanitized") / build.base_folder("acl").name
    configure = ["cmake", "-S", str(paths.source_root()), "-B", str(place)]
    configure += [
        f"-DNORMGRAD_SANITIZE={request.param}",
        f"-DCMAKE_CXX_COMPILER={tools.compiler()}",
    ]
    target = ["cmake", "--build", str(place), "--target", "normgrad_acl", "--parallel", "2"]
    for command in (configure, target):
        subprocess.run(command, check=True, capture_output=True)
    return place / "libnormgrad_acl.so"


@pytest.mark.full
def test_sanitizers_have_nothing_to_say(sanitized: Path, tmp_path: Path) -> None:
    """Random calls under the one, threads with streams and events under the other, each under both.

    A program of its own, since a sanitizer must be there from the start.
    """
    source = HERE / "threads.cpp"
    program = tmp_path / "threads"
    flags = [
        f"-I{paths.source_root() / 'twin' / 'acl' / 'include'}",
        "-std=c++17",
        "-g",
        "-pthread",
    ]
    sanitizer = (sanitized.parent / "CMakeCache.txt").read_text()
    kind = next(line for line in sanitizer.splitlines() if line.startswith("NORMGRAD_SANITIZE"))
    command = [tools.compiler(), *flags, f"-fsanitize={kind.partition('=')[2]}", str(source)]
    command += [str(sanitized), f"-Wl,-rpath,{sanitized.parent}", "-o", str(program)]
    subprocess.run(command, check=True)
    variables = {
        **os.environ,
        "NORMGRAD_PYTHON": sys.executable,
        "UBSAN_OPTIONS": "halt_on_error=1",
        "ASAN_OPTIONS": "allow_user_segv_handler=1",
    }
    build.unit("rms_norm_grad", 2201, ("fp32", "fp32"))
    done = subprocess.run([program], capture_output=True, text=True, env=variables, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.full
def test_100_000_random_calls_under_sanitizers(sanitized: Path) -> None:
    if (sanitized.parent / "CMakeCache.txt").read_text().count("NORMGRAD_SANITIZE:STRING=thread"):
        pytest.skip("one thread alone: the other sanitizers see all there is")
    asan = subprocess.run(
        [tools.compiler(), "-print-file-name=libasan.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    variables = {
        **os.environ,
        "LD_PRELOAD": asan,
        "ASAN_OPTIONS": "detect_leaks=0",  # of Python's own
        "UBSAN_OPTIONS": "halt_on_error=1",
        "PYTHONPATH": str(HERE),
    }
    command = [sys.executable, str(HERE / "fuzz.py"), str(sanitized), "100000", "7"]
    done = subprocess.run(command, capture_output=True, text=True, env=variables, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
