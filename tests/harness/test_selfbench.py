"""The twin's own speed: what the figures are made of, and (in full) that they hold."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from normgrad import cli, golden, inputs, report, selfbench
from normgrad.cases import Case
from normgrad.selfbench import Figure


@pytest.mark.parametrize("shape", ["1x1", "3x7", "40x2000"])
def test_both_numpy_sides_compute_the_operator(shape: str) -> None:
    data = inputs.make_inputs(Case.parse(f"rms_norm_grad:ascend910b4:fp32:{shape}:seed1"))
    source = golden.matrices(data)
    rows, sums = golden.rms_norm_grad_rows(source, 0, source.rows)
    one = sums["dgamma"]
    wide = [source.dy.astype(float), source.x.astype(float), source.rstd[:, None], source.gamma]
    for compute in (selfbench.value_only, selfbench.value_only_by_rows):
        dx, dgamma = compute(*wide)
        np.testing.assert_allclose(dx, rows.dx, rtol=0, atol=1e-12 * rows.dx_s.max())
        np.testing.assert_allclose(dgamma, one.value, rtol=0, atol=1e-12 * one.s.max())


def test_the_shortest_run_counts_by_every_clock() -> None:
    seconds = iter([(3.0, 1.0), (10.0, 9.0), (2.0, 1.5), (30.0, 8.0)])
    runs = {"a": lambda: next(seconds), "b": lambda: next(seconds)}
    assert selfbench._best_of(2, runs) == {"a": (2.0, 1.0), "b": (10.0, 8.0)}


def test_a_figure_is_shown_beside_its_target(capsys: pytest.CaptureFixture[str]) -> None:
    figures = [
        Figure("ratio", 4.9, "x", 5.0, True, "9 against 2"),
        Figure("cost", 150.0, "ns", 150.0, False, ""),
    ]
    assert [figure.holds for figure in figures] == [False, True]
    report.self_table(figures)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["ratio", "4.9", "x", ">=", "5", "x", "NO", "9", "against", "2"]
    assert lines[2].split() == ["cost", "150", "ns", "<=", "150", "ns", "yes"]


def test_without_torch_its_row_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(selfbench, "has_torch", lambda: False)
    (figure,) = selfbench._against_torch(1)
    assert figure.holds is None
    report.self_table([figure])
    line = capsys.readouterr().out.splitlines()[1]
    assert "torch is not installed: pip install 'normgrad[torch]'" in line
    assert "NO" not in line.split()


@pytest.mark.skipif(not selfbench.has_torch(), reason="torch is not installed")
def test_torch_computes_the_operator() -> None:
    data = inputs.make_inputs(Case.parse("layer_norm_grad_v3:ascend910b4:bf16:9x200:seed1"))
    source = golden.matrices(data)
    rows, sums = golden.layer_norm_grad_rows(source, 0, source.rows)
    dx, dgamma, dbeta = (one.double().numpy() for one in selfbench.torch_backward(data)())
    np.testing.assert_allclose(dx, rows.dx, rtol=0, atol=0.02 * rows.dx_s.max())
    for got, name in ((dgamma, "dgamma"), (dbeta, "dbeta")):
        want = sums[name]
        np.testing.assert_allclose(got, want.value, rtol=0, atol=0.02 * want.s.max())


def test_self_takes_no_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "--self", selfbench.CASE]) == 2
    assert "takes no case" in capsys.readouterr().err


def test_the_twin_is_fast_in_cpu_time() -> None:
    """NumPy on one thread; of the twin's CPU time half counts, as it keeps two threads busy."""
    assert [figure for figure in _measured() if figure.steady and figure.holds is False] == []


@pytest.mark.full
def test_the_twin_is_fast_by_the_clock_on_the_wall() -> None:
    """A busy computer disturbs the twin, on two threads, more than NumPy on one. torch is not in
    it: that target is open (docs/twin.md)."""
    numpy = [figure for figure in _measured() if "torch" not in figure.what]
    assert [figure for figure in numpy if figure.holds is False] == []


@functools.cache
def _measured() -> list[Figure]:
    return selfbench.measure()
