"""What the pipes of one core do in a launch, modelled, as the twin's trace says it."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from normgrad.backends import LaunchOptions, blank
from normgrad.cases import Case
from normgrad.plan import Plan

LANES = ("SCALAR", "VECTOR", "MTE2", "MTE3")
WAITS = frozenset(("wait", "SyncAll"))  # slices of SCALAR in which it does nothing


@dataclass(frozen=True)
class Slice:
    """One instruction, or a wait, of a pipe."""

    lane: str
    name: str
    at: str  # file and line of the kernel
    begin_us: float
    us: float

    @property
    def end_us(self) -> float:
        return self.begin_us + self.us


def of_core(case: Case, plan: Plan, core: int = 0) -> list[Slice]:
    """The slices of one core, cold; none if the launch did not end well."""
    with tempfile.TemporaryDirectory(prefix="normgrad-") as folder:
        file = Path(folder) / "trace.json"
        options = LaunchOptions(check="off", trace=file)
        done = blank.launch(case, plan, options)
        if done.error is not None or not done.finished or not file.exists():
            return []
        events = json.loads(file.read_text(encoding="utf-8"))["traceEvents"]
    return [
        Slice(LANES[each["tid"]], each["name"], each.get("args", {}).get("at", ""),
              float(each["ts"]), float(each["dur"]))
        for each in events
        if each["ph"] == "X" and each["pid"] == core
    ]  # fmt: skip
