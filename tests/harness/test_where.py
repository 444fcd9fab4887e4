"""The text of a failure names place and pattern, on outputs that are broken in a known way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from reference import rms_norm_grad

from normgrad import run
from normgrad.cases import Case
from normgrad.dtypes import Array
from normgrad.inputs import make_inputs
from normgrad.verdict import Verdict, judge

ALL = slice(None)


@dataclass(frozen=True)
class Split:
    cores: int
    fields: Mapping[str, int | float]


# 43 rows: cores 0 to 2 have 5, the other seven have 4. Tiles of 2 rows, chunks of 64 columns.
PLAN = Split(
    10,
    {"rows_per_core": 4, "cores_with_one_more": 3, "rows_per_tile": 2, "chunk_cols": 64,
     "strip_cols": 24},
)  # fmt: skip
STARTS = np.array([0, 5, 10, 15, 19, 23, 27, 31, 35, 39])


def broken(name: str, index: Any, text: str = "fp32:43x200", plan: Any = PLAN) -> Verdict:
    case = Case.parse(f"rms_norm_grad:ascend910b4:{text}")
    data = make_inputs(case)
    outputs: dict[str, Array] = rms_norm_grad(data)
    outputs[name][index] = 99.0
    return judge(case, data, outputs, plan=plan)


@pytest.mark.parametrize(
    ("index", "pattern", "why"),
    [
        ((ALL, slice(196, 200)), "only in the last 4 of 200 columns", "tail of a row"),
        ((ALL, slice(192, 200)), "only in the last 8 of 200 columns", "the last chunk"),
        ((ALL, 199), "only in the last column", "tail of a row"),
        ((ALL, 17), "only in column 17", ""),
        ((ALL, slice(63, None, 64)), "only in every 64th column, from column 63 on", "mask"),
        ((ALL, slice(3, None, 8)), "only in every 8th column, from column 3 on", "mask"),
        ((ALL, slice(64, 128)), "only in chunk 1 (columns 64 to 127)", "chunks"),
        ((-1, ALL), "only in the last row", "how many rows"),
        ((7, ALL), "only in row 7", ""),
        ((slice(10, 15), ALL), "only in rows of core 2", "dealt to cores"),
        ((slice(39, 43), ALL), "only in rows of the last core (9)", "dealt to cores"),
        ((slice(31, 43), ALL), "only in rows of cores 7 to 9", "dealt to cores"),
        ((STARTS[1:], ALL), "only in the first row of each core", "first tile"),
        ((STARTS[1:] - 1, ALL), "only in the last row of each core", "how many rows"),
        ((slice(10, 12), ALL), "only in the first tile of a core", "before the first tile"),
        (([4, 9, 14, 17, 18, 21, 22], ALL), "only in the last tile of a core", "short last tile"),
        ((ALL, ALL), "in every row", "formula"),
        ((slice(1, None), ALL), "in nearly every row (42 of 43)", "formula"),
    ],
)
def test_pattern_of_dx_is_named(index: Any, pattern: str, why: str) -> None:
    verdict = broken("dx", index)
    assert pattern in verdict.reason
    assert any(pattern in line and why in line for line in verdict.explanation)


ONE_CORE = Split(1, {"rows_per_core": 43, "cores_with_one_more": 0, "rows_per_tile": 4})


@pytest.mark.parametrize(
    ("rows", "pattern"),
    [
        (slice(0, None, 4), "only in the first row of each tile"),
        (slice(1, None, 4), "only in row 1 of each tile"),
        ([3, 7, 11, 15, 19, 23, 27, 31, 35, 39, 42], "only in the last row of each tile"),
        ([r for r in range(43) if r // 4 % 2], "only in every second tile"),
        (slice(40, 43), "only in the last tile of a core"),
        ([r for r in range(43) if r % 4], "in every row but the first of each tile"),
    ],
)
def test_pattern_of_tiles_is_named(rows: Any, pattern: str) -> None:
    assert pattern in broken("dx", (rows, ALL), plan=ONE_CORE).reason


def test_a_few_columns_of_every_repeat_are_named() -> None:
    columns = [c for c in range(300) if c % 64 >= 60]
    reason = broken("dx", (ALL, columns), "fp32:43x300", None).reason
    assert "only in columns 60 to 63 of every 64" in reason


def test_scattered_errors_have_no_pattern() -> None:
    drawn = np.random.default_rng(1)
    at = (drawn.integers(0, 43, 60), drawn.integers(0, 200, 60))
    verdict = broken("dx", at)
    assert "only in" not in verdict.reason
    assert not any("only in" in line for line in verdict.explanation)


def test_place_is_named_in_the_words_of_the_plan() -> None:
    reason = broken("dx", (13, 150)).reason
    assert "dx[13, 150] (row 13, col 150; core 2, tile 1, chunk 2) is 99 instead of" in reason
    assert "dx[13, 150] (row 13, col 150) is 99" in broken("dx", (13, 150), plan=None).reason


def test_wrong_sums_over_rows_are_told_from_wrong_dx() -> None:
    verdict = broken("dgamma", ALL)
    assert "dgamma" in verdict.reason
    assert "in every column" in verdict.reason
    assert any(line.startswith("dx is right: look at") for line in verdict.explanation)
    strip = broken("dgamma", slice(48, 72))
    assert "only in columns that core 2 adds up" in strip.reason
    assert "added up by core 2" in strip.reason
    other = broken("dx", ALL)
    assert any(line.startswith("dgamma is right") for line in other.explanation)


def test_nearly_all_columns_of_a_sum_are_named() -> None:
    assert "in nearly every column (190 of 200)" in broken("dgamma", slice(0, 190)).reason
    assert "nearly" not in broken("dgamma", slice(0, 170)).reason


def test_rows_dealt_in_groups_have_their_core() -> None:
    fields = {"rows": 43, "deal_rows": 8, "rows_per_core": 8, "cores_with_one_more": 2}
    plan = Split(4, fields)  # cores 0 and 1 have 16 rows, core 2 has 8, core 3 the last 3
    assert "only in rows of core 1" in broken("dx", (slice(16, 32), ALL), plan=plan).reason
    assert "(row 41, col" in (reason := broken("dx", (41, ALL), plan=plan).reason)
    assert "; core 3)" in reason
    ends = [15, 31, 39, 42]
    assert "only in the last row of each core" in broken("dx", (ends, ALL), plan=plan).reason


def test_rows_that_no_core_has_are_named() -> None:
    plan = Split(10, {**PLAN.fields, "cores_with_one_more": 0})  # 40 of the 43 rows
    verdict = broken("dx", (slice(40, 43), ALL), plan=plan)
    assert "only in rows that the plan gives to no core" in verdict.reason
    assert "; no core has this row, tile 0, chunk" in verdict.reason
    assert any("how the planner deals rows" in line for line in verdict.explanation)
    assert "no core" not in broken("dx", (slice(40, 43), ALL)).reason


def test_map_shows_where_and_how_much() -> None:
    verdict = broken("dx", (slice(0, 20), slice(0, 32)), "fp32:160x128", None)
    lines = [line for line in verdict.explanation if "|" in line]
    assert len(lines) == 16
    assert [line.split("|")[1] for line in lines[:3]] == ["#" * 16 + "." * 48] * 2 + ["." * 64]
    assert lines[1].startswith("row  10 |")
    half = broken("dx", (slice(0, 5), ALL), "fp32:160x128", None)
    assert "|5555" in half.explanation[1]


def test_map_of_a_small_output_has_a_cell_per_element() -> None:
    verdict = broken("dx", (1, 2), "fp32:3x5", None)
    assert [line.split("|")[1] for line in verdict.explanation[1:4]] == [".....", "..#..", "....."]


def test_nothing_is_explained_if_all_is_right() -> None:
    case = Case.parse("rms_norm_grad:ascend910b4:fp32:43x200")
    data = make_inputs(case)
    assert judge(case, data, rms_norm_grad(data)).explanation == ()


def test_a_real_plan_gives_core_and_tile() -> None:
    text = "bf16:4096x1024"
    plan = run.plan_case(Case.parse(f"rms_norm_grad:ascend910b4:{text}"))
    reason = broken("dx", (4095, 1023), text, plan).reason
    # Of 4096 rows on 40 cores the last one has 102.
    assert (
        f"(row 4095, col 1023; core 39, tile {101 // int(plan.fields['rows_per_tile'])})" in reason
    )


def test_the_only_tile_of_a_core_is_no_pattern() -> None:
    plan = Split(10, {**PLAN.fields, "rows_per_tile": 5})
    assert "tile of a core" not in broken("dx", (slice(3, 40, 2), ALL), plan=plan).reason
