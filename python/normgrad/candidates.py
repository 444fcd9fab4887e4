"""What a search for a plan chooses among: knobs from the planner's ranges, each plan once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from normgrad import knobs, plan, run
from normgrad.cases import Case
from normgrad.errors import Refused

# Of a range with more values than these, those that deal a core's rows evenly, and blocks of eight.
_ALL_VALUES = 16
_MOST_VALUES = 48
_FEW_ROWS = 8  # of a core


@dataclass(frozen=True)
class Candidate:
    """A problem and a way to cut it; `wishes` are fields of plan.Options, none: the planner's."""

    case: Case
    wishes: tuple[tuple[str, Any], ...]

    @property
    def is_default(self) -> bool:
        return not self.knobs

    @property
    def knobs(self) -> dict[str, Any]:
        """The wishes that are knobs: words of knobs.KNOBS and their values."""
        names = {name: word for word, name in knobs.KNOBS.items() if word != "tuned"}
        return {names[name]: value for name, value in self.wishes if name in names}

    @property
    def words(self) -> str:
        """strategy=DxWholeRow rows_per_tile=2, or the planner's choice."""
        return " ".join(knobs.words({knobs.KNOBS[w]: v for w, v in self.knobs.items()})) or (
            "the planner's choice"
        )

    def plan(self) -> plan.Plan:
        """Raises Refused."""
        return run.plan_case(self.case, **dict(self.wishes))


def default_of(case: Case) -> Candidate:
    """The planner's own choice, without tuned rows."""
    return Candidate(case, (("use_tuned", False),))


def candidates_of(case: Case) -> list[Candidate]:
    """The default first, then every other plan that the knobs' values lead to. Raises Refused."""
    first = default_of(case)
    made = first.plan()
    seen = {_identity(made)}
    found = [first]
    if made.cores == 0:
        return found
    problem = run.problem_of(case)
    strong = case.det == "strong"
    wishes = plan.Options(det_strong=strong, use_tuned=False)
    for ranges in plan.find_knobs(case.op, case.soc, problem, wishes):
        for given in _grid(ranges, made, case.rows, strong):
            candidate = Candidate(case, (*first.wishes, *given))
            try:
                identity = _identity(candidate.plan())
            except Refused:  # two knobs that do not fit UB together
                continue
            if identity not in seen:
                seen.add(identity)
                found.append(candidate)
    return found


def _identity(made: plan.Plan) -> tuple[object, ...]:
    """Two plans with this in common launch the same."""
    return made.tiling_key, made.cores, made.tiling


def _grid(
    ranges: knobs.Knobs, made: plan.Plan, rows: int, strong: bool
) -> Iterator[tuple[tuple[str, Any], ...]]:
    """Every combination of the values that are tried; None leaves a knob to the planner."""
    choices: dict[str, list[Any]] = {
        "strategy": [None if strong else ranges.strategy],
        "rows_per_tile": [None, *_tile_rows(ranges.rows_per_tile, -(-rows // made.soc.cores))],
        "chunk_cols": [None, *_values(ranges.chunk_cols)],
        "buffers": [None, *_values(ranges.buffers)],
        "cores": [None, *_core_counts(ranges.cores, rows, made.soc.cores)],
    }
    for values in product(*choices.values()):
        yield tuple(
            (name, value) for name, value in zip(choices, values, strict=True) if value is not None
        )


def _values(given: knobs.Range | None) -> list[int]:
    return list(given.values()) if given else []


def _tile_rows(given: knobs.Range | None, busiest: int) -> list[int]:
    """Rows of a tile: all of a short range; of a long one those that make even tiles."""
    values = _values(given)
    if given is None or len(values) <= _ALL_VALUES:
        return values
    even = {-(-busiest // tiles) for tiles in range(1, busiest + 1)} if busiest < 10_000 else set()
    kept = [value for value in values if value in even or value % 8 == 0 or value <= 4]
    return kept[:: -(-len(kept) // _MOST_VALUES)]


def _core_counts(given: knobs.Range | None, rows: int, cores: int) -> list[int]:
    """Fewer cores: as many as have none idle beside them; of few rows, which meetings and sums
    outweigh, half."""
    if given is None or rows == 0:
        return []
    tried = [-(-rows // -(-rows // cores))]
    if rows <= _FEW_ROWS * cores:
        tried.append(-(-cores // 2))
    return [count for count in dict.fromkeys(tried) if given.least <= count < cores]


def with_rows(case: Case, rows: int) -> Case:
    """The same with another number of rows."""
    return replace(case, shape=(rows, *case.shape[len(case.shape) - case.axes :]))


def row_of(candidate: Candidate) -> dict[str, Any]:
    """As a record keeps it."""
    return {"case": str(candidate.case), "knobs": candidate.knobs}


def from_row(row: dict[str, Any]) -> Candidate:
    """The candidate that a record was written from."""
    given = tuple((knobs.KNOBS[word], value) for word, value in row["knobs"].items())
    case = Case.parse(row["case"])
    return Candidate(case, (*default_of(case).wishes, *given))
