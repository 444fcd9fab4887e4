"""`python -m normgrad.prebuild SUITE ...` builds all that suites need, and runs nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from normgrad import build, jobs, run
from normgrad.errors import NormgradError


def main(suites: Sequence[str]) -> str | None:
    """None, or the sentence that says what cannot be built."""
    try:
        build.tiling_library()
        run.prebuild([job for suite in suites for job in jobs.from_suite(suite)])
    except NormgradError as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
