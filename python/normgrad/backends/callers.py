"""The calls that led to a finding, as file:line: the twin names addresses in the unit.

Helpers of three lines are what kernels are made of, so that the line of a call of Ascend C is often
one that every strategy goes through.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from normgrad.backends import Finding

_SHOWN = 3
_TIMEOUT_S = 20.0
_TWINS = re.compile(r"(?:^|/)(?:twin/(?:api|machine)/[^/]+|unit\.cpp:\d+)$")
_OURS = re.compile(r"(?:^|/)(op_kernel/.*|[^/]+)$")


def resolve(unit: Path, entries: Sequence[Mapping[str, Any]]) -> tuple[Finding, ...]:
    """Findings as the twin's report has them; without a tool that knows lines, no callers."""
    wanted = {address for entry in entries for address in entry.get("callers", ())}
    lines = _lines(unit, sorted(wanted)) if wanted else {}
    return tuple(_finding(entry, lines) for entry in entries)


def _finding(entry: Mapping[str, Any], lines: Mapping[int, Sequence[str]]) -> Finding:
    known = {name: entry[name] for name in Finding.__dataclass_fields__ if name in entry}
    chain = [place for address in entry.get("callers", ()) for place in lines.get(address, ())]
    place = _short(f"{entry.get('file', '')}:{entry.get('line', 0)}")
    # A finding made when all cores meet is of none of the calls in progress.
    callers = chain[chain.index(place) + 1 :] if place in chain else []
    file = place.partition(":")[0]  # whose own lines say nothing of who called it
    others = [each for each in callers if each.partition(":")[0] not in (file, "unit.cpp")]
    known["callers"] = tuple(dict.fromkeys(others))[:_SHOWN]
    return Finding(**known)


def hang(unit: Path, said: str) -> str:
    """Where a launch was that was cut off, in words, from the runner's lines (machine/hang.h)."""
    found = [
        (int(core), [int(at) for at in places.split(",")])
        for core, places in re.findall(r"^hang core=(\d+) at=([\d,]+)$", said, re.MULTILINE)
    ]
    lines = _places(unit, sorted({at for _, places in found for at in places})) if found else {}
    words = []
    for core, places in sorted(found):
        kernel = [place for at in places for place in lines.get(at, ()) if _is_kernels(place)]
        chain = list(dict.fromkeys(map(_short, kernel)))
        if chain:
            called = f", called from {', '.join(chain[1:_SHOWN])}" if chain[1:] else ""
            words.append(f"core {core} was at {chain[0]}{called}")
    return "; ".join(words[:_SHOWN])


def _lines(unit: Path, addresses: Sequence[int]) -> dict[int, list[str]]:
    """As _places, by their short names."""
    return {at: [*map(_short, found)] for at, found in _places(unit, addresses).items()}


def _places(unit: Path, addresses: Sequence[int]) -> dict[int, list[str]]:
    """Each address with its file:line and those that its code was inlined into."""
    tool = shutil.which("addr2line") or shutil.which("llvm-addr2line")
    if tool is None:
        return {}
    command = [tool, "-a", "-i", "-e", str(unit), *map(hex, addresses)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    found: dict[int, list[str]] = {}
    now: list[str] = []
    for line in done.stdout.splitlines():
        if line.startswith("0x"):
            now = found.setdefault(int(line, 16), [])
        elif "?" not in line:
            now.append(line.partition(" ")[0])
    return found


def _is_kernels(place: str) -> bool:
    """Not of the twin's headers, whose calls are inlined, nor of the unit's own lines."""
    return not _TWINS.search(place)


def _short(place: str) -> str:
    """A file of the tree by its path in it, any other by its name."""
    match = _OURS.search(place)
    return match.group(1) if match else place
