"""Cases as the tasks of an executor (pool.py): each of them ends as one result."""

from __future__ import annotations

import functools

from normgrad import jobs, run
from normgrad.backends import LaunchOptions
from normgrad.jobs import Job
from normgrad.pool import Work
from normgrad.store import Result


def work(options: LaunchOptions) -> Work[Job, Result]:
    return Work(
        functools.partial(result_of, options=options),
        lambda job, why: run.error_row(job, why, options),
    )


def result_of(job: Job, options: LaunchOptions) -> Result:
    """One job's result. A fault of ours in one case must not take the others' results along."""
    job = jobs.arrived(job)
    try:
        return run.run_case(job, options).result
    except MemoryError:
        return run.error_row(job, "not enough memory for this case", options)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        return run.error_row(job, f"the harness failed: {reason}", options)
