"""The search by itself, on landscapes that are known."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest

from normgrad import search
from normgrad.candidates import Candidate
from normgrad.cases import Case
from normgrad.measure import FULL_TILES, Figure

CASE = Case.parse("rms_norm_grad:ascend910b4:bf16:4096x1024")


def _candidates(count: int) -> list[Candidate]:
    return [
        Candidate(CASE, (("use_tuned", False), *((("rows_per_tile", n),) if n else ())))
        for n in range(count)
    ]


class _Landscape:
    """Times that are known; fewer tiles say them with some error."""

    def __init__(self, times: Sequence[float | None], error: float = 0.0) -> None:
        self.times, self.error = times, error
        self.figures: list[Figure] = []
        self.draws = random.Random(3)

    def measure(self, chosen: Sequence[Candidate], tiles: int) -> Iterator[Figure]:
        for candidate in chosen:
            number = dict(candidate.wishes).get("rows_per_tile", 0)
            us = self.times[number]
            if us is not None and tiles < FULL_TILES:
                us *= 1 + self.error * (self.draws.random() - 0.5)
            status = "RULE" if us is None else "PASSED"
            self.figures.append(Figure(candidate, status, us, tiles=tiles))
            yield self.figures[-1]


def test_few_candidates_are_all_timed_in_full() -> None:
    landscape = _Landscape([50.0, 40.0, None, 45.0])
    search.search(_candidates(4), landscape.measure)
    assert [figure.tiles for figure in landscape.figures] == [FULL_TILES] * 4
    best = search.best_of(landscape.figures)
    assert best is not None
    assert best.us == 40.0


@pytest.mark.parametrize("seed", range(5))
def test_halving_finds_what_is_best_though_first_rounds_err(seed: int) -> None:
    draws = random.Random(seed)
    times: list[float | None] = [60.0, *(40 + 40 * draws.random() for _ in range(99))]
    times[7] = None
    landscape = _Landscape(times, error=0.05)
    search.search(_candidates(100), landscape.measure)
    best = search.best_of(landscape.figures)
    assert best is not None
    assert best.us is not None
    least = min(time for time in times if time is not None)
    assert best.us <= least * 1.02
    assert len(landscape.figures) < 140
    last = [f.candidate for f in landscape.figures if f.tiles == FULL_TILES]
    assert _candidates(1)[0] in last
    assert len(last) == 30


def test_the_draw_holds_the_default_and_is_the_seed_s() -> None:
    known = _candidates(50)
    first = search.draw(known, 10, seed=1)
    assert len(first) == 10
    assert first[0].is_default
    assert first == search.draw(known, 10, seed=1) != search.draw(known, 10, seed=2)
    assert search.draw(known, 50, seed=1) == known == search.draw(known, 500, seed=1)
    assert search.draw(known, 1, seed=1) == known[:1]


def test_nothing_that_was_timed_is_best() -> None:
    landscape = _Landscape([None, None])
    search.search(_candidates(2), landscape.measure)
    assert search.best_of(landscape.figures) is None


def test_of_equal_plans_the_simplest_is_best() -> None:
    landscape = _Landscape([50.0, 50.0])
    search.search(_candidates(2), landscape.measure)
    best = search.best_of(landscape.figures)
    assert best is not None
    assert best.candidate.is_default
