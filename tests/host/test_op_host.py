"""What CANN's host calls gives what the planner gives: bytes, key, cores, refusals, dtypes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import op_host
import pytest

from normgrad import cases, ops, paths, plan, run
from normgrad.cases import Case
from normgrad.plan import Attributes, Refused, TensorDesc

OPS = ("rms_norm_grad", "layer_norm_grad_v3", "rms_norm_grad_quant")
MIB = 1 << 20
# What the framework keeps of the workspace: asc-devkit, platform_ascendc.cpp.
KEPT = {1001: 2 * MIB, 2002: 2 * MIB, 2201: 16 * MIB, 3510: 16 * MIB}
START_TOGETHER = 1
GRAPH_FAILED = 0xFFFFFFFF

CASES = {op: Case.parse(f"{op}:ascend910b4:bf16:45x129") for op in OPS}
CASES[OPS[2]] = Case.parse(f"{OPS[2]}:ascend950pr_9599:bf16:45x129:offset=3")
RMS, LAYER, QUANT = (CASES[op] for op in OPS)


def type_of(op: str) -> str:
    return ops.find_op(op).type_name


def device_of(case: Case) -> op_host.Device:
    soc = plan.find_soc(case.soc)
    return op_host.Device(soc.arch, soc.cores, soc.ub_bytes, 2 if case.det == "strong" else 0)


def tensors_of(case: Case) -> tuple[list[TensorDesc], list[TensorDesc]]:
    described = run.descriptors(case)
    inputs = len(ops.find_op(case.op).inputs)
    return described[:inputs], described[inputs:]


def call(case: Case) -> op_host.Tiling:
    said = run.attributes(case)
    return op_host.tiling(type_of(case.op), device_of(case), *tensors_of(case), said)


def said(case: Case, sentence: str, code: int) -> str:
    """A refusal as the tiling function prints it: it knows the family, not the product."""
    soc = plan.find_soc(case.soc)
    family = "ascend910b" if soc.arch == 2201 else soc.family
    return f"{type_of(case.op)}: {sentence.replace(soc.name, family)} ({code})\n"


def suite() -> Iterator[Case]:
    """Each (chip, dtypes, shape) of ci once, without what only the harness can ask for."""
    seen = set()
    for case in cases.load_suite("ci", paths.cases_root()):
        bare = Case(
            case.op, case.soc, case.dtype, case.shape, gamma=case.gamma, stats=case.stats,
            axes=case.axes, det=case.det, mask=case.mask, dst=case.dst, div=case.div,
            offset=case.offset, scale=case.scale,
        )  # fmt: skip
        if case.op in OPS and not case.expect and bare not in seen:
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
    meets = dict.fromkeys(OPS, 0)
    alone = dict.fromkeys(OPS, 0)
    for case in suite():
        expected = run.plan_case(case)
        assert_as_planned(case, expected)
        meets[case.op] += expected.workspace_bytes > 0
        alone[case.op] += expected.workspace_bytes == 0
    assert min(meets.values()) > 40
    assert min(alone.values()) > 5


@pytest.mark.parametrize("soc", [soc.name for soc in plan.socs()])
@pytest.mark.parametrize("shape", [(1, 1), (45, 129), (4096, 4096), (3, 100003), (0, 8), (8, 0)])
def test_every_product(soc: str, shape: tuple[int, ...], capfd: pytest.CaptureFixture[str]) -> None:
    for op in OPS:
        for dtype in ("fp16", "bf16", "fp32"):
            case = replace(CASES[op], soc=soc, dtype=dtype, shape=shape)
            expected = planned(case)
            if isinstance(expected, Refused):
                assert call(case).status == GRAPH_FAILED, case
                assert capfd.readouterr().err == said(case, expected.sentence, expected.code)
            else:
                assert_as_planned(case, expected)


def broken(op: str) -> Iterator[tuple[str, list[TensorDesc]]]:
    """Calls that the check refuses, each tensor in turn."""
    good = run.descriptors(CASES[op])
    for at, spec in enumerate(ops.find_op(op).tensors):
        for what, bad in (
            ("null", replace(good[at], present=False)),
            ("dtype", replace(good[at], dtype="fp32" if spec.dtype == "int32" else "int32")),
            ("shape", replace(good[at], shape=(7, *good[at].shape[1:]))),
            ("rank", replace(good[at], shape=(1,) * 9)),
            ("negative", replace(good[at], shape=(-1, *good[at].shape[1:]))),
        ):
            if what != "null" or not spec.is_optional:
                yield f"{spec.name}-{what}", [*good[:at], bad, *good[at + 1 :]]
    yield "huge", run.descriptors(replace(CASES[op], shape=(1 << 40, 1 << 30)))


@pytest.mark.parametrize(
    ("op", "name", "tensors"),
    [(op, *call) for op in OPS for call in broken(op)],
    ids=lambda value: str(value)[:24],
)
def test_refusals_have_the_checks_sentence(
    op: str, name: str, tensors: list[TensorDesc], capfd: pytest.CaptureFixture[str]
) -> None:
    case, inputs = CASES[op], len(ops.find_op(op).inputs)
    attributes = run.attributes(case)
    with pytest.raises(Refused) as refused:
        plan.check(op, case.soc, tensors, attributes)
    made = op_host.tiling(
        type_of(op), device_of(case), tensors[:inputs], tensors[inputs:], attributes
    )
    assert made.status == GRAPH_FAILED
    assert made.tiling == b""
    assert made.workspaces == ()
    assert capfd.readouterr().err == said(case, refused.value.sentence, refused.value.code)


@pytest.mark.parametrize("op", OPS)
def test_chips_that_are_none(op: str, capfd: pytest.CaptureFixture[str]) -> None:
    for arch, word in ((0, "no platform"), (3002, "SocVersion 3"), (9999, "unknown here")):
        device = op_host.Device(arch, 40, 1 << 18)
        made = op_host.tiling(type_of(op), device, *tensors_of(CASES[op]))
        assert made.status == GRAPH_FAILED
        assert word in capfd.readouterr().err


def test_less_ub_than_planned() -> None:
    """A platform that keeps more of UB than the plan reckons with."""
    device = replace(device_of(RMS), ub_bytes=65536 + 256)
    case = replace(RMS, shape=(400, 3000))
    made = op_host.tiling("RmsNormGrad", device, *tensors_of(case))
    assert made.tiling == run.plan_case(case, ub_bytes=65536).tiling
    assert made.tiling != run.plan_case(case).tiling


@pytest.mark.parametrize("level", [0, 1, 2, 3, 2**31 - 1])
def test_levels_of_determinism(level: int) -> None:
    """2 and 3 ask for the same bits on any number of cores; the last is a context without one."""
    case = replace(RMS, shape=(4097, 72))
    device = replace(device_of(case), deterministic_level=level)
    made = op_host.tiling("RmsNormGrad", device, *tensors_of(case))
    strong = run.plan_case(case, det_strong=True).tiling
    assert (made.tiling == strong) == (level in (2, 3))
    assert strong != run.plan_case(case).tiling


# ---- attributes of LayerNormGradV3 ----


def test_axes_are_gammas_without_the_attribute() -> None:
    """A graph that was built for CANN's operator of this name has the mask alone."""
    case = replace(LAYER, shape=(5, 9, 8), axes=2, mask="011")
    wanted = Attributes(None, run.attributes(case).output_mask)
    made = op_host.tiling("LayerNormGradV3", device_of(case), *tensors_of(case), wanted)
    assert made.tiling == run.plan_case(case).tiling
    assert made.tiling != run.plan_case(replace(case, axes=1)).tiling


def test_all_outputs_without_a_mask() -> None:
    shape = Attributes(LAYER.shape[1:], None)
    made = op_host.tiling("LayerNormGradV3", device_of(LAYER), *tensors_of(LAYER), shape)
    assert made.tiling == run.plan_case(LAYER).tiling
    assert made.tiling != run.plan_case(replace(LAYER, mask="110")).tiling


@pytest.mark.parametrize(
    ("attributes", "sentence"),
    [
        (Attributes((129,), (True, True)), "outputMask has 2 elements"),
        (Attributes((129,), (True,) * 4), "outputMask has 4 elements"),
        (Attributes((128,), (True,) * 3), "normalizedShape is [128] while"),
        (Attributes((1,) * 9, (True,) * 3), "normalizedShape has 9 axes"),
    ],
)
def test_attributes_that_are_refused(
    attributes: Attributes, sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    made = op_host.tiling("LayerNormGradV3", device_of(LAYER), *tensors_of(LAYER), attributes)
    assert made.status == GRAPH_FAILED
    assert sentence in capfd.readouterr().err


def test_nothing_says_which_axes(capfd: pytest.CaptureFixture[str]) -> None:
    case = replace(LAYER, gamma="none")
    made = op_host.tiling("LayerNormGradV3", device_of(case), *tensors_of(case))
    assert made.status == GRAPH_FAILED
    assert "normalizedShape is null" in capfd.readouterr().err
    inputs, outputs = tensors_of(case)
    assert op_host.infer("LayerNormGradV3", inputs, len(outputs)) is None


# ---- attributes of RmsNormGradQuant ----


def test_it_divides_and_takes_dx_as_it_is_unless_told() -> None:
    bare = Attributes(quant_mode="static")
    for case in (QUANT, replace(QUANT, dst="hif8")):
        made = op_host.tiling("RmsNormGradQuant", device_of(case), *tensors_of(case), bare)
        assert made.tiling == run.plan_case(case).tiling
    multiplied = run.plan_case(replace(QUANT, div=False))
    assert call(replace(QUANT, div=False)).tiling == multiplied.tiling != made.tiling


@pytest.mark.parametrize(
    ("attributes", "sentence"),
    [
        (Attributes(), "quant_mode is null"),
        (Attributes(quant_mode="dynamic"), 'quant_mode is "dynamic"'),
        (Attributes(quant_mode="static-and-much-more"), 'quant_mode is "static-and-much-"'),
        (Attributes(quant_mode="static", dst_type="hif8"), "dst_type is 34 while dx is int8"),
    ],
)
def test_quantisations_that_are_refused(
    attributes: Attributes, sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    made = op_host.tiling("RmsNormGradQuant", device_of(QUANT), *tensors_of(QUANT), attributes)
    assert made.status == GRAPH_FAILED
    assert sentence in capfd.readouterr().err


# ---- shapes, dtypes, the description ----


def test_shapes_and_dtypes_of_outputs() -> None:
    for case in suite():
        inputs, outputs = tensors_of(case)
        expected = [(spec.dtype, spec.shape) for spec in outputs]
        got = op_host.infer(type_of(case.op), inputs, len(outputs), run.attributes(case))
        assert got == expected, case


@pytest.mark.parametrize(("op", "at"), [(RMS.op, 1), (RMS.op, 3), (LAYER.op, 1)])
def test_nothing_is_inferred_from_nothing(op: str, at: int) -> None:
    inputs, outputs = tensors_of(CASES[op])
    inputs[at] = replace(inputs[at], present=False)
    assert op_host.infer(type_of(op), inputs, len(outputs), run.attributes(CASES[op])) is None


def rows_of(op: str, arch: int) -> list[dict[str, str]]:
    """Each combination of dtypes: what the rules of the operator's tensors mean in it."""
    return [
        {"stats": "fp32", "fp32": "fp32", "int32": "int32"}
        | dict(zip(ops.find_op(op).free_dtypes, dtypes, strict=True))
        for dy, gamma in plan.dtype_combinations(op, arch)
        for dtypes in ops.unit_choices(op, dy, gamma)
    ]


@pytest.mark.parametrize("op", OPS)
def test_description_has_the_dtypes_of_the_contract(op: str) -> None:
    described = op_host.describe(type_of(op))
    specs = ops.find_op(op)
    arch_of = {soc.family: soc.arch for soc in plan.socs()}
    on_chip = {family for family, arch in arch_of.items() if plan.dtype_combinations(op, arch)}
    assert set(described["units"]) == on_chip
    for family, unit in described["units"].items():
        rows = rows_of(op, arch_of[family])
        for spec, param in zip(specs.tensors, [*unit["inputs"], *unit["outputs"]], strict=True):
            assert param["name"] == spec.ir_name
            assert [op_host.NAMES[code] for code in param["dtypes"]] == [
                row[spec.dtype] for row in rows
            ]
            assert param["formats"] == param["unknown_formats"] == [2] * len(rows)
            assert param["required"] != spec.is_optional
            assert param["contiguous"] == (spec.role == "in")
        own = {"opFile.value": f"{op}_regbase"} if family == "ascend950" else {}
        assert {k: v for k, v in unit.items() if k.startswith("op")} == own
    widest = described["units"].get("ascend910b", described["units"]["ascend950"])
    assert described["inputs"] == widest["inputs"]
    assert described["outputs"] == widest["outputs"]


@pytest.mark.parametrize("op", OPS)
def test_description_has_the_attributes(op: str) -> None:
    words = {True: "true", False: "false"}
    for spec, attribute in zip(
        ops.find_op(op).attributes, op_host.describe(type_of(op))["attributes"], strict=True
    ):
        values = attribute["default"]
        shown = [words[bool(v)] if "bool" in spec.kind else str(v) for v in values]
        assert attribute["name"] == spec.name
        assert attribute["kind"] == spec.kind
        assert attribute["required"] != spec.is_optional
        if spec.kind == "str":
            assert spec.default == "".join(map(chr, values))
        elif "list" in spec.kind:
            assert spec.default == f"[{','.join(shown)}]"
        else:
            assert [spec.default] == shown


@pytest.mark.parametrize("op", OPS)
def test_dtypes_find_one_kernel(op: str) -> None:
    """CANN looks for a kernel by the dtypes of what is required: no two rows may be alike there."""
    specs = [spec for spec in ops.find_op(op).tensors if not spec.is_optional]
    for soc in plan.socs():
        keys = [tuple(row[spec.dtype] for spec in specs) for row in rows_of(op, soc.arch)]
        assert len(set(keys)) == len(keys), soc.name
