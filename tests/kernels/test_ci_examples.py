"""examples/ci: what its workflows run, run here, in a repository of the shape that they expect."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from junitparser import JUnitXml

from normgrad import paths

ROOT = paths.source_root()
GITHUB, GITLAB = (
    ROOT / "examples" / "ci" / f"{name}.yml" for name in ("github-actions", "gitlab-ci")
)


def read(file: Path) -> dict[Any, Any]:
    found = yaml.safe_load(file.read_text())
    assert isinstance(found, dict)
    return found


def github_steps() -> list[dict[str, Any]]:
    found = read(GITHUB)
    assert set(found[True]) == {"push", "pull_request"}  # `on` is a truth to YAML
    (job,) = found["jobs"].values()
    assert set(job) <= {"runs-on", "timeout-minutes", "env", "steps"}
    return list(job["steps"])


def commands() -> Iterator[tuple[str, str]]:
    for step in github_steps():
        if "run" in step:
            yield "github", step["run"]
    for line in read(GITLAB)["kernels"]["script"]:
        yield "gitlab", line


RUN = [(whose, line) for whose, line in commands() if not line.startswith("pip ")]


def test_steps_have_the_form_that_actions_take() -> None:
    for step in github_steps():
        assert ("run" in step) != ("uses" in step)
        assert set(step) <= {"name", "run", "uses", "with", "if"}
        if "uses" in step:
            action, _, version = step["uses"].partition("@")
            assert action.startswith("actions/")
            assert version[0] == "v"
    last = github_steps()[-1]
    assert last["if"] == "always()"  # a report of what failed is the one that is read
    assert last["with"]["path"] == "normgrad-report/"
    artifacts = read(GITLAB)["kernels"]["artifacts"]
    assert artifacts["when"] == "always"
    assert artifacts["paths"] == ["normgrad-report"]


def test_both_run_the_same() -> None:
    github = {" ".join(line.split()) for whose, line in RUN if whose == "github"}
    gitlab = {" ".join(line.split()) for whose, line in RUN if whose == "gitlab"}
    assert gitlab == github - {"normgrad doctor"}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Somebody's: kernels/ as the example has them, and a baseline of today."""
    folder = tmp_path_factory.mktemp("repository")
    shutil.copytree(ROOT / "examples" / "rms_norm", folder / "kernels")
    few = ("{1x8,333x129}", "2x7000:expect=561002")  # the whole suite has its own test
    lines = (folder / "kernels" / "cases" / "smoke.txt").read_text().splitlines()
    head = "rms_norm:ascend910b4:{bf16,fp32}:"
    assert any(line.startswith(head) for line in lines)
    suite = f"{head}{few[0]}\nrms_norm:ascend910b4:fp32:{few[1]}\n"
    (folder / "kernels" / "cases" / "smoke.txt").write_text(suite)
    started(folder, "normgrad verify --ops-from kernels/op.py")
    accept = "normgrad compare kernels/baseline.json normgrad-report/results.json --accept"
    assert accept in GITHUB.read_text()
    started(folder, accept)
    return folder


def started(folder: Path, line: str, code: int = 0) -> str:
    """One step, by the shell, with this environment's programs; no normgrad of another."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name, module in (("normgrad", "normgrad"), ("pytest", "pytest")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
        program.chmod(0o755)
    done = subprocess.run(
        ["bash", "-e", "-c", line],
        cwd=folder,
        env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("line", [line for whose, line in RUN if whose == "github"])
def test_a_step_passes(repository: Path, line: str) -> None:
    started(repository, line)


def test_what_became_worse_fails_and_says_how_to_accept_it(repository: Path) -> None:
    plan = repository / "kernels" / "op.py"
    text = plan.read_text()
    half = text.replace("rows = min(fits,", "rows = min(1, fits,")  # smaller tiles: more cycles
    assert half != text
    plan.write_text(half)
    line = next(line for _, line in RUN if "--baseline" in line)
    said = started(repository, line, code=3)
    plan.write_text(text)
    assert "normgrad compare kernels/baseline.json normgrad-report/results.json --accept" in said


def test_reports_are_read_by_a_parser_of_junit(repository: Path) -> None:
    """As a CI server reads them: junitparser is one that others keep."""
    plugin = next(line for _, line in RUN if line.startswith("pytest"))
    started(repository, plugin)
    started(repository, "normgrad verify --ops-from kernels/op.py")
    for name, cases in (("pytest", 5), ("junit", 5)):
        found = JUnitXml.fromfile(str(repository / "normgrad-report" / f"{name}.xml"))
        suites = [found] if found.__class__.__name__ == "TestSuite" else list(found)
        results = [case for suite in suites for case in suite]
        assert len(results) == cases
        assert all(case.is_passed for case in results)
        assert sum(suite.tests for suite in suites) == cases
    (case,) = (c for c in results if "333x129" in c.name and "fp32" in c.name)
    assert case.classname == "normgrad.rms_norm"
    assert case.time > 0
