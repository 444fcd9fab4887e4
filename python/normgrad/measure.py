"""What candidates cost: modelled on the twin at a reduced size, or measured on a device.

On the twin a candidate runs with all checks on, is judged, and is timed, all in the same launches:
on at most `tiles` tiles per busy core, from which the time of the whole problem follows by tiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from normgrad import candidates, many, pool
from normgrad.backends import LaunchOptions
from normgrad.candidates import Candidate
from normgrad.errors import Refused
from normgrad.jobs import Job
from normgrad.plan import Plan
from normgrad.store import Result, to_json
from normgrad.verdict import Status

FULL_TILES = 8  # per busy core, in the last word on a candidate
_REPEATS = 11  # of a launch on a device
_STEP, _CUT_STEP = 2, 4  # tiles after which the pipes are where they were


@dataclass(frozen=True)
class Figure:
    """A candidate and its cost: one row of results.json of `tune`."""

    candidate: Candidate
    status: str  # PASSED, or why it is out
    us: float | None = None  # of the whole problem; None: it is out
    reason: str = ""
    strategy: str = ""
    tiles: int = 0  # per busy core that were timed at most; 0: as many as there are
    launches: tuple[str, ...] = ()  # cases that were run
    seconds: float = 0.0
    time: dict[str, Any] = field(default_factory=dict)  # all that the model says of the largest one

    def row(self) -> dict[str, Any]:
        """As JSON knows it."""
        own = {
            "status": self.status,
            "us": self.us,
            "reason": self.reason,
            "strategy": self.strategy,
            "tiles": self.tiles,
            "launches": self.launches,
            "seconds": self.seconds,
            "time": self.time,
        }
        plain: dict[str, Any] = to_json({**candidates.row_of(self.candidate), **own})
        return plain


def from_row(row: dict[str, Any]) -> Figure:
    """The figure that a row was written from; KeyError, ValueError, TypeError: from none."""
    own = {name: row[name] for name in ("status", "us", "reason", "strategy", "tiles", "seconds")}
    return Figure(
        candidates.from_row(row), **own, launches=tuple(row["launches"]), time=dict(row["time"])
    )


@dataclass(frozen=True)
class _Parts:
    """The launches from which a candidate's time follows: rows of each, and weights of their times.

    The whole problem takes the sum of weight x time.
    """

    rows: tuple[int, ...]
    weights: tuple[float, ...]


def measure(
    chosen: Sequence[Candidate], tiles: int, options: LaunchOptions, executor: pool.Executor
) -> Iterator[Figure]:
    """A figure for each candidate, in the order in which they end."""
    jobs: list[Job] = []
    owners: list[int] = []
    parts: list[_Parts] = []
    for number, candidate in enumerate(chosen):
        try:
            plan = candidate.plan()
        except Refused as refused:
            parts.append(_Parts((), ()))
            yield Figure(candidate, Status.UNSUPPORTED.value, reason=str(refused), tiles=tiles)
            continue
        whole = _Parts((candidate.case.rows,), (1.0,))
        parts.append(whole if options.backend == "aclnn" else _parts_of(plan, tiles))
        for rows in parts[-1].rows:
            jobs.append(_job(candidate, rows))
            owners.append(number)
    ended: dict[int, dict[int, Result]] = {}
    for at, result in executor.run(many.work(options), jobs):
        owner = owners[at]
        mine = ended.setdefault(owner, {})
        mine[at] = result
        if len(mine) == len(parts[owner].rows):
            yield _figure(chosen[owner], parts[owner], [mine[key] for key in sorted(mine)], tiles)


def options_for(backend: str, threads: int) -> LaunchOptions:
    """How candidates are launched."""
    repeats = _REPEATS if backend == "aclnn" else 0
    return LaunchOptions(threads=threads, backend=backend, repeats=repeats)


def _job(candidate: Candidate, rows: int) -> Job:
    case = candidate.case
    if rows == case.rows:
        return Job(f"{case} ({candidate.words})", case, wishes=candidate.wishes)
    part = candidates.with_rows(case, rows)
    wishes = (*candidate.wishes, ("tile_for_rows", case.rows))
    return Job(f"{part} ({candidate.words})", part, wishes=wishes)


def _figure(candidate: Candidate, parts: _Parts, results: Sequence[Result], tiles: int) -> Figure:
    launches = tuple(result.case.partition(" ")[0] for result in results)
    seconds = sum(result.seconds for result in results)
    wrong = next((r for r in results if r.status != Status.PASSED.value), None)
    last = results[-1]
    strategy = last.plan or ""
    if wrong is not None:
        return Figure(
            candidate, wrong.status, None, wrong.reason, strategy, tiles, launches, seconds
        )
    times = {r.rows: r.modelled_us if r.measured_us is None else r.measured_us for r in results}
    if any(time is None for time in times.values()):
        reason = "the launch has no time"
        return Figure(
            candidate, Status.ERROR.value, None, reason, strategy, tiles, launches, seconds
        )
    us = sum(
        weight * (times[rows] or 0.0)
        for weight, rows in zip(parts.weights, parts.rows, strict=True)
    )
    return Figure(
        candidate, last.status, us, "", strategy, tiles, launches, seconds, dict(last.time)
    )


def _parts_of(plan: Plan, tiles: int) -> _Parts:
    """Parts of a problem with at most `tiles` tiles per core: whole tiles are left out of each.

    Buffers come in turn, so that pairs of tiles take the same time rather than tiles, and fours of
    rows that are cut: the slope is that of the last ones, from a part with as many tiles beside
    them as the problem has.
    """
    fields = plan.fields
    rows = int(fields["rows"])
    whole = _Parts((rows,), (1.0,))
    if plan.cores == 0 or fields["col_groups"] or fields["is_resident"]:
        return whole
    deal = max(1, int(fields["deal_rows"]))
    unit = max(int(fields["rows_per_tile"]), deal)
    more = deal if fields["cores_with_one_more"] else 0
    count = -(-(int(fields["rows_per_core"]) + more) // unit)
    most = max(2, tiles * int(fields["rows_per_tile"]) // unit)
    if count <= most:
        return whole

    def part(kept: int) -> int:
        return rows - plan.cores * unit * (count - kept)

    groups = int(fields["groups"])
    if groups > 1 and deal == 1 and most >= FULL_TILES:
        # One group of two tiles and of four, two groups of four: what a tile and a group cost.
        tiles_of_group = int(fields["group_rows"]) / unit
        pairs, further = groups * (tiles_of_group - most / 2) / 2, groups - 2
        weighted = {2: -pairs, most // 2: pairs - further, most: 1.0 + further}
    elif most < 4:
        slope = (count - most) / (most - 1)
        weighted = {1: -slope, most: 1 + slope}
    else:
        step = _CUT_STEP if fields["group_rows"] else _STEP
        last = most - (most - count) % step
        steps = (count - last) / step
        weighted = {most - step: -steps, most: steps}
        weighted[last] = weighted.get(last, 0.0) + 1.0
    return _Parts(tuple(map(part, weighted)), tuple(map(float, weighted.values())))
