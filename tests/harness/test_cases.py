"""Case text and suite files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normgrad import ops
from normgrad.cases import DISTS, Case, CaseError, expand, inputs_key, load_file, load_suite

CASES = Path(__file__).parents[1] / "cases"
PLAIN = "rms_norm_grad:ascend910b4:bf16:4096x1024"


def test_parse_plain_case_has_defaults() -> None:
    case = Case.parse(PLAIN)
    assert case == Case("rms_norm_grad", "ascend910b4", "bf16", (4096, 1024))
    assert (case.rows, case.cols, case.is_empty) == (4096, 1024, False)
    assert str(case) == PLAIN + ":seed1"


def test_parse_options_in_any_order_writes_them_in_one() -> None:
    case = Case.parse(
        "rms_norm_grad:ascend910b4:bf16:6x7x8:seed9:chunk=512:axes=2:expect=561002:gamma=fp32"
    )
    assert (case.rows, case.cols) == (6, 56)
    assert str(case) == (
        "rms_norm_grad:ascend910b4:bf16:6x7x8:gamma=fp32:axes=2:chunk=512:expect=561002:seed9"
    )


def test_gamma_of_the_same_dtype_is_the_default() -> None:
    assert Case.parse(PLAIN + ":gamma=bf16") == Case.parse(PLAIN)


optional = st.none() | st.integers(1, 10**9)
cases = st.builds(
    Case,
    op=st.sampled_from(sorted(ops.OPS)),
    soc=st.sampled_from(["ascend910b4", "ascend910_93", "ascend310p"]),
    dtype=st.sampled_from(["bf16", "fp16", "fp32"]),
    shape=st.lists(st.integers(0, 9999), min_size=3, max_size=8).map(tuple),
    gamma=st.sampled_from([None, "fp32", "fp16"]),
    axes=st.integers(1, 3),
    dist=st.sampled_from(DISTS),
    noncontig=st.sampled_from([(), ("dy",), ("x", "dx")]),
    null=st.sampled_from([(), ("gamma",), ("dy", "rstd")]),
    det=st.sampled_from([None, "strong"]),
    strategy=st.sampled_from([None, "DxWholeRow"]),
    ub=optional,
    cores=optional,
    chunk=optional,
    expect=st.sampled_from([None, 161002]),
    seed=st.integers(0, 2**40),
)


@settings(derandomize=True, deadline=None)
@given(cases)
def test_text_of_any_case_parses_back(case: Case) -> None:
    assert Case.parse(str(case)) == case


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rms_norm_grad", "too few parts"),
        ("rms_norm_gard:ascend910b4:bf16:4x4", "did you mean rms_norm_grad?"),
        ("rms_norm_grad:ascend910b4:bf61:4x4", "did you mean bf16?"),
        ("rms_norm_grad:Ascend 910:bf16:4x4", "is not a name such as ascend910b4"),
        ("rms_norm_grad:ascend910b4:bf16:4*4", "shape '4*4'"),
        ("rms_norm_grad:ascend910b4:bf16:-4x4", "shape '-4x4'"),
        ("rms_norm_grad:ascend910b4:bf16:1x1x1x1x1x1x1x1x1", "9 axes"),
        (PLAIN + ":axes=3", "axes=3"),
        (PLAIN + ":axes=0", "at least 1"),
        (PLAIN + ":dst=int8", "has no option dst="),
        (PLAIN + ":dist=nromal", "did you mean normal?"),
        (PLAIN + ":strategie=DxWholeRow", "did you mean strategy=?"),
        (PLAIN + ":cores=x", "cores=x"),
        (PLAIN + ":cores=1:cores=2", "cores twice"),
        (PLAIN + ":null=gama", "did you mean gamma?"),
        (PLAIN + ":gamma=none", "needs gamma"),
        (PLAIN + ":", "is not an option"),
    ],
)
def test_parse_wrong_text_gives_one_sentence(text: str, words: str) -> None:
    with pytest.raises(CaseError) as caught:
        Case.parse(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


QUANT = "rms_norm_grad_quant:ascend950pr_9599:fp16:4x16"


@pytest.mark.parametrize(
    ("options", "canonical", "dtype", "value"),
    [
        ("dst=int8:div=1:offset=none:scale=fp32", "", "fp32", None),
        (
            "dst=hif8:div=0:offset=-07:scale=fp16",
            "dst=hif8:div=0:offset=-7:scale=fp16",
            "fp16",
            None,
        ),
        ("offset=0:scale=0.50@fp16", "offset=0:scale=0.5@fp16", "fp16", 0.5),
        ("scale=1e-40@fp32", "scale=1e-40", "fp32", 1e-40),
        ("scale=-inf", "scale=-inf", "fp32", float("-inf")),
    ],
)
def test_quantisation_has_one_text(
    options: str, canonical: str, dtype: str, value: float | None
) -> None:
    case = Case.parse(f"{QUANT}:{options}")
    assert str(case) == ":".join(filter(None, (QUANT, canonical, "seed1")))
    assert Case.parse(str(case)) == case
    assert (case.scale_dtype, case.scale_value) == (dtype, value)


@pytest.mark.parametrize(
    "option",
    ["dst=fp32", "div=2", "offset=2147483648", "offset=1.5", "scale=x", "scale=1@x", "scale=@bf16"],
)
def test_wrong_quantisation_is_refused(option: str) -> None:
    with pytest.raises(CaseError, match=f"{option.partition('=')[0]}="):
        Case.parse(f"{QUANT}:{option}")


def test_inputs_key_ignores_soc_and_what_steers_the_plan() -> None:
    steered = "rms_norm_grad:ascend910b1:bf16:4096x1024:cores=3:ub=65536:strategy=A:expect=1"
    assert inputs_key(Case.parse(steered)) == inputs_key(Case.parse(PLAIN))
    assert inputs_key(Case.parse(PLAIN + ":seed2")) != inputs_key(Case.parse(PLAIN))


def shapes(line: str) -> list[str]:
    return ["x".join(map(str, c.shape)) for c in expand(line)]


def test_expand_multiplies_lists_and_ranges_leftmost_slowest() -> None:
    prefix = "rms_norm_grad:ascend910b4:bf16:"
    assert shapes(prefix + "{1..3}x{8,16}") == ["1x8", "1x16", "2x8", "2x16", "3x8", "3x16"]
    assert shapes(prefix + "4x{8..24/8}") == ["4x8", "4x16", "4x24"]
    assert shapes(prefix + "4x{8..100*3}") == ["4x8", "4x24", "4x72"]
    assert shapes(prefix + "4x{1,5..7,64..256*2}") == [
        "4x1", "4x5", "4x6", "4x7", "4x64", "4x128", "4x256",
    ]  # fmt: skip


def test_expand_takes_empty_items_options_and_comments() -> None:
    line = "rms_norm_grad:{ascend910b1,ascend910b4}:bf16:4x8{,:dist=heavy:seed3}  # why"
    assert [str(c) for c in expand(line)] == [
        "rms_norm_grad:ascend910b1:bf16:4x8:seed1",
        "rms_norm_grad:ascend910b1:bf16:4x8:dist=heavy:seed3",
        "rms_norm_grad:ascend910b4:bf16:4x8:seed1",
        "rms_norm_grad:ascend910b4:bf16:4x8:dist=heavy:seed3",
    ]
    assert expand("") == expand("   # nothing") == []


@pytest.mark.parametrize(
    "word", ["{1..}", "{5..1}", "{1..5/0}", "{0..8*2}", "{1..8*1}", "{1", "1}", "{{1}}", "{a..b}"]
)
def test_expand_wrong_range_is_refused(word: str) -> None:
    with pytest.raises(CaseError):
        expand(f"rms_norm_grad:ascend910b4:bf16:4x{word}")


def test_file_of_far_too_many_cases_is_refused(tmp_path: Path) -> None:
    """Each line is short enough by itself."""
    lines = [f"rms_norm_grad:ascend910b4:bf16:{{1..60000}}x{cols}\n" for cols in (7, 9)]
    (tmp_path / "many.txt").write_text("".join(lines))
    with pytest.raises(CaseError, match=r"many\.txt:2: more than 100,000 cases"):
        load_file(tmp_path / "many.txt")


def test_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    text = "rms_norm_grad:ascend910b4:bf16:3x4:seed1"
    (tmp_path / "a.txt").write_text(f"\ufeff{text}\n")
    assert [str(case) for case in load_file(tmp_path / "a.txt")] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "rms_norm_grad:ascend910b4:bf16:٣x٤",
        "rms_norm_grad:ascend910b4:bf16:3x4:cores=٣",
        "rms_norm_grad:ascend910b4:bf16:3x4:seed٣",
        "rms_norm_grad:ascend910b4:bf16:3x4:ub=²",
        f"rms_norm_grad:ascend910b4:bf16:{'9' * 5000}x4",
        f"rms_norm_grad:ascend910b4:bf16:3x4:seed{'9' * 5000}",
        "rms_norm_grad:ascend910b4:bf16:{1..٣}x4",
        f"rms_norm_grad:ascend910b4:bf16:{{1..{'9' * 5000}}}x4",
    ],
    ids=range(8),
)
def test_numbers_are_short_and_ascii(text: str) -> None:
    with pytest.raises(CaseError):
        expand(text)


def test_soc_is_read_in_any_case_and_written_in_one() -> None:
    case = Case.parse("rms_norm_grad:Ascend910B4:bf16:3x4")
    assert str(case) == "rms_norm_grad:ascend910b4:bf16:3x4:seed1"


def test_unknown_option_lists_those_of_the_operator() -> None:
    with pytest.raises(CaseError) as caught:
        Case.parse("rms_norm_grad:ascend910b4:bf16:3x4:kores=3")
    said = str(caught.value)
    assert "did you mean cores=?" in said
    assert "mask=" not in said
    assert "dst=" not in said


def test_expand_of_far_too_many_cases_is_refused() -> None:
    with pytest.raises(CaseError, match="at most 100,000"):
        expand("rms_norm_grad:ascend910b4:bf16:{1..1000}x{1..1000}")
    with pytest.raises(CaseError, match="more than 100,000"):
        expand("rms_norm_grad:ascend910b4:bf16:{1..99999999999}x8")


def test_load_file_names_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text(f"# first\n\n{PLAIN}\n{PLAIN}\nrms_norm_grad:ascend910b4:bf16:4y4\n")
    with pytest.raises(CaseError, match=r"mine\.txt:5: .*4y4"):
        load_file(file)
    file.write_text(f"{PLAIN}\n{PLAIN}\n")
    assert load_file(file) == [Case.parse(PLAIN)]
    with pytest.raises(CaseError, match="cannot be read"):
        load_file(tmp_path / "none.txt")


def test_load_suite_of_unknown_name_suggests_one() -> None:
    with pytest.raises(CaseError, match="did you mean smoke"):
        load_suite("smokey", CASES)
    with pytest.raises(CaseError, match="unknown suite"):
        load_suite("../cases/smoke", CASES)


# Of three operators on five families: on two idle cores ci takes a minute of its five, models one
# of its fifteen.
@pytest.mark.parametrize(
    ("suite", "least", "most_million_elems"),
    [
        ("smoke", 44, 60),
        ("ci", 150, 400),
        ("edge", 300, 2000),
        ("models", 30, 500),
        ("full", 150, 6000),
    ],
)
def test_suite_is_as_broad_and_as_light_as_promised(
    suite: str, least: int, most_million_elems: int
) -> None:
    found = load_suite(suite, CASES)
    assert len(found) >= least
    assert sum(case.rows * case.cols for case in found) <= most_million_elems * 10**6


@pytest.mark.parametrize("suite", ["smoke", "ci", "edge", "full"])
def test_suite_has_every_distribution_in_both_dtypes(suite: str) -> None:
    """In smoke each distribution has one dtype: it has a minute."""
    seen = {(case.dist, case.dtype) for case in load_suite(suite, CASES)}
    assert {dist for dist, _ in seen} == set(DISTS)
    if suite != "smoke":
        assert {(dist, dtype) for dist in DISTS for dtype in ("bf16", "fp32")} <= seen


def test_smoke_has_every_distribution_both_dtypes_and_empty_cases() -> None:
    smoke = load_suite("smoke", CASES)
    assert {case.dist for case in smoke} == set(DISTS)
    assert {case.dtype for case in smoke} == {"bf16", "fp16", "fp32"}
    assert any(case.rows == 0 < case.cols for case in smoke)
    assert any(case.cols == 0 < case.rows for case in smoke)
    assert {case.expect for case in smoke} >= {161002, 561003}
