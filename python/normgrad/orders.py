"""One launch under several orders of the cores: bits must not depend on who comes first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from normgrad import dtypes
from normgrad.backends import Array, Finding, Outputs

_NATURAL = "in the natural order of the cores"


@dataclass(frozen=True)
class Compared:
    """The first launch with what further ones added to it, and how their outputs compare."""

    outputs: Outputs
    same: bool | None = None  # None: nothing was compared, or a launch did not come to its end
    words: str = ""  # a sentence on what was compared, or on the first difference


def gather(first: Outputs, further: Iterable[tuple[int, Outputs]]) -> Compared:
    """Compares further launches, each with its seed, with the first one, and collects findings.

    A launch that does not end, or that a finding stops, ends the gathering: its seed is named.
    """
    outputs, runs, difference = first, 1, ""
    for seed, again in further:
        runs += 1
        outputs = merged(outputs, again, f"under seed {seed}")
        if outputs.error is not None or not outputs.finished:
            return Compared(outputs)
        difference = difference or first_difference(first.arrays, again.arrays, seed)
    if runs == 1:
        return Compared(outputs)
    return Compared(outputs, not difference, difference or f"bit-equal over {runs} orders")


def merged(outputs: Outputs, again: Outputs, where: str) -> Outputs:
    """The first launch's outputs with what a further one has shown; `where` names that one."""
    return replace(
        outputs,
        findings=_all_findings(outputs.findings, again.findings, where),
        wall_s=outputs.wall_s + again.wall_s,
        error=None if again.error is None else f"{where}: {again.error}",
        finished=again.finished,
    )


def first_difference(first: Mapping[str, Array], again: Mapping[str, Array], seed: int) -> str:
    """A sentence about the first element whose bits differ; empty if none does."""
    for name, one in first.items():
        two = again[name]
        size = one.dtype.itemsize
        kind = np.dtype(f"u{size}")
        differ = one.reshape(-1).view(kind) != two.reshape(-1).view(kind)
        if not differ.any():
            continue
        at = int(differ.argmax())
        index = ", ".join(str(i) for i in np.unravel_index(at, one.shape))
        was, became = (float(dtypes.to_float64(a.reshape(-1)[at : at + 1])[0]) for a in (one, two))
        count = int(np.count_nonzero(differ))
        return (
            f"{name}[{index}] is {was:.9g} {_NATURAL} and {became:.9g} under seed {seed} "
            f"({count} of {one.size} elements of {name} differ): the result depends on which core "
            "comes first"
        )
    return ""


def _all_findings(
    known: tuple[Finding, ...], more: tuple[Finding, ...], where: str
) -> tuple[Finding, ...]:
    """The known findings, and those that only the further launch has shown."""

    def place(finding: Finding) -> tuple[str, str, str, int]:
        return finding.rule, finding.api, finding.file, finding.line

    seen = {place(finding) for finding in known}
    fresh = [
        replace(finding, message=f"{finding.message} ({where})")
        for finding in more
        if place(finding) not in seen
    ]
    return (*known, *fresh)
