"""Tensors of more than 2^32 elements: the real kernel, a real plan, the core whose rows lie there.

Every other core would work on zeros: it stays away, and the zeroed workspace is what it would have
left. The rows that hold data must give the bits that they give in a small call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from normgrad import build, dtypes, golden, inputs, paths
from normgrad.backends import LaunchOptions, Outputs, SparseInput, SparseOutput, twin
from normgrad.cases import Case
from normgrad.run import plan_case

EDGE = 1 << 32
NEAR = 12  # rows with data on each side of an edge: more than a tile has
POISON = 0xFFFFFFFF


def case_of(dtype: str, cols: int, soc: str = "ascend910b4", spare_rows: int = 200) -> Case:
    """A little more than 2^32 elements: rows of the last core begin on both sides of the edge."""
    return Case("rms_norm_grad", soc, dtype, (EDGE // cols + spare_rows, cols))


def places(case: Case) -> list[int]:
    """First rows of the stretches that hold data: around element 2^32, and at the end."""
    return [EDGE // case.cols - NEAR, case.rows - NEAR]


def launch(case: Case) -> tuple[Outputs, Outputs, dict[str, np.ndarray]]:
    """The last core's part of the large call; the small call of the rows with data; its inputs."""
    starts = places(case)
    small = replace(case, shape=(len(starts) * 2 * NEAR - NEAR, case.cols))
    counts = [2 * NEAR, NEAR]
    data = inputs.make_inputs(small)
    plan = plan_case(case)
    item = dtypes.numpy_dtype(case.dtype).itemsize

    def sparse(name: str, row_bytes: int) -> SparseInput:
        ends = np.cumsum(counts)
        parts = np.split(data[name], ends[:-1])
        placed = {row * row_bytes: part for row, part in zip(starts, parts, strict=True)}
        return SparseInput(case.rows * row_bytes, placed)

    row_bytes = case.cols * item
    forms = {
        row * row_bytes: ((count, case.cols), data["x"].dtype)
        for row, count in zip(starts, counts, strict=True)
    }
    large = twin.launch(
        replace(
            twin.raw_launch(case, plan),
            workspace_zeroed_bytes=plan.workspace_bytes,
            cores_run=(plan.cores - 1,),
        ),
        ("dy", "x", "rstd", "gamma", "dx", "dgamma"),
        {
            "dy": sparse("dy", row_bytes),
            "x": sparse("x", row_bytes),
            "rstd": sparse("rstd", 4),
            "gamma": data["gamma"],
        },
        {
            "dx": SparseOutput(case.rows * row_bytes, forms),
            "dgamma": ((case.cols,), np.dtype(np.float32)),
        },
        LaunchOptions(timeout_s=300.0),
    )
    return large, twin.run(small, data, plan_case(small), LaunchOptions()), data


def dx_of(case: Case, large: Outputs) -> np.ndarray:
    row_bytes = case.cols * dtypes.numpy_dtype(case.dtype).itemsize
    return np.concatenate([large.arrays[f"dx@{row * row_bytes}"] for row in places(case)])


def bits(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


CASES = [
    ("bf16", 1280, "ascend910b4"),
    ("fp16", 1281, "ascend310p1"),
    pytest.param("fp32", 1280, "ascend910b4", marks=pytest.mark.full),
    pytest.param("bf16", 8160, "ascend910b4", marks=pytest.mark.full),
]


@pytest.mark.parametrize(("dtype", "cols", "soc"), CASES)
def test_rows_beyond_2_to_the_32_elements(dtype: str, cols: int, soc: str) -> None:
    case = case_of(dtype, cols, soc)
    large, small, data = launch(case)
    assert (large.error, large.findings, small.error) == (None, (), None)
    assert large.unwritten["dx"] == 0
    assert np.array_equal(bits(dx_of(case, large)), bits(small.arrays["dx"]))
    # Of dgamma the last core has written its strip of columns.
    got = large.arrays["dgamma"]
    written = bits(got) != POISON
    assert written.any()
    source = golden.matrices(data)
    _, sums = golden.rms_norm_grad_rows(source, 0, source.rows)
    one = sums["dgamma"]
    limit = 2.0**-24 * (np.abs(one.value) + 4.0 * one.s)
    assert np.all(np.abs(got - one.value)[written] <= limit[written])


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the sources that units are built from; the planner and the twin stay the same."""

    def forget() -> None:
        build._base.cache_clear()
        build._build_unit.cache_clear()

    paths.copy_sources(tmp_path)
    monkeypatch.setattr(paths, "source_root", lambda: tmp_path)
    forget()
    yield tmp_path
    monkeypatch.undo()
    forget()


def plant(tree: Path, offset: str) -> None:
    """Every offset of a row in a tensor is counted in 32 bits."""
    file = tree / "op_kernel" / "common" / "row_queues.h"
    text, planted = re.subn(r"\brow \* cols_", offset, file.read_text())
    file.write_text(text)
    assert planted, "no kernel counts an offset as `row * cols_` any more: plant it elsewhere"


def test_an_offset_of_32_bits_is_found(tree: Path) -> None:
    plant(tree, "static_cast<uint32_t>(row * cols_)")
    case = case_of("bf16", 1280)
    large, small, _ = launch(case)
    assert (large.error, small.error) == (None, None)
    same = (bits(dx_of(case, large)) == bits(small.arrays["dx"])).all(axis=1)
    first = int(np.argmin(same))  # a tile that begins below the edge may reach beyond it
    assert NEAR < first < 2 * NEAR
    assert same[:first].all()
    assert not same[first:].any()
    assert large.unwritten["dx"] == int(np.count_nonzero(~same)) * case.cols * 2, (
        "it went elsewhere"
    )


@pytest.mark.full
def test_a_signed_offset_of_32_bits_is_found(tree: Path) -> None:
    plant(tree, "static_cast<int64_t>(static_cast<int32_t>(row * cols_))")
    large, _, _ = launch(case_of("bf16", 1280))
    assert large.error is None
    assert [finding.rule for finding in large.findings] == ["gm-out-of-bounds"]
