"""Python code from outside: descriptions are read, their functions called; what they do is said."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from normgrad import stop
from normgrad.own import OwnOp
from normgrad.own_check import OwnError, refusal, shown
from normgrad.plan import Refused

T = TypeVar("T")


def call(what: str, op: str, file: Path, function: Callable[..., T], *args: Any, **named: Any) -> T:
    """One of their functions. Raises OwnError, and Refused if a plan says no."""
    try:
        with _contained():
            return function(*args, **named)
    except (OwnError, stop.Asked):
        raise
    except Refused as refused:
        if what == "plan":
            raise refusal(op, refused) from None
        raise OwnError(
            f"{what} of {op} raised Refused ({shown(refused.sentence)}): only a plan says no"
        ) from None
    except (Exception, SystemExit) as error:  # an exit would end with nothing judged, as 0
        raise OwnError(f"{what} of {op} raised {_told(error)}; mend it in {file}") from None


def read(file: Path) -> tuple[Sequence[OwnOp], list[Path]]:
    """The operators of a description, and the Python files that it is made from."""
    if not file.is_file():
        raise OwnError(
            f"--ops-from {file}: there is no such file; give the Python file that describes your "
            "operators"
        )
    spec = importlib.util.spec_from_file_location(_module_name(file), file)
    if file.suffix != ".py" or spec is None or spec.loader is None:
        raise OwnError(f"--ops-from {file}: a description is Python, name it {file.stem}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where a dataclass in it looks for its own names
    try:
        with _contained(), _beside(file.resolve().parent) as helpers:
            spec.loader.exec_module(module)
    except stop.Asked:
        raise
    except (Exception, SystemExit) as error:
        raise OwnError(f"--ops-from {file} raised {_told(error)}; mend it there") from None
    found = getattr(module, "OPS", None)
    if not isinstance(found, (list, tuple)) or not found:
        has = "has no list OPS" if found is None else f"has OPS = {shown(found)}, no list"
        raise OwnError(f"--ops-from {file} {has} of normgrad.own.OwnOp: write OPS = [OwnOp(...)]")
    if wrong := [told for told in found if not isinstance(told, OwnOp)]:
        raise OwnError(
            f"--ops-from {file} has {shown(wrong[0])} in its list OPS, which holds "
            "normgrad.own.OwnOp: write OPS = [OwnOp(...)]"
        )
    return list(found), [file.resolve(), *helpers]


def _module_name(file: Path) -> str:
    """One for each file: many are called op.py."""
    return f"normgrad_own_{hashlib.sha256(os.fsencode(file.resolve())).hexdigest()[:12]}"


@contextlib.contextmanager
def _contained() -> Iterator[None]:
    """What they print does not get between the lines of --json, and os._exit is an exit as others
    are: it would end the command silently, as if all were well."""

    def leave(code: int = 0) -> NoReturn:
        raise SystemExit(f"os._exit({code})")

    before, os._exit = os._exit, leave  # type: ignore[assignment]
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        os._exit = before


@contextlib.contextmanager
def _beside(folder: Path) -> Iterator[list[Path]]:
    """Modules beside a description can be imported by it, and by no other description: two may
    both have a helper.py. No bytecode: what is a second old would be taken for what is new."""
    helpers: list[Path] = []
    known, quiet = set(sys.modules), sys.dont_write_bytecode
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    importlib.invalidate_caches()
    try:
        yield helpers
    finally:
        sys.dont_write_bytecode = quiet
        sys.path.remove(str(folder))
        for name in set(sys.modules) - known:
            origin = getattr(sys.modules[name], "__file__", None)
            top = name.partition(".")[0]
            places = (folder / f"{top}.py", folder / top)
            if origin and any(p == Path(origin) or p in Path(origin).parents for p in places):
                helpers.append(Path(origin))
                del sys.modules[name]
        helpers.sort()


def _told(error: Exception | SystemExit) -> str:
    """An exception with the line that it comes from, in one sentence."""
    last = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in last if Path(frame.filename) != Path(__file__)][-1:]
    where = f" at {Path(theirs[0].filename).name}:{theirs[0].lineno}" if theirs else ""
    if isinstance(error, SyntaxError):
        where = f" at line {error.lineno}"
    words = " ".join(str(error).split())[:200]
    if isinstance(error, ModuleNotFoundError):
        where += (
            ": a module beside the description is imported at its top, others come by PYTHONPATH"
        )
    return f"{type(error).__name__}{f' ({words})' if words else ''}{where}"
