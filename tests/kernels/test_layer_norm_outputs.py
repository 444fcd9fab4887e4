"""LayerNormGradV3: an output has the same bits whatever else is asked for, however rows are cut."""

from __future__ import annotations

import numpy as np
import pytest

from normgrad import inputs, ops, run
from normgrad.backends import Array, LaunchOptions, twin
from normgrad.cases import Case

OP = "layer_norm_grad_v3"
CHIPS = ["ascend910b4", "ascend950pr_9599"]  # memory-based, in registers
MASKS = [f"{bits:03b}" for bits in range(1, 7)]
# Whole rows, rows that are read once in chunks, that are cut, that cores share.
SHAPES = [
    *(("ascend910b4", shape) for shape in ("93x200", "50x5000", "45x14001", "5x9000")),
    *(("ascend950pr_9599", shape) for shape in ("93x200", "75x9000", "75x20001", "5x9000")),
]


def launched(soc: str, text: str, data: dict[str, Array] | None = None) -> dict[str, Array]:
    case = Case.parse(f"{OP}:{soc}:{text}")
    given = inputs.make_inputs(case) if data is None else data
    outputs = twin.run(case, given, run.plan_case(case), LaunchOptions())
    assert outputs.error is None
    assert outputs.findings == ()
    assert set(outputs.arrays) == {spec.name for spec in ops.wanted(case)}
    return outputs.arrays


def bits(array: Array) -> Array:
    return array.view(f"u{array.dtype.itemsize}")


@pytest.mark.parametrize("dtype", ["bf16", "fp32"])
@pytest.mark.parametrize(("soc", "shape"), SHAPES)
def test_a_mask_changes_no_bit_of_what_it_leaves(soc: str, dtype: str, shape: str) -> None:
    whole = launched(soc, f"{dtype}:{shape}")
    for mask in MASKS:
        for name, array in launched(soc, f"{dtype}:{shape}:mask={mask}").items():
            np.testing.assert_array_equal(bits(array), bits(whole[name]), err_msg=f"{name} {mask}")


@pytest.mark.parametrize("dtype", ["bf16", "fp32"])
@pytest.mark.parametrize(("soc", "shape"), [*SHAPES, ("ascend910b4", "50x7680")])
def test_no_gamma_is_a_gamma_of_ones(soc: str, dtype: str, shape: str) -> None:
    data = inputs.make_inputs(Case.parse(f"{OP}:{soc}:{dtype}:{shape}:gamma=none"))
    ones = np.ones(Case.parse(f"{OP}:{soc}:{dtype}:{shape}").cols, data["x"].dtype)
    without = launched(soc, f"{dtype}:{shape}:gamma=none", data)
    for name, array in launched(soc, f"{dtype}:{shape}", {**data, "gamma": ones}).items():
        np.testing.assert_array_equal(bits(array), bits(without[name]), err_msg=name)


@pytest.mark.parametrize("dtype", ["bf16", "fp32"])
@pytest.mark.parametrize("cols", [513, 1500, 2113])
@pytest.mark.parametrize("soc", CHIPS)
def test_strategies_agree_on_every_bit_of_dx(soc: str, dtype: str, cols: int) -> None:
    shape = f"{dtype}:30x{cols}:dist=uniform01"
    whole = launched(soc, f"{shape}:strategy=DxWholeRow")["dx"]
    for wish in ("DxInPlaceRow:chunk=512", "DxSplitRow:chunk=512", "DxSplitRow", "DxFewRows"):
        other = launched(soc, f"{shape}:strategy={wish}")["dx"]
        np.testing.assert_array_equal(bits(other), bits(whole), err_msg=wish)


@pytest.mark.parametrize("dtype", ["bf16", "fp32"])
@pytest.mark.parametrize("shape", ["333x65", "1000x300", "200x5000", "130x9000"])
@pytest.mark.parametrize("soc", CHIPS)
def test_strong_sums_do_not_depend_on_the_cores(soc: str, dtype: str, shape: str) -> None:
    text = f"{dtype}:{shape}:dist=uniform01:det=strong"
    whole = launched(soc, text)
    for cores in (1, 3):
        for name, array in launched(soc, f"{text}:cores={cores}").items():
            np.testing.assert_array_equal(bits(array), bits(whole[name]), err_msg=f"{name} {cores}")
