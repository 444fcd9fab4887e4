"""CheckLayerNormGradV3: each row of the operator's contract, with its code and its sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from normgrad.plan import (
    Attributes,
    Options,
    Problem,
    Refused,
    TensorDesc,
    check,
    dtype_combinations,
    make_plan,
)

OP = "layer_norm_grad_v3"
Shape = tuple[int, ...]
NULL, INVALID, TILING, CHIP = 161001, 161002, 561002, 561003
ALL = (True, True, True)


def call(
    x: Shape = (4, 6, 64),
    gamma: Shape = (64,),
    dtype: str = "bf16",
    gamma_dtype: str | None = None,
    stats_dtype: str | None = None,
    changed: dict[str, TensorDesc] | None = None,
) -> list[TensorDesc]:
    """A legal call around the given shapes; `changed` replaces whole tensors."""
    stats = TensorDesc(stats_dtype or dtype, x[: len(x) - len(gamma)] + (1,) * len(gamma))
    sums = TensorDesc(gamma_dtype or dtype, gamma)
    whole = TensorDesc(dtype, x)
    tensors = {
        "dy": whole, "x": whole, "rstd": stats, "mean": stats, "gamma": sums,
        "dx": whole, "dgamma": sums, "dbeta": sums,
    }  # fmt: skip
    return list((tensors | (changed or {})).values())


def absent(dtype: str = "bf16", shape: Shape = (64,)) -> TensorDesc:
    return TensorDesc(dtype, shape, present=False)


def refusal(
    tensors: list[TensorDesc], attributes: Attributes | None = None, soc: str = "ascend910b4"
) -> Refused:
    with pytest.raises(Refused) as caught:
        check(OP, soc, tensors, attributes or Attributes((64,), ALL))
    assert "; " in caught.value.sentence, "a refusal ends with the next step"
    assert "\n" not in caught.value.sentence
    return caught.value


# ---- what is allowed ----


@pytest.mark.parametrize(
    ("x", "gamma", "rows", "cols"),
    [
        ((4, 6, 64), (64,), 24, 64),
        ((4, 6, 64), (6, 64), 4, 384),
        ((4, 6, 64), (4, 6, 64), 1, 1536),
        ((64,), (64,), 1, 64),
        ((2, 1, 3, 1, 2, 1, 5, 16), (2, 1, 5, 16), 6, 160),
        ((0, 64), (64,), 0, 64),
        ((5, 0), (0,), 5, 0),
    ],
)
def test_shapes(x: Shape, gamma: Shape, rows: int, cols: int) -> None:
    found = check(OP, "ascend910b4", call(x, gamma), Attributes(gamma, ALL))
    assert (found.rows, found.cols, found.outputs, found.has_mean) == (rows, cols, 0b111, True)


@pytest.mark.parametrize(
    ("dtype", "gamma", "stats"),
    [
        ("fp32", "fp32", "fp32"),
        *[(d, g, s) for d in ("fp16", "bf16") for g in (d, "fp32") for s in (d, "fp32")],
    ],
)
def test_dtypes(dtype: str, gamma: str, stats: str) -> None:
    tensors = call(dtype=dtype, gamma_dtype=gamma, stats_dtype=stats)
    found = check(OP, "ascend910b4", tensors, Attributes((64,), ALL))
    assert (found.dtype, found.gamma_dtype, found.stats_dtype, found.sums_dtype) == (
        dtype, gamma, stats, gamma,
    )  # fmt: skip


def test_statistics_of_any_shape_that_has_one_value_a_row() -> None:
    flat = TensorDesc("bf16", (24,))
    assert check(OP, "ascend910b4", call(changed={"rstd": flat}), Attributes((64,), ALL)).rows == 24


def test_without_gamma_the_sums_are_as_the_bias() -> None:
    attributes = Attributes((64,), ALL)
    found = check(OP, "ascend910b4", call(gamma=(64,)), attributes)
    assert found.gamma_dtype == "bf16"
    tensors = call()
    tensors[4] = absent()
    found = check(OP, "ascend910b4", tensors, attributes)
    assert (found.gamma_dtype, found.sums_dtype) == (None, "bf16")
    tensors[6] = tensors[7] = TensorDesc("fp32", (64,))
    assert check(OP, "ascend910b4", tensors, attributes).sums_dtype == "fp32"
    tensors[7] = TensorDesc("bf16", (64,))
    assert "dgamma" in refusal(tensors).sentence


@pytest.mark.parametrize("mask", range(8))
def test_what_is_not_asked_for_may_be_missing(mask: int) -> None:
    asked = tuple(bool(mask >> bit & 1) for bit in range(3))
    tensors = call()
    for index, wanted in enumerate(asked):
        if not wanted:
            tensors[5 + index] = absent("int8", (7,))
    found = check(OP, "ascend910b4", tensors, Attributes((64,), asked))
    assert found.outputs == mask


def test_chips_and_their_dtypes() -> None:
    assert len(dtype_combinations(OP, 2201)) == len(dtype_combinations(OP, 3510)) == 5
    for arch in (2002, 1001):
        pairs = dtype_combinations(OP, arch)
        assert len(pairs) == 3
        assert not any("bf16" in pair for pair in pairs)


# ---- what is refused ----


@pytest.mark.parametrize("name", ["dy", "x", "rstd", "mean", "dx", "dgamma", "dbeta"])
def test_null(name: str) -> None:
    index = ("dy", "x", "rstd", "mean", "gamma", "dx", "dgamma", "dbeta").index(name)
    tensors = call()
    tensors[index] = replace(tensors[index], present=False)
    found = refusal(tensors)
    assert found.code == NULL
    assert found.sentence.startswith(f"{name} is null")


def test_null_attributes_and_the_length_of_the_mask() -> None:
    assert refusal(call(), Attributes(None, ALL)).code == NULL
    assert refusal(call(), Attributes((64,), None)).code == NULL
    for mask in ((), (True, True), (True,) * 4):
        found = refusal(call(), Attributes((64,), mask))
        assert found.code == INVALID
        assert f"outputMask has {len(mask)} elements" in found.sentence


@pytest.mark.parametrize(
    "change",
    [
        {"x": TensorDesc("fp16", (4, 6, 64))},
        {"dx": TensorDesc("fp32", (4, 6, 64))},
        {"rstd": TensorDesc("fp16", (4, 6, 1))},
        {"mean": TensorDesc("fp32", (4, 6, 1))},
        {"gamma": TensorDesc("fp16", (64,))},
        {"dgamma": TensorDesc("fp32", (64,))},
        {"dbeta": TensorDesc("fp16", (64,))},
        {"dy": TensorDesc("bf16", (4, 64, 6))},
        {"mean": TensorDesc("bf16", (4, 5, 1))},
        {"rstd": TensorDesc("bf16", (4, 1, 1))},
        {"gamma": TensorDesc("bf16", (1, 64))},
        {"dbeta": TensorDesc("bf16", (63,))},
        {"dx": TensorDesc("bf16", (4, 6))},
    ],
    ids=lambda change: next(iter(change)),
)
def test_one_tensor_of_the_wrong_dtype_or_shape(change: dict[str, TensorDesc]) -> None:
    found = refusal(call(changed=change))
    assert found.code == INVALID
    assert next(iter(change)) in found.sentence


@pytest.mark.parametrize("normalized", [(), (6,), (5, 64), (1, 4, 6, 64), (64,) * 9])
def test_normalized_shape(normalized: Shape) -> None:
    found = refusal(call(), Attributes(normalized, ALL))
    assert found.code == INVALID
    assert "normalizedShape" in found.sentence


def test_statistics_narrower_than_x_and_bf16_where_there_is_none() -> None:
    narrow = TensorDesc("bf16", (4, 6, 1))
    assert refusal(call(dtype="fp32", changed={"rstd": narrow, "mean": narrow})).code == INVALID
    assert refusal(call(), soc="ascend310p3").code == INVALID
    assert refusal(call(), soc="ascend910a").code == INVALID


# ---- plans ----


def planned(outputs: int, cols: int, gamma: str | None = "bf16") -> tuple[bytes, dict[str, Any]]:
    problem = Problem(200, cols, "bf16", gamma, "bf16", "bf16", outputs)
    plan = make_plan(OP, "ascend910b4", problem)
    fields = {k: v for k, v in plan.fields.items() if k not in ("outputs", "has_gamma")}
    return plan.tiling, {**fields, "buffers": plan.buffers, "strategy": plan.strategy}


@pytest.mark.parametrize("cols", [64, 1024, 6000, 20000])
def test_what_is_left_out_does_not_change_how_the_rest_is_cut(cols: int) -> None:
    _, whole = planned(0b111, cols)
    for outputs in range(2, 7):
        assert planned(outputs, cols)[1] == whole
    _, dx_alone = planned(0b001, cols)  # there are no sums to add up in a second phase
    assert dx_alone.pop("buffers") == tuple(b for b in whole["buffers"] if b.phase == 1)
    assert dx_alone == {name: value for name, value in whole.items() if name != "buffers"}
    assert planned(0b111, cols, None)[1] == whole


def test_minimum_bytes_are_those_of_what_is_asked_for() -> None:
    rows, cols = 100, 512

    def minimum(outputs: int, gamma: str | None = "fp32") -> int:
        problem = Problem(rows, cols, "bf16", gamma, "bf16", "fp32", outputs)
        return make_plan(OP, "ascend910b4", problem).minimum_bytes

    row, stats = 2 * rows * cols, 2 * rows
    assert minimum(0b111) == 3 * row + 2 * stats + 3 * 4 * cols
    assert minimum(0b001) == 3 * row + 2 * stats + 4 * cols
    assert minimum(0b001, None) == 3 * row + 2 * stats
    assert minimum(0b010) == 2 * row + 2 * stats + 4 * cols
    assert minimum(0b100) == row + 4 * cols
    assert minimum(0) == 0


@pytest.mark.parametrize(
    ("dtype", "gamma", "two", "one"),
    [("bf16", "bf16", 7680, 12288), ("fp16", "fp32", 7168, 10240), ("fp32", "fp32", 6144, 8192)],
)
def test_limits_of_one_read(dtype: str, gamma: str, two: int, one: int) -> None:
    for cols, declared in ((two, 4.0), (one, None)):
        problem = Problem(4096, cols, dtype, gamma, dtype, gamma, 0b111)
        plan = make_plan(OP, "ascend910b4", problem, Options())
        assert plan.strategy == "DxInPlaceRow"
        assert declared is None or plan.declared_c == declared


@pytest.mark.parametrize("soc", ["ascend310p3", "ascend910a"])
@pytest.mark.parametrize(
    ("dtype", "gamma", "cols"),
    [("fp16", "fp16", 10240), ("fp16", "fp32", 9728), ("fp32", "fp32", 8192)],
)
def test_limits_of_one_read_in_248_kb(soc: str, dtype: str, gamma: str, cols: int) -> None:
    plan = make_plan(OP, soc, Problem(4096, cols, dtype, gamma, dtype, gamma, 0b111))
    assert (plan.strategy, plan.declared_c) == ("DxInPlaceRow", 4.0)


@pytest.mark.parametrize("soc", ["ascend310p1", "ascend310p3", "ascend910a"])
def test_rows_of_less_than_a_block_are_dealt_in_whole_lines(soc: str) -> None:
    """Element by element through the data cache: no two cores share a line of its 64 bytes."""
    for dtype, least in (("fp16", 16), ("fp32", 8)):
        for cols in (1, least - 1, least):
            plan = make_plan(OP, soc, Problem(1000, cols, dtype, dtype, dtype, dtype, 0b111))
            by_element = cols < least
            assert plan.fields["copy_cols"] == (1 if by_element else least)
            assert plan.fields["deal_rows"] == (64 if by_element else 1)
            assert plan.fields["partial_pitch_cols"] * 4 % 64 == 0


@pytest.mark.parametrize("cols", [9, 300, 5000, 9000, 20000])
def test_few_event_ids_are_enough(cols: int) -> None:
    """910 has four of a kind: a queue's buffers take one each, and so do the places of a ring."""
    for rows in (5, 200):
        problem = Problem(rows, cols, "fp16", "fp16", "fp16", "fp16", 0b111)
        plan = make_plan(OP, "ascend910a", problem, Options(det_strong=rows > 64))
        fields = plan.fields
        stats, gamma = 1, int(plan.strategy in ("DxSplitRow", "DxFewRows"))
        assert fields["in_buffers"] + stats + gamma <= 4
        shared = 2 * fields["leaf_out_buffers"] if plan.strategy == "DxFewRows" else 0
        sums = 0 if gamma else 2 * fields["sum_places"]
        assert fields["out_buffers"] + shared + sums <= 4
