"""The knobs of a plan: wishes that win over the planner's choice, and how they are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from normgrad.errors import NormgradError, Refused
from normgrad.grammar import whole
from normgrad.tiling_abi import KnobsStruct, OptionsStruct, RangeStruct
from normgrad.words import allowed

VARIABLE = "NORMGRAD_KNOBS"  # tiling/knobs.h: wishes of a call of the aclnn functions
TILING_REFUSED = 561002  # tiling/problem.h

# Word of a wish -> field of Options.
KNOBS = {
    "strategy": "strategy",
    "rows_per_tile": "rows_per_tile",
    "chunk": "chunk_cols",
    "buffers": "buffers",
    "cores": "cores",
    "ub": "ub_bytes",
    "tuned": "use_tuned",
}
_LOOK, _IGNORE = 0, 1  # TunedUse of tiling/problem.h


@dataclass(frozen=True)
class Options:
    """Wishes that win over the planner's own choice; None is no wish."""

    ub_bytes: int | None = None
    cores: int | None = None
    chunk_cols: int | None = None
    rows_per_tile: int | None = None
    det_strong: bool = False  # dgamma has the same bits for any number of cores
    strategy: str | None = None
    buffers: int | None = None
    use_tuned: bool = True  # without other wishes a row of tiling/tuned may be for the problem
    tile_for_rows: int | None = None  # tiles as for a problem of so many rows, of which these are


@dataclass(frozen=True)
class Range:
    """Values from `least` to `most`, each `step` after the last or, where that is 0, twice it."""

    least: int
    most: int
    step: int

    def values(self) -> Iterator[int]:
        value = self.least
        while value <= self.most:
            yield value
            value = value + self.step if self.step else 2 * value


@dataclass(frozen=True)
class Knobs:
    """The ranges of one strategy; None: that is no knob there."""

    strategy: str
    rows_per_tile: Range | None
    chunk_cols: Range | None
    buffers: Range | None
    cores: Range | None


def read(text: str, option: str = "--set") -> tuple[str, Any]:
    """Field of Options and value of a wish as it is written: chunk=1024."""
    name, equals, value = text.partition("=")
    if name not in KNOBS:
        raise NormgradError(f"{option} {text}: {name!r} is not a knob: {allowed(name, KNOBS)}")
    if not equals:
        raise NormgradError(f"{option} {text} has no value: write {option} {text}=VALUE")
    if name == "strategy":
        return KNOBS[name], value
    if name == "tuned":
        if value != "off":
            raise NormgradError(f"{option} {text}: {value!r} is unknown: allowed: off")
        return KNOBS[name], False
    number = whole(value)
    if not number:
        raise NormgradError(f"{option} {text}: {value!r} is not a whole number of at least 1")
    return KNOBS[name], number


def read_all(texts: Sequence[str], option: str = "--set") -> dict[str, Any]:
    """The wishes of several words, each knob once."""
    knobs: dict[str, Any] = {}
    for text in texts:
        name, value = read(text, option)
        if name in knobs:
            raise NormgradError(
                f"{option} {text}: {text.partition('=')[0]} is given twice, keep one"
            )
        knobs[name] = value
    return knobs


def words(wishes: Mapping[str, Any]) -> list[str]:
    """Wishes as they are written, in the order of KNOBS."""
    said = []
    for word, name in KNOBS.items():
        value = wishes.get(name)
        if value is not None:
            said.append(f"{word}=off" if value is False else f"{word}={value}")
    return said


def raw_options(options: Options) -> OptionsStruct:
    """The wishes for the C interface; a number that it cannot hold is refused as written."""
    numbers = {
        "ub": options.ub_bytes or 0,
        "cores": options.cores or 0,
        "chunk": options.chunk_cols or 0,
        "rows_per_tile": options.rows_per_tile or 0,
        "buffers": options.buffers or 0,
    }
    for name, value in numbers.items():
        refuse_beyond(name, 2**32 - 1, [value])
    return OptionsStruct(
        ub_bytes=numbers["ub"],
        cores=numbers["cores"],
        chunk_cols=numbers["chunk"],
        rows_per_tile=numbers["rows_per_tile"],
        det_strong=int(options.det_strong),
        strategy=options.strategy.encode() if options.strategy is not None else None,
        buffers=numbers["buffers"],
        tuned=_LOOK if options.use_tuned else _IGNORE,
        tile_for_rows=options.tile_for_rows or 0,
    )


def refuse_beyond(name: str, most: int, values: Sequence[int]) -> None:
    """A number that the C interface cannot hold is refused as it was written."""
    for value in values:
        if value > most:
            raise Refused(TILING_REFUSED, f"{name} is {value:,}: it takes at most {most:,}")


def read_knobs(raw: KnobsStruct) -> Knobs:
    """From the C interface."""

    def known(given: RangeStruct) -> Range | None:
        return Range(given.least, given.most, given.step) if given.most else None

    return Knobs(
        raw.strategy.decode(),
        *map(known, (raw.rows_per_tile, raw.chunk_cols, raw.buffers, raw.cores)),
    )
