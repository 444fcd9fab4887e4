"""RmsNormGradQuant with subnormal scales, which the division of 950 takes for 0."""

from __future__ import annotations

import numpy as np
import pytest

from normgrad import golden, inputs, quantised
from normgrad.backends import LaunchOptions, twin
from normgrad.cases import Case
from normgrad.run import plan_case

SOC = "ascend950pr_9599"
CASE = f"rms_norm_grad_quant:{SOC}:fp32:40x8:dist=exact"


@pytest.mark.parametrize("dst", ["int8", "hif8"])
@pytest.mark.parametrize(("power", "scale_power"), [(-130, -133), (-141, -143), (-126, -149)])
def test_subnormal_dx_over_a_tiny_scale(dst: str, power: int, scale_power: int) -> None:
    """Sums of dist=exact times a power of two stay exact: one code is right."""
    case = Case.parse(f"{CASE}:dst={dst}:scale={float(2.0**scale_power)!r}")
    data = inputs.make_inputs(case)
    data["dy"] = np.ldexp(data["dy"], power)
    found = twin.run(case, data, plan_case(case), LaunchOptions(cycles=False))
    assert (found.error, found.findings) == (None, ())
    block, _ = golden.rms_norm_grad_rows(golden.matrices(data), 0, case.rows)
    want = quantised.encode(block.dx * 2.0**-scale_power, dst)
    assert np.array_equal(found.arrays["dx"], want)
    assert len(np.unique(want)) > 2
