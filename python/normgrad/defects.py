"""Planted defects: their text, the edits that plant them, and whether one was found for its reason.

tests/defects/<op>.txt holds one block per defect:

    [stores_cut_off] dx is cut off instead of rounded
    case: rms_norm_grad:ascend910b4:bf16:67x80
    finds: FAILED
    names: in every row
    @@ op_kernel/common/fp32_edge.h
      AscendC::PipeBarrier<PIPE_V>();
    - AscendC::Cast(dst, result, AscendC::RoundMode::CAST_RINT, count);
    + AscendC::Cast(dst, result, AscendC::RoundMode::CAST_TRUNC, count);

Below @@ stands what is edited as in a diff: lines with + are new, lines with - go, others stay.
What was there must be in the file exactly once; white space does not count. `finds` is

    FAILED            the numbers are wrong
    RULE id           the twin found this rule broken
    ORDER             the bits depend on the order of the cores (needs `shuffle: N`)
    BITS output       the cases, one problem under several plans, differ in their bits
    UNSUPPORTED, MISTRUSTED, ERROR

and `names` (may repeat) is text that the failure must hold; a RULE names the edited file by itself.
`only: full` keeps a defect for `--full`. `#` starts a comment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from normgrad import findings
from normgrad.cases import Case, inputs_key
from normgrad.errors import NormgradError
from normgrad.store import Result

KINDS = ("FAILED", "RULE", "ORDER", "BITS", "UNSUPPORTED", "MISTRUSTED", "ERROR")
MAX_CASES = 3  # of one defect
_WITH_WORD = {"RULE": "the id of a rule", "BITS": "the name of an output"}
_KERNELS = "op_kernel/"


class DefectError(NormgradError):
    """A defect that cannot be read or planted; one sentence with its file and line."""


@dataclass(frozen=True)
class Edit:
    """Text of one file and what takes its place."""

    file: str  # from the root of the tree
    before: str
    after: str


@dataclass(frozen=True)
class Defect:
    """A fault to plant, the cases that meet it, and what they must find."""

    name: str
    what: str
    place: str  # file and line of its text
    kind: str
    word: str  # of RULE and BITS
    cases: tuple[str, ...]
    edits: tuple[Edit, ...]
    names: tuple[str, ...] = ()
    shuffle_runs: int = 0
    only_full: bool = False

    @property
    def finds(self) -> str:
        return f"{self.kind} {self.word}".rstrip()

    @property
    def needles(self) -> tuple[str, ...]:
        """Texts that the failure must hold."""
        if self.kind != "RULE" or self.names:
            return self.names
        return tuple(Path(e.file).name for e in self.edits if e.file.startswith(_KERNELS))


@dataclass(frozen=True)
class Answer:
    """What a run of one case gave: its row, and a hash of each output's bits."""

    result: Result
    bits: Mapping[str, str] = field(default_factory=dict)


def load(root: Path) -> list[Defect]:
    """The defects of every <root>/<op>.txt."""
    files = sorted(root.glob("*.txt"))
    if not files:
        raise DefectError(f"no planted defects in {root}: selftest needs a complete source tree")
    found = [defect for file in files for defect in _parse(file)]
    for at, defect in enumerate(found):
        if defect.name in (other.name for other in found[:at]):
            raise DefectError(f"{defect.place}: {defect.name} is there twice: rename one")
    return found


def plant(defect: Defect, tree: Path) -> dict[Path, str]:
    """Edits the tree and returns what its files held before.

    DefectError, and no edit at all, if a text is not there exactly once.
    """
    before: dict[Path, str] = {}
    fresh: dict[Path, str] = {}
    for edit in defect.edits:
        file = tree / edit.file
        if not file.is_file():
            raise DefectError(
                f"{defect.place}: {defect.name} edits {edit.file}, which is not there; name the "
                "file that does this now"
            )
        if file not in before:
            before[file] = fresh[file] = file.read_text(encoding="utf-8")
        text = fresh[file]
        places = list(re.finditer(r"\s+".join(map(re.escape, edit.before.split())), text))
        if len(places) != 1:
            count = "no longer" if not places else f"{len(places)} times"
            raise DefectError(
                f"{defect.place}: {defect.name} edits what {edit.file} holds {count}, not once: "
                f"`{' '.join(edit.before.split())}`; copy the present text, with enough around it"
            )
        fresh[file] = text[: places[0].start()] + edit.after.strip() + text[places[0].end() :]
    for file, text in fresh.items():
        file.write_text(text, encoding="utf-8")
    return before


def complaint(defect: Defect, answers: Sequence[Answer]) -> tuple[str, str]:
    """KILLED, SURVIVED or WRONG KIND, and what was found, in one line."""
    if defect.kind == "BITS":
        return _bits_complaint(defect, answers)
    for answer in answers:
        result = answer.result
        if result.expected and result.status != "UNSUPPORTED":
            return "SURVIVED", f"{result.case} is PASSED"
        texts = _texts(defect, result)
        if not texts:
            return "WRONG KIND", f"{result.case} is {result.status}: {result.reason}"
        if not any(_all_in(defect.needles, text) for text in texts):
            wanted = " and ".join(map(repr, defect.needles))
            return "WRONG KIND", (
                f"{result.case} is {defect.finds}, but does not say {wanted}: {result.reason}"
            )
    return "KILLED", _short(defect, answers[0].result)


def _bits_complaint(defect: Defect, answers: Sequence[Answer]) -> tuple[str, str]:
    for answer in answers:
        if answer.result.status != "PASSED":
            return "WRONG KIND", (
                f"{answer.result.case} is {answer.result.status}, not {defect.finds}: "
                f"{answer.result.reason}"
            )
    if same_bits(defect, answers):
        return "SURVIVED", f"{defect.word} has the same bits in all its cases"
    first, *others = answers
    other = next(a for a in others if a.bits[defect.word] != first.bits[defect.word])
    return "KILLED", f"other bits of {defect.word} in {other.result.case}"


def same_bits(defect: Defect, answers: Sequence[Answer]) -> bool:
    return len({answer.bits.get(defect.word) for answer in answers}) == 1


def _all_in(needles: Sequence[str], text: str) -> bool:
    return all(needle in text for needle in needles)


def _texts(defect: Defect, result: Result) -> list[str]:
    """What a user reads of a failure of this kind: one text of the case, or one per finding."""
    if defect.kind == "RULE":
        return [
            f"{found['message']} {findings.details(found)}"
            for found in result.findings
            if found["rule"] == defect.word and result.status == "RULE"
        ]
    if defect.kind == "ORDER":
        differs = result.deterministic is False
        return [result.reason] if result.status == "FAILED" and differs else []
    return [_failure_text(result)] if result.status == defect.kind else []


def _failure_text(result: Result) -> str:
    return "\n".join([result.reason, *result.explanation])


def _short(defect: Defect, result: Result) -> str:
    """Which rule was broken, and where; of anything else the sentence."""
    if defect.kind != "RULE":
        return result.reason
    fits = (text for text in _texts(defect, result) if _all_in(defect.needles, text))
    return f"{defect.word}: {next(fits)}"


# ---- reading ----


def _parse(file: Path) -> list[Defect]:
    """The blocks of one file."""
    blocks: list[tuple[int, list[str]]] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("["):
            blocks.append((number, [line]))
        elif line.strip() and not line.startswith("#"):
            if not blocks:
                raise DefectError(f"{file.name}:{number}: a defect begins with [its_name]")
            blocks[-1][1].append(line)
    return [_block(f"{file.parent.name}/{file.name}:{number}", lines) for number, lines in blocks]


def _block(place: str, lines: Sequence[str]) -> Defect:
    title = re.fullmatch(r"\[(\w+)\] (.+)", lines[0])
    if title is None:
        raise DefectError(f"{place}: write [name_of_the_defect] and what it does")
    values: dict[str, list[str]] = {"case": [], "finds": [], "names": [], "shuffle": [], "only": []}
    at = 1
    while at < len(lines) and not lines[at].startswith("@@"):
        key, colon, value = lines[at].partition(":")
        if key not in values or not colon:
            raise DefectError(f"{place}: {lines[at]!r} is none of {', '.join(values)}, or @@ FILE")
        values[key].append(value.strip())
        at += 1
    kind, _, word = " ".join(values["finds"]).partition(" ")
    shuffle = values["shuffle"][0] if values["shuffle"] else "0"
    defect = Defect(
        name=title[1],
        what=title[2],
        place=place,
        kind=kind,
        word=word,
        cases=tuple(str(Case.parse(text)) for text in values["case"]),
        edits=tuple(_edits(place, lines[at:])),
        names=tuple(values["names"]),
        shuffle_runs=int(shuffle) if shuffle.isdecimal() else 0,
        only_full=bool(values["only"]),
    )
    if wrong := _wrong(defect, values):
        raise DefectError(f"{place}: {defect.name} {wrong}")
    return defect


def _wrong(defect: Defect, values: Mapping[str, Sequence[str]]) -> str:
    """What does not fit together in a defect; nothing if all does."""
    if defect.kind not in KINDS or len(values["finds"]) != 1:
        return f"needs one line `finds:` with one of {', '.join(KINDS)}"
    if bool(defect.word) != (defect.kind in _WITH_WORD):
        wanted = _WITH_WORD.get(defect.kind, "nothing")
        return f"finds {defect.finds}: {defect.kind} takes {wanted} behind it"
    if not 1 <= len(defect.cases) <= MAX_CASES:
        return f"has {len(defect.cases)} cases: it takes 1 to {MAX_CASES}"
    keys = {inputs_key(Case.parse(text)) for text in defect.cases}
    if defect.kind == "BITS" and (len(defect.cases) < 2 or len(keys) > 1):
        return "compares bits: give two or three cases that differ in their plans alone"
    if (defect.kind == "ORDER") != (defect.shuffle_runs > 0):
        return "finds ORDER if, and only if, it has `shuffle: N`"
    if values["only"] not in ([], ["full"]):
        return "takes `only: full`, or no such line"
    if not defect.edits:
        return "edits nothing: add @@ FILE and the lines"
    return ""


def _edits(place: str, lines: Sequence[str]) -> list[Edit]:
    found: list[tuple[str, list[str], list[str]]] = []
    for line in lines:
        if line.startswith("@@"):
            found.append((line[2:].strip(), [], []))
            continue
        _, before, after = found[-1]
        if line[0] != "+":
            before.append(line[1:])
        if line[0] != "-":
            after.append(line[1:])
    for file, before, after in found:
        if not file or not " ".join(before).split() or before == after:
            raise DefectError(f"{place}: below @@ {file} stands no text that would change")
    return [Edit(file, "\n".join(before), "\n".join(after)) for file, before, after in found]
