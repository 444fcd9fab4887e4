"""LayerNormGradV3: an output has the same bits whatever else is asked for, however rows are cut."""

from __future__ import annotations

import numpy as np
import pytest

from normgrad import inputs, ops, run
from normgrad.backends import Array, LaunchOptions, twin
from normgrad.cases import Case

OP = "layer_norm_grad_v3"
A2 = [f"ascend910b4:{dtype}" for dtype in ("bf16", "fp32")]
REGISTERS = [f"ascend950pr_9599:{dtype}" for dtype in ("bf16", "fp32")]
# Copies of whole blocks; on 910 sums over lanes that are turned.
BLOCKS = ["ascend310p3:fp16", "ascend910a:fp32"]
MASKS = [f"{bits:03b}" for bits in range(1, 7)]


def at(wheres: list[str], shapes: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(where, shape) for where in wheres for shape in shapes]


# Whole rows, rows that are read once in chunks, that are cut, that cores share; of less than a
# block.
SHAPES = [
    *at(A2, ("93x200", "50x5000", "45x14001", "5x9000")),
    *at(REGISTERS, ("93x200", "75x9000", "75x20001", "5x9000")),
    *at(BLOCKS, ("70x5", "93x203", "35x8001", "35x14001", "5x9001")),
]
ONE_ROW = [
    *at(A2 + REGISTERS, ("30x513", "30x1500", "30x2113")),
    *at(BLOCKS[:1], ("6x513", "6x1500", "6x2113", "6x4619")),
    *at(BLOCKS[1:], ("30x513", "30x1500", "30x2113", "30x4619")),
]


def launched(text: str, data: dict[str, Array] | None = None) -> dict[str, Array]:
    case = Case.parse(f"{OP}:{text}")
    given = inputs.make_inputs(case) if data is None else data
    outputs = twin.run(case, given, run.plan_case(case), LaunchOptions())
    assert outputs.error is None
    assert outputs.findings == ()
    assert set(outputs.arrays) == {spec.name for spec in ops.wanted(case)}
    return outputs.arrays


def bits(array: Array) -> Array:
    return array.view(f"u{array.dtype.itemsize}")


@pytest.mark.parametrize(("where", "shape"), SHAPES)
def test_a_mask_changes_no_bit_of_what_it_leaves(where: str, shape: str) -> None:
    whole = launched(f"{where}:{shape}")
    for mask in MASKS:
        for name, array in launched(f"{where}:{shape}:mask={mask}").items():
            np.testing.assert_array_equal(bits(array), bits(whole[name]), err_msg=f"{name} {mask}")


@pytest.mark.parametrize(("where", "shape"), [*SHAPES, *at(A2, ("50x7680",))])
def test_no_gamma_is_a_gamma_of_ones(where: str, shape: str) -> None:
    data = inputs.make_inputs(Case.parse(f"{OP}:{where}:{shape}:gamma=none"))
    ones = np.ones(Case.parse(f"{OP}:{where}:{shape}").cols, data["x"].dtype)
    without = launched(f"{where}:{shape}:gamma=none", data)
    for name, array in launched(f"{where}:{shape}", {**data, "gamma": ones}).items():
        np.testing.assert_array_equal(bits(array), bits(without[name]), err_msg=name)


@pytest.mark.parametrize(("where", "shape"), ONE_ROW)
def test_strategies_agree_on_every_bit_of_dx(where: str, shape: str) -> None:
    text = f"{where}:{shape}:dist=uniform01"
    whole = launched(f"{text}:strategy=DxWholeRow")["dx"]
    for wish in ("DxInPlaceRow:chunk=512", "DxSplitRow:chunk=512", "DxSplitRow", "DxFewRows"):
        other = launched(f"{text}:strategy={wish}")["dx"]
        np.testing.assert_array_equal(bits(other), bits(whole), err_msg=wish)


@pytest.mark.parametrize("where", A2 + REGISTERS + BLOCKS)
@pytest.mark.parametrize("shape", ["333x65", "1000x300", "200x5000", "130x9000"])
def test_strong_sums_do_not_depend_on_the_cores(where: str, shape: str) -> None:
    text = f"{where}:{shape}:dist=uniform01:det=strong"
    whole = launched(text)
    for cores in (1, 3):
        for name, array in launched(f"{text}:cores={cores}").items():
            np.testing.assert_array_equal(bits(array), bits(whole[name]), err_msg=f"{name} {cores}")
