"""Clients of the aclnn functions: compiled against the twin's library, and started with it."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from normgrad import build, cache, paths, report, tools
from normgrad.backends.acl_abi import environment
from normgrad.errors import NormgradError
from normgrad.plan import find_soc

_LANGUAGES = {".c": "c", ".cpp": "c++", ".cc": "c++", ".cxx": "c++"}
_FLAGS = {"c": ("-std=c11",), "c++": ("-std=c++17",)}
_LIBRARIES = ("-lascendcl", "-lnnopbase", "-lcust_opapi", "-lpthread")


def include_folders() -> list[Path]:
    """Where a client finds acl/acl.h, aclnnop/aclnn_<op>.h and, as custom packages have it,
    aclnn_<op>.h."""
    root = paths.source_root()
    return [root / "twin" / "acl" / "include", *sorted((root / "op_host").glob("*/op_api"))]


def client(args: argparse.Namespace) -> int:
    """The command: builds or runs one file."""
    soc = find_soc(args.soc).name if args.soc else None
    if args.action == "run":
        if args.output:
            raise NormgradError("-o is for `client build`: `client run` keeps no program")
        return run_client(args.file, soc, args.arguments)
    if args.arguments:
        raise NormgradError("arguments are for `client run`: `client build` starts nothing")
    target = args.output or Path(args.file.stem)
    build_client(args.file, target, soc)
    report.note(f"built {target}; run it, or `normgrad client run {target}`")
    return 0


def build_client(source: Path, target: Path, soc: str | None) -> None:
    """Compiles and links one file; the program starts by itself and needs no variable."""
    language = _LANGUAGES.get(source.suffix)
    if language is None:
        raise NormgradError(
            f"{source} is no client: a file of {', '.join(_LANGUAGES)} is compiled; rename it"
        )
    if not source.is_file():
        raise NormgradError(f"{source} does not exist; give the path of a C or C++ file")
    libraries = build.acl_folder()
    with cache.scratch("client") as folder:
        defaults = folder / "defaults.c"
        defaults.write_text(_defaults(environment(soc)))
        log, made = folder / "client.log", folder / "client"
        command = [tools.compiler(), "-O2", *_FLAGS[language], "-x", language]
        command += [f"-I{folder_}" for folder_ in include_folders()]
        command += [str(source), "-std=c11", "-x", "c", str(defaults), "-x", "none"]
        command += ["-o", str(made), f"-L{libraries}", f"-Wl,-rpath,{libraries}", *_LIBRARIES]
        with log.open("w") as out:
            code = tools.run(command, out)
        if code != 0:  # the log goes with its folder: its first error has to do
            said = tools.first_error(f"compiling {source.name} failed", log)
            raise build.BuildError(said.rpartition(" (log: ")[0])
        try:
            shutil.copy2(made, target)
        except OSError as error:
            raise NormgradError(
                f"{target} cannot be written ({error.strerror}); choose another place with -o"
            ) from None


def run_client(program: Path, soc: str | None, arguments: Sequence[str]) -> int:
    """Runs a source file or a program that was built before; returns its exit code.

    A program that a signal ended has 128 and the signal's number, as shells have it.
    """
    if program.suffix not in _LANGUAGES:
        return _start(program, soc, arguments)
    with cache.scratch("client") as folder:
        made = folder / program.stem
        build_client(program, made, soc)
        return _start(made, soc, arguments)


def _start(program: Path, soc: str | None, arguments: Sequence[str]) -> int:
    if not program.is_file() or not os.access(program, os.X_OK):
        raise NormgradError(
            f"{program} is no program: give a C or C++ file, or what `normgrad client build` made"
        )
    variables = {**os.environ, **environment(soc)}
    folders = [str(build.acl_folder()), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    variables["LD_LIBRARY_PATH"] = os.pathsep.join(folders)
    command = [str(program.resolve()), *arguments]
    code = subprocess.run(command, env=variables, check=False).returncode
    return 128 - code if code < 0 else code


def _defaults(variables: dict[str, str]) -> str:
    """C code that sets what the environment of a program does not."""
    lines = [
        f"  setenv({_quoted(name)}, {_quoted(value)}, 0);" for name, value in variables.items()
    ]
    return "\n".join(
        [
            "#define _POSIX_C_SOURCE 200809L",
            "#include <stdlib.h>",
            "__attribute__((constructor)) static void SetDefaults(void) {",
            *lines,
            "}",
            "",
        ]
    )


def _quoted(text: str) -> str:
    """A C string: bytes that are not plain as octal numbers."""
    plain = {*range(0x20, 0x7F)} - {ord('"'), ord("\\"), ord("?")}
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in os.fsencode(text)) + '"'
