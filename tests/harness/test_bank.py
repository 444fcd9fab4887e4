"""The files of tuned rows: what is read, what is refused, and what becomes of them in a build."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from normgrad import bank, paths, tuned
from normgrad.bank import Row
from normgrad.cases import Case
from normgrad.errors import NormgradError

ROW = Row(
    "rms_norm_grad", "4096..8191x5120", "bf16", "strategy=DxWholeRow rows_per_tile=2 buffers=3",
    "120.5", "110.1", "modelled", "4096", "2026-11-30", "0123456789ab", "ba9876543210",
)  # fmt: skip


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "ascend910b4.csv"
    rows = [ROW, replace(ROW, dtype="bf16:gamma=fp32"), replace(ROW, op="a_first_one")]
    bank.write(file, rows)
    assert bank.read(file) == [rows[2], rows[0], rows[1]]
    assert file.read_text().splitlines()[0].startswith("op,shape_class,dtype,knobs,default_us")
    bank.write(file, [])
    assert not file.exists()
    assert bank.read(file) == []


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("op", "Rms"), ("shape_class", "4096x5120"), ("shape_class", "9..8x5120"),
        ("dtype", "int8"), ("dtype", "bf16:gamma=bf17"), ("knobs", ""), ("knobs", "tiles=2"),
        ("knobs", "chunk=0"), ("knobs", 'strategy=A"'), ("default_us", "1e3"), ("winner_us", ""),
        ("measured", "guessed"), ("rows", "many"), ("date", "today"), ("source", "x"),
        ("model", ""),
    ],
)  # fmt: skip
def test_a_wrong_cell_is_named_with_its_line(tmp_path: Path, column: str, value: str) -> None:
    file = tmp_path / "tuned" / "ascend910b4.csv"
    bank.write(file, [ROW, replace(ROW, **{column: value})])
    with pytest.raises(NormgradError, match=rf"tuned/ascend910b4.csv:\d: {column} is ") as said:
        bank.read(file)
    assert "mend this line" in str(said.value)


def test_a_broken_file_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "ascend910b4.csv"
    for text, said in (
        ("", "the columns are not"),
        ("op,cols\n", "the columns are not"),
        (",".join(bank._HEADER) + "\nrms_norm_grad,x\n", ":2: 2 cells instead of 11"),
    ):
        file.write_text(text)
        with pytest.raises(NormgradError, match=said):
            bank.read(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(NormgradError, match="not a text file"):
        bank.read(file)


def test_a_class_is_the_numbers_of_rows_with_as_many_digits() -> None:
    assert bank.class_of(4096, 5120, False) == "4096..8191x5120"
    assert bank.class_of(8191, 64, True) == "4096..8191x64:det=strong"
    assert bank.class_of(1, 64, False) == "1..1x64"
    assert bank.ends_of("4096..8191x64:det=strong") == (4096, 8191)


def _tree(folder: Path, *rows: Row) -> Path:
    """Kernels and rows, as much as the table is made from."""
    for name in ("rms_norm_grad", "common"):
        (folder / "op_kernel" / name).mkdir(parents=True)
    (folder / "op_kernel" / "rms_norm_grad" / "rms_norm_grad.cpp").write_text("// a kernel\n")
    source = bank.source_of(folder, "rms_norm_grad")
    file = folder / "tiling" / "tuned" / "ascend910b4.csv"
    bank.write(file, [replace(row, source=source) for row in rows])
    return folder


def test_the_table_has_the_rows_whose_kernels_are_as_they_were(tmp_path: Path) -> None:
    tree = _tree(tmp_path, ROW, replace(ROW, dtype="fp16:gamma=none", knobs="cores=20"))
    assert bank.stale(tree) == []
    first, second = bank.table(tree).splitlines()
    assert first.startswith(
        '{"ascend910b4", "rms_norm_grad", DType::kBfloat16, DType::kBfloat16, 4096, 8191, 5120, 0, '
        '"DxWholeRow", 0, 2, 3, 0, "ascend910b4.csv: strategy=DxWholeRow'
    )
    assert "DType::kFloat16, DType::kUndefined" in second
    assert "nullptr, 0, 0, 0, 20," in second
    kernel = tree / "op_kernel" / "common" / "new.h"
    kernel.write_text("// more\n")
    assert bank.table(tree) == ""
    (said,) = bank.stale(tree)
    assert said.startswith("tiling/tuned/ascend910b4.csv: 2 rows of rms_norm_grad left out")
    assert "tune --refresh" in said
    kernel.unlink()
    bank.write_table(tree, tree)  # what a tree brings is taken as it is
    kernel.write_text("// more\n")
    assert len(bank.table(tree).splitlines()) == 2
    assert bank.stale(tree) == []


def test_the_command_writes_the_table_and_says_what_is_stale(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = _tree(tmp_path, ROW)
    assert bank.main([str(tree)]) is None
    assert capsys.readouterr().out.count("\n") == 1
    (tree / "op_kernel" / "common" / "new.h").write_text("// more\n")
    assert bank.main([str(tree)]) is None
    said = capsys.readouterr()
    assert said.out == ""
    assert "left out" in said.err
    (tree / "tiling" / "tuned" / "ascend910b4.csv").write_text("x\n")
    assert "the columns are not" in str(bank.main([str(tree)]))


def test_a_row_knows_its_problem_and_when_it_is_stale() -> None:
    root = paths.source_root()
    row = replace(ROW, source=bank.source_of(root, ROW.op), model=bank.model_of(root), rows="5000")
    case = Case.parse("rms_norm_grad:ascend910b4:bf16:5000x5120")
    assert tuned.case_of(row, "ascend910b4") == case
    strong = replace(row, shape_class=row.shape_class + ":det=strong", dtype="bf16:gamma=fp32")
    assert tuned.case_of(strong, "ascend910b4") == replace(case, gamma="fp32", det="strong")
    assert not tuned.is_stale(row, root)
    assert tuned.is_stale(replace(row, source="0" * 12), root)
    assert tuned.is_stale(replace(row, model="0" * 12), root)
    assert not tuned.is_stale(replace(row, model="-"), root)


def test_rows_that_are_shipped_can_be_read() -> None:
    for file in bank.files(paths.source_root()):
        for row in bank.read(file):
            gain = 1 - float(row.winner_us) / float(row.default_us)
            assert gain > bank.LEAST_GAIN, row
            assert str(tuned.case_of(row, file.stem))
