"""`normgrad client`: the examples, and what a wrong file or program says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples" / "clients").iterdir())
CRASH = "#include <stdlib.h>\nint main(void) { abort(); }\n"
ECHO = (
    "#include <cstdio>\n#include <cstdlib>\n"
    'int main(int n, char** w) { std::printf("%s %s\\n", w[n - 1], std::getenv("NORMGRAD_SOC")); '
    "return 7; }\n"
)


def client(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "normgrad", "client", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **variables},
    )


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example_runs(example: Path) -> None:
    soc = "ascend950pr_9599" if "quant" in example.name else "ascend910_9391"
    done = client("run", str(example), "--soc", soc)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    last = done.stdout.splitlines()[-1]
    assert last == "all exact" or re.fullmatch(r"worst error \d\.\de-0[78] on Ascend910_9391", last)


def test_a_client_on_a_chip_without_its_operator_says_how_to_choose_one() -> None:
    quant = next(path for path in EXAMPLES if "quant" in path.name)
    known = {name: value for name, value in os.environ.items() if name != "NORMGRAD_SOC"}
    done = subprocess.run(
        [sys.executable, "-m", "normgrad", "client", "run", str(quant)],
        capture_output=True, text=True, check=False, env=known,
    )  # fmt: skip
    assert done.returncode == 1
    assert "choose that with NORMGRAD_SOC, or `normgrad client ... --soc`" in done.stderr


def test_a_built_client_starts_by_itself(tmp_path: Path) -> None:
    app = tmp_path / "app"
    done = client("build", str(EXAMPLES[0]), "--soc", "ascend910b2", "-o", str(app))
    assert done.returncode == 0, done.stderr
    known = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    alone = subprocess.run([app], capture_output=True, text=True, check=False, env=known)
    assert (alone.returncode, alone.stderr) == (0, "")
    linked = subprocess.run(["readelf", "-d", app], capture_output=True, text=True, check=False)
    assert "libascendcl.so" in linked.stdout  # CANN's own names: it starts there, too
    assert "libnormgrad" not in linked.stdout


def test_arguments_chip_and_exit_code_are_the_clients(tmp_path: Path) -> None:
    source = tmp_path / "echo.cpp"
    source.write_text(ECHO)
    done = client("run", str(source), "--soc", "ascend910b", "--", "--soc")
    assert (done.returncode, done.stdout) == (7, "--soc ascend910b1\n")
    crash = tmp_path / "crash.c"
    crash.write_text(CRASH)
    assert client("run", str(crash)).returncode == 128 + 6


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("run", "none.cpp"), "none.cpp does not exist"),
        (("run", "none"), "none is no program"),
        (("build", "none.py"), "none.py is no client"),
        (("build", "a.c", "b.c"), "takes no argument 'b.c'"),
        (("build", "a.c", "--", "b"), "arguments are for `client run`"),
        (("run", "a.c", "-o", "b"), "-o is for"),
        (("test", "a.c"), "'test' is unknown"),
        (("run", "a.c", "--soc", "ascend910b9"), "unknown chip 'ascend910b9'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(words: tuple[str, ...], says: str) -> None:
    done = client(*words)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_client_that_does_not_compile(tmp_path: Path) -> None:
    source = tmp_path / "wrong.cpp"
    source.write_text('#include "acl/acl.h"\nint main() { return aclInit(); }\n')
    done = client("build", str(source), "-o", str(tmp_path / "app"))
    assert done.returncode == 2
    assert "compiling wrong.cpp failed" in done.stderr
    assert "too few arguments" in done.stderr
    assert not (tmp_path / "app").exists()
