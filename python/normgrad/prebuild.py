"""`python -m normgrad.prebuild SUITE ...` builds all that suites need, and runs nothing.

`python -m normgrad.prebuild --unit LIBRARY OP ARCH DTYPE ...` builds one kernel unit and prints
where the twin's runner and the unit are. The aclnn library asks that before a launch; LIBRARY is
the folder of the cache that it is in.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from normgrad import build, jobs, report, run
from normgrad.errors import NormgradError


def main(suites: Sequence[str]) -> str | None:
    """None, or the sentence that says what cannot be built."""
    try:
        if suites[:1] == ["--unit"] and len(suites) > 4:
            if suites[1] != build.base_folder("acl").name:
                return (
                    "the client was linked when the sources were others, so that its plans and "
                    "these kernels do not fit: build the client again"
                )
            unit = build.unit(suites[2], int(suites[3]), suites[4:])
            report.say(f"{build.twin_runner()}\n{unit}")
            return None
        build.tiling_library()
        run.prebuild([job for suite in suites for job in jobs.from_suite(suite)])
    except NormgradError as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
