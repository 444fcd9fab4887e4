"""The observer of races in UB against a model that keeps one number per byte: races_model.cpp."""

from __future__ import annotations

import re
import struct

import numpy as np
import samples

from normgrad import build
from normgrad.backends import LaunchOptions, twin

_TEXT_BYTES = 4096


def _run(seed: int) -> str:
    what = twin.RawLaunch(
        unit=build.kernel_library(samples.HERE / "races_model.cpp", 2201),
        soc=samples.SOCS[2201],
        cores=1,
        ub_bytes=samples.UB_BYTES,
        tiling_key=0,
        tiling=struct.pack("<I", seed),
        workspace_bytes=0,
    )
    shape = {"text": ((_TEXT_BYTES,), np.dtype(np.uint8))}
    done = twin.launch(what, ("text",), {}, shape, LaunchOptions("off"))
    assert done.error is None
    return bytes(done.arrays["text"]).rstrip(b"\0").decode()


def test_every_conflict_is_found_to_the_byte_and_no_other() -> None:
    text = _run(seed=1)
    said = re.fullmatch(r"(\d+) conflicts in (\d+) checks", text)
    assert said is not None, text
    conflicts, checks = int(said[1]), int(said[2])
    assert 0.1 * checks < conflicts < 0.9 * checks  # neither side of the comparison is idle
