"""Cases as tests of pytest: `pytest -p normgrad.pytest_plugin --normgrad-suite smoke`.

Each case is one test, `normgrad::CASE`, beside whatever else pytest collects; -k, --lf, -x, xdist's
-n and --junitxml work on it as on any other. A test passes if the case is as expected, so a refusal
passes where the case has `expect=CODE`. Figures are properties of the test in junit.xml.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from normgrad import jobs, own_parts, regressions, run
from normgrad.backends import LaunchOptions, aclnn
from normgrad.errors import NormgradError
from normgrad.jobs import Job
from normgrad.store import Result

_BACKENDS = ("twin", "aclnn")
_FIGURES = (
    "score",
    "bytes_over_minimum",
    "slope_cycles_per_64",
    "registers_per_64",
    "modelled_us",
    "bandwidth_fraction",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("normgrad", "cases of normgrad as tests")
    for name, what in (
        ("suite", "a named set of cases, or a file of cases, one per line"),
        ("case", "one case, for example rms_norm_grad:ascend910b4:bf16:64x512"),
        ("op", "only cases of this operator"),
        ("soc", "only cases of this chip"),
        ("dtype", "only cases of this dtype"),
    ):
        group.addoption(
            f"--normgrad-{name}",
            action="append",
            default=[],
            metavar=name.upper(),
            help=f"{what}; may be repeated",
        )
    group.addoption(
        "--normgrad-ops-from",
        action="append",
        default=[],
        metavar="FILE.py",
        help="operators of your own (docs/your-own-op.md); suites are theirs then; may be repeated",
    )
    group.addoption(
        "--normgrad-backend",
        default="twin",
        choices=_BACKENDS,
        help="where the kernels run (default: twin)",
    )
    group.addoption(
        "--normgrad-sync",
        default="strict",
        choices=("strict", "autosync"),
        help="with what is written alone, or with the barriers that the compiler adds "
        "(default: strict)",
    )
    group.addoption(
        "--normgrad-shuffle-runs",
        type=int,
        default=0,
        metavar="N",
        help="N launches more of each case, with the cores in drawn orders: the same bits",
    )
    group.addoption(
        "--normgrad-baseline",
        type=Path,
        metavar="FILE",
        help="a case fails also if it is worse than in this file of `normgrad compare --accept`",
    )


@pytest.hookimpl(tryfirst=True)  # before -k, -m and --lf choose among all tests
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    try:
        chosen = _chosen(config)
        baseline = _baseline(config.getoption("normgrad_baseline"))
        left_out = _left_out(config, chosen)
    except NormgradError as error:
        raise pytest.UsageError(" ".join(str(error).split())) from None
    if not chosen:
        return
    cases = NormgradCases.from_parent(session, name="normgrad", nodeid="normgrad")
    for job in chosen:
        item = CaseItem.from_parent(cases, name=job.text, job=job, baseline=baseline)
        if job in left_out:
            item.add_marker(pytest.mark.skip(reason=left_out[job]))
        items.append(item)


def _chosen(config: pytest.Config) -> list[Job]:
    filters = {name: config.getoption(f"normgrad_{name}") for name in ("op", "soc", "dtype")}
    own_parts.use(config.getoption("normgrad_ops_from"))
    jobs.check_filters(**filters)
    found = [jobs.from_text(text) for text in config.getoption("normgrad_case")]
    for name in config.getoption("normgrad_suite"):
        found += jobs.from_suite(name)
    chosen = jobs.select(found, **filters)
    if found and not chosen:
        raise NormgradError(
            "no case is left after --normgrad-op, --normgrad-soc and --normgrad-dtype; "
            "`normgrad list` shows what there is"
        )
    return chosen


def _left_out(config: pytest.Config, chosen: Sequence[Job]) -> dict[Job, str]:
    """What the backend cannot run, and why not."""
    if config.getoption("normgrad_backend") != "aclnn":
        return {}
    asked = [name for name, usual in (("sync", "strict"), ("shuffle-runs", 0))
             if config.getoption(f"normgrad_{name.replace('-', '_')}") != usual]  # fmt: skip
    told = {job: aclnn.select([job], [f"--normgrad-{name}" for name in asked]) for job in chosen}
    return {job: said for job, (kept, said) in told.items() if not kept}


def _baseline(path: Path | None) -> dict[str, regressions.Row]:
    return {row["case"]: row for row in regressions.read_rows(path)} if path else {}


class NormgradCases(pytest.Collector):
    """The parent of all cases. They are added by hand: no file of theirs is collected."""

    def collect(self) -> Iterator[pytest.Item]:
        return iter(())


class CaseError(Exception):
    """A case failed; the text is what a reader needs, a stack of the harness is not."""


class CaseItem(pytest.Item):
    """One case; its outcome is the verdict's."""

    def __init__(self, *, job: Job, baseline: dict[str, regressions.Row], **words: Any) -> None:
        super().__init__(**words)
        self._job = job
        self._baseline = baseline

    def runtest(self) -> None:
        result = run.run_case(self._job, self._options()).result
        for name in _FIGURES:
            if (value := getattr(result, name)) is not None:
                self.user_properties.append((name, value))
        if not result.expected:
            raise CaseError(_told(result))
        if self._job.text in self._baseline:
            found = regressions.compare([self._baseline[self._job.text]], [result.row()])
            if found.worse:
                raise CaseError(_worse(found.worse, result))

    def _options(self) -> LaunchOptions:
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        return LaunchOptions(
            threads=max(1, (os.cpu_count() or 1) // workers),
            backend=self.config.getoption("normgrad_backend"),
            sync=self.config.getoption("normgrad_sync"),
            shuffle_runs=self.config.getoption("normgrad_shuffle_runs"),
        )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any) -> str:
        if isinstance(excinfo.value, CaseError):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[str, int, str]:
        return "normgrad", 0, self._job.text


def _told(result: Result) -> str:
    head = f"{result.status}: {result.reason}"
    return "\n".join([head, *result.explanation, f"again: {result.command}"])


def _worse(changes: Sequence[regressions.Change], result: Result) -> str:
    lines = [f"worse than the baseline: {c.what} was {c.old}, is {c.new}" for c in changes]
    return "\n".join([*lines, f"again: {result.command}"])
