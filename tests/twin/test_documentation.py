"""The page about the twin names every call, with the element types and round modes of the rules."""

from __future__ import annotations

import re

from normgrad import paths

ROOT = paths.source_root()
PAGE = (ROOT / "docs" / "twin.md").read_text()
RULES = ROOT / "twin" / "rules"
BYTES = {"int8", "uint8"}
FLOATS = {"fp32", "fp16"}
WORDS = FLOATS | {"int16", "uint16", "int32", "uint32"}
SETS = {
    "kNone": set(),
    "kF16": {"fp16"},
    "kFloats": FLOATS,
    "kFloatsI32": FLOATS | {"int32"},
    "kBits16": {"int16", "uint16"},
    "kIntegers": WORDS - FLOATS,
    "kFloatsBf16": FLOATS | {"bf16"},
    "kArithmetic": FLOATS | {"int16", "int32"},
    "kArithmeticBf16": FLOATS | {"int16", "int32", "bf16"},
    "kBytes": BYTES,
    "kWords": WORDS,
    "kWordsBf16": WORDS | {"bf16"},
    "kMoved": WORDS | {"bf16", "int64", "uint64"} | BYTES,
    "kMovedHif8": WORDS | {"bf16", "int64", "uint64", "hif8"} | BYTES,
}
WORDS_OF_THE_PAGE = {"floats": FLOATS, "words": WORDS, "bytes": BYTES, "any": SETS["kMoved"]}
NAMES = {
    "I8": "int8", "U8": "uint8", "I16": "int16", "I32": "int32", "I64": "int64", "F16": "fp16",
    "F32": "fp32", "Bf16": "bf16", "U16": "uint16", "U32": "uint32", "Hif8": "hif8",
}  # fmt: skip
MODES = {
    "kCastNone": "N", "kCastRint": "R", "kCastOdd": "O", "kCastFive": "RFCAT",
    "kCastSix": "NRFCAT", "kCastNoRint": "NFCAT", "kCastHif8": "AH", "0": "",
}  # fmt: skip


def section(title: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    text = PAGE.split(f"{title}\n", 1)[1]
    rows = re.findall(r"^\| (.+) \|$", re.split(r"^#", text, flags=re.MULTILINE)[0], re.MULTILINE)
    return [[cell.strip() for cell in row.split("|")] for row in rows[1:]]


def calls() -> dict[str, list[str]]:
    """The row of each call."""
    rows = section("## Calls")
    return {name: row for row in rows for name in re.findall(r"`(\w+)(?:\(\))?`", row[0])}


def types(cell: str) -> set[str]:
    found: set[str] = set()
    for word in re.split(r", ", cell) if cell not in ("", "-") else ():
        found |= WORDS_OF_THE_PAGE.get(word, {word})
    return found


def test_page_names_every_call_that_issues_an_instruction() -> None:
    table = (RULES / "api_table.h").read_text()
    names = re.findall(r'^\s*X\(\w+, "(\w+)", PIPE_(\w+)\)', table, re.MULTILINE)
    assert len(names) > 50
    missing = [(name, pipe) for name, pipe in names if name not in calls()]
    assert missing == []
    assert [(n, pipe) for n, pipe in names if pipe not in calls()[n][2].split(", ")] == []


def test_page_has_the_element_types_of_the_rules() -> None:
    table = (RULES / "dtypes.h").read_text()
    cells = r"([^,]+), ([^,]+), ([^,]+), ([^)]+)"
    rows = re.findall(rf"^\s*X\((\w+), {cells}\)", table, re.MULTILINE)
    assert len(rows) > 40
    for name, *columns in rows:
        wanted = [set().union(*(SETS[part] for part in c.split(" | "))) for c in columns]
        assert [types(cell) for cell in calls()[name][3:7]] == wanted, name


def test_page_has_the_conversions_of_the_rules() -> None:
    table = (RULES / "cast_table.h").read_text()
    rows = re.findall(
        r"\{Dtype::k(\w+), Dtype::k(\w+), ([^,]+), ([^,]+), ([^,]+),\s+([^}]+)\}", table
    )
    assert len(rows) == 42
    wanted = {}
    for source, to, *columns in rows:
        modes = [frozenset("".join(MODES[part] for part in c.split(" | "))) for c in columns]
        wanted[NAMES[source], NAMES[to]] = modes
    page = {
        (r[0], r[1]): [frozenset(c.strip("-")) for c in r[2:6]] for r in section("### Conversions")
    }
    assert page == wanted


REGISTER_SETS = {
    "kNone": set(),
    "kFloats": FLOATS,
    "kRelu": {*FLOATS, "int32"},
    "kFloatsBf16": {*FLOATS, "bf16"},
    "kSigned": {*FLOATS, "int8", "int16", "int32"},
    "kInts": {"int8", "uint8", "int16", "uint16", "int32", "uint32"},
    "kWords": WORDS,
    "kWordsBf16": {*WORDS, "bf16"},
    "kAll": {*WORDS, *BYTES, "bf16"},
}
REGISTER_WORDS = {"floats": FLOATS, "words": WORDS, "ints": REGISTER_SETS["kInts"],
                  "all": REGISTER_SETS["kAll"]}  # fmt: skip


def register_calls() -> dict[str, list[str]]:
    rows = section("### Register programming")
    return {name: row for row in rows for name in re.findall(r"`(\w+)`", row[0] + row[1])}


def test_page_has_every_register_call_with_its_element_types() -> None:
    table = (RULES / "reg_table.h").read_text()
    rows = re.findall(r'^\s*X\(\w+, "(\w+)", \w+, [\d.]+, ([^)]+)\)', table, re.MULTILINE)
    assert len(rows) > 50
    page = register_calls()
    assert [name for name, _ in rows if name not in page] == []
    for name, types_of in rows:
        wanted = set().union(*(REGISTER_SETS[part] for part in types_of.split(" | ")))
        if not wanted or name == "ExpSub":
            continue
        cell = page[name][2]
        found = set().union(*(REGISTER_WORDS.get(word, {word}) for word in cell.split(", ")))
        if name == "PairReduceElem":  # named in the row of ReduceDataBlock
            assert wanted <= found
            continue
        assert found == wanted, name
