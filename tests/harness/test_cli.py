"""The command line from outside: exit codes, one sentence for every mistake, results of a run."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from conftest import Fake, Normgrad, rows

from normgrad import paths

CASE = "rms_norm_grad:ascend910b4:bf16:33x129:seed1"
OTHER = "rms_norm_grad:ascend910b4:fp32:3x7:seed1"


def test_mistake_leaves_no_traceback(normgrad: Normgrad) -> None:
    done = normgrad("verfy")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("file", "command", "says"),
    [
        ("tiling-*/libnormgrad_tiling.so", "plan", "cannot be loaded ("),
        ("twin-*/normgrad-twin", "verify", "is no program any more"),
    ],
)
def test_a_file_of_the_cache_that_was_cut_off_says_what_to_remove(
    fake: Fake, normgrad: Normgrad, tmp_path: Path, file: str, command: str, says: str
) -> None:
    cache = tmp_path / "cut"
    shutil.copytree(fake.cache, cache)
    (found,) = cache.glob(file)
    found.write_bytes(found.read_bytes()[:100] if command == "plan" else b"")
    done = normgrad(command, CASE, NORMGRAD_CACHE=str(cache))
    said = done.stdout + done.stderr
    assert done.returncode == (2 if command == "plan" else 1)
    assert says in said
    assert f"remove the folder {found.parent}" in said
    assert "Traceback" not in said


def test_no_command_shows_help(normgrad: Normgrad) -> None:
    done = normgrad()
    assert done.returncode == 2
    assert "verify" in done.stdout


def test_kernel_that_does_not_compile_is_said_once(
    fake: Fake, fake_environment: dict[str, str], tmp_path: Path
) -> None:
    """Before any case runs: hundreds of cases have one kernel."""
    tree = tmp_path / "tree"
    shutil.copytree(fake.tree, tree)
    cache = tmp_path / "cache"
    shutil.copytree(fake.cache, cache)
    kernel = tree / "op_kernel" / "rms_norm_grad" / "rms_norm_grad.cpp"
    kernel.write_text(kernel.read_text() + "nonsense;\n")
    done = subprocess.run(
        [sys.executable, "-m", "normgrad", "verify", CASE, CASE.replace("33x", "34x"), OTHER],
        cwd=tmp_path,
        env={**fake_environment, "NORMGRAD_CACHE": str(cache), "NORMGRAD_SOURCES": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("normgrad: ") == 1
    assert "compiling rms_norm_grad for arch 2201" in done.stderr
    assert "rms_norm_grad.cpp" in done.stderr
    assert "ERROR" not in done.stdout


@pytest.mark.parametrize("command", ["verify", "run"])
def test_less_than_all_checks_is_no_verdict(normgrad: Normgrad, command: str) -> None:
    said = normgrad(command, CASE, "--check", "off").stdout
    assert "--check off leaves rules out: not a verdict on the kernel" in said
    (row,) = rows(normgrad(command, CASE, "--check", "fast", "--json"))
    assert row["check"] == "fast"
    assert "not a verdict" in str(row["note"])
    assert "not a verdict" not in normgrad(command, CASE).stdout


def test_crash_names_the_kernel_and_what_to_look_for(normgrad: Normgrad) -> None:
    said = normgrad("run", CASE, fake="crash").stdout
    assert "the kernel rms_norm_grad (DxWholeRow, bf16) ended the launch by SIGSEGV" in said
    assert "raw pointers" in said


def test_plan_of_a_capture(normgrad: Normgrad) -> None:
    (file, *_) = sorted(paths.captures_root().glob("rms_*.npz"))
    done = normgrad("plan", f"npz:rms_norm_grad:ascend910b4:{file.name}")
    assert done.returncode == 0
    assert "DxWholeRow" in done.stdout
    assert "write npz:OP:SOC:x.npz" in normgrad("plan", "x.npz").stderr


def test_cases_given_twice_are_mentioned(normgrad: Normgrad, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text(f"{CASE}\n{OTHER}\n{CASE}\n")
    done = normgrad("list", "--suite", "./mine.txt")
    assert done.stdout.split() == [CASE, OTHER]
    assert "mine.txt gives 1 case more than once" in done.stderr


def test_far_operator_is_not_suggested(normgrad: Normgrad) -> None:
    said = normgrad("verify", "--op", "softmax").stderr
    assert "allowed: " in said
    assert "did you mean" not in said


def test_unreadable_npz(normgrad: Normgrad, tmp_path: Path) -> None:
    (tmp_path / "bad.npz").write_text("not a zip file")
    done = normgrad("run", "bad.npz", "--op", "rms_norm_grad", "--soc", "ascend910b4")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "bad.npz is not an .npz file" in done.stderr


def test_missing_compiler(normgrad: Normgrad, tmp_path: Path) -> None:
    done = normgrad("verify", CASE, PATH=str(tmp_path), NORMGRAD_CACHE=str(tmp_path / "cache"))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "no C++ compiler on the path" in done.stderr


def test_verify_writes_its_report(normgrad: Normgrad, tmp_path: Path) -> None:
    done = normgrad("verify", CASE, OTHER)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 of 2 cases" in done.stdout
    folder = tmp_path / "normgrad-report"
    found = json.loads((folder / "results.json").read_text())["rows"]
    assert [row["case"] for row in found] == [CASE, OTHER]
    assert {row["status"] for row in found} == {"PASSED"}
    assert found[0]["plan"] == "DxWholeRow"
    assert found[0]["bytes_over_minimum"] == pytest.approx(1.0)
    assert ET.parse(folder / "junit.xml").getroot()[0].get("tests") == "2"
    assert CASE in (folder / "report.html").read_text()


def test_verify_json_is_all_there_is_on_stdout(normgrad: Normgrad) -> None:
    assert [row["case"] for row in rows(normgrad("verify", CASE, "--json"))] == [CASE]


@pytest.mark.parametrize(
    ("mode", "status", "said"),
    [
        ("wrong", "FAILED", "dx"),
        ("rule", "RULE", "queue.leak"),
        ("crash", "ERROR", "SIGSEGV"),
        ("silent", "ERROR", "without a report"),
    ],
)
def test_what_goes_wrong_has_a_status(
    normgrad: Normgrad, mode: str, status: str, said: str
) -> None:
    done = normgrad("verify", CASE, "--json", fake=mode)
    assert done.returncode == 1
    (row,) = rows(done)
    assert row["status"] == status
    assert row["expected"] is False
    assert said in str(row["reason"])
    assert f"normgrad run {CASE}" in done.stderr


def test_a_dead_worker_is_an_error_of_its_case(normgrad: Normgrad) -> None:
    done = normgrad("verify", CASE, OTHER, "--jobs", "2", "--json", fake="kill-parent")
    assert done.returncode == 1
    assert [row["status"] for row in rows(done)] == ["ERROR", "ERROR"]
    assert "worker process died" in done.stdout


def test_refusals(normgrad: Normgrad) -> None:
    refused = "rms_norm_grad:ascend910a:fp32:3x7"
    done = normgrad("verify", refused, "--json")
    assert done.returncode == 1
    assert rows(done)[0]["code"] == 561003
    assert "ascend910a" in str(rows(done)[0]["reason"])
    assert normgrad("verify", f"{refused}:expect=561003").returncode == 0
    assert normgrad("verify", f"{refused}:expect=161002").returncode == 1
    passes = normgrad("verify", "rms_norm_grad:ascend910b4:fp32:3x7:expect=561003", "--json")
    assert passes.returncode == 1
    assert "expected to be refused" in str(rows(passes)[0]["reason"])


def test_filters_select(normgrad: Normgrad) -> None:
    done = normgrad("list", CASE, OTHER, "--dtype", "fp32")
    assert done.stdout.split() == [OTHER]
    assert normgrad("list", CASE, OTHER, "--soc", "ascend910b1").stdout == ""


def test_a_family_takes_its_products_and_a_product_its_family(normgrad: Normgrad) -> None:
    product, family, other = (
        f"rms_norm_grad:{soc}:fp32:4x8:seed1" for soc in ("ascend910b1", "ascend910b", "ascend950")
    )

    def listed(*socs: str) -> list[str]:
        chosen = [word for soc in socs for word in ("--soc", soc)]
        return normgrad("list", product, family, other, *chosen).stdout.split()

    assert listed("Ascend910B") == [product, family]
    assert listed("ascend910b4") == [family.replace("910b", "910b4")]
    assert listed("ascend910b1") == [product]  # the family's case is the product's own by now
    assert listed("ascend950pr_9579", "ascend950dt_9591") == [
        other.replace("ascend950", soc) for soc in ("ascend950pr_9579", "ascend950dt_9591")
    ]
    assert listed("ascend950", "ascend310p1") == [other]


def test_case_file_is_a_suite(normgrad: Normgrad, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("rms_norm_grad:ascend910b4:{bf16,fp32}:{1..3}x7  # mine\n")
    done = normgrad("list", "--suite", "mine.txt")
    assert len(done.stdout.split()) == 6


def test_smoke_has_the_captures(normgrad: Normgrad) -> None:
    captures = sorted(file.name for file in paths.captures_root().glob("rms_*.npz"))
    listed = normgrad("list", "--suite", "smoke").stdout.split()
    for name in captures:
        assert f"npz:rms_norm_grad:ascend910b4:{name}" in listed
    assert captures


def test_saved_inputs_run_again(normgrad: Normgrad, tmp_path: Path) -> None:
    assert normgrad("run", CASE, "--save", "saved").returncode == 0
    assert (tmp_path / "saved" / "outputs.npz").exists()
    where = ("--op", "rms_norm_grad", "--soc", "ascend910b4")
    done = normgrad("run", "saved/inputs.npz", *where, "--json")
    assert done.returncode == 0
    assert rows(done)[0]["status"] == "PASSED"
    again = normgrad("run", str(rows(done)[0]["case"]))
    assert again.returncode == 0, again.stderr


def test_a_broken_file_stops_no_other_case(normgrad: Normgrad, tmp_path: Path) -> None:
    (tmp_path / "bad.npz").write_text("nonsense")
    bad = "npz:rms_norm_grad:ascend910b4:bad.npz"
    done = normgrad("verify", bad, CASE, "--json")
    assert done.returncode == 1
    assert [(row["case"], row["status"]) for row in rows(done)] == [
        (bad, "ERROR"),
        (CASE, "PASSED"),
    ]
    assert "bad.npz is not an .npz file" in str(rows(done)[0]["reason"])


def test_npz_that_lacks_a_tensor(normgrad: Normgrad, tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", x=np.zeros((3, 7), np.float32))
    done = normgrad("run", "x.npz", "--op", "rms_norm_grad", "--soc", "ascend910b4")
    assert done.returncode == 2
    assert "lacks dy, rstd, gamma" in done.stderr


def test_run_shows_everything(normgrad: Normgrad) -> None:
    said = normgrad("run", CASE, fake="wrong").stdout
    for word in ("UB", "dy_in", "gm_read_bytes", "findings: none", "expected", "got", "FAILED"):
        assert word in said


def test_ub_limits_plan_and_launch(normgrad: Normgrad) -> None:
    row = rows(normgrad("run", CASE, "--ub", "65536", "--json"))[0]
    assert row["ub_limit_bytes"] == 65536
    assert "ub=65536" in str(row["case"])


def test_plan_takes_wishes(normgrad: Normgrad) -> None:
    words = ("plan", "rms_norm_grad:ascend910b4:bf16:4096x1024")
    row = rows(normgrad(*words, "--set", "cores=3", "--set", "rows_per_tile=2", "--json"))[0]
    assert row["cores"] == 3
    assert row["fields"]["rows_per_tile"] == 2  # type: ignore[index]
    assert "DxWholeRow" in normgrad(*words).stdout


def test_lists(normgrad: Normgrad) -> None:
    assert len(rows(normgrad("list", "--socs", "--json"))) == 18
    assert {"bf16", "fp16", "fp32"} <= {
        str(r["dtype"]) for r in rows(normgrad("list", "--ops", "--json"))
    }
    assert "smoke" in normgrad("list").stdout


def test_bench_has_the_counters(normgrad: Normgrad) -> None:
    done = normgrad("bench", CASE)
    assert done.returncode == 0
    assert "bytes/min" in done.stdout
    assert rows(normgrad("bench", CASE, "--json"))[0]["slope_cycles_per_64"] is not None
