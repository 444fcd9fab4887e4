"""Modelled times of small kernels, added up by hand from timelines.cpp and the cost table's rows.

The figures below are those of arch 2201 in twin/observers/cost_table.cpp, written a second time.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
import samples

from normgrad.backends import LaunchOptions, Outputs, twin
from normgrad.cases import Case
from normgrad.inputs import make_inputs
from normgrad.run import plan_case

MHZ = 1650
ISSUE, ORDER, COPY_ISSUE, QUEUE, READ, WAIT = 14, 1, 55, 25, 30, 45  # of the scalar unit
LOAD_START, LOAD_RATE, LOAD_LATENCY = 110, 33, 300
STORE_START, STORE_RATE, STORE_LATENCY = 150, 34, 200
BYTES = 4096  # of a tile
REPEATS = 16
GM_BYTES_PER_CYCLE = 680e3 / MHZ  # of all cores
L2_BYTES_PER_CYCLE = 2900e3 / MHZ
LOAD = LOAD_START + BYTES / LOAD_RATE
STORE = STORE_START + BYTES / STORE_RATE


@cache
def launched(name: str, sync: str = "strict", seed: int = 0) -> Outputs:
    found = {s.name: s for s in samples.read(samples.HERE / "timelines.cpp")}
    done = samples.launch(found[name], sync=sync, seed=seed, arch=2201)
    assert done.error is None
    return done


def cycles(name: str, residency: str = "resident", sync: str = "strict") -> float:
    """Of the whole launch."""
    return float(launched(name, sync).time[residency]["us"]) * MHZ


def near(value: float) -> object:
    return pytest.approx(value, abs=0.2)  # the report has 0.1 ns


def test_copy_add_copy() -> None:
    load_done = COPY_ISSUE + LOAD + LOAD_LATENCY
    add_done = load_done + 2 * REPEATS + 24
    assert cycles("InAddOut") == near(add_done + STORE + STORE_LATENCY)


def test_a_lone_core_is_limited_by_its_port_in_memory_as_in_l2() -> None:
    assert cycles("InAddOut", "cold") == cycles("InAddOut", "resident")


def test_an_instruction_follows_at_once_without_a_barrier() -> None:
    # The scalar unit needs 14 cycles for the second one, the vector pipe 16 for the first.
    assert cycles("BackToBack") == near(ISSUE + 2 * REPEATS + 24)


def test_a_barrier_waits_for_the_result() -> None:
    assert cycles("Barrier") == near(ISSUE + REPEATS + 24 + REPEATS + 26)


def test_a_count_that_fills_no_repeats_costs_more() -> None:
    assert cycles("OddCount") == near(ISSUE + 1 + 16 + 24)


def test_a_scalar_read_stalls_the_scalar_unit() -> None:
    first_done = ISSUE + REPEATS + 24
    read = first_done + WAIT + READ
    assert cycles("ScalarRead") == near(read + ISSUE + REPEATS + 24)


def test_two_buffers_hide_the_loads_and_one_does_not() -> None:
    work = 12 * REPEATS
    after_load = LOAD_LATENCY + work + 26  # until the buffer is free again
    assert cycles("SingleBuffer") == near(QUEUE + COPY_ISSUE + 4 * (LOAD + after_load))
    # The second tile's load begins when the scalar unit has come round, and ends behind the work on
    # the first; the third and fourth wait for their buffers: two chains of two tiles each.
    around = QUEUE + COPY_ISSUE + 3 * QUEUE + 12 * ISSUE
    second = around + QUEUE + COPY_ISSUE + LOAD + LOAD_LATENCY + work + 26
    assert cycles("DoubleBuffer") == near(second + LOAD + after_load)


def test_cores_share_the_pools() -> None:
    port = 32 * LOAD + COPY_ISSUE + LOAD_LATENCY
    assert cycles("OneCoreLoads", "cold") == near(port)
    assert cycles("OneCoreLoads", "resident") == near(port)
    shared = COPY_ISSUE + LOAD_LATENCY + 32 * BYTES * 40 / GM_BYTES_PER_CYCLE
    assert cycles("AllCoresLoad", "cold") == near(shared)
    # From L2 a core's share is more than its port takes.
    assert L2_BYTES_PER_CYCLE / 40 > LOAD_RATE
    assert cycles("AllCoresLoad", "resident") == near(port)


def test_a_load_passes_stores_that_wait_for_their_data() -> None:
    # GM serves a tile of every core in a tenth of what the vector pipe needs to make one: each
    # store is served at once when its data are there, and so is the load behind it.
    served = BYTES * 40 / GM_BYTES_PER_CYCLE
    work = 300 * REPEATS
    assert STORE < served < work / 10
    assert cycles("LoadsPassStores", "cold") == near(ISSUE + 4 * work + 24 + served + STORE_LATENCY)
    busy = launched("LoadsPassStores").time["cold"]["aiv_mte2_time_us"] * MHZ
    assert busy == near(4 * served)


def test_sharing_makes_memory_no_faster() -> None:
    # 64 tiles of each core, one of them behind the other; only the last latency comes on top.
    served = 64 * BYTES * 40 / GM_BYTES_PER_CYCLE
    assert served + COPY_ISSUE <= cycles("BothWays", "cold") + 0.2
    assert cycles("BothWays", "cold") <= served + COPY_ISSUE + LOAD_LATENCY + 0.2
    part = launched("BothWays").time["cold"]
    loads, stores = part["aiv_mte2_time_us"] * MHZ, part["aiv_mte3_time_us"] * MHZ
    assert abs(loads - stores) < 2 * BYTES * 40 / GM_BYTES_PER_CYCLE  # neither waits for the other


def test_cores_wait_for_the_last_one_where_they_meet() -> None:
    each = REPEATS
    first = ISSUE + 3 * each + 24  # core 2
    second = ISSUE + 3 * each + 24  # core 0
    assert cycles("Meetings") == near(first + second)
    time = launched("Meetings").time
    assert (time["sync_all_us"], time["launch_us"]) == (6.0, 2.5)


def test_a_flag_between_cores_joins_its_waiter() -> None:
    done = ISSUE + 100 * REPEATS + 24
    assert cycles("FlagBetweenCores") == near(done + WAIT + ISSUE + REPEATS + 24)


def test_an_engine_moves_whole_pieces_and_memory_serves_whole_lines() -> None:
    fixed = COPY_ISSUE + LOAD_START + LOAD_LATENCY
    assert cycles("Aligned") == near(fixed + 1024 / LOAD_RATE)
    assert cycles("Misaligned") == near(fixed + 1152 / LOAD_RATE)
    assert cycles("ScatteredBlocks") == near(fixed + 32 * 128 / LOAD_RATE)
    share = 40 / GM_BYTES_PER_CYCLE
    assert cycles("ScatteredByAll", "cold") == near(COPY_ISSUE + LOAD_LATENCY + 32 * 512 * share)
    assert cycles("DenseByAll", "cold") == near(COPY_ISSUE + LOAD_LATENCY + 32 * 128 * share)


def test_the_compiler_s_barriers_take_time() -> None:
    # Two instructions without a barrier between them: in autosync mode the compiler adds one.
    assert cycles("BackToBack", sync="autosync") == near(ISSUE + 2 * (REPEATS + 24))


def test_busy_time_of_each_pipe() -> None:
    part = launched("InAddOut").time["resident"]
    busy = {name: part[f"aiv_{name}_time_us"] * MHZ for name in ("scalar", "vec", "mte2", "mte3")}
    assert busy["scalar"] == near(2 * COPY_ISSUE + ISSUE + 4 * ORDER)
    assert busy["vec"] == near(2 * REPEATS + 24)
    assert busy["mte2"] == near(LOAD)
    assert busy["mte3"] == near(STORE)


@pytest.mark.parametrize("name", ["Meetings", "FlagBetweenCores", "AllCoresLoad"])
def test_no_order_of_the_cores_changes_the_time(name: str) -> None:
    for seed in range(1, 6):
        assert launched(name, seed=seed).time == launched(name).time


def test_our_kernels_take_the_same_time_in_any_order_and_on_any_number_of_threads() -> None:
    for text in (
        "rms_norm_grad:ascend910b4:bf16:129x300:seed1",
        "rms_norm_grad:ascend910b4:fp32:50x5000:seed1",
    ):
        case = Case.parse(text)
        inputs, plan = make_inputs(case), plan_case(case)
        first = twin.run(case, inputs, plan, LaunchOptions()).time
        assert first["cold"]["us"] >= first["resident"]["us"] > 0
        for seed, threads in ((1, 1), (2, 2), (3, 3), (0, 2)):
            options = LaunchOptions(seed=seed, threads=threads)
            assert twin.run(case, inputs, plan, options).time == first, (text, seed, threads)
        off = twin.run(case, inputs, plan, replace(LaunchOptions(), cycles=False))
        assert off.time == {}


def test_a_vector_function_takes_the_cycles_of_its_issue() -> None:
    (sample,) = samples.read(samples.HERE / "timelines_3510.cpp")
    # A mask, 8 loads and 4 additions, two a cycle; 5 stores, one a cycle; whole cycles. Then the
    # latency of a load, an addition and a store.
    issue = int((1 + 8 + 4) / 2 + 5)
    us = samples.launch(sample, arch=3510).time["cold"]["us"]
    assert us * 1800 == near(ISSUE + issue + 9 + 7 + 9)  # MHz of ascend950pr_9599


def test_other_architectures_are_marked_as_uncalibrated() -> None:
    found = {s.name: s for s in samples.read(samples.HERE / "timelines.cpp")}
    for arch in (1001, 2002, 3510):
        time = samples.launch(found["BackToBack"], arch=arch).time
        assert time["calibrated"] is False
        assert time["cold"]["us"] > 0
    assert launched("BackToBack").time["calibrated"] is True
