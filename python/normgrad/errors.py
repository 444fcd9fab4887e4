"""What goes wrong through no fault of the code: one sentence with value, allowed and next step."""

from __future__ import annotations


class NormgradError(Exception):
    """A command that cannot be understood or started; the command line shows it and exits 2."""
