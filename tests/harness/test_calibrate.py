"""The comparison with a profiler's rows: what is read, how errors are computed, and the errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from normgrad import calibrate, cli, profiles, report
from normgrad.calibrate import Chosen, Compared, Known
from normgrad.cases import Case
from normgrad.errors import NormgradError
from normgrad.profiles import Launch, Tensor

ROWS = Path(__file__).parents[1] / "data" / "measured" / "elementwise.csv"
HEAD = (
    "op,soc,n_rows,block_dim,input_shapes,input_dtypes,output_shapes,output_dtypes,aiv_time_us,"
    "vec_ratio,mte2_ratio"
)
GOOD = 'Mul,910B4-class,7,40,"2048,1024;",FLOAT;FLOAT,"2048,1024",FLOAT,28.06,0.023,0.9'
# As torch_npu writes it, shapes in quotes of their own; msprof has other names for some columns.
DETAILS = (
    "Name,Type,Accelerator Core,Duration(us),Block Dim,Mix Block Dim,Input Shapes,Input Data Types,"
    "Output Shapes,Output Data Types,aiv_time(us),aiv_vec_time(us),aiv_vec_ratio,"
    "aiv_scalar_time(us),aiv_scalar_ratio,aiv_mte2_time(us),aiv_mte3_time(us)"
)
SUMMARY = (
    DETAILS.replace("Name,Type,Accelerator Core,Duration(us)", "Op Name,OP Type,Task Type,"
    "Task Duration(us)").replace("Block Dim", "Block Num")
)  # fmt: skip
NORM = (
    'aclnnRmsNormGrad_1,RmsNormGrad,MIX_AIV,112,40,80,"""4096,1,1024;4096,1,1024;4096,1,1;1024""",'
    'DT_BF16;DT_BF16;FLOAT;FLOAT,"""4096,1,1024;1024""",DT_BF16;FLOAT,108.0,38.6,0.357,51.7,0.479,'
    "31.2,14.2"
)
MATMUL = NORM.replace("RmsNormGrad", "MatMulV3").replace(",108.0,38.6,", ",N/A,N/A,")
# Their kernel for bf16 is another one than a fill per repeat: 2.5 cycles per 64 elements against
# 1.1 for fp32, which has twice the bytes.
OTHER_KERNEL = ("ZerosLike", "bf16 to bf16")


def _read(tmp_path: Path, *lines: str, soc: str | None = None) -> Chosen:
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(lines) + "\n")
    return calibrate.choose(profiles.read(file, soc))


def test_busy_time_is_ratio_times_time_with_the_ratio_s_rounding(tmp_path: Path) -> None:
    (row,) = _read(tmp_path, HEAD, GOOD).known
    launch = row.launch
    assert (launch.op, launch.soc, launch.cores, launch.elems) == (
        "Mul", "ascend910b4", 40, 2097152,
    )  # fmt: skip
    assert launch.launches == 7
    assert launch.busy_us == pytest.approx({"vec": 28.06 * 0.023, "mte2": 28.06 * 0.9})
    assert launch.step_us == pytest.approx(28.06 * 0.0005)


@pytest.mark.parametrize("head", [DETAILS, SUMMARY])
def test_a_profiler_s_own_columns(tmp_path: Path, head: str) -> None:
    slower = NORM.replace(",108.0,38.6,", ",110.0,38.8,")
    chosen = _read(tmp_path, head, NORM, slower, MATMUL, soc="ascend910b4")
    (row,) = chosen.known
    assert row.case == Case("rms_norm_grad", "ascend910b4", "bf16", (4096, 1, 1024), gamma="fp32")
    assert row.launch.launches == 2
    assert row.launch.aiv_us == 109.0  # the median
    assert row.launch.busy_us == pytest.approx(
        {"vec": 38.7, "scalar": 51.7, "mte2": 31.2, "mte3": 14.2}
    )
    assert row.launch.step_us == 0.0  # a time is not a ratio
    assert chosen.left_out == {"without busy times of vector cores": {"MatMulV3": 1}}


@pytest.mark.parametrize(
    ("text", "op", "shapes", "dtypes", "outputs", "output_dtypes"),
    [
        ("layer_norm_grad_v3:ascend910b4:fp16:8x512x512:gamma=none:stats=fp32:mask=100:seed1",
         "LayerNormGradV3", "8,512,512;8,512,512;8,512,1;8,512,1;",
         "FLOAT16;FLOAT16;FLOAT;FLOAT;DT_UNDEFINED", "8,512,512;;", "FLOAT16;FLOAT16;FLOAT16"),
        ("layer_norm_grad_v3:ascend910b4:bf16:4096x8x64:axes=2:seed1", "LayerNormGradV3",
         "4096,8,64;4096,8,64;4096,1,1;4096,1,1;8,64", "DT_BF16;DT_BF16;DT_BF16;DT_BF16;DT_BF16",
         "4096,8,64;8,64;8,64", "DT_BF16;DT_BF16;DT_BF16"),
        ("rms_norm_grad_quant:ascend950pr_9599:bf16:4096x1024:dst=hif8:offset=1:scale=bf16:seed1",
         "RmsNormGradQuant", "4096,1024;4096,1024;4096;1024;1;1",
         "DT_BF16;DT_BF16;FLOAT;DT_BF16;DT_BF16;INT32", "4096,1024;1024", "DT_HIFLOAT8;FLOAT"),
    ],
)  # fmt: skip
def test_the_case_that_a_launch_is(
    tmp_path: Path, text: str, op: str, shapes: str, dtypes: str, outputs: str, output_dtypes: str
) -> None:
    line = f'{op},{Case.parse(text).soc},1,40,"{shapes}",{dtypes},"{outputs}",{output_dtypes},9,.5,'
    line += ".5"
    (row,) = _read(tmp_path, HEAD, line).known
    assert str(row.case) == text


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Mul", "Sin", "without a kernel here"),
        ("Mul", "LayerNormGradV3", "with tensors that its operator does not have"),
        ("910B4", "a chip", "without busy times of vector cores"),
        ("910B4", "310P3", "on more cores than ascend310p3 has"),
        ("2048,1024", "1024,1024", "of less than 2,000,000 elements"),
        ("0.023", "0", "without busy times of vector cores"),
        ("0.023", "N/A", "without busy times of vector cores"),
        (",40,", ",48,", "on more cores than ascend910b4 has"),
    ],
)
def test_rows_that_cannot_be_judged_are_counted(
    tmp_path: Path, old: str, new: str, why: str
) -> None:
    line = GOOD.replace(old, new)
    chosen = _read(tmp_path, HEAD, GOOD, line)
    assert len(chosen.known) == 1
    assert chosen.left_out == {why: {line.partition(",")[0]: 7}}
    assert f"left out, {why}: 7 launches" in calibrate.said_of(chosen.left_out)[0]


def test_a_wrong_file_is_one_sentence(tmp_path: Path) -> None:
    for lines, said, soc in (
        ([""], "has no row", None),
        ([HEAD.replace("op,", "name,"), GOOD], "has no column 'op' or 'Type' or 'OP Type'", None),
        ([HEAD.replace("vec_ratio", "x"), GOOD], "has no busy time of a pipe", None),
        ([HEAD.replace("soc,", "x,"), GOOD], "give it with --soc", None),
        ([HEAD, GOOD], "leave --soc away", "ascend910b4"),
        ([DETAILS, NORM], "unknown chip 'ascend910b9'", "ascend910b9"),
    ):
        with pytest.raises(NormgradError, match=said):
            _read(tmp_path, *lines, soc=soc)
    with pytest.raises(NormgradError, match="cannot be read"):
        profiles.read(tmp_path / "none.csv", None)
    assert cli.main(["bench", "--self", "--calibrate", str(ROWS)]) == 2
    assert cli.main(["bench", "--soc", "ascend910b4"]) == 2


def _compared(op: str, vec: float, cold: float, resident: float) -> Compared:
    tensor = Tensor("fp32", (6400000,))
    busy = {"vec": 2.0, "mte2": 80.0}
    launch = Launch(op, "ascend910b4", 40, (tensor,), (tensor,), 3, 100.0, busy, 0.05)
    return Compared(
        Known(launch, 0),
        {"vec": vec, "mte2": 88.0, "whole": cold},
        {"vec": vec, "mte2": 20.0, "whole": resident},
        40,
    )


def test_errors_are_computed_right(capsys: pytest.CaptureFixture[str]) -> None:
    right, wrong = _compared("Mul", 2.2, 90.0, 30.0), _compared("Mul", 1.0, 80.0, 20.0)
    assert right.errors("vec") == pytest.approx((0.1,))
    assert wrong.error == pytest.approx(-0.5)
    assert wrong.errors("mte2") == pytest.approx((0.1, -0.75))
    assert wrong.errors("whole") == pytest.approx((-0.2, -0.8))
    assert wrong.errors("mte3") == ()  # the profile has none
    assert wrong.as_json()["pipes"]["mte2"] == {
        "measured_us": 80.0, "cold_us": 88.0, "resident_us": 20.0,
        "errors": pytest.approx((0.1, -0.75)),
    }  # fmt: skip
    lines = calibrate.summary([right, wrong], {})
    assert "1 of 2 rows within 15%, mean error 30.0%, worst -50.0% (Mul" in lines[0]
    # 100 us lie above 1.15 x 80, and below 1.15 x 90.
    assert lines[1].startswith("  the whole of 1 of 2 rows lies between")
    report.calibration([right, wrong], {})
    printed = capsys.readouterr().out
    assert "1.32" in printed  # 2 us x 1650 MHz x 40 cores x 64 / 6.4 M elements, in cycles
    assert "-50 to +10 %" in printed
    assert "-75 %" in printed


def _check(compared: list[Compared]) -> None:
    for each in compared:
        launch = each.known.launch
        label = (launch.op, launch.dtypes, launch.elems, each.error)
        if (launch.op, launch.dtypes) == OTHER_KERNEL:
            assert each.error < -0.5, label
        else:
            assert abs(each.error) <= calibrate.AIM, label
            assert each.resident["whole"] < launch.aiv_us * (1 + calibrate.AIM), label


def test_vector_times_of_the_smaller_rows_are_within_the_aim() -> None:
    known = calibrate.choose(profiles.read(ROWS, None)).known
    chosen = [row for row in known if row.launch.elems <= 4_200_000]
    assert {row.launch.op for row in chosen} == {"Mul", "Cast", "Add", "Muls", "ZerosLike"}
    _check(calibrate.measure(chosen))


def test_the_model_has_no_error_against_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`run --trace` writes a profiler's row of the modelled launch, cold."""
    case = "rms_norm_grad:ascend910b4:bf16:1024x2048:seed1"
    trace = tmp_path / "out.json"
    assert cli.main(["run", case, "--check", "off", "--trace", str(trace)]) == 0
    capsys.readouterr()
    words = ["bench", "--calibrate", str(trace.with_suffix(".csv")), "--soc", "ascend910b4"]
    assert cli.main([*words, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["case"] == case
    for pipe in ("vec", "scalar", "mte2", "mte3", "whole"):
        assert row["pipes"][pipe]["errors"][0] == pytest.approx(0.0, abs=1e-3), pipe


@pytest.mark.full
def test_vector_times_of_all_rows_are_within_the_aim(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "--calibrate", str(ROWS), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 26
    _check(calibrate.measure(calibrate.choose(profiles.read(ROWS, None)).known))
