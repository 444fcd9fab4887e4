"""One case's rows in other batches: the bits of a row must not depend on the rows beside it.

Other batches have another number of rows and of cores, hence another split, other tiles and often
another strategy. A difference is a difference of bits, but that NaN is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from normgrad import dtypes, ops
from normgrad.backends import Array, Outputs
from normgrad.cases import Case
from normgrad.orders import Compared, merged
from normgrad.plan import Plan, Refused

Launch = Callable[[Case, Mapping[str, Array]], Outputs]  # or it raises Refused

_MOST_ELEMS = 1 << 21  # of one batch: a tenth of a second, however large the case
_REPEATS = 7  # of a row that is alone


@dataclass(frozen=True)
class Batch:
    """Some rows of a case, and the case that they make."""

    rows: npt.NDArray[np.int64]  # by their number in the whole
    case: Case

    @property
    def words(self) -> str:
        """Which rows, and where; for sentences."""
        first, last = int(self.rows[0]), int(self.rows[-1])
        if first != last:
            rows = f"rows {first} to {last} alone"
        else:
            rows = f"row {first} " + ("alone" if len(self.rows) == 1 else f"{_REPEATS} times")
        if self.case.cores is None:
            return rows
        return f"{rows} on at most {self.case.cores} core{'s' if self.case.cores > 1 else ''}"


def batches_of(case: Case, plan: Plan) -> list[Batch]:
    """The head of the rows, a stretch from the middle, one row per core, and the last one alone."""
    if case.is_empty or plan.cores == 0:
        return []
    planners = replace(case, strategy=None, ub=None, chunk=None, cores=None)  # its own choice
    if case.rows == 1:
        return [Batch(np.zeros(_REPEATS, np.int64), _sized(planners, _REPEATS, None))]
    most = max(1, _MOST_ELEMS // case.cols)
    head = np.arange(min(most, max(1, 2 * case.rows // 3)))
    middle = case.rows // 3 + np.arange(min(most, max(1, case.rows // 4)))
    fewer = plan.cores // 2 if plan.cores > 1 else 2
    one_each = case.rows - np.arange(min(case.rows - 1, plan.soc.cores), 0, -1)
    found = [
        Batch(head, _sized(planners, len(head), fewer)),
        Batch(middle, _sized(case, len(middle), 2 if plan.cores == 3 else 3)),
        Batch(one_each, _sized(planners, len(one_each), None)),
        Batch(one_each[-1:], _sized(planners, 1, None)),
    ]
    return found if len(one_each) > 1 else found[:-1]


def _sized(like: Case, rows: int, cores: int | None) -> Case:
    return replace(like, shape=(rows, like.cols), axes=1, cores=cores, expect=None)


def examine(
    case: Case, data: Mapping[str, Array], whole: Outputs, plan: Plan, launch: Launch
) -> Compared:
    """Compares every row of other batches with the same row of the whole.

    Like a launch under another order, a batch that does not end ends the comparison, and what rules
    it breaks counts. One that the planner refuses, because an option of the case no longer fits, is
    left out.
    """
    outputs, compared, difference = whole, 0, ""
    for batch in batches_of(case, plan):
        try:
            again = launch(batch.case, rows_of(case, data, batch.rows))
        except Refused:
            continue
        outputs = merged(outputs, again, f"with {batch.words}")
        if outputs.error is not None or not outputs.finished:
            return Compared(outputs)
        compared += 1
        difference = difference or first_difference(case, whole.arrays, again.arrays, batch)
    if compared == 0:
        return Compared(outputs)
    count = "1 other batch" if compared == 1 else f"{compared} other batches"
    return Compared(outputs, not difference, difference or f"rows bit-equal in {count}")


def rows_of(case: Case, data: Mapping[str, Array], rows: npt.NDArray[np.int64]) -> dict[str, Array]:
    """The inputs of some rows: every row keeps its values, gamma belongs to all."""
    found = {}
    for spec in ops.find_op(case.op).inputs:
        if spec.name not in data:
            continue
        array = data[spec.name]
        if spec.shape == "all":
            found[spec.name] = array.reshape(case.rows, case.cols)[rows]
        else:
            found[spec.name] = array.reshape(-1)[rows] if spec.by_rows else array.ravel()
    return found


def first_difference(
    case: Case, whole: Mapping[str, Array], again: Mapping[str, Array], batch: Batch
) -> str:
    """A sentence about the first element whose bits differ; empty if none does."""
    for spec in ops.wanted(case):
        if spec.is_sum:
            continue
        one = whole[spec.name].reshape(case.rows, -1)[batch.rows]
        two = again[spec.name].reshape(len(batch.rows), -1)
        kind = np.dtype(f"u{one.dtype.itemsize}")
        differ = one.view(kind) != two.view(kind)
        if differ.any():
            differ &= ~(np.isnan(dtypes.to_float64(one)) & np.isnan(dtypes.to_float64(two)))
        if not differ.any():
            continue
        at, col = (int(i) for i in np.unravel_index(int(differ.argmax()), differ.shape))
        was, became = (_bits(array[at, col : col + 1]) for array in (one, two))
        count, row = int(np.count_nonzero(differ)), int(batch.rows[at])
        rows = int(np.count_nonzero(differ.any(axis=1)))
        return (
            f"{spec.name} of row {row}, col {col} is {was} among all {case.rows} rows and {became} "
            f"with {batch.words} (elements that differ: {count}, in {rows} of {len(batch.rows)} "
            "rows): a row's result depends on the batch around it"
        )
    return ""


def _bits(element: Array) -> str:
    size = element.dtype.itemsize
    bits = int(element.view(f"u{size}")[0])
    return f"0x{bits:0{2 * size}x} ({float(dtypes.to_float64(element)[0]):.9g})"
