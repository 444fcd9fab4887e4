"""What each command does: it asks the other modules, hands results to report, returns a code."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from normgrad import (
    bank,
    baselines,
    build,
    jobs,
    knobs,
    many,
    ops,
    own_parts,
    paths,
    pool,
    render,
    report,
    report_case,
    report_selftest,
    resume,
    store,
    timing,
)
from normgrad import doctor as doctor_
from normgrad import plan as plan_
from normgrad import run as run_
from normgrad import selftest as selftest_
from normgrad.backends import LaunchOptions, aclnn
from normgrad.cases import Case
from normgrad.errors import NormgradError
from normgrad.grammar import MAX_CASES
from normgrad.jobs import Job
from normgrad.plan import Refused
from normgrad.words import counted


def verify(args: argparse.Namespace) -> int:
    with store.locked(args.report):
        return _verify(args)


def _verify(args: argparse.Namespace) -> int:
    if args.resume:
        resume.ask_again(args)
        own_parts.use(args.ops_from)
    chosen, left_out = _takes(args, jobs_of(args, default_suite="smoke"))
    if not chosen:
        if left_out:
            raise NormgradError(left_out)
        if not (args.op or args.soc or args.dtype):
            raise NormgradError(
                f"{', '.join(args.suite)} holds no case; `normgrad list` shows more"
            )
        raise NormgradError(
            "no case is left after the filters --op, --soc and --dtype; `normgrad list` shows what "
            "there is"
        )
    needs_device = args.backend == "aclnn"
    with pool.executor(args.executor, len(chosen), args.jobs, needs_device) as executor:
        return _verify_by(executor, args, chosen, left_out)


def _verify_by(
    executor: pool.Executor, args: argparse.Namespace, chosen: Sequence[Job], left_out: str
) -> int:
    baseline = baselines.read(args.baseline)
    store.clear_pages(args.report)
    stream = sys.stderr if args.json else sys.stdout
    options = _launch_options(args, executor.threads)
    began = time.perf_counter()
    sources = store.sources_digest()
    ended = resume.ended_before(args.report, chosen, sources, options) if args.resume else {}
    if args.check != "all":
        report.say(f"note: {run_.NO_VERDICT.format(args.check)}", stream)
    left = [index for index in range(len(chosen)) if index not in ended]
    build_units([chosen[index] for index in left])
    interrupted = False
    try:
        with (
            store.Journal(args.report, sources, ended.values(), resume.question(args)) as journal,
            report.Progress(
                [chosen[index].text for index in left], stream, options.promises
            ) as progress,
        ):
            tasks = [chosen[index] for index in left]
            if args.executor != "local":
                tasks = [jobs.portable(job) for job in tasks]
            for place, result in executor.run(many.work(options), tasks):
                ended[left[place]] = result
                journal.append(result)
                progress.add(result)
    except KeyboardInterrupt:
        interrupted = True
    for remark in (*executor.remarks, *([left_out] if left_out else [])):
        report.say(remark, stream)
    results = [ended[index] for index in sorted(ended)]
    seconds = time.perf_counter() - began
    store.write_results(args.report, results)
    render.write_junit(args.report / "junit.xml", results)
    against = baselines.against(baseline, results)
    page = render.write_html(args.report / "report.html", results, seconds, against)
    report.summary(results, len(chosen), seconds, str(page), stream)
    if interrupted:
        report.say(f"interrupted; to run the other cases: {resume.command(args, options)}", stream)
    if args.json:
        report.json_rows(result.row() for result in results)
    worse = baselines.show(against, args.baseline, args.report, stream) if against else 0
    as_expected = len(results) == len(chosen) and all(result.expected for result in results)
    return worse if as_expected else 1


def run(args: argparse.Namespace) -> int:
    if args.case.lower().endswith(".npz") and not args.case.startswith("npz:"):
        for name in ("op", "soc"):
            if getattr(args, name) is None:
                raise NormgradError(
                    f"--{name} is missing: {args.case} holds tensors but no case; add "
                    f"--{name} {'rms_norm_grad' if name == 'op' else 'ascend910b4'}, for example"
                )
        job = jobs.from_npz(Path(args.case), args.op, args.soc)
    else:
        for name in ("op", "soc"):
            if getattr(args, name) is not None:
                raise NormgradError(
                    f"--{name} is for .npz files, and {args.case} is not one: leave --{name} away, "
                    "or give arrays saved with numpy.savez"
                )
        job = jobs.from_text(args.case)
    if args.ub:
        job = jobs.with_ub(job, args.ub)
    _, left_out = _takes(args, [job])
    if left_out:
        raise NormgradError(left_out)
    plan_.find_soc(job.case.soc)
    options = replace(_launch_options(args, pool.workers_for(1, 1)[1]), trace=args.trace)
    if args.trace:
        timing.clear_trace(args.trace)
    build_units([job])
    outcome = run_.run_case(job, options)
    if args.trace:
        written = timing.write_beside(args.trace, job.case, outcome.result)
        report.note(written)
    if args.save:
        _save(outcome, args.save)
    if args.json:
        report.json_rows([outcome.result.row()])
    else:
        report_case.show_outcome(outcome)
    return 0 if outcome.result.expected else 1


def plan(args: argparse.Namespace) -> int:
    job = jobs.from_text(args.case)
    case = job.case
    plan_.find_soc(case.soc)
    wishes = knobs.read_all(args.set)
    say_stale()
    try:
        made = run_.plan_case(case, **wishes)
    except Refused as refused:
        expected = case.expect == refused.code
        if args.json:
            row = {"case": job.text, "status": "UNSUPPORTED", "code": refused.code}
            report.json_rows([{**row, "reason": refused.sentence}])
        else:
            said = f"{refused.sentence} (code {refused.code})"
            if case.expect and not expected:
                said += f"; expected code {case.expect}, got {refused.code}"
            report.say(f"UNSUPPORTED  {job.text}\n  {said}")
        return 0 if expected else 1
    if args.json:
        details = {k: v for k, v in asdict(made).items() if k not in ("tiling", "op", "soc")}
        report.json_rows([{"case": job.text, "plan": made.strategy, **details}])
    else:
        report_case.show_plan(made, job.text)
    return 0


def list_(args: argparse.Namespace) -> int:
    if args.ops:
        _list(args.json, ("op", "chips", "arch", "dtype", "gamma", "built"), _ops_rows())
    if args.socs:
        chips = [
            (s.name, s.family, str(s.arch), s.cores, s.clock_mhz, s.ub_bytes, s.ub_plan_bytes)
            for s in plan_.socs()
        ]
        header = ("soc", "family", "arch", "cores", "clock MHz", "UB bytes", "UB plan bytes")
        _list(args.json, header, chips)
    if args.ops or args.socs:
        return 0
    if not (args.suite or args.cases):
        names = [(name, len(jobs.from_suite(name))) for name in jobs.suite_names()]
        _list(args.json, ("suite", "cases"), names)
        return 0
    chosen = jobs_of(args, default_suite=None)
    if args.json:
        report.json_rows({"case": job.text} for job in chosen)
    else:
        for job in chosen:
            report.say(job.text)
    return 0


def selftest(args: argparse.Namespace) -> int:
    """Defects are planted only if the sources as they are pass: else a failure proves nothing."""
    chosen = selftest_.choose(args.names, args.full)
    stream = sys.stderr if args.json else sys.stdout
    build_units([jobs.from_text(text) for defect in chosen for text in defect.cases])
    began = time.perf_counter()
    workers = selftest_.workers_for(len(chosen), args.jobs)
    answers = selftest_.control(chosen, args.full, workers)
    if wrong := selftest_.control_fails(chosen, answers):
        report_selftest.control_fails(wrong, stream)
        return 1
    report_selftest.control_passes(len(answers), time.perf_counter() - began, stream)
    outcomes = []
    lines = report_selftest.Lines(chosen, args.full, stream)
    for outcome in selftest_.plant_all(chosen, args.full, workers):
        outcomes.append(outcome)
        lines.add(outcome)
    left_out = 0 if args.names else len(selftest_.choose((), True)) - len(chosen)
    report_selftest.summary(outcomes, left_out, time.perf_counter() - began, stream)
    if args.json:
        report.json_rows(report_selftest.row(outcome) for outcome in outcomes)
    return 0 if all(outcome.killed for outcome in outcomes) else 1


def doctor(args: argparse.Namespace) -> int:
    findings = doctor_.examine()
    if args.json:
        report.json_rows(asdict(finding) for finding in findings)
    else:
        report.show_doctor(findings)
    return 0 if all(finding.ok or not finding.needed for finding in findings) else 1


def jobs_of(args: argparse.Namespace, default_suite: str | None) -> list[Job]:
    """The jobs that the words and filters of a command line mean."""
    jobs.check_filters(args.op, args.soc, args.dtype)
    read = jobs.from_text_or_broken if len(args.cases) > 1 else jobs.from_text
    found = [read(text) for text in args.cases]
    suites = list(args.suite)
    if not suites and not found and default_suite:
        suites = [default_suite]
    for name in suites:
        given = jobs.from_suite(name)
        if twice := len(given) - len({job.text for job in given}):
            report.note(f"{name} gives {counted(twice, 'case')} more than once: each runs once")
        if not given and default_suite is None:
            report.note(f"{name} holds no case")
        found += given
    if len(found) > MAX_CASES:
        raise NormgradError(
            f"these are {len(found):,} cases: at most {MAX_CASES:,} run at once, narrow the ranges "
            "or give fewer suites"
        )
    return jobs.select(found, args.op, args.soc, args.dtype)


def _launch_options(args: argparse.Namespace, threads: int) -> LaunchOptions:
    return LaunchOptions(
        check=args.check,
        threads=threads,
        sync=args.sync,
        shuffle_runs=args.shuffle_runs,
        invariance=args.invariance,
        backend=args.backend,
    )


def _takes(args: argparse.Namespace, chosen: Sequence[Job]) -> tuple[list[Job], str]:
    """The jobs that the backend can run, and what to say of the others."""
    if args.backend == "twin":
        return list(chosen), ""
    asked = {"--check": args.check != "all", "--sync": args.sync != "strict"}
    asked |= {"--shuffle-runs": args.shuffle_runs > 0, "--invariance": args.invariance}
    asked["--trace"] = getattr(args, "trace", None) is not None
    return aclnn.select(chosen, [option for option, given in asked.items() if given])


def say_stale() -> None:
    """Rows of the bank that the planner is built without."""
    for line in bank.stale(paths.source_root()):
        report.note(f"note: {line}")


def build_units(chosen: Sequence[Job]) -> None:
    """Builds what the jobs need. A kernel that does not compile is said once, before any case."""
    units = run_.units_of(chosen)
    if not units:
        return
    say_stale()
    if not build.base_folder("twin").is_dir():
        report.note("building the twin (the first time, or its sources have changed: a minute)")
    build.twin_runner()
    if missing := build.missing(units):
        report.note(f"compiling {counted(len(missing), 'kernel unit')}")
        build.units(missing)


def _ops_rows() -> list[tuple[object, ...]]:
    """One row per operator, architecture and pair of dtypes."""
    families: dict[int, list[str]] = {}
    for soc in plan_.socs():
        names = families.setdefault(soc.arch, [])
        if soc.family not in names:
            names.append(soc.family)
    return [
        (op, ", ".join(names), str(arch), dtype, gamma, _has_kernel(op, names[0], dtype, gamma))
        for op in ops.OPS
        for arch, names in families.items()
        for dtype, gamma in own_parts.dtype_combinations(op, arch)
    ]


def _has_kernel(op: str, soc: str, dtype: str, gamma: str) -> bool:
    """Whether this version plans what the operator's contract allows."""
    try:
        run_.plan_case(Case(op, soc, dtype, (8, 64), gamma=gamma))
    except Refused:
        return False
    return True


def _list(as_json: bool, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    if as_json:
        keys = [word.lower().replace(" ", "_") for word in header]
        report.json_rows(dict(zip(keys, row, strict=True)) for row in rows)
    else:
        report.table(header, rows)


def _save(outcome: run_.Outcome, folder: Path) -> None:
    """inputs.npz and outputs.npz in the form that `normgrad run` reads, and result.json."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, arrays in (
            ("inputs", outcome.inputs),
            ("outputs", outcome.outputs.arrays if outcome.outputs else None),
        ):
            if arrays:
                np.savez(folder / f"{name}.npz", **_plain_arrays(arrays))
        text = store.dump_rows([outcome.result.row()])
        (folder / "result.json").write_text(text, encoding="utf-8")
    except OSError as error:
        raise NormgradError(
            f"--save {folder} cannot be written ({error.strerror}); choose another folder"
        ) from None


def _plain_arrays(arrays: Any) -> dict[str, Any]:
    """bf16 as uint16 with `<name>_dtype`, since numpy's files do not know bf16."""
    plain: dict[str, Any] = {}
    for name, array in arrays.items():
        if array.dtype.name == "bfloat16":
            plain[name] = np.ascontiguousarray(array).view(np.uint16)
            plain[f"{name}_dtype"] = np.array("bfloat16")
        else:
            plain[name] = np.asarray(array)
    return plain
