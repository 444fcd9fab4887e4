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
    clients,
    commands,
    knobs,
    options,
    own_parts,
    report,
    stop,
    tools,
)
from normgrad import bench as bench_
from normgrad import tune as tune_
from normgrad.errors import NormgradError
from normgrad.words import allowed

_EXIT = """exit codes: 0 all as expected; 1 a case is not (an unexpected UNSUPPORTED included);
2 the command could not be understood or started"""
_EXIT_COMPARE = """worse is: a status or a promise about bits that no longer holds, a case not run,
a score 5 % higher, more bytes, cycles or modelled time 2 % higher

exit codes: 0 nothing is worse; 1 a status, a promise or accuracy; 3 bytes or cycles alone;
2 the command could not be understood or started"""


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
    verify.add_argument("cases", nargs="*", metavar="CASE", help=options.CASE)
    options.selection(verify)
    options.checking(verify)
    options.schedules(verify)
    options.backend(verify)
    options.executor(verify, "cases")
    verify.add_argument(
        "--report",
        type=options.named("folder"),
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
        type=options.named("file"),
        metavar="FILE",
        help="compare with an earlier results.json, as `normgrad compare` does; exit code 3 if "
        "only bytes or cycles are worse",
    )
    options.own(verify)
    options.json(verify)

    run = add("run", commands.run, "run one case, or real tensors, and show everything")
    run.add_argument(
        "case", metavar="CASE|FILE.npz", help=f"{options.CASE}; or arrays dy, x, rstd, gamma"
    )
    run.add_argument("--op", help="operator of an .npz file")
    run.add_argument("--soc", help="chip of an .npz file")
    run.add_argument(
        "--save",
        type=options.named("folder"),
        metavar="DIR",
        help="write inputs and outputs to DIR",
    )
    run.add_argument(
        "--trace",
        type=options.named("file"),
        metavar="FILE.json",
        help="write the modelled timeline, for chrome://tracing or ui.perfetto.dev, and beside it "
        "FILE.csv with the profiler's columns",
    )
    run.add_argument(
        "--ub", type=options.positive, metavar="BYTES", help="UB limit of plan and launch"
    )
    options.checking(run)
    options.schedules(run)
    options.backend(run)
    options.own(run)
    options.json(run)

    plan = add("plan", commands.plan, "show how a case would be cut, and its UB budget")
    plan.add_argument("case", metavar="CASE", help=options.CASE)
    plan.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KNOB=VALUE",
        help="a wish that wins over the planner's choice: " + ", ".join(knobs.KNOBS),
    )
    options.own(plan)
    options.json(plan)

    list_ = add("list", commands.list_, "list cases, operators or chips; runs nothing")
    list_.add_argument("cases", nargs="*", metavar="CASE", help=options.CASE)
    options.selection(list_)
    list_.add_argument("--ops", action="store_true", help="operators, dtypes and where they run")
    list_.add_argument("--socs", action="store_true", help="chips with their figures")
    options.own(list_)
    options.json(list_)

    compare = add(
        "compare",
        baselines.compare,
        "what became worse between two results.json, by one rule per figure",
        epilog=_EXIT_COMPARE,
    )
    compare.add_argument(
        "old", type=options.named("file"), metavar="OLD.json", help="results.json, or a baseline"
    )
    compare.add_argument(
        "new", type=options.named("file"), metavar="NEW.json", help="results.json of today"
    )
    compare.add_argument(
        "--accept",
        action="store_true",
        help="write the figures of NEW into OLD, which need not exist; its other cases stay",
    )
    options.json(compare)

    bench = add("bench", bench_.bench, "bytes over minimum and other counters of cases")
    bench.add_argument(
        "cases",
        nargs="*",
        metavar="CASE",
        help=f"{options.CASE} (default: four sizes; with --ops-from its suite bench, or smoke)",
    )
    bench.add_argument(
        "--self", action="store_true", dest="itself", help="how fast the twin is on this computer"
    )
    bench.add_argument(
        "--calibrate",
        type=options.named("file"),
        metavar="FILE.csv",
        help="the model of time against a profile: kernel_details.csv, op_summary_*.csv, or a "
        "table like tests/data/measured/elementwise.csv",
    )
    bench.add_argument("--soc", help="the chip of a profile that does not name it")
    options.checking(bench)
    options.own(bench)
    options.json(bench)

    tune = add("tune", tune_.tune, "search the knobs of plans, and keep what wins per chip")
    tune.add_argument("cases", nargs="*", metavar="CASE", help=options.CASE)
    options.selection(tune)
    tune_.add_arguments(tune)
    options.backend(tune)
    options.json(tune)

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
        "--jobs",
        type=options.positive,
        metavar="N",
        help="defects at once (default: one per CPU core)",
    )
    options.json(selftest)

    client = add("client", clients.client, "build or run a C or C++ client of the aclnn functions")
    client.add_argument("action", type=options.one_of("build", "run"), metavar="build|run")
    client.add_argument(
        "file",
        type=options.named("file"),
        metavar="FILE",
        help="a C or C++ file; for run a program, too; behind -- stand arguments",
    )
    client.add_argument("--soc", help="the chip it sees (default: ascend910b4)")
    client.add_argument(
        "-o", "--output", type=options.named("file"), metavar="APP", help="the program to write"
    )

    doctor = add("doctor", commands.doctor, "what is installed, what works, what to do next")
    options.json(doctor)
    return parser, parts
