"""The pictures of a report as SVG: scores over widths, and shares of bandwidth over both axes.

Colours are CSS classes, so that a dark page has its own.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from normgrad.store import Result

_WIDTH, _HEIGHT = 520.0, 260.0  # viewer units; text is 12 of them high
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 16.0, 12.0, 34.0
_TOP_SCORE = 1.25  # what is far above its budget is drawn here
_LARGE_ELEMS = 1 << 20  # smaller tensors move in microseconds, whatever the bandwidth
_CELL = 13.0  # height of a row of a heat map
_MAP_HEAD = re.compile(r"\w+, \d+ rows x \d+ columns;")
_MAP_ROW = re.compile(r"row +(\d+) \|([.#1-9]+)\|")
_LEAST_POINTS = 3  # a line of two points shows nothing


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    series: str
    title: str  # shown where the pointer rests
    link: str = ""
    is_bad: bool = False


@dataclass(frozen=True)
class Chart:
    title: str
    svg: str
    series: tuple[str, ...]  # in the order of their colours


def charts(results: Sequence[Result]) -> list[Chart]:
    """What the results give: scores, then one pair of axes per operator and chip."""
    found = [_scores(results)]
    groups: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in results:
        large = result.rows * result.cols >= _LARGE_ELEMS
        if result.bandwidth_fraction is not None and result.expected and large:
            groups[result.op, result.soc].append(result)
    for (op, soc), members in groups.items():
        for fixed, along in (("rows", "cols"), ("cols", "rows")):
            found.append(_shares(op, soc, members, fixed, along))
    return [chart for chart in found if chart is not None]


def failure(lines: Sequence[str]) -> list[tuple[bool, str]]:
    """What stands below a failed case, its maps of characters (see where.py) drawn: (is SVG, text).

    A map becomes a heat map, which fits a phone's width where 64 characters do not.
    """
    found: list[tuple[bool, str]] = []
    rest = list(lines)
    while rest:
        head, rest = rest[0], rest[1:]
        rows = list(itertools.takewhile(bool, map(_MAP_ROW.fullmatch, rest)))
        if _MAP_HEAD.match(head) and rows:
            found.append((True, _heat_map(head.partition(";")[0], [m.groups() for m in rows if m])))
            rest = rest[len(rows) :]
        else:
            found.append((False, head))
    return found


def _heat_map(title: str, rows: Sequence[Sequence[str]]) -> str:
    """Each cell as strong as its share of wrong elements; a run of equal ones is one rectangle."""
    height = len(rows) * _CELL + 18
    step = (_WIDTH - _LEFT) / max(len(marks) for _, marks in rows)
    parts = [
        f'<svg class="chart" viewBox="0 0 {_WIDTH:g} {height:g}" role="img" '
        f'aria-label="{escape(title)}: where elements fail">',
        f'<text x="0" y="12">{escape(title)}</text>',
    ]
    for at, (first, marks) in enumerate(rows):
        y = 18 + at * _CELL
        parts.append(f'<text class="end" x="{_LEFT - 6:g}" y="{y + _CELL - 2:g}">{first}</text>')
        col = 0
        for mark, run in itertools.groupby(marks):
            count = len(list(run))
            share = 0.0 if mark == "." else 1.0 if mark == "#" else int(mark) / 10
            kind = f'class="hot" fill-opacity="{share:g}"' if share else 'class="cold"'
            parts.append(
                f'<rect {kind} x="{_LEFT + col * step:.1f}" y="{y:g}" width="{count * step:.1f}" '
                f'height="{_CELL - 1:g}"/>'
            )
            col += count
    return "\n".join([*parts, "</svg>"])


def _scores(results: Sequence[Result]) -> Chart | None:
    points = [
        Point(
            x=result.cols,
            y=min(result.score, _TOP_SCORE) if math.isfinite(result.score) else _TOP_SCORE,
            series=result.dtype,
            title=f"{result.case}: {result.score:.3g}",
            link=f"#c{index}",
            is_bad=not result.expected,
        )
        for index, result in enumerate(results)
        if result.score is not None and result.cols
    ]
    if not points:
        return None
    return _chart(
        "Worst error over its budget, by columns (1 is the limit)", points, "columns", 1.0
    )


def _shares(op: str, soc: str, results: Iterable[Result], fixed: str, along: str) -> Chart | None:
    """The value of `fixed` that most lengths of `along` share, all dtypes in one picture."""
    by_value: dict[int, dict[tuple[int, str], Result]] = defaultdict(dict)
    for result in results:
        place = getattr(result, along), _dtypes(result)
        by_value[getattr(result, fixed)].setdefault(place, result)
    if not by_value:
        return None
    value, chosen = max(by_value.items(), key=lambda item: len({x for x, _ in item[1]}))
    if len({x for x, _ in chosen}) < _LEAST_POINTS:
        return None
    points = [
        Point(x, result.bandwidth_fraction or 0.0, series, f"{result.case}: "
              f"{result.bandwidth_fraction or 0.0:.1%}")
        for (x, series), result in sorted(chosen.items())
    ]  # fmt: skip
    name = {"rows": "rows", "cols": "columns"}
    title = f"{op} on {soc}, {value:,} {name[fixed]}: modelled share of achievable bandwidth"
    return _chart(title, points, name[along], None, joined=True)


def _dtypes(result: Result) -> str:
    gamma = next((word for word in result.case.split(":") if word.startswith("gamma=")), "")
    return f"{result.dtype} {gamma}".strip()


def _chart(
    title: str, points: Sequence[Point], x_name: str, limit: float | None, joined: bool = False
) -> Chart:
    series = tuple(dict.fromkeys(point.series for point in points))
    low, high = (math.log2(pick(point.x for point in points)) for pick in (min, max))
    low, high = math.floor(low), max(math.ceil(high), math.floor(low) + 1)
    top = 1.0 if limit is None else _TOP_SCORE

    def x_at(x: float) -> float:
        return _LEFT + (math.log2(x) - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)

    def y_at(y: float) -> float:
        return _HEIGHT - _BOTTOM - y / top * (_HEIGHT - _TOP - _BOTTOM)

    parts = [
        f'<svg class="chart" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" '
        f'aria-label="{escape(title)}">',
        *_axes(low, high, x_at, y_at, x_name, limit),
    ]
    for place, name in enumerate(series):
        mine = [point for point in points if point.series == name]
        parts.append(f'<g class="s{place % 6}">')
        if joined:
            path = " ".join(f"{x_at(p.x):.1f},{y_at(p.y):.1f}" for p in mine)
            parts.append(f'<polyline points="{path}"/>')
        parts += [_dot(point, x_at(point.x), y_at(point.y)) for point in mine]
        parts.append("</g>")
    return Chart(title, "\n".join([*parts, "</svg>"]), series)


def _axes(
    low: int,
    high: int,
    x_at: Callable[[float], float],
    y_at: Callable[[float], float],
    x_name: str,
    limit: float | None,
) -> Iterable[str]:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    for y in (0.0, 0.25, 0.5, 0.75, 1.0):
        kind = "limit" if y == limit else "grid"
        yield f'<line class="{kind}" x1="{_LEFT:g}" x2="{right:g}" y1="{y_at(y):.1f}" '\
              f'y2="{y_at(y):.1f}"/>'  # fmt: skip
        word = f"{y:g}" if limit is not None else f"{y:.0%}"
        yield f'<text class="end" x="{_LEFT - 6:g}" y="{y_at(y) + 4:.1f}">{word}</text>'
    step = max(1, math.ceil((high - low) / 8))
    for power in range(low, high + 1, step):
        x = x_at(2.0**power)
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP:g}" y2="{bottom:g}"/>'
        yield f'<text class="mid" x="{x:.1f}" y="{bottom + 15:g}">{_power(power)}</text>'
    yield f'<text class="end" x="{right:g}" y="{_HEIGHT - 4:g}">{x_name}</text>'


def _power(power: int) -> str:
    return f"{2**power}" if power < 10 else f"{2 ** (power - 10)}k" if power < 20 else f"2^{power}"


def _dot(point: Point, x: float, y: float) -> str:
    kind = ' class="wrong"' if point.is_bad else ""
    dot = (
        f'<circle{kind} cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{escape(point.title)}</title>'
        "</circle>"
    )
    return f'<a href="{point.link}">{dot}</a>' if point.link else dot
