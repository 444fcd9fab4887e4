"""What a search for a plan rests on: no knob changes dx, parts tell the time of the whole, halving
finds nearly what trying everything finds."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
import pytest

from normgrad import candidates, inputs, measure, pool, search
from normgrad.backends import LaunchOptions, twin
from normgrad.candidates import Candidate
from normgrad.cases import Case
from normgrad.measure import FULL_TILES, Figure

THREADS = os.cpu_count() or 1
QUICK = LaunchOptions(check="off", threads=THREADS, cycles=False)

# Small problems that all strategies of their chip take, one per kernel.
BITS = (
    "rms_norm_grad:ascend910b4:bf16:90x1100",
    "rms_norm_grad:ascend910b4:fp32:7x2100:cores=9",
    "rms_norm_grad:ascend310p3:fp16:20x1100",
    "rms_norm_grad:ascend950pr_9599:bf16:150x1100",
    "rms_norm_grad_quant:ascend950pr_9599:bf16:90x1100",
    "layer_norm_grad_v3:ascend910b4:bf16:90x1100",
)

# Problems of more than FULL_TILES tiles per core, and wishes: each is timed whole and in parts.
PAIRS: tuple[tuple[str, dict[str, object]], ...] = (
    ("rms_norm_grad:ascend910b4:bf16:4096x1024", {}),
    ("rms_norm_grad:ascend910b4:bf16:2048x5120", {}),
    ("rms_norm_grad:ascend910b4:bf16:4096x1024", {"rows_per_tile": 3, "buffers": 2}),
    ("rms_norm_grad:ascend910b4:fp32:1500x4096", {}),
    ("rms_norm_grad:ascend910b4:bf16:1200x12288", {}),
    ("rms_norm_grad:ascend910b4:bf16:1500x4096", {"strategy": "DxInPlaceRow", "chunk_cols": 1024}),
    ("rms_norm_grad:ascend910b4:bf16:1800x4096", {"strategy": "DxSplitRow"}),
    ("rms_norm_grad:ascend910b4:bf16:6000x4096", {"strategy": "DxSplitRow", "chunk_cols": 1024}),
    ("rms_norm_grad:ascend310p3:fp16:1500x2048", {}),
    ("rms_norm_grad:ascend950pr_9599:bf16:6000x2048", {}),
    ("layer_norm_grad_v3:ascend910b4:bf16:8000x768", {}),
    ("rms_norm_grad:ascend910_9391:bf16:4096x4096", {}),
)
IN_DEFAULT = 3  # of the pairs


def _same_dx(case: Case, wanted: int) -> None:
    found = candidates.candidates_of(case)
    step = max(1, len(found) // wanted)
    data = inputs.make_inputs(case)
    first = None
    for candidate in found[::step]:
        got = twin.run(case, data, candidate.plan(), QUICK)
        assert got.error is None, candidate.words
        dx = np.ascontiguousarray(got.arrays["dx"]).tobytes()
        first = first or dx
        assert dx == first, candidate.words
    assert first is not None


@pytest.mark.parametrize("text", BITS)
def test_no_knob_changes_dx(text: str) -> None:
    _same_dx(Case.parse(text), 12)


@pytest.mark.full
@pytest.mark.parametrize("text", BITS)
def test_no_candidate_at_all_changes_dx(text: str) -> None:
    _same_dx(Case.parse(text), 10_000)


@pytest.mark.parametrize(
    "number",
    [pytest.param(n, marks=[pytest.mark.full] if n >= IN_DEFAULT else []) for n in range(12)],
)
def test_parts_tell_the_time_of_the_whole(number: int) -> None:
    text, wishes = PAIRS[number]
    case = Case.parse(text)
    candidate = Candidate(case, (*candidates.default_of(case).wishes, *wishes.items()))
    options = measure.options_for("twin", THREADS)
    (figure,) = measure.measure([candidate], FULL_TILES, options, pool.Local(1))
    assert figure.us is not None, figure.reason
    assert case.rows not in [Case.parse(part).rows for part in figure.launches]
    data = inputs.make_inputs(case)
    quick = LaunchOptions(check="off", threads=THREADS)
    whole = twin.run(case, data, candidate.plan(), quick).time["cold"]["us"]
    assert figure.us == pytest.approx(whole, rel=0.01), candidate.words


# The search against trying everything: model shapes, and shapes of few columns and few rows.
SHAPES = (
    *(f"rms_norm_grad:ascend910b4:bf16:{s}" for s in (
        "64x1024", "200x5120", "300x8192", "77x4096", "400x2048", "160x7168", "120x3072",
        "500x1536", "90x6144", "320x4608",
    )),
    *(f"rms_norm_grad:ascend310p3:fp16:{s}" for s in (
        "64x1024", "100x5120", "80x8192", "77x4096", "150x2048",
    )),
    *(f"rms_norm_grad:ascend950pr_9599:bf16:{s}" for s in (
        "100x1024", "200x5120", "300x8192", "144x4096", "300x2048",
    )),
    *(f"layer_norm_grad_v3:ascend910b4:bf16:{s}" for s in (
        "200x768", "300x1152", "100x1280", "160x1600", "400x3072",
    )),
    *(f"rms_norm_grad:ascend910_9391:fp32:{s}" for s in (
        "100x1024", "200x4096", "60x8192", "300x2560", "96x5120",
    )),
)  # fmt: skip
IN_DEFAULT_SHAPES = 1


def _figures(found: Sequence[Candidate], tiles: int) -> list[Figure]:
    workers, threads = pool.workers_for(len(found), None)
    options = measure.options_for("twin", threads)
    return list(measure.measure(found, tiles, options, pool.Local(workers, threads)))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, marks=[pytest.mark.full] if at >= IN_DEFAULT_SHAPES else [])
        for at, text in enumerate(SHAPES)
    ],
)
def test_halving_finds_what_trying_everything_finds(text: str) -> None:
    """Within 2 %, on thirty shapes."""
    found = candidates.candidates_of(Case.parse(text))
    assert len(found) > search.EXHAUSTIVE
    everything = search.best_of(_figures(found, FULL_TILES))
    kept: list[Figure] = []

    def ask(chosen: Sequence[Candidate], tiles: int) -> list[Figure]:
        some = _figures(chosen, tiles)
        kept.extend(some)
        return some

    search.search(found, ask)
    best = search.best_of(kept)
    assert everything is not None
    assert best is not None
    assert best.us is not None
    assert everything.us is not None
    assert best.us <= everything.us * 1.02, (best.candidate.words, everything.candidate.words)
    assert [f.tiles for f in kept].count(FULL_TILES) < len(found)


def test_there_are_thirty_shapes() -> None:
    assert len(set(SHAPES)) == 30
