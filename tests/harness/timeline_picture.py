"""Draws the timeline of one core: python tests/harness/timeline_picture.py CASE FILE.svg [US].

Runs the case on the twin and shows its first US microseconds (default 12) of core 0.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from normgrad import cli

LANES = ("SCALAR", "VECTOR", "MTE2", "MTE3")
LEFT, WIDTH, LANE_HEIGHT, GAP, TOP = 90, 1110, 46, 14, 56
LETTER = 6.4  # width of one, at 11 px
# Colour by what a call is for; what none fits is grey.
COLOURS = (
    (("DataCopy", "DataCopyPad", "Fill"), "#4e79a7", "copies"),
    (("Cast",), "#f28e2b", "conversions"),
    (("Mul", "Muls", "MulAddDst", "Div", "Axpy"), "#59a14f", "products"),
    (("Add", "Adds", "Sub"), "#76b7b2", "sums"),
    (("WholeReduceSum", "BlockReduceSum", "PairReduceSum"), "#e15759", "reductions"),
    (("Brcb", "Duplicate", "Copy", "Broadcast"), "#edc948", "spreading"),
    (("AllocTensor", "EnQue", "DeQue", "FreeTensor", "SetFlag", "WaitFlag", "PipeBarrier"),
     "#b07aa1", "order"),
    (("wait", "SyncAll"), "#e8e8e8", "waiting"),
)  # fmt: skip
OTHER = "#9c9c9c"


def main() -> int:
    case, file = sys.argv[1], Path(sys.argv[2])
    span_us = float(sys.argv[3]) if len(sys.argv) > 3 else 12.0
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        if cli.main(["run", case, "--trace", str(trace)]) != 0:
            return 1
        events = json.loads(trace.read_text())["traceEvents"]
    slices = [e for e in events if e["ph"] == "X" and e["pid"] == 0 and e["ts"] < span_us]
    file.write_text(draw(case, slices, span_us))
    return 0


def draw(case: str, slices: list[dict[str, Any]], span_us: float) -> str:
    """The picture as SVG text."""
    height = TOP + len(LANES) * (LANE_HEIGHT + GAP) + 64
    total = LEFT + WIDTH + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {height}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{total}" height="{height}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="22" font-size="15">{escape(case)}: core 0, the first {span_us:g} '
        "us, modelled</text>",
    ]
    for step in range(int(span_us) + 1):
        x = LEFT + WIDTH * step / span_us
        bottom = TOP + len(LANES) * (LANE_HEIGHT + GAP)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{bottom}" '
                     'stroke="#d0d0d0"/>')  # fmt: skip
        parts.append(f'<text x="{x:.1f}" y="{TOP - 12}" text-anchor="middle">{step} us</text>')
    for lane, name in enumerate(LANES):
        y = _lane_y(lane)
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH}" height="{LANE_HEIGHT}" '
                     'fill="#f6f6f6"/>')  # fmt: skip
        parts.append(f'<text x="{LEFT - 8}" y="{y + LANE_HEIGHT / 2 + 4}" '
                     f'text-anchor="end">{name}</text>')  # fmt: skip
    parts += [_slice(event, span_us) for event in slices]
    x = float(LEFT)
    for _, colour, what in (*COLOURS, ((), OTHER, "other")):
        y = height - 36
        parts.append(f'<rect x="{x:.0f}" y="{y}" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text x="{x + 17:.0f}" y="{y + 10}">{what}</text>')
        x += 17 + LETTER * len(what) + 26
    return "\n".join([*parts, "</svg>"]) + "\n"


def _lane_y(lane: int) -> int:
    return TOP + lane * (LANE_HEIGHT + GAP)


def _slice(event: dict[str, Any], span_us: float) -> str:
    name, begin = event["name"], event["ts"]
    x = LEFT + WIDTH * begin / span_us
    width = WIDTH * (min(begin + event["dur"], span_us) - begin) / span_us
    y = _lane_y(event["tid"])
    at = event.get("args", {}).get("at", "")
    title = escape(f"{name} {at}, {event['dur'] * 1000:.0f} ns")
    drawn = (
        f'<rect x="{x:.1f}" y="{y}" width="{max(width - 0.3, 0.2):.1f}" height="{LANE_HEIGHT}" '
        f'fill="{_colour(name)}">{f"<title>{title}</title>" if event["tid"] else ""}</rect>'
    )
    if width > LETTER * len(name) + 4:
        drawn += (
            f'<text x="{x + width / 2:.1f}" y="{y + LANE_HEIGHT / 2 + 4}" '
            f'text-anchor="middle">{escape(name)}</text>'
        )
    return drawn


def _colour(name: str) -> str:
    return next((colour for names, colour, _ in COLOURS if name in names), OTHER)


if __name__ == "__main__":
    raise SystemExit(main())
