"""PlanRmsNormGrad: a table of shapes, the wishes, the refusals, and what kernels read of a plan."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tiling_struct import FIELDS, HEADER, ROOT, UB_FIELDS, Tiling

from normgrad.plan import Options, Plan, Problem, Refused, make_plan

OP = "rms_norm_grad"
KERNEL = ROOT / "op_kernel" / OP
MOST_COLS = 1 << 30


def planned(
    rows: int, cols: int, dtype: str = "bf16", soc: str = "ascend910b4", **wishes: Any
) -> Plan:
    return make_plan(OP, soc, Problem(rows, cols, dtype, dtype), Options(**wishes))


def sentence(rows: int, cols: int, dtype: str = "bf16", **wishes: Any) -> str:
    with pytest.raises(Refused) as caught:
        planned(rows, cols, dtype, **wishes)
    assert caught.value.code == 561002
    assert "; " in caught.value.sentence, "a refusal ends with the next step"
    return caught.value.sentence


# soc, dtype, rows, cols -> strategy, cores, bytes of UB in the first and second phase, rows per
# tile and per step, columns per chunk and per segment, buffers per queue in and out
TABLE = [
    ("ascend910b4", "bf16", 4096, 1024, "DxWholeRow", 40, 168608, 5248, 5, 5, 0, 0, 3, 2),
    ("ascend910b4", "bf16", 4096, 4096, "DxWholeRow", 40, 165536, 17056, 1, 1, 0, 0, 2, 2),
    ("ascend910b4", "bf16", 4096, 8192, "DxInPlaceRow", 40, 182784, 34112, 1, 1, 4096, 4096, 3, 0),
    ("ascend910b4", "bf16", 4096, 8000, "DxInPlaceRow", 40, 180480, 32800, 1, 1, 4096, 4096, 3, 0),
    ("ascend910b4", "bf16", 4097, 129, "DxWholeRow", 40, 169888, 1312, 56, 32, 0, 0, 2, 2),
    ("ascend910b4", "fp32", 4096, 1024, "DxWholeRow", 40, 125632, 5248, 4, 4, 0, 0, 2, 2),
    ("ascend910b4", "fp32", 100, 6144, "DxInPlaceRow", 40, 151872, 26240, 1, 1, 3072, 3072, 3, 0),
    ("ascend910b4", "fp32", 200000, 8, "DxWholeRow", 40, 151584, 1312, 336, 336, 0, 0, 3, 2),
    ("ascend910b4", "fp32", 1, 1, "DxWholeRow", 1, 3680, 0, 1, 1, 0, 0, 2, 2),
    ("ascend910b4", "fp32", 3, 7, "DxWholeRow", 3, 3680, 128, 1, 1, 0, 0, 2, 2),
    ("ascend910b4", "fp32", 0, 7, "DxWholeRow", 1, 3680, 0, 1, 1, 0, 0, 2, 2),
    ("ascend910b4", "bf16", 0, 8192, "DxInPlaceRow", 1, 149504, 0, 1, 1, 4096, 4096, 3, 0),
    ("ascend910b4", "bf16", 4096, 32768, "DxSplitRow", 40, 181088, 135136, 4, 4, 2048, 0, 2, 1),
    ("ascend910b4", "fp32", 4096, 32768, "DxSplitRow", 40, 140000, 135136, 2, 2, 2048, 0, 2, 2),
    ("ascend910b4", "bf16", 0, 100000, "DxSplitRow", 1, 140512, 0, 1, 1, 4096, 0, 2, 2),
    ("ascend910b4", "bf16", 1, 1000000, "DxFewRows", 40, 178464, 0, 1, 1, 2560, 0, 1, 2),
    ("ascend910b4", "bf16", 20, 8192, "DxFewRows", 40, 78464, 4992, 4, 4, 1024, 0, 1, 2),
    ("ascend910b1", "bf16", 4096, 1024, "DxWholeRow", 48, 168608, 4704, 5, 5, 0, 0, 3, 2),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: "-".join(map(str, row[:4])))
def test_shape_gives_strategy(row: tuple[Any, ...]) -> None:
    soc, dtype, rows, cols = row[:4]
    plan = planned(rows, cols, dtype, soc)
    fields = plan.fields
    assert (
        plan.strategy,
        plan.cores,
        plan.ub_used_bytes(1),
        plan.ub_used_bytes(2),
        fields["rows_per_tile"],
        fields["rows_per_step"],
        fields["chunk_cols"],
        fields["segment_cols"],
        fields["in_buffers"],
        fields["out_buffers"],
    ) == row[4:]


def test_tiles_are_even_parts() -> None:
    # 103 rows on the busiest core: 8 rows are 16 KiB, three copies of 5 go where two of 8 would,
    # and 21 tiles are even.
    plan = planned(4096, 1024)
    assert (plan.fields["rows_per_tile"], plan.fields["in_buffers"]) == (5, 3)
    with pytest.raises(Refused):
        planned(4096, 1024, rows_per_tile=14)
    # 80 rows on one core: 56 of 288 bytes would be 16 KiB, two tiles of 40 are even.
    assert planned(80, 129, cores=1).fields["rows_per_tile"] == 40


def test_smaller_copies_leave_room_for_larger_steps() -> None:
    # 4 rows of 4 KiB would be 16 KiB and leave room for 2 at a time.
    plan = planned(4096, 2048)
    assert (plan.fields["rows_per_tile"], plan.fields["rows_per_step"]) == (3, 3)


def test_rows_of_half_blocks_are_worked_on_in_pairs() -> None:
    # 24 columns of bf16 are one block and a half.
    plan = planned(100000, 24)
    assert plan.fields["pitch_cols"] == 24
    step, tile = plan.fields["rows_per_step"], plan.fields["rows_per_tile"]
    assert step == tile or step % 2 == 0
    assert planned(100000, 25).fields["pitch_cols"] == 32
    assert planned(100000, 264).fields["pitch_cols"] == 272


def test_one_tile_becomes_two_from_8_rows_on() -> None:
    assert planned(7, 512, cores=1).fields["rows_per_tile"] == 7
    assert planned(8, 512, cores=1).fields["rows_per_tile"] == 4
    assert planned(9, 512, cores=1).fields["rows_per_tile"] == 5


def test_narrow_rows_of_few_bytes_are_one_tile_of_whole_eights() -> None:
    """From 5,120 bytes of x on they are two."""
    for rows, tile in ((7, 7), (8, 8), (9, 16), (40, 40), (41, 24)):
        assert planned(rows, 64, cores=1).fields["rows_per_tile"] == tile


def test_no_columns_is_nothing_to_do() -> None:
    for soc, dtype in (("ascend910b4", "bf16"), ("ascend310p3", "fp16")):
        plan = planned(5, 0, dtype, soc)
        assert (plan.strategy, plan.cores, plan.workspace_bytes) == ("Nothing", 0, 0)
        assert plan.minimum_bytes == 0
        assert plan.fields["rows"] == 5


def test_no_rows_still_writes_dgamma() -> None:
    plan = planned(0, 100)
    assert (plan.strategy, plan.cores, plan.workspace_bytes) == ("DxWholeRow", 1, 0)
    assert (plan.fields["rows_per_core"], plan.fields["cores_with_one_more"]) == (0, 0)


def test_minimum_bytes_counts_each_tensor_once() -> None:
    assert planned(3, 5).minimum_bytes == 3 * 5 * 3 * 2 + 3 * 4 + 5 * 2 + 5 * 4
    assert planned(3, 5, "fp32").minimum_bytes == 3 * 5 * 3 * 4 + 3 * 4 + 5 * 4 + 5 * 4
    assert planned(1 << 40, 64).minimum_bytes == (1 << 40) * (64 * 6 + 4) + 64 * 6


def test_declared_c_is_4_where_hi_and_lo_fit() -> None:
    assert planned(4096, 12288).declared_c == 4.0
    assert planned(4096, 16384).declared_c == 4.0 + 103 / 3


def test_reasons_have_numbers() -> None:
    whole = planned(4096, 1024).reason
    assert re.fullmatch(
        r"5 rows of 1,024 columns fit UB together \([\d,]+ of 188,416 bytes\)", whole
    )
    assert re.fullmatch(
        r"one row of 1 column fits UB \([\d,]+ of 188,416 bytes\)", planned(1, 1, "fp32").reason
    )
    chunked = planned(4096, 8192).reason
    assert "a row of 8,192 columns is read once and worked on in 2 chunks of 4,096" in chunked
    assert chunked.endswith("fp32 work arrays do not fit UB whole")
    assert planned(9, 600, chunk_cols=512).reason.endswith(", as asked")
    assert "one accumulator per column" in planned(400, 16384).reason


# ---- wishes ----


def test_wishes_win() -> None:
    plan = planned(100, 64, strategy="DxInPlaceRow")
    assert (plan.strategy, plan.tiling_key, plan.fields["chunk_cols"]) == ("DxInPlaceRow", 2, 512)
    plan = planned(100, 2000, chunk_cols=512)
    assert (plan.strategy, plan.fields["chunk_cols"]) == ("DxInPlaceRow", 512)
    assert planned(100, 2000, chunk_cols=1536).fields["chunk_cols"] == 1536
    assert planned(100, 2000, chunk_cols=8192).fields["chunk_cols"] == 2048
    plan = planned(100, 64, rows_per_tile=2)
    assert (plan.strategy, plan.tiling_key, plan.fields["rows_per_tile"]) == ("DxWholeRow", 1, 2)
    assert planned(100, 64, rows_per_tile=50).fields["rows_per_tile"] == 3
    assert planned(100, 64, cores=7).cores == 7
    assert planned(3, 64, cores=7).cores == 3


def test_small_ub_turns_whole_rows_into_chunks() -> None:
    assert planned(90, 2048, ub_bytes=96 * 1024).strategy == "DxWholeRow"
    plan = planned(90, 2048, ub_bytes=48 * 1024)
    assert (plan.strategy, plan.ub_limit_bytes) == ("DxInPlaceRow", 48 * 1024)
    assert plan.ub_used_bytes() <= 48 * 1024


def test_whole_ub_takes_more_than_the_reserve_leaves() -> None:
    assert planned(4096, 1024, rows_per_tile=13, ub_bytes=196608).fields["rows_per_step"] == 1
    with pytest.raises(Refused):
        planned(4096, 1024, rows_per_tile=13)


@pytest.mark.parametrize(
    ("wishes", "starts"),
    [
        ({"ub_bytes": 8191}, "ub is 8,191: it takes 8,192 to 196,608 bytes on ascend910b4; choose"),
        ({"ub_bytes": 196609}, "ub is 196,609: it takes 8,192 to 196,608 bytes"),
        ({"cores": 41}, "cores is 41: it takes 1 to 40 on ascend910b4; choose a value"),
        ({"chunk_cols": 700}, "chunk is 700: it takes a multiple of 512 columns"),
        ({"rows_per_tile": 4096}, "rows_per_tile is 4,096: it takes 1 to 4,095 rows"),
        ({"strategy": "DxRow"}, "strategy is DxRow: rms_norm_grad has DxWholeRow, DxInPlaceRow, "),
        (
            {"strategy": "DxWholeRow", "chunk_cols": 512},
            "chunk is 512: DxWholeRow does not cut row",
        ),
        (
            {"strategy": "DxInPlaceRow", "rows_per_tile": 1},
            "rows_per_tile is 1: DxInPlaceRow works",
        ),
        (
            {"rows_per_tile": 1, "chunk_cols": 512},
            "chunk and rows_per_tile together belong to DxSp",
        ),
        (
            {"strategy": "DxSplitRow", "chunk_cols": 1536},
            "chunk is 1,536: DxSplitRow takes 512, 1,",
        ),
        (
            {"strategy": "DxSplitRow", "chunk_cols": 8192},
            "chunk is 8,192: DxSplitRow takes 512, 1,",
        ),
        (
            {"strategy": "DxFewRows", "chunk_cols": 4608},
            "chunk is 4,608: DxFewRows takes up to 4,0",
        ),
        (
            {"strategy": "DxSplitRow", "rows_per_tile": 3},
            "rows_per_tile is 3: DxSplitRow takes 1, ",
        ),
        (
            {"strategy": "DxFewRows", "rows_per_tile": 12},
            "rows_per_tile is 12: DxFewRows takes 1, ",
        ),
        (
            {"strategy": "DxFewRows"},
            "rows is 4,096: DxFewRows takes 1 to 39 rows on 40 cores; choo",
        ),
    ],
)
def test_impossible_wish_is_one_sentence(wishes: dict[str, Any], starts: str) -> None:
    assert sentence(4096, 1024, **wishes).startswith(starts)


def test_one_leaf_is_not_cut() -> None:
    for strategy in ("DxSplitRow", "DxFewRows"):
        assert planned(9, 513, strategy=strategy).strategy == strategy
        said = sentence(9, 512, strategy=strategy)
        assert said.startswith(f"strategy is {strategy}: a row of 512 columns is not cut")


def test_wishes_of_rows_that_are_cut() -> None:
    plan = planned(400, 3000, strategy="DxSplitRow", chunk_cols=1024, rows_per_tile=8)
    assert (plan.fields["chunk_cols"], plan.fields["rows_per_tile"]) == (1024, 8)
    plan = planned(9, 3000, strategy="DxFewRows", chunk_cols=1536, rows_per_tile=2)
    assert (plan.fields["chunk_cols"], plan.fields["rows_per_tile"]) == (512, 2)


# ---- fewer rows than cores ----


def test_few_rows_are_shared_where_the_busiest_core_gains() -> None:
    # 20 rows would leave 20 of 40 cores idle; each core has a 40th of the columns instead.
    assert planned(20, 8192).strategy == "DxFewRows"
    assert planned(39, 12288).strategy == "DxFewRows"
    assert planned(40, 12288).strategy == "DxInPlaceRow"
    # One row of 4,096 columns is done on one core before 40 cores have met.
    assert planned(1, 4096).strategy == "DxWholeRow"
    assert planned(1, 65536).strategy == "DxFewRows"
    # One leaf can not be shared.
    assert planned(20, 512).strategy == "DxWholeRow"


def test_rows_that_fit_ub_are_read_once() -> None:
    assert planned(1, 1000000).fields["is_resident"] == 1
    assert planned(3, 1000000).fields["is_resident"] == 0
    assert planned(40, 20000).fields["is_resident"] == 1
    assert planned(400, 20000).fields["is_resident"] == 0


# ---- refusals ----


@pytest.mark.parametrize(
    ("dtype", "wishes"),
    [
        ("bf16", {"strategy": "DxWholeRow"}),
        ("bf16", {"strategy": "DxInPlaceRow"}),
        ("fp32", {"rows_per_tile": 4}),
        ("bf16", {"strategy": "DxInPlaceRow", "chunk_cols": 2048}),
        ("fp32", {"strategy": "DxInPlaceRow", "ub_bytes": 20000, "cores": 3}),
    ],
)
def test_refusal_names_the_widest_row_that_fits(dtype: str, wishes: dict[str, Any]) -> None:
    said = sentence(400, 50000, dtype, **wishes)
    found = re.search(r"of up to ([\d,]+) columns?", said)
    assert found is not None, said
    widest = int(found[1].replace(",", ""))
    assert planned(400, widest, dtype, **wishes)
    sentence(400, widest + 1, dtype, **wishes)


@pytest.mark.parametrize("rows", [0, 1, 39, 40, 4096, 10_000_000])
@pytest.mark.parametrize("dtype", ["bf16", "fp32"])
def test_rows_of_any_width_have_a_plan(rows: int, dtype: str) -> None:
    for cols in (20_000, 65_536, 1_000_000, 20_000_000, MOST_COLS):
        plan = planned(rows, cols, dtype)
        assert plan.strategy == ("DxFewRows" if 0 < rows < 40 else "DxSplitRow")


@pytest.mark.parametrize("wishes", [{}, {"chunk_cols": 2048}, {"strategy": "DxSplitRow"}])
def test_refusal_names_the_ub_that_is_enough(wishes: dict[str, Any]) -> None:
    said = sentence(400, 50000, ub_bytes=8192, **wishes)
    found = re.search(r"in ([\d,]+) bytes of UB or more; allow more", said)
    assert found is not None, said
    enough = int(found[1].replace(",", ""))
    assert planned(400, 50000, ub_bytes=enough, **wishes).strategy == "DxSplitRow"
    sentence(400, 50000, ub_bytes=enough - 1, **wishes)


# design.md 9: what one read covers, and what it covers with one accumulator.
@pytest.mark.parametrize(
    ("dtype", "gamma", "with_pair", "with_one"),
    [
        ("bf16", "bf16", 12288, 16384),
        ("fp16", "fp16", 12288, 16384),
        ("bf16", "fp32", 10240, 14336),
        ("fp16", "fp32", 10240, 14336),
        ("fp32", "fp32", 8192, 10240),
    ],
)
def test_one_read_covers(dtype: str, gamma: str, with_pair: int, with_one: int) -> None:
    pair = make_plan(OP, "ascend910b4", Problem(4096, with_pair, dtype, gamma), Options())
    one = make_plan(OP, "ascend910b4", Problem(4096, with_one, dtype, gamma), Options())
    assert (pair.strategy, pair.declared_c) == ("DxInPlaceRow", 4.0)
    assert one.strategy == "DxInPlaceRow"
    assert one.declared_c > 4


@pytest.mark.parametrize("soc", ["ascend910a"])
def test_chips_without_a_kernel(soc: str) -> None:
    with pytest.raises(Refused, match=r"has no kernel on ascend.*: it runs on asc.*; choose one"):
        planned(4, 64, "fp32", soc)


@pytest.mark.parametrize(("rows", "cols"), [(1 << 61, 1 << 61), (1, 1 << 60), (1 << 60, 1)])
def test_sizes_beyond_counting(rows: int, cols: int) -> None:
    assert "counts tensors of up to 2^60 bytes" in sentence(rows, cols, "fp32")


@pytest.mark.parametrize("cols", [MOST_COLS + 1, 1 << 32, 1 << 62, (1 << 64) - 1])
def test_too_many_columns_do_not_wrap_around(cols: int) -> None:
    assert sentence(0, cols) == (
        f"cols is {cols:,}: rms_norm_grad takes rows of up to 1,073,741,824 columns; normalise "
        "fewer columns"
    )


# ---- what crosses to the kernel ----


@pytest.mark.parametrize("row", TABLE, ids=lambda row: "-".join(map(str, row[:4])))
def test_tiling_data_is_the_printed_plan(row: tuple[Any, ...]) -> None:
    soc, dtype, rows, cols = row[:4]
    plan = planned(rows, cols, dtype, soc)
    data = Tiling.from_buffer_copy(plan.tiling)
    assert len(plan.tiling) == len(bytes(data))
    assert {name: getattr(data, name) for name in FIELDS} == plan.fields
    printed = {buffer.name.split(" ")[0]: buffer for buffer in plan.buffers}
    for name in UB_FIELDS:
        assert getattr(data.ub, name) == (printed[name].bytes if name in printed else 0), name
    assert set(printed) <= set(UB_FIELDS)
    counts = {"dy_in": "in", "x_in": "in", "dx_out": "out"}
    for name, queue in counts.items():
        count = printed[name].count if name in printed else 0
        assert count == plan.fields[f"{queue}_buffers"]
    assert plan.fields["work_arrays"] == (printed["work"].count if "work" in printed else 0)


@pytest.mark.parametrize("field", [*FIELDS, *UB_FIELDS])
def test_kernel_reads_each_field(field: str) -> None:
    files = [f for f in KERNEL.parent.rglob("*") if f.suffix in (".h", ".cpp")]
    assert any(re.search(rf"(\.|->){field}\b", f.read_text()) for f in files)


def test_keys_are_digits_beside_an_enum() -> None:
    macros = re.findall(r"#define NORM_GRAD_KEY_(\w+) (\d+)", HEADER)
    enumerators = re.findall(r"^\s*k(\w+) = (\d+),", HEADER, re.MULTILINE)
    assert [(name.replace("_", "").lower(), key) for name, key in macros] == [
        (name.lower(), key) for name, key in enumerators
    ]
    keys = {name: int(key) for name, key in enumerators}
    assert planned(4, 64).tiling_key == keys["DxWholeRow"]
    assert planned(400, 8192).tiling_key == keys["DxInPlaceRow"]
    assert planned(400, 65536).tiling_key == keys["DxSplitRow"]
    assert planned(4, 8192).tiling_key == keys["DxFewRows"]
