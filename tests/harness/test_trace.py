"""Timelines: their form, what is in them, and the profiler's row beside them."""

from __future__ import annotations

import csv
import itertools
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from normgrad import cli, paths, timing

CASE = "rms_norm_grad:ascend910b4:bf16:97x512:cores=3:seed1"
LANES = ("SCALAR", "VECTOR", "MTE2", "MTE3")
APIS = re.compile(r'X\(\w+, "(\w+)", (PIPE_\w+)\)')
CALLS = {"PipeBarrier", "SetFlag", "WaitFlag", "AllocTensor", "EnQue", "DeQue", "FreeTensor"}
WAITS = {"wait", "SyncAll"}


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, str]]:
    """The trace and the profiler's row of one launch."""
    file = tmp_path_factory.mktemp("trace") / "out.json"
    assert cli.main(["run", CASE, "--trace", str(file)]) == 0
    with file.with_suffix(".csv").open(newline="") as table:
        (row,) = csv.DictReader(table)
    return json.loads(file.read_text()), row


def _slices(trace: dict[str, Any]) -> list[dict[str, Any]]:
    return [event for event in trace["traceEvents"] if event["ph"] == "X"]


def test_trace_has_the_form_that_viewers_read(traced: tuple[Any, Any]) -> None:
    trace, _ = traced
    assert set(trace) == {"displayTimeUnit", "otherData", "traceEvents"}
    assert trace["otherData"] == {"soc": "ascend910b4", "residency": "cold", "calibrated": "yes"}
    names: dict[tuple[int, int | None], str] = {}
    for event in trace["traceEvents"]:
        assert event["ph"] in ("M", "X")
        assert isinstance(event["pid"], int)
        assert 0 <= event["pid"] < 3
        if event["ph"] == "M" and not event["name"].endswith("sort_index"):
            names[event["pid"], event.get("tid")] = event["args"]["name"]
    assert names == {
        **{(core, None): f"core {core}" for core in range(3)},
        **{(core, tid): lane for core in range(3) for tid, lane in enumerate(LANES)},
    }
    for event in _slices(trace):
        assert set(event) - {"args"} == {"ph", "pid", "tid", "name", "ts", "dur"}
        assert event["tid"] in range(4)
        assert event["ts"] >= 0
        assert event["dur"] >= 0


def test_slices_of_a_lane_follow_each_other(traced: tuple[Any, Any]) -> None:
    lanes = defaultdict(list)
    for event in _slices(traced[0]):
        lanes[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    assert len(lanes) == 3 * len(LANES)
    for lane, spans in lanes.items():
        for (_, end), (begin, _) in itertools.pairwise(spans):
            assert begin >= end - 1e-6, lane


def test_slices_are_named_by_the_call_and_say_where_it_stands(traced: tuple[Any, Any]) -> None:
    table = (paths.source_root() / "twin" / "rules" / "api_table.h").read_text()
    pipes = defaultdict(set)
    for name, pipe in APIS.findall(table):
        pipes[name].add(pipe)
    lane_of = {"PIPE_V": "VECTOR", "PIPE_MTE2": "MTE2", "PIPE_MTE3": "MTE3"}
    seen = set()
    for event in _slices(traced[0]):
        name, lane = event["name"], LANES[event["tid"]]
        seen.add((name, lane))
        if name in WAITS:
            assert lane == "SCALAR"
            continue
        file, _, line = event["args"]["at"].partition(":")
        source = (paths.source_root() / file).read_text().splitlines()
        assert file.startswith("op_kernel/")
        assert 1 <= int(line) <= len(source)
        if lane == "SCALAR":
            assert name in CALLS | set(pipes)
        else:
            assert lane in {lane_of.get(pipe) for pipe in pipes[name]}
    assert {("Mul", "VECTOR"), ("DataCopyPad", "MTE2"), ("DataCopyPad", "MTE3")} <= seen
    assert ("SyncAll", "SCALAR") in seen


def test_profiler_row_has_its_columns_and_agrees_with_the_trace(traced: tuple[Any, Any]) -> None:
    trace, row = traced
    for name in ("aiv_time(us)", *(f"aiv_{pipe}_time(us)" for pipe in timing.PIPES)):
        assert float(row[name]) > 0
    assert [name for name in row if name.endswith("_ratio")] == [
        f"aiv_{pipe}_ratio" for pipe in ("vec", "scalar", "mte2", "mte3")
    ]
    assert row["Block Dim"] == "3"
    assert row["Input Shapes"] == "97,512;97,512;97;512"
    assert row["Input Data Types"] == "DT_BF16;DT_BF16;FLOAT;DT_BF16"
    slices = _slices(trace)
    for tid, pipe in ((2, "mte2"), (3, "mte3")):  # a transfer is as long as it is busy
        busy = sum(event["dur"] for event in slices if event["tid"] == tid) / 3
        assert float(row[f"aiv_{pipe}_time(us)"]) == pytest.approx(busy, abs=0.02)
    end = max(event["ts"] + event["dur"] for event in slices)
    launch_us, sync_us, latency_us = 2.5, 3.0, 0.2  # the last store's latency follows its slice
    assert float(row["Duration(us)"]) == pytest.approx(end + launch_us + sync_us, abs=latency_us)


def test_a_trace_that_cannot_be_written_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", CASE, "--trace", "/nowhere/out.json"]) == 2
    assert "--trace /nowhere/out.json cannot be written" in capsys.readouterr().err


def test_no_trace_is_left_of_a_launch_that_was_refused(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    file.write_text("old")
    refused = "rms_norm_grad:ascend910a:fp16:8x70000:seed1"
    assert cli.main(["run", refused, "--trace", str(file)]) == 1
    assert not file.exists()
