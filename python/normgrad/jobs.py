"""What a command is asked to run: a case with generated inputs, or captured tensors of a file.

A capture is written `npz:OP:SOC:FILE`: FILE is a path, or the name of a file among the captures
that come with the sources.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from normgrad import captures, cases, dtypes, ops, paths, plan
from normgrad.cases import Case
from normgrad.errors import NormgradError
from normgrad.words import allowed

_CAPTURE_SUITE = "smoke"


@dataclass(frozen=True)
class Job:
    """One thing to run; `text` names it in every report and runs it again."""

    text: str
    case: Case
    npz: Path | None = None
    wishes: tuple[tuple[str, Any], ...] = ()  # fields of plan.Options beyond what the case says
    broken: str = ""  # why there is nothing to run: `case` then stands for what is not known

    def command(self, options: str = "") -> str:
        """What a user types to see this job alone."""
        words = ["normgrad run", shlex.quote(self.text)]
        if self.npz and self.case.ub:
            words.append(f"--ub {self.case.ub}")  # the text of a capture has no options
        if own := ops.find_op(self.case.op).own:
            words.append(f"--ops-from {shlex.quote(str(own.file))}")
        return " ".join([*words, *([options] if options else [])])

    def digest(self) -> str:
        """Of a capture's file, which may change under its name; a case's text says all."""
        if self.npz is None:
            return ""
        digest = hashlib.sha256()
        try:
            with self.npz.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
        except OSError:
            return "unreadable"
        return digest.hexdigest()


def from_case(case: Case) -> Job:
    return Job(str(case), case)


def from_text(text: str) -> Job:
    """A job from an argument of the command line."""
    if text.startswith("npz:"):
        parts = text.split(":", 3)
        if len(parts) != 4 or not parts[3]:
            raise NormgradError(
                f"{text!r} is not a capture; write npz:OP:SOC:FILE, for example "
                "npz:rms_norm_grad:ascend910b4:FILE.npz"
            )
        return from_npz(Path(parts[3]), parts[1], parts[2])
    if text.endswith(".npz"):
        raise NormgradError(
            f"{text!r} is a file of tensors; write npz:OP:SOC:{text}, or use "
            f"`normgrad run {text} --op OP --soc SOC`"
        )
    return from_case(Case.parse(text))


def from_text_or_broken(text: str) -> Job:
    """A job; a file that cannot be read is one whose run is an error, and stops no other."""
    try:
        return from_text(text)
    except captures.CaptureError as error:
        _, op, soc, _ = text.split(":", 3)
        return Job(text, Case(op, soc, "fp32", (1, 1)), broken=str(error))


def from_npz(file: Path, op: str, soc: str) -> Job:
    """A job on the tensors of a file, which must hold what the operator needs."""
    if not str(file).isprintable():
        raise captures.CaptureError(
            f"{str(file)!a} has characters in its name that cannot be printed: rename it"
        )
    if ops.find_op(op).own:
        raise captures.CaptureError(
            f"{file} holds tensors for {op}, which comes from outside: files are read for the "
            f"package's operators alone, give {op} inputs in its description"
        )
    file = _found(file)
    shown = file.name if file.parent == paths.captures_root() else str(file)
    case = captures.load_npz(file, op).case(op, soc)
    return Job(f"npz:{op}:{case.soc}:{shown}", case, file)


def _found(file: Path) -> Path:
    """The file, or the capture of that name among the sources."""
    known = paths.captures_root() / file.name
    is_known = file.parent == Path(".") and not file.exists() and known.exists()
    return known if is_known else file


def portable(job: Job) -> Job:
    """The same job for another computer, where the sources lie elsewhere."""
    if job.npz is None:
        return job
    ours = job.npz.parent == paths.captures_root()
    return replace(job, npz=Path(job.npz.name) if ours else job.npz.absolute())


def arrived(job: Job) -> Job:
    """A portable job, on the computer that runs it."""
    return job if job.npz is None else replace(job, npz=_found(job.npz))


def from_suite(name: str) -> list[Job]:
    """The cases of a suite, or of a file of cases; smoke also runs the captures.

    A capture runs on every architecture for which smoke compiles the kernel that it takes.
    """
    if "/" in name or name.endswith(".txt"):
        return [from_case(case) for case in cases.read_file(Path(name))]
    if own := ops.own_ops():
        return [from_case(case) for case in cases.load_own_suite(name, _own_suites(own))]
    found = [from_case(case) for case in cases.load_suite(name, paths.cases_root())]
    if name == _CAPTURE_SUITE and paths.captures_root().is_dir():
        socs = _soc_by_kernel(job.case for job in found)
        for op in ops.OPS.values():
            for file in sorted(paths.captures_root().glob(f"{op.captures}*.npz")):
                first = from_npz(file, op.name, op.capture_soc)
                others = socs.get((op.name, ops.unit_dtypes(first.case)), {})
                found.append(first)
                found += [
                    from_npz(file, op.name, soc)
                    for arch, soc in sorted(others.items())
                    if arch != plan.find_soc(op.capture_soc).arch
                ]
    return found


def suite_names() -> list[str]:
    """Suites by name: the package's, or those of the operators that have come from outside."""
    if own := ops.own_ops():
        return sorted({file.stem for folder in _own_suites(own) for file in folder.glob("*.txt")})
    return cases.suite_names(paths.cases_root())


def _own_suites(own: Iterable[ops.OpDescription]) -> list[Path]:
    return list(dict.fromkeys(op.own.suites for op in own if op.own))


def _soc_by_kernel(
    suite: Iterable[Case],
) -> dict[tuple[str, tuple[str, ...]], dict[int, str]]:
    """By operator and dtypes of a kernel, for each architecture the first chip that runs it."""
    socs: dict[tuple[str, tuple[str, ...]], dict[int, str]] = {}
    for case in suite:
        if case.expect is None and not case.is_empty:
            by_arch = socs.setdefault((case.op, ops.unit_dtypes(case)), {})
            by_arch.setdefault(plan.find_soc(case.soc).arch, case.soc)
    return socs


def check_filters(
    op: Sequence[str] = (), soc: Sequence[str] = (), dtype: Sequence[str] = ()
) -> None:
    """A filter that no case can match is a misspelt one."""
    for name in op:
        ops.find_op(name)
    for name in soc:
        plan.find_soc(name)
    for name in dtype:
        if name not in dtypes.FLOAT_NAMES:
            raise NormgradError(f"unknown dtype {name!r}: {allowed(name, dtypes.FLOAT_NAMES)}")


def select(
    jobs: Iterable[Job],
    op: Sequence[str] = (),
    soc: Sequence[str] = (),
    dtype: Sequence[str] = (),
) -> list[Job]:
    """The jobs that match every filter given, each of them once; their chips are known ones.

    A family takes the cases of its products; a product also takes those of its family, on itself.
    """
    jobs = list(jobs)
    names = dict.fromkeys([*(job.case.soc for job in jobs), *map(str.lower, soc)])
    families = {name: plan.find_soc(name).family for name in names}
    on_chips = (there for job in jobs for there in _on_chips(job, soc, families))
    kept = {
        job.text: job
        for job in on_chips
        if (not op or job.case.op in op) and (not dtype or job.case.dtype in dtype)
    }
    return list(kept.values())


def _on_chips(job: Job, soc: Sequence[str], families: Mapping[str, str]) -> Iterator[Job]:
    """The job on those of the asked chips that it is for; on its own if no chip is asked for."""
    family, asked = families[job.case.soc], dict.fromkeys(map(str.lower, soc))
    if not asked or job.case.soc in asked or family in asked:
        yield job
    elif job.case.soc == family and job.npz is None:
        for name in asked:
            if families[name] == family:
                case = replace(job.case, soc=name)
                yield replace(job, text=str(case), case=case)


def with_ub(job: Job, ub_bytes: int) -> Job:
    """The same job planned for, and run with, another UB limit."""
    case = replace(job.case, ub=ub_bytes)
    return Job(job.text if job.npz else str(case), case, job.npz)
