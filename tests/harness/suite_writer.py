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
OPS = ("rms_norm_grad", "rms_norm_grad_quant", "layer_norm_grad_v3")


def main(words: list[str]) -> int:
    if words not in (["edge"], ["published"]) and (len(words) != 2 or words[0] != "published"):
        sys.stderr.write(__doc__ or "")
        return 2
    differences = ""
    for op in OPS:
        target = CASES / words[0] / f"{op}.txt"
        if words == ["edge"]:
            text = edge_suite.text(op)
        elif words == ["published"]:
            text = published_suite.refreshed(target.read_text(encoding="utf-8"))
        else:
            records = json.loads(Path(words[1]).read_text(encoding="utf-8"))
            text, more = published_suite.texts(records, op)
            differences += more
        target.write_text(text, encoding="utf-8")
    if differences:
        DIFFERENCES.write_text(published_suite.DIFFERENCES_HEAD + differences, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
