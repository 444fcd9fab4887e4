"""The pytest plugin through the aclnn functions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CASES = (
    "rms_norm_grad:ascend910b4:fp32:3x7:seed1",
    "layer_norm_grad_v3:ascend910b4:fp32:3x7:mask=101:seed1",
    "rms_norm_grad:ascend910b4:fp32:3x7:null=x:expect=161001:seed1",
)
FORCED = "rms_norm_grad:ascend910b4:fp32:3x7:cores=1:seed1"


def test_cases_run_through_the_functions(tmp_path: Path) -> None:
    """Forced ones are skipped, and told why."""
    words = [word for text in (*CASES, FORCED) for word in ("--normgrad-case", text)]
    command = [sys.executable, "-m", "pytest", "-p", "normgrad.pytest_plugin", "-v", "-rs"]
    done = subprocess.run(
        [*command, "--normgrad-backend", "aclnn", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for text in CASES:
        assert f"{text} PASSED" in done.stdout
    assert f"{FORCED} SKIPPED" in done.stdout
    assert "the aclnn functions take no cores=" in done.stdout
    assert "3 passed, 1 skipped" in done.stdout
