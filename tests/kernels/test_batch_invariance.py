"""dx of a row has the same bits whatever else is computed beside it, and however it is cut."""

from __future__ import annotations

import pytest

from normgrad import inputs, run
from normgrad.backends import Array, LaunchOptions, twin
from normgrad.cases import Case

OP = "rms_norm_grad:ascend910b4"
ROWS = 90
# Options of the case; every one must give another plan than no option does.
PLANS = ("cores=1", "cores=7", "ub=65536", "chunk=512", "chunk=1024", "chunk=1024:cores=2")
STRATEGIES = (
    "DxInPlaceRow:chunk=512",
    "DxInPlaceRow:chunk=1536:cores=2",
    "DxSplitRow",
    "DxSplitRow:chunk=512:cores=1",
    "DxSplitRow:chunk=1024:cores=2:ub=40000",
    "DxSplitRow:chunk=4096:cores=4",
    "DxFewRows",
    "DxFewRows:chunk=512:cores=17",
    "DxFewRows:chunk=1536:ub=49152:cores=10",
)


def dx(case: Case, data: dict[str, Array]) -> Array:
    outputs = twin.run(case, data, run.plan_case(case), LaunchOptions())
    assert outputs.error is None
    assert outputs.findings == ()
    return outputs.arrays["dx"].reshape(case.rows, case.cols)


def differing(one: Array, two: Array) -> int:
    kind = f"u{one.dtype.itemsize}"
    return int((one.view(kind) != two.view(kind)).sum())


@pytest.mark.parametrize("dtype", ["bf16", "fp32"])
@pytest.mark.parametrize("cols", [100, 513, 1500, 2113])
def test_plan_does_not_change_a_bit(dtype: str, cols: int) -> None:
    plain = Case.parse(f"{OP}:{dtype}:{ROWS}x{cols}:dist=uniform01")
    data = inputs.make_inputs(plain)
    expected = dx(plain, data)
    seen = {run.plan_case(plain).tiling}
    for options in PLANS:
        case = Case.parse(f"{OP}:{dtype}:{ROWS}x{cols}:dist=uniform01:{options}")
        assert differing(expected, dx(case, data)) == 0, case
        seen.add(run.plan_case(case).tiling)
    assert len(seen) > len(PLANS) // 2  # narrow rows fit any UB and chunk


@pytest.mark.parametrize("dtype", ["bf16", "fp32"])
@pytest.mark.parametrize("cols", [100, 2113])
def test_other_rows_do_not_change_a_bit(dtype: str, cols: int) -> None:
    whole = Case.parse(f"{OP}:{dtype}:{ROWS}x{cols}:dist=uniform01")
    data = inputs.make_inputs(whole)
    expected = dx(whole, data)
    for first, rows in ((0, 1), (17, 1), (80, 10), (5, 40), (1, 89)):
        some = slice(first, first + rows)
        part = {name: array if name == "gamma" else array[some] for name, array in data.items()}
        case = Case.parse(f"{OP}:{dtype}:{rows}x{cols}:dist=uniform01")
        assert differing(expected[some], dx(case, part)) == 0, case


# One leaf and a bit, a narrow last leaf, several chunks and an odd last one.
@pytest.mark.parametrize("cols", [513, 1600, 4600])
@pytest.mark.parametrize("dtype", ["bf16", "fp32"])
@pytest.mark.parametrize("dist", ["heavy", "cancelling"])
def test_strategy_does_not_change_a_bit(cols: int, dtype: str, dist: str) -> None:
    plain = Case.parse(f"{OP}:{dtype}:9x{cols}:dist={dist}")
    data = inputs.make_inputs(plain)
    expected = dx(Case.parse(f"{plain}:strategy=DxWholeRow"), data)
    for wish in STRATEGIES:
        case = Case.parse(f"{plain}:strategy={wish}")
        assert differing(expected, dx(case, data)) == 0, case


# The last block of a row overlaps the one before; a last leaf of a few columns, of which a core of
# DxFewRows has the leaf before, too.
@pytest.mark.parametrize("cols", [517, 1609, 4101])
@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
@pytest.mark.parametrize("soc", ["ascend310p1"])
def test_strategy_does_not_change_a_bit_of_whole_blocks(cols: int, dtype: str, soc: str) -> None:
    plain = Case.parse(f"rms_norm_grad:{soc}:{dtype}:9x{cols}:dist=heavy")
    data = inputs.make_inputs(plain)
    expected = dx(Case.parse(f"{plain}:strategy=DxWholeRow"), data)
    for wish in STRATEGIES:
        case = Case.parse(f"{plain}:strategy={wish.replace('cores=17', 'cores=10')}")
        assert differing(expected, dx(case, data)) == 0, case
