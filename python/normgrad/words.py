"""Help with misspelt words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def allowed(word: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown word: all known ones, and the nearest."""
    words = list(known)
    return f"allowed: {', '.join(words)}{nearest(word, words)}"


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean ...?` for the nearest of the known words, or nothing if none is near."""
    close = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else ""


def counted(count: int, what: str) -> str:
    """`1 case`, `1,200 cases`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
