"""The pages' commands: each line of a block marked `sh` or `console` is run, or its reason is here.

In Markdown a block may have a comment above it:

    <!-- not run by the tests: REASON -->    its lines are in NOT_RUN, for this reason
    <!-- planted: NAME -->                   it runs on sources with this defect (tests/defects),
                                             whose edit the block before it shows as `diff`

Lines of a `console` block that begin with `$ ` are commands; the words of the other lines must be
printed as they stand, wherever lines break. `...` stands for anything. Durations and numbers of
lines of code are not compared. Commands within a sentence are not run, but must exist.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from normgrad import cli, defects, paths

ROOT = Path(__file__).resolve().parents[2]
# README.zh-CN.md has README's commands: tests/harness/test_readmes.py.
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "RELEASING.md")]
PAGES += sorted((ROOT / "docs").glob("*.md"))

CANN = "needs CANN"
ITSELF = "is how the tests themselves are run"
LOCKS = "needs uv, and writes the lock files anew"
CLUSTER = "needs a Ray cluster"
TAGS = "publishes a version"
LOCK_BY = "uv pip compile --universal --python-version 3.10 --generate-hashes --no-annotate"
LOCK = """$lock --custom-compile-command "see CONTRIBUTING.md, 'Dependencies'" """
OF = "requirements"
NOT_RUN = {
    "scripts/build.sh test": ITSELF,
    "scripts/build.sh test --full": ITSELF,
    "scripts/build.sh test --full tests/harness/test_wheel.py": ITSELF,
    "source /usr/local/Ascend/cann/set_env.sh": CANN,
    "source /usr/local/Ascend/cann/set_env.sh && normgrad doctor": CANN,
    "scripts/build.sh check-cann": CANN,
    "scripts/build.sh npu": CANN,
    "scripts/build.sh package --soc ascend910b": CANN,
    "scripts/build.sh package --soc ascend910b && build/package/build/custom_opp_*.run": CANN,
    f'lock="{LOCK_BY}"': LOCKS,
    f"{LOCK}pyproject.toml -o {OF}/run.txt": LOCKS,
    f"{LOCK}--extra test --extra check -c {OF}/run.txt pyproject.toml -o {OF}/dev.txt": LOCKS,
    f"{LOCK}--extra cluster -c {OF}/dev.txt pyproject.toml -o {OF}/cluster.txt": LOCKS,
    "pip install 'normgrad[cluster]'": CLUSTER,
    "ray start --head": CLUSTER,
    "ray start --address=HOST:6379": CLUSTER,
    "normgrad verify --suite edge --executor ray": CLUSTER,
    "ray stop": CLUSTER,
    'git tag -a vX.Y.Z -m "normgrad X.Y.Z" && git push origin vX.Y.Z': TAGS,
}
# With `scripts/build.sh test --full` alone: half a minute or more each.
HANG = "normgrad verify --ops-from hangs/op.py rms_norm:ascend910b4:fp32:80x64"
SLOW = {
    HANG,
    "scripts/build.sh verify",
    "scripts/build.sh check",
    "scripts/build.sh format",
    "scripts/build.sh package --dry-run",
    "python -m pip wheel --no-deps -w dist .",
    "normgrad bench",
    "normgrad verify --backend aclnn --suite smoke",
    "normgrad verify --shuffle-runs 3 --invariance",
    "normgrad selftest",
    "normgrad tune rms_norm_grad:ascend910b4:bf16:4096x5120 --out rows",
    "normgrad tune --resume --out rows",
    "pytest -p normgrad.pytest_plugin --normgrad-suite smoke",
}
# Other than 0, and on planted sources 1.
EXIT_CODES = {
    "normgrad verify rms_norm_grad:ascend910b4:bf16:80x64": 0,
    HANG: 1,
}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    above: str  # the line above it
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def planted(self) -> str | None:
        found = re.fullmatch(r"<!-- planted: (\w+) -->", self.above)
        return found[1] if found else None

    @property
    def commands(self) -> list[tuple[str, tuple[str, ...]]]:
        """Each with the lines that it must print."""
        found: list[tuple[str, tuple[str, ...]]] = []
        text = "\n".join(self.lines).replace("\\\n", " ")
        for line in text.split("\n"):
            if self.language == "console" and not line.startswith("$ "):
                assert found, f"{self}: output before the first command"
                found[-1] = (found[-1][0], (*found[-1][1], line))
                continue
            command = re.sub(r"(^|\s)#\s.*", "", line.removeprefix("$ "))
            if command.strip():
                found.append((" ".join(command.split()), ()))
        return found

    def to_run(self, slow: bool) -> list[tuple[str, tuple[str, ...]]]:
        return [
            (command, shown)
            for command, shown in self.commands
            if command not in NOT_RUN and (slow or command not in SLOW)
        ]


def blocks_of(text: str, page: str) -> Iterator[Block]:
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        fence = re.fullmatch(r"```(\w*)", lines[at])
        if fence is None:
            at += 1
            continue
        end = lines.index("```", at + 1)
        above = next((line for line in reversed(lines[:at]) if line), "")
        yield Block(page, at + 1, fence[1], above, tuple(lines[at + 1 : end]))
        at = end + 1


def blocks(page: Path) -> list[Block]:
    return list(blocks_of(page.read_text(), str(page.relative_to(ROOT))))


ALL = [block for page in PAGES for block in blocks(page)]
SHOWN = [block for block in ALL if block.language in ("sh", "console")]
BUILD = (ROOT / "scripts" / "build.sh").read_text()
ONE_OF_OURS = re.compile(r"\s*(\$ )?(normgrad|scripts/build\.sh|pytest|python3?|source) ")


# ---- that none is forgotten ----


def unmarked(page: Path) -> list[str]:
    """Lines that look like commands, but stand in no block that is run."""
    text = page.read_text()
    found = [
        f"{block}: {line}"
        for block in blocks_of(text, page.name)
        if block.language not in ("sh", "console")
        for line in block.lines
        if ONE_OF_OURS.match(line)
    ]
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    found += [
        f"{page.name}: {line}"
        for line in outside.split("\n")
        if line.startswith("    ") and ONE_OF_OURS.match(line)
    ]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_stand_in_blocks_that_are_run(page: Path) -> None:
    assert unmarked(page) == []


def test_a_command_in_another_block_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```\nnormgrad list\n```\n\n    normgrad plan X\n\n```sh\nnormgrad list\n```\n")
    assert unmarked(page) == ["page.md:1: normgrad list", "page.md:     normgrad plan X"]


def test_what_is_not_run_says_why() -> None:
    found = set()
    for block in SHOWN:
        reasons = {NOT_RUN[command] for command, _ in block.commands if command in NOT_RUN}
        said = re.fullmatch(r"<!-- not run by the tests: (.+) -->", block.above)
        assert (set(said[1].split("; ")) if said else set()) == reasons, str(block)
        found |= {command for command, _ in block.commands}
    for listed in (NOT_RUN, SLOW, EXIT_CODES):
        assert sorted(set(listed) - found) == []  # none is listed that stands nowhere


def commands_within(text: str) -> list[str]:
    """Commands within sentences, and in tables."""
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"`((?:normgrad|scripts/build\.sh|python)\s[^`]+)`", outside)
    return [" ".join(command.split()) for command in found]


def wrong_word(command: str) -> str | None:
    """The first word of a command that does not exist."""
    program, first, *words = command.split()
    if program == "python":
        return None if first == "-m" or (ROOT / first).is_file() else first
    if program == "scripts/build.sh":
        known = re.findall(r"^  ([a-z |-]+)\)", BUILD, re.MULTILINE)
        return None if any(first in words.split(" | ") for words in known) else first
    parts = cli._parsers()[1]
    if first not in parts:
        return first
    options = {text for action in parts[first]._actions for text in action.option_strings}
    named = [word.partition("=")[0] for word in words if len(word) > 2 and word[:2] == "--"]
    return next((word for word in named if word not in options), None)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_within_a_sentence_exist(page: Path) -> None:
    found = commands_within(page.read_text())
    assert [command for command in found if wrong_word(command)] == []


def test_commands_that_do_not_exist_are_seen() -> None:
    page = "Say `normgrad\nverify --suit smoke`, `normgrad xverify`, `python no.py`."
    wrong = [wrong_word(command) for command in commands_within(page)]
    assert wrong == ["--suit", "xverify", "no.py"]
    assert wrong_word("scripts/build.sh verfy") == "verfy"
    assert wrong_word("scripts/build.sh check-cann") is None
    assert wrong_word("normgrad run CASE --check=off --trace x.json") is None


# ---- that each works ----


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the pages suppose: a checkout, its environment entered, files of one's own."""
    folder = tmp_path_factory.mktemp("place")
    for name in ("examples", "docs", "tiling", "op_kernel"):
        (folder / name).symlink_to(ROOT / name)
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "activate").touch()
    for name, words in {"normgrad": "-m normgrad", "pytest": "-m pytest", "python": ""}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (programs / name).chmod(0o755)
    capture = paths.captures_root() / "rms_bf16_d512_mid_step120.npz"
    for name in ("my.npz", "my_tensors.npz"):
        shutil.copy(capture, folder / name)
    for name in ("old", "new"):
        (folder / name).mkdir()
        shutil.copy(ROOT / "tests" / "baselines" / "smoke.json", folder / name / "results.json")
    return folder


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout without what was made in it, for commands that make it."""
    folder = tmp_path_factory.mktemp("checkout") / "normgrad"
    made = (".git", ".venv", "build", "dist", "normgrad-report", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*made))
    return folder


def started(folder: Path, command: str, sources: Path | None = None) -> str:
    """What one line prints, stdout and stderr together."""
    env = {**os.environ, "COLUMNS": "100"}
    programs = folder / ".venv" / "bin"
    if (programs / "normgrad").is_file():
        env["PATH"] = f"{programs}{os.pathsep}{env['PATH']}"
    env |= {"NORMGRAD_SOURCES": str(sources)} if sources else {}
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=1200,
        check=False,
    )
    wanted = EXIT_CODES.get(command, 1 if sources else 0)
    assert done.returncode == wanted, f"{command}: exit {done.returncode}\n{done.stdout[-3000:]}"
    return done.stdout


def missing(shown: tuple[str, ...], printed: str) -> str | None:
    """The first piece of a page that was not printed in its place."""
    text, at = f" {_plain(printed)} ", 0
    for piece in re.split(r"(?<!\S)\.\.\.(?!\S)", _plain("\n".join(shown))):
        if not piece.strip():
            continue
        wanted = f" {piece.strip()} "
        found = text.find(wanted, at)
        if found < 0:
            return piece.strip()
        at = found + len(wanted) - 1
    return None


def _plain(text: str) -> str:
    text = re.sub(r"(\.(?:h|cpp|py)):\d+", r"\1:N", text)
    return " ".join(re.sub(r"\d+(\.\d+)? m?s\b", "T s", text).split())


def test_what_a_page_shows_is_looked_for_in_order() -> None:
    printed = "note\na  x.h:12, much\nb 0.34 s\nc\nd"
    assert missing(("a x.h:40, ...", "b 1.2 s", "..."), printed) is None
    assert missing(("x.h:1,", "much b", "...", "d"), printed) is None
    assert missing(("a x.h:12, much", "c"), printed) == "a x.h:N, much c"  # b lies between
    assert missing(("b 0.34 s", "... a"), printed) == "a"
    assert missing(("not",), printed) == "not"  # whole words


def planted(block: Block, tree: Path) -> Path:
    """Sources with the block's defect, which is the one that the page shows."""
    paths.copy_sources(tree, "op_host", "tests/defects")
    known = {defect.name: defect for defect in defects.load(tree / "tests" / "defects")}
    assert block.planted is not None
    before = ALL[ALL.index(block) - 1]
    assert before.language == "diff"
    (edit,) = known[block.planted].edits
    assert before.lines[0] == edit.file
    for sign, text in (("-", edit.before), ("+", edit.after)):
        shown = [line[1:] for line in before.lines[1:] if line[0] in (" ", sign)]
        assert " ".join(shown).split() == text.split(), f"{before}: tests/defects has\n{text}"
    defects.plant(known[block.planted], tree)
    return tree


def run_block(block: Block, place: Path, checkout: Path, tmp_path: Path, slow: bool) -> None:
    sources = planted(block, tmp_path / "planted") if block.planted else None
    for command, shown in block.to_run(slow):
        makes = command.startswith(("scripts/build.sh", "python -m pip"))
        printed = started(checkout if makes else place, command, sources)
        lost = missing(shown, printed)
        assert lost is None, f"{block}: {command}\ndoes not print\n{lost}\nbut\n{printed}"


QUICK = [block for block in SHOWN if block.to_run(slow=False)]
ONLY_FULL = [b for b in SHOWN if any(command in SLOW for command, _ in b.to_run(slow=True))]


@pytest.mark.xdist_group("docs")
@pytest.mark.parametrize("block", QUICK, ids=str)
def test_commands_of_a_block(block: Block, place: Path, tmp_path: Path) -> None:
    run_block(block, place, place, tmp_path, slow=False)


@pytest.mark.full
@pytest.mark.xdist_group("docs")
@pytest.mark.parametrize("block", ONLY_FULL, ids=str)
def test_slow_commands_of_a_block(
    block: Block, place: Path, checkout: Path, tmp_path: Path
) -> None:
    run_block(block, place, checkout, tmp_path, slow=True)
