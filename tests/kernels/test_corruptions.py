"""Five ways to get the kernel wrong: `verify` fails each with a message that names the reason."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from normgrad import paths

KERNEL = Path("op_kernel") / "rms_norm_grad"
FP32 = "rms_norm_grad:ascend910b4:fp32"


@dataclass(frozen=True)
class Corruption:
    """One edit of the kernel, a case that meets it, and words that the answer must hold."""

    file: str
    before: str
    after: str
    case: str
    status: str
    words: tuple[str, ...]


CORRUPTIONS = {
    "drops_the_tail": Corruption(
        file="gm_rows.h",
        before="  copy.rsv = 0;\n  AscendC::DataCopyPad(dst, src, copy);",
        after="  copy.rsv = 0;\n  copy.blockLen = copy.blockLen / 32 * 32;\n"
        "  AscendC::DataCopyPad(dst, src, copy);",
        case=f"{FP32}:67x37:cores=1:seed1",
        status="FAILED",
        words=("bytes of dx were never written", "bytes of dgamma were never written"),
    ),
    "skips_the_last_row": Corruption(
        file="args.h",
        before="span.end = span.begin + plan.rows_per_core + (core < one_more ? 1 : 0);",
        after="span.end = span.begin + plan.rows_per_core + (core < one_more ? 1 : 0);\n"
        "  if (span.end == plan.rows) span.end -= 1;",
        case=f"{FP32}:67x37:seed1",
        status="FAILED",
        words=("148 of 9916 bytes of dx were never written", "only in the last row"),
    ),
    "accumulates_in_bf16": Corruption(
        file="dgamma_sum.h",
        before="    AscendC::DataCopy(hi, spare, count);\n    AscendC::PipeBarrier<PIPE_V>();",
        after="    AscendC::PipeBarrier<PIPE_V>();\n"
        "    const auto narrow = value.template ReinterpretCast<bfloat16_t>();\n"
        "    AscendC::Cast(narrow, spare, AscendC::RoundMode::CAST_RINT, count);\n"
        "    AscendC::PipeBarrier<PIPE_V>();\n"
        "    AscendC::Cast(hi, narrow, AscendC::RoundMode::CAST_NONE, count);\n"
        "    AscendC::PipeBarrier<PIPE_V>();",
        case=f"{FP32}:640x64:seed1",
        status="FAILED",
        words=("dgamma[", "64 of 64 elements fail, in every column"),
    ),
    "forgets_a_free_tensor": Corruption(
        file="row_queues.h",
        before="    dx_out_.FreeTensor(dx);\n",
        after="",
        case=f"{FP32}:67x37:seed1:cores=2",
        status="RULE",
        words=("queue-leak", "never given back with FreeTensor"),
    ),
    "reads_one_block_too_far": Corruption(
        file="gm_rows.h",
        before="  copy.rsv = 0;\n  AscendC::DataCopyPadExtParams<T> pad;",
        after="  copy.rsv = 0;\n  copy.blockLen += 32;\n  AscendC::DataCopyPadExtParams<T> pad;",
        case=f"{FP32}:67x37:seed1",
        status="RULE",
        words=("gm-out-of-bounds", "32 bytes too far", "gm_rows.h"),
    ),
}


def _corrupted_tree(what: Corruption, tree: Path) -> None:
    """A copy of the sources with the edit in it; the planner and the twin stay as they are."""
    root = paths.source_root()
    for name in ("op_kernel", "tiling", "twin", "tests/cases"):
        shutil.copytree(root / name, tree / name)
    shutil.copy2(root / "CMakeLists.txt", tree)
    file = tree / KERNEL / what.file
    text = file.read_text()
    assert text.count(what.before) == 1, f"{what.file} no longer holds what this test edits, once"
    file.write_text(text.replace(what.before, what.after))


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_corruption_is_found_and_named(name: str, tmp_path: Path) -> None:
    what = CORRUPTIONS[name]
    _corrupted_tree(what, tmp_path / "tree")
    environment = {
        **os.environ,
        "NORMGRAD_SOURCES": str(tmp_path / "tree"),
        "PYTHONPATH": str(Path(paths.__file__).parents[1]),
    }
    done = subprocess.run(
        [sys.executable, "-m", "normgrad", "verify", what.case],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert what.status in done.stdout
    for word in what.words:
        assert word in done.stdout, done.stdout
