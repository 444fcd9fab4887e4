"""What a source from outside is made from: seen before it is compiled, and checked afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from normgrad import includes


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A kernel whose headers lie beside it, outside its folder, and in a folder that is known."""
    texts = {
        "op/kernel.cpp": '#include "a.h"\n  #  include "../shared/b.h"\n#include <c.h>\n'
        "#include <vector>\n",
        "op/a.h": '#include "known.h"\n// "none.h"\n',
        "shared/b.h": '#include "d.inc"\n#include "../op/a.h"\n',
        "shared/d.inc": "",
        "op/c.h": '#include "missing.h"\n',
        "known/known.h": '#include "deep.h"\n',
        "known/deep.h": "",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def reached(tree: Path) -> list[Path]:
    folders = (tree / "op", tree / "known")
    return includes.reached(tree / "op" / "kernel.cpp", folders, (tree / "known",))


def test_includes_are_followed_wherever_they_lead(tree: Path) -> None:
    names = [str(file.relative_to(tree)) for file in reached(tree)]
    assert names == ["op/a.h", "op/c.h", "op/kernel.cpp", "shared/b.h", "shared/d.inc"]


def test_a_digest_follows_what_is_read_and_nothing_else(tree: Path) -> None:
    def digest() -> str:
        return includes.digest(reached(tree), tree / "op")

    first = digest()
    (tree / "op" / "other.h").write_text("not included")
    (tree / "known" / "deep.h").write_text("known elsewhere")
    assert digest() == first
    (tree / "shared" / "d.inc").write_text("// new")
    second = digest()
    (tree / "op" / "missing.h").write_text("")  # a file that the compiler now finds
    assert len({first, second, digest()}) == 3


def test_what_the_compiler_has_read_unseen_is_named(tree: Path) -> None:
    op, known = tree / "op", (tree / "known",)
    rule = f"unit.so: {op}/kernel.cpp {op}/../shared/b.h \\\n {op}/a.h {tree}/known/known.h"
    dependencies = tree / "unit.d"
    dependencies.write_text(f"{rule}\n")
    assert includes.unseen(dependencies, reached(tree), known) == []
    dependencies.write_text(f"{rule} \\\n {tree}/my\\ folder/x$$y.h\n")
    assert includes.unseen(dependencies, reached(tree), known) == [tree / "my folder" / "x$y.h"]
