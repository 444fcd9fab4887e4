"""The process in which a planner from outside runs: calls come in on stdin, replies go out."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

from normgrad.tiling_abi import (
    AnswerStruct,
    OptionsStruct,
    PlanStruct,
    ProblemStruct,
    SocStruct,
)

CANNOT = 3  # the exit code beside a sentence on stderr
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


class AttributeStruct(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char * 32), ("value", ctypes.c_double))


class OwnAttributesStruct(ctypes.Structure):
    """NormgradAttributes of tiling/own_plan.h."""

    _fields_ = (("count", ctypes.c_uint32), ("items", AttributeStruct * 16))


class Call(ctypes.Structure):
    _fields_ = (
        ("soc", SocStruct),
        ("problem", ProblemStruct),
        ("options", OptionsStruct),
        ("attributes", OwnAttributesStruct),
        ("has_strategy", ctypes.c_uint32),
        ("strategy", ctypes.c_char * 256),
    )


class Reply(ctypes.Structure):
    _fields_ = (("returned", ctypes.c_int32), ("plan", PlanStruct), ("answer", AnswerStruct))


def serve(library: str) -> None:
    """Answers until there are no more calls. What the planner prints goes to stderr."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    calls, replies = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    try:
        function = ctypes.CDLL(library).normgrad_own_plan
    except OSError as error:
        _leave(f"cannot be loaded ({error})")
    except AttributeError:
        _leave(
            'defines no normgrad_own_plan: include "tiling/own_plan.h", and write the function '
            "that it declares"
        )
    while len(raw := _read(calls, ctypes.sizeof(Call))) == ctypes.sizeof(Call):
        call, reply = Call.from_buffer_copy(raw), Reply()
        call.options.strategy = call.strategy if call.has_strategy else None
        parts = (call.soc, call.problem, call.options, call.attributes, reply.plan, reply.answer)
        reply.returned = function(*map(ctypes.byref, parts))
        os.write(replies, bytes(reply))


def _read(pipe: int, size: int) -> bytes:
    found = b""
    while len(found) < size and (part := os.read(pipe, size - len(found))):
        found += part
    return found


def _leave(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()
    os._exit(CANNOT)
