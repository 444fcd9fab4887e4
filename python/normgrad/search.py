"""How a plan is searched for: all candidates where they are few, else seeded successive halving.

In halving every candidate is timed on few tiles, the better part of them on more, and so on; the
planner's own choice stays to the end. Nothing is drawn but from the seed, so that a search that is
taken up again asks for the same figures.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

from normgrad.candidates import Candidate
from normgrad.measure import FULL_TILES, Figure

Measure = Callable[[Sequence[Candidate], int], Iterable[Figure]]

EXHAUSTIVE = 24  # candidates that are all timed on FULL_TILES
_ROUNDS = ((6, 0.3),)  # tiles, and the part that goes on to the next round
_LEAST = 8  # that go on at least


def draw(candidates: Sequence[Candidate], budget: int, seed: int) -> list[Candidate]:
    """The default, which comes first, and as many others as the budget allows, in their order."""
    first, others = candidates[0], list(enumerate(candidates[1:]))
    if len(others) > budget - 1:
        others = sorted(random.Random(seed).sample(others, max(0, budget - 1)))
    return [first, *(candidate for _, candidate in others)]


def search(candidates: Sequence[Candidate], measure: Measure, exhaustive: bool = False) -> None:
    """Asks for figures until the best of the candidates is known; `measure` keeps them."""
    chosen = list(candidates)
    if not exhaustive and len(chosen) > EXHAUSTIVE:
        for tiles, part in _ROUNDS:
            figures = list(measure(chosen, tiles))
            chosen = _better(candidates[0], figures, max(_LEAST, round(len(chosen) * part)))
    for _ in measure(chosen, FULL_TILES):
        pass


def _better(first: Candidate, figures: Iterable[Figure], count: int) -> list[Candidate]:
    """The quickest ones and the first, in a fixed order."""
    timed = sorted(
        ((figure.us, figure.candidate.words, figure.candidate) for figure in figures
         if figure.us is not None and figure.candidate != first),
        key=lambda entry: entry[:2],
    )  # fmt: skip
    return [first, *(candidate for _, _, candidate in timed[: count - 1])]


def best_of(figures: Iterable[Figure]) -> Figure | None:
    """The quickest of those that have the last word; of equal ones the simplest."""
    timed = [figure for figure in figures if figure.us is not None and figure.tiles == FULL_TILES]
    return min(timed, key=lambda f: (f.us or 0.0, len(f.candidate.wishes), f.candidate.words),
               default=None)  # fmt: skip
