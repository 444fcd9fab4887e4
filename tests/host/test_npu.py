"""`build.sh npu` with everything but the device: stand-ins for the vendor's commands.

The package that the stand-in for CANN's build makes has the twin's library in it, under the names
of CANN's: cases then run through the whole of it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from stand_ins import stand_in

from normgrad import build, cann, npu, paths
from normgrad.backends import acl_abi
from normgrad.errors import NormgradError

CASES = "rms_norm_grad:ascend910b4:fp32:3x7:seed1\nlayer_norm_grad_v3:ascend910b4:fp32:3x7:seed1\n"
PROFILE = "PROF_1/mindstudio_profiler_output/op_summary_1.csv"
# What the .run file does: a vendor's folder below --install-path, with libraries and set_env.bash.
INSTALLER = """#!/bin/sh
for word in "$@"; do
  case $word in --install-path=*) path=${{word#--install-path=}} ;; esac
done
echo installing into "$path"
lib="$path/vendors/{vendor}/op_api/lib"
mkdir -p "$lib"
ln -s {acl}/libnormgrad_acl.so "$lib/libcust_opapi.so"
ln -s {acl}/libnormgrad_tiling.so "$lib"
"""


@dataclass(frozen=True)
class Machine:
    """A computer with CANN, a driver and one NPU, all of them made of files."""

    root: Path

    @property
    def tools(self) -> Path:
        return self.root / "bin"

    def run(self, *words: str) -> str | None:
        cases = self.root / "cases.txt"
        cases.write_text(CASES)
        return npu.main(["--suite", str(cases), "--out", str(self.root / "out"), *words])

    def archived(self) -> dict[str, bytes]:
        found = {}
        with tarfile.open(next((self.root / "out").glob("*.tar.gz"))) as tar:
            for member in tar.getmembers():
                data = tar.extractfile(member)
                assert data is not None
                found[member.name.removeprefix("normgrad-npu/")] = data.read()
        return found


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    acl, home = build.acl_folder(), tmp_path / "cann"
    (home / "compiler").mkdir(parents=True)
    (home / "compiler" / "version.info").write_text("Version=8.5.0\n")
    (home / "opp").mkdir()
    (home / "lib64").mkdir()
    for name in ("libascendcl.so", "libnnopbase.so", "libnormgrad_tiling.so"):
        (home / "lib64" / name).symlink_to(acl / name)
    installer = tmp_path / "installer"
    installer.write_text(INSTALLER.format(vendor="normgrad", acl=acl))
    stand_in(made.tools / "npu-smi", "echo 'Total Count : 1'")
    run = f"{tmp_path}/out/package/build/custom_opp_linux_x.run"
    stand_in(
        made.tools / "cmake",
        f'[ "$1" = --build ] || exit 0\nmkdir -p $(dirname {run}); cp {installer} {run}',
    )
    stand_in(
        made.tools / "msprof",
        f'out=${{1#--output=}}/{PROFILE}; shift\nmkdir -p $(dirname $out); echo "$@" >$out',
    )
    monkeypatch.setenv("PATH", str(made.tools), prepend=":")
    monkeypatch.setenv("ASCEND_HOME_PATH", str(home))
    monkeypatch.setenv("ASCEND_OPP_PATH", str(home / "opp"))
    monkeypatch.delenv("ASCEND_CUSTOM_OPP_PATH", raising=False)
    monkeypatch.delenv(acl_abi.EXPLICIT, raising=False)
    for name, value in acl_abi.environment("ascend910b4").items():  # the twin's library asks these
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("NORMGRAD_CACHE", str(paths.cache_root()))
    (tmp_path / "davinci").touch()
    monkeypatch.setattr(cann, "_DEVICE", tmp_path / "davinci")
    monkeypatch.setattr(npu.acl_abi, "device_name", lambda: "Ascend910B4")
    return made


def test_everything_ends_up_in_one_archive(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert machine.run("--jobs", "1") is None
    said = capsys.readouterr().out
    for step in ("package", "install", "doctor", "verify", "msprof"):
        assert f"\n{step:<8} " in said
    assert f"archive: {machine.root}/out/normgrad-npu-ascend910b4.tar.gz" in said
    held = machine.archived()
    about = json.loads(held["about.json"])
    assert (about["soc"], about["cann"], about["result"]) == ("ascend910b4", "8.5.0", "ok")
    assert [step["name"] for step in about["steps"]] == [
        "package", "install", "doctor", "verify", "msprof",
    ]  # fmt: skip
    rows = json.loads(held["report/results.json"])["rows"]
    assert [(row["case"], row["status"]) for row in rows] == [
        (text, "PASSED") for text in CASES.split()
    ]
    assert b"installing into" in held["install.log"]
    assert b"normgrad package" in held["doctor.log"]
    timed = held[f"msprof/{PROFILE}"].decode()
    assert "verify --backend aclnn rms_norm_grad:ascend910b4:bf16:4096x4096:seed1" in timed
    assert "layer_norm_grad_v3:ascend910b4:bf16:32768x128:seed1" in timed


def test_cases_run_in_the_private_package(machine: Machine) -> None:
    """And not in one that is installed already."""
    elsewhere = machine.root / "cann" / "opp" / "vendors"
    (elsewhere / "other" / "op_api" / "lib").mkdir(parents=True)
    (elsewhere / "other" / "op_api" / "lib" / "libcust_opapi.so").write_text("no library")
    (elsewhere / "config.ini").write_text("load_priority=other\n")
    assert machine.run() is None
    assert sorted(path.name for path in elsewhere.iterdir()) == ["config.ini", "other"]


def test_without_msprof_no_times(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    (machine.tools / "msprof").unlink()
    assert machine.run() is None
    assert "msprof is not on the path" in capsys.readouterr().out
    assert not [name for name in machine.archived() if name.startswith("msprof")]


def test_a_case_that_fails_is_said_and_archived(machine: Machine) -> None:
    """A case that passes where a refusal is expected."""
    cases = machine.root / "other.txt"
    cases.write_text("rms_norm_grad:ascend910b4:fp32:3x7:expect=161002:seed1\n")
    said = npu.main(["--suite", str(cases), "--out", str(machine.root / "out")])
    assert said == "not all cases are as expected"
    held = machine.archived()
    assert json.loads(held["about.json"])["result"] == said
    assert b"161002" in held["verify.log"]


@pytest.mark.parametrize(
    ("tool", "lines", "said"),
    [
        ("cmake", "echo no compiler; exit 1", "the package was not built"),
        (
            "cmake",
            "mkdir -p {out}/package/build; echo exit 4 >{out}/package/build/custom_opp_x.run",
            "the package was not installed",
        ),
        (
            "cmake",
            "mkdir -p {out}/package/build; echo true >{out}/package/build/custom_opp_x.run",
            "the package was installed, but not to {out}/opp/vendors/normgrad",
        ),
    ],
)
def test_a_step_that_fails_ends_it_with_an_archive(
    tool: str, lines: str, said: str, machine: Machine
) -> None:
    out = machine.root / "out"
    stand_in(machine.tools / tool, lines.format(out=out))
    assert machine.run() == said.format(out=out)
    assert json.loads(machine.archived()["about.json"])["result"] == said.format(out=out)
    assert "package.log" in machine.archived()


def test_what_is_missing_is_said_first(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cann, "_DEVICE", machine.root / "none")
    said = machine.run()
    assert said is not None
    assert "install the driver" in said
    assert not (machine.root / "out").exists()


def test_the_device_names_itself(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert npu.device(None).name == "ascend910b4"
    assert npu.device("ascend910b1").name == "ascend910b1"

    def unknown() -> str:
        raise OSError("libascendcl.so: no such file")

    monkeypatch.setattr(npu.acl_abi, "device_name", unknown)
    with pytest.raises(NormgradError, match="give --soc"):
        npu.device(None)


def test_the_runtime_is_asked_for_the_name(machine: Machine) -> None:
    """The real question, to the twin's library by the name of CANN's."""
    program = "from normgrad.backends import acl_abi\nprint(acl_abi.device_name())"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout == "Ascend910B4\n", done.stderr
