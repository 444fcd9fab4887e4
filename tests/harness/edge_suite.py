"""The suite `edge`, found by asking the planner: both sides of whatever it decides."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from normgrad import cases, ops, plan, run
from normgrad.plan import Options, Plan, Problem, Refused

# What a plan decides that kernels branch on. rows_per_tile: one, a few, many.
Signature = tuple[str, int, int, int]
Wish = dict[str, int | str]

BYTES_PER_COL = 10  # of UB, at least, in a row that is read once: no such row is wider
SCAN_STEP = 16  # a boundary lies between two of these; inside, both sides are found exactly
# Of an operator with many combinations of dtypes, how many go through everything; the others are
# cut alike, and meet the boundaries and one line of each kind.
THOROUGH = {"layer_norm_grad_v3": 2, "rms_norm_grad_quant": 1}
# On chips that share all but what lies below a kernel one is enough.
ALIKE = {("layer_norm_grad_v3", 1001, "fp16"), ("layer_norm_grad_v3", 2002, "fp32")}
# Lines of an operator that quantises go through these ways in turn.
WAYS = ("", "dst=hif8", "div=0:offset=-3", "dst=hif8:div=0", "offset=4", "dst=hif8:offset=1")
SMALL_UB = (65536, 32768, 16384)
# Blocks of 8 and 16 elements, repeats of 64 and 128, leaves of 512, and what copies like.
UNITS = (48, 64, 96, 128, 192, 256, 320, 512, 1024, 1536, 2048, 4096)


@dataclass(frozen=True)
class Chip:
    """A SoC that has kernels, and the pairs of dtypes they take."""

    soc: plan.Soc
    dtypes: tuple[tuple[str, str], ...]


def text(op: str) -> str:
    """The whole file."""
    lines = [
        "# Both sides of every decision of the planner and of the units of the hardware, at small",
        "# size. Written by tests/harness/suite_writer.py, which asks the planner: do not edit.",
    ]
    chips = _chips(op)
    firsts = {chip.soc.arch: chip for chip in reversed(chips)}
    for chip in sorted(firsts.values(), key=lambda c: c.soc.arch):
        strategies = _strategies(op, chip)
        lines += ["", f"# ---- architecture {chip.soc.arch} ({chip.soc.name}) ----"]
        for number, (dtype, gamma) in enumerate(chip.dtypes):
            write = _Writer(op, chip.soc, dtype, gamma)
            lines += ["", f"# {dtype}, gamma {gamma}"]
            is_brief = not _is_thorough(op, chip.soc, dtype, number)
            lines += _boundaries(write, is_brief)
            if is_brief:
                lines += _mixed(write)
                continue
            lines += _masks(write, strategies)
            lines += _tails(write)
            lines += _forced(write, strategies)
            lines += _rows(write, chip.soc.cores)
            lines += _data(write, strategies)
            lines += _groups(write)
    lines += ["", "# ---- every chip: each strategy at small size, rows around its cores ----"]
    for chip in chips:
        for number, (dtype, gamma) in enumerate(chip.dtypes):
            if not _is_thorough(op, chip.soc, dtype, number):
                continue
            write = _Writer(op, chip.soc, dtype, gamma)
            cores = chip.soc.cores
            around = sorted({1, cores - 1, cores, cores + 1, 2 * cores + 1})
            for strategy in _strategies(op, firsts[chip.soc.arch]):
                lines += _where_planned(write, around, (72, 1025), {"strategy": strategy})
    return "\n".join(lines) + "\n"


def _is_thorough(op: str, soc: plan.Soc, dtype: str, number: int) -> bool:
    return number < THOROUGH.get(op, number + 1) and (op, soc.arch, dtype) not in ALIKE


class _Writer:
    """Lines of case text for one chip and pair of dtypes."""

    def __init__(self, op: str, soc: plan.Soc, dtype: str, gamma: str) -> None:
        self.op, self.soc, self.dtype, self.gamma = op, soc, dtype, gamma
        self.ways = itertools.cycle(WAYS if ops.find_op(op).is_quantised else ("",))
        # of a row, where the check asks for some
        self.least_cols = next(c for c in range(1, 33) if self._is_allowed(4, c))

    def _is_allowed(self, rows: int, cols: int) -> bool:
        try:
            run.plan_case(cases.Case.parse(self.text([rows], [cols], None, "")))
        except Refused as refused:
            return "last axis" not in refused.sentence
        return True

    def plan(self, rows: int, cols: int, **wishes: int | str | None) -> Plan | None:
        problem = _problem(self.op, rows, cols, self.dtype, self.gamma)
        try:
            return plan.make_plan(self.op, self.soc, problem, Options(**wishes))  # type: ignore[arg-type]
        except Refused:
            return None

    def __call__(
        self, rows: Iterable[int], cols: Iterable[int], wish: Wish | None = None, more: str = ""
    ) -> Iterator[str]:
        rows, cols = list(rows), list(cols)
        if any(rows):
            cols = [c for c in cols if c == 0 or c >= self.least_cols]
        if cols:
            yield self.text(rows, cols, wish, more)

    def text(self, rows: list[int], cols: list[int], wish: Wish | None, more: str) -> str:
        words = [self.op, self.soc.name, self.dtype, f"{_list(rows)}x{_list(cols)}"]
        words += [] if self.gamma == self.dtype else [f"gamma={self.gamma}"]
        words += [f"{name}={value}" for name, value in (wish or {}).items()]
        return ":".join([*words, *(word for word in (next(self.ways), more) if word)])


def _problem(op: str, rows: int, cols: int, dtype: str, gamma: str) -> Problem:
    """What a case of these dtypes asks for, all outputs of it."""
    description = ops.find_op(op)
    sums = next(spec for spec in description.outputs if spec.is_sum)
    return Problem(
        rows,
        cols,
        dtype,
        gamma,
        stats_dtype=description.stats or dtype,
        sums_dtype="fp32" if sums.dtype == "fp32" else gamma,
        outputs=(1 << len(description.outputs)) - 1,
        dx_dtype="int8" if description.is_quantised else None,
        scale_dtype="fp32" if description.is_quantised else None,
    )


def _where_planned(
    write: _Writer, rows: Iterable[int], cols: Iterable[int], wish: Wish, more: str = ""
) -> Iterator[str]:
    """One line of those rows and columns that a strategy takes: not all take few or many."""
    at = [c for c in cols if any(_takes(write, r, c, wish) for r in rows)]
    fits = [r for r in rows if at and _takes(write, r, at[-1], wish)]
    if fits:
        yield from write(fits, at, wish, more)


def _takes(write: _Writer, rows: int, cols: int, wish: Wish) -> bool:
    names = {"chunk": "chunk_cols", "ub": "ub_bytes"}
    wishes = {names.get(name, name): value for name, value in wish.items()}
    return write.plan(rows, cols, **wishes) is not None


def _list(numbers: Iterable[int]) -> str:
    """`7` or `{1..4,9}`."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    words = [str(a) if a == b else f"{a}..{b}" if b > a + 1 else f"{a},{b}" for a, b in runs]
    return words[0] if len(words) == 1 and ".." not in words[0] and "," not in words[0] else (
        "{" + ",".join(words) + "}"
    )  # fmt: skip


def _chips(op: str) -> list[Chip]:
    found = []
    for soc in plan.socs():
        pairs = [
            (dtype, gamma)
            for dtype, gamma in plan.dtype_combinations(op, soc.arch)
            if _Writer(op, soc, dtype, gamma).plan(8, 64)
        ]
        if pairs:
            found.append(Chip(soc, tuple(pairs)))
    return found


def _signature(made: Plan | None) -> Signature | None:
    if made is None:
        return None
    fields = made.fields
    depths = (int(fields.get("in_buffers", 0)), int(fields.get("out_buffers", 0)))
    return (made.strategy, *depths, min(int(fields.get("rows_per_tile", 0)), 4))


def _steps(write: _Writer, rows: int, ub: int | None) -> Iterator[tuple[int, bool]]:
    """Columns on both sides of each change of the plan; True: they are refused."""

    def at(cols: int) -> Signature | None:
        return _signature(write.plan(rows, cols, ub_bytes=ub))

    before = at(1)
    for low in range(1, write.soc.ub_plan_bytes // BYTES_PER_COL, SCAN_STEP):
        after = at(low + SCAN_STEP)
        if after != before:
            left, right = low, low + SCAN_STEP
            while right - left > 1:
                middle = (left + right) // 2
                left, right = (middle, right) if at(middle) == before else (left, middle)
            yield from ((left, before is None), (right, at(right) is None))
        before = after


def _boundaries(write: _Writer, is_brief: bool) -> Iterator[str]:
    cores = write.soc.cores
    # Wide rows on the 56 cores and more of 950, several a core, would be half a billion elements.
    has_many = write.op not in THOROUGH and write.soc.arch != 3510
    many = (4 * cores + 1,) if has_many else ()
    for ub in (None,) if is_brief else (None, *SMALL_UB):
        wish: Wish = {} if ub is None else {"ub": ub}
        yield f"# both sides of what changes the plan in {ub or write.soc.ub_plan_bytes:,} bytes"
        for rows in (1, cores + 1, *many):
            steps = list(_steps(write, rows, ub))
            if taken := [cols for cols, refused in steps if not refused]:
                yield from write([rows], taken, wish)
            if rows == 1 and (refused_cols := [cols for cols, refused in steps if refused]):
                yield from write([rows], refused_cols, wish, "expect=561002")


def _mixed(write: _Writer) -> Iterator[str]:
    is_quantised = ops.find_op(write.op).is_quantised
    more = f"scale={write.dtype}" if is_quantised else "stats=fp32"
    yield "# a scale as dy, a few tails" if is_quantised else "# statistics in fp32, a few tails"
    for _ in range(2 if is_quantised else 1):
        yield from write([5, 45], [1, 9, 33, 65, 129, 1025, 5001, 14001], more=more)


def _masks(write: _Writer, strategies: Iterable[str]) -> Iterator[str]:
    if "mask" not in ops.find_op(write.op).options:
        return
    yield "# every mask through every strategy, and no gamma"
    for strategy in strategies:
        for rows in (write.soc.cores + 3, write.soc.cores - 3):
            if write.plan(rows, 1100, strategy=strategy):
                mask = "mask={000,001,010,011,100,101,110}"
                yield from write([rows], [1100], {"strategy": strategy}, mask)
                yield from write([rows], [1100], {"strategy": strategy}, "gamma=none")
                break


def _tails(write: _Writer) -> Iterator[str]:
    yield "# tails of blocks, repeats and leaves"
    if write.least_cols > 1:
        yield write.text([5], [write.least_cols - 1], None, "expect=561002")
    yield from write([1, 5], range(1, 34))
    yield from write([5], [unit + by for unit in UNITS for by in (-1, 0, 1)])
    yield from write([5], range(504, 521))


def _forced(write: _Writer, strategies: Iterable[str]) -> Iterator[str]:
    yield "# every strategy at small size; chunks with a short last one"
    cores = write.soc.cores
    for strategy in strategies:
        rows = (3, cores + 3)
        cols = (1, 8, 65, 511, 512, 513, 1000, 1025)
        yield from _where_planned(write, rows, cols, {"strategy": strategy})
        for chunk in (512, 1024):
            wide = (chunk + 1, chunk + 8, 2 * chunk - 1, 2 * chunk, 2 * chunk + 1, 3 * chunk + 63)
            yield from _where_planned(write, rows, wide, {"strategy": strategy, "chunk": chunk})


def _rows(write: _Writer, cores: int) -> Iterator[str]:
    yield "# rows around multiples of the cores, of a tile, of powers of two within it"
    near = {1, 2, 3} | {m * cores + by for m in (1, 2, 3, 4, 16) for by in (-2, -1, 0, 1)}
    yield from write(near, [24])
    powers = {2**k + by for k in range(2, 9) for by in (-1, 0, 1)}
    yield from write(powers, [24], {"cores": 1})
    for cols in (8, 129, 1000):
        made = write.plan(1 << 20, cols, cores=1)
        tile = int(made.fields["rows_per_tile"]) if made else 0
        if tile > 1:
            rows = (tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1)
            yield from write(rows, [cols], {"cores": 1})
    yield from write([2 * cores + 5], [40], {"cores": "{1..5," + f"{cores - 1},{cores}" + "}"})
    yield "# fewer columns than the strips of the second phase have cores"
    strips = (1, 7, 8, 9, cores - 1, cores, cores + 1, 8 * cores - 1, 8 * cores, 8 * cores + 1)
    yield from write([10 * cores], strips, more="dist=uniform01")
    yield "# nothing to do"
    yield from write([0], [1, 64, 1000])
    yield from write([0, 5], [0])


def _data(write: _Writer, strategies: Iterable[str]) -> Iterator[str]:
    yield "# every kind of data through every strategy"
    dists = "dist={" + ",".join(cases.DISTS) + "}"
    for strategy in strategies:
        for rows in (2 * write.soc.cores + 3, write.soc.cores - 3):
            if write.plan(rows, 600, strategy=strategy):
                yield from write([rows], [600], {"strategy": strategy}, dists)
                break


def _groups(write: _Writer) -> Iterator[str]:
    yield "# groups of rows whose sums do not depend on the cores, and blocks of such sums"
    for cols in (5, 24, 200, 6145):
        made = write.plan(1 << 20, cols, det_strong=True)
        group = int(made.fields["deal_rows"]) if made else 0
        if group > 1:
            many = (write.soc.cores, group) if cols < 1000 else ()  # 64 groups are one block
            rows = {m * group + by for m in (1, 2, *many) for by in (-1, 0, 1)}
            yield from write(rows, [cols], more="det=strong")
            yield from write([3 * group + 1], [cols], {"cores": "{1,2,3}"}, "det=strong")


def _strategies(op: str, chip: Chip) -> list[str]:
    """Those that the planner chooses by itself at some width."""
    found: dict[str, None] = {}
    for dtype, gamma in chip.dtypes:
        write = _Writer(op, chip.soc, dtype, gamma)
        for cols in range(8, chip.soc.ub_plan_bytes // BYTES_PER_COL, 256):
            for rows in (4 * chip.soc.cores, chip.soc.cores // 2):
                if made := write.plan(rows, cols):
                    found[made.strategy] = None
    return list(found)
