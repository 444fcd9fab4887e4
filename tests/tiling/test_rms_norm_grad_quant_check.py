"""CheckRmsNormGradQuant: each row of the operator's contract, with its code and its sentence."""

from __future__ import annotations

from dataclasses import replace

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
    socs,
)

OP = "rms_norm_grad_quant"
SOC = "ascend950pr_9599"
Shape = tuple[int, ...]
NULL, INVALID, TILING, CHIP = 161001, 161002, 561002, 561003
STATIC = Attributes(quant_mode="static")
NAMES = ("dy", "x", "rstd", "gamma", "scales_x", "offset_x", "dx", "dgamma")


def call(
    x: Shape = (4, 6, 64),
    gamma: Shape = (64,),
    dtypes: tuple[str, str, str] = ("bf16", "bf16", "fp32"),
    dst: str = "int8",
    changed: dict[str, TensorDesc] | None = None,
) -> list[TensorDesc]:
    """A legal call around the given shapes; `changed` replaces whole tensors."""
    dtype, gamma_dtype, scale_dtype = dtypes
    whole = TensorDesc(dtype, x)
    tensors = {
        "dy": whole, "x": whole, "rstd": TensorDesc("fp32", x[: len(x) - len(gamma)]),
        "gamma": TensorDesc(gamma_dtype, gamma), "scales_x": TensorDesc(scale_dtype, (1,)),
        "offset_x": TensorDesc("int32", (1,)), "dx": TensorDesc(dst, x),
        "dgamma": TensorDesc("fp32", gamma),
    }  # fmt: skip
    assert tuple(tensors) == NAMES
    return list((tensors | (changed or {})).values())


def refusal(tensors: list[TensorDesc], attributes: Attributes = STATIC, soc: str = SOC) -> Refused:
    with pytest.raises(Refused) as caught:
        check(OP, soc, tensors, attributes)
    assert "; " in caught.value.sentence, "a refusal ends with the next step"
    assert "\n" not in caught.value.sentence
    return caught.value


# ---- what is allowed ----


@pytest.mark.parametrize(
    ("x", "gamma", "rows", "cols"),
    [
        ((4, 6, 64), (64,), 24, 64),
        ((4, 6, 64), (6, 64), 4, 384),
        ((2, 1, 3, 1, 2, 1, 5, 16), (1, 3, 1, 2, 1, 5, 16), 2, 480),
        ((1, 1), (1,), 1, 1),
        ((0, 64), (64,), 0, 64),
        ((5, 0), (0,), 5, 0),
    ],
)
def test_shapes(x: Shape, gamma: Shape, rows: int, cols: int) -> None:
    found = check(OP, SOC, call(x, gamma), STATIC)
    assert (found.rows, found.cols, found.outputs, found.has_mean) == (rows, cols, 0b011, False)


COMBINATIONS = [("fp32", "fp32", "fp32")]
COMBINATIONS += [(d, g, s) for d in ("fp16", "bf16") for g in (d, "fp32") for s in (d, "fp32")]


@pytest.mark.parametrize("dst", ["int8", "hif8"])
@pytest.mark.parametrize("dtypes", COMBINATIONS)
def test_all_nine_combinations(dtypes: tuple[str, str, str], dst: str) -> None:
    found = check(OP, SOC, call(dtypes=dtypes, dst=dst), replace(STATIC, dst_type=dst))
    assert (found.dtype, found.gamma_dtype, found.scale_dtype) == dtypes
    assert found.dx_dtype == dst
    assert (found.stats_dtype, found.sums_dtype) == ("fp32", "fp32")


def test_attributes_and_offset_reach_the_problem() -> None:
    without = TensorDesc("int32", (1,), present=False)
    for divides in (True, False):
        for offset in (True, False):
            tensors = call(changed={} if offset else {"offset_x": without})
            found = check(OP, SOC, tensors, replace(STATIC, div_mode=divides))
            assert (found.divides, found.has_offset) == (divides, offset)


def test_the_table_is_that_of_rms_norm_grad_and_of_950_alone() -> None:
    assert dtype_combinations(OP, 3510) == dtype_combinations("rms_norm_grad", 3510)
    assert [dtype_combinations(OP, arch) for arch in (1001, 2002, 2201)] == [[], [], []]


# ---- refusals, in the order of the contract ----


@pytest.mark.parametrize("soc", [soc.name for soc in socs()])
def test_other_chips_refuse_first(soc: str) -> None:
    nothing = [replace(tensor, present=False) for tensor in call()]
    refused = refusal(nothing, soc=soc)
    if soc.startswith("ascend950"):
        assert (refused.code, "dy is null" in refused.sentence) == (NULL, True)
    else:
        assert refused.code == CHIP
        assert f"RmsNormGradQuant is not available on {soc}" in refused.sentence


@pytest.mark.parametrize("name", [name for name in NAMES if name != "offset_x"])
def test_null(name: str) -> None:
    tensors = dict(zip(NAMES, call(dtypes=("int8", "int8", "int8")), strict=True))
    tensors[name] = replace(tensors[name], present=False)
    refused = refusal(list(tensors.values()))
    assert (refused.code, refused.sentence.startswith(f"{name} is null")) == (NULL, True)


def test_null_quant_mode() -> None:
    assert refusal(call(dtypes=("int8", "int8", "int8")), Attributes()).code == NULL


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("dy", "int8"), ("x", "fp16"), ("rstd", "bf16"), ("gamma", "fp16"), ("scales_x", "fp16"),
        ("scales_x", "int32"), ("offset_x", "fp32"), ("offset_x", "int8"), ("dx", "bf16"),
        ("dx", "int32"), ("dgamma", "bf16"),
    ],
)  # fmt: skip
def test_dtype(name: str, dtype: str) -> None:
    tensors = dict(zip(NAMES, call(x=(4, 64, 1)), strict=True))  # shapes are wrong as well
    tensors[name] = replace(tensors[name], dtype=dtype)
    refused = refusal(list(tensors.values()))
    assert refused.code == INVALID
    assert refused.sentence.startswith(f"dtype of {name} is {dtype}")


def test_fp32_has_no_narrower_gamma_or_scale() -> None:
    for dtypes in (("fp32", "bf16", "fp32"), ("fp32", "fp32", "fp16")):
        assert refusal(call(dtypes=dtypes)).code == INVALID


@pytest.mark.parametrize("mode", ["dynamic", "", "stat", "static_", "static" + 20 * "x"])
def test_quant_mode(mode: str) -> None:
    refused = refusal(call(x=(4, 64, 1)), Attributes(quant_mode=mode))
    assert refused.code == INVALID
    assert f'quant_mode is "{mode[:16]}"' in refused.sentence


def test_dst_type_is_that_of_dx() -> None:
    assert refusal(call(dst="hif8"), replace(STATIC, dst_type="int8")).code == INVALID
    assert refusal(call(), replace(STATIC, dst_type="bf16")).code == INVALID


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("scales_x", ()), ("scales_x", (1, 1)), ("scales_x", (2,)), ("scales_x", (0,)),
        ("scales_x", (64,)), ("scales_x", (1,) * 9), ("offset_x", ()), ("offset_x", (1, 1)),
        ("offset_x", (2,)), ("rstd", (24,)), ("rstd", (4, 6, 1)), ("rstd", (4,)), ("rstd", ()),
        ("gamma", (6,)), ("gamma", (1, 64)), ("dgamma", (1, 64)), ("dgamma", (63,)),
        ("dy", (24, 64)), ("dx", (4, 6, 63)), ("x", (64,)), ("dy", (1,) * 9), ("dx", (-4, 6, 64)),
    ],
)  # fmt: skip
def test_shape(name: str, shape: Shape) -> None:
    tensors = dict(zip(NAMES, call(), strict=True))
    tensors[name] = replace(tensors[name], shape=shape)
    assert refusal(list(tensors.values())).code == TILING


def test_rank_one_and_a_gamma_of_all_axes() -> None:
    assert refusal(call((64,), (64,))).code == TILING
    assert refusal(call((4, 64), (4, 64))).code == TILING


def test_scale_of_the_wrong_shape_is_named() -> None:
    changed = {"scales_x": TensorDesc("fp32", (1, 1))}
    sentence = refusal(call(changed=changed)).sentence
    assert sentence == (
        "scales_x has shape [1, 1]: RmsNormGradQuant takes scales_x of one value, of shape [1]; "
        "reshape scales_x"
    )


# ---- the plan ----


@pytest.mark.parametrize(
    ("dtype", "gamma", "cols"),
    [("bf16", "bf16", 16384), ("fp16", "fp32", 13312), ("fp32", "fp32", 10752)],
)
def test_one_read_covers_what_it_does_without_quantisation(
    dtype: str, gamma: str, cols: int
) -> None:
    asked = Problem(4096, cols, dtype, gamma, dx_dtype="int8", scale_dtype="fp32", divides=True)
    made = make_plan(OP, SOC, asked, Options())
    assert (made.strategy, made.declared_c) == ("DxInPlaceRow", 4.0)
    assert {buffer.name for buffer in made.buffers} >= {"scale"}


def test_minimum_bytes_count_one_byte_of_dx_and_the_scale() -> None:
    asked = Problem(100, 320, "bf16", "fp32", dx_dtype="hif8", scale_dtype="bf16", has_offset=True)
    rows, cols = 100, 320
    want = rows * cols * (2 + 2 + 1) + 4 * rows + 8 * cols + 2 + 4
    assert make_plan(OP, SOC, asked).minimum_bytes == want
    plain = make_plan("rms_norm_grad", SOC, replace(asked, dx_dtype=None, has_offset=False))
    assert plain.minimum_bytes == rows * cols * 6 + 4 * rows + 8 * cols


def test_plan_names_its_own_operator() -> None:
    asked = Problem(8, 64, "bf16", "bf16", dx_dtype="int8", scale_dtype="fp32")
    with pytest.raises(Refused, match="rms_norm_grad_quant"):
        make_plan(OP, SOC, asked, Options(strategy="DxNarrow"))
