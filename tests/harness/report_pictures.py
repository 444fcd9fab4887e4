"""Takes the pictures of the report that README shows: python tests/harness/report_pictures.py.

Real runs on the twin, opened in headless Chromium. The baseline of the first is of the kernel
without one of its tricks, so that its trend shows what that is worth; the second has a defect.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from normgrad import defects, paths

FOLDER = paths.source_root() / "docs" / "pictures"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
COPIED = ("op_host", "op_kernel", "tiling", "twin", "tests/cases", "tests/defects", "tests/data")
LARGEST_BYTES = 300_000
ON = "rms_norm_grad:ascend910b4"
# Widths at 2,048 rows, numbers of rows at 1,024 columns, small ones with every kind of data.
CASES = f"""
{ON}:{{bf16,fp32}}:2048x{{512,1024,1536,2048,2560,4096,5120,7168,8192,12288}}
{ON}:{{bf16,fp32}}:{{1024..16384*2}}x1024
{ON}:{{bf16,fp32}}:333x{{129,640}}:dist={{heavy,offset,cancelling,parallel,tiny,specials}}
{ON}:fp32:{{1,40,41}}x{{7,4099,20000}}
rms_norm_grad:ascend910a:fp32:8x64:expect=561003
"""
# What the last tile of a core is not cut in two costs: nothing runs beside its arithmetic.
SLOWER = (
    "op_kernel/rms_norm_grad/dx_whole_row.h",
    "return Smaller(rows, RoundUp((rows + 1) / 2, plan_.rows_per_step));",
    "return rows;",
)
BROKEN = "drops_the_tail"


def main() -> int:
    assert CHROMIUM is not None, "no chromium on the path"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        suite = folder / "cases.txt"
        suite.write_text(CASES)
        slower = copied(folder / "slower")
        edited, before, after = SLOWER
        text = (slower / edited).read_text()
        assert text.count(before) == 1
        (slower / edited).write_text(text.replace(before, after))
        verify(folder / "old", suite, sources=slower)
        old = folder / "old" / "results.json"
        verify(folder / "now", suite, "--baseline", str(old))
        broken = copied(folder / "broken")
        known = {defect.name: defect for defect in defects.load(broken / "tests" / "defects")}
        defects.plant(known[BROKEN], broken)
        verify(folder / "broken-run", suite, "--dtype", "bf16", sources=broken, code=1)
        shoot(folder / "now" / "report.html", FOLDER / "report.png", 1280, 1240)
        phone = folder / "phone.html"
        phone.write_text(PHONE.format(*[(folder / "broken-run" / "report.html").as_uri()] * 2))
        shoot(phone, FOLDER / "report_failure.png", 900, 860)
    return 0


# A window of Chromium has a least width that a phone does not: frames of a phone's width.
PHONE = """<body style="margin:0;background:#888;display:flex;gap:20px;padding:20px">
<iframe src="{0}" style="width:420px;height:820px;border:0;background:#fff"></iframe>
<iframe src="{1}#status=FAILED" style="width:420px;height:820px;border:0;background:#fff"
 onload="setTimeout(() => this.contentWindow.scrollTo(0, 900), 100)"></iframe></body>"""


def copied(tree: Path) -> Path:
    """The sources, to be edited."""
    root = paths.source_root()
    for name in COPIED:
        shutil.copytree(root / name, tree / name)
    shutil.copy(root / "CMakeLists.txt", tree)
    return tree


def verify(
    folder: Path, suite: Path, *words: str, sources: Path | None = None, code: int = 0
) -> None:
    env = {**os.environ, **({"NORMGRAD_SOURCES": str(sources)} if sources else {})}
    command = [sys.executable, "-m", "normgrad", "verify", "--suite", str(suite), *words]
    done = subprocess.run([*command, "--report", str(folder)], env=env, check=False)
    assert done.returncode == code, done.returncode


def shoot(page: Path, picture: Path, width: int, height: int) -> None:
    """The top of a page, in light colours."""
    with tempfile.TemporaryDirectory() as user:
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        options += [f"--user-data-dir={user}", "--allow-file-access-from-files"]
        options += [f"--window-size={width},{height}", "--virtual-time-budget=3000"]
        assert CHROMIUM is not None
        command = [CHROMIUM, *options, f"--screenshot={picture}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    assert picture.stat().st_size < LARGEST_BYTES, picture.stat().st_size


if __name__ == "__main__":
    sys.exit(main())
