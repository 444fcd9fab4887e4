"""What CANN's host calls gives what the planner gives: bytes, key, cores, refusals, dtypes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import op_host
import pytest

from normgrad import cases, ops, paths, plan, run
from normgrad.cases import Case
from normgrad.plan import Refused, TensorDesc

TYPES = {"rms_norm_grad": "RmsNormGrad"}
MIB = 1 << 20
# What the framework keeps of the workspace: asc-devkit, platform_ascendc.cpp.
KEPT = {1001: 2 * MIB, 2002: 2 * MIB, 2201: 16 * MIB, 3510: 16 * MIB}
START_TOGETHER = 1
GRAPH_FAILED = 0xFFFFFFFF

CASE = Case.parse("rms_norm_grad:ascend910b4:bf16:45x129")


def device_of(case: Case) -> op_host.Device:
    soc = plan.find_soc(case.soc)
    return op_host.Device(soc.arch, soc.cores, soc.ub_bytes, 2 if case.det == "strong" else 0)


def tensors_of(case: Case) -> tuple[list[TensorDesc], list[TensorDesc]]:
    described = run.descriptors(case)
    inputs = len(ops.find_op(case.op).inputs)
    return described[:inputs], described[inputs:]


def call(case: Case) -> op_host.Tiling:
    return op_host.tiling(TYPES[case.op], device_of(case), *tensors_of(case))


def said(case: Case, sentence: str, code: int) -> str:
    """A refusal as the tiling function prints it: it knows the family, not the product."""
    soc = plan.find_soc(case.soc)
    family = "ascend910b" if soc.arch == 2201 else soc.family
    return f"{TYPES[case.op]}: {sentence.replace(soc.name, family)} ({code})\n"


def suite() -> Iterator[Case]:
    """Each (chip, dtypes, shape) of ci once, without what only the harness can ask for."""
    seen = set()
    for case in cases.load_suite("ci", paths.cases_root()):
        bare = Case(
            case.op, case.soc, case.dtype, case.shape, gamma=case.gamma, stats=case.stats,
            axes=case.axes, det=case.det,
        )  # fmt: skip
        if case.op in TYPES and not case.expect and bare not in seen:
            seen.add(bare)
            yield bare


def planned(case: Case) -> plan.Plan | Refused:
    try:
        return run.plan_case(case)
    except Refused as refused:
        return refused


def assert_as_planned(case: Case, expected: plan.Plan) -> None:
    made = call(case)
    assert made.status == 0, case
    assert made.tiling == expected.tiling, case
    assert made.tiling_key == expected.tiling_key, case
    assert made.blocks == expected.cores, case
    assert made.workspaces == (KEPT[expected.soc.arch] + expected.workspace_bytes,), case
    assert made.schedule_mode == (START_TOGETHER if expected.workspace_bytes else 0), case


def test_tiling_is_the_planners() -> None:
    meets = alone = 0
    for case in suite():
        expected = run.plan_case(case)
        assert_as_planned(case, expected)
        meets += expected.workspace_bytes > 0
        alone += expected.workspace_bytes == 0
    assert meets > 200
    assert alone > 10


@pytest.mark.parametrize("soc", [soc.name for soc in plan.socs()])
@pytest.mark.parametrize("shape", [(1, 1), (45, 129), (4096, 4096), (3, 100003), (0, 8), (8, 0)])
def test_every_product(soc: str, shape: tuple[int, ...], capfd: pytest.CaptureFixture[str]) -> None:
    for dtype in ("fp16", "bf16", "fp32"):
        case = replace(CASE, soc=soc, dtype=dtype, shape=shape)
        expected = planned(case)
        if isinstance(expected, Refused):
            assert call(case).status == GRAPH_FAILED, case
            assert capfd.readouterr().err == said(case, expected.sentence, expected.code)
        else:
            assert_as_planned(case, expected)


def broken() -> Iterator[tuple[str, list[TensorDesc]]]:
    """Calls that the check refuses, each tensor in turn."""
    good = run.descriptors(CASE)
    for at, name in enumerate(spec.name for spec in ops.find_op("rms_norm_grad").tensors):
        for what, bad in (
            ("null", replace(good[at], present=False)),
            ("dtype", replace(good[at], dtype="int8")),
            ("shape", replace(good[at], shape=(7, *good[at].shape[1:]))),
            ("rank", replace(good[at], shape=(1,) * 9)),
            ("negative", replace(good[at], shape=(-1, *good[at].shape[1:]))),
        ):
            yield f"{name}-{what}", [*good[:at], bad, *good[at + 1 :]]
    huge = run.descriptors(replace(CASE, shape=(1 << 40, 1 << 30)))
    yield "huge", huge


@pytest.mark.parametrize(("name", "tensors"), list(broken()), ids=lambda value: str(value)[:24])
def test_refusals_have_the_checks_sentence(
    name: str, tensors: list[TensorDesc], capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Refused) as refused:
        plan.check("rms_norm_grad", CASE.soc, tensors)
    made = op_host.tiling("RmsNormGrad", device_of(CASE), tensors[:4], tensors[4:])
    assert made.status == GRAPH_FAILED
    assert made.tiling == b""
    assert made.workspaces == ()
    assert capfd.readouterr().err == said(CASE, refused.value.sentence, refused.value.code)


def test_chips_that_are_none(capfd: pytest.CaptureFixture[str]) -> None:
    for arch, word in ((0, "no platform"), (3002, "SocVersion 3"), (9999, "unknown here")):
        made = op_host.tiling("RmsNormGrad", op_host.Device(arch, 40, 1 << 18), *tensors_of(CASE))
        assert made.status == GRAPH_FAILED
        assert word in capfd.readouterr().err


def test_less_ub_than_planned() -> None:
    """A platform that keeps more of UB than the plan reckons with."""
    device = replace(device_of(CASE), ub_bytes=65536 + 256)
    case = replace(CASE, shape=(400, 3000))
    made = op_host.tiling("RmsNormGrad", device, *tensors_of(case))
    assert made.tiling == run.plan_case(case, ub_bytes=65536).tiling
    assert made.tiling != run.plan_case(case).tiling


@pytest.mark.parametrize("level", [0, 1, 2, 3, 2**31 - 1])
def test_levels_of_determinism(level: int) -> None:
    """2 and 3 ask for the same bits on any number of cores; the last is a context without one."""
    case = replace(CASE, shape=(4097, 72))
    device = replace(device_of(case), deterministic_level=level)
    made = op_host.tiling("RmsNormGrad", device, *tensors_of(case))
    strong = run.plan_case(case, det_strong=True).tiling
    assert (made.tiling == strong) == (level in (2, 3))
    assert strong != run.plan_case(case).tiling


def test_shapes_and_dtypes_of_outputs() -> None:
    for case in suite():
        inputs, outputs = tensors_of(case)
        expected = [(out.dtype, out.shape) for out in outputs]
        assert op_host.infer(TYPES[case.op], inputs, len(outputs)) == expected, case


@pytest.mark.parametrize("at", [1, 3])
def test_nothing_is_inferred_from_nothing(at: int) -> None:
    inputs, outputs = tensors_of(CASE)
    inputs[at] = replace(inputs[at], present=False)
    assert op_host.infer("RmsNormGrad", inputs, len(outputs)) is None


@pytest.mark.parametrize("op", TYPES)
def test_description_has_the_dtypes_of_the_contract(op: str) -> None:
    described = op_host.describe(TYPES[op])
    specs = ops.find_op(op)
    arch_of = {soc.family: soc.arch for soc in plan.socs()}
    on_chip = {family for family, arch in arch_of.items() if plan.dtype_combinations(op, arch)}
    assert set(described["units"]) == on_chip
    for family, unit in described["units"].items():
        pairs = plan.dtype_combinations(op, arch_of[family])
        for spec, param in zip(specs.tensors, [*unit["inputs"], *unit["outputs"]], strict=True):
            rows = [{"case": dy, "gamma": gamma}.get(spec.dtype, "fp32") for dy, gamma in pairs]
            assert param["name"] == spec.name
            assert [op_host.NAMES[code] for code in param["dtypes"]] == rows
            assert param["formats"] == param["unknown_formats"] == [2] * len(pairs)
            assert param["required"]
            assert param["contiguous"] == (spec.role == "in")
        own = {"opFile.value": f"{op}_regbase"} if family == "ascend950" else {}
        assert {k: v for k, v in unit.items() if k.startswith("op")} == own
    widest = described["units"]["ascend910b"]
    assert described["inputs"] == widest["inputs"]
    assert described["outputs"] == widest["outputs"]
