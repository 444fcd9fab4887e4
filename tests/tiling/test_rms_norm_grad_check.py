"""CheckRmsNormGrad: each row of the operator's contract, with its code and its sentence."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from normgrad.plan import Problem, Refused, TensorDesc, check, dtype_combinations

OP = "rms_norm_grad"
NAMES = ("dy", "x", "rstd", "gamma", "dx", "dgamma")
Shape = tuple[int, ...]

NULL, INVALID, TILING, CHIP = 161001, 161002, 561002, 561003


def call(
    x: Shape = (4, 6, 64),
    gamma: Shape = (64,),
    rstd: Shape | None = None,
    dtype: str = "bf16",
    gamma_dtype: str | None = None,
    **others: TensorDesc,
) -> list[TensorDesc]:
    """A legal call around the given shapes; `others` replaces whole tensors."""
    leading = x[: len(x) - len(gamma)]
    tensors = {
        "dy": TensorDesc(dtype, x),
        "x": TensorDesc(dtype, x),
        "rstd": TensorDesc("fp32", leading if rstd is None else rstd),
        "gamma": TensorDesc(gamma_dtype or dtype, gamma),
        "dx": TensorDesc(dtype, x),
        "dgamma": TensorDesc("fp32", gamma),
    }
    return list((tensors | others).values())


def refusal(tensors: list[TensorDesc], soc: str = "ascend910b4", op: str = OP) -> Refused:
    with pytest.raises(Refused) as caught:
        check(op, soc, tensors)
    assert "; " in caught.value.sentence, "a refusal ends with the next step"
    assert "\n" not in caught.value.sentence
    return caught.value


# ---- what is allowed ----


@pytest.mark.parametrize(
    ("x", "gamma", "rstd", "rows", "cols"),
    [
        ((4, 6, 64), (64,), (4, 6), 24, 64),
        ((4, 6, 64), (6, 64), (4,), 4, 384),
        ((4, 6, 64), (64,), (4, 6, 1), 24, 64),
        ((4, 6, 64), (6, 64), (4, 1, 1), 4, 384),
        ((16, 1, 12288), (12288,), (16,), 16, 12288),
        ((1, 1, 64), (64,), (), 1, 64),
        ((64,), (64,), (), 1, 64),
        ((64,), (64,), (1,), 1, 64),
        ((4, 6, 64), (4, 6, 64), (), 1, 1536),
        ((4, 6, 64), (4, 6, 64), (1, 1, 1), 1, 1536),
        ((2, 1, 1, 1, 1, 1, 3, 64), (64,), (2, 1, 1, 1, 1, 1, 3, 1), 6, 64),
        ((2, 3), (3,), (2, 1, 1, 1, 1, 1, 1, 1), 2, 3),
        ((0, 64), (64,), (0,), 0, 64),
        ((5, 0), (0,), (5,), 5, 0),
        ((0, 0), (0,), (0,), 0, 0),
        ((4, 0, 64), (64,), (4, 0), 0, 64),
        ((1 << 40, 64), (64,), (1 << 40,), 1 << 40, 64),
    ],
)
def test_shape_gives_rows_and_cols(
    x: Shape, gamma: Shape, rstd: Shape, rows: int, cols: int
) -> None:
    assert check(OP, "ascend910b4", call(x, gamma, rstd)) == Problem(rows, cols, "bf16", "bf16")


FULL_TABLE = {
    ("fp16", "fp32"),
    ("bf16", "fp32"),
    ("fp16", "fp16"),
    ("fp32", "fp32"),
    ("bf16", "bf16"),
}


@pytest.mark.parametrize(
    ("soc", "arch", "table"),
    [
        ("ascend910b4", 2201, FULL_TABLE),
        ("ascend910_9391", 2201, FULL_TABLE),
        ("ascend950", 3510, FULL_TABLE),
        ("ascend310p3", 2002, {("fp16", "fp16"), ("fp32", "fp32")}),
    ],
)
def test_check_takes_exactly_the_dtype_table(
    soc: str, arch: int, table: set[tuple[str, str]]
) -> None:
    assert set(dtype_combinations(OP, arch)) == table
    assert len(dtype_combinations(OP, arch)) == len(table)
    floats = ("fp32", "fp16", "bf16", "int8")
    for dy in floats:
        for gamma in floats:
            tensors = call(dtype=dy, gamma_dtype=gamma)
            if (dy, gamma) in table:
                assert check(OP, soc, tensors) == Problem(24, 64, dy, gamma)
            else:
                assert refusal(tensors, soc).code == INVALID


def test_strides_do_not_matter() -> None:
    view = TensorDesc("bf16", (4, 6, 64), strides=(1, 4, 24))
    assert check(OP, "ascend910b4", call(x=(4, 6, 64), dy=view)).rows == 24


# ---- chip ----


def test_chip_without_the_operator() -> None:
    refused = refusal(call(dtype="fp16"), "ascend910a")
    assert refused.code == CHIP
    assert refused.sentence == (
        "RmsNormGrad is not available on ascend910a: it runs on ascend910b, ascend910_93, "
        "ascend310p and ascend950; choose one of these"
    )
    assert dtype_combinations(OP, 1001) == []


def test_unknown_names() -> None:
    assert "unknown SoC ascend911" in refusal(call(), "ascend911").sentence
    assert "unknown operator rms_norm" in refusal(call(), op="rms_norm").sentence
    assert dtype_combinations("rms_norm", 2201) == []


def test_refusal_crosses_process_boundaries() -> None:
    refused = refusal(call(), "ascend310p")
    copy = pickle.loads(pickle.dumps(refused))
    assert (copy.code, copy.sentence) == (refused.code, refused.sentence)
    assert str(copy) == refused.sentence


# ---- null ----


@pytest.mark.parametrize("name", NAMES)
def test_null_tensor(name: str) -> None:
    tensors = call()
    at = NAMES.index(name)
    tensors[at] = replace(tensors[at], present=False)
    refused = refusal(tensors)
    assert refused.code == NULL
    assert refused.sentence.startswith(f"{name} is null: RmsNormGrad needs dy, x, rstd, gamma")


def test_missing_tensor() -> None:
    refused = refusal(call()[:5])
    assert refused.code == NULL
    assert "was given 5 tensors: it takes 6" in refused.sentence


# ---- dtype ----


def test_gamma_dtype_sentence() -> None:
    refused = refusal(call(dtype="fp16", gamma_dtype="bf16"))
    assert refused.code == INVALID
    assert refused.sentence == (
        "dtype of gamma is bf16 while dy is fp16: RmsNormGrad on ascend910b4 takes gamma in "
        "fp16 or fp32; convert gamma"
    )


@pytest.mark.parametrize(
    ("name", "dtype", "starts"),
    [
        ("dy", "int32", "dtype of dy is int32: RmsNormGrad on ascend910b4 takes dy in fp16, fp32"),
        ("dy", "fp4", "dtype of dy is an unknown dtype: RmsNormGrad"),
        ("x", "fp32", "dtype of x is fp32 while dy is bf16: RmsNormGrad on ascend910b4 takes x in"),
        ("rstd", "bf16", "dtype of rstd is bf16: RmsNormGrad on ascend910b4 takes rstd in fp32"),
        ("dx", "fp16", "dtype of dx is fp16 while dy is bf16: RmsNormGrad on ascend910b4 takes dx"),
        ("dgamma", "bf16", "dtype of dgamma is bf16: RmsNormGrad on ascend910b4 takes dgamma in f"),
    ],
)
def test_dtype_of_each_tensor(name: str, dtype: str, starts: str) -> None:
    tensors = call()
    at = NAMES.index(name)
    tensors[at] = replace(tensors[at], dtype=dtype)
    refused = refusal(tensors)
    assert refused.code == INVALID
    assert refused.sentence.startswith(starts)


def test_bf16_is_not_on_310p() -> None:
    refused = refusal(call(), "ascend310p")
    assert refused.code == INVALID
    assert refused.sentence == (
        "dtype of dy is bf16: RmsNormGrad on ascend310p3 takes dy in fp16 or fp32; convert dy"
    )


# ---- rank and shape ----


@pytest.mark.parametrize(
    ("tensors", "part"),
    [
        (call((1,) * 8 + (64,)), "x has 9 axes: RmsNormGrad takes x with 1 to 8 axes"),
        (call((), (), ()), "x has 0 axes: RmsNormGrad takes x with 1 to 8 axes"),
        (call((4, 64), (), (4,)), "gamma has 0 axes: RmsNormGrad takes gamma with 1 to 8 axes"),
        (call((4, 64), (64,), (4,) + (1,) * 8), "rstd has 9 axes: RmsNormGrad takes rstd with 0"),
        (call((4, -1), (-1,)), "x has shape [4, -1]: an axis holds 0 elements or more"),
        (
            call(dy=TensorDesc("bf16", (24, 64))),
            "dy has shape [24, 64] while x has [4, 6, 64]: RmsNormGrad takes dy in the shape of x",
        ),
        (
            call(dx=TensorDesc("bf16", (4, 6, 65))),
            "dx has shape [4, 6, 65] while x has [4, 6, 64]: RmsNormGrad takes dx in the shape",
        ),
        (
            call(gamma=(6,), rstd=(4, 6)),
            "gamma has shape [6] while x has [4, 6, 64]: RmsNormGrad takes a gamma whose shape is "
            "the last axes of x; reshape gamma",
        ),
        (call((64,), (1, 64), ()), "gamma has shape [1, 64] while x has [64]"),
        (
            call(dgamma=TensorDesc("fp32", (1, 64))),
            "dgamma has shape [1, 64] while gamma has [64]: RmsNormGrad takes dgamma in the shape",
        ),
        (
            call(rstd=(24,)),
            "rstd has shape [24] while x has [4, 6, 64]: RmsNormGrad takes an rstd whose shape is "
            "x's without the axes of gamma, with or without trailing ones; reshape rstd",
        ),
        (call(rstd=(4,)), "rstd has shape [4] while x has [4, 6, 64]"),
        (call(rstd=(4, 6, 64)), "rstd has shape [4, 6, 64] while"),
        (call(rstd=(1, 4, 6)), "rstd has shape [1, 4, 6] while"),
        (call((1, 16, 64), rstd=(16,)), "rstd has shape [16] while x has [1, 16, 64]"),
        (call((64,), (64,), (64,)), "takes an rstd of one value, of shape [] or all ones"),
        (call((1 << 40, 1 << 30)), "RmsNormGrad counts tensors of up to 2^60 bytes; split the"),
        (call((1 << 62, 4, 1), (4, 1)), "RmsNormGrad counts tensors of up to 2^60 bytes; split"),
        (call((1 << 32, 1 << 32, 0), (0,)), "RmsNormGrad counts tensors of up to 2^60 bytes"),
    ],
)
def test_rank_and_shape(tensors: list[TensorDesc], part: str) -> None:
    # Where only x and rstd were chosen, gamma follows x.
    x = tensors[1]
    if tensors[3].shape == (64,) and x.shape and x.shape[-1] != 64:
        last = x.shape[-1:]
        tensors[3], tensors[5] = TensorDesc("bf16", last), TensorDesc("fp32", last)
    refused = refusal(tensors)
    assert refused.code == TILING
    assert part in refused.sentence


def test_longest_sentence_is_not_cut() -> None:
    long = (1 << 50,) * 8
    refused = refusal(call((1,) * 8, (1,), dy=TensorDesc("bf16", long)))
    assert refused.sentence.endswith("; reshape dy")


# ---- 310P's 32-byte rule ----


@pytest.mark.parametrize(("dtype", "least"), [("fp16", 16), ("fp32", 8)])
def test_last_axis_of_310p(dtype: str, least: int) -> None:
    good = call((4, least), (least,), dtype=dtype)
    assert check(OP, "ascend310p3", good).cols == least
    refused = refusal(call((4, least - 1), (least - 1,), dtype=dtype), "ascend310p3")
    assert refused.code == TILING
    assert f"last axis of x holds {least - 1} elements of {dtype}" in refused.sentence
    assert f"use {least} elements or more" in refused.sentence
    assert check(OP, "ascend910b4", call((4, 1), (1,), dtype=dtype)).cols == 1


def test_last_axis_of_310p_looks_at_the_last_axis_alone() -> None:
    assert refusal(call((4, 64, 2), (64, 2), dtype="fp16"), "ascend310p3").code == TILING


@pytest.mark.parametrize("x", [(0, 3), (3, 0)])
def test_last_axis_of_310p_does_not_bind_empty_tensors(x: Shape) -> None:
    problem = check(OP, "ascend310p3", call(x, x[1:], dtype="fp16"))
    assert (problem.rows, problem.cols) == x


# ---- order ----


def test_first_failed_check_answers() -> None:
    tensors = call((4, 7), (3,), rstd=(9,), dtype="int8")
    assert refusal(tensors, "ascend910a").code == CHIP
    null = [replace(tensor, present=False) for tensor in tensors]
    assert refusal(null, "ascend910a").code == CHIP
    assert refusal(null, "ascend310p3").code == NULL
    assert refusal(tensors, "ascend310p3").code == INVALID
    floats = call((4, 7), (3,), rstd=(9,), dtype="fp16")
    assert refusal(floats, "ascend310p3").code == TILING
