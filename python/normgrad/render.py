"""The files of a report that people and CI servers read: report.html and junit.xml."""

from __future__ import annotations

import contextlib
import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jinja2

from normgrad import __version__, charts, page, page_tune, report
from normgrad.errors import NormgradError
from normgrad.regressions import Comparison
from normgrad.store import Result, to_json

# XML 1.0 knows no other control characters, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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


def write_html(
    path: Path,
    results: Sequence[Result],
    seconds: float,
    against: Comparison | None = None,
) -> Path:
    """One file, no network: summary, pictures, a table to filter and sort, details of every case.

    `against`: what became of the baseline.
    """
    environment = _environment()
    environment.filters.update(
        plain=_plain, score=report.score_text, fixed=_fixed, failure=charts.failure
    )
    wrong = [result for result in results if not result.expected]
    promises = ("deterministic", "batch_invariant")
    examined = [n for n in promises if any(getattr(r, n) is not None for r in results)]
    columns = [
        *(("status", ""), ("case", ""), ("plan", ""), ("score", "n"), ("bytes/min", "n")),
        *(("slope", "n"), ("modelled us", "n"), ("of bandwidth", "n"), ("findings", "n")),
        *((name.replace("_", " "), "") for name in examined),
        *((("against baseline", ""),) if against else ()),
        ("seconds", "n"),
    ]
    text = environment.get_template("report.html.j2").render(
        version=__version__,
        seconds=seconds,
        counts=sorted(Counter(result.status for result in results).items()),
        notes=list(dict.fromkeys(result.note for result in results if result.note)),
        wrong=wrong,
        shown_in_full=report.SHOWN_IN_FULL,
        rows=results,
        columns=columns,
        examined=examined,
        summary=page.summary(results),
        charts=charts.charts(results),
        choices=[
            (name, sorted({str(getattr(r, name) or "-") for r in results}))
            for name in ("op", "soc", "dtype", "status", "plan")
        ],
        baseline=against is not None,
        worse=len({change.case for change in against.worse}) if against else 0,
        trends=page.trends(against) if against else {},
        details=page.details(results),
    )
    with _writing(path):
        path.write_text(text, encoding="utf-8")
    return path


def write_tune(
    path: Path, sections: Sequence[page_tune.Section], seconds: float, unit: str
) -> Path:
    """What a search for plans has found, as one file. `unit`: how times came about."""
    text = (
        _environment()
        .get_template("tune.html.j2")
        .render(version=__version__, sections=sections, seconds=seconds, unit=unit)
    )
    with _writing(path):
        path.write_text(text, encoding="utf-8")
    return path


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("normgrad"),
        autoescape=jinja2.select_autoescape(["html.j2"]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


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


def _fixed(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"
