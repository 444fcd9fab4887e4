"""Options of the command line that several commands share, and how their values are read."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from normgrad import pool
from normgrad.words import allowed

CASE = (
    "OP:SOC:DTYPE:SHAPE[:OPTION=VALUE...][:seedN], for example "
    "rms_norm_grad:ascend910b4:bf16:64x512"
)


def selection(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--suite",
        action="append",
        default=[],
        metavar="NAME",
        help="a named set of cases, or a file of cases; may be repeated (verify: smoke if no "
        "case is given)",
    )
    for name, what in (("op", "operator"), ("soc", "chip, as the cases write it"), ("dtype", "")):
        part.add_argument(
            f"--{name}", action="append", default=[], help=f"only cases of this {what or name}"
        )


def checking(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--check",
        type=one_of("all", "fast", "off"),
        default="all",
        metavar="all|fast|off",
        help="rules that the twin checks (default: all)",
    )


def backend(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--backend",
        type=one_of("twin", "aclnn"),
        default="twin",
        metavar="twin|aclnn",
        help="aclnn: through the functions that clients call, on an NPU where CANN is installed, "
        "else in the twin's library (default: twin)",
    )


def executor(part: argparse.ArgumentParser, what: str) -> None:
    part.add_argument(
        "--jobs", type=positive, metavar="N", help=f"{what} at once (default: one per CPU core)"
    )
    part.add_argument(
        "--executor",
        type=one_of(*pool.EXECUTORS),
        default="local",
        metavar="local|ray",
        help=f"ray: spread the {what} over the Ray cluster that this computer is part of, on an "
        "NPU each where --backend aclnn finds some (default: local)",
    )


def schedules(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--sync",
        type=one_of("strict", "autosync"),
        default="strict",
        metavar="strict|autosync",
        help="strict: the barriers and flags that are written must suffice; autosync: with what "
        "the compiler adds in a standard operator project (default: strict)",
    )
    part.add_argument(
        "--shuffle-runs",
        type=whole,
        default=0,
        metavar="N",
        help="launch each case N times more, with the cores in drawn orders 1..N: the outputs must "
        "be bit-equal (default: 0)",
    )
    part.add_argument(
        "--invariance",
        action="store_true",
        help="launch some of each case's rows again, as batches of their own on fewer cores: the "
        "same rows of dx must be bit-equal",
    )


def own(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--ops-from",
        action="append",
        default=[],
        metavar="FILE.py",
        help="operators of your own (docs/your-own-op.md): suites are theirs then; may be repeated",
    )


def json(part: argparse.ArgumentParser) -> None:
    part.add_argument("--json", action="store_true", help='print {"rows": [...]} on stdout')


def named(what: str) -> Callable[[str], Path]:
    """A path; an empty one would be the folder that one is in."""

    def read(text: str) -> Path:
        if not text:
            raise argparse.ArgumentTypeError(f"it is empty: give the name of a {what}")
        return Path(text)

    return read


def positive(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def whole(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise argparse.ArgumentTypeError(f"{text!r} is unknown: {allowed(text, words)}")
        return text

    return read
