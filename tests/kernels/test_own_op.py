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

from normgrad import build, cli, jobs, ops, own_parts, own_planner, paths, run
from normgrad.backends import LaunchOptions
from normgrad.cases import Case
from normgrad.own_check import OwnError
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
                                     const normgrad::PlanOptions* options,
                                     const NormgradAttributes* attributes, NormgradPlan* plan,
                                     NormgradAnswer* answer) {
  // first
  if (problem->cols > 900) return normgrad::RefuseOwn("cols is too large: at most 900", answer);
  const uint32_t cols = static_cast<uint32_t>(problem->cols);
  const uint32_t step = problem->dtype == normgrad::DType::kFloat32 ? 8 : 16;
  plan->tiling_key = 1;
  plan->cores = options->cores > 0 ? options->cores : soc->cores;
  const float epsilon = static_cast<float>(normgrad::Attribute(attributes, "epsilon"));
  const Tiling tiling = {problem->rows, cols, (cols + step - 1) / step * step, 2, epsilon};
  normgrad::SetTiling(tiling, plan);
  normgrad::SetStrategy("Pairs", "two rows at once, as always", plan);
  normgrad::AddBuffer("x_in", 2 * cols * 4, 2, plan);
  normgrad::AddField("rows_per_tile", 2, "rows", plan);
  return normgrad::kSuccess;
}
"""


def with_planner(folder: Path, text: str) -> Path:
    """The example with a planner in C++."""
    shutil.copytree(EXAMPLE, folder / "mine")
    file = folder / "mine" / "op.py"
    file.write_text(file.read_text().replace("plan=plan", 'plan="plan.cpp"'))
    (folder / "mine" / "plan.cpp").write_text(text)
    return file


def test_a_planner_in_cpp_serves_as_well(tmp_path: Path) -> None:
    file = with_planner(tmp_path, PLANNER)
    own_parts.use([file])
    made = run.plan_case(Case.parse(f"{CASE}:cores=3".replace(":seed1", "")))
    assert (made.strategy, made.cores, made.declared_c) == ("Pairs", 3, 4.0)
    assert made.reason == "two rows at once, as always"
    assert made.buffers[0].name == "x_in"
    assert made.fields == {"rows_per_tile": 2}
    with pytest.raises(Refused, match="at most 900"):
        run.plan_case(Case.parse("rms_norm:ascend910b4:bf16:2x901"))
    assert cli.main(["run", f"{CASE}:epsilon=0.25", "--ops-from", str(file)]) == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("int x;", "defines no normgrad_own_plan"),
        ("nonsense", "compiling plan.cpp in"),
        (PLANNER.replace("  return normgrad::kSuccess;\n", ""), "non-void function"),
    ],
)
def test_a_planner_that_cannot_be_used_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, says: str
) -> None:
    file = with_planner(tmp_path, text)
    assert cli.main(["plan", CASE, "--ops-from", str(file)]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert len(said.splitlines()) == 1


# What a planner does before it plans, or to its plan; a case of so many rows asks for it.
ODD_ENDS = [
    ("return 7;", "returned 7, and its answer has code 0: end it with return"),
    ("return normgrad::kTilingRefused;", "returned 561002, and its answer has code 0"),
    ('normgrad::RefuseOwn("no", answer); break;', "returned 0, and its answer has code 561002"),
    ('return normgrad::RefuseOwn("", answer);', "the sentence '': use normgrad::RefuseOwn("),
    ('throw std::runtime_error("lost");', "was ended by SIGABRT instead of returning"),
    ("*(volatile int*)8 = 1; break;", "was ended by SIGSEGV instead of returning: mend it"),
    ("exit(0);", "left by exit(0) instead of returning"),
    ("while (plan->cores == 0) std::atomic_signal_fence(std::memory_order_seq_cst); break;",
     "made no plan within 1 s"),
    ('normgrad::Attribute(attributes, "eps"); break;', "the description has no attribute eps"),
]  # fmt: skip
NO_PLANS = [
    ("plan->tiling_bytes = 5000;", "tiling_bytes = 5,000: at most 1,024"),
    ("plan->buffer_count = 26;", "buffer_count = 26: at most 25"),
    ("plan->field_count = 65;", "field_count = 65: at most 64"),
    ("plan->buffers[0].phase = 3;", "a buffer of phase 3"),
    ("plan->fields[0].value = 0.0 / 0.0;", "a field of nan"),
    ("plan->declared_c = -1;", "declared_c = -1.0"),
    ("plan->workspace_bytes = ~0ull;", "bytes of workspace: at most"),
    ("plan->cores = 41;", "asks for 41 cores: ascend910b4 has 40"),
    ("plan->cores = 0;", "asks for 0 cores for 308 rows of 129"),
    ("std::memset(plan->reason, 0xff, sizeof plan->reason); plan->strategy[0] = '\\xfe';", ""),
]


def odd_planner() -> str:
    """One, so that it is compiled once."""

    def switch(lines: list[str], begin: int) -> str:
        cases = "\n".join(f"    case {begin + i}: {line}" for i, line in enumerate(lines))
        return f"  switch (problem->rows) {{\n{cases}\n  }}\n"

    first = switch([line for line, _ in ODD_ENDS], 200)
    last = switch([f"{line} break;" for line, _ in NO_PLANS], 300)
    end = "  return normgrad::kSuccess;\n"
    text = PLANNER.replace("  // first\n", first).replace(end, last + end)
    return f"#include <atomic>\n#include <cstdlib>\n#include <stdexcept>\n{text}"


def test_a_planner_that_ends_oddly_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_parts.use([with_planner(tmp_path, odd_planner())])
    for rows, (line, says) in enumerate(ODD_ENDS, 200):
        with monkeypatch.context() as patch:
            if line.startswith("while"):
                patch.setattr(own_planner, "_LIMIT_S", 1.0)
            said = refusal_of(rows)
        assert says in said
        assert "plan.cpp of rms_norm" in said
        assert "\n" not in said
        assert "lost" in said or not line.startswith("throw")
        assert run.plan_case(Case.parse(CASE)).cores == 40  # it goes on


def refusal_of(rows: int) -> str:
    with pytest.raises(OwnError) as caught:
        run.plan_case(Case.parse(f"rms_norm:ascend910b4:bf16:{rows}x129"))
    return str(caught.value)


def test_a_planner_that_makes_no_plan_is_one_sentence(tmp_path: Path) -> None:
    own_parts.use([with_planner(tmp_path, odd_planner())])
    for rows, (_, says) in enumerate(NO_PLANS, 300):
        if not says:  # what is no text is shown all the same
            assert run.plan_case(Case.parse(f"rms_norm:ascend910b4:bf16:{rows}x129")).cores == 40
            continue
        said = refusal_of(rows)
        assert says in said
        assert "\n" not in said


def test_a_header_outside_the_folder_is_part_of_the_kernel(tmp_path: Path) -> None:
    """What passed with the header as it was does not pass, unseen, with another."""
    shutil.copytree(EXAMPLE, tmp_path / "mine")
    file, shared = tmp_path / "mine" / "op.py", tmp_path / "shared" / "mean.h"
    shared.parent.mkdir()
    shared.write_text("#define MEAN(cols) (1.0f / static_cast<float>(cols))\n")
    kernel = tmp_path / "mine" / "rms_norm.cpp"
    text = kernel.read_text()
    old = "1.0f / static_cast<float>(plan.cols)"
    assert text.count(old) == 1
    kernel.write_text('#include "../shared/mean.h"\n' + text.replace(old, "MEAN(plan.cols)"))
    own_parts.use([file])
    job = jobs.from_text("rms_norm:ascend910b4:fp32:9x64")
    own = ops.find_op("rms_norm").own
    assert own is not None
    before = own.digest()
    assert run.run_case(job, LaunchOptions()).result.status == "PASSED"
    shared.write_text(shared.read_text().replace("1.0f", "2.0f"))
    assert own.digest() != before  # nor does --resume keep its results
    assert run.run_case(job, LaunchOptions()).result.status == "FAILED"
    macro = '#define HEADER "../shared/mean.h"\n#include HEADER\n'
    kernel.write_text(macro + text.replace(old, "MEAN(plan.cols)"))
    refused = run.run_case(job, LaunchOptions()).result
    assert refused.status == "ERROR"
    assert f"rms_norm.cpp includes {shared} in a way that is not seen" in refused.reason


def test_attributes_reach_the_kernel(tmp_path: Path) -> None:
    words = ["--ops-from", str(EXAMPLE / "op.py")]
    case = "rms_norm:ascend910b4:fp32:9x64"
    assert cli.main(["verify", f"{case}:epsilon=0.5", case, *words, "--report", str(tmp_path)]) == 0
    rows = json.loads((tmp_path / "results.json").read_text())["rows"]
    assert [row["case"] for row in rows] == [f"{case}:epsilon=0.5:seed1", f"{case}:seed1"]
    mine = tmp_path / "mine"
    shutil.copytree(EXAMPLE, mine)
    text = (mine / "op.py").read_text()
    assert text.count('problem.attributes["epsilon"]') == 1
    (mine / "op.py").write_text(text.replace('problem.attributes["epsilon"]', "1e-6"))
    assert cli.main(["run", f"{case}:epsilon=0.5", "--ops-from", str(mine / "op.py")]) == 1


@pytest.mark.parametrize(
    ("word", "status", "says"),
    [
        ("tiling_key=2", "RULE", "tiling key 2 matches no TILING_KEY_IS"),
        ("workspace_bytes=2**40", "ERROR", "the workspace of this case takes 1,024 GiB"),
    ],
)
def test_what_no_launch_can_do_is_said_without_guesses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], word: str, status: str, says: str
) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "mine")
    file = tmp_path / "mine" / "op.py"
    file.write_text(file.read_text().replace("return Planned(", f"return Planned({word},"))
    assert cli.main(["run", CASE, "--ops-from", str(file)]) == 1
    said = capsys.readouterr().out
    assert f"\n{status}  " in said
    assert says in said
    assert "look at the formula" not in said
