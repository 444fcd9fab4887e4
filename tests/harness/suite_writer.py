"""Writes the suites that are made from other things than thought: `edge` and `published`.

    python tests/harness/suite_writer.py edge                asks the planner where it decides
    python tests/harness/suite_writer.py published           asks it again what it refuses so far
    python tests/harness/suite_writer.py published FILE.json makes the suite anew from the list of
                                                             published cases

After a change of the planner, or with a new kernel, run the first two and look at the difference.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import edge_suite
import published_suite

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
DIFFERENCES = ROOT / "tests" / "data" / "published_differences.txt"
OP = "rms_norm_grad"


def main(words: list[str]) -> int:
    target = CASES / (words[0] if words else "") / f"{OP}.txt"
    if words == ["edge"]:
        target.write_text(edge_suite.text(OP), encoding="utf-8")
    elif words == ["published"]:
        old = target.read_text(encoding="utf-8")
        target.write_text(published_suite.refreshed(old), encoding="utf-8")
    elif len(words) == 2 and words[0] == "published":
        records = json.loads(Path(words[1]).read_text(encoding="utf-8"))
        cases, differences = published_suite.texts(records)
        target.parent.mkdir(exist_ok=True)
        target.write_text(cases, encoding="utf-8")
        DIFFERENCES.write_text(differences, encoding="utf-8")
    else:
        sys.stderr.write(__doc__ or "")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
