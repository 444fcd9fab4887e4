"""The grammar of suite files: lines of case text in which lists and ranges multiply.

    rms_norm_grad:ascend910b4:{bf16,fp32}:{1..8*2}x{1000..1024/8}{,:dist=constant}

`{a,b}` is a list (an empty item is allowed), `{lo..hi}` counts up, `{lo..hi/step}` in steps,
`{lo..hi*factor}` by a factor; both ends belong to the range. `#` starts a comment.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from normgrad.errors import NormgradError

MAX_CASES = 100_000  # a typing error in a range must not fill the memory

_RANGE = re.compile(r"([0-9]+)\.\.([0-9]+)(?:([/*])([0-9]+))?")
MAX_DIGITS = 100  # Python itself refuses to read more than 4,300


def whole(text: str) -> int | None:
    """A whole number in ASCII digits, or None."""
    return int(text) if re.fullmatch(f"[0-9]{{1,{MAX_DIGITS}}}", text) else None


class CaseError(NormgradError, ValueError):
    """A case text or a suite file that cannot be understood; the message is one sentence."""


def expand_text(line: str) -> list[str]:
    """The texts that one line stands for; none for a comment. The leftmost list is slowest."""
    text = line.partition("#")[0].strip()
    if not text:
        return []
    parts = re.split(r"\{([^{}]*)\}", text)  # odd places are what stands in braces
    if any("{" in part or "}" in part for part in parts):
        raise CaseError(
            f"line {text!r} has a brace without its partner, or braces inside braces: close each "
            "brace before the next one"
        )
    choices = [_choices(part) if i % 2 else [part] for i, part in enumerate(parts)]
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > MAX_CASES:
        raise CaseError(
            f"line {text!r} means {count:,} cases: at most {MAX_CASES:,} are allowed, narrow "
            "its ranges"
        )
    return ["".join(words) for words in itertools.product(*choices)]


def _choices(inside: str) -> list[str]:
    return [word for item in inside.split(",") for word in _item(item.strip())]


def _item(item: str) -> list[str]:
    if ".." not in item:
        return [item]
    match = _RANGE.fullmatch(item)
    if match is None:
        raise CaseError(
            f"range {{{item}}} is not lo..hi, lo..hi/step or lo..hi*factor with whole numbers"
        )
    low, high, step = (whole(word) for word in (match[1], match[2], match[4] or "1"))
    if low is None or high is None or step is None:
        raise CaseError(f"range {{{item[:60]}}} has a number of more than {MAX_DIGITS} digits")
    geometric = match[3] == "*"
    if low > high or step < (2 if geometric else 1) or (geometric and low < 1):
        raise CaseError(
            f"range {{{item}}} never ends or is empty: lo <= hi, step >= 1, factor >= 2, and "
            "lo >= 1 with a factor"
        )
    if not geometric:
        if (high - low) // step >= MAX_CASES:
            raise CaseError(f"range {{{item}}} has more than {MAX_CASES:,} values")
        return [str(n) for n in range(low, high + 1, step)]
    return [str(n) for n in _powers(low, high, step)]


def _powers(low: int, high: int, factor: int) -> Iterator[int]:
    while low <= high:
        yield low
        low *= factor
