"""The pipeline of one case.

case -> plan -> inputs -> backend -> verdict -> Result. Nothing here prints.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from math import prod
from typing import Any

from normgrad import (
    batches,
    budgets,
    build,
    captures,
    dtypes,
    findings,
    inputs,
    ops,
    orders,
    timing,
    verdict,
)
from normgrad.backends import Array, LaunchOptions, Outputs, aclnn, twin
from normgrad.backends.acl_abi import AclError
from normgrad.cases import Case
from normgrad.jobs import Job
from normgrad.own_check import OwnError
from normgrad.plan import (
    Attributes,
    Options,
    Plan,
    Problem,
    Refused,
    TensorDesc,
    check,
    find_soc,
    make_plan,
)
from normgrad.store import Result
from normgrad.verdict import Status, Verdict

_NO_KERNEL = "tiling-key-without-kernel"  # twin/rules/rules.h: no kernel ran, nothing to judge
NO_VERDICT = "--check {} leaves rules out: not a verdict on the kernel"
_ARRAY_BYTES = 2**63 - 1  # numpy counts in 64 bits, and lengths of 0 as 1


@dataclass(frozen=True)
class Outcome:
    """A result with what led to it, for commands that show or save everything."""

    job: Job
    result: Result
    plan: Plan | None = None
    inputs: Mapping[str, Array] | None = None
    outputs: Outputs | None = None
    verdict: Verdict | None = None


def descriptors(case: Case) -> list[TensorDesc]:
    """The tensors of a case as a caller of the operator would describe them."""
    tensors = []
    for spec in ops.find_op(case.op).tensors:
        shape = ops.tensor_shape(spec, case)
        strides = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
        if spec.name in case.noncontig:
            strides = [2 * stride for stride in strides]  # every second element of a larger one
        tensors.append(
            TensorDesc(
                dtype=ops.tensor_dtype(spec, case),
                shape=shape,
                strides=tuple(strides),
                present=ops.is_given(spec, case),
            )
        )
    return tensors


def attributes(case: Case) -> Attributes:
    """What a caller says beside the tensors."""
    wanted = ops.wanted(case)
    return Attributes(
        case.shape[len(case.shape) - case.axes :],
        tuple(spec in wanted for spec in ops.find_op(case.op).outputs),
        quant_mode="static",
        div_mode=case.divides,
        dst_type=ops.tensor_dtype(ops.find_op(case.op).tensor("dx"), case),
    )


def problem_of(case: Case) -> Problem:
    """What a case asks for; Refused with code and sentence if the operator says no."""
    if own := ops.find_op(case.op).own:
        return own.check(case)
    return check(case.op, case.soc, descriptors(case), attributes(case))


def plan_case(case: Case, **knobs: Any) -> Plan:
    """The plan of a case; Refused with code and sentence if the operator says no.

    `knobs` are fields of plan.Options; they win over the case's own options.
    """
    problem = problem_of(case)
    wishes = Options(
        ub_bytes=case.ub,
        cores=case.cores,
        chunk_cols=case.chunk,
        det_strong=case.det == "strong",
        strategy=case.strategy,
    )
    wishes = replace(wishes, **knobs)
    if own := ops.find_op(case.op).own:
        return own.make_plan(case, problem, wishes)
    return make_plan(case.op, case.soc, problem, wishes)


def unit_of(case: Case) -> build.Unit:
    return build.Unit(case.op, find_soc(case.soc).arch, ops.unit_dtypes(case))


def prebuild(jobs: Iterable[Job]) -> int:
    """Builds what the jobs need before the clock of the first one runs; returns how many units."""
    return len(build.units(units_of(jobs)))


def units_of(jobs: Iterable[Job]) -> list[build.Unit]:
    """The units that the jobs launch: none for those that are refused or have nothing to do."""
    wanted = []
    for job in jobs:
        if job.broken:
            continue
        try:
            plan = plan_case(job.case)
        except (Refused, OwnError):  # its run says why
            continue
        if plan.cores:
            wanted.append(unit_of(job.case))
    return list(dict.fromkeys(wanted))


def run_case(job: Job, options: LaunchOptions) -> Outcome:
    """Runs and judges one job; whatever happens to the launch becomes a status."""
    began = time.perf_counter()
    case = job.case
    if job.broken:
        return Outcome(job, error_row(job, job.broken, options))
    try:
        if options.backend == "aclnn":
            aclnn.wish(job.wishes)
            aclnn.refuse(case)
        plan = plan_case(case, **dict(job.wishes))
    except Refused as refused:
        return Outcome(job, _refused(job, refused, options))
    except (AclError, OwnError) as error:
        return Outcome(job, error_row(job, str(error), options))
    planned = _with_plan(job, plan, options)
    if wrong := _too_large(case, plan):
        return Outcome(job, replace(planned, reason=wrong), plan)
    try:
        if job.npz:
            capture = captures.load_npz(job.npz, case.op)
            data = inputs.completed(case, capture.inputs)
            notes = [note for note in (planned.note, capture.remark()) if note]
            planned = replace(planned, note="; ".join(notes))
        else:
            data = inputs.make_inputs(case)
        ordered, batched = _launch(case, data, plan, options)
    except (build.UnitError, OwnError) as error:
        return Outcome(job, replace(planned, reason=str(error)), plan)
    except OSError as error:
        reason = f"the files of the launch cannot be written: {error.strerror or error}"
        return Outcome(job, replace(planned, reason=reason), plan)
    except captures.CaptureError as error:  # the file has changed since
        return Outcome(job, replace(planned, reason=str(error)), plan)
    except MemoryError:
        reason = "not enough memory for the tensors of this case"
        return Outcome(job, replace(planned, reason=reason), plan)
    outputs = replace(batched.outputs, findings=findings.ordered(batched.outputs.findings))
    launched = replace(
        planned,
        deterministic=ordered.same,
        batch_invariant=batched.same,
        compared=tuple(each.words for each in (ordered, batched) if each.words),
        launch_seconds=outputs.wall_s,
        counters=outputs.counters,
        findings=tuple(asdict(finding) for finding in outputs.findings),
        measured_us=outputs.measured_us,
        bytes_over_minimum=_bytes_over_minimum(outputs, plan),
        slope_cycles_per_64=_slope_cycles(outputs, case),
        registers_per_64=_registers(outputs, case),
        **timing.figures(outputs.time, plan.minimum_bytes, plan.soc.achievable_gb_per_s > 0),
    )
    judged: Verdict | None = None
    if outputs.error is not None:
        launched = replace(launched, reason=outputs.error)
    elif not outputs.finished or any(f.rule == _NO_KERNEL for f in outputs.findings):
        launched = replace(
            launched,
            status=Status.RULE.value,
            reason=findings.headline(outputs.findings),
            expected=False,
        )
    else:
        try:
            judged = verdict.judge(
                case,
                data,
                outputs.arrays,
                declared_c=plan.declared_c,
                unwritten=outputs.unwritten,
                plan=plan,
                drawn=job.npz is None,
                saturates=plan.soc.saturates,
            )
        except OwnError as error:
            return Outcome(job, replace(launched, reason=str(error)), plan, data, outputs)
        for each in (ordered, batched):
            judged = _with_difference(judged, each)
        launched = _with_verdict(launched, case, outputs, judged)
    result = replace(launched, seconds=time.perf_counter() - began)
    return Outcome(job, result, plan, data, outputs, judged)


def _refused(job: Job, refused: Refused, options: LaunchOptions) -> Result:
    case, code = job.case, refused.code
    reason = f"{refused.sentence} (code {code})"
    if case.expect and case.expect != code:
        reason = f"expected code {case.expect}, got {code}: {refused.sentence}"
    return replace(
        _row(job, Status.UNSUPPORTED, reason, options), code=code, expected=case.expect == code
    )


def _too_large(case: Case, plan: Plan) -> str:
    """A sentence if this computer cannot hold the tensors of a case, and its workspace."""
    total = plan.workspace_bytes
    for spec in ops.find_op(case.op).tensors:
        shape, kind = ops.tensor_shape(spec, case), ops.tensor_dtype(spec, case)
        item = dtypes.numpy_dtype(kind).itemsize
        if prod(max(length, 1) for length in shape) * item > _ARRAY_BYTES:
            return f"numpy has no array of the shape of {spec.name}, {shape}: use a smaller shape"
        total += prod(shape) * item
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if total <= memory:
        return ""
    what, less = ("tensors", "") if 2 * plan.workspace_bytes < total else ("workspace", " or plan")
    return (
        f"the {what} of this case take{'s' if less else ''} {total / 2**30:,.0f} GiB, and this "
        f"computer has {memory / 2**30:,.0f} GiB of memory: use a smaller shape{less}"
    )


def _launch(
    case: Case, data: Mapping[str, Array], plan: Plan, options: LaunchOptions
) -> tuple[orders.Compared, orders.Compared]:
    """The launch with those under other orders of the cores, then with those of other batches.

    All that was found stands in the second. Nothing follows a launch that did not come to its end.
    """
    backend = {"twin": twin.run, "aclnn": aclnn.run}[options.backend]
    first = backend(case, data, plan, options)
    if first.error is not None or not first.finished or plan.cores == 0:
        return orders.Compared(first), orders.Compared(first)
    seeds = range(1, options.shuffle_runs + 1)
    again = replace(options, trace=None)
    further = ((seed, twin.run(case, data, plan, replace(again, seed=seed))) for seed in seeds)
    ordered = orders.gather(first, further)
    so_far = ordered.outputs
    if not options.invariance or so_far.error is not None or not so_far.finished:
        return ordered, orders.Compared(so_far)

    def launch(batch: Case, inputs_: Mapping[str, Array]) -> Outputs:
        return twin.run(batch, inputs_, plan_case(batch), again)

    return ordered, batches.examine(case, data, so_far, plan, launch)


def _with_difference(judged: Verdict, compared: orders.Compared) -> Verdict:
    """Every operator here promises the same bits under any order, and of a row in any batch."""
    if compared.same is not False:
        return judged
    reason = f"{judged.reason}; {compared.words}" if judged.reason else compared.words
    return replace(judged, status=Status.FAILED, reason=reason)


def _row(job: Job, status: Status, reason: str, options: LaunchOptions) -> Result:
    case = job.case
    return Result(
        case=job.text,
        status=status.value,
        expected=False,
        reason=reason,
        command=job.command(options.words),
        inputs_digest=job.digest(),
        check=options.check,
        sync=options.sync,
        note="" if options.check == "all" else NO_VERDICT.format(options.check),
        op=case.op,
        soc=case.soc,
        dtype=case.dtype,
        rows=case.rows,
        cols=case.cols,
    )


def error_row(job: Job, reason: str, options: LaunchOptions) -> Result:
    """The row of a job that has come to no status of its own."""
    return _row(job, Status.ERROR, reason, options)


def _with_plan(job: Job, plan: Plan, options: LaunchOptions) -> Result:
    """A row of a planned case; an ERROR until the launch has said otherwise."""
    row = error_row(job, "not run", options)
    return replace(
        row,
        plan=plan.strategy,
        plan_reason=plan.reason,
        tiling_key=plan.tiling_key,
        cores=plan.cores,
        ub_limit_bytes=plan.ub_limit_bytes,
        workspace_bytes=plan.workspace_bytes,
        minimum_bytes=plan.minimum_bytes,
        declared_c=plan.declared_c,
        buffers=tuple(asdict(buffer) for buffer in plan.buffers),
        fields=dict(plan.fields),
        note="; ".join(filter(None, (row.note, plan.remark))),
        budget=asdict(budgets.of(job.case, plan)),
    )


def _with_verdict(row: Result, case: Case, outputs: Outputs, judged: Verdict) -> Result:
    """The status of a finished launch: a broken rule weighs more than the numbers it led to."""
    status, reason = judged.status, judged.reason
    if outputs.findings:
        status = Status.RULE
        reason = findings.headline(outputs.findings)
        if judged.status is not Status.PASSED:
            reason += f"; the numbers are wrong, too: {judged.reason}"
    expected = status is Status.PASSED
    if expected and case.expect:
        expected = False
        reason = f"it passed, but was expected to be refused with code {case.expect}"
    return replace(
        row,
        status=status.value,
        expected=expected,
        reason=reason,
        score=judged.score,
        worst=asdict(judged.worst) if judged.worst else None,
        metrics=judged.metrics,
        explanation=judged.explanation,
    )


def _bytes_over_minimum(outputs: Outputs, plan: Plan) -> float | None:
    counters = outputs.counters
    if not plan.minimum_bytes or "gm_read_bytes" not in counters:
        return None
    return (counters["gm_read_bytes"] + counters["gm_write_bytes"]) / plan.minimum_bytes


def _slope_cycles(outputs: Outputs, case: Case) -> float | None:
    cycles = outputs.counters.get("vector_slope_cycles")
    return None if cycles is None or case.is_empty else cycles * 64 / (case.rows * case.cols)


def _registers(outputs: Outputs, case: Case) -> float | None:
    """Register instructions of all kinds per 64 elements; none without vector functions."""
    if case.is_empty or not outputs.counters.get("vector_functions"):
        return None
    kinds = ("loads", "stores", "arithmetic", "casts", "reductions", "moves", "masks", "barriers")
    total = sum(outputs.counters[f"register_{kind}"] for kind in kinds)
    return total * 64 / (case.rows * case.cols)
