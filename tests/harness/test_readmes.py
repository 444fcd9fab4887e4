"""What README promises: tables that the planner agrees with, and the same in both languages."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from normgrad import cases, commands, paths
from normgrad.plan import find_soc

ROOT = Path(__file__).resolve().parents[2]
ENGLISH, CHINESE = ROOT / "README.md", ROOT / "README.zh-CN.md"
SUPPORT = ROOT / "docs" / "support.md"
# In the order of README's columns.
FAMILIES = ("ascend910b", "ascend310p", "ascend910", "ascend950")
OPS = ("rms_norm_grad", "layer_norm_grad_v3", "rms_norm_grad_quant")


def tables(text: str) -> list[list[list[str]]]:
    """The tables of a page: rows of cells, without the line below the head."""
    found = re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE)
    rows = [[[c.strip() for c in row[1:-1].split("|")] for row in t.splitlines()] for t in found]
    return [[table[0], *table[2:]] for table in rows]


def dtypes_by_chips() -> dict[tuple[str, str], dict[str, set[str]]]:
    """(operator, chips as `list --ops` says) -> dtype -> dtypes of gamma; what has a kernel."""
    found: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(dict)
    for op, chips, _, dtype, gamma, built in commands._ops_rows():
        if built:
            found[str(op), str(chips)].setdefault(str(dtype), set()).add(str(gamma))
    return found


def words(gammas: dict[str, set[str]]) -> set[str]:
    """As docs/support.md writes them: + is gamma in fp32 beside another dtype."""
    return {f"{dtype}+" if gamma - {dtype} else dtype for dtype, gamma in gammas.items()}


# ---- the tables of operators ----


def test_readme_names_the_dtypes_that_have_a_kernel() -> None:
    known = dtypes_by_chips()
    for page in (ENGLISH, CHINESE):
        _, *rows = tables(page.read_text())[0]
        assert len(rows) == len(OPS)
        for op, row in zip(OPS, rows, strict=True):
            for family, cell in zip(FAMILIES, row[1:], strict=True):
                have = next(
                    (set(v) for (o, chips), v in known.items() if o == op and family in
                     chips.split(", ")),
                    set(),
                )  # fmt: skip
                assert set(re.findall(r"[a-z]+\d+", cell)) == have, f"{page.name}: {op} {family}"


def test_support_has_a_line_for_each_operator_and_chip() -> None:
    _, *rows = tables(SUPPORT.read_text())[0]
    shown = {(row[0], row[1]): set(row[3].split()) for row in rows}
    assert shown == {key: words(gammas) for key, gammas in dtypes_by_chips().items()}
    arches = {soc: str(find_soc(soc).arch) for _, soc in shown for soc in soc.split(", ")}
    assert all(arches[soc] == row[2] for row in rows for soc in row[1].split(", "))


def test_support_names_the_suites_that_have_cases() -> None:
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for suite in cases.suite_names(paths.cases_root()):
        for case in cases.load_suite(suite, paths.cases_root()):
            if case.expect is None:
                found[case.op, find_soc(case.soc).family].add(suite)
    _, *rows = tables(SUPPORT.read_text())[0]
    for row in rows:
        assert set(row[4].split()) == found[row[0], row[1].split(", ")[0]], row[:2]


def test_nothing_claims_a_run_on_an_npu() -> None:
    head, *rows = tables(SUPPORT.read_text())[0]
    assert head[-1] == "on an NPU"
    assert {row[-1] for row in rows} == {"never"}  # who has run it writes where and when, here too


# ---- two languages ----


def commands_of(page: Path) -> list[list[str]]:
    """Fenced blocks without what stands behind #."""
    found = re.findall(r"^```\w*\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    return [[re.sub(r"\s+# .*", "", line) for line in block.splitlines()] for block in found]


def links_of(page: Path) -> list[str]:
    found = re.findall(r"\]\(([^)]+)\)", page.read_text())
    return sorted(link for link in found if link not in (ENGLISH.name, CHINESE.name))


def figures_of(text: str) -> list[str]:
    """Numbers, in tables and sentences, in the order of their value."""
    prose = re.sub(r"^```.*?^```$|\]\([^)]*\)", "", text, flags=re.MULTILINE | re.DOTALL)
    return sorted(re.findall(r"\d+(?:\.\d+)*", prose))


def test_both_languages_have_the_same_commands() -> None:
    assert commands_of(CHINESE) == commands_of(ENGLISH)


def test_both_languages_have_the_same_links() -> None:
    assert links_of(CHINESE) == links_of(ENGLISH)
    assert f"({CHINESE.name})" in ENGLISH.read_text()
    assert f"({ENGLISH.name})" in CHINESE.read_text()


def test_both_languages_have_the_same_sections_and_points() -> None:
    for start in ("## ", "- ", "| ", "!["):
        counts = [
            sum(line.startswith(start) for line in page.read_text().split("\n"))
            for page in (ENGLISH, CHINESE)
        ]
        assert counts[0] == counts[1], start


def test_both_languages_have_the_same_figures() -> None:
    assert figures_of(CHINESE.read_text()) == figures_of(ENGLISH.read_text())


def test_another_figure_would_be_seen() -> None:
    text = ENGLISH.read_text()
    assert figures_of(text.replace("g++ >= 11", "g++ >= 12")) != figures_of(text)


def test_every_page_is_listed_in_readme() -> None:
    links = set(links_of(ENGLISH))
    pages = {str(page.relative_to(ROOT)) for page in (ROOT / "docs").glob("*.md")}
    assert sorted(pages - links) == []
