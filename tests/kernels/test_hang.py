"""A kernel that does not come to an end: the time-out says where it was."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from normgrad import jobs, own_parts, paths, run
from normgrad.backends import LaunchOptions

LOOP = "row < plan.rows; row += step"


@pytest.fixture(autouse=True)
def forgets() -> Iterator[None]:
    yield
    own_parts.use(())


@pytest.mark.parametrize("threads", [1, 2])
def test_a_hang_names_core_and_line(tmp_path: Path, threads: int) -> None:
    shutil.copytree(paths.source_root() / "examples" / "rms_norm", tmp_path / "mine")
    kernel = tmp_path / "mine" / "rms_norm.cpp"
    text = kernel.read_text()
    assert LOOP in text
    kernel.write_text(text.replace(LOOP, "row < plan.rows; row += 0 * step"))
    own_parts.use([tmp_path / "mine" / "op.py"])
    job = jobs.from_text("rms_norm:ascend910b4:fp32:80x64")
    run.prebuild([job])
    result = run.run_case(job, LaunchOptions(timeout_s=2.0, threads=threads)).result
    assert result.status == "ERROR"
    assert "cut off after 2 s" in result.reason
    (core, line), *_ = re.findall(r"core (\d+) was at rms_norm\.cpp:(\d+)", result.reason)
    assert int(core) < 40
    lines = kernel.read_text().splitlines()
    loop = next(at for at, each in enumerate(lines, 1) if "0 * step" in each)
    places = {int(at) for at in re.findall(r"rms_norm\.cpp:(\d+)", result.reason)}
    assert places & {loop, loop + 1, loop + 2} or int(line) > loop
