"""The comparison with measured rows: what is read, how errors are computed, and the errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from normgrad import calibrate, cli, report
from normgrad.calibrate import Compared, Measured
from normgrad.errors import NormgradError

ROWS = Path(__file__).parents[1] / "data" / "measured" / "elementwise.csv"
HEAD = ",".join(calibrate.COLUMNS)
GOOD = 'Mul,910B4-class,40,FLOAT;FLOAT,"2048,1024",FLOAT,28.06,0.023'
# Their kernel for bf16 is another one than a fill per repeat: 2.5 cycles per 64 elements against
# 1.1 for fp32, which has twice the bytes.
OTHER_KERNEL = ("ZerosLike", "DT_BF16 to DT_BF16")


def _read(tmp_path: Path, *lines: str) -> list[Measured]:
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(lines) + "\n")
    return calibrate.read(file)


def test_vector_time_is_ratio_times_time_with_the_ratio_s_rounding(tmp_path: Path) -> None:
    (row,) = _read(tmp_path, HEAD, GOOD)
    assert (row.op, row.soc, row.cores, row.elems) == ("Mul", "ascend910b4", 40, 2097152)
    assert row.vec_us == pytest.approx(28.06 * 0.023)
    assert row.vec_step_us == pytest.approx(28.06 * 0.0005)


@pytest.mark.parametrize(
    "line",
    [
        GOOD.replace("Mul", "Sin"),  # no kernel here
        GOOD.replace("910B4", "910B1"),  # another chip
        GOOD.replace("2048,1024", "1024,1024"),  # too few elements
        GOOD.replace("0.023", "0"),
        GOOD.replace("0.023", "N/A"),
        GOOD.replace(",40,", ",48,"),  # more cores than the chip has
    ],
)
def test_rows_that_cannot_be_judged_are_left_out(tmp_path: Path, line: str) -> None:
    assert len(_read(tmp_path, HEAD, GOOD, line)) == 1


def test_a_wrong_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(NormgradError, match="cannot be read"):
        calibrate.read(tmp_path / "none.csv")
    with pytest.raises(NormgradError, match="has no column vec_ratio"):
        _read(tmp_path, HEAD.replace(",vec_ratio", ""), GOOD.rpartition(",")[0])
    with pytest.raises(NormgradError, match=r"has no row to judge.* Mul,"):
        _read(tmp_path, HEAD, GOOD.replace("Mul", "Sin"))
    assert cli.main(["bench", "--calibrate", str(tmp_path / "none.csv")]) == 2
    assert cli.main(["bench", "--self", "--calibrate", str(ROWS)]) == 2


def test_errors_are_computed_right(capsys: pytest.CaptureFixture[str]) -> None:
    row = Measured("Mul", "FLOAT;FLOAT to FLOAT", 0, "ascend910b4", 40, 6400000, 100.0, 2.0, 0.05)
    right = Compared(row, vec_us=2.2, cold_us=90.0, resident_us=30.0)
    wrong = Compared(row, vec_us=1.0, cold_us=80.0, resident_us=20.0)
    assert right.error == pytest.approx(0.1)
    assert wrong.error == pytest.approx(-0.5)
    said = wrong.as_json()
    assert said["error"] == pytest.approx(-0.2)
    assert said["resident_error"] == pytest.approx(-0.8)
    lines = calibrate.summary([right, wrong])
    assert "1 of 2 rows within 15%, mean error 30.0%, worst -50.0% (Mul" in lines[0]
    assert "-50.0% to +10.0% (2 rows)" in lines[1]
    # 100 us lie above 1.15 x 80, and below 1.15 x 90.
    assert lines[2].startswith("total time: 1 of 2 rows between")
    report.calibration([right, wrong])
    printed = capsys.readouterr().out
    # 2 us x 1650 MHz x 40 cores x 64 / 6.4 M elements = 1.32 cycles
    assert "1.32" in printed
    assert "+10.0%" in printed


def _check(compared: list[Compared]) -> None:
    for each in compared:
        label = (each.row.op, each.row.dtypes, each.row.elems, each.error)
        if (each.row.op, each.row.dtypes) == OTHER_KERNEL:
            assert each.error < -0.5, label
        else:
            assert abs(each.error) <= calibrate.AIM, label
            assert each.resident_us < each.row.aiv_us * (1 + calibrate.AIM), label


def test_vector_times_of_the_smaller_rows_are_within_the_aim() -> None:
    chosen = [row for row in calibrate.read(ROWS) if row.elems <= 4_200_000]
    assert {row.op for row in chosen} == {"Mul", "Cast", "Add", "Muls", "ZerosLike"}
    _check(calibrate.measure(chosen))


@pytest.mark.full
def test_vector_times_of_all_rows_are_within_the_aim(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "--calibrate", str(ROWS), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 26
    _check(calibrate.measure(calibrate.read(ROWS)))
