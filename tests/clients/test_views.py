"""Views: whatever their strides and offset, the bits are those of dense tensors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from conftest import Acl, Call

Shape = tuple[int, ...]
NAMES = ("dy", "x", "rstd", "gamma", "dx", "dgamma")
ROWS, COLS = 5, 24


def dense(shape: Shape) -> tuple[list[int], int, int]:
    """Strides, offset, elements of the memory."""
    strides = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
    return strides, 0, int(np.prod(shape))


def offset(shape: Shape) -> tuple[list[int], int, int]:
    strides, _, count = dense(shape)
    return strides, 3, count + 5


def transposed(shape: Shape) -> tuple[list[int], int, int]:
    strides, _, count = dense(tuple(reversed(shape)))
    return list(reversed(strides)), 0, count


def every_third(shape: Shape) -> tuple[list[int], int, int]:
    strides, _, count = dense(shape)
    return [3 * stride for stride in strides], 1, 3 * count + 1


def backwards(shape: Shape) -> tuple[list[int], int, int]:
    strides, _, count = dense(shape)
    return [-stride for stride in strides], count - 1, count


def padded_rows(shape: Shape) -> tuple[list[int], int, int]:
    *leading, cols = shape
    strides, _, count = dense((*leading, cols + 7))
    return strides, 2, count + 2


VIEWS = (offset, transposed, every_third, backwards, padded_rows)


def place(
    array: np.ndarray,
    view: Callable[[Shape], tuple[list[int], int, int]],  # type: ignore[type-arg]
) -> tuple[np.ndarray, np.ndarray, list[int], int]:  # type: ignore[type-arg]
    """Memory with the array in it, the view into that memory, strides and offset."""
    strides, begin, count = view(array.shape)
    memory = np.full(count, -77.0, array.dtype)
    window = np.lib.stride_tricks.as_strided(
        memory[begin:], array.shape, [stride * array.itemsize for stride in strides]
    )
    window[...] = array
    return memory, window, strides, begin


def test_views_are_what_they_say() -> None:
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    for view in VIEWS:
        memory, window, _, _ = place(array, view)
        assert (window == array).all()
        assert view in (transposed, backwards) or (memory == -77).any()


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.__name__)
@pytest.mark.parametrize("names", [*((name,) for name in NAMES), NAMES], ids=",".join)
def test_a_view_gives_the_bits_of_a_dense_tensor(
    acl: Acl, names: tuple[str, ...], view: Callable[[Shape], tuple[list[int], int, int]]
) -> None:
    want = Call(acl, ROWS, COLS).results()
    call = Call(acl, ROWS, COLS)
    placed = {}
    for at, name in enumerate(NAMES):
        if name not in names:
            continue
        memory, window, strides, begin = place(call.arrays[at], view)
        call.addresses[at] = acl.upload(memory)
        call.arrays[at] = memory
        call.tensors[at] = acl.tensor(
            window.shape, call.addresses[at], strides=strides, offset=begin, storage=memory.shape
        )
        placed[at] = (memory, window)
    got = call.results()
    for at, output in ((4, got[0]), (5, got[1])):
        if at not in placed:
            assert output.tobytes() == want[at - 4].tobytes()
            continue
        memory, window = placed[at]
        window[...] = want[at - 4]
        assert output.tobytes() == memory.tobytes()  # and nothing beside the view was written


def test_stride_0_gives_every_row_the_same_elements(acl: Acl) -> None:
    want, call = Call(acl, ROWS, COLS), Call(acl, ROWS, COLS)
    want.addresses[0] = acl.upload(np.repeat(want.dy[:1], ROWS, axis=0))
    want.tensors[0] = acl.tensor((ROWS, COLS), want.addresses[0])
    call.tensors[0] = acl.tensor((ROWS, COLS), call.addresses[0], strides=(0, 1))
    for got, expected in zip(call.results(), want.results(), strict=True):
        assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize(("form", "code"), [(2, 0), (30, 0), (0, 0), (29, 161002), (3, 161002)])
def test_plain_formats_are_taken(acl: Acl, form: int, code: int) -> None:
    call = Call(acl)
    call.tensors[1] = acl.tensor((200, 24), call.addresses[1], form=form)
    assert acl.first_phase(call.tensors)[0] == code
    if code:
        assert f"format of x is {form}" in acl.why()


def test_a_sum_over_no_rows_is_zero(acl: Acl) -> None:
    gamma, dgamma = np.ones((2, 5), np.float32), np.full((2, 5), 9, np.float32)
    memory = acl.upload(dgamma)
    shapes = ((0, 2, 5), (0, 2, 5), (0,), (2, 5), (0, 2, 5))
    addresses = (None, None, None, acl.upload(gamma), None)
    tensors = [acl.tensor(s, a) for s, a in zip(shapes, addresses, strict=True)]
    code, size, executor = acl.first_phase([*tensors, acl.tensor((2, 5), memory)])
    assert code == 0, acl.why()
    stream, workspace = acl.stream(), acl.malloc(size)
    assert acl.second_phase(workspace, size, executor, stream) == 0, acl.why()
    assert acl("aclrtSynchronizeStream", stream) == 0
    assert (acl.download(memory, dgamma) == 0).all()
    nothing = [acl.tensor(s, None) for s in ((3, 0), (3, 0), (3,), (0,), (3, 0), (0,))]
    code, size, executor = acl.first_phase(nothing)
    assert (code, size) == (0, 0)
    assert acl.second_phase(None, 0, executor, stream) == 0
    assert acl("aclrtSynchronizeStream", stream) == 0
