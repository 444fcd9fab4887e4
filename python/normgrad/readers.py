"""Readers of the values in a case's text: each gives the value, or raises CaseError that says what
it takes. `write` is the way back: one text per value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np

from normgrad import dtypes
from normgrad.grammar import CaseError, whole
from normgrad.words import allowed

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,4})?", re.IGNORECASE)
_SPECIAL = re.compile(r"[+-]?(inf|nan)", re.IGNORECASE)


def write(value: object) -> str:
    """A value as the text of a case has it."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, tuple):
        return ",".join(value)
    return f"{value:g}" if isinstance(value, float) and f"{value:g}" == repr(value) else str(value)


def one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise CaseError(allowed(text, words))
        return text

    return read


def integer(low: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = whole(text)
        if number is None or number < low:
            raise CaseError(f"write a whole number of at least {low}")
        return number

    return read


def pattern(regex: str, wanted: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not re.fullmatch(regex, text):
            raise CaseError(wanted)
        return text

    return read


def offset(text: str) -> str:
    known = re.fullmatch(r"none|-?[0-9]{1,10}", text)
    if known is None or (text != "none" and not -(2**31) <= int(text) < 2**31):
        raise CaseError("write none or a whole number of 32 bits")
    return text


def scale(text: str) -> str:
    """A number that would become Inf or 0 in the scale's dtype is refused: nobody wrote that."""
    number, at, kind = text.partition("@")
    if not at and number in dtypes.FLOAT_NAMES:
        return scale_text(text) or text
    plain = _NUMBER.fullmatch(number)
    if (at and kind not in dtypes.FLOAT_NAMES) or not (plain or _SPECIAL.fullmatch(number)):
        raise CaseError("write a number, inf, nan, a dtype, or number and dtype as 0.5@bf16")
    if plain:
        kind = kind or "fp32"
        stored = float(dtypes.round_to(np.array([float(number)]), kind)[0])
        vanishes = stored == 0.0 and re.search("[1-9]", plain[1]) is not None
        if math.isinf(stored) or vanishes:
            raise CaseError(f"in {kind} it is {stored:g}: write that, or a number that {kind} has")
    return scale_text(text) or text


def scale_text(text: str) -> str | None:
    """As a case says it: fp32 is the dtype of a scale that names none."""
    number, at, kind = text.partition("@")
    if not at and number in dtypes.FLOAT_NAMES:
        number, kind = "", number
    value = write(float(number)) if number else ""
    kind = "" if kind == "fp32" else kind
    return "@".join(word for word in (value, kind) if word) or None


def scalar(default: float) -> Callable[[str], float]:
    """Reads an attribute of an operator from outside: of the kind of its default."""

    def read(text: str) -> float:
        if isinstance(default, bool):
            return one_of("0", "1")(text) == "1"
        if isinstance(default, int):
            if re.fullmatch("-?[0-9]{1,15}", text):  # a double holds it
                return int(text)
            raise CaseError("write a whole number of at most 15 digits")
        if not _NUMBER.fullmatch(text) or math.isinf(float(text)):
            raise CaseError("write a finite number, such as 1e-6")
        return float(text)

    return read
