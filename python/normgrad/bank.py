"""Plans that were searched for: rows of tiling/tuned/<soc>.csv, with which the planner is built.

`python -m normgrad.bank ROOT` writes the planner's table of a tree to stdout and what is stale in
it to stderr. It needs nothing but Python: CMake calls it, too.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from normgrad import cache
from normgrad.errors import NormgradError
from normgrad.words import counted

# What a row must win, as a share of the planner's own figure. Scaling a part to the whole may be as
# far off (docs/tuning.md).
LEAST_GAIN = 0.005
TABLE = Path("tiling") / "tuned" / "rows.inc"  # in a tree that is built elsewhere, ready-made
_FOLDER = Path("tiling") / "tuned"
_DTYPES = {"fp32": "kFloat32", "fp16": "kFloat16", "bf16": "kBfloat16", "none": "kUndefined"}
_CLASS = re.compile(r"(\d+)\.\.(\d+)x(\d+)(:det=strong)?")
_DTYPE = re.compile(r"(fp32|fp16|bf16)(?::gamma=(fp32|fp16|bf16|none))?")
_WORD = re.compile(r"strategy=([A-Za-z]+)|(chunk|rows_per_tile|buffers|cores)=([1-9]\d{0,8})")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_FIGURE = re.compile(r"\d{1,9}(?:\.\d{1,3})?")
_MEASURED = ("modelled", "measured")


@dataclass(frozen=True)
class Row:
    """A plan that won: for which problems, by which knobs, and how that is known."""

    op: str
    shape_class: str  # of which numbers of rows, and the columns: 4096..8191x5120
    dtype: str  # of dy, and of gamma where that is another: bf16:gamma=fp32
    knobs: str  # strategy=DxWholeRow rows_per_tile=2
    default_us: str
    winner_us: str
    measured: str  # modelled, or measured on a device
    rows: str  # that were timed
    date: str
    source: str  # digest of the kernels
    model: str  # digest of the model of time, - where it had no part

    @property
    def key(self) -> tuple[str, str, str]:
        return self.op, self.shape_class, self.dtype


_HEADER = tuple(field.name for field in fields(Row))


def class_of(rows: int, cols: int, is_strong: bool) -> str:
    """Numbers of rows with as many binary digits are one class: from 4096 to 8191."""
    least = 1 << (rows.bit_length() - 1)
    return f"{least}..{2 * least - 1}x{cols}" + (":det=strong" if is_strong else "")


def ends_of(shape_class: str) -> tuple[int, int]:
    """The least and the most rows of a class."""
    found = _CLASS.fullmatch(shape_class)
    assert found is not None
    return int(found[1]), int(found[2])


def path_of_soc(folder: Path, soc: str) -> Path:
    return folder / f"{soc}.csv"


def read(file: Path) -> list[Row]:
    """The rows of a file; NormgradError names file and line. None if there is no file."""
    if not file.exists():
        return []
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise NormgradError(f"{_shown(file)} cannot be read: {reason}") from None
    lines = list(csv.reader(text.splitlines()))
    if not lines or tuple(lines[0]) != _HEADER:
        raise NormgradError(
            f"{_shown(file)}:1: the columns are not {','.join(_HEADER)}: restore this line, or "
            "remove the file and tune again"
        )
    rows = []
    for number, cells in enumerate(lines[1:], 2):
        if wrong := _wrong(cells):
            raise NormgradError(
                f"{_shown(file)}:{number}: {wrong}: mend this line, or remove it and tune again"
            )
        rows.append(Row(*cells))
    return rows


def _shown(file: Path) -> str:
    return "/".join(file.parts[-3:])


def _wrong(cells: Sequence[str]) -> str:
    """What is wrong with a line, if anything."""
    if len(cells) != len(_HEADER):
        return f"{len(cells)} cells instead of {len(_HEADER)}"
    row = Row(*cells)
    classed = _CLASS.fullmatch(row.shape_class)
    checks = {
        "op": _NAME.fullmatch(row.op),
        "shape_class": classed and int(classed[1]) <= int(classed[2]),
        "dtype": _DTYPE.fullmatch(row.dtype),
        "knobs": row.knobs and all(_WORD.fullmatch(word) for word in row.knobs.split(" ")),
        "default_us": _FIGURE.fullmatch(row.default_us),
        "winner_us": _FIGURE.fullmatch(row.winner_us),
        "measured": row.measured in _MEASURED,
        "rows": row.rows.isascii() and row.rows.isdigit(),
        "date": re.fullmatch(r"\d{4}-\d\d-\d\d", row.date),
        "source": re.fullmatch(r"[0-9a-f]{12}", row.source),
        "model": re.fullmatch(r"[0-9a-f]{12}|-", row.model),
    }
    for name, holds in checks.items():
        if not holds:
            return f"{name} is {getattr(row, name)!r}, which is none"
    return ""


def write(file: Path, rows: Iterable[Row]) -> None:
    """The rows, sorted, whatever was there; no file for none."""
    kept = sorted(rows, key=lambda row: row.key)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_HEADER, *map(astuple, kept)])
    try:
        if not kept:
            file.unlink(missing_ok=True)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name(f"{file.name}.new")
        fresh.write_text(out.getvalue(), encoding="utf-8")
        fresh.replace(file)
    except OSError as error:
        raise NormgradError(
            f"{file} cannot be written ({error.strerror}); choose another folder with --out"
        ) from None


def source_of(root: Path, op: str) -> str:
    """Names the state of an operator's kernels."""
    return cache.digest(root, cache.kernel_files(root, op))[:12]


def model_of(root: Path) -> str:
    """Names the state of the model of time."""
    names = ("cost_table.cpp", "cycles.cpp", "cycles.h", "launch_time.cpp")
    files = [root / "twin" / "observers" / name for name in names]
    return cache.digest(root, [*files, root / "tiling" / "chips.cpp"])[:12]


def write_table(root: Path, tree: Path) -> None:
    """The rows of a tree for another one, whose kernels may be others."""
    (tree / TABLE).parent.mkdir(parents=True, exist_ok=True)
    (tree / TABLE).write_text(table(root), encoding="utf-8")


def files(root: Path) -> list[Path]:
    return sorted((root / _FOLDER).glob("*.csv"))


def stale(root: Path) -> list[str]:
    """A sentence for each file with rows whose kernels have changed since."""
    return [] if (root / TABLE).is_file() else _table(root)[1]


def table(root: Path) -> str:
    """The rows of all chips for tiling/tuned.cpp: those whose kernels are as they were."""
    ready = root / TABLE
    return ready.read_text(encoding="utf-8") if ready.is_file() else _table(root)[0]


def _table(root: Path) -> tuple[str, list[str]]:
    lines, said = [], []
    now: dict[str, str] = {}
    for file in files(root):
        old = []
        for row in read(file):
            if now.setdefault(row.op, source_of(root, row.op)) == row.source:
                lines.append(_entry(file.stem, row))
            else:
                old.append(row.op)
        if old:
            said.append(
                f"{_shown(file)}: {counted(len(old), 'row')} of {', '.join(sorted(set(old)))} left "
                "out, since the kernels have changed: `normgrad tune --refresh` searches again"
            )
    return "".join(f"{line}\n" for line in lines), said


def _entry(soc: str, row: Row) -> str:
    """A row as C++: a member of TunedRow after the other."""
    classed, kinds = _CLASS.fullmatch(row.shape_class), _DTYPE.fullmatch(row.dtype)
    assert classed is not None
    assert kinds is not None
    knobs = dict(word.split("=") for word in row.knobs.split(" "))
    dtype, gamma = kinds[1], kinds[2] or kinds[1]
    text = (
        f"{soc}.csv: {row.knobs}; {row.winner_us} instead of {row.default_us} us "
        f"({row.measured}, {row.rows} rows, {row.date})"
    )
    words = [
        f'"{soc}"', f'"{row.op}"', f"DType::{_DTYPES[dtype]}", f"DType::{_DTYPES[gamma]}",
        classed[1], classed[2], classed[3], "1" if classed[4] else "0",
        f'"{knobs["strategy"]}"' if "strategy" in knobs else "nullptr",
        *(knobs.get(name, "0") for name in ("chunk", "rows_per_tile", "buffers", "cores")),
        f'"{text}"',
    ]  # fmt: skip
    return "{" + ", ".join(words) + "},"


def main(words: Sequence[str]) -> str | None:
    root = Path(words[0])
    try:
        sys.stdout.write(table(root))
        for line in stale(root):
            sys.stderr.write(f"{line}\n")
    except NormgradError as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
