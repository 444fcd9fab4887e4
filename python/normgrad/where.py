"""Where the errors of an output lie, in the words of its plan, and what that points to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

import numpy as np
import numpy.typing as npt

from normgrad.compare import Tally

Places = npt.NDArray[np.int64]

_WHY_ALL_ROWS = "the formula, a constant, or an input that all rows share"
_PERIODS = (8, 16, 32, 64, 128, 256, 512)  # blocks, repeats, leaves


class SplitOfRows(Protocol):
    """The part of a plan that says which core had which rows and columns."""

    @property
    def cores(self) -> int: ...
    @property
    def fields(self) -> Mapping[str, int | float]: ...


class Split:
    """Places in a plan. Without a plan, or where it does not say, nothing is known."""

    def __init__(self, plan: SplitOfRows | None) -> None:
        fields = {} if plan is None else plan.fields
        self.cores = 0 if plan is None else plan.cores
        self._each = int(fields.get("rows_per_core", 0))
        self._longer = int(fields.get("cores_with_one_more", 0))
        self._deal = int(fields.get("deal_rows", 1)) or 1  # how many rows more those have
        self._rows = int(fields.get("rows", 0))
        self.tile_rows = int(fields.get("rows_per_tile", 0))
        self.chunk_cols = int(fields.get("chunk_cols", 0))
        self.strip_cols = int(fields.get("strip_cols", 0))
        self.knows_cores = self.cores > 1 and self._each + self._longer > 0

    def core_and_row(self, rows: Places) -> tuple[Places, Places]:
        """The core of each row, and which of the core's rows it is."""
        border = self._longer * (self._each + self._deal)
        long_core, long_row = np.divmod(rows, self._each + self._deal)
        core, row = np.divmod(rows - border, max(self._each, 1))
        first = rows < border
        return np.where(first, long_core, self._longer + core), np.where(first, long_row, row)

    def rows_of(self, core: int) -> int:
        count = self._each + self._deal * (core < self._longer)
        begin = self._each * core + self._deal * min(core, self._longer)
        return min(count, self._rows - begin) if self._rows else count  # a last group may be short

    def words(self, row: int, col: int, over_rows: bool) -> list[str]:
        """Core, tile and chunk of an element; of a sum over rows the core that added it up."""
        if over_rows:
            known = self.cores > 1 and self.strip_cols > 0
            return [f"added up by core {col // self.strip_cols % self.cores}"] if known else []
        words = []
        own_row = row
        if self.knows_cores:
            core, own = self.core_and_row(np.array([row]))
            own_row = int(own[0])
            words.append(f"core {core[0]}" if core[0] < self.cores else "no core has this row")
        if self.tile_rows:
            words.append(f"tile {own_row // self.tile_rows}")
        if self.chunk_cols:
            words.append(f"chunk {col // self.chunk_cols}")
        return words


def patterns(tally: Tally, plan: SplitOfRows | None) -> list[tuple[str, str]]:
    """What the failing places have in common, and what that points to (may be empty)."""
    split = Split(plan)
    rows, cols = np.flatnonzero(tally.failed_rows), np.flatnonzero(tally.failed_cols)
    over_rows = tally.sums_rows
    found = list(_col_patterns(cols, tally, split, over_rows))
    if tally.rows > 1:
        found += list(_row_patterns(rows, tally.rows, split))
    elif tally.cols > 1 and (share := _share(len(cols), tally.cols, "column")):
        found.append((f"in {share}", "the sums over rows, or what cores exchange"))
    return found


def _share(count: int, total: int, unit: str) -> str:
    """All, or so nearly all that the others are right by chance; else nothing."""
    if count == total:
        return f"every {unit}"
    return f"nearly every {unit} ({count} of {total})" if count * 10 >= total * 9 else ""


def _col_patterns(
    cols: Places, tally: Tally, split: Split, over_rows: bool
) -> Iterator[tuple[str, str]]:
    total = tally.cols
    if total < 2 or len(cols) == total:
        return
    if len(cols) == 1:
        last = "the last column" if cols[0] == total - 1 else f"column {cols[0]}"
        yield f"only in {last}", "the tail of a row" if cols[0] == total - 1 else ""
    elif period := _period(cols, total):
        yield period
    elif (tail := total - int(cols[0])) * 2 <= total:
        chunk = split.chunk_cols
        last_chunk = chunk and int(cols[0]) == (total - 1) // chunk * chunk
        why = (
            "the last chunk" if last_chunk else "the tail of a row: a mask, a length, a copy's end"
        )
        yield f"only in the last {tail} of {total} columns", why
    elif split.chunk_cols and len(chunks := np.unique(cols // split.chunk_cols)) == 1:
        first = int(chunks[0]) * split.chunk_cols
        last_col = min(first + split.chunk_cols, total) - 1
        yield f"only in chunk {chunks[0]} (columns {first} to {last_col})", "the loop over chunks"
    elif over_rows and split.cores > 1 and split.strip_cols:
        cores = np.unique(cols // split.strip_cols % split.cores)
        if len(cores) == 1:
            yield f"only in columns that core {cores[0]} adds up", "the exchange between cores"


def _period(cols: Places, total: int) -> tuple[str, str] | None:
    """Columns that repeat at a distance which the hardware works in."""
    for period in _PERIODS:
        places = np.unique(cols % period)
        if total < 3 * period or len(places) * 8 > period:
            continue
        everywhere = sum(len(range(int(place), total, period)) for place in places)
        if len(cols) * 4 < everywhere * 3:
            continue
        why = "the step or mask of an instruction" if period < 512 else "the leaves of a row's sum"
        if len(places) == 1:
            return f"only in every {period}th column, from column {places[0]} on", why
        if places[-1] - places[0] == len(places) - 1:
            return f"only in columns {places[0]} to {places[-1]} of every {period}", why
    return None


def _row_patterns(rows: Places, total: int, split: Split) -> Iterator[tuple[str, str]]:
    first, last = int(rows[0]), int(rows[-1])
    if len(rows) == total:
        yield "in every row", _WHY_ALL_ROWS
        return
    if first == last:
        yield (
            ("only in the last row" if last == total - 1 else f"only in row {first}"),
            ("how many rows there are" if last == total - 1 else ""),
        )
        return
    cores, own = split.core_and_row(rows) if split.knows_cores else (np.zeros_like(rows), rows)
    if split.knows_cores and cores[0] >= split.cores:
        yield "only in rows that the plan gives to no core", "how the planner deals rows to cores"
        return
    if split.knows_cores and cores[0] == cores[-1]:
        whose = "the last core" if cores[0] == split.cores - 1 else f"core {cores[0]}"
        name = whose if whose.startswith("core") else f"{whose} ({cores[0]})"
        yield f"only in rows of {name}", "how rows are dealt to cores"
    elif several := _each_core(cores, own, split):
        yield several
        return
    if split.tile_rows and (of_tile := _each_tile(cores, own, split, total)):
        yield of_tile
    elif split.tile_rows > 1 and _all_but_first_of_tile(rows, total, split):
        yield (
            "in every row but the first of each tile",
            "the step of an instruction from row to row",
        )
    elif share := _share(len(rows), total, "row"):
        yield f"in {share}", _WHY_ALL_ROWS
    elif (cores[0] != cores[-1] or not split.knows_cores) and (last - first + 1) * 2 <= total:
        yield f"only in rows {first} to {last}", ""


def _all_but_first_of_tile(rows: Places, total: int, split: Split) -> bool:
    right = np.setdiff1d(np.arange(total), rows)
    _, own = split.core_and_row(right) if split.knows_cores else (right, right)
    tiles = -(-total // split.tile_rows)  # at least: tiles of a core may be short
    return len(right) >= tiles and not (own % split.tile_rows).any()


def _each_core(cores: Places, own: Places, split: Split) -> tuple[str, str] | None:
    """What failing rows of several cores have in common within their core."""
    if not split.knows_cores:
        return None
    ends = np.array([split.rows_of(int(core)) - 1 for core in cores])
    if (own == ends).all():
        return "only in the last row of each core", "how many rows a core has"
    if (own == 0).all():
        return "only in the first row of each core", "the first tile, or what it waits for"
    if cores[0] > 0 and cores[-1] == split.cores - 1 and len(np.unique(cores)) * 2 <= split.cores:
        return f"only in rows of cores {cores[0]} to {cores[-1]}", "how rows are dealt to cores"
    return None


def _each_tile(cores: Places, own: Places, split: Split, total: int) -> tuple[str, str] | None:
    """What failing rows have in common within their tile, or their tiles within a core."""
    tile, place = np.divmod(own, split.tile_rows)
    sizes = np.array(
        [split.rows_of(int(c)) if split.knows_cores else total for c in np.unique(cores)]
    )
    tiles = int(-(-sizes.max() // split.tile_rows))
    of_core = dict(zip(np.unique(cores).tolist(), sizes.tolist(), strict=True))
    ends = np.array([of_core[int(core)] for core in cores])
    last_place = np.minimum(split.tile_rows, ends - tile * split.tile_rows) - 1
    if split.tile_rows > 1 and len(np.unique(tile)) > 1:
        if (place == 0).all():
            return "only in the first row of each tile", "what is done once per tile"
        if (place == last_place).all():
            return "only in the last row of each tile", "the count of rows in a tile"
        if (place == place[0]).all():
            return f"only in row {place[0]} of each tile", "the loop over the rows of a tile"
    if tiles > 1 and len(np.unique(tile)) == 1:
        which = "first" if tile[0] == 0 else "last" if tile[0] == tiles - 1 else f"{tile[0]}."
        return f"only in the {which} tile of a core", (
            "what is set up before the first tile" if tile[0] == 0 else "the short last tile"
        )
    if tiles > 1 and (tile == _last_tile(ends, split.tile_rows)).all():
        return "only in the last tile of a core", "the short last tile"
    if tiles > 3 and len(np.unique(tile)) > 1 and (tile % 2 == tile[0] % 2).all():
        return "only in every second tile", "one of two buffers: a flag or a wait between tiles"
    return None


def _last_tile(rows_of_core: Places, tile_rows: int) -> Places:
    """Index of the last tile of cores with so many rows."""
    return (rows_of_core - 1) // tile_rows


def picture(tally: Tally) -> list[str]:
    """The output reduced to a map of characters: where elements fail."""
    cells = tally.map
    height, width = cells.shape
    in_row = np.bincount(np.arange(tally.rows) * height // tally.rows, minlength=height)
    in_col = np.bincount(np.arange(tally.cols) * width // tally.cols, minlength=width)
    share = cells / np.outer(in_row, in_col)
    starts = np.concatenate([[0], np.cumsum(in_row)[:-1]])
    size = len(str(tally.rows))
    lines = [
        f"{tally.name}, {tally.rows} rows x {tally.cols} columns; . right, 1 to 9 tenths wrong, "
        "# all wrong"
    ]
    for start, line in zip(starts, share, strict=True):
        marks = (
            "." if part == 0 else "#" if part >= 1 else str(min(9, max(1, round(part * 10))))
            for part in line
        )
        lines.append(f"row {start:>{size}} |{''.join(marks)}|")
    return lines
