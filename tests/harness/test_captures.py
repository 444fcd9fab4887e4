"""Real tensors from .npz files."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reference import correctly_rounded

from normgrad import jobs, run, verdict
from normgrad.captures import CaptureError, load_npz
from normgrad.cases import Case
from normgrad.inputs import completed, forward_rstd

FILES = sorted((Path(__file__).parents[1] / "data" / "captures").glob("rms_*.npz"))


def arrays() -> dict[str, np.ndarray]:
    return {
        "dy": np.ones((2, 3, 8), np.float32),
        "x": np.ones((2, 3, 8), np.float32),
        "rstd": np.ones((2, 3, 1), np.float32),
        "gamma": np.ones(8, np.float32),
    }


def test_captures_are_there() -> None:
    assert len(FILES) == 3


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_capture_loads_and_its_golden_passes(file: Path) -> None:
    capture = load_npz(file)
    case = capture.case("rms_norm_grad", "ascend910b4")
    assert case.shape == capture.inputs["x"].shape
    assert case.rows == capture.inputs["rstd"].size
    x = capture.inputs["x"].reshape(case.rows, case.cols)
    np.testing.assert_allclose(capture.inputs["rstd"].reshape(-1), forward_rstd(x), rtol=1e-2)
    judged = verdict.judge(case, capture.inputs, correctly_rounded(capture.inputs))
    assert judged.status == "PASSED", judged.reason


def refuse(tmp_path: Path, words: str, **changed: np.ndarray | None) -> None:
    stored = {n: v for n, v in (arrays() | changed).items() if v is not None}
    np.savez(tmp_path / "a.npz", **stored)
    with pytest.raises(CaptureError, match=words) as caught:
        load_npz(tmp_path / "a.npz")
    assert "\n" not in str(caught.value)


def test_wrong_content_gives_one_sentence(tmp_path: Path) -> None:
    refuse(tmp_path, "lacks gamma", gamma=None)
    refuse(tmp_path, "stored as float64", x=np.ones((2, 3, 8)))
    refuse(tmp_path, "marked nonsense", x_dtype=np.array("nonsense"))
    refuse(tmp_path, "stored as uint16", dy=np.ones((2, 3, 8), np.uint16))
    refuse(tmp_path, "one dtype and one shape", dy=np.ones((2, 3, 7), np.float32))
    refuse(tmp_path, "trailing axes", gamma=np.ones(7, np.float32))
    refuse(tmp_path, "one per row, 6", rstd=np.ones(5, np.float32))


def test_bf16_travels_as_uint16(tmp_path: Path) -> None:
    bits = np.full((2, 3, 8), 0x3F80, np.uint16)
    tag = np.array("bfloat16")
    np.savez(
        tmp_path / "a.npz", **(arrays() | {"dy": bits, "x": bits, "dy_dtype": tag, "x_dtype": tag})
    )
    capture = load_npz(tmp_path / "a.npz")
    assert capture.dtypes == {"dy": "bf16", "x": "bf16", "rstd": "fp32", "gamma": "fp32"}
    assert (capture.inputs["x"].astype(np.float32) == 1.0).all()
    assert str(capture.case("rms_norm_grad", "ascend910b4")) == (
        "rms_norm_grad:ascend910b4:bf16:2x3x8:gamma=fp32:seed1"
    )


def npy(values: np.ndarray, header: str | None = None) -> bytes:
    file = io.BytesIO()
    np.save(file, values)
    raw = file.getvalue()
    if header is None:
        return raw
    text = header.encode().ljust(len(header) + 63 - (len(header) + 10) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + raw[128:]


def described(shape: str, dtype: str = "<f4") -> str:
    return f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"


ONES = np.ones((2, 3, 8), np.float32)
MEMBERS = {
    "no magic": b"not an array",
    "empty": b"",
    "cut off": npy(ONES)[:200],
    "too long": npy(ONES) + b"more",
    "giant": npy(ONES, described("(1099511627776,)")),
    "beyond 64 bits": npy(ONES, described(f"({10**30},)")),
    "negative": npy(ONES, described("(-2, -3, 8)")),
    "no number": npy(ONES, described("('a',)")),
    "header of nonsense": npy(ONES, "{" * 200),
    "deep header": npy(ONES, "(" * 9000),
    "long header": npy(ONES, described("(2, 3, 8)") + " " * 20000),
    "unknown dtype": npy(ONES, described("(2, 3, 8)", "<q77")),
    "objects": npy(ONES, described("(2, 3, 8)", "|O")),
    "pickled": npy(np.array([{}], object)),
    "structured": npy(np.zeros((2, 3, 8), [("a", "f4")])),
    "other byte order": npy(ONES.astype(">f4")),
    "version 9": npy(ONES).replace(b"\x01\x00", b"\x09\x00", 1),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_member_that_is_no_plain_array_gives_one_sentence(tmp_path: Path, name: str) -> None:
    good = {key: npy(values) for key, values in arrays().items()}
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        for key, raw in (good | {"x": MEMBERS[name]}).items():
            archive.writestr(f"{key}.npy", raw)
    with pytest.raises(CaptureError, match=r"a\.npz") as caught:
        load_npz(tmp_path / "a.npz")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("change", [(8, 1), (10, 99), (10, 12)], ids=["encrypted", "99", "bzip2"])
def test_zip_that_numpy_does_not_write(tmp_path: Path, change: tuple[int, int]) -> None:
    """Flags and the compression method of every entry of the central directory."""
    np.savez(tmp_path / "a.npz", **arrays())
    raw = bytearray((tmp_path / "a.npz").read_bytes())
    at = raw.find(b"PK\x01\x02")
    while at >= 0:
        raw[at + change[0]] = change[1]
        at = raw.find(b"PK\x01\x02", at + 4)
    (tmp_path / "a.npz").write_bytes(raw)
    with pytest.raises(CaptureError, match=r"encrypted|compressed in a way"):
        load_npz(tmp_path / "a.npz")


def test_bomb_is_not_unpacked(tmp_path: Path) -> None:
    """The directory claims 4 GiB; the entry holds a few hundred bytes."""
    np.savez_compressed(tmp_path / "a.npz", **arrays())
    raw = bytearray((tmp_path / "a.npz").read_bytes())
    at = raw.find(b"PK\x01\x02")
    raw[at + 24 : at + 28] = b"\xff\xff\xff\xfe"
    (tmp_path / "a.npz").write_bytes(raw)
    with pytest.raises(CaptureError, match="bytes that are not there"):
        load_npz(tmp_path / "a.npz")


def test_pipe_and_device_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npz")
    for path in (tmp_path / "pipe.npz", Path("/dev/zero"), Path("/dev/stdin")):
        with pytest.raises(CaptureError, match="is not a file"):
            load_npz(path)


def test_order_and_compression_of_numpy(tmp_path: Path) -> None:
    x = np.arange(48, dtype=np.float32).reshape(2, 3, 8)
    np.savez_compressed(tmp_path / "a.npz", **(arrays() | {"x": np.asfortranarray(x)}))
    np.testing.assert_array_equal(load_npz(tmp_path / "a.npz").inputs["x"], x)


def test_statistics_are_fp32(tmp_path: Path) -> None:
    refuse(tmp_path, "rstd is float16", rstd=np.ones((2, 3, 1), np.float16))


def test_unreadable_file_gives_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="does not exist"):
        load_npz(tmp_path / "none.npz")
    for content in (b"", b"PK\x03\x04 broken", b"text"):
        (tmp_path / "bad.npz").write_bytes(content)
        with pytest.raises(CaptureError, match="not an"):
            load_npz(tmp_path / "bad.npz")
    np.save(tmp_path / "one.npy", np.ones(3))
    with pytest.raises(CaptureError, match="not an"):
        load_npz(tmp_path / "one.npy")
    with pytest.raises(CaptureError, match="is not a file"):
        load_npz(tmp_path)


def remark_of(path: Path, **changed: Any) -> str:
    rng = np.random.default_rng(1)
    x = rng.standard_normal((6, 64), np.float32)
    tensors = {"dy": x, "x": x, "rstd": forward_rstd(x), "gamma": x[0], **changed}
    np.savez(path, **tensors)
    return load_npz(path, "rms_norm_grad").remark()


def test_statistics_of_another_tensor_are_remarked(tmp_path: Path) -> None:
    assert remark_of(tmp_path / "a.npz") == ""
    rng = np.random.default_rng(1)
    rstd = forward_rstd(rng.standard_normal((6, 64), np.float32))
    said = remark_of(tmp_path / "a.npz", rstd=1 / rstd**2)
    assert said.startswith("rstd of ")
    assert "is not 1 / sqrt(mean(x^2) + 1e-6) of x" in said
    assert "6 of 6 rows" in remark_of(tmp_path / "a.npz", rstd=-rstd)
    assert remark_of(tmp_path / "a.npz", rstd=rstd * np.float32(1.01)) == ""


def test_arrays_that_nobody_takes_are_remarked(tmp_path: Path) -> None:
    assert remark_of(tmp_path / "a.npz", dX=np.ones(3), x_dtype="float32") == "not used: dX"


def test_a_name_that_cannot_be_printed_is_refused(tmp_path: Path) -> None:
    for name in (b"a\x1b[31m.npz", b"a\xff.npz", b"a\n.npz"):
        file = tmp_path / os.fsdecode(name)
        file.write_bytes(b"")
        with pytest.raises(CaptureError, match="cannot be printed: rename it"):
            jobs.from_npz(file, "rms_norm_grad", "ascend910b4")


def quantised_file(path: Path, **more: np.ndarray) -> Path:
    np.savez(path, **(arrays() | more))
    return path


def test_scale_and_offset_of_a_file_are_those_of_the_case(tmp_path: Path) -> None:
    file = quantised_file(
        tmp_path / "a.npz",
        dy=np.full((2, 3, 8), 0x3F80, np.uint16),
        dy_dtype=np.array("bfloat16"),
        x=np.full((2, 3, 8), 0x3F80, np.uint16),
        x_dtype=np.array("bfloat16"),
        scales_x=np.full((1,), 0x3DCD, np.uint16),
        scales_x_dtype=np.array("bfloat16"),
        offset_x=np.array(-3, np.int32),
    )
    capture = load_npz(file, "rms_norm_grad_quant")
    case = capture.case("rms_norm_grad_quant", "ascend950pr_9599")
    assert (case.scale_value, case.scale_dtype, case.offset) == (0.10009765625, "bf16", "-3")
    data = completed(case, capture.inputs)
    assert data["scales_x"].astype(np.float32).tolist() == [0.10009765625]
    assert data["offset_x"].tolist() == [-3]
    assert "not used" not in capture.remark()
    told = run.problem_of(case)
    assert (told.scale_dtype, told.has_offset) == ("bf16", True)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 0.0, 1e-45, 3.4e38, -0.1])
def test_any_scale_of_a_file_is_taken_as_it_is(tmp_path: Path, value: float) -> None:
    scale = np.array([value], np.float32)
    capture = load_npz(quantised_file(tmp_path / "a.npz", scales_x=scale), "rms_norm_grad_quant")
    case = capture.case("rms_norm_grad_quant", "ascend950pr_9599")
    assert Case.parse(str(case)) == case or np.isnan(value)
    np.testing.assert_array_equal(completed(case, capture.inputs)["scales_x"], scale)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"scales_x": np.ones(8, np.float32)}, r"scales_x has shape \(8,\): it is one value"),
        ({"scales_x": np.ones(0, np.float32)}, r"scales_x has shape \(0,\): it is one value"),
        ({"scales_x": np.ones(1)}, "scales_x is stored as float64"),
        ({"offset_x": np.ones(1, np.int64)}, "offset_x is stored as int64: store it as int32"),
        ({"offset_x": np.ones((2,), np.int32)}, r"offset_x has shape \(2,\)"),
    ],
)
def test_a_scale_that_is_none_gives_one_sentence(
    tmp_path: Path, changed: dict[str, np.ndarray], words: str
) -> None:
    with pytest.raises(CaptureError, match=words):
        load_npz(quantised_file(tmp_path / "a.npz", **changed), "rms_norm_grad_quant")


def test_another_operator_takes_no_scale(tmp_path: Path) -> None:
    file = quantised_file(tmp_path / "a.npz", scales_x=np.ones(1, np.float32))
    capture = load_npz(file, "rms_norm_grad")
    assert capture.unused == ("scales_x",)
