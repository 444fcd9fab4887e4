"""`python -m normgrad.prebuild SUITE ...` builds all that suites need, and runs nothing.

`python -m normgrad.prebuild --unit OP ARCH DTYPE ...` builds one kernel unit and prints where the
twin's runner and the unit are: the aclnn library asks that before a launch.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from normgrad import build, jobs, report, run
from normgrad.errors import NormgradError


def main(suites: Sequence[str]) -> str | None:
    """None, or the sentence that says what cannot be built."""
    try:
        if suites[:1] == ["--unit"] and len(suites) > 3:
            unit = build.unit(suites[1], int(suites[2]), suites[3:])
            report.say(f"{build.twin_runner()}\n{unit}")
            return None
        build.tiling_library()
        run.prebuild([job for suite in suites for job in jobs.from_suite(suite)])
    except NormgradError as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
