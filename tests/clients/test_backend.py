"""`--backend aclnn`: the bits and the refusals of the twin's own backend."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from normgrad import build, defects, inputs, jobs, ops, paths, selftest
from normgrad.backends import LaunchOptions, aclnn, twin
from normgrad.cases import Case
from normgrad.errors import NormgradError
from normgrad.plan import Refused
from normgrad.run import plan_case

TWIN, ACLNN = LaunchOptions(threads=2, cycles=False), LaunchOptions(threads=2, backend="aclnn")
# What is quickest to see broken; whole suites are below.
SMALL = (
    "rms_norm_grad:ascend910b4:fp32:37x41:seed1",
    "rms_norm_grad:ascend910b4:bf16:3x5x24:axes=2:gamma=fp32:det=strong:seed2",
    "rms_norm_grad:ascend910_9391:fp16:130x512:noncontig=dy,x,rstd,gamma,dx,dgamma:seed3",
    "rms_norm_grad:ascend310p3:fp16:20x64:seed4",
    "rms_norm_grad:ascend950pr_9599:bf16:37x41:seed8",
    "rms_norm_grad_quant:ascend950pr_9599:bf16:37x41:offset=3:seed9",
    "rms_norm_grad_quant:ascend950pr_9599:fp32:9x40:dst=hif8:div=0:noncontig=dy,x,gamma,dx:seed10",
    "layer_norm_grad_v3:ascend910b4:bf16:40x96:seed5",
    "layer_norm_grad_v3:ascend910b4:fp16:7x33:gamma=none:mask=101:seed6",
    "layer_norm_grad_v3:ascend910b4:bf16:9x8x4:axes=2:gamma=fp32:stats=fp32:noncontig=mean,dx:seed7",
)


def suite(name: str) -> list[Case]:
    """The cases that the functions can run and do not refuse."""
    kept, _ = aclnn.select(jobs.from_suite(name), [])
    return [job.case for job in kept if job.npz is None and job.case.expect is None]


def is_large(case: Case) -> bool:
    return case.rows * case.cols > 1_000_000


def same_bits(case: Case) -> None:
    data, plan = inputs.make_inputs(case), plan_case(case)
    want, got = (
        backend.run(case, data, plan, options)
        for backend, options in ((twin, TWIN), (aclnn, ACLNN))
    )
    assert (want.error, want.findings, got.error) == (None, (), None), str(case)
    assert want.arrays.keys() == got.arrays.keys()
    for name, array in want.arrays.items():
        assert got.arrays[name].shape == array.shape
        assert got.arrays[name].tobytes() == array.tobytes(), f"{case}: {name}"


@pytest.mark.parametrize("text", SMALL)
def test_bits_are_those_of_the_other_backend(text: str) -> None:
    same_bits(Case.parse(text))


def test_a_launch_leaves_no_variable_behind() -> None:
    """What else the process starts would take the last case's chip for its own."""
    case, before = Case.parse(SMALL[3]), dict(os.environ)
    aclnn.run(case, inputs.make_inputs(case), plan_case(case), ACLNN)
    assert dict(os.environ) == before


@pytest.mark.parametrize("op", ops.OPS)
def test_bits_of_smoke(op: str) -> None:
    """Its larger cases, which are one in ten, are below with --full."""
    cases = [case for case in suite("smoke") if case.op == op and not is_large(case)]
    assert len(cases) > 5
    for case in cases:
        same_bits(case)


@pytest.mark.parametrize("op", ops.OPS)
def test_bits_of_published(op: str) -> None:
    cases = [case for case in suite("published") if case.op == op]
    assert len(cases) > 5
    for case in cases:
        same_bits(case)


@pytest.mark.full
@pytest.mark.parametrize("name", ["smoke", "ci", "models"])
def test_bits_of_a_whole_suite(name: str) -> None:
    cases = [case for case in suite(name) if name != "smoke" or is_large(case)]
    assert len(cases) > 10
    for case in cases:
        same_bits(case)


@pytest.mark.parametrize("name", ["smoke", "published"])
def test_refusals_are_the_planners(name: str) -> None:
    """Codes and sentences of what the suites expect to be refused."""
    kept, _ = aclnn.select(jobs.from_suite(name), [])
    refused = [job.case for job in kept if job.case.expect is not None]
    assert refused
    for case in refused:
        with pytest.raises(Refused) as want:
            plan_case(case)
        with pytest.raises(Refused) as got:
            aclnn.refuse(case)
        assert (got.value.code, got.value.sentence) == (want.value.code, want.value.sentence)


@pytest.mark.parametrize("knob", ["strategy=DxWholeRow", "ub=65536", "cores=2", "chunk=512"])
def test_forced_cases_are_left_out_and_counted(knob: str) -> None:
    free = "rms_norm_grad:ascend910b4:fp32:3x7:seed1"
    chosen = [jobs.from_text(free), jobs.from_text(f"rms_norm_grad:ascend910b4:fp32:3x7:{knob}")]
    kept, said = aclnn.select(chosen, [])
    assert [job.text for job in kept] == [free]
    assert said.startswith("1 of 2 cases left out")
    assert f"{knob.partition('=')[0]}=" in said
    assert aclnn.select(kept, []) == (kept, "")


@pytest.mark.parametrize("option", ["--shuffle-runs", "--check"])
def test_options_that_clients_do_not_have(option: str) -> None:
    with pytest.raises(NormgradError, match=f"have no {option}"):
        aclnn.select([], [option])


def test_verify_through_the_functions(tmp_path: Path) -> None:
    cases = [
        "rms_norm_grad:ascend910b4:fp32:3x7:seed1",
        "rms_norm_grad:ascend910b4:fp32:3x7:cores=1:seed1",
        "rms_norm_grad:ascend910b4:fp32:3x7:null=x:expect=161001:seed1",
    ]
    command = [sys.executable, "-m", "normgrad", "verify", "--backend", "aclnn", *cases]
    command += ["--report", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 of 3 cases left out: the aclnn functions take no cores=" in done.stdout
    rows = json.loads((tmp_path / "results.json").read_text())["rows"]
    assert [row["status"] for row in rows] == ["PASSED", "UNSUPPORTED"]
    assert rows[0]["command"].endswith("--backend aclnn")
    assert rows[1]["code"] == 161001


def test_a_launch_that_cannot_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever keeps a launch from its end comes back as the stream's sentence."""
    case = Case.parse(SMALL[0])
    monkeypatch.setenv("NORMGRAD_CHECK", "most")
    done = aclnn.run(case, inputs.make_inputs(case), plan_case(case), ACLNN)
    assert done.arrays == {}
    assert done.error is not None
    assert "aclrtSynchronizeStream gave code 507015" in done.error
    assert "check is 'most'" in done.error


@pytest.mark.parametrize("defect", ["never_waits_for_its_flag", "begins_a_row_late"])
def test_a_broken_rule_comes_with_its_finding(defect: str, tmp_path: Path) -> None:
    """RULE with rule, file and line, as through the twin's own backend; not a crash."""
    planted = selftest.choose([defect], full=True)[0]
    tree, cache = paths.copy_sources(tmp_path / "tree", "op_host"), tmp_path / "cache"
    defects.plant(planted, tree)
    cache.mkdir()
    build.acl_folder()
    build.link_all(cache)
    places = {"NORMGRAD_SOURCES": str(tree), "NORMGRAD_CACHE": str(cache)}
    found = []
    for backend in ("twin", "aclnn"):
        command = [sys.executable, "-m", "normgrad", "verify", "--backend", backend]
        command += [planted.cases[0], "--report", str(tmp_path / backend)]
        done = subprocess.run(
            command, env={**os.environ, **places}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1, done.stdout + done.stderr
        row = json.loads((tmp_path / backend / "results.json").read_text())["rows"][0]
        assert row["status"] == "RULE"
        first = row["findings"][0]
        found.append((first["rule"], first["file"], first["line"], first["callers"]))
        assert planted.word in row["reason"]
    assert found[0] == found[1]
