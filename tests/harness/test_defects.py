"""Planted defects as text: what a block may hold, where it is planted, when it counts as found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from normgrad import defects, selftest
from normgrad.defects import Answer, Defect, DefectError
from normgrad.errors import NormgradError
from normgrad.store import Result

CASE = "rms_norm_grad:ascend910b4:fp32:5x7:seed1"
BLOCK = f"""[moves_a] a is b
case: {CASE}
finds: RULE some-rule
@@ op_kernel/x.h
   int first;
-  int a;
+  int b;
"""


def read(tmp_path: Path, text: str) -> list[Defect]:
    folder = tmp_path / "defects"
    folder.mkdir(exist_ok=True)
    (folder / "some.txt").write_text(text)
    return defects.load(folder)


def test_block_is_read(tmp_path: Path) -> None:
    (found,) = read(tmp_path, f"# a comment\n\n{BLOCK}# the end\n")
    assert (found.name, found.what, found.place) == ("moves_a", "a is b", "defects/some.txt:3")
    assert (found.finds, found.cases, found.needles) == ("RULE some-rule", (CASE,), ("x.h",))
    (edit,) = found.edits
    assert (edit.file, edit.before.split(), edit.after.split()) == (
        "op_kernel/x.h",
        ["int", "first;", "int", "a;"],
        ["int", "first;", "int", "b;"],
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[moves_a] a is b", "[moves_a]", "write [name_of_the_defect] and what it does"),
        ("[moves_a] a is b", "case: x", "a defect begins with [its_name]"),
        ("finds: RULE some-rule", "find: RULE some-rule", "is none of case, finds"),
        ("finds: RULE some-rule", "finds: RUEL some-rule", "one of FAILED, RULE"),
        ("finds: RULE some-rule", "finds: RULE", "takes the id of a rule behind it"),
        ("finds: RULE some-rule", "finds: FAILED badly", "takes nothing behind it"),
        ("finds: RULE some-rule\n", "", "needs one line `finds:`"),
        ("finds: RULE some-rule", "finds: BITS dx", "give two or three cases"),
        ("finds: RULE some-rule", "finds: ORDER", "if, and only if, it has `shuffle: N`"),
        ("finds: RULE some-rule", "finds: FAILED\nshuffle: 2", "if, and only if"),
        ("finds:", "only: half\nfinds:", "takes `only: full`"),
        (f"case: {CASE}\n", "", "has 0 cases"),
        (f"case: {CASE}\n", f"case: {CASE}\n" * 4, "has 4 cases"),
        (CASE, "rms_norm_grad:fp32", "too few parts"),
        ("@@ op_kernel/x.h\n   int first;\n-  int a;\n+  int b;\n", "", "edits nothing"),
        ("-  int a;\n+  int b;\n", "", "stands no text that would change"),
        ("   int first;\n-  int a;\n", "", "stands no text that would change"),
        (BLOCK, BLOCK + BLOCK, "is there twice"),
    ],
)
def test_block_that_does_not_fit_is_one_sentence(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in BLOCK
    with pytest.raises(NormgradError) as caught:
        read(tmp_path, BLOCK.replace(old, new))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def tree(tmp_path: Path, text: str) -> Path:
    (tmp_path / "op_kernel").mkdir(exist_ok=True)
    (tmp_path / "op_kernel" / "x.h").write_text(text)
    return tmp_path


def test_white_space_of_the_source_does_not_count(tmp_path: Path) -> None:
    (found,) = read(tmp_path, BLOCK)
    root = tree(tmp_path, "{\n      int first;\n\n int\n   a;\n}\n")
    before = defects.plant(found, root)
    assert list(before) == [root / "op_kernel" / "x.h"]
    assert "int\n   a;" in before[root / "op_kernel" / "x.h"]
    assert " ".join((root / "op_kernel" / "x.h").read_text().split()) == "{ int first; int b; }"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("int first; int c;", "edits what op_kernel/x.h holds no longer, not once"),
        ("int first; int a; int first; int a;", "edits what op_kernel/x.h holds 2 times"),
        (None, "edits op_kernel/x.h, which is not there"),
    ],
)
def test_lost_text_names_file_and_text(tmp_path: Path, text: str | None, said: str) -> None:
    (found,) = read(tmp_path, BLOCK)
    root = tree(tmp_path, text or "")
    if text is None:
        (root / "op_kernel" / "x.h").unlink()
    with pytest.raises(DefectError) as caught:
        defects.plant(found, root)
    assert str(caught.value).startswith("defects/some.txt:1: moves_a ")
    assert said in str(caught.value)
    if text is not None:
        assert "`int first; int a;`" in str(caught.value)
        assert (root / "op_kernel" / "x.h").read_text() == text


def test_nothing_is_edited_if_one_text_is_lost(tmp_path: Path) -> None:
    (found,) = read(tmp_path, f"{BLOCK}@@ op_kernel/x.h\n-  int d;\n+  int e;\n")
    root = tree(tmp_path, "int first; int a;")
    with pytest.raises(DefectError, match="int d;"):
        defects.plant(found, root)
    assert (root / "op_kernel" / "x.h").read_text() == "int first; int a;"


RIGHT = Result(CASE, "PASSED", True, "", deterministic=True)
FINDING = {
    "rule": "some-rule", "message": "m", "file": "op_kernel/x.h", "line": 7, "count": 1,
}  # fmt: skip
RULE = replace(
    RIGHT, status="RULE", expected=False, reason="some-rule: m at x.h:7", findings=(FINDING,)
)
ELSEWHERE = replace(RULE, findings=({**FINDING, "file": "op_kernel/y.h"},))
FAILED = replace(
    RIGHT, status="FAILED", expected=False, reason="dx[0] is 1", explanation=("in every row",)
)
REFUSED = replace(RIGHT, status="UNSUPPORTED", expected=False, reason="it does not fit")
SHUFFLED = replace(FAILED, reason="the order matters", deterministic=False)


@pytest.mark.parametrize(
    ("kind", "word", "names", "result", "status"),
    [
        ("RULE", "some-rule", (), RULE, "KILLED"),
        ("RULE", "some-rule", (), RIGHT, "SURVIVED"),
        ("RULE", "some-rule", (), FAILED, "WRONG KIND"),
        ("RULE", "other-rule", (), RULE, "WRONG KIND"),
        ("RULE", "some-rule", (), ELSEWHERE, "WRONG KIND"),
        ("RULE", "some-rule", ("y.h",), RULE, "WRONG KIND"),
        ("FAILED", "", ("every row",), FAILED, "KILLED"),
        ("FAILED", "", ("every row", "dx[0]"), FAILED, "KILLED"),
        ("FAILED", "", ("last row",), FAILED, "WRONG KIND"),
        ("FAILED", "", (), RULE, "WRONG KIND"),
        ("FAILED", "", (), replace(RIGHT, status="ERROR", expected=False), "WRONG KIND"),
        ("UNSUPPORTED", "", ("fit",), REFUSED, "KILLED"),
        ("UNSUPPORTED", "", ("other",), REFUSED, "WRONG KIND"),
        ("FAILED", "", (), REFUSED, "WRONG KIND"),
        ("ORDER", "", ("order",), SHUFFLED, "KILLED"),
        ("ORDER", "", (), FAILED, "WRONG KIND"),
        ("ORDER", "", (), RIGHT, "SURVIVED"),
    ],
)  # fmt: skip
def test_only_the_named_reason_kills(
    tmp_path: Path, kind: str, word: str, names: tuple[str, ...], result: Result, status: str
) -> None:
    (found,) = read(tmp_path, BLOCK)
    found = replace(found, kind=kind, word=word, names=names)
    assert defects.complaint(found, [Answer(result)])[0] == status


def test_every_case_must_kill(tmp_path: Path) -> None:
    (found,) = read(tmp_path, BLOCK)
    assert defects.complaint(found, [Answer(RULE), Answer(RIGHT)])[0] == "SURVIVED"
    assert defects.complaint(found, [Answer(RULE), Answer(FAILED)])[0] == "WRONG KIND"


def test_bits_are_compared_among_the_cases(tmp_path: Path) -> None:
    text = BLOCK.replace("RULE some-rule", "BITS dx")
    text = text.replace(f"case: {CASE}", f"case: {CASE}\ncase: {CASE}:cores=2")
    (found,) = read(tmp_path, text)
    one, same, other = (Answer(RIGHT, {"dx": bits}) for bits in ("1", "1", "2"))
    assert defects.complaint(found, [one, other])[0] == "KILLED"
    assert defects.complaint(found, [one, same])[0] == "SURVIVED"
    assert defects.complaint(found, [one, Answer(FAILED, {"dx": "2"})])[0] == "WRONG KIND"
    assert selftest.control_fails([found], [one]) == []
    bad = [one, Answer(replace(RIGHT, case=found.cases[1]), {"dx": "2"})]
    assert "other bits in the cases of moves_a" in selftest.control_fails([found], bad)[0]
    assert CASE in selftest.control_fails([found], [Answer(FAILED)])[0]
