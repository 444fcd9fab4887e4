"""Reads the sample kernels' comments and launches them: see sample.h for the language."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from normgrad import build, paths
from normgrad.backends import Finding, LaunchOptions, Outputs, twin

HERE = Path(__file__).parent
SOCS = {1001: "ascend910a", 2002: "ascend310p3", 2201: "ascend910b4", 3510: "ascend950pr_9599"}
GM_ELEMS = 4096
WORKSPACE_BYTES = 64 << 10
UB_BYTES = 188416  # what a kernel gets of the 192 KB
TILING = (1, 2, 3, 4, 5, 6)  # as many words of it as a sample's launch has

_SAMPLE = re.compile(r"^SAMPLE(?:_ON)?\((\w+), (\d+)(?:, ([\d, ]+))?\)")
_FINDING = re.compile(
    r'//! (?P<rule>\S+) (?P<api>.+) core=(?P<core>\d+) pipe=(?P<pipe>\w+) buffer="(?P<buffer>.*)" '
    r"bytes=(?P<begin>\d+)\.\.(?P<end>\d+)(?: count=(?P<count>\d+))?(?P<nowhere> nowhere)?$"
)
_VALUES = re.compile(r"//= (?P<begin>\d+)\.\.(?P<end>\d+): (?P<formula>.+)$")
_OPTION = re.compile(r"(\w+)=(\d+)")


@dataclass(frozen=True)
class Expected:
    """A finding as a comment foretells it: all of it but the message."""

    rule: str
    api: str
    core: int
    pipe: str
    buffer: str
    begin_byte: int
    end_byte: int
    file: str
    line: int
    count: int


@dataclass(frozen=True)
class Sample:
    """One kernel of a file, the launch it wants and what it must do."""

    file: Path
    index: int  # its tiling key
    name: str
    line: int
    cores: int
    findings: tuple[Expected, ...] = ()
    values: tuple[tuple[int, int, str], ...] = ()
    options: dict[str, int] = field(default_factory=dict)
    archs: tuple[int, ...] = tuple(SOCS)

    @property
    def id(self) -> str:
        return f"{self.file.stem}-{self.name}"


def files(kind: str) -> list[Path]:
    return sorted((HERE / kind).glob("*.cpp"))


def of_kind(kind: str) -> list[Sample]:
    return [sample for file in files(kind) for sample in read(file)]


def read(file: Path) -> list[Sample]:
    """The samples of one file, in order; a comment that is not understood is an error."""
    lines = file.read_text().splitlines()
    starts = [i for i, line in enumerate(lines) if _SAMPLE.match(line)]
    tops = [_top(lines, start) for start in starts]
    samples = []
    for index, start in enumerate(starts):
        end = tops[index + 1] if index + 1 < len(starts) else len(lines)
        samples.append(_sample(file, index, start, list(enumerate(lines))[tops[index] : end]))
    return samples


def _top(lines: list[str], start: int) -> int:
    """The first line of the comment that stands over a sample."""
    while start > 0 and lines[start - 1].startswith("//"):
        start -= 1
    return start


def _sample(file: Path, index: int, start: int, body: list[tuple[int, str]]) -> Sample:
    where = str(file.relative_to(paths.source_root()))
    head = _SAMPLE.match(dict(body)[start])
    assert head is not None
    findings, values = [], []
    options: dict[str, int] = {}
    for at, line in body:
        text = line.strip()
        if text.startswith("//!"):
            found = _FINDING.match(text)
            assert found is not None, f"{where}:{at + 1}: {text}"
            findings.append(_expected(found, where, at + 2))
        elif text.startswith("//="):
            found = _VALUES.match(text)
            assert found is not None, f"{where}:{at + 1}: {text}"
            values.append((int(found["begin"]), int(found["end"]), found["formula"]))
        elif text.startswith("//@"):
            options |= {name: int(value) for name, value in _OPTION.findall(text)}
    return Sample(
        file,
        index,
        head[1],
        start + 1,
        int(head[2]),
        tuple(findings),
        tuple(values),
        options,
        _archs(file, head[3]),
    )


def _archs(file: Path, listed: str | None) -> tuple[int, ...]:
    """Those that SAMPLE_ON lists, or the one at the end of the file's name, or all."""
    last = file.stem.rpartition("_")[2]
    if listed is None and last.isdigit():
        return (int(last),)
    return tuple(SOCS) if listed is None else tuple(int(arch) for arch in listed.split(","))


def _expected(found: re.Match[str], where: str, line: int) -> Expected:
    nowhere = found["nowhere"] is not None
    return Expected(
        rule=found["rule"],
        api=found["api"],
        core=int(found["core"]),
        pipe=found["pipe"],
        buffer=found["buffer"],
        begin_byte=int(found["begin"]),
        end_byte=int(found["end"]),
        file="" if nowhere else where,
        line=0 if nowhere else line,
        count=int(found["count"] or 1),
    )


def as_expected(finding: Finding) -> Expected:
    return Expected(**{name: getattr(finding, name) for name in Expected.__dataclass_fields__})


def expected_out(sample: Sample) -> Iterator[tuple[slice, npt.NDArray[np.float32]]]:
    """Stretches of gm.out and the values that belong there."""
    for begin, end, formula in sample.values:
        i = np.arange(begin, end)
        values = eval(formula, {"i": i, "where": np.where, "floor": np.floor})
        yield slice(begin, end), np.asarray(values, np.float32)


def launch(sample: Sample, seed: int = 0, sync: str = "strict", arch: int | None = None) -> Outputs:
    """On the newest of the sample's architectures, or on `arch`."""
    arch = max(sample.archs) if arch is None else arch
    unit = build.kernel_library(sample.file, arch)
    words = sample.options.get("tiling_bytes", 16) // 4
    what = twin.RawLaunch(
        unit=unit,
        soc=SOCS[arch],
        cores=sample.cores,
        ub_bytes=sample.options.get("ub", UB_BYTES),
        tiling_key=sample.options.get("tiling_key", sample.index),
        tiling=struct.pack(f"<{words}I", *TILING[:words]),
        workspace_bytes=WORKSPACE_BYTES,
        workspace_zeroed_bytes=sample.options.get("zeroed", 0),
    )
    inputs = {"in": np.arange(GM_ELEMS, dtype=np.float32)}
    outputs = {"out": ((GM_ELEMS,), np.dtype(np.float32))}
    options = LaunchOptions(seed=seed, sync=sync, timeout_s=30.0)
    return twin.launch(what, ("in", "out"), inputs, outputs, options)
