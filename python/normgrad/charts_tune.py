"""The pictures of a tuning report as SVG: times over two knobs, and what the pipes do."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from normgrad.timeline import LANES, WAITS, Slice

_WIDTH, _LEFT = 520.0, 62.0  # viewer units; text is 12 of them high
_CELL, _LANE, _GAP, _HEAD = 24.0, 20.0, 4.0, 18.0
_STRONGEST, _FAINTEST = 0.6, 0.06  # of a cell's colour: text stays readable on it
_FAINT_AT = 0.5  # slower than the best by so much: as faint as can be
_TEXT_WIDTH = 38.0  # of a cell that has room for its figure
_LETTER = 6.6
_LEVELS = 8  # of how busy a pipe is
_ZOOM = 0.08  # of the time, drawn instruction by instruction


@dataclass(frozen=True)
class Spot:
    """A plan in a landscape; x and y are values of knobs, y is None where there is one knob."""

    x: int
    y: int | None
    us: float | None  # None: it is out
    title: str  # shown where the pointer rests
    mark: str = ""  # "best", "default", or both


def landscape(title: str, x_name: str, y_name: str, spots: Sequence[Spot], best_us: float) -> str:
    """A cell for each pair of values: the quickest plan there, the stronger the quicker."""
    columns = sorted({spot.x for spot in spots})
    rows = sorted({spot.y for spot in spots}, key=lambda y: -1 if y is None else y)
    step = (_WIDTH - _LEFT - 2) / len(columns)
    height = _HEAD + len(rows) * _CELL + 34
    parts = [_svg(height, f"{title}: times by {x_name} and {y_name}")]
    parts.append(f'<text class="end" x="{_LEFT - 8:g}" y="12">{escape(y_name)}</text>')
    for at, y in enumerate(rows):
        top = _HEAD + at * _CELL
        label = "" if y is None else f"{y:,}"
        parts.append(f'<text class="end" x="{_LEFT - 8:g}" y="{top + 16:g}">{label}</text>')
        for column, x in enumerate(columns):
            here = [spot for spot in spots if (spot.x, spot.y) == (x, y)]
            parts.append(_cell(here, _LEFT + column * step, top, step, best_us))
    every = max(1, -(-len(columns) * 34 // int(_WIDTH - _LEFT)))  # labels that do not overlap
    for column, x in enumerate(columns):
        if column % every == 0:
            middle = _LEFT + (column + 0.5) * step
            parts.append(
                f'<text class="mid" x="{middle:.1f}" y="{height - 19:g}">{_short(x)}</text>'
            )
    parts.append(f'<text class="end" x="{_WIDTH:g}" y="{height - 4:g}">{escape(x_name)}</text>')
    return "\n".join([*parts, "</svg>"])


def _cell(here: Sequence[Spot], left: float, top: float, width: float, best_us: float) -> str:
    timed = [spot for spot in here if spot.us is not None]
    spot = min(timed, key=lambda s: s.us or 0.0) if timed else next(iter(here), None)
    place = f'x="{left + 1:.1f}" y="{top + 1:g}" width="{width - 2:.1f}" height="{_CELL - 2:g}"'
    if spot is None:
        return f'<rect class="none" {place}/>'
    marks = " ".join(dict.fromkeys(word for each in here for word in each.mark.split()))
    if spot.us is None:
        drawn, words = f'<rect class="none" {place}/>', "out"
    else:
        slower = spot.us / best_us - 1
        share = max(0.0, 1 - slower / _FAINT_AT)
        opacity = _FAINTEST + share * (_STRONGEST - _FAINTEST)
        kind = "quick best" if "best" in marks else "quick default" if marks else "quick"
        drawn = f'<rect class="{kind}" fill-opacity="{opacity:.2f}" {place}/>'
        words = "best" if "best" in marks else f"+{100 * slower:.{0 if slower >= 0.1 else 1}f}"
    if width >= _TEXT_WIDTH:
        drawn += (
            f'<text class="mid" x="{left + width / 2:.1f}" y="{top + 16:g}">{escape(words)}</text>'
        )
    title = "\n".join(each.title for each in here[:4])
    return f"<g><title>{escape(title)}</title>{drawn}</g>"


def _short(value: int) -> str:
    return f"{value // 1024}k" if value >= 1024 and value % 1024 == 0 else f"{value}"


def overview(title: str, slices: Sequence[Slice], span_us: float) -> str:
    """How busy each pipe is over the whole time; equal spans make pictures comparable."""
    height = _HEAD + len(LANES) * (_LANE + _GAP) + 18
    parts = [_svg(height, f"{title}: what the pipes do"), *_lanes(span_us, 0.0, span_us)]
    bins = int(_WIDTH - _LEFT)
    for at, lane in enumerate(LANES):
        mine = [each for each in slices if each.lane == lane and each.name not in WAITS]
        levels = [round(_LEVELS * share) for share in _shares(mine, span_us, bins)]
        column = 0
        for level, run in itertools.groupby(levels):
            count = len(list(run))
            if level:
                parts.append(
                    f'<rect class="s{at}" fill-opacity="{level / _LEVELS:g}" '
                    f'x="{_LEFT + column:g}" y="{_top(at):g}" width="{count}" height="{_LANE:g}"/>'
                )
            column += count
    end = max((each.end_us for each in slices), default=0.0)
    x = _LEFT + bins * end / span_us
    bottom = _top(len(LANES))
    parts.append(f'<line class="limit" x1="{x:.1f}" x2="{x:.1f}" y1="{_HEAD:g}" y2="{bottom:g}"/>')
    return "\n".join([*parts, "</svg>"])


def _shares(slices: Iterable[Slice], span_us: float, bins: int) -> list[float]:
    """Of each of equal parts of the span, how much of it is taken."""
    taken, width = [0.0] * bins, span_us / bins
    for each in slices:
        first, last = int(each.begin_us / width), min(bins - 1, int(each.end_us / width))
        for place in range(first, last + 1):
            begin = max(each.begin_us, place * width)
            taken[place] += max(0.0, min(each.end_us, (place + 1) * width) - begin)
    return [min(1.0, us / width) for us in taken]


def zoom(title: str, slices: Sequence[Slice], span_us: float) -> str:
    """Instruction by instruction, a part from the middle."""
    end = max((each.end_us for each in slices), default=0.0)
    length = span_us * _ZOOM
    begin = max(0.0, end * 0.45 - length / 2)
    height = _HEAD + len(LANES) * (_LANE + _GAP) + 18
    parts = [_svg(height, f"{title}: instructions"), *_lanes(length, begin, begin + length)]
    scale = (_WIDTH - _LEFT) / length
    for each in slices:
        left, right = max(each.begin_us, begin), min(each.end_us, begin + length)
        if right <= left:
            continue
        at, width = LANES.index(each.lane), (right - left) * scale
        x, y = _LEFT + (left - begin) * scale, _top(LANES.index(each.lane))
        kind = "cold" if each.name in WAITS else f"s{at}"
        what = escape(f"{each.name} {each.at}, {1000 * each.us:.0f} ns")
        parts.append(
            f'<g><title>{what}</title><rect class="{kind}" fill-opacity=".7" x="{x:.1f}" '
            f'y="{y:g}" width="{max(width - 0.4, 0.3):.1f}" height="{_LANE:g}"/>'
        )
        if width > _LETTER * len(each.name) + 4:
            parts.append(f'<text class="mid" x="{x + width / 2:.1f}" y="{y + 14:g}">'
                         f"{escape(each.name)}</text>")  # fmt: skip
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"])


def _svg(height: float, label: str) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH:g} {height:g}" role="img" '
        f'aria-label="{escape(label)}">'
    )


def _top(lane: int) -> float:
    return _HEAD + lane * (_LANE + _GAP)


def _lanes(length_us: float, begin_us: float, end_us: float) -> Iterable[str]:
    """Names of the pipes, and a scale of time below."""
    width = _WIDTH - _LEFT
    for at, name in enumerate(LANES):
        yield f'<rect class="none" x="{_LEFT:g}" y="{_top(at):g}" width="{width:g}" '\
              f'height="{_LANE:g}"/>'  # fmt: skip
        yield f'<text class="end" x="{_LEFT - 8:g}" y="{_top(at) + 14:g}">{name}</text>'
    bottom, step = _top(len(LANES)), _round_step(length_us)
    tick = -(-begin_us // step) * step
    while tick <= end_us + 1e-9:
        x = _LEFT + (tick - begin_us) / length_us * width
        place = "end" if x > _WIDTH - 20 else "mid"
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_HEAD:g}" y2="{bottom:g}"/>'
        yield f'<text class="{place}" x="{x:.1f}" y="{bottom + 13:g}">{tick:g}</text>'
        tick += step
    yield f'<text class="end" x="{_LEFT - 8:g}" y="{bottom + 13:g}">us</text>'


def _round_step(length: float) -> float:
    """About six marks, at 1, 2 or 5 times a power of ten."""
    rough = max(length, 1e-9) / 6
    power = 10.0 ** len(str(int(rough))) / 10 if rough >= 1 else 0.1
    while power > rough:
        power /= 10
    return next((power * f for f in (1, 2, 5) if power * f >= rough), power * 10)
