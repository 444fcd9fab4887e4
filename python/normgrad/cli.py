"""The command line: words to a call to an exit code. What each command does is in commands.py."""

from __future__ import annotations

import argparse
import errno
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from normgrad import (
    __version__,
    baselines,
    calibrate,
    clients,
    commands,
    own_parts,
    report,
    stop,
    tools,
)
from normgrad import bench as bench_
from normgrad.errors import NormgradError
from normgrad.words import allowed

_EXIT = """exit codes: 0 all as expected; 1 a case is not (an unexpected UNSUPPORTED included);
2 the command could not be understood or started"""
_EXIT_COMPARE = """worse is: a status or a promise about bits that no longer holds, a case not run,
a score 5 % higher, more bytes, cycles or modelled time 2 % higher

exit codes: 0 nothing is worse; 1 a status, a promise or accuracy; 3 bytes or cycles alone;
2 the command could not be understood or started"""
_CASE = (
    "OP:SOC:DTYPE:SHAPE[:OPTION=VALUE...][:seedN], for example "
    "rms_norm_grad:ascend910b4:bf16:64x512"
)


class _Parser(argparse.ArgumentParser):
    """argparse whose complaints are ours: one sentence, exit code 2."""

    def error(self, message: str) -> NoReturn:
        raise NormgradError(f"{message}; see `{self.prog} --help`")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        with stop.as_interrupt():
            return _dispatch(words)
    except NormgradError as error:
        report.complain(" ".join(str(error).split()))
        return 2
    except KeyboardInterrupt:
        report.complain("interrupted")
        return 1
    except BrokenPipeError:
        report.abandon_output()  # its reader has left: nobody to tell
        return 1
    except OSError as error:
        report.complain(_of_the_system(error))
        return 2


def _of_the_system(error: OSError) -> str:
    said = f"{error.filename or 'a file'}: {error.strerror or error}"
    if error.errno == errno.ENOSPC:
        return f"{said}; {tools.FULL_DISK}"
    return said


def _dispatch(words: list[str]) -> int:
    parser, parts = _parsers()
    if not words:
        parser.print_help()
        return 2
    if not words[0].startswith("-") and words[0] not in parts:
        raise NormgradError(f"unknown command {words[0]!r}: {allowed(words[0], parts)}")
    behind: list[str] = []
    if words[0] == "client" and "--" in words:  # argparse would take them for its own options
        at = words.index("--")
        words, behind = words[:at], words[at + 1 :]
    args, unknown = parser.parse_known_args(words)
    if unknown:
        if words[0].startswith("-"):
            raise NormgradError(
                f"normgrad has no option {words[0]}: {allowed(words[0], ('--help', '--version'))}"
            )
        raise NormgradError(_unknown_word(unknown[0], words[0], parts[words[0]]))
    if words[0] == "client":
        args.arguments = behind
    own_parts.use(getattr(args, "ops_from", ()))
    call: Callable[[argparse.Namespace], int] = args.call
    return call(args)


def _unknown_word(word: str, command: str, part: argparse.ArgumentParser) -> str:
    known = [text for action in part._actions for text in action.option_strings if len(text) > 2]
    if word.startswith("-"):
        name = word.partition("=")[0]
        return f"{command} has no option {name}: {allowed(name, known)}"
    return f"{command} takes no argument {word!r}; see `normgrad {command} --help`"


def _parsers() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    parser = _Parser(
        prog="normgrad",
        description="Runs, plans and judges backward kernels of normalisation layers.",
        epilog=_EXIT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"normgrad {__version__}")
    group = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser)
    parts: dict[str, argparse.ArgumentParser] = {}

    def add(
        name: str,
        call: Callable[[argparse.Namespace], int],
        text: str,
        epilog: str = _EXIT,
    ) -> argparse.ArgumentParser:
        part = group.add_parser(
            name,
            help=text,
            description=text,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        part.set_defaults(call=call)
        parts[name] = part
        return part

    verify = add("verify", commands.verify, "run cases and judge them; a report in files")
    verify.add_argument("cases", nargs="*", metavar="CASE", help=_CASE)
    _selection(verify)
    _checking(verify)
    _schedules(verify)
    _backend(verify)
    verify.add_argument(
        "--jobs", type=_positive, metavar="N", help="cases at once (default: one per CPU core)"
    )
    verify.add_argument(
        "--report",
        type=_named("folder"),
        default=Path("normgrad-report"),
        metavar="DIR",
        help="folder of report.html, results.json and junit.xml (default: normgrad-report)",
    )
    verify.add_argument(
        "--resume",
        action="store_true",
        help="keep what an interrupted run has left in DIR, and run its other cases (of itself, "
        "without cases and suites); nothing is kept after a change of the sources",
    )
    verify.add_argument(
        "--baseline",
        type=_named("file"),
        metavar="FILE",
        help="compare with an earlier results.json, as `normgrad compare` does; exit code 3 if "
        "only bytes or cycles are worse",
    )
    _own(verify)
    _json(verify)

    run = add("run", commands.run, "run one case, or real tensors, and show everything")
    run.add_argument("case", metavar="CASE|FILE.npz", help=f"{_CASE}; or arrays dy, x, rstd, gamma")
    run.add_argument("--op", help="operator of an .npz file")
    run.add_argument("--soc", help="chip of an .npz file")
    run.add_argument(
        "--save", type=_named("folder"), metavar="DIR", help="write inputs and outputs to DIR"
    )
    run.add_argument(
        "--trace",
        type=_named("file"),
        metavar="FILE.json",
        help="write the modelled timeline, for chrome://tracing or ui.perfetto.dev, and beside it "
        "FILE.csv with the profiler's columns",
    )
    run.add_argument("--ub", type=_positive, metavar="BYTES", help="UB limit of plan and launch")
    _checking(run)
    _schedules(run)
    _backend(run)
    _own(run)
    _json(run)

    plan = add("plan", commands.plan, "show how a case would be cut, and its UB budget")
    plan.add_argument("case", metavar="CASE", help=_CASE)
    plan.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KNOB=VALUE",
        help="a wish that wins over the planner's choice: " + ", ".join(commands.KNOBS),
    )
    _own(plan)
    _json(plan)

    list_ = add("list", commands.list_, "list cases, operators or chips; runs nothing")
    list_.add_argument("cases", nargs="*", metavar="CASE", help=_CASE)
    _selection(list_)
    list_.add_argument("--ops", action="store_true", help="operators, dtypes and where they run")
    list_.add_argument("--socs", action="store_true", help="chips with their figures")
    _own(list_)
    _json(list_)

    compare = add(
        "compare",
        baselines.compare,
        "what became worse between two results.json, by one rule per figure",
        epilog=_EXIT_COMPARE,
    )
    compare.add_argument(
        "old", type=_named("file"), metavar="OLD.json", help="results.json, or a baseline"
    )
    compare.add_argument(
        "new", type=_named("file"), metavar="NEW.json", help="results.json of today"
    )
    compare.add_argument(
        "--accept",
        action="store_true",
        help="write the figures of NEW into OLD, which need not exist; its other cases stay",
    )
    _json(compare)

    bench = add("bench", bench_.bench, "bytes over minimum and other counters of cases")
    bench.add_argument("cases", nargs="*", metavar="CASE", help=f"{_CASE} (default: four sizes)")
    bench.add_argument(
        "--self", action="store_true", dest="itself", help="how fast the twin is on this computer"
    )
    bench.add_argument(
        "--calibrate",
        type=_named("file"),
        metavar="FILE.csv",
        help="small kernels on the twin against measured rows; columns: "
        + ", ".join(calibrate.COLUMNS),
    )
    _checking(bench)
    _own(bench)
    _json(bench)

    selftest = add(
        "selftest", commands.selftest, "plant defects and see that each is found for its reason"
    )
    selftest.add_argument(
        "names", nargs="*", metavar="NAME", help="defects (default: the quicker ones)"
    )
    selftest.add_argument(
        "--full",
        action="store_true",
        help="every case of every defect, and how many cases of smoke notice it (default: the "
        "first case of each)",
    )
    selftest.add_argument(
        "--jobs", type=_positive, metavar="N", help="defects at once (default: one per CPU core)"
    )
    _json(selftest)

    client = add("client", clients.client, "build or run a C or C++ client of the aclnn functions")
    client.add_argument("action", type=_one_of("build", "run"), metavar="build|run")
    client.add_argument(
        "file",
        type=_named("file"),
        metavar="FILE",
        help="a C or C++ file; for run a program, too; behind -- stand arguments",
    )
    client.add_argument("--soc", help="the chip it sees (default: ascend910b4)")
    client.add_argument(
        "-o", "--output", type=_named("file"), metavar="APP", help="the program to write"
    )

    doctor = add("doctor", commands.doctor, "what is installed, what works, what to do next")
    _json(doctor)
    return parser, parts


def _selection(part: argparse.ArgumentParser) -> None:
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


def _checking(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--check",
        type=_one_of("all", "fast", "off"),
        default="all",
        metavar="all|fast|off",
        help="rules that the twin checks (default: all)",
    )


def _backend(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--backend",
        type=_one_of("twin", "aclnn"),
        default="twin",
        metavar="twin|aclnn",
        help="aclnn: through the functions that clients call, on an NPU where CANN is installed, "
        "else in the twin's library (default: twin)",
    )


def _schedules(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--sync",
        type=_one_of("strict", "autosync"),
        default="strict",
        metavar="strict|autosync",
        help="strict: the barriers and flags that are written must suffice; autosync: with what "
        "the compiler adds in a standard operator project (default: strict)",
    )
    part.add_argument(
        "--shuffle-runs",
        type=_whole,
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


def _own(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--ops-from",
        action="append",
        default=[],
        metavar="FILE.py",
        help="operators of your own (docs/your-own-op.md): suites are theirs then; may be repeated",
    )


def _json(part: argparse.ArgumentParser) -> None:
    part.add_argument("--json", action="store_true", help='print {"rows": [...]} on stdout')


def _named(what: str) -> Callable[[str], Path]:
    """A path; an empty one would be the folder that one is in."""

    def read(text: str) -> Path:
        if not text:
            raise argparse.ArgumentTypeError(f"it is empty: give the name of a {what}")
        return Path(text)

    return read


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise argparse.ArgumentTypeError(f"{text!r} is unknown: {allowed(text, words)}")
        return text

    return read
