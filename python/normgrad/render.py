"""The files of a report that people and CI servers read: report.html and junit.xml."""

from __future__ import annotations

import contextlib
import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from normgrad import __version__, findings, timing
from normgrad.errors import NormgradError
from normgrad.store import Result, to_json

# XML 1.0 knows no other control characters, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Viewer units of a UB bar, and the shortest piece of one that shows.
_BAR_WIDTH = 1000.0
_LABEL_WIDTH = 90.0


@dataclass(frozen=True)
class Piece:
    """One buffer in the drawing of UB; x and width in viewer units."""

    name: str
    bytes: int
    count: int
    x: float
    width: float
    labelled: bool


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """A full disk is said with the file's name, which Python gives only where it opens a file."""
    try:
        yield
    except OSError as error:
        raise NormgradError(
            f"{path} cannot be written ({error.strerror}); results.jsonl beside it has the rows"
        ) from None


def write_junit(path: Path, results: Sequence[Result]) -> Path:
    """JUnit's form: what is not as expected is a failure, a launch that did not end an error."""
    suite = ET.Element(
        "testsuite",
        name="normgrad",
        tests=str(len(results)),
        failures=str(sum(1 for r in results if not r.expected and r.status != "ERROR")),
        errors=str(sum(1 for r in results if not r.expected and r.status == "ERROR")),
        skipped="0",
        time=f"{sum(r.seconds for r in results):.3f}",
    )
    for result in results:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=f"normgrad.{result.op or 'unknown'}",
            name=_xml(result.case),
            time=f"{result.seconds:.3f}",
        )
        if not result.expected:
            kind = "error" if result.status == "ERROR" else "failure"
            element = ET.SubElement(case, kind, type=result.status, message=_xml(result.reason))
            element.text = _xml(f"{result.command}\n{result.reason}")
        elif result.status == "UNSUPPORTED":
            ET.SubElement(case, "system-out").text = _xml(f"refused as expected: {result.reason}")
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    with _writing(path):
        ET.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
    return path


def write_html(path: Path, results: Sequence[Result], seconds: float) -> Path:
    """One file, no network: summary, a table that can be sorted, details of every case."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("normgrad"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = _plain
    environment.filters["details"] = findings.details
    environment.filters["time_lines"] = _time_lines
    text = environment.get_template("report.html.j2").render(
        version=__version__,
        seconds=seconds,
        counts=sorted(Counter(result.status for result in results).items()),
        notes=list(dict.fromkeys(result.note for result in results if result.note)),
        wrong=[result for result in results if not result.expected],
        rows=[(result, ub_pieces(result)) for result in results],
        bar_width=_BAR_WIDTH,
        examined={
            name
            for name in ("deterministic", "batch_invariant")
            if any(getattr(result, name) is not None for result in results)
        },
    )
    with _writing(path):
        path.write_text(text, encoding="utf-8")
    return path


def ub_pieces(result: Result) -> list[Piece]:
    """The buffers of the first phase side by side, to the scale of the UB limit."""
    limit = result.ub_limit_bytes or 0
    if limit == 0:
        return []
    pieces, at = [], 0.0
    for buffer in result.buffers:
        if buffer.get("phase", 1) != 1:
            continue
        width = _BAR_WIDTH * buffer["bytes"] * buffer["count"] / limit
        labelled = width >= _LABEL_WIDTH
        pieces.append(Piece(buffer["name"], buffer["bytes"], buffer["count"], at, width, labelled))
        at += width
    return pieces


def _time_lines(result: Result) -> str:
    return "\n".join(timing.lines(result.time, result.bandwidth_fraction))


def _xml(text: str) -> str:
    return _NOT_XML.sub("?", text)


def _plain(value: Any, digits: int = 6) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    return value if isinstance(value, str) else json.dumps(to_json(value))
