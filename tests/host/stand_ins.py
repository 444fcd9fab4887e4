"""Programs that stand for the vendor's, as far as a test needs them."""

from __future__ import annotations

from pathlib import Path


def stand_in(program: Path, lines: str) -> None:
    """A shell script by the name of a program."""
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f"#!/bin/sh\n{lines}\n")
    program.chmod(0o755)
