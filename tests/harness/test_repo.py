"""Rules of the tree itself: what may stand where, how long a file may be, what README promises."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from normgrad import ops

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (
    "cmake",
    "op_host",
    "op_kernel",
    "examples",
    "tiling",
    "twin",
    "python",
    "tests",
    "docs",
    "scripts",
    ".ci",
)
CODE = {".py", ".h", ".cpp", ".sh", ".md", ".j2", ".toml", ""}
# Lines of code at most: CONTRIBUTING.md, "Budgets". Blank lines and comments are free, so that a
# budget never argues against a reason.
SIZES = {"op_kernel": 6750, "twin": 17500, "tiling": 4500, "python": 13300}
COMMANDS = ("verify", "test", "check", "build", "package", "check-cann", "npu", "format", "clean")


def _files(*folders: str) -> Iterator[Path]:
    for folder in folders:
        for file in sorted((ROOT / folder).rglob("*")):
            inside = file.relative_to(ROOT).parts[1:]
            made = any(part.startswith(".") or part == "__pycache__" for part in inside)
            if file.is_file() and not made:
                yield file


def _tree() -> list[Path]:
    top = [file for file in ROOT.iterdir() if file.is_file() and file.name != "LICENSE"]
    return [*sorted(top), *_files(*FOLDERS)]


def _text(file: Path) -> str:
    return "" if file.suffix in (".npz", ".png") else file.read_text(encoding="utf-8")


def _lines(file: Path) -> int:
    return len(_text(file).splitlines())


def _relative(files: list[Path]) -> list[str]:
    return [str(file.relative_to(ROOT)) for file in files]


def test_tree_holds_no_path_of_a_machine() -> None:
    path = re.compile("/(?:" + "|".join(("work", "tmp", "root", "home")) + r")/\w")
    found = [f"{f.relative_to(ROOT)}: {m[0]}" for f in _tree() for m in path.finditer(_text(f))]
    assert found == []


def test_tree_holds_no_unfinished_mark() -> None:
    mark = re.compile("|".join(("TO" + "DO", "FIX" + "ME", "X" * 3)))
    assert _relative([f for f in _tree() if mark.search(_text(f))]) == []


def test_kernels_and_planner_do_not_know_the_twin() -> None:
    knows = [f for f in _files("op_kernel", "tiling") if "twin" in _text(f).lower()]
    assert _relative(knows) == []


def test_kernels_do_without_the_dtypes_of_what_may_be_missing() -> None:
    """CANN defines DTYPE_X of the tensors that a call has: in a graph it may lack optional ones."""
    named = [
        f"{file.relative_to(ROOT)}: {macro}"
        for op in ops.PACKAGE.values()
        for macro in (f"DTYPE_{t.ir_name.upper()}" for t in op.tensors if t.is_optional)
        for file in _files(f"op_kernel/{op.name}")
        if re.search(rf"\b{macro}\b", _text(file))
    ]
    assert named == []


def test_kernels_have_no_architecture_switch_in_a_body() -> None:
    switch = re.compile(r"#\s*(?:el)?if.*__(?:NPU_ARCH|CCE_AICORE)__")
    switching = _relative([f for f in _files("op_kernel") if switch.search(_text(f))])
    assert switching == ["op_kernel/common/chip.h"]
    # which has no body: it includes what serves a chip
    assert re.sub(r"^(?:#|//).*\n|\n", "", _text(ROOT / switching[0]), flags=re.MULTILINE) == ""


def test_files_are_short_enough_to_read() -> None:
    long = [f for f in _tree() if f.suffix in CODE and _lines(f) > 400]
    assert _relative(long) == []


def test_files_of_tests_have_names_of_their_own() -> None:
    """pytest imports one of two with the same name, and says so of the other at the very end."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


def test_build_script_is_short() -> None:
    assert _lines(ROOT / "scripts" / "build.sh") <= 150


@pytest.mark.parametrize("folder", SIZES)
def test_folder_keeps_its_size_budget(folder: str) -> None:
    code = re.compile(r"^\s*(?!//|#\s)\S", re.MULTILINE)
    files = [f for f in _files(folder) if f.suffix in {".py", ".h", ".cpp"}]
    assert sum(len(code.findall(_text(f))) for f in files) <= SIZES[folder]


def test_lines_of_cpp_are_at_most_100_columns() -> None:
    code = [f for f in _files(*FOLDERS) if f.suffix in {".h", ".cpp"}]  # ruff sees to Python
    assert (
        _relative([f for f in code if any(len(line) > 100 for line in _text(f).split("\n"))]) == []
    )


def test_only_report_prints() -> None:
    printing = re.compile(r"^\s*print\(", re.MULTILINE)
    found = [f for f in _files("python") if f.suffix == ".py" and printing.search(_text(f))]
    assert [f.name for f in found if f.name != "report.py"] == []


def test_readme_shows_both_commands_and_its_links_exist() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "scripts/build.sh verify" in readme
    assert "scripts/build.sh test" in readme
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *_files("docs")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", _text(page)):
            assert (page.parent / link).exists(), f"{page.name} links to {link}"


def test_pictures_are_small_and_shown() -> None:
    pages = "".join(_text(file) for file in (ROOT / "README.md", *_files("docs")))
    pictures = [*_files("docs/pictures")]
    assert pictures
    for picture in pictures:
        assert picture.stat().st_size < 300_000, picture.name
        assert f"pictures/{picture.name})" in pages, picture.name


def test_twin_page_has_an_entry_for_each_rule() -> None:
    rules = re.findall(r'X\(k\w+,\s*"([^"]+)"', _text(ROOT / "twin" / "rules" / "rules.h"))
    page = _text(ROOT / "docs" / "twin.md")
    assert rules
    assert [rule for rule in rules if f"`{rule}`" not in page] == []


# C++ by itself. What the operator's compiler defines stands before a kernel's first include.
HEADERS = [f for f in _files("tiling", "twin", "op_kernel", "op_host") if f.suffix == ".h"]
INCLUDED = ("include", "acl/include", "host/include")
ENTRIES = [f for f in _files("op_kernel") if f.suffix == ".cpp"]


def _compile(source: Path, dtype: str = "float") -> None:
    """Nothing but the compiler's opinion: every warning is an error."""
    compiler = os.environ.get("CXX") or shutil.which("g++") or "clang++"
    in_registers = "regbase" in "/".join(source.parts[-3:]) or "regbase" in source.read_text()
    arch = 3510 if in_registers else 2201
    flags = ["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-D__NPU_ARCH__={arch}"]
    flags += [f"-DDTYPE_{name}={dtype}" for name in ("DY", "X", "GAMMA", "PD_GAMMA", "SCALES_X")]
    flags += [f"-DDTYPE_DX={'int8_t' if 'quant' in source.name else dtype}"]
    flags += [f"-DDTYPE_{name}=float" for name in ("RSTD", "DGAMMA")]
    flags += [f"-I{ROOT / 'twin' / name}" for name in INCLUDED] + [f"-I{ROOT}"]
    run = subprocess.run(
        [compiler, *flags, str(source)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[:2000]


@pytest.mark.parametrize("header", HEADERS, ids=_relative(HEADERS))
def test_header_compiles_alone(header: Path, tmp_path: Path) -> None:
    source = tmp_path / "alone.cpp"
    source.write_text(f'#include "{header.relative_to(ROOT)}"\n')
    _compile(source)


@pytest.mark.parametrize("dtype", ["float", "bfloat16_t"])
@pytest.mark.parametrize("entry", ENTRIES, ids=_relative(ENTRIES))
def test_kernel_compiles_without_a_warning(entry: Path, dtype: str) -> None:
    _compile(entry, dtype)


# scripts/build.sh
def _build(*args: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    env = dict(os.environ) if path is None else {**os.environ, "PATH": path}
    env.pop("CXX", None)
    return subprocess.run(
        [shutil.which("bash") or "bash", str(ROOT / "scripts" / "build.sh"), *args],
        capture_output=True,
        text=True,
        env=env,
        check=False,
    )


def test_build_script_without_command_shows_them_all() -> None:
    run = _build()
    assert run.returncode == 2
    assert all(word in run.stderr for word in COMMANDS)
    assert _build("help").returncode == 0


def test_build_script_unknown_command_is_one_sentence() -> None:
    run = _build("verfy")
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1
    assert "'verfy'" in run.stderr
    assert all(word in run.stderr for word in COMMANDS)


@pytest.mark.parametrize(
    ("present", "named"), [([], "cmake"), (["cmake"], "C++ compiler")], ids=["cmake", "compiler"]
)
def test_build_script_missing_tool_is_one_sentence(
    present: list[str], named: str, tmp_path: Path
) -> None:
    for tool in ["dirname", *present]:
        target = shutil.which(tool)
        assert target is not None
        (tmp_path / tool).symlink_to(target)
    run = _build("verify", path=str(tmp_path))
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1
    assert named in run.stderr
    assert "install" in run.stderr
