"""Takes the pictures of the report: python tests/harness/report_pictures.py [FOLDER [PICTURE]].

Real runs on the twin, opened in headless Chromium. The baseline is of plans with short copies, so
that the trend shows what long ones are worth; the second picture begins with a planted defect, the
third one (docs/reading-a-failure.md) is of another.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from normgrad import build, defects, paths

FOLDER = paths.source_root() / "docs" / "pictures"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
ALSO_COPIED = ("op_host", "tests/cases", "tests/defects", "tests/data")
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
FEW = f"{ON}:bf16:{{333x129,333x640,4000x1536}}\n"
# What copies of 4 KB cost, where those of 16 KB are good.
SLOWER = (
    "tiling/norm_grad_tile.cpp",
    "std::min(most, std::max<uint64_t>(1, kGoodCopyBytes / row_bytes));",
    "std::min(most, std::max<uint64_t>(1, kGoodCopyBytes / 4 / row_bytes));",
)
BROKEN = "keeps_one_gamma_for_all"
RACE, RACES = "does_not_meet", f"{ON}:fp32:67x37\n"


def main(folder: Path, only: str | None) -> int:
    """Runs go to the folder; those that are there already are not run again."""
    assert CHROMIUM is not None, "no chromium on the path"
    build.twin_runner()  # from here: trees that are copies find it made
    if only in (None, "report_race.png"):
        race = with_defect(RACE, folder / "race", RACES)
        shoot(race.as_uri(), FOLDER / "report_race.png", 1100, 490)
    if only in (None, "report.png", "report_phone.png"):
        of_the_whole(folder)
    return 0


def with_defect(name: str, folder: Path, suite: str) -> Path:
    """The report of a suite on sources with a planted defect."""
    if not folder.exists():
        folder.mkdir()
        sources = paths.copy_sources(folder / "sources", *ALSO_COPIED)
        known = {defect.name: defect for defect in defects.load(sources / "tests" / "defects")}
        defects.plant(known[name], sources)
        (folder / "cases.txt").write_text(suite)
        verify(folder / "report", folder / "cases.txt", sources=sources, code=1)
    return folder / "report" / "report.html"


def of_the_whole(folder: Path) -> None:
    (folder / "cases.txt").write_text(CASES)
    if not (folder / "old").exists():
        slower = paths.copy_sources(folder / "slower", *ALSO_COPIED)
        edited, before, after = SLOWER
        text = (slower / edited).read_text()
        assert text.count(before) == 1
        (slower / edited).write_text(text.replace(before, after))
        verify(folder / "old", folder / "cases.txt", sources=slower)
    if not (folder / "now").exists():
        baseline = ("--baseline", str(folder / "old" / "results.json"))
        verify(folder / "now", folder / "cases.txt", *baseline)
    report, failed = folder / "now" / "report.html", with_defect(BROKEN, folder / "broken", FEW)
    shoot(f"{report.as_uri()}#text=2048x", FOLDER / "report.png", 1340, 1150)
    page = folder / "phones.html"
    page.write_text(PHONES.format(failed=failed.as_uri(), report=report.as_uri()))
    shoot(page.as_uri(), FOLDER / "report_phone.png", 900, 860)


# A window of Chromium has a least width that a phone does not: frames of a phone's width, of which
# the second one prefers dark colours.
PHONES = """<body style="margin:0;background:#888;display:flex;gap:20px;padding:20px">
<iframe src="{failed}" style="width:420px;height:820px;border:0"></iframe>
<iframe src="{report}#c1" style="width:420px;height:820px;border:0;color-scheme:dark"></iframe>
</body>"""


def verify(
    folder: Path, suite: Path, *words: str, sources: Path | None = None, code: int = 0
) -> None:
    env = {**os.environ, **({"NORMGRAD_SOURCES": str(sources)} if sources else {})}
    command = [sys.executable, "-m", "normgrad", "verify", "--suite", str(suite), *words]
    done = subprocess.run([*command, "--report", str(folder)], env=env, check=False)
    assert done.returncode == code, done.returncode


def shoot(address: str, picture: Path, width: int, height: int) -> None:
    """The page in a window of that size."""
    with tempfile.TemporaryDirectory() as user:
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        options += [f"--user-data-dir={user}", "--allow-file-access-from-files"]
        options += [f"--window-size={width},{height}", "--virtual-time-budget=3000"]
        assert CHROMIUM is not None
        command = [CHROMIUM, *options, f"--screenshot={picture}", address]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    assert picture.stat().st_size < LARGEST_BYTES, picture.stat().st_size


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None))
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(main(Path(scratch), None))
