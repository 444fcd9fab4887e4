"""What a backend takes and gives: `run(case, inputs, plan, options) -> Outputs`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Form = tuple[tuple[int, ...], np.dtype[Any]]  # shape and dtype


@dataclass(frozen=True)
class Finding:
    """A hardware rule that a kernel broke, as the twin saw it; `count` folds repeats."""

    rule: str
    message: str
    api: str = ""
    core: int = -1
    pipe: str = ""
    buffer: str = ""
    begin_byte: int = 0
    end_byte: int = 0
    file: str = ""
    line: int = 0
    count: int = 1
    declared: str = ""  # where InitBuffer handed the buffer out
    cores: int = 1  # that it was seen on
    fatal: bool = False  # it ended the launch
    callers: tuple[str, ...] = ()  # file:line of the calls that led to it, innermost first


@dataclass(frozen=True)
class LaunchOptions:
    """How a launch is run, as opposed to what: never part of a case's text."""

    check: str = "all"  # all, fast or off
    seed: int = 0  # 0: cores in natural order; n: a drawn order
    threads: int = 1
    ub_bytes: int | None = None  # UB limit of the launch; None: the plan's
    timeout_s: float | None = None  # None: by the size of the case
    sync: str = "strict"  # or autosync: with what the compiler adds by itself
    cycles: bool = True  # model the time; its cost is small
    trace: Path | None = None  # where the launch's timeline goes, in Chrome's trace format
    shuffle_runs: int = 0  # launches more, under drawn orders 1..N; a backend does one launch only
    invariance: bool = False  # launches more, of some of the rows; likewise
    backend: str = "twin"  # or aclnn: the functions that clients call
    repeats: int = 0  # aclnn: launches more, with a cold L2, whose median time is asked for

    @property
    def promises(self) -> tuple[str, ...]:
        """What further launches examine, by its name in a result."""
        named = (("deterministic", self.shuffle_runs > 0), ("batch_invariant", self.invariance))
        return tuple(name for name, examined in named if examined)

    @property
    def words(self) -> str:
        """The options of the command line that ask for this."""
        words = [] if self.check == "all" else [f"--check {self.check}"]
        words += [] if self.sync == "strict" else [f"--sync {self.sync}"]
        words += [f"--shuffle-runs {self.shuffle_runs}"] if self.shuffle_runs else []
        words += ["--invariance"] if self.invariance else []
        words += [] if self.backend == "twin" else [f"--backend {self.backend}"]
        return " ".join(words)


@dataclass(frozen=True)
class SparseInput:
    """Zeros, of which no page exists, with data in some places."""

    nbytes: int
    data: Mapping[int, Array] = field(default_factory=dict)  # by byte offset


@dataclass(frozen=True)
class SparseOutput:
    """An output of which some places are read back; its other bytes are not looked at."""

    nbytes: int
    places: Mapping[int, Form] = field(default_factory=dict)  # by byte offset


@dataclass(frozen=True)
class Outputs:
    """What a backend brought back. `error`: the launch did not end by itself; arrays are empty."""

    arrays: dict[str, Array]
    counters: dict[str, int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    unwritten: dict[str, int] = field(default_factory=dict)  # bytes never written, by output
    time: dict[str, Any] = field(default_factory=dict)  # modelled; empty: not asked for
    measured_us: float | None = None  # the median of repeated launches
    finished: bool = True  # False: a finding was fatal, so that the arrays mean nothing
    error: str | None = None
    wall_s: float = 0.0
    cpu_s: float = 0.0  # of all threads, in the kernel alone
