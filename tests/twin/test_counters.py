"""Counters of a known kernel, added up by hand from its source, counted.cpp."""

from __future__ import annotations

import samples

CORES, TILES = 3, 2
EACH = CORES * TILES


def test_counters_are_exact() -> None:
    (sample,) = samples.read(samples.HERE / "counted.cpp")
    done = samples.launch(sample)
    assert done.error is None
    rules = {finding.rule for finding in done.findings}
    assert rules <= {"race-within-pipe"}  # the second tile stores over the first one
    counters = done.counters
    # One DataCopyPad of 5 x 20 bytes and one DataCopy of 2 x 256 bytes a tile.
    assert counters["gm_read_bytes"] == EACH * 100
    assert counters["gm_read_bursts"] == EACH * 5
    assert counters["gm_write_bytes"] == EACH * 512
    assert counters["gm_write_bursts"] == EACH * 2
    assert counters["copy_instructions"] == EACH * 2
    # Duplicate, Add, WholeReduceSum, Muls.
    assert counters["vector_instructions"] == EACH * 4
    assert counters["vector_repeats"] == EACH * (2 + 1 + 5 + 2)
    assert counters["vector_slope_cycles"] == EACH * (2 * 1 + 1 * 2 + 5 * 7 + 2 * 1)
    # Queues: EnQue and FreeTensor set, on both queues; every DeQue waits, and so does the
    # AllocTensor of a buffer that was freed before: `out` has one buffer, `in` a fresh one a tile.
    # Core 0 sets and waits for one more by hand.
    assert counters["flags_set"] == EACH * 4 + 1
    assert counters["flags_waited"] == EACH * 2 + CORES * 1 + 1
    assert counters["barriers"] == EACH * 3
    assert counters["sync_all"] == CORES
    assert counters["scalar_ub_writes"] == 1
    assert counters["scalar_ub_reads"] == 1
    assert counters["scalar_gm_reads"] == 1
    assert counters["scalar_gm_writes"] == 0
    assert counters["atomics"] == 0
    # Two buffers of 400 bytes in whole blocks, one of 512, and core 0's 32 bytes.
    assert counters["ub_high_water_bytes"] == 2 * 416 + 512 + 32
