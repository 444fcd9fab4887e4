"""Orders of the cores: atomics depend on them and stay within their bound, our kernels do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import samples

from normgrad.backends import LaunchOptions, twin
from normgrad.cases import Case
from normgrad.inputs import make_inputs
from normgrad.run import plan_case

ORDERS = 20
COLS, CORES = 256, 16


def test_atomics_give_other_bits_in_another_order_within_the_bound_of_any_order() -> None:
    (sample,) = samples.read(Path(__file__).with_name("schedules.cpp"))
    third = np.float32(1.0) / np.float32(3.0)
    terms = np.arange(CORES * COLS, dtype=np.float32).reshape(CORES, COLS) * third
    exact = terms.sum(axis=0, dtype=np.float64)
    # Sixteen additions in any order: fifteen roundings, each of at most 2^-24 of the sum so far.
    bound = 15 * 2.0**-24 * exact
    seen = set()
    for seed in range(ORDERS + 1):
        done = samples.launch(sample, seed=seed)
        assert (done.error, done.findings) == (None, ()), seed
        out = done.arrays["out"][:COLS]
        assert np.all(np.abs(out - exact) <= bound), seed
        seen.add(out.tobytes())
        assert samples.launch(sample, seed=seed).arrays["out"][:COLS].tobytes() == out.tobytes()
    assert len(seen) > ORDERS // 2


def test_our_kernels_give_the_same_bits_in_twenty_orders() -> None:
    for text in (
        "rms_norm_grad:ascend910b4:bf16:129x300:seed1",
        "rms_norm_grad:ascend910b4:fp32:50x5000:seed1",
    ):
        case = Case.parse(text)
        inputs, plan = make_inputs(case), plan_case(case)
        first = twin.run(case, inputs, plan, LaunchOptions(seed=0))
        for seed in range(1, ORDERS + 1):
            again = twin.run(case, inputs, plan, LaunchOptions(seed=seed))
            for name, values in first.arrays.items():
                assert values.tobytes() == again.arrays[name].tobytes(), (text, seed, name)
