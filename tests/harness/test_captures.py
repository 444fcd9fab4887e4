"""Real tensors from .npz files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from reference import correctly_rounded

from normgrad import verdict
from normgrad.captures import CaptureError, load_npz
from normgrad.inputs import forward_rstd

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
    with pytest.raises(CaptureError, match="not an"):
        load_npz(tmp_path)
