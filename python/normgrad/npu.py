"""`python -m normgrad.npu`: build, install, verify and time on the NPU of this computer.

Each step is a program of its own whose output goes to the terminal and to a log. The package is
installed into a private folder: nothing of the system changes. Whatever happens, all logs, reports
and profiles end up in one archive that can be sent to somebody without such a device.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from normgrad import __version__, cann, ops, package, paths, plan, report
from normgrad.backends import acl_abi
from normgrad.errors import NormgradError

_VENDOR = "normgrad"
_SUITES = ("smoke", "published")
# What is timed: of each operator a usual size and a small one, in the dtype of most models.
_TIMED = ("4096x4096", "4096x8192", "32768x128")
_ARCHIVED = ("*.log", "about.json", "report/*", "msprof/**/*.csv", "package/build/CMakeCache.txt")


@dataclass(frozen=True)
class Step:
    """A program that was run, and how it ended."""

    name: str
    command: tuple[str, ...]
    code: int
    seconds: float

    @property
    def words(self) -> str:
        how = "ok" if self.code == 0 else f"exit code {self.code}"
        return f"{self.name:<8} {how}, {self.seconds:.0f} s, {self.name}.log"


@dataclass
class Session:
    """A run on a device: where its files are, and what has been done."""

    soc: plan.Soc
    out: Path
    steps: list[Step] = field(default_factory=list)

    def run(self, name: str, command: Sequence[str], more: Mapping[str, str] | None = None) -> bool:
        """Whether the program ended well; `more` is added to its environment."""
        report.say(f"-- {name}: {' '.join(command)}")
        began = time.perf_counter()
        with (self.out / f"{name}.log").open("w", encoding="utf-8") as log:
            try:
                process = subprocess.Popen(
                    command,
                    env={**os.environ, **(more or {})},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    errors="replace",
                )
            except OSError as error:
                raise NormgradError(f"{command[0]} does not start: {error.strerror}") from None
            assert process.stdout is not None
            for line in process.stdout:
                report.say(line.rstrip("\n"))
                log.write(line)
            code = process.wait()
        self.steps.append(Step(name, tuple(command), code, time.perf_counter() - began))
        return code == 0

    @property
    def vendor(self) -> Path:
        return self.out / "opp" / "vendors" / _VENDOR

    def environment(self) -> dict[str, str]:
        """The private package before all others, as its set_env.bash has it."""
        own = {
            "ASCEND_CUSTOM_OPP_PATH": self.vendor,
            "LD_LIBRARY_PATH": self.vendor / "op_api" / "lib",
        }
        joined = {
            name: os.pathsep.join(filter(None, (str(first), os.environ.get(name, ""))))
            for name, first in own.items()
        }
        return {**joined, acl_abi.EXPLICIT: str(self.vendor / "op_api/lib/libcust_opapi.so")}


def device(asked: str | None) -> plan.Soc:
    """The product of this computer; NormgradError says what is missing for it to be used."""
    for look in cann.examine(frozenset(op.type_name for op in ops.OPS.values())):
        if not look.ok and look.what != cann.PACKAGE:  # which is about to be installed
            raise NormgradError(f"{look.what}: {look.found}; {look.next_step}")
    if asked:
        return plan.find_soc(asked)
    try:
        name = acl_abi.device_name().lower().partition("-")[0]
    except (OSError, NormgradError) as error:
        raise NormgradError(
            f"CANN's runtime does not name the device ({error}): give --soc"
        ) from None
    return plan.find_soc(name)


def work(session: Session, words: argparse.Namespace) -> str | None:
    """All steps; the sentence that says which one failed."""
    operators = [op for op in ops.OPS if package.has_kernel(op, session.soc.family)]
    if not operators:
        raise NormgradError(f"no operator has a kernel on {session.soc.name}")
    python = (sys.executable, "-m")
    build = [*python, "normgrad.package", "--soc", session.soc.family, "--vendor", _VENDOR]
    build += ["--out", str(session.out / "package"), "--jobs", str(words.jobs)]
    if not session.run("package", build):
        return "the package was not built"
    made = sorted((session.out / "package" / "build").rglob("custom_opp_*.run"))
    install = ["bash", str(made[-1]), "--quiet", f"--install-path={session.out / 'opp'}"]
    if not session.run("install", install):
        return "the package was not installed"
    if not session.vendor.is_dir():
        return f"the package was installed, but not to {session.vendor}"
    use = session.environment()
    session.run("doctor", [*python, "normgrad", "doctor"], use)
    verify = [*python, "normgrad", "verify", "--backend", "aclnn", "--soc", session.soc.name]
    suites = [word for name in words.suite or _SUITES for word in ("--suite", name)]
    whole = [*verify, *suites, "--jobs", "1", "--report", str(session.out / "report")]
    is_right = session.run("verify", whole, use)
    if tool := shutil.which("msprof"):
        timed = [f"{op}:{session.soc.name}:{_dtype(op, session.soc)}:{shape}:seed1"
                 for op in operators for shape in _TIMED]  # fmt: skip
        command = [tool, f"--output={session.out / 'msprof'}", *verify[:-2], *timed, "--jobs", "1"]
        session.run("msprof", [*command, "--report", str(session.out / "timed")], use)
    else:
        report.say("-- msprof is not on the path: no times are collected")
    return None if is_right else "not all cases are as expected"


def _dtype(op: str, soc: plan.Soc) -> str:
    """That of most models, where the chip has it."""
    known = [dy for dy, _ in plan.dtype_combinations(op, soc.arch)]
    return "bf16" if "bf16" in known else known[0]


def archive(session: Session, said: str | None) -> Path:
    """One file with all that is worth reading elsewhere."""
    about = {
        "normgrad": __version__,
        "soc": session.soc.name,
        "cann": cann.version(cann.home()),
        "result": said or "ok",
        "steps": [asdict(step) for step in session.steps],
    }
    (session.out / "about.json").write_text(json.dumps(about, indent=2) + "\n")
    made = session.out / f"normgrad-npu-{session.soc.name}.tar.gz"
    with tarfile.open(made, "w:gz") as tar:
        for pattern in _ARCHIVED:
            for file in sorted(session.out.glob(pattern)):
                tar.add(file, arcname=f"normgrad-npu/{file.relative_to(session.out)}")
    return made


def main(words: Sequence[str]) -> str | None:
    """None, or the sentence that says what went wrong."""
    parser = argparse.ArgumentParser(prog="scripts/build.sh npu", allow_abbrev=False)
    parser.add_argument("--soc", help="the product, if CANN's runtime does not name it")
    parser.add_argument("--suite", action="append", help=f"cases to verify ({', '.join(_SUITES)})")
    parser.add_argument("--out", help="where everything goes (build/npu)")
    parser.add_argument(
        "--jobs", type=int, default=package.default_jobs(), help="compilers at once"
    )
    args = parser.parse_args(words)
    try:
        out = Path(args.out).resolve() if args.out else paths.products_root() / "build" / "npu"
        session = Session(device(args.soc), out)
        for old in ("opp", "report", "timed", "msprof"):
            shutil.rmtree(out / old, ignore_errors=True)
        out.mkdir(parents=True, exist_ok=True)
        said = work(session, args)
        made = archive(session, said)
    except NormgradError as error:
        return str(error)
    for step in session.steps:
        report.say(step.words)
    report.say(f"archive: {made}")
    return said


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
