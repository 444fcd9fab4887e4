"""The build cache: the right key, one build however many ask, one sentence on an error."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from normgrad import build, cli, paths, tools
from normgrad.errors import NormgradError

UNIT = build.Unit("rms_norm_grad", 2201, ("bf16", "bf16"))

# A tree as small as the build takes: one function in each part, and a kernel that calls the twin.
TREE = {
    "tiling/plan.h": "#pragma once\nint Plan();\n",
    "tiling/plan.cpp": '#include "tiling/plan.h"\nint Plan() { return 1; }\n',
    "tiling/chips.cpp": "int Chips() { return 1; }\n",
    "tiling/dtype.cpp": "int Dtype() { return 1; }\n",
    "twin/include/kernel_operator.h": "#pragma once\nint Twin();\nusing bfloat16_t = short;\n",
    "twin/machine/twin.cpp": '#include "kernel_operator.h"\nint Twin() { return 1; }\n',
    "twin/run.cpp": '#include "kernel_operator.h"\nint main() { return Twin() - 1; }\n',
    "op_kernel/rms_norm_grad/rms_norm_grad.cpp": (
        '#include <cstdint>\n#include "kernel_operator.h"\n'
        "void rms_norm_grad(uint8_t*, uint8_t*, uint8_t*, uint8_t*, uint8_t*, uint8_t*, uint8_t*,\n"
        "                   uint8_t*) { Twin(); }\n"
    ),
}
KERNEL = "op_kernel/rms_norm_grad/rms_norm_grad.cpp"


def forget() -> None:
    build._base.cache_clear()
    build._build_unit.cache_clear()


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    root = tmp_path / "tree"
    for name, text in TREE.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    shutil.copy(paths.source_root() / "CMakeLists.txt", root)
    monkeypatch.setattr(paths, "source_root", lambda: root)
    monkeypatch.setenv("NORMGRAD_CACHE", str(tmp_path / "cache"))
    forget()
    yield root
    forget()


def test_unit_text_is_what_the_operator_compiler_gives() -> None:
    text = build.render_unit(build.Unit("rms_norm_grad", 2201, ("fp16", "fp32")))
    for line in (
        "#define DTYPE_DY half",
        "#define DTYPE_RSTD float",
        "#define DTYPE_GAMMA float",
        "#define DTYPE_DX half",
        "#define DTYPE_DGAMMA float",
        f'#include "{KERNEL}"',
        'extern "C" const unsigned normgrad_unit_arch = 2201;',
    ):
        assert line in text.splitlines()
    assert "rms_norm_grad(args[0], args[1]" in text
    assert "args[7]);" in text  # six tensors, workspace, tiling
    assert "args[8]" not in text


def test_3510_has_an_entry_of_its_own_where_there_is_one(tree: Path) -> None:
    own = KERNEL.replace(".cpp", "_regbase.cpp")
    unit, old = build.Unit("rms_norm_grad", 3510, ("bf16", "fp32")), UNIT
    assert f'#include "{KERNEL}"' in build.render_unit(unit)
    (tree / own).write_text(TREE[KERNEL])
    assert f'#include "{own}"' in build.render_unit(unit)
    assert f'#include "{KERNEL}"' in build.render_unit(old)
    assert build.unit(unit.op, unit.arch, unit.dtypes).exists()


def test_built_once_and_keyed_by_content(tree: Path) -> None:
    first = build.unit(UNIT.op, UNIT.arch, UNIT.dtypes)
    stamp = first.stat().st_mtime_ns
    runner = build.twin_runner()
    assert subprocess.run([runner], check=False).returncode == 0  # finds its library beside it
    forget()
    assert build.unit(UNIT.op, UNIT.arch, UNIT.dtypes) == first
    assert first.stat().st_mtime_ns == stamp

    kernel = tree / KERNEL
    kernel.write_text(kernel.read_text() + "// another\n")
    forget()
    second = build.unit(UNIT.op, UNIT.arch, UNIT.dtypes)
    assert second != first
    assert build.twin_runner() == runner  # a kernel is no part of the twin

    header = tree / "twin" / "include" / "kernel_operator.h"
    header.write_text(header.read_text() + "// another\n")
    forget()
    assert build.twin_runner() != runner
    assert build.unit(UNIT.op, UNIT.arch, UNIT.dtypes) not in (first, second)


@pytest.mark.parametrize("name", ["twin/machine/twin.cpp", "twin/include/kernel_operator.h"])
def test_times_of_sources_mean_nothing(tree: Path, name: str) -> None:
    """A file that comes back with an old time, as from an archive, is built from what it says."""
    other = tree / "twin" / "machine" / "twin.cpp"
    if other != tree / name:
        other.write_text('#include "kernel_operator.h"\n')
    declaration = "using bfloat16_t = short;\n"
    for answer, age in ((1, 0), (2, 3600), (3, 7200), (1, 1800), (4, -3600), (2, 0)):
        body = f"int Twin() {{ return {answer}; }}\n"
        text = '#include "kernel_operator.h"\n' + body
        if name.endswith(".h"):
            text = f"#pragma once\n{declaration}inline {body}"
        (tree / name).write_text(text)
        now = time.time()
        os.utime(tree / name, (now - age, now - age))
        forget()
        assert subprocess.run([build.twin_runner()], check=False).returncode == answer - 1


def test_a_source_that_is_gone_is_not_built(tree: Path) -> None:
    extra = tree / "twin" / "machine" / "extra.cpp"
    extra.write_text("int Extra() { return 1; }\n")
    build.twin_runner()
    extra.unlink()
    kernel = tree / KERNEL
    kernel.write_text("int Extra();\n" + kernel.read_text().replace("Twin()", "Extra()"))
    forget()
    with pytest.raises(build.UnitError, match="Extra"):
        build.unit(UNIT.op, UNIT.arch, UNIT.dtypes)


def test_what_a_killed_build_left_is_not_used(tree: Path) -> None:
    """An object that is cut off looks newer than its source."""
    build.twin_runner()
    (work,) = [f for f in paths.cache_root().glob("work-*") if f.is_dir()]
    (work / "unfinished").touch()
    for object_file in work.rglob("*.o"):
        object_file.write_bytes(b"cut off")
    (tree / "CMakeLists.txt").write_text((tree / "CMakeLists.txt").read_text() + "# another\n")
    forget()
    assert subprocess.run([build.twin_runner()], check=False).returncode == 0
    assert not (work / "unfinished").exists()


def test_an_error_names_the_file_of_the_tree(tree: Path) -> None:
    (tree / "twin" / "machine" / "twin.cpp").write_text("nonsense\n")
    with pytest.raises(build.BuildError, match=r"failed: twin/machine/twin\.cpp:1:1: error:"):
        build.twin_runner()


@pytest.mark.parametrize("wrong", ["/bin/true", "/bin/false"])
def test_cxx_that_is_no_compiler(tree: Path, monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("CXX", wrong)
    with pytest.raises(NormgradError, match=f"CXX.*{wrong}") as caught:
        build.tiling_library()
    assert "\n" not in str(caught.value)


def test_planner_needs_no_twin(tree: Path) -> None:
    shutil.rmtree(tree / "twin")
    (tree / "twin").mkdir()
    assert build.tiling_library().exists()


def test_kernel_that_does_not_compile(tree: Path) -> None:
    (tree / KERNEL).write_text("void rms_norm_grad(int) { nonsense }\n")
    with pytest.raises(build.UnitError) as caught:
        build.unit(UNIT.op, UNIT.arch, UNIT.dtypes)
    said = str(caught.value)
    assert said.startswith("compiling rms_norm_grad for arch 2201 (bf16 bf16) failed: ")
    assert "error:" in said
    assert Path(said.rpartition("log: ")[2].rstrip(")")).is_file()
    assert "\n" not in said


def test_api_that_the_twin_lacks_fails_at_the_build(tree: Path) -> None:
    header = tree / "twin" / "include" / "kernel_operator.h"
    header.write_text(header.read_text() + "int Missing();\n")
    kernel = tree / KERNEL
    kernel.write_text(kernel.read_text().replace("Twin()", "Missing()"))
    with pytest.raises(build.UnitError, match="Missing"):
        build.unit(UNIT.op, UNIT.arch, UNIT.dtypes)


def test_twin_that_does_not_compile(tree: Path) -> None:
    (tree / "twin" / "machine" / "twin.cpp").write_text("nonsense\n")
    with pytest.raises(build.BuildError, match=r"building normgrad-twin failed: .*error:"):
        build.twin_runner()


def test_processes_that_build_at_once_agree(tree: Path) -> None:
    script = (
        "from pathlib import Path; from normgrad import build, paths; "
        f"paths.source_root = lambda: Path({str(tree)!r}); "
        "print(build.unit('rms_norm_grad', 2201, ('bf16', 'bf16')))"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = {process.communicate(timeout=120)[0] for process in running}
    assert [process.returncode for process in running] == [0, 0, 0]
    assert len(said) == 1
    assert Path(said.pop().strip()).is_file()
    left = [p.name for p in paths.cache_root().iterdir() if p.name.endswith(".work")]
    assert left == []


def test_old_builds_are_forgotten(tree: Path) -> None:
    old = [paths.cache_root() / f"twin-{key}" for key in ("aged", "recent")]
    for folder in old:
        folder.mkdir()
    os.utime(old[0], (0, 0))
    build.twin_runner()
    assert [folder.is_dir() for folder in old] == [False, True]


def test_a_full_disk_is_said_with_what_to_do(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def copy2(_source: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))

    monkeypatch.setattr(shutil, "copy2", copy2)
    assert cli.main(["verify", "rms_norm_grad:ascend910b4:bf16:3x7"]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert "No space left on device" in said
    assert "make room, or set NORMGRAD_CACHE" in said


def test_a_compiler_that_finds_the_disk_full(tmp_path: Path) -> None:
    log = tmp_path / "unit.log"
    log.write_text("a.cpp:1: warning: error: not this\nfatal error: a.s: No space left on device\n")
    said = tools.first_error("compiling a.cpp failed", log)
    assert said.startswith("compiling a.cpp failed; the disk is full: make room")
    log.write_text("a.cpp:1: error: this\n")
    assert tools.first_error("failed", log).startswith("failed: a.cpp:1: error: this")


def test_several_units(tree: Path) -> None:
    other = build.Unit(UNIT.op, UNIT.arch, ("fp32", "fp32"))
    built = build.units([UNIT, other, UNIT])
    assert set(built) == {UNIT, other}
    assert all(file.is_file() for file in built.values())


def test_missing_tools(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(NormgradError, match=r"no C\+\+ compiler .* install g\+\+ 11"):
        build.tiling_library()
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(NormgradError, match="CXX names the compiler no-such-compiler"):
        build.tiling_library()
    (tmp_path / "g++").symlink_to("/bin/true")
    monkeypatch.setenv("CXX", "g++")
    with pytest.raises(NormgradError, match="cmake is not on the path; install cmake"):
        build.tiling_library()


def test_twin_is_named_after_what_cmake_compiles_into_it() -> None:
    """Else an edit of a shared source of tiling/ would go unnoticed in the twin."""
    text = (paths.source_root() / "CMakeLists.txt").read_text()
    target = text[text.index("add_library(normgrad_twin") :].partition(")")[0]
    assert tuple(re.findall(r"/tiling/(\w+\.cpp)", target)) == build.TWIN_SHARES
