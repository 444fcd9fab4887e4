"""Operators from outside: values of the wrong kind, one sentence each, and their look-alikes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from outside import described, outputs_of

from normgrad import cli, inputs, jobs, ops, own_parts, run, verdict
from normgrad.cases import Case
from normgrad.errors import NormgradError
from normgrad.plan import Refused

CASE = "weighted:ascend910b4:fp32:4x8"


@pytest.fixture(autouse=True)
def forgets() -> Iterator[None]:
    yield
    own_parts.use(())


def says_once(caught: pytest.ExceptionInfo[BaseException], *words: str) -> None:
    said = str(caught.value)
    assert all(word in said for word in words), said
    assert "\n" not in said
    assert len(said) < 500


# What is assigned, the value as the sentence repeats it, and the way out.
DESCRIPTIONS = [
    ("told['name'] = 3", "3 is no name", "write small letters"),
    ("told['chips'] = [2201]", "chips of weighted is [2201]", 'write {2201: ("fp32", "bf16")}'),
    ("told['chips'] = {}", "chips of weighted is {}", 'write {2201: ("fp32", "bf16")}'),
    ("told['chips'] = {910: ['fp32']}", "the architecture 910", "allowed: 1001, 2002, 2201, 3510"),
    ("told['chips'] = {'2201': ['fp32']}", "the architecture '2201'", "as numbers"),
    ("told['chips'] = {2201: 'fp32'}", "has 'fp32' for 2201", "an architecture with its dtypes"),
    ("told['chips'] = {2201: []}", "has [] for 2201", "an architecture with its dtypes"),
    ("told['chips'] = {2201: [32]}", "has 32 for 2201", "write a dtype such as"),
    ("told['chips'] = {2201: [('fp32',)]}", "has ('fp32',) for 2201", "write a dtype such as"),
    ("told['chips'] = {2201: [('fp32', 4)]}", "dtype 4 on arch 2201", "allowed: fp16, bf16, fp32"),
    ("told['chips'] = {2201: [('bf16', 'fp32')]}", "('bf16', 'fp32')", "write the first alone"),
    ("told['chips'] = {2201: ['int8']}", "dtype 'int8'", "allowed: fp16, bf16, fp32"),
    ("told['tensors'] = 'ab'", "tensors of weighted is 'ab'", "write a list of Tensor("),
    ("told['tensors'][0] = ('a', 'in', 'case', 'all')", "holds ('a', 'in', 'case", "write Tensor("),
    ("told['tensors'][1] = told['tensors'][0]", "two tensors of weighted are named a", "rename"),
    ("told['tensors'][0] = Tensor('A', 'in', 'case', 'all')", "named 'A'", "small letters"),
    ("told['tensors'][0] = Tensor('a b', 'in', 'case', 'all')", "named 'a b'", "small letters"),
    ("told['tensors'][0] = Tensor(1, 'in', 'case', 'all')", "named 1", "small letters"),
    ("told['tensors'][0] = Tensor('tiling', 'in', 'case', 'all')", "named tiling", "leave it away"),
    ("told['tensors'][0] = Tensor('a', ['in'], 'case', 'all')", "role ['in']", "allowed: in, out"),
    ("told['tensors'][0] = Tensor('a', 'in', 'scale', 'all')", "'scale'", "allowed: case, gamma,"),
    ("told['tensors'][0] = Tensor('a', 'in', 'int32', 'all')", "'int32'", "stats, fp32"),
    ("told['tensors'][2] = Tensor('total', 'out', 'dst', 'all')", "'dst'", "stats, fp32"),
    (
        "told['tensors'][1] = Tensor('weight', 'in', 'fp32', 'one value')",
        "'one value'",
        "ones, nor",
    ),
    ("told['tensors'][0] = Tensor('a', 'in', 'case', 'all', True)", "a has more", "leave the rest"),
    ("told['kernel'] = 7", "kernel of weighted is 7", "a .cpp file"),
    ("told['plan'] = 7", "plan of weighted is 7", "a .cpp file or a function"),
    ("told['golden'] = {}", "golden of weighted is {}", "write a function"),
    ("told['inputs'] = []", "inputs of weighted is []", "or None"),
    ("told['suites'] = 'nofolder'", "is 'nofolder'", "make it, with NAME.txt in it"),
    ("told['suites'] = 'kernel.cpp'", "is 'kernel.cpp'", "leave suites away"),
    ("told['suites'] = ['cases']", "is ['cases']", "the name of a folder"),
    ("told['attributes'] = ['eps']", "is ['eps']", 'as {"epsilon": 1e-6}'),
    ("told['attributes'] = {'eps': 'x'}", "eps is 'x'", "a finite number"),
    ("told['attributes'] = {'eps': float('inf')}", "eps is inf", "a finite number"),
    ("told['attributes'] = {'n': 10**18}", "n is 1000000000000000000", "15 digits"),
    ("told['attributes'] = {'Eps': 1.0}", "named 'Eps'", "small letters"),
    ("told['attributes'] = {'cores': 1}", "named cores, as an option", "another name"),
    ("told['attributes'] = {'a': 1}", "named a, as a tensor", "another name"),
    ("told['attributes'] = {'seed2': 1}", "named seed2, as an option", "another name"),
    ("import os; os._exit(0)", "SystemExit (os._exit(0)) at op.py:", "mend it there"),
    ("import helper_of_nobody", "helper_of_nobody", "imported at its top"),
]


@pytest.mark.parametrize(("more", "value", "out"), DESCRIPTIONS, ids=[d[0] for d in DESCRIPTIONS])
def test_a_description_of_wrong_kinds(tmp_path: Path, more: str, value: str, out: str) -> None:
    with pytest.raises(NormgradError) as caught:
        own_parts.use([described(tmp_path, more)])
    says_once(caught, str(tmp_path / "op.py"), value, out)


LOOK_ALIKES = [
    "told['tensors'] = tuple(told['tensors'])",
    "told['chips'] = {2201: ('bf16', 'fp32'), 2002: ['fp32']}",
    "told['tensors'][1] = Tensor('gamma', 'in', 'gamma', 'normalised')\n"
    "told['chips'] = {2201: [('bf16', 'fp32'), 'fp32']}",
    "told['attributes'] = {'epsilon': 1e-6, 'causal': True, 'k': 3, 'seeds': 1, 'scale': 1.0}",
    "told['attributes'] = {'mask': 2}",
    "told['inputs'] = None",
    "import types; told['chips'] = types.MappingProxyType({np.int64(2201): ['fp32']})",
]


@pytest.mark.parametrize("more", LOOK_ALIKES)
def test_a_description_that_only_looks_odd_is_taken(tmp_path: Path, more: str) -> None:
    own_parts.use([described(tmp_path, more)])
    assert ops.find_op("weighted").own is not None


PLANS = [
    ("cores='many', tiling=b''", "cores='many'", "whole number from 0"),
    ("cores=2.5, tiling=b''", "cores=2.5", "whole number from 0"),
    ("cores=True, tiling=b''", "cores=True", "whole number from 0"),
    ("cores=-1, tiling=b''", "cores=-1", "whole number from 0"),
    ("cores=0, tiling=b''", "0 cores for 4 rows of 8", "1 to 40; 0 is for no elements"),
    ("cores=1, tiling='abc'", "tiling='abc'", "as struct.pack gives"),
    ("cores=1, tiling=None", "tiling=None", "as struct.pack gives"),
    ("cores=1, tiling=b'', workspace_bytes=-5", "workspace_bytes=-5", "whole number from 0"),
    ("cores=1, tiling=b'', workspace_bytes=2**63", "workspace_bytes=9223372036854775808", "to 1,"),
    ("cores=1, tiling=b'', tiling_key=-1", "tiling_key=-1", "whole number from 0"),
    ("cores=1, tiling=b'', tiling_key='1'", "tiling_key='1'", "whole number from 0"),
    ("cores=1, tiling=b'', strategy=None", "strategy=None", "a text of one line"),
    ("cores=1, tiling=b'', reason='a\\nb'", "reason='a\\nb'", "a text of one line"),
    ("cores=1, tiling=b'', buffers=5", "buffers=5", "a list of Buffer("),
    ("cores=1, tiling=b'', buffers=[('x', 4, 2)]", "a buffer ('x', 4, 2)", "write Buffer("),
    ("cores=1, tiling=b'', buffers=[Buffer('x', 'y', 2)]", "bytes='y'", "write Buffer("),
    ("cores=1, tiling=b'', buffers=[Buffer('x', 1, 2, 3)]", "x of phase 3", "write 1 or 2"),
    ("cores=1, tiling=b'', fields=[1]", "fields=[1]", "names with numbers"),
    ("cores=1, tiling=b'', fields={'rows': '8'}", "'rows' of '8'", "a finite number"),
    ("cores=1, tiling=b'', fields={'rows': float('nan')}", "'rows' of nan", "a finite number"),
    ("cores=1, tiling=b'', declared_c='4'", "declared_c='4'", "usually 4.0"),
    ("cores=1, tiling=b'', declared_c=-4", "declared_c=-4", "usually 4.0"),
]


def planning(body: str) -> str:
    return f"from normgrad.own import Buffer\ndef plan(*_):\n    {body}\ntold['plan'] = plan"


@pytest.mark.parametrize(("words", "value", "out"), PLANS, ids=[p[0] for p in PLANS])
def test_a_plan_of_wrong_kinds(tmp_path: Path, words: str, value: str, out: str) -> None:
    own_parts.use([described(tmp_path, planning(f"return Planned({words})"))])
    with pytest.raises(NormgradError) as caught:
        run.plan_case(Case.parse(CASE))
    says_once(caught, "plan of weighted", value, out)


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    words = (
        "cores=np.int64(2), tiling=bytearray(4), tiling_key=np.uint8(3), declared_c=np.float32(5),"
        "buffers=[Buffer('x', np.int32(4), 2)], fields={'rows': np.int64(8), 'f': np.float32(0.5)}"
    )
    own_parts.use([described(tmp_path, planning(f"return Planned({words})"))])
    made = run.plan_case(Case.parse(CASE))
    assert (made.cores, made.tiling, made.tiling_key, made.declared_c) == (2, bytes(4), 3, 5.0)
    assert (made.fields, made.buffers[0].bytes) == ({"rows": 8, "f": 0.5}, 4)
    json.dumps([made.fields, made.cores, made.buffers[0].bytes])


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("import os; os._exit(0)", r"raised SystemExit \(os\._exit\(0\)\) at op\.py:"),
        ("raise Refused('no', 1)", r"raised Refused\('no', 1\): write a code such as 561002"),
        ("raise Refused(561002, '')", r"raised Refused\(561002, ''\): write a code"),
    ],
)
def test_a_plan_that_ends_oddly(tmp_path: Path, body: str, says: str) -> None:
    own_parts.use([described(tmp_path, planning(body))])
    with pytest.raises(NormgradError, match=says):
        run.plan_case(Case.parse(CASE))


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("{'weight': rng.random(5)}", r"weight, which has shape \(5,\): it must be \(4,\)"),
        ("{'weight': rng.random((1, 4))}", r"has shape \(1, 4\)"),
        ("{'wieght': rng.random(4)}", r"gives 'wieght': its inputs are a, weight"),
        ("{'total': rng.random(8)}", r"gives 'total': its inputs are a, weight"),
        ("{'weight': ['x'] * 4}", r"give an array of real numbers"),
        ("{'weight': 1j * rng.random(4)}", r"give an array of real numbers"),
        ("{'weight': None}", r"weight, which is None: give an array"),
        ("rng.random(4)", r"returned array\(.*: return a dict of arrays"),
        ("1 / 0", r"inputs of weighted raised ZeroDivisionError"),
    ],
)
def test_inputs_of_the_wrong_kind(tmp_path: Path, value: str, says: str) -> None:
    own_parts.use([described(tmp_path, f"told['inputs'] = lambda case, rng: {value}")])
    with pytest.raises(NormgradError, match=says):
        inputs.make_inputs(Case.parse(CASE))


@pytest.mark.parametrize("value", ["rng.random((4, 1))", "[1, 2, 3, 4]", "rng.random(4) > 0.5"])
def test_inputs_that_only_look_odd(tmp_path: Path, value: str) -> None:
    more = f"told['inputs'] = lambda case, rng: {{'weight': {value}}}"
    own_parts.use([described(tmp_path, more)])
    data = inputs.make_inputs(Case.parse(CASE))
    assert (data["weight"].shape, data["weight"].dtype) == ((4,), np.float32)


def test_a_name_of_the_package_with_another_shape_or_dtype_is_its_own(tmp_path: Path) -> None:
    """x is drawn in the case's dtype, as rows and cols: another x must not get those bytes."""
    more = (
        "told['tensors'][0] = Tensor('x', 'in', 'fp32', 'all')\n"
        "told['tensors'][1] = Tensor('gamma', 'in', 'case', 'leading')\n"
        "told['tensors'].insert(2, Tensor('mean', 'in', 'fp32', 'leading'))\n"
        "told['inputs'] = None"
    )
    own_parts.use([described(tmp_path, more)])
    data = inputs.make_inputs(Case.parse("weighted:ascend910b4:bf16:4x8"))
    assert (data["x"].shape, data["x"].dtype) == ((4, 8), np.float32)
    assert (data["gamma"].shape, data["gamma"].dtype.name) == ((4,), "bfloat16")
    np.testing.assert_allclose(data["mean"], data["x"].mean(axis=1), rtol=1e-6)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("{'total': Terms('abc')}", r"gives total a value that is 'abc': give an array of real"),
        ("{'total': Terms(a.sum(0), s='x')}", r"gives total an s that is 'x'"),
        ("{'total': Terms(a.sum(0), u=None)}", r"gives total a u that is None"),
        ("{'total': Terms(1j * a.sum(0))}", r"gives total a value that is array"),
        ("{'total': Terms([[1], [2, 3]])}", r"gives total a value that is \[\[1\], \[2, 3\]\]"),
        ("[Terms(a.sum(0))]", r"gives no Terms for total"),
        ("(_ for _ in ()).throw(Refused(561002, 'no'))", r"golden of weighted raised Refused"),
        ("__import__('os')._exit(0)", r"golden of weighted raised SystemExit \(os._exit"),
    ],
)
def test_a_golden_of_the_wrong_kind(tmp_path: Path, value: str, says: str) -> None:
    own_parts.use([described(tmp_path, f"told['golden'] = lambda a, weight: {value}")])
    case = Case.parse(CASE)
    data = inputs.make_inputs(case)
    with pytest.raises(NormgradError, match=says):
        verdict.judge(case, data, outputs_of(case, data))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (":strategy=Foo", "made Whole, and the case says strategy=Foo: heed options.strategy"),
        (":cores=3", "asks for 20 cores: the case says cores=3: heed options.cores"),
    ],
)
def test_a_wish_that_is_broken(tmp_path: Path, options: str, says: str) -> None:
    own_parts.use([described(tmp_path, planning("return Planned(cores=20, tiling=b'')"))])
    with pytest.raises(NormgradError, match=says):
        run.plan_case(Case.parse(f"{CASE}{options}"))


def test_a_wish_that_changes_nothing_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = described(tmp_path, planning("return Planned(cores=1, tiling=b'')"))
    case = f"{CASE}:cores=3:ub=65536:chunk=512:strategy=Whole"
    wishes = ["--set", "rows_per_tile=2", "--set", "buffers=2"]
    assert cli.main(["plan", case, *wishes, "--ops-from", str(file)]) == 0
    said = capsys.readouterr().out
    assert "note: chunk=512 changes nothing: the plan does not look at options.chunk_cols" in said
    assert "rows_per_tile=2 changes nothing" in said
    assert "buffers=2 changes nothing" in said
    heeds = planning("return Planned(cores=1, tiling=bytes(_[2].chunk_cols or 8))")
    own_parts.use([described(tmp_path, heeds)])
    assert run.plan_case(Case.parse(f"{CASE}:chunk=16")).remark == ""


def test_what_outside_code_prints_is_not_between_the_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loud = planning("print('loud'); return Planned(cores=1, tiling=b'')")
    file = described(tmp_path, f"print('louder')\n{loud}")
    assert cli.main(["plan", CASE, "--json", "--ops-from", str(file)]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["rows"][0]["cores"] == 1
    assert "loud\n" in said.err


def test_a_module_beside_a_description_is_its_own(tmp_path: Path) -> None:
    files = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "helper.py").write_text(f"CORES = {number}\n")
        more = planning("return Planned(cores=helper.CORES, tiling=b'')")
        files.append(described(folder, f"import helper\ntold['name'] = 'op{number}'\n{more}"))
    own_parts.use(files)
    for number in (1, 2):
        case = Case.parse(f"op{number}:ascend910b4:fp32:4x8")
        assert run.plan_case(case).cores == number
    assert "helper" not in sys.modules
    assert str(tmp_path / "1") not in sys.path
    own = ops.find_op("op1").own
    assert own is not None
    before = own.digest()
    (tmp_path / "1" / "helper.py").write_text("CORES = 3\n")
    assert own.digest() != before
    own_parts.use(files)
    assert run.plan_case(Case.parse("op1:ascend910b4:fp32:4x8")).cores == 3


def test_a_dataclass_in_a_description(tmp_path: Path) -> None:
    """It looks for its module by name."""
    file = described(tmp_path, "@dataclass\nclass Tiling:\n    rows: int = 0")
    head = "from __future__ import annotations\nfrom dataclasses import dataclass\n"
    file.write_text(head + file.read_text())
    own_parts.use([file])


ATTRIBUTES = """
told['attributes'] = {'epsilon': 1e-6, 'k': 2, 'causal': False, 'scale': 1.0}
def golden(a, weight, epsilon, k, causal, scale):
    assert type(epsilon) is float and type(k) is int and type(causal) is bool
    scale *= epsilon * k * (3 if causal else 1)
    return {"total": Terms((a * weight).sum(axis=0) * scale),
            "norm": Terms(np.abs(a).sum(axis=1, keepdims=True))}
def plan(soc, problem, options):
    return Planned(cores=problem.attributes['k'], tiling=repr(dict(problem.attributes)).encode())
def inputs(case, rng):
    return {"weight": np.full(case.rows, case.attributes['epsilon'])}
told |= dict(golden=golden, plan=plan, inputs=inputs)
"""


def test_attributes_reach_golden_plan_and_inputs(tmp_path: Path) -> None:
    own_parts.use([described(tmp_path, ATTRIBUTES)])
    case = Case.parse(f"{CASE}:causal=1:scale=2:epsilon=0.5:k=2")
    assert str(case) == f"{CASE}:epsilon=0.5:causal=1:scale=2.0:seed1"
    assert Case.parse(str(case)) == case
    assert str(Case.parse(f"{CASE}:epsilon=1e-6:causal=0")) == f"{CASE}:seed1"
    made = run.plan_case(case)
    assert (made.cores, made.tiling) == (
        2,
        b"{'epsilon': 0.5, 'k': 2, 'causal': True, 'scale': 2.0}",
    )
    data = inputs.make_inputs(case)
    assert (data["weight"] == 0.5).all()
    outputs = outputs_of(case, data)
    outputs["total"] *= np.float32(0.5 * 2 * 3 * 2.0)
    assert verdict.judge(case, data, outputs).status == "PASSED"
    assert verdict.judge(Case.parse(f"{CASE}:epsilon=0.5"), data, outputs).status == "FAILED"


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("epsilon=", "epsilon= is not valid: write a finite number"),
        ("epsilon=1e400", "epsilon=1e400 is not valid: write a finite number"),
        ("epsilon=nan", "write a finite number"),
        ("epsilon=1_0", "write a finite number"),
        ("k=1.5", "k=1.5 is not valid: write a whole number"),
        ("causal=yes", "causal=yes is not valid: allowed: 0, 1"),
        ("epsilom=1", "did you mean epsilon=?"),
        ("epsilon=1:epsilon=2", "gives epsilon twice: keep one"),
    ],
)
def test_attributes_of_the_wrong_kind(tmp_path: Path, option: str, says: str) -> None:
    own_parts.use([described(tmp_path, ATTRIBUTES)])
    with pytest.raises(NormgradError) as caught:
        Case.parse(f"{CASE}:{option}")
    says_once(caught, says)


def test_bench_takes_the_suites_of_the_description(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = described(tmp_path)
    assert cli.main(["bench", "--ops-from", str(file)]) == 2
    assert "write a suite cases/bench.txt" in capsys.readouterr().err
    (tmp_path / "cases").mkdir()
    smoke = tmp_path / "cases" / "smoke.txt"
    smoke.write_text(f"{CASE}\nweighted:ascend910b4:fp32:4x101:expect=561002\n")
    asked: list[str] = []
    monkeypatch.setattr("normgrad.commands.build_units", lambda chosen: asked.extend(
        job.text for job in chosen))  # fmt: skip
    monkeypatch.setattr("normgrad.run.run_case", lambda job, _: run.Outcome(
        job, run.error_row(job, "", run.LaunchOptions())))  # fmt: skip
    cli.main(["bench", "--ops-from", str(file)])
    assert asked == [f"{CASE}:seed1"]
    (tmp_path / "cases" / "bench.txt").write_text("weighted:ascend910b4:fp32:8x8\n")
    cli.main(["bench", "--ops-from", str(file)])
    assert asked[1:] == ["weighted:ascend910b4:fp32:8x8:seed1"]


def test_sizes_beyond_64_bits_are_refused_as_written(tmp_path: Path) -> None:
    own_parts.use([described(tmp_path)])
    with pytest.raises(Refused, match="rows or cols is 10,000,000,000,000,000,000,000"):
        run.plan_case(jobs.from_text("weighted:ascend910b4:fp32:10000000000000000000000x8").case)
