"""det=strong: the bits of dgamma for any number of cores and every product of an architecture."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from normgrad import paths

OP = "rms_norm_grad"
# What decides the order of the sums: groups in a tile, tiles in a group, rows one by one, with one
# accumulator, cut rows, few of them shared by cores, blocks of groups, more blocks than are halved
# together; a short last group in each.
SHAPES = (
    "bf16:1000x24",
    "bf16:333x320",
    "bf16:2500x128",
    "bf16:200x1600",
    "fp32:200x2113",
    "bf16:200x6145",
    "bf16:130x16384",
    "bf16:200x20000",
    "bf16:9x20000",
    "fp16:8200x40:gamma=fp32",
    "bf16:262209x8",
)
MANY = "bf16:333x320"  # in which groups and what cores have are cut differently
PLANS = (
    "ascend910b4",
    "ascend910b4:cores=1",
    "ascend910b4:cores=7",
    "ascend910b1",
    "ascend910b1:cores=40",
    "ascend910_9391",
)
# The same where whole blocks are copied and columns are no whole number of them.
SHAPES_310P = (
    "fp16:1000x25",
    "fp32:333x325",
    "fp16:200x6145",
    "fp32:130x13001",
    "fp16:7x20001",
    "fp16:262209x17",
)
PLANS_310P = (
    "ascend310p3",
    "ascend310p3:cores=1",
    "ascend310p3:cores=5",
    "ascend310p1",
)
# One line of JSON: by shape, by plan, the bits of dx and dgamma.
SCRIPT = """
import hashlib, json, sys
from normgrad.backends import LaunchOptions, twin
from normgrad.cases import Case
from normgrad.inputs import make_inputs
from normgrad.run import plan_case

def bits(text, seed):
    case = Case.parse(text)
    done = twin.run(case, make_inputs(case), plan_case(case), LaunchOptions(seed=seed))
    assert done.error is None and done.finished and not done.findings, (text, done)
    return {n: hashlib.sha256(a.tobytes()).hexdigest() for n, a in done.arrays.items()}

print(json.dumps([bits(text, seed) for text, seed in json.loads(sys.argv[1])]))
"""


def case(shape: str, plan: str, det: str = ":det=strong") -> str:
    soc, *wishes = plan.split(":")
    return ":".join([OP, soc, shape, *wishes]) + det


def bits(runs: list[tuple[str, int]], tree: Path | None = None) -> list[dict[str, str]]:
    environment = {**os.environ, "PYTHONPATH": str(Path(paths.__file__).parents[1])}
    if tree is not None:
        environment["NORMGRAD_SOURCES"] = str(tree)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(runs)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows: list[dict[str, str]] = json.loads(done.stdout.splitlines()[-1])
    return rows


ALL = [(PLANS, shape) for shape in SHAPES] + [(PLANS_310P, shape) for shape in SHAPES_310P]


@pytest.mark.parametrize(("plans", "shape"), ALL, ids=[f"{p[0]}:{s}" for p, s in ALL])
def test_same_bits_for_any_cores(plans: tuple[str, ...], shape: str) -> None:
    runs = [(case(shape, plan), 0) for plan in plans]
    runs += [(case(shape, plans[0]), seed) for seed in (1, 2, 3)]
    runs += [(case(shape, plan, ""), 0) for plan in plans]
    rows = bits(runs)
    strong, plain = rows[: -len(plans)], rows[-len(plans) :]
    assert len({row["dgamma"] for row in strong}) == 1
    assert len({row["dx"] for row in rows}) == 1, "what a row gives depends on nothing of this"
    assert len({row["dgamma"] for row in plain}) > 1, "these inputs would show no difference"


# Mutants: what takes a part in the order of the sums by the number of cores.
MUTANTS = {
    "groups_by_cores": (
        "tiling/norm_grad_partials.cpp",
        "deal.rows = deal.in_groups ? kGroupRows : 1;",
        "deal.rows = CeilDiv(problem.rows, options.cores ? options.cores : soc_cores);",
    ),
    "steps_by_cores": (
        "tiling/norm_grad_tile.cpp",
        "  if (!tile.fits || wanted != 0 || problem.rows <= group_rows) {",
        "  tile.step_rows = busiest_rows > group_rows ? 2 : 4;\n"
        "  if (!tile.fits || wanted != 0 || problem.rows <= group_rows) {",
    ),
    "blocks_by_cores": (
        "op_kernel/common/partial_sums.h",
        "    HalveRows(strips, rows, strip_pitch, strip_pitch);",
        "    for (uint32_t row = 1; row < rows && cores_ < 8; ++row) {\n"
        "      AddRows(strips, strips, strips[row * strip_pitch], 1, strip_pitch, strip_pitch);\n"
        "      AscendC::PipeBarrier<PIPE_V>();\n"
        "    }\n"
        "    if (cores_ >= 8) HalveRows(strips, rows, strip_pitch, strip_pitch);",
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_order_by_cores_would_be_seen(name: str, tmp_path: Path) -> None:
    tree = paths.copy_sources(tmp_path / "tree")
    path, before, after = MUTANTS[name]
    text = (tree / path).read_text()
    assert text.count(before) == 1, f"{path} no longer holds what this test edits, once"
    (tree / path).write_text(text.replace(before, after))
    shape = "bf16:1000x24" if name == "blocks_by_cores" else MANY
    rows = bits([(case(shape, plan), 0) for plan in PLANS], tree)
    assert len({row["dgamma"] for row in rows}) > 1


@pytest.mark.parametrize("shape", ["4096x1024", "4096x8192"])
def test_groups_cost_two_percent_of_the_bytes(shape: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "normgrad", "bench", case(f"bf16:{shape}", "ascend910b4"), "--json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(paths.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["rows"][0]["bytes_over_minimum"] <= 1.025
