"""examples/rms_norm, as another repository has it: through the command line and the plugin."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from normgrad import build, cli, jobs, own_parts, paths, run
from normgrad.backends import LaunchOptions
from normgrad.cases import Case
from normgrad.plan import Refused

EXAMPLE = paths.source_root() / "examples" / "rms_norm"
CASE = "rms_norm:ascend910b4:bf16:333x129:seed1"


@pytest.fixture(autouse=True)
def forgets() -> Iterator[None]:
    yield
    own_parts.use(())


def test_the_example_is_short() -> None:
    code = re.compile(r"^\s*(?!//|#\s)\S", re.MULTILINE)
    files = [file for file in EXAMPLE.rglob("*") if file.suffix in (".cpp", ".h", ".py", ".txt")]
    assert sum(len(code.findall(file.read_text())) for file in files) < 150


def test_verify_runs_its_suite_strictly(tmp_path: Path) -> None:
    words = ["--ops-from", str(EXAMPLE / "op.py"), "--shuffle-runs", "1", "--invariance"]
    assert cli.main(["verify", *words, "--report", str(tmp_path)]) == 0
    rows = json.loads((tmp_path / "results.json").read_text())["rows"]
    passed = [row for row in rows if row["status"] == "PASSED"]
    assert {row["dtype"] for row in passed} == {"bf16", "fp32"}
    assert len(passed) >= 25
    assert all(row["findings"] == [] and row["sync"] == "strict" for row in passed)
    assert all(row["bytes_over_minimum"] < 1.6 for row in passed if row["rows"] > 4000)
    refused = {row["code"] for row in rows if row["status"] == "UNSUPPORTED"}
    assert refused == {561002, 561003, 161002}
    assert "rms_norm" in (tmp_path / "report.html").read_text()
    assert f"--ops-from {EXAMPLE / 'op.py'}" in passed[0]["command"]


def test_the_plugin_runs_it_in_two_workers(tmp_path: Path) -> None:
    words = ("--normgrad-ops-from", str(EXAMPLE / "op.py"), "--normgrad-suite", "smoke")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "normgrad.pytest_plugin", "-n", "2", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"(\d+) passed", done.stdout)[0]) >= 25


@pytest.mark.parametrize(
    ("old", "new", "status", "says"),
    [
        ("    PipeBarrier<PIPE_V>();\n    Adds(", "    Adds(", "RULE", "race-within-pipe"),
        ("plan.epsilon, rows", "0.0f, rows", "FAILED", "rstd["),
    ],
)
def test_a_fault_in_its_kernel_is_found(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    status: str,
    says: str,
) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "mine")
    kernel = tmp_path / "mine" / "rms_norm.cpp"
    text = kernel.read_text()
    assert text.count(old) == 1
    kernel.write_text(text.replace(old, new))
    case = "rms_norm:ascend910b4:fp32:9x64:dist=tiny"
    assert cli.main(["run", case, "--ops-from", str(tmp_path / "mine" / "op.py")]) == 1
    said = capsys.readouterr().out
    assert f"\n{status}  " in said
    assert says in said
    assert status != "RULE" or "rms_norm.cpp:" in said


def test_a_unit_that_was_cut_off_says_what_to_remove(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    shutil.copytree(EXAMPLE, mine)
    kernel = mine / "rms_norm.cpp"
    kernel.write_text(kernel.read_text() + "// a unit of its own\n")
    own_parts.use([mine / "op.py"])
    job = jobs.from_text(CASE)
    unit = build.unit("rms_norm", 2201, ("bf16", "bf16"))
    whole = unit.read_bytes()
    results = []
    for size in (50, 1000, len(whole) - 1):
        unit.write_bytes(whole[:size])
        results.append(run.run_case(job, LaunchOptions()).result)
    shutil.rmtree(unit.parent)
    for result in results[:2]:
        assert result.status == "ERROR"
        assert f"remove the folder {unit.parent}, it is built again" in result.reason
    assert results[2].status == "PASSED"  # its last byte is of no use to a loader


PLANNER = """
#include "tiling/own_plan.h"

struct Tiling {
  uint64_t rows;
  uint32_t cols, pitch, rows_per_tile;
  float epsilon;
};

extern "C" int32_t normgrad_own_plan(const NormgradSoc* soc, const normgrad::Problem* problem,
                                     const normgrad::PlanOptions* options, NormgradPlan* plan,
                                     NormgradAnswer* answer) {
  if (problem->cols > 900) return normgrad::RefuseOwn("cols is too large: at most 900", answer);
  const uint32_t cols = static_cast<uint32_t>(problem->cols);
  const uint32_t step = problem->dtype == normgrad::DType::kFloat32 ? 8 : 16;
  plan->tiling_key = 1;
  plan->cores = options->cores > 0 ? options->cores : soc->cores;
  const Tiling tiling = {problem->rows, cols, (cols + step - 1) / step * step, 2, 1e-6f};
  normgrad::SetTiling(tiling, plan);
  normgrad::AddBuffer("x_in", 2 * cols * 4, 2, plan);
  normgrad::AddField("rows_per_tile", 2, "rows", plan);
  return normgrad::kSuccess;
}
"""


def test_a_planner_in_cpp_serves_as_well(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "mine")
    file = tmp_path / "mine" / "op.py"
    file.write_text(file.read_text().replace("plan=plan", 'plan="plan.cpp"'))
    (tmp_path / "mine" / "plan.cpp").write_text(PLANNER)
    own_parts.use([file])
    made = run.plan_case(Case.parse(f"{CASE}:cores=3".replace(":seed1", "")))
    assert (made.strategy, made.cores, made.declared_c) == ("Whole", 3, 4.0)
    assert made.buffers[0].name == "x_in"
    assert made.fields == {"rows_per_tile": 2}
    with pytest.raises(Refused, match="at most 900"):
        run.plan_case(Case.parse("rms_norm:ascend910b4:bf16:2x901"))
    assert cli.main(["run", CASE, "--ops-from", str(file)]) == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("int x;", "defines no normgrad_own_plan"),
        ("nonsense", "compiling plan.cpp of"),
        (PLANNER.replace("  return normgrad::kSuccess;\n", ""), "non-void function"),
    ],
)
def test_a_planner_that_cannot_be_used_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, says: str
) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "mine")
    file = tmp_path / "mine" / "op.py"
    file.write_text(file.read_text().replace("plan=plan", 'plan="plan.cpp"'))
    (tmp_path / "mine" / "plan.cpp").write_text(text)
    assert cli.main(["plan", CASE, "--ops-from", str(file)]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert len(said.splitlines()) == 1
