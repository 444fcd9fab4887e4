"""The wheel, in a clean environment, with the system's compilers and an empty cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from normgrad import __version__

pytestmark = pytest.mark.xdist_group("wheel")  # one worker builds the wheel once

ROOT = Path(__file__).resolve().parents[2]
SOURCES = "normgrad/_sources/"
# One pair of dtypes, hence one build unit; a tail in both directions.
CASES = ("rms_norm_grad:ascend910b4:bf16:33x129:seed1", "rms_norm_grad:ascend910b4:bf16:3x7:seed2")


def _run(*command: str | Path, cwd: Path, env: dict[str, str]) -> str:
    run = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert run.returncode == 0, f"{command}: exit {run.returncode}\n{run.stdout[-4000:]}"
    return run.stdout


@pytest.fixture(scope="module")
def clean_env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of somebody who has never seen a checkout."""
    own = {"VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "NORMGRAD_CACHE"}
    env = {name: value for name, value in os.environ.items() if name not in own}
    scripts = str(Path(sys.prefix) / "bin")
    env["PATH"] = os.pathsep.join(p for p in env["PATH"].split(os.pathsep) if p != scripts)
    env["NORMGRAD_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    env["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    return env


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation")
    _run(*pip, "-w", folder, ROOT, cwd=folder, env=dict(os.environ))
    (built,) = folder.glob("normgrad-*.whl")
    return built


def _shipped(folder: str) -> set[str]:
    """Files of the checkout below a folder, without what was made there."""
    return {
        str(file.relative_to(ROOT))
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


def test_wheel_carries_every_source_once(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    held = {name for name in archive.namelist() if name.startswith(SOURCES)}
    folders = ("cmake", "op_host", "op_kernel", "tiling", "twin")
    folders += ("tests/cases", "tests/defects", "tests/data/captures")
    wanted = {"CMakeLists.txt"}.union(*(_shipped(folder) for folder in folders))
    assert {name.removeprefix(SOURCES) for name in held} == wanted
    for name in sorted(held):
        assert archive.read(name) == (ROOT / name.removeprefix(SOURCES)).read_bytes(), name
    own = {name for name in archive.namelist() if name.startswith("normgrad/")} - held
    assert {f"python/{name}" for name in own} == _shipped("python/normgrad")
    assert not (ROOT / "python" / SOURCES).exists()  # one copy in git


def test_wheel_says_what_it_is(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (metadata,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
    said = archive.read(metadata).decode()
    assert f"\nVersion: {__version__}\n" in said
    assert "\nRequires-Python: >=3.10\n" in said
    assert any(name.endswith("licenses/LICENSE") for name in archive.namelist())
    assert wheel.name.endswith("-py3-none-any.whl")


def test_wheel_carries_sources_cases_and_captures(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for name in (
        "normgrad/templates/unit.cpp.j2",
        "normgrad/_sources/CMakeLists.txt",
        "normgrad/_sources/op_kernel/rms_norm_grad/rms_norm_grad.cpp",
        "normgrad/_sources/tiling/norm_grad.h",
        "normgrad/_sources/op_host/rms_norm_grad/op_api/aclnn_rms_norm_grad.h",
        "normgrad/_sources/twin/run.cpp",
        "normgrad/_sources/twin/include/kernel_operator.h",
        "normgrad/_sources/tests/cases/smoke/rms_norm_grad.txt",
        "normgrad/_sources/tests/defects/rms_norm_grad.txt",
    ):
        assert name in names
    assert any(n.startswith("normgrad/_sources/tests/data/captures/rms_") for n in names)
    assert not [n for n in names if "__pycache__" in n]


@pytest.fixture(scope="module")
def installed(
    wheel: Path, clean_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The command of the wheel, in an environment of its own."""
    folder = tmp_path_factory.mktemp("installed")
    python = folder / "venv" / "bin" / "python"
    _run(sys.executable, "-m", "venv", folder / "venv", cwd=folder, env=clean_env)
    locked = ("--require-hashes", "-r", ROOT / "requirements" / "run.txt")
    _run(python, "-m", "pip", "install", "-q", *locked, cwd=folder, env=clean_env)
    _run(python, "-m", "pip", "install", "-q", "--no-deps", wheel, cwd=folder, env=clean_env)
    return python.with_name("normgrad")


def test_wheel_in_a_clean_environment_verifies(
    installed: Path, clean_env: dict[str, str], tmp_path: Path
) -> None:
    command = (installed, "verify", *CASES, "--report", tmp_path / "report")
    _run(*command, cwd=tmp_path, env=clean_env)
    rows = json.loads((tmp_path / "report" / "results.json").read_text())["rows"]
    assert sorted(row["case"] for row in rows) == sorted(CASES)
    assert {row["status"] for row in rows} == {"PASSED"}
    # A defect in the unit that is built by now: plants, builds and removes beside the cache.
    planted = (installed, "selftest", "stores_cut_off")
    assert "1 defect" in _run(*planted, cwd=tmp_path, env=clean_env)
    assert not list(Path(clean_env["NORMGRAD_CACHE"]).glob("selftest-*"))


@pytest.mark.full
def test_wheel_runs_the_whole_smoke_suite(
    installed: Path, clean_env: dict[str, str], tmp_path: Path
) -> None:
    """Every operator and chip, the captures too; a client; the package's files, in this folder."""
    said = _run(installed, "verify", cwd=tmp_path, env=clean_env)
    assert "not as expected" not in said
    rows = json.loads((tmp_path / "normgrad-report" / "results.json").read_text())["rows"]
    assert any(row["case"].startswith("npz:") for row in rows)
    client = ROOT / "examples" / "clients" / "rms_norm_grad.cpp"
    assert "worst error" in _run(installed, "client", "run", client, cwd=tmp_path, env=clean_env)
    package = (installed.with_name("python"), "-m", "normgrad.package", "--dry-run")
    _run(*package, cwd=tmp_path, env=clean_env)
    assert (tmp_path / "build" / "package").is_dir()
