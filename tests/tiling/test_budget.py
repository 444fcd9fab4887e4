"""The planner's last word: a plan whose buffers do not fit is refused, even by its own fault."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tiling_struct import ROOT

FAULTS = {
    "a second phase that is too large": (
        "norm_grad_partials.cpp",
        "tiling->strip_cols = static_cast<uint32_t>(std::min(even, most));",
        "tiling->strip_cols = static_cast<uint32_t>(std::min(even, most)) * 512;",
    ),
    "a first phase that is too large": (
        "norm_grad_plan.cpp",
        "const Layout layout = PlaceTile(problem, tile);",
        "tile.rows *= 64;\n  const Layout layout = PlaceTile(problem, tile);",
    ),
}
MAIN = """
#include <cstdio>
#include "tiling/rms_norm_grad_plan.h"
int main() {
  const normgrad::Problem problem = {4096, 1024, normgrad::DType::kBfloat16,
                                     normgrad::DType::kBfloat16};
  normgrad::Plan plan;
  const normgrad::Answer answer = normgrad::PlanRmsNormGrad(
      *normgrad::FindSoc("ascend910b4"), problem, normgrad::PlanOptions{}, &plan);
  std::printf("%d %s\\n", answer.code, answer.sentence.c_str());
}
"""


@pytest.mark.parametrize("name", FAULTS)
def test_plan_that_does_not_fit_is_refused(name: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tiling", tmp_path / "tiling")
    file, right, wrong = FAULTS[name]
    text = (tmp_path / "tiling" / file).read_text()
    assert text.count(right) == 1
    (tmp_path / "tiling" / file).write_text(text.replace(right, wrong))
    (tmp_path / "main.cpp").write_text(MAIN)
    sources = [str(source) for source in (tmp_path / "tiling").glob("*.cpp")]
    program = tmp_path / "plan"
    compiler = shutil.which("g++") or "clang++"
    subprocess.run(
        [compiler, "-std=c++17", f"-I{tmp_path}", str(tmp_path / "main.cpp"), *sources, "-o",
         str(program)],
        check=True,
    )  # fmt: skip
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert said.startswith("561002 a fault of the planner: its buffers ")
    assert "bytes of UB; report this case" in said
