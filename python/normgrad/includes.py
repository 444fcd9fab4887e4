"""Which files a C++ source of another repository is made from: followed by its #include lines.

So a key is known before anything is compiled. What the compiler has read is compared with it
afterwards: a file that no plain line names would not be seen when it changes, and is refused.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
_MOST_FILES = 2000


def reached(source: Path, folders: Sequence[Path], known: Sequence[Path]) -> list[Path]:
    """The source, and all that its #include lines lead to, as the compiler looks for it: beside the
    file that includes, then in the folders. Files below `known` are counted elsewhere."""
    found: dict[Path, None] = {}
    waiting = [source.resolve()]
    while waiting and len(found) < _MOST_FILES:
        file = waiting.pop()
        if file in found:
            continue
        found[file] = None
        for quoted, angled in _INCLUDE.findall(file.read_bytes()):
            name = os.fsdecode(quoted or angled)
            places = [file.parent, *folders] if quoted else folders
            there = next((path for place in places if (path := place / name).is_file()), None)
            if there is not None and not _is_below(there.resolve(), known):
                waiting.append(there.resolve())
    return sorted(found)


def unseen(dependencies: Path, seen: Iterable[Path], known: Sequence[Path]) -> list[Path]:
    """What the compiler says it has read (a file of make's rules) that is not among the seen."""
    text = dependencies.read_text(errors="surrogateescape").replace("\\\n", " ")
    names = re.findall(r"(?:\\.|[^\\\s])+", text.partition(": ")[2])
    read = {Path(re.sub(r"\\(.)", r"\1", name).replace("$$", "$")).resolve() for name in names}
    return sorted(file for file in read - set(seen) if not _is_below(file, known))


def digest(files: Iterable[Path], base: Path) -> str:
    """Of names, as seen from a folder, and contents."""
    h = hashlib.sha256()
    for file in files:
        data = file.read_bytes()
        h.update(os.fsencode(f"{os.path.relpath(file, base)} {len(data)}\0"))
        h.update(data)
    return h.hexdigest()[:20]


def _is_below(file: Path, folders: Sequence[Path]) -> bool:
    return any(folder in file.parents for folder in folders)
