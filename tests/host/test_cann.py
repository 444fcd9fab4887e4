"""What doctor says of CANN, against installations that are made of files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from normgrad import cann, doctor

OURS = frozenset({"RmsNormGrad", "LayerNormGradV3"})
VARIABLES = (
    "ASCEND_HOME_PATH",
    "ASCEND_TOOLKIT_HOME",
    "ASCEND_OPP_PATH",
    "ASCEND_CUSTOM_OPP_PATH",
)
# How an installation says its version: a file, its text, and what is read from it.
LAYOUTS = {
    "8.1.RC1": ("x86_64-linux/ascend_toolkit_install.info", "package_name=x\nversion=8.1.RC1\n"),
    "8.5.0": ("compiler/version.info", "Version=8.5.0\n"),
    "8.5.0.1": ("aarch64-linux/ascend_toolkit_install.info", "arch=aarch64\nversion=8.5.0.1\n"),
    "9.0.RC1": ("version.cfg", "[runtime]\nruntime_running_version=[9.0.RC1:CANN-9.0]\n"),
    "9.1.0": ("share/info/runtime/version.info", "Version=9.1.0\nversion_dir=cann-9.1.0\n"),
}


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer with a driver and one NPU, and no CANN yet."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    tools = tmp_path / "bin"
    tools.mkdir()
    smi = tools / "npu-smi"
    smi.write_text("#!/bin/sh\necho 'Total Count : 1'\n")
    smi.chmod(0o755)
    monkeypatch.setenv("PATH", str(tools), prepend=":")
    (tmp_path / "davinci").touch()
    monkeypatch.setattr(cann, "_DEVICE", tmp_path / "davinci")
    monkeypatch.setattr(cann, "_USUAL", (str(tmp_path / "cann"),))


def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str = "9.1.0") -> Path:
    home = tmp_path / "cann"
    if version:
        file, text = LAYOUTS[version]
        (home / file).parent.mkdir(parents=True)
        (home / file).write_text(text)
    (home / "opp" / "vendors").mkdir(parents=True)
    monkeypatch.setenv("ASCEND_HOME_PATH", str(home))
    monkeypatch.setenv("ASCEND_OPP_PATH", str(home / "opp"))
    return home


def package(vendor: Path, types: set[str], header: str = "NORMGRAD_ACLNN_X_H_") -> Path:
    info = vendor / "op_impl/ai_core/tbe/config/ascend910b/aic-ascend910b-ops-info.json"
    info.parent.mkdir(parents=True)
    info.write_text(json.dumps({name: {} for name in types}))
    api = vendor / "op_api" / "include"
    api.mkdir(parents=True)
    (api / "aclnn_x.h").write_text(f"#ifndef {header}\n")
    return vendor


def wrong() -> list[str]:
    """What is wrong, the first thing first."""
    return [f"{look.what}: {look.next_step}" for look in cann.examine(OURS) if not look.ok]


def shown() -> str:
    return next(line.found for line in doctor._npu() if line.what == "an NPU can be used")


@pytest.mark.parametrize("version", [name for name in LAYOUTS if name != "8.1.RC1"])
def test_all_is_there(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = install(tmp_path, monkeypatch, version)
    package(home / "opp" / "vendors" / "normgrad", set(OURS))
    (home / "opp" / "vendors" / "config.ini").write_text("load_priority=normgrad\n")
    assert wrong() == []
    assert cann.version(home) == version
    assert shown() == "all is there"


def test_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = install(tmp_path, monkeypatch, "8.1.RC1")
    assert cann.version(home) == "8.1.RC1"
    assert "8.5 or later, this is 8.1.RC1" in wrong()[0]


def test_nothing_is_installed() -> None:
    assert "install the CANN toolkit" in wrong()[0]
    assert "install the CANN toolkit" in shown()


def test_installed_but_not_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = install(tmp_path, monkeypatch)
    monkeypatch.delenv("ASCEND_HOME_PATH")
    assert f"source {home}/set_env.sh" in wrong()[0]


@pytest.mark.parametrize(
    ("variable", "sentence"),
    [("ASCEND_HOME_PATH", "which is no folder"), ("ASCEND_OPP_PATH", "names no folder")],
)
def test_a_variable_that_leads_nowhere(
    variable: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch)
    monkeypatch.setenv(variable, str(tmp_path / "gone"))
    assert sentence in wrong()[0]


def test_half_an_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "")
    assert "incomplete" in wrong()[0]


def test_no_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch)
    monkeypatch.setattr(cann, "_DEVICE", tmp_path / "none")
    assert wrong()[0].startswith("NPU driver: install")


def test_npus_that_do_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch)
    (tmp_path / "bin" / "npu-smi").write_text("#!/bin/sh\necho dcmi error; exit 1\n")
    assert wrong()[0].startswith("NPUs: npu-smi fails")


def test_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch)
    assert wrong() == [
        "normgrad package: build one with `scripts/build.sh package` and run it to install"
    ]


@pytest.mark.parametrize("first", ["normgrad", "other"])
def test_two_vendors(first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a vendor that comes first and has the same operator is in the way."""
    home = install(tmp_path, monkeypatch)
    vendors = home / "opp" / "vendors"
    package(vendors / "normgrad", set(OURS))
    package(vendors / "other", {"RmsNormGrad", "Softmax"}, "OTHER_H_")
    order = f"load_priority={first},{'other' if first == 'normgrad' else 'normgrad'}\n"
    (vendors / "config.ini").write_text(order)
    if first == "normgrad":
        assert wrong() == []
    else:
        assert "put normgrad before other in load_priority" in wrong()[0]
        assert "has RmsNormGrad too" in wrong()[0]


def test_of_each_operator_the_first_vendor_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package of one operator alone is not in the way of another's other operator."""
    home = install(tmp_path, monkeypatch)
    vendors = home / "opp" / "vendors"
    package(vendors / "other", {"LayerNormGradV3"}, "OTHER_H_")
    package(vendors / "normgrad", {"RmsNormGrad"})
    (vendors / "config.ini").write_text("load_priority=other,normgrad\n")
    assert wrong() == []
    found = next(look.found for look in cann.examine(OURS) if look.what == cann.PACKAGE)
    assert found.endswith("2 of 2, without LayerNormGradV3")


def test_two_packages_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An older one beside a newer one: the first counts, and neither is in the other's way."""
    home = install(tmp_path, monkeypatch)
    vendors = home / "opp" / "vendors"
    package(vendors / "old", {"RmsNormGrad"})
    package(vendors / "new", set(OURS))
    (vendors / "config.ini").write_text("load_priority=old,new\n")
    assert wrong() == []


@pytest.mark.parametrize("text", ["", "load_priority\n", "load_priority=\n", "x=normgrad\n"])
def test_a_vendor_that_is_not_in_the_order(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CANN uses the vendors that config.ini names."""
    home = install(tmp_path, monkeypatch)
    package(home / "opp" / "vendors" / "normgrad", set(OURS))
    (home / "opp" / "vendors" / "config.ini").write_text(text)
    assert wrong()[0].startswith("normgrad package: build one")


def test_places_that_do_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = install(tmp_path, monkeypatch)
    vendors = home / "opp" / "vendors"
    package(vendors / "normgrad", set(OURS))
    (vendors / "config.ini").write_text("load_priority=gone,normgrad\n")
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", f"{tmp_path / 'none'}:")
    assert wrong() == []


def test_a_version_file_without_a_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = install(tmp_path, monkeypatch)
    (home / LAYOUTS["9.1.0"][0]).write_text("damaged\n")
    assert "incomplete" in wrong()[0]


def test_no_npu_smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch)
    (tmp_path / "bin" / "npu-smi").unlink()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert wrong()[0] == "NPUs: install the driver"


def test_another_vendor_with_other_operators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = install(tmp_path, monkeypatch)
    vendors = home / "opp" / "vendors"
    package(vendors / "other", {"Softmax"}, "OTHER_H_")
    package(vendors / "normgrad", set(OURS))
    (vendors / "config.ini").write_text("load_priority=other,normgrad\n")
    assert wrong() == []


def test_only_anothers_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = install(tmp_path, monkeypatch)
    package(home / "opp" / "vendors" / "other", {"RmsNormGrad"}, "OTHER_H_")
    (home / "opp" / "vendors" / "config.ini").write_text("load_priority=other\n")
    assert "is not from here" in wrong()[0]


def test_a_private_folder_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = install(tmp_path, monkeypatch)
    package(home / "opp" / "vendors" / "other", {"RmsNormGrad"}, "OTHER_H_")
    (home / "opp" / "vendors" / "config.ini").write_text("load_priority=other\n")
    mine = package(tmp_path / "private" / "vendors" / "normgrad", set(OURS))
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", f"{mine}:")
    assert wrong() == []


def test_a_description_that_is_damaged(tmp_path: Path) -> None:
    vendor = package(tmp_path / "x", {"RmsNormGrad"})
    next(vendor.rglob("*.json")).write_text("{")
    assert cann.operators_of(vendor) == set()
