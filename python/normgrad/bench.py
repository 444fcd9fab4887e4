"""The command `bench`: what kernels cost, how fast the twin is, how well its time is modelled."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from normgrad import calibrate, commands, jobs, pool, profiles, report, selfbench
from normgrad import plan as plan_
from normgrad import run as run_
from normgrad.backends import LaunchOptions
from normgrad.errors import NormgradError
from normgrad.jobs import Job

_BENCH_CASES = tuple(
    f"rms_norm_grad:ascend910b4:bf16:{shape}:seed1"
    for shape in ("4096x1024", "4096x4096", "4096x8192", "32768x128")
)


def bench(args: argparse.Namespace) -> int:
    if args.calibrate:
        return _calibrate(args)
    if args.soc:
        raise NormgradError("bench --soc is the chip of a profile: give one with --calibrate")
    if args.itself:
        return _bench_itself(args)
    chosen = [jobs.from_text(text) for text in args.cases or _BENCH_CASES]
    if args.ops_from and not args.cases:
        chosen = _own_cases()
    for job in chosen:
        plan_.find_soc(job.case.soc)
    commands.build_units(chosen)
    _, threads = pool.workers_for(1, 1)
    options = LaunchOptions(check=args.check, threads=threads)
    results = [run_.run_case(job, options).result for job in chosen]
    if args.json:
        report.json_rows(result.row() for result in results)
    else:
        report.bench_table(results)
    return 0 if all(result.expected for result in results) else 1


def _own_cases() -> list[Job]:
    """Of operators from outside, their suite `bench`, or else smoke: what is to be refused costs
    nothing."""
    known = jobs.suite_names()
    name = next((name for name in ("bench", "smoke") if name in known), None)
    if name is None:
        raise NormgradError(
            "bench --ops-from has no case: give one, or write a suite cases/bench.txt beside the "
            "description"
        )
    return [job for job in jobs.from_suite(name) if job.case.expect is None]


def _bench_itself(args: argparse.Namespace) -> int:
    if args.cases:
        raise NormgradError(f"bench --self measures the twin: it takes no case {args.cases[0]}")
    cases = [selfbench.CASE, *([selfbench.TORCH_CASE] if selfbench.has_torch() else [])]
    commands.build_units([jobs.from_text(case) for case in cases])
    figures = selfbench.measure()
    if args.json:
        report.json_rows({**asdict(figure), "holds": figure.holds} for figure in figures)
    else:
        report.self_table(figures)
    return 1 if any(figure.holds is False for figure in figures) else 0


def _calibrate(args: argparse.Namespace) -> int:
    if args.cases or args.itself:
        raise NormgradError(
            "bench --calibrate takes its kernels from the file alone: no case, no --self"
        )
    chosen = calibrate.choose(profiles.read(args.calibrate, args.soc))
    if not chosen.known:
        raise NormgradError(
            f"--calibrate {args.calibrate} has no row to compare: operators with a kernel here are "
            f"{', '.join(calibrate.known_operators())}; "
            + "; ".join(calibrate.said_of(chosen.left_out))
        )
    commands.build_units([jobs.from_case(row.case) for row in chosen.known if row.case])
    rows = calibrate.measure(chosen.known)
    if args.json:
        report.json_rows(row.as_json() for row in rows)
    else:
        report.calibration(rows, chosen.left_out)
    return 0
