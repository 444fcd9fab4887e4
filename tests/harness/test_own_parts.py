"""Operators from outside: what a description may say, and the sentence for what it may not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from outside import described, outputs_of

from normgrad import cases, inputs, jobs, ops, own_parts, run, verdict
from normgrad.cases import Case
from normgrad.errors import NormgradError
from normgrad.plan import Refused
from normgrad.verdict import Status


@pytest.fixture(autouse=True)
def forgets() -> Iterator[None]:
    yield
    own_parts.use(())


WRONG = [
    ("told['name'] = 'Weighted'", "'Weighted' is no name: write small letters"),
    ("told['name'] = 'rms_norm_grad'", "there is an operator rms_norm_grad already"),
    ("told['kernel'] = 'kernl.cpp'", "there is no kernl.cpp in"),
    ("told['plan'] = 'plan.cpp'", "there is no plan.cpp in"),
    ("told['chips'] = {2201: ['fp23']}", "did you mean fp32?"),
    ("told['tensors'] = told['tensors'][:2]", "no tensor with role 'out': add one"),
    (
        "told['tensors'][0] = Tensor('a', 'in', 'case', 'whole')",
        "a has shape 'whole': allowed: all",
    ),
    ("told['tensors'][0] = Tensor('a', 'inn', 'case', 'all')", "did you mean in?"),
    ("told['tensors'][0] = Tensor('a', 'in', 'cases', 'all')", "did you mean case?"),
    ("1 / 0", "raised ZeroDivisionError (division by zero) at op.py:"),
    ("import nowhere_to_be_found", "raised ModuleNotFoundError"),
    ("def (", "raised SyntaxError"),
]


@pytest.mark.parametrize(("more", "says"), WRONG, ids=[more for more, _ in WRONG])
def test_a_wrong_description_is_one_sentence(tmp_path: Path, more: str, says: str) -> None:
    with pytest.raises(NormgradError) as caught:
        own_parts.use([described(tmp_path, more)])
    assert says in str(caught.value)
    assert str(tmp_path / "op.py") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "op.txt").write_text("")
    for name, says in (("none.py", "there is no such file"), ("op.txt", "name it op.py")):
        with pytest.raises(NormgradError, match=says):
            own_parts.use([tmp_path / name])


@pytest.mark.parametrize(
    ("last", "says"),
    [
        ("", "has no list OPS"),
        ("OPS = []", r"has OPS = \[\], no list of"),
        ("OPS = 1", r"has OPS = 1, no list of .*: write OPS = \["),
        ("OPS = OwnOp(**told)", r"has OPS = OwnOp\(name='weighted'"),
        ("OPS = [OwnOp(**told), 1]", "has 1 in its list OPS"),
    ],
)
def test_what_is_no_description_is_one_sentence(tmp_path: Path, last: str, says: str) -> None:
    with pytest.raises(NormgradError, match=says):
        own_parts.use([described(tmp_path, last=last)])


def test_the_same_operator_twice_is_refused(tmp_path: Path) -> None:
    file = described(tmp_path)
    own_parts.use([file, str(file)])  # the same file is the same operator
    (tmp_path / "other").mkdir()
    with pytest.raises(NormgradError, match="there is an operator weighted already"):
        own_parts.use([file, described(tmp_path / "other")])


def test_operators_from_outside_are_known_only_while_in_use(tmp_path: Path) -> None:
    with pytest.raises(NormgradError, match="one of your own comes with --ops-from"):
        Case.parse("weighted:ascend910b4:fp32:4x8")
    own_parts.use([described(tmp_path)])
    assert Case.parse("weighted:ascend910b4:fp32:4x8:cores=3").cores == 3
    for option in ("gamma=bf16", "noncontig=a", "mask=11"):
        with pytest.raises(NormgradError, match="weighted"):
            Case.parse(f"weighted:ascend910b4:fp32:4x8:{option}")
    own_parts.use(())
    assert list(ops.OPS) == list(ops.PACKAGE)


def test_plans_and_refusals(tmp_path: Path) -> None:
    own_parts.use([described(tmp_path)])
    plan = run.plan_case(Case.parse("weighted:ascend910b4:bf16:4x8:cores=3"))
    assert (plan.cores, plan.tiling, plan.tiling_key) == (3, b"12345678", 1)
    assert plan.minimum_bytes == 4 * 8 * 2 + 4 * 4 + 8 * 4 + 4 * 4
    assert plan.ub_limit_bytes == plan.soc.ub_plan_bytes
    for text, code, says in (
        ("weighted:ascend910b4:fp32:4x101", 561002, "cols is 101"),
        ("weighted:ascend310p3:fp32:4x8", 561003, "arch 2002"),
        ("weighted:ascend910b4:fp16:4x8", 161002, "it takes fp32, bf16 on"),
    ):
        with pytest.raises(Refused, match=says) as caught:
            run.plan_case(Case.parse(text))
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("told['plan'] = lambda *_: 1 / 0", "plan of weighted raised ZeroDivisionError"),
        ("told['plan'] = lambda *_: None", "return Planned"),
        ("told['plan'] = lambda *_: exit(0)", "plan of weighted raised SystemExit"),
        ("told['plan'] = lambda *_: Planned(cores=99, tiling=b'')", "99 cores: ascend910b4 has"),
    ],
)
def test_a_plan_that_fails_is_one_sentence(tmp_path: Path, more: str, says: str) -> None:
    own_parts.use([described(tmp_path, more)])
    with pytest.raises(NormgradError, match=says):
        run.plan_case(Case.parse("weighted:ascend910b4:fp32:4x8"))


@pytest.mark.parametrize("shape", ["300x70", "1x1", "5000x100", "0x8"])
def test_verdict_follows_the_golden_of_the_description(tmp_path: Path, shape: str) -> None:
    own_parts.use([described(tmp_path)])
    case = Case.parse(f"weighted:ascend910b4:bf16:{shape}")
    data = inputs.make_inputs(case)
    assert set(np.unique(data["weight"])) <= {1.0, 2.0, 3.0, 4.0}
    outputs = outputs_of(case, data)
    judged = verdict.judge(case, data, outputs)
    assert judged.status is Status.PASSED, judged.reason
    if case.is_empty:
        return
    assert judged.metrics["total"]["compared"] == case.cols
    assert judged.metrics["norm"]["compared"] == case.rows
    outputs["norm"][-1] *= np.float32(1 + 2**-18)
    judged = verdict.judge(case, data, outputs)
    assert judged.status is Status.FAILED
    assert f"norm[{case.rows - 1}] (row {case.rows - 1}, col 0" in judged.reason
    outputs["total"][0] = np.nan
    assert "2 of" not in judged.reason
    assert "total[0] (col 0)" in verdict.judge(case, data, outputs).reason


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("told['golden'] = lambda a, weight: {'norm': 1}", "gives no Terms for total"),
        ("told['golden'] = lambda a: {}", "golden of weighted raised TypeError"),
        (
            "told['golden'] = lambda a, weight: {'total': Terms(a.sum(0), u=np.inf)}",
            "total an s or u that is no budget",
        ),
        (
            "told['golden'] = lambda a, weight: {'total': Terms(a.sum(0), -1.0)}",
            "total an s or u that is no budget",
        ),
        (
            "told['golden'] = lambda a, weight: {'total': Terms(a)}",
            "total with value, s and u of shapes",
        ),
    ],
)
def test_a_golden_that_fails_is_one_sentence(tmp_path: Path, more: str, says: str) -> None:
    own_parts.use([described(tmp_path, more)])
    case = Case.parse("weighted:ascend910b4:fp32:4x8")
    data = inputs.make_inputs(case)
    with pytest.raises(NormgradError, match=says):
        verdict.judge(case, data, outputs_of(case, data))


def test_suites_are_those_of_the_description(tmp_path: Path) -> None:
    own_parts.use([described(tmp_path)])
    with pytest.raises(cases.CaseError, match="unknown suite 'smoke'"):
        jobs.from_suite("smoke")
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "smoke.txt").write_text("weighted:ascend910b4:fp32:{1..3}x8\n")
    assert len(jobs.from_suite("smoke")) == 3
    assert jobs.suite_names() == ["smoke"]
    again = jobs.from_suite("smoke")[0].command()
    assert again.endswith(f"--ops-from {tmp_path / 'op.py'}")


def test_a_digest_follows_sources_and_description(tmp_path: Path) -> None:
    own_parts.use([described(tmp_path)])
    own = ops.find_op("weighted").own
    assert own is not None
    before, sources = own.digest(), own.sources()
    (tmp_path / "kernel.cpp").write_text('#include "kernel.h"\n')
    (tmp_path / "kernel.h").write_text("// new")
    changed, new_sources = own.digest(), own.sources()
    (tmp_path / "op.py").write_text("# new")
    assert len({before, changed, own.digest()}) == 3
    assert sources != new_sources == own.sources()  # of the reference no kernel is made
