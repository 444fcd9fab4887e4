"""The twin's own speed: what the figures are made of, and (in full) that they hold."""

from __future__ import annotations

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
    wide = [source.dy.astype(float), source.x.astype(float), source.rstd[:, None], source.gamma]
    for compute in (selfbench.value_only, selfbench.value_only_by_rows):
        dx, dgamma = compute(*wide)
        np.testing.assert_allclose(dx, rows.dx, rtol=0, atol=1e-12 * rows.dx_s.max())
        np.testing.assert_allclose(dgamma, sums.dgamma, rtol=0, atol=1e-12 * sums.dgamma_s.max())


def test_the_shortest_run_counts() -> None:
    seconds = iter([3.0, 10.0, 2.0, 30.0])
    runs = {"a": lambda: next(seconds), "b": lambda: next(seconds)}
    assert selfbench._best_of(2, runs) == {"a": 2.0, "b": 10.0}


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


def test_self_takes_no_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "--self", selfbench.CASE]) == 2
    assert "takes no case" in capsys.readouterr().err


@pytest.mark.full
def test_the_twin_is_fast() -> None:
    """Best of five: a busy computer disturbs the twin, on two threads, more than NumPy on one."""
    slow = [figure for figure in selfbench.measure(times=5) if not figure.holds]
    assert slow == []
