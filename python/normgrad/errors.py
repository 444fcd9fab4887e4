"""What goes wrong through no fault of the code: one sentence with value, allowed and next step."""

from __future__ import annotations


class NormgradError(Exception):
    """A command that cannot be understood or started; the command line shows it and exits 2."""


class Refused(Exception):  # noqa: N818 - the planner's word: an answer, not a malfunction
    """The check or the planner said no: its status code and its sentence."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(code, sentence)  # both, so that it crosses process boundaries
        self.code = code
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence
