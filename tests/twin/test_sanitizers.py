"""The twin itself under sanitizers: real cases and every sample, with two cores at a time, and the
tables of what calls mean."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import samples

from normgrad import build, paths, tools
from normgrad.backends import LaunchOptions, twin
from normgrad.cases import Case
from normgrad.inputs import make_inputs
from normgrad.run import plan_case

# Every strategy, tails, many cores; small, since a sanitizer costs about twenty times.
CASES = (
    "rms_norm_grad:ascend910b4:bf16:129x1000:seed1",
    "rms_norm_grad:ascend910b4:bf16:50x5000:seed1",
    "rms_norm_grad:ascend910b4:fp32:41x7:seed1",
    "rms_norm_grad:ascend910b4:fp32:90x2600:seed1:strategy=DxSplitRow:chunk=1024",
    "rms_norm_grad:ascend910b4:bf16:9x5127:seed1:strategy=DxFewRows:cores=13:ub=49152",
)


@pytest.fixture(scope="module", params=["thread", "address,undefined"])
def runner(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A runner built with sanitizers; what they have to say makes it end with an error."""
    place = tmp_path_factory.mktemp("sanitized")
    configure = [
        "cmake",
        "-S",
        str(paths.source_root()),
        "-B",
        str(place),
        f"-DNORMGRAD_SANITIZE={request.param}",
        f"-DCMAKE_CXX_COMPILER={tools.compiler()}",
    ]
    target = ["cmake", "--build", str(place), "--target", "normgrad-twin", "--parallel", "2"]
    for command in (configure, target):
        subprocess.run(command, check=True, capture_output=True)
    return place / "normgrad-twin"


@pytest.mark.full
def test_sanitizers_have_nothing_to_say(runner: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    units = {dtype: build.unit("rms_norm_grad", 2201, (dtype, dtype)) for dtype in ("bf16", "fp32")}
    monkeypatch.setattr(build, "twin_runner", lambda: runner)
    monkeypatch.setenv("UBSAN_OPTIONS", "halt_on_error=1")
    for text in CASES:
        case = Case.parse(text)
        monkeypatch.setattr(build, "unit", lambda *_, dtype=case.dtype: units[dtype])
        done = twin.run(case, make_inputs(case), plan_case(case), LaunchOptions(threads=2))
        assert (done.error, done.findings) == (None, ()), text
    for sample in samples.of_kind("bad") + samples.of_kind("silent"):
        done = samples.launch(sample)
        assert done.error is None, sample.id


# Pytest in a process of its own, where launches take the runner that is named first.
_WITH_RUNNER = """
import pathlib, sys, pytest
from normgrad import build
build.twin_runner = lambda: pathlib.Path(sys.argv[1])
sys.exit(pytest.main(sys.argv[2:]))
"""


@pytest.mark.full
def test_sanitizers_have_nothing_to_say_of_what_calls_mean(runner: Path) -> None:
    tables = Path(__file__).with_name("conformance")
    options = ["-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider"]
    command = [sys.executable, "-c", _WITH_RUNNER, str(runner), str(tables), *options]
    env = os.environ | {"UBSAN_OPTIONS": "halt_on_error=1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tables.parents[2], env=env)
    assert done.returncode == 0, done.stdout[-4000:]
