"""The staged package: complete by itself, the dtypes of the contract, and the faults it names."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from pathlib import Path

import op_host
import pytest

from normgrad import build, check_cann, ops, package, paths, plan
from normgrad.errors import NormgradError

ROOT = paths.source_root()
ARCHS = {soc.family: soc.arch for soc in plan.socs()}


def asked(out: Path, **words: object) -> package.Request:
    known = {"vendor": "normgrad", "op": None, "soc": None, "dtype": None, "out": str(out)}
    return package.request(argparse.Namespace(**(known | words)))


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> package.Request:
    what = asked(tmp_path_factory.mktemp("package"))
    package.stage(what)
    package.stage_tree(what)
    return what


def tbe(what: package.Request) -> Path:
    return what.vendor_root / "op_impl" / "ai_core" / "tbe"


def test_whole_tree_is_sound(staged: package.Request) -> None:
    assert package.faults(staged) == []
    assert set(staged.families) >= {"ascend910b", "ascend910_93", "ascend310p"}
    assert (staged.source / "CMakeLists.txt").is_file()
    assert (staged.source / "op_kernel" / "rms_norm_grad.cpp").is_file()
    assert (staged.vendor_root / "op_api" / "include" / "aclnn_rms_norm_grad.h").is_file()


def test_kernel_takes_its_headers_from_the_package_alone(staged: package.Request) -> None:
    """The twin's headers stand for CANN's."""
    entry = tbe(staged) / "normgrad_impl" / "dynamic" / "rms_norm_grad.cpp"
    flags = ["-std=c++17", "-fsyntax-only", "-w", "-D__NPU_ARCH__=2201"]
    flags += [f"-DDTYPE_{t.name.upper()}=float" for t in ops.find_op("rms_norm_grad").tensors]
    # The twin needs the tree for its chips; it is searched last, and found for the twin alone.
    flags += [f"-I{ROOT / 'twin' / 'include'}", f"-I{ROOT}"]
    made = subprocess.run(["g++", *flags, "-M", entry], capture_output=True, text=True, check=True)
    ours = [word for word in made.stdout.split() if "norm_grad" in word or "op_kernel" in word]
    assert len(ours) > 20
    assert [word for word in ours if str(staged.out) not in word and word.startswith("/")] == []


def test_dtypes_are_those_of_the_description(staged: package.Request) -> None:
    vendor_names = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32"}
    for op in staged.operators:
        described = op_host.describe(ops.find_op(op).type_name)["units"]
        for family in staged.families:
            info = json.loads(
                (tbe(staged) / "config" / family / f"aic-{family}-ops-info.json").read_text()
            )[ops.find_op(op).type_name]
            binary = json.loads(
                (staged.source / "op_host" / "config" / family / f"{op}_binary.json").read_text()
            )
            assert len({row["bin_filename"] for row in binary["op_list"]}) == len(binary["op_list"])
            for kind in ("input", "output"):
                for index, param in enumerate(described[family][f"{kind}s"]):
                    expected = [op_host.NAMES[code] for code in param["dtypes"]]
                    listed = info[f"{kind}{index}"]
                    assert listed["name"] == param["name"]
                    assert [vendor_names[n] for n in listed["dtype"].split(",")] == expected
                    rows = [row[f"{kind}s"][index] for row in binary["op_list"]]
                    assert [vendor_names[row["dtype"]] for row in rows] == expected
            file = described[family].get("opFile.value", op)
            assert info["opFile"] == {"value": file}
            assert (tbe(staged) / "normgrad_impl" / "dynamic" / f"{file}.cpp").is_file()


def test_what_cann_adds_is_listed_per_binary(staged: package.Request) -> None:
    added = package.added_by_cann(staged)
    assert len(added) == len(set(added))
    objects = [name for name in added if name.endswith(".o")]
    expected = sum(
        len(plan.dtype_combinations(op, ARCHS[family]))
        for op in staged.operators
        for family in staged.families
    )
    assert len(objects) == expected
    present = {str(f.relative_to(staged.vendor_root)) for f in staged.vendor_root.rglob("*")}
    assert present.isdisjoint(added)


def test_one_operator_one_chip_one_dtype(tmp_path: Path) -> None:
    what = asked(tmp_path, op=["rms_norm_grad"], soc=["ascend310p"], dtype="fp16", vendor="mine")
    package.stage(what)
    package.stage_tree(what)
    assert package.faults(what) == []
    assert [p.name for p in (tmp_path / "tree" / "vendors").iterdir()] == ["mine"]
    info = json.loads(next(tbe(what).glob("config/*/*.json")).read_text())
    assert info["RmsNormGrad"]["input0"]["dtype"] == "float16"
    assert not (tbe(what) / "mine_impl" / "dynamic" / "rms_norm_grad_regbase.cpp").exists()


def test_description_of_one_dtype(tmp_path: Path) -> None:
    """What the build's -DNORMGRAD_DTYPE does to the description."""
    library = tmp_path / "one.so"
    sources = ["op_host/gert/call.cpp", "twin/host/op_host.cpp"]
    sources += [f"op_host/rms_norm_grad/rms_norm_grad_{w}.cpp" for w in ("def", "infershape")]
    stub = tmp_path / "tiling.cpp"
    stub.write_text(
        '#include "op_host/rms_norm_grad/rms_norm_grad_host.h"\nnamespace normgrad {\n'
        "ge::graphStatus TilingOfRmsNormGrad(gert::TilingContext*) { return 1; }\n}\n"
    )
    folder = build.tiling_library().parent
    flags = ["-std=c++17", "-shared", "-fPIC", "-DNORMGRAD_PACKAGE_DTYPE=1", f"-I{ROOT}"]
    command = ["g++", *flags, f"-I{ROOT / 'twin/host/include'}", "-o", str(library), str(stub)]
    command += [str(ROOT / s) for s in sources]
    command += [f"-L{folder}", "-lnormgrad_tiling", f"-Wl,-rpath,{folder}"]
    subprocess.run(command, check=True)
    for unit in op_host.describe("RmsNormGrad", library)["units"].values():
        assert set(unit["inputs"][0]["dtypes"]) == {op_host.CODES["fp16"]}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"vendor": "../x"}, "names no folder"),
        ({"op": ["rms_norm_gard"]}, "rms_norm_grad"),
        ({"soc": ["ascend910c"]}, "ascend910b"),
        ({"soc": ["ascend910"]}, "no kernel on ascend910"),
        ({"soc": ["ascend310p"], "dtype": "bf16"}, "takes no dy in bf16"),
    ],
)
def test_words_that_name_no_package(
    words: dict[str, object], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(NormgradError, match=re.escape(sentence)):
        asked(tmp_path, **words)


def test_faults_of_a_tree_are_named(tmp_path: Path) -> None:
    what = asked(tmp_path, soc=["ascend910b"])
    package.stage(what)
    package.stage_tree(what)
    base = tbe(what) / "normgrad_impl" / "dynamic"
    (base / "tiling" / "norm_grad.h").unlink()
    (tbe(what) / "config" / "ascend910b" / "aic-ascend910b-ops-info.json").write_text("{")
    (base / "link.h").symlink_to(base / "rms_norm_grad.cpp")
    said = package.faults(what)
    assert any("norm_grad.h: not staged" in fault for fault in said)
    assert any("is no JSON" in fault for fault in said)
    assert any("is a link" in fault for fault in said)
    (base / "rms_norm_grad.cpp").rename(base / "other.cpp")
    assert any("is missing: the kernel on ascend910b" in fault for fault in package.faults(what))


def test_every_kernel_takes_the_users_part_of_the_workspace() -> None:
    """CANN keeps the first bytes of the workspace: tiling adds them, the kernel leaves them out."""
    entries = sorted((ROOT / "op_kernel").glob("*/*.cpp"))
    assert entries
    for entry in entries:
        uses = re.findall(r"(\w+)\(?workspace\)?", entry.read_text().partition("{\n")[2])
        assert uses == ["GetUserWorkspace"], entry.name


def test_without_cann_the_build_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ASCEND_HOME_PATH", raising=False)
    monkeypatch.delenv("ASCEND_TOOLKIT_HOME", raising=False)
    said = package.main(["--soc", "ascend910b", "--out", str(tmp_path)])
    assert said is not None
    assert "--dry-run" in said or "set_env.sh" in said
    assert check_cann.main() == said


def toolkit(tmp_path: Path) -> Path:
    """A toolkit whose headers are our own."""
    home = tmp_path / "cann"
    (home / "tools" / "tikicpulib" / "lib").mkdir(parents=True)
    (home / "include").symlink_to(ROOT / "twin" / "host" / "include")
    (home / "tools/tikicpulib/lib/include").symlink_to(ROOT / "twin" / "include")
    return home


def test_sources_against_a_toolkit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = toolkit(tmp_path)
    monkeypatch.setattr(check_cann, "_MODES", ((),))
    unit = build.Unit("rms_norm_grad", 2201, ("fp32", "fp32"))
    assert unit in check_cann._units()
    monkeypatch.setattr(check_cann, "_units", lambda: [unit])
    readings = [*check_cann.read_host(home), *check_cann.read_kernels(home)]
    assert {reading.name for reading in readings} >= {"rms_norm_grad-2201-fp32-fp32"}
    assert [reading.ours for reading in readings if reading.ours] == []
    assert all(reading.theirs == 0 for reading in readings)


def test_a_toolkit_without_headers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "include").mkdir()
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path))
    monkeypatch.setattr(check_cann, "_MODES", ((),))
    said = check_cann.main()
    assert said is not None
    assert "4 of 4 do not compile" in said
    assert "kernels were not read" in capsys.readouterr().out
