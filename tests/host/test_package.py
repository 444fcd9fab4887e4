"""The staged package: complete by itself, the dtypes of the contract, and the faults it names."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from pathlib import Path

import op_host
import pytest
from stand_ins import stand_in

from normgrad import build, check_cann, ops, package, package_tree, paths, plan
from normgrad.errors import NormgradError

ROOT = paths.source_root()
ARCHS = {soc.family: soc.arch for soc in plan.socs()}


def asked(out: Path, **words: object) -> package_tree.Request:
    known = {"vendor": "normgrad", "op": None, "soc": None, "dtype": None, "out": str(out)}
    return package.request(argparse.Namespace(**(known | words)))


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> package_tree.Request:
    what = asked(tmp_path_factory.mktemp("package"))
    package.stage(what)
    package_tree.stage_tree(what)
    return what


def test_whole_tree_is_sound(staged: package_tree.Request) -> None:
    assert package_tree.faults(staged) == []
    assert set(staged.families) >= {"ascend910b", "ascend910_93", "ascend310p", "ascend950"}
    assert list(staged.operators) == described() == list(ops.OPS)
    assert (staged.source / "CMakeLists.txt").is_file()
    api = staged.vendor_root / "op_api" / "include"
    for op in staged.operators:
        header = next((ROOT / "op_host" / op / "op_api").glob("aclnn_*.h"))
        assert (api / header.name).is_file()


def described() -> list[str]:
    """Operators with a description for CANN."""
    return [op for op in ops.OPS if (ROOT / "op_host" / op / f"{op}_def.cpp").is_file()]


def kernels(what: package_tree.Request) -> list[tuple[str, str]]:
    return [(family, op) for family, held in what.kernels.items() for op in held]


def test_kernels_take_their_headers_from_the_package_alone(staged: package_tree.Request) -> None:
    """The twin's headers stand for CANN's."""
    dynamic = staged.tbe / "normgrad_impl" / "dynamic"
    for op, arch, name in {
        (op, ARCHS[family], Path(package_tree.entry(op, family)).name)
        for family, op in kernels(staged)
    }:
        entry = dynamic / name
        assert (staged.source / "op_kernel" / name).read_text() == entry.read_text()
        flags = ["-std=c++17", "-fsyntax-only", "-w", f"-D__NPU_ARCH__={arch}"]
        flags += [f"-DDTYPE_{t.ir_name.upper()}=float" for t in ops.find_op(op).tensors]
        # The twin needs the tree for its chips; it is searched last, and found for the twin alone.
        flags += [f"-I{ROOT / 'twin' / 'include'}", f"-I{ROOT}"]
        made = subprocess.run(
            ["g++", *flags, "-M", entry], capture_output=True, text=True, check=True
        )
        ours = [word for word in made.stdout.split() if "norm_grad" in word or "op_kernel" in word]
        assert len(ours) > 20
        outside = [word for word in ours if str(staged.out) not in word and word.startswith("/")]
        assert outside == [], name


def test_dtypes_are_those_of_the_description(staged: package_tree.Request) -> None:
    vendor_names = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32"}
    vendor_names |= {"int8": "int8", "int32": "int32", "hifloat8": "hif8"}
    for family, op in kernels(staged):
        type_name = ops.find_op(op).type_name
        described = op_host.describe(type_name)
        unit = described["units"][family]
        info = json.loads(
            (staged.tbe / "config" / family / f"aic-{family}-ops-info.json").read_text()
        )[type_name]
        binary = json.loads(
            (staged.source / "op_host" / "config" / family / f"{op}_binary.json").read_text()
        )
        assert binary["op_type"] == type_name
        assert len({row["bin_filename"] for row in binary["op_list"]}) == len(binary["op_list"])
        for kind in ("input", "output"):
            for index, param in enumerate(unit[f"{kind}s"]):
                expected = [op_host.NAMES[code] for code in param["dtypes"]]
                demand = "required" if param["required"] else "optional"
                listed = info[f"{kind}{index}"]
                assert (listed["name"], listed["paramType"]) == (param["name"], demand)
                assert [vendor_names[n] for n in listed["dtype"].split(",")] == expected
                rows = [row[f"{kind}s"][index] for row in binary["op_list"]]
                assert [vendor_names[row["dtype"]] for row in rows] == expected
                assert {(row["name"], row["paramType"]) for row in rows} == {
                    (param["name"], demand)
                }
        attributes = [attribute["name"] for attribute in described["attributes"]]
        for row in binary["op_list"]:
            assert [attribute["name"] for attribute in row["attrs"]] == attributes
        assert info.get("attr", {"list": ""})["list"] == ",".join(attributes)
        file = unit.get("opFile.value", op)
        assert info["opFile"] == {"value": file}
        assert (staged.tbe / "normgrad_impl" / "dynamic" / f"{file}.cpp").is_file()


def test_what_cann_adds_is_listed_per_binary(staged: package_tree.Request) -> None:
    added = package_tree.added_by_cann(staged)
    assert len(added) == len(set(added))
    objects = [name for name in added if name.endswith(".o")]
    expected = sum(
        len(ops.unit_choices(op, dtype, gamma))
        for family, op in kernels(staged)
        for dtype, gamma in plan.dtype_combinations(op, ARCHS[family])
    )
    assert len(objects) == expected
    present = {str(f.relative_to(staged.vendor_root)) for f in staged.vendor_root.rglob("*")}
    assert present.isdisjoint(added)


def test_a_family_has_the_operators_with_a_kernel_there(tmp_path: Path) -> None:
    """RmsNormGrad is not on 910, and nothing takes bf16 on 310P."""
    what = asked(tmp_path)
    assert all("rms_norm_grad" in what.kernels[f] for f in ("ascend310p", "ascend910b"))
    assert "rms_norm_grad" not in what.kernels.get("ascend910", ())
    assert "ascend310p" not in asked(tmp_path, dtype="bf16").families


def test_one_operator_one_chip_one_dtype(tmp_path: Path) -> None:
    what = asked(tmp_path, op=["rms_norm_grad"], soc=["ascend310p"], dtype="fp16", vendor="mine")
    package.stage(what)
    package_tree.stage_tree(what)
    assert package_tree.faults(what) == []
    assert [p.name for p in (tmp_path / "tree" / "vendors").iterdir()] == ["mine"]
    info = json.loads(next(what.tbe.glob("config/*/*.json")).read_text())
    assert info["RmsNormGrad"]["input0"]["dtype"] == "float16"
    assert not (what.tbe / "mine_impl" / "dynamic" / "rms_norm_grad_regbase.cpp").exists()


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_description_of_one_dtype(dtype: str, tmp_path: Path) -> None:
    """What the build's -DNORMGRAD_DTYPE does to the descriptions: a family may be left out."""
    library = tmp_path / "one.so"
    sources = [ROOT / "twin" / "host" / "op_host.cpp", *(ROOT / "op_host" / "gert").glob("*.cpp")]
    for what in ("def", "infershape", "tiling"):
        sources += (ROOT / "op_host").glob(f"*/*_{what}.cpp")
    folder = build.tiling_library().parent
    flags = ["-std=c++17", "-shared", "-fPIC", f"-I{ROOT}", f"-I{ROOT / 'twin/host/include'}"]
    flags.append(f"-DNORMGRAD_PACKAGE_DTYPE={op_host.CODES[dtype]}")
    command = ["g++", *flags, "-o", str(library), *map(str, sources)]
    command += [f"-L{folder}", "-lnormgrad_tiling", f"-Wl,-rpath,{folder}"]
    subprocess.run(command, check=True)
    for op in described():
        units = op_host.describe(ops.find_op(op).type_name, library)["units"]
        assert set(units) == {f for f in ARCHS if package_tree.combinations(op, f, dtype)}
        for family, unit in units.items():
            rows = len(package_tree.combinations(op, family, dtype))
            assert unit["inputs"][0]["dtypes"] == [op_host.CODES[dtype]] * rows


def times(what: package_tree.Request) -> dict[str, int]:
    found = package_tree.files(what.source)
    return {str(file.relative_to(what.source)): file.stat().st_mtime_ns for file in found}


def test_only_what_changed_is_staged_anew(tmp_path: Path) -> None:
    """CANN's build goes by times: it compiles again what is younger than its object."""
    what = asked(tmp_path, soc=["ascend910b", "ascend310p"])
    package.stage(what)
    before = times(what)
    edited = what.source / "op_kernel" / "rms_norm_grad.cpp"
    edited.write_text("")
    package.stage(what)
    after = times(what)
    assert edited.read_text() != ""
    assert {name for name in before if after[name] != before[name]} == {
        "op_kernel/rms_norm_grad.cpp"
    }
    package.stage(asked(tmp_path, soc=["ascend910b", "ascend310p"], op=["rms_norm_grad"]))
    assert "op_kernel/layer_norm_grad_v3.cpp" not in times(what)
    package.stage(asked(tmp_path, soc=["ascend910b", "ascend310p"], dtype="fp16"))
    changed = {name for name, time in times(what).items() if time != after.get(name)}
    assert "op_host/config/ascend910b/rms_norm_grad_binary.json" in changed
    assert not {name for name in changed if name.endswith((".cpp", ".h"))} & {
        name for name in before if "rms_norm_grad" in name
    }


@pytest.mark.parametrize(("gib", "cores", "jobs"), [(2, 8, 1), (8, 8, 2), (64, 8, 8), (64, 2, 2)])
def test_compilers_at_once_fit_the_memory(
    gib: int, cores: int, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": gib << 18}
    monkeypatch.setattr(package.os, "sysconf", sizes.__getitem__)
    monkeypatch.setattr(package.os, "cpu_count", lambda: cores)
    assert package.default_jobs() == jobs


def test_what_cmake_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for cmake writes down its words, and makes the package."""
    tools = tmp_path / "bin"
    stand_in(
        tools / "cmake", f'echo "$@" >>{tmp_path}/said; touch {tmp_path}/build/custom_opp_x.run'
    )
    (tmp_path / "build").mkdir()
    monkeypatch.setenv("PATH", str(tools), prepend=":")
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path))
    words = ["--op", "rms_norm_grad", "--soc", "ascend910b", "--soc", "ascend310p"]
    words += ["--dtype", "fp16", "--vendor", "mine", "--jobs", "3", "--out", str(tmp_path)]
    assert package.main(words) is None
    configure, compile_ = (tmp_path / "said").read_text().splitlines()
    assert "-Dvendor_name=mine" in configure
    assert "-DASCEND_COMPUTE_UNIT=ascend910b;ascend310p" in configure
    assert "-DNORMGRAD_DTYPE=1" in configure
    assert compile_.endswith("--target binary package -j 3")
    stand_in(tools / "cmake", "exit 3")
    assert package.main(words) == "`cmake -S ...` failed: its reason is above"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"vendor": "../x"}, "names no folder"),
        ({"op": ["rms_norm_gard"]}, "rms_norm_grad"),
        ({"soc": ["ascend910c"]}, "ascend910b"),
        ({"soc": ["ascend910"], "op": ["rms_norm_grad"]}, "no kernel on ascend910"),
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
    package_tree.stage_tree(what)
    base = what.tbe / "normgrad_impl" / "dynamic"
    (base / "tiling" / "norm_grad.h").unlink()
    (what.tbe / "config" / "ascend910b" / "aic-ascend910b-ops-info.json").write_text("{")
    (base / "link.h").symlink_to(base / "rms_norm_grad.cpp")
    said = package_tree.faults(what)
    assert any("norm_grad.h: not staged" in fault for fault in said)
    assert any("is no JSON" in fault for fault in said)
    assert any("is a link" in fault for fault in said)
    (base / "rms_norm_grad.cpp").rename(base / "other.cpp")
    assert any(
        "is missing: the kernel on ascend910b" in fault for fault in package_tree.faults(what)
    )


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
    (home / "include").mkdir()
    for folder in (ROOT / "twin" / "host" / "include", ROOT / "twin" / "acl" / "include"):
        for headers in folder.iterdir():
            (home / "include" / headers.name).symlink_to(headers)
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
    api = len(list((ROOT / "op_host").glob("*/op_api/*.cpp")))
    sources = 2 + 3 * len(described()) + api  # op_host/gert and common, and those of each operator
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path))
    monkeypatch.setattr(check_cann, "_MODES", ((),))
    said = check_cann.main()
    assert said is not None
    assert f"{sources} of {sources} do not compile" in said
    assert "kernels were not read" in capsys.readouterr().out
