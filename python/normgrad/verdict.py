"""The verdict on one run: right, wrong and where, or not able to prove anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from normgrad import compare, dtypes, fair, golden, inputs, ops, quantised, where
from normgrad.cases import Case
from normgrad.codes import CodeTally
from normgrad.compare import Tally, Worst
from normgrad.dtypes import Array
from normgrad.fair import Comparison, PairwiseSum
from normgrad.golden import Mask
from normgrad.where import SplitOfRows

if TYPE_CHECKING:
    from normgrad.own_parts import Parts

__all__ = ["Status", "Verdict", "Worst", "judge"]

C = 4.0  # of the budget, unless a strategy declares more

# Elements worked on at once: a dozen float64 arrays of this size stay in the caches.
BLOCK_ELEMS = 1 << 15

# Nothing is proved by an output of which this share is zero although this share of the golden is
# not. Below the number of elements, zeros may be chance: a 1x1 dx is a difference of equal terms.
_ZERO_SHARE = 0.9
_SIGNIFICANT_SHARE = 0.5
_ZERO_RULE_ELEMS = 32
# Elements that may overflow in fp32, but not in float64, are not judged. More than this share of
# them leaves too little evidence.
_UNDEFINED_SHARE = 0.5


class Status(str, Enum):
    """How a case ended."""

    PASSED = "PASSED"
    FAILED = "FAILED"  # numbers wrong
    RULE = "RULE"  # the twin found a broken hardware rule
    MISTRUSTED = "MISTRUSTED"  # the output cannot prove anything
    UNSUPPORTED = "UNSUPPORTED"  # the check said no
    ERROR = "ERROR"  # crash or time-out


@dataclass(frozen=True)
class Verdict:
    """A status with its evidence; `score` is the worst error in units of its budget."""

    status: Status
    score: float
    worst: Worst | None
    limit: float  # of the score
    reason: str  # empty if passed
    metrics: dict[str, dict[str, float]]  # by output
    explanation: tuple[str, ...] = ()  # lines: maps of what fails, and what they point to


def judge(
    case: Case,
    data: Mapping[str, Array],
    outputs: Mapping[str, Array],
    declared_c: float = C,
    unwritten: Mapping[str, int] | None = None,
    plan: SplitOfRows | None = None,
    drawn: bool = True,
    saturates: bool = False,
) -> Verdict:
    """Compares the outputs of a run with the golden of its inputs, block by block of rows.

    `unwritten`: bytes of each output that the run never wrote. `plan` lets a reason name a core.
    `drawn`: the inputs are those of the case's distribution, not captured ones. `saturates`: the
    chip's 16-bit formats know neither Inf nor NaN.
    """
    if wrong := _wrong_form(case, outputs):
        return Verdict(Status.FAILED, float("inf"), None, 1.0, wrong, {})
    if declared_c > (most := C + case.rows / 3):
        reason = f"the plan declares C = {declared_c:g}, and {case.rows} rows explain {most:g}"
        return Verdict(Status.FAILED, float("inf"), None, 1.0, reason, {})
    if not ops.wanted(case):
        return Verdict(Status.PASSED, 0.0, None, 1.0, "", {})
    tallies, comparisons = _compare(case, data, outputs, declared_c, saturates)
    worst = max(tallies, key=lambda tally: tally.score)
    status, reason = _status(case, tallies, outputs, unwritten or {}, plan)
    if status is Status.PASSED and declared_c <= C:  # a strategy that declares more is only shown
        complaints = (
            f"{tally.name}: {words}"
            for tally, seen in zip(tallies, comparisons, strict=True)
            if seen and (words := seen.complaint(case.dist if drawn else ""))
        )
        if reason := "; ".join(complaints):
            status = Status.FAILED
    gated = ops.find_op(case.op).own is None
    metrics = {
        tally.name: tally.metrics() | (seen.metrics() if seen and gated else {})
        for tally, seen in zip(tallies, comparisons, strict=True)
    }
    lines = explain(tallies, plan)
    return Verdict(status, worst.score, worst.worst, 1.0, reason, metrics, lines)


def _wrong_form(case: Case, outputs: Mapping[str, Array]) -> str:
    """A sentence if an output is missing or is not the tensor that the operator gives."""
    for spec in ops.wanted(case):
        if spec.name not in outputs:
            return f"output {spec.name} is missing"
        got, shape = outputs[spec.name], ops.tensor_shape(spec, case)
        dtype = dtypes.numpy_dtype(ops.tensor_dtype(spec, case))
        if got.shape != shape or got.dtype != dtype:
            return (
                f"output {spec.name} is {got.dtype} {got.shape}: the operator gives {dtype} {shape}"
            )
    return ""


def _compare(
    case: Case, data: Mapping[str, Array], outputs: Mapping[str, Array], c: float, saturates: bool
) -> tuple[tuple[Tally, ...], tuple[Comparison | None, ...]]:
    """What was seen of each output; of a quantised one there is no average to compare."""
    own = ops.find_op(case.op).own
    source = None if own else golden.matrices(data, case.cols)
    tallies: dict[str, Tally] = {}
    comparisons: dict[str, Comparison] = {}
    exact = inputs.is_exact(case) if source else (False, False)
    repeats = source is not None and fair.repeats(source)
    for spec in ops.wanted(case):
        shape, kind = outputs[spec.name].shape, ops.tensor_dtype(spec, case)
        rows, cols = 1 if spec.is_sum else case.rows, 1 if spec.by_rows else case.cols
        if kind in quantised.DTYPES:
            how = quantised.of_call(case, data, kind)
            tallies[spec.name] = CodeTally.of(spec.name, shape, rows, cols, c, exact[0], how)
            continue
        fmt = dtypes.FORMATS[kind]
        narrow = saturates and fmt.name != "fp32"
        tallies[spec.name] = Tally(
            spec.name, fmt, shape, rows, cols, c, exact[spec.is_sum], narrow, spec.is_sum
        )
        comparisons[spec.name] = Comparison(fmt, cols, spec.is_sum, repeats)
    if case.cols and source:
        _by_blocks(case, source, outputs, tallies, comparisons)
    elif case.cols and own:
        _own_blocks(own, case, data, outputs, tallies)
    return tuple(tallies.values()), tuple(comparisons.get(name) for name in tallies)


def _own_blocks(
    own: Parts,
    case: Case,
    data: Mapping[str, Array],
    outputs: Mapping[str, Array],
    tallies: Mapping[str, Tally],
) -> None:
    """An operator from outside: it gives its golden alone, so that there is no second gate."""
    total = {spec.name: golden.no_rows(case.cols) for spec in ops.wanted(case) if spec.is_sum}
    step = max(1, BLOCK_ELEMS // case.cols)
    for begin in range(0, case.rows, step):
        end = min(begin + step, case.rows)
        for spec, block in own.golden_rows(case, data, begin, end):
            if spec.is_sum:
                overflow = golden.beyond_fp32(block.s)
                part = golden.GoldenSum(block.value, block.s, block.u, overflow)
                total[spec.name].add(part)
            else:
                got = outputs[spec.name].reshape(case.rows, -1)[begin:end]
                tallies[spec.name].add(got, block)
    for name, whole in total.items():
        _add_sum(tallies[name], whole, outputs[name])


def _add_sum(tally: Tally, whole: golden.GoldenSum, output: Array) -> Mask | None:
    """The only row of a sum over rows; what of it may overflow."""
    overflow = whole.undefined | golden.beyond_fp32(whole.s)
    undefined = overflow if overflow.any() else None
    got = output.reshape(1, tally.cols)
    tally.add(got, compare.Block(0, whole.value[None], whole.s[None], whole.u[None], undefined))
    return undefined


def _by_blocks(
    case: Case,
    source: golden.Matrices,
    outputs: Mapping[str, Array],
    tallies: Mapping[str, Tally],
    comparisons: Mapping[str, Comparison],
) -> None:
    rows, cols = source.rows, source.cols
    golden_rows = golden.rows_of(case.op)
    dx = outputs["dx"].reshape(rows, cols) if "dx" in tallies else None
    total = {name: golden.no_rows(cols) for name in tallies if name != "dx"}
    pairwise = {name: PairwiseSum() for name in total}
    step = max(1, BLOCK_ELEMS // cols)
    every = -(-rows * cols // fair.SAMPLE_ELEMS)  # one of so many blocks is looked at
    every = max(1, min(every, rows // (2 * fair.RMSE_ROWS * step)))
    for number, begin in enumerate(range(0, rows, step)):
        block, sums = golden_rows(source, begin, min(begin + step, rows))
        looks = dx is not None and number % every == 0
        plain, parts = fair.rows(source, begin, block.end, looks and "dx" in comparisons)
        for name in total:
            total[name].add(sums[name])
            pairwise[name].add(parts[name])
        if dx is None:
            continue
        undefined = None if block.undefined is None else block.undefined[:, None]
        got = dx[begin : block.end]
        tallies["dx"].add(got, compare.Block(begin, block.dx, block.dx_s, block.dx_u, undefined))
        if plain is not None:
            comparisons["dx"].add(got, plain, block.dx, block.dx_s, undefined)
    for name, whole in total.items():
        undefined = _add_sum(tallies[name], whole, outputs[name])
        if rows:
            fair_sum = dtypes.from_float32(pairwise[name].total(), tallies[name].fmt.name)
            got = outputs[name].reshape(cols)
            comparisons[name].add(got, fair_sum, whole.value, whole.s, undefined)


def _status(
    case: Case,
    tallies: tuple[Tally, ...],
    outputs: Mapping[str, Array],
    unwritten: Mapping[str, int],
    plan: SplitOfRows | None,
) -> tuple[Status, str]:
    reasons = []
    for tally in tallies:
        if missed := unwritten.get(tally.name, 0):
            reasons.append(
                f"{missed} of {outputs[tally.name].nbytes} bytes of {tally.name} were never written"
            )
        if tally.failed:
            reasons.append(describe(tally, plan))
    if reasons:
        return Status.FAILED, "; ".join(reasons)
    for tally in tallies:
        elems = tally.compared + tally.undefined
        if tally.compared == 0 and (elems > 0 or not case.is_empty):
            return Status.MISTRUSTED, f"nothing of {tally.name} could be compared"
        if tally.undefined > _UNDEFINED_SHARE * elems:
            return Status.MISTRUSTED, (
                f"{tally.undefined} of {elems} elements of {tally.name} may overflow in fp32 and "
                "could not be judged: use smaller inputs"
            )
        if (
            elems >= _ZERO_RULE_ELEMS
            and tally.got_zero >= _ZERO_SHARE * elems
            and tally.significant >= _SIGNIFICANT_SHARE * elems
        ):
            return Status.MISTRUSTED, (
                f"{tally.got_zero} of {elems} elements of {tally.name} are zero, although the "
                "golden is not: the inputs are too small for its dtype to prove anything"
            )
    for tally in tallies:  # of few elements, dist=specials may have planted one in each
        if tally.compared >= _ZERO_RULE_ELEMS and not tally.finite:
            return Status.MISTRUSTED, (
                f"every element of {tally.name} is NaN or Inf, in the golden, too: nothing finite "
                "was compared, use finite inputs or more rows"
            )
    return Status.PASSED, ""


def describe(tally: Tally, plan: SplitOfRows | None) -> str:
    """Why an output failed: the worst element, how many fail, and a pattern in their places."""
    worst = tally.worst
    assert worst is not None
    elems = tally.compared + tally.undefined
    over_rows = tally.sums_rows
    places = [f"col {worst.col}"] if over_rows else [f"row {worst.row}, col {worst.col}"]
    places += (
        [", ".join(words)]
        if (words := where.Split(plan).words(worst.row, worst.col, over_rows))
        else []
    )
    place = "; ".join(places)
    index = ", ".join(map(str, worst.index))
    sentence = [
        f"{tally.name}[{index}] ({place}) is {worst.got:.9g} instead of {worst.expected:.9g}",
        tally.error_words(),
        f"{tally.failed} of {elems} elements fail",
    ]
    sentence += [cause] if (cause := tally.cause_words()) else []
    if hints := [hint for hint, _ in where.patterns(tally, plan)]:
        sentence.append(" and ".join(hints))
    return ", ".join(sentence)


def explain(tallies: tuple[Tally, ...], plan: SplitOfRows | None) -> tuple[str, ...]:
    """Lines for a person: a map of each output that fails, and what its pattern points to."""
    failing = [tally for tally in tallies if tally.failed]
    lines: list[str] = []
    for tally in failing:
        lines += where.picture(tally)
        for hint, why in where.patterns(tally, plan):
            lines.append(f"{tally.name} fails {hint}" + (f": look at {why}" if why else ""))
    if len(failing) == 1 and len(tallies) > 1:
        right = [tally.name for tally in tallies if not tally.failed]
        lines.append(
            f"{' and '.join(right)} {'is' if len(right) == 1 else 'are'} right: look at what "
            f"{failing[0].name} alone goes through"
            + (" (sums over rows, the exchange between cores)" if "dx" in right else "")
        )
    return tuple(lines)
