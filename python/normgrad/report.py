"""Everything that normgrad says on a terminal. No other module prints."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TextIO, TypeVar

from tqdm import tqdm

from normgrad import calibrate, findings, timing, verdict
from normgrad.doctor import Line
from normgrad.errors import NormgradError
from normgrad.selfbench import Figure
from normgrad.store import Result, dump_rows, to_json

_COLOURS = {"PASSED": "32", "UNSUPPORTED": "33"}  # anything else is red
SHOWN_IN_FULL = 5  # cases that are not as expected: a broken kernel fails hundreds of them
_STATUS_WIDTH = len("UNSUPPORTED")


def say(text: str = "", stream: TextIO | None = None) -> None:
    target = stream or sys.stdout
    try:
        print(text, file=target, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        name = "standard output" if target is sys.stdout else "standard error"
        abandon_output()
        raise NormgradError(f"{name} cannot be written ({error.strerror})") from None


def abandon_output() -> None:
    """What is still buffered goes nowhere: Python would complain of it once more at its end."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(sentence: str) -> None:
    """One sentence on stderr, for a command that ends with exit code 2."""
    print(f"normgrad: {sentence}", file=sys.stderr, flush=True)


def note(text: str) -> None:
    """What takes a while, said on stderr so that stdout holds results alone."""
    print(text, file=sys.stderr, flush=True)


def json_rows(rows: Iterable[Mapping[str, Any]]) -> None:
    say(dump_rows(to_json(dict(row)) for row in rows).rstrip("\n"))


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[object]],
    indent: str = "",
    spare: Sequence[str] = (),
    stream: TextIO | None = None,
) -> None:
    """Aligned columns; numbers to the right, text to the left.

    On a terminal that is too narrow, columns named in `spare` are left out, the first one first.
    """
    cells = [[_cell(value) for value in row] for row in rows]
    lines = ([list(header)] if any(header) else []) + cells
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))] if lines else []
    while spare and sys.stdout.isatty() and sum(widths) + 2 * len(widths) > _terminal_columns():
        at = header.index(spare[0])
        header, spare = [*header[:at], *header[at + 1 :]], spare[1:]
        for line in lines:
            del line[at]
        del widths[at]
        cells = lines[1:]
    right = [bool(cells) and all(_is_number(row[i]) for row in cells) for i in range(len(header))]
    for line in lines:
        words = [
            word.rjust(width) if to_right else word.ljust(width)
            for word, width, to_right in zip(line, widths, right, strict=True)
        ]
        say(indent + "  ".join(words).rstrip(), stream)


def _terminal_columns() -> int:
    return shutil.get_terminal_size().columns


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _is_number(cell: str) -> bool:
    return cell in ("-", "nan", "inf", "-inf") or cell.replace(",", "").lstrip("-")[:1].isdigit()


def _colour(stream: TextIO, status: str, text: str, expected: bool) -> str:
    if not stream.isatty() or "NO_COLOR" in os.environ:
        return text
    code = _COLOURS.get(status, "31") if expected else "31"
    return f"\x1b[{code}m{text}\x1b[0m"


@dataclass(frozen=True)
class _Column:
    """What stands behind status and case in the line of a case."""

    name: str
    width: int
    text: Callable[[Result], str]


_COLUMNS = (
    _Column("plan", 14, lambda r: r.plan or "-"),
    _Column("score", 7, lambda r: score_text(r.score)),
    _Column("bytes/min", 9, lambda r: _number(r.bytes_over_minimum, ".4f")),
    _Column("slope", 6, lambda r: _number(r.slope_cycles_per_64, ".1f")),
    _Column("time", 8, lambda r: f"{r.seconds:.2f} s"),
)
# Promises about bits, where they are examined: result's name -> its column.
_PROMISES = {
    "deterministic": _Column("determ.", 7, lambda r: _kept(r.deterministic)),
    "batch_invariant": _Column("invar.", 6, lambda r: _kept(r.batch_invariant)),
}
# A narrow terminal shows fewer columns rather than two lines for a case; the report has them all.
_DISPENSABLE = ("slope", "plan", "bytes/min", "time")


_Lines = TypeVar("_Lines", bound="Lines")


class Lines:
    """Lines as they come; on a terminal a bar below them, which `with` takes away at its end."""

    def __init__(self, stream: TextIO, unit: str, total: int | None = None) -> None:
        self._stream = stream
        self._bar: tqdm[Any] | None = None
        if stream.isatty():
            self._bar = tqdm(total=total, unit=unit, file=stream, leave=False)

    def __enter__(self: _Lines) -> _Lines:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def _write(self, line: str) -> None:
        if self._bar is not None:
            self._bar.write(line, file=self._stream)
        else:
            say(line, self._stream)


class Progress(Lines):
    """One line per case as it ends."""

    def __init__(
        self,
        names: Sequence[str],
        stream: TextIO | None = None,
        promises: Sequence[str] = (),  # that are examined
    ) -> None:
        super().__init__(stream or sys.stdout, "case", len(names))
        self._width = max(map(len, names), default=0)
        self._unexpected = 0
        columns = [*_COLUMNS[:-1], *(_PROMISES[name] for name in promises), _COLUMNS[-1]]
        if self._bar is not None:
            room = _terminal_columns()
            for name in _DISPENSABLE:
                if _STATUS_WIDTH + 2 + self._width + sum(2 + c.width for c in columns) > room:
                    columns = [column for column in columns if column.name != name]
        self._columns = columns
        self._write(self._line("status", "case", [column.name for column in columns]))

    def add(self, result: Result) -> None:
        """A line; below the first ones that are not as expected stands why."""
        line = self._line(result.status, result.case, [c.text(result) for c in self._columns])
        status, rest = line[:_STATUS_WIDTH], line[_STATUS_WIDTH:]
        self._write(_colour(self._stream, result.status, status, result.expected) + rest)
        if not result.expected:
            self._unexpected += 1
            if self._unexpected <= SHOWN_IN_FULL:
                self._write(f"{'':<{_STATUS_WIDTH}}  {result.reason}")
            elif self._unexpected == SHOWN_IN_FULL + 1:
                self._write(f"{'':<{_STATUS_WIDTH}}  (why, from here on, is in the report)")
        if self._bar is not None:
            self._bar.update()

    def _line(self, status: str, case: str, cells: Sequence[str]) -> str:
        words = [f"{status:<{_STATUS_WIDTH}}", f"{case:<{self._width}}"]
        for column, cell in zip(self._columns, cells, strict=True):
            words.append(
                cell.ljust(column.width) if column.name == "plan" else cell.rjust(column.width)
            )
        return "  ".join(words)


def _kept(promise: bool | None) -> str:
    return "-" if promise is None else "yes" if promise else "NO"


def score_text(value: float | None) -> str:
    """In seven places, whatever its size: 0.998, 12.345, 4.1e+06."""
    return "-" if value is None else f"{value:.3f}" if value < 1000 else f"{value:.1e}"


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def summary(
    results: Sequence[Result],
    asked: int,
    seconds: float,
    report: str | None,
    stream: TextIO | None = None,
) -> None:
    """Counts, the worst score, the commands that reproduce what was not as expected."""
    counts = Counter(result.status for result in results)
    wrong = [result for result in results if not result.expected]
    refused = sum(1 for r in results if r.status == "UNSUPPORTED" and r.expected)
    words = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    say(stream=stream)
    say(f"{len(results)} of {asked} cases in {seconds:.1f} s: {words or 'none ended'}", stream)
    if refused:
        say(f"{refused} refused as the case expects", stream)
    scored = [result for result in results if result.score is not None]
    if scored:
        worst = max(scored, key=lambda r: r.score or 0.0)
        say(f"worst score {score_text(worst.score)} of 1 (error / budget): {worst.case}", stream)
    wide = [r for r in results if (r.declared_c or 0.0) > verdict.C]
    if wide:
        widest = max(wide, key=lambda r: r.declared_c or 0.0)
        say(
            f"one accumulator, with an error budget of more than C = {verdict.C:g}, in {len(wide)} "
            f"of them, at most C = {widest.declared_c:.4g}: {widest.case}",
            stream,
        )
    for name in _PROMISES:
        examined = [kept for r in results if (kept := getattr(r, name)) is not None]
        if examined:
            say(f"{name.replace('_', ' ')}: {sum(examined)} of {len(examined)} cases", stream)
    if wrong:
        say(f"{len(wrong)} not as expected; to see one of each kind:", stream)
        kinds: dict[str, list[Result]] = {}
        for result in wrong:
            kinds.setdefault(_kind(result), []).append(result)
        for kind, members in list(kinds.items())[:SHOWN_IN_FULL]:
            say(f"  {kind}" + (f", {len(members)} cases" if len(members) > 1 else ""), stream)
            say(f"    {members[0].command}", stream)
        if len(kinds) > SHOWN_IN_FULL:
            say(f"  and {len(kinds) - SHOWN_IN_FULL} kinds more, in the report", stream)
        if hint := os.environ.get("NORMGRAD_HINT"):
            say(f"({hint})", stream)
    elif len(results) == asked:
        say("all as expected", stream)
    for note_ in dict.fromkeys(result.note for result in results if result.note):
        say(f"note: {note_}", stream)
    if report is not None:
        say(f"report: {report}", stream)


def _kind(result: Result) -> str:
    """What results that are wrong for one cause have in common."""
    if not result.findings:
        return f"{result.status} {result.worst['output']}" if result.worst else result.status
    first = result.findings[0]
    place = findings.where(first.get("file", ""), first.get("line", 0))
    return f"{result.status} {first['rule']}{place}"


def bench_table(results: Sequence[Result]) -> None:
    """Counters and modelled time of each case, with their limits; not how long the twin took."""
    header, rows, spare = timing.bench_columns(results)
    table(header, rows, spare=spare)
    for line in timing.footnotes(results):
        say(line)
    for result in results:
        if not result.expected:
            say(f"{result.case}: {result.reason}")


def calibration(rows: Sequence[calibrate.Compared], left_out: Mapping[str, Counter[str]]) -> None:
    """The model of time beside what was measured."""
    if rows:
        table(*calibrate.table(rows))
        say()
        table(*calibrate.by_operator(rows))
        say()
    for line in calibrate.summary(rows, left_out):
        say(line)


def self_table(figures: Sequence[Figure]) -> None:
    """The twin's own speed beside what it should be."""
    rows = [
        (
            figure.what,
            "-" if figure.value is None else f"{figure.value:.3g} {figure.unit}",
            f"{'>=' if figure.at_least else '<='} {figure.target:g} {figure.unit}",
            {True: "yes", False: "NO", None: "-"}[figure.holds],
            figure.detail,
        )
        for figure in figures
    ]
    table(("what", "figure", "target", "holds", ""), rows)


def show_doctor(lines: Sequence[Line]) -> None:
    """One line each, then what to do next."""
    marks = [("ok" if line.ok else "MISSING" if line.needed else "-") for line in lines]
    rows = zip(marks, lines, strict=True)
    table(("", "", ""), [(mark, line.what, line.found) for mark, line in rows])
    steps = [line for line in lines if not line.ok and line.needed]
    say()
    if not steps:
        say("verify and run work here; try `normgrad verify`")
    for line in steps:
        say(f"next: {line.what}: {line.next_step}")
