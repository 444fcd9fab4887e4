"""One launch under several orders of the cores: bits must not depend on who comes first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from normgrad import dtypes
from normgrad.backends import Array, Finding, Outputs

_NATURAL = "in the natural order of the cores"


@dataclass(frozen=True)
class Orders:
    """The first launch, with what further ones added to it."""

    outputs: Outputs
    runs: int  # launches in all
    difference: str = ""  # a sentence; empty: every output was bit-equal

    @property
    def verdict(self) -> str:
        return self.difference or f"bit-equal over {self.runs} orders"


def gather(first: Outputs, further: Iterable[tuple[int, Outputs]]) -> Orders:
    """Compares further launches, each with its seed, with the first one, and collects findings.

    A launch that does not end, or that a finding stops, ends the gathering: its seed is named.
    """
    outputs, runs, difference = first, 1, ""
    for seed, again in further:
        runs += 1
        outputs = replace(
            outputs,
            findings=_merged(outputs.findings, again.findings, seed),
            wall_s=outputs.wall_s + again.wall_s,
        )
        if again.error is not None:
            return Orders(replace(outputs, error=f"under seed {seed}: {again.error}"), runs)
        if not again.finished:
            return Orders(replace(outputs, finished=False), runs)
        difference = difference or first_difference(first.arrays, again.arrays, seed)
    return Orders(outputs, runs, difference)


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


def _merged(
    known: tuple[Finding, ...], more: tuple[Finding, ...], seed: int
) -> tuple[Finding, ...]:
    """The known findings, and those that only this order of the cores has shown."""

    def place(finding: Finding) -> tuple[str, str, str, int]:
        return finding.rule, finding.api, finding.file, finding.line

    seen = {place(finding) for finding in known}
    fresh = [
        replace(finding, message=f"{finding.message} (under seed {seed})")
        for finding in more
        if place(finding) not in seen
    ]
    return (*known, *fresh)
