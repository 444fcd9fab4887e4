"""Where the library of the aclnn functions is looked for, and what is said when it is nowhere."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from normgrad import tools
from normgrad.backends import acl_abi
from normgrad.errors import NormgradError

API = "aclnnRmsNormGrad"
RUNTIME = (
    "int aclInit(const char*); int aclInit(const char* p) { return p != 0; }\n"
    "int aclrtMalloc(void); int aclrtMalloc(void) { return 0; }\n"
)


def library(path: Path, text: str) -> Path:
    """A shared library of a few C functions, as a package might have it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source = path.with_suffix(".c")
    source.write_text(text)
    command = [tools.compiler(), "-x", "c", "-shared", "-fPIC", str(source), "-o", str(path)]
    subprocess.run(command, check=True)
    return path


def package(folder: Path, api: str = API) -> Path:
    text = f"int {api}(void); int {api}(void) {{ return 1; }}\n"
    return library(folder / "op_api" / "lib" / "libcust_opapi.so", text)


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in (acl_abi.EXPLICIT, *acl_abi._CANN_VARIABLES):
        monkeypatch.delenv(name, raising=False)
    acl_abi.find.cache_clear()
    yield
    acl_abi.find.cache_clear()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation with the runtime alone."""
    for name in ("libascendcl.so", "libnnopbase.so"):
        library(tmp_path / "home" / "lib64" / name, RUNTIME)
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path / "home"))
    return tmp_path / "home"


def test_without_cann_it_is_the_twins() -> None:
    if shutil.which("npu-smi"):
        pytest.skip("this computer has an NPU")
    assert acl_abi.find(API).is_twin


def test_order_of_the_places(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each place wins over those after it; taken away one after the other, from the first on."""
    explicit = package(tmp_path / "explicit")
    first, second = package(tmp_path / "first"), package(tmp_path / "second")
    vendors = tmp_path / "opp" / "vendors"
    later, sooner = package(vendors / "later"), package(vendors / "sooner")
    (vendors / "config.ini").write_text("load_priority=sooner,later\n")
    monkeypatch.setenv(acl_abi.EXPLICIT, str(explicit))
    paths = f"{tmp_path / 'first'}:{tmp_path / 'second'}"
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", paths)
    monkeypatch.setenv("ASCEND_OPP_PATH", str(tmp_path / "opp"))
    for expected in (explicit, first, second, sooner, later):
        acl_abi.find.cache_clear()
        found = acl_abi.find(API)
        assert found.path == str(expected)
        assert not found.is_twin
        assert found.call("aclInit", None) == 0  # of the runtime beside it
        if expected == explicit:
            monkeypatch.delenv(acl_abi.EXPLICIT)
        expected.unlink()


def test_a_broken_installation_is_not_taken_for_the_twin(home: Path, tmp_path: Path) -> None:
    with pytest.raises(NormgradError) as said:
        acl_abi.find(API)
    text = str(said.value)
    assert "libopapi_nn.so: " in text
    assert "libopapi.so: " in text
    assert f"not set: {acl_abi.EXPLICIT}, ASCEND_CUSTOM_OPP_PATH, ASCEND_OPP_PATH" in text


def test_each_place_says_why(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = package(tmp_path / "other", "aclnnAdd")
    broken = tmp_path / "broken" / "op_api" / "lib" / "libcust_opapi.so"
    broken.parent.mkdir(parents=True)
    broken.write_text("no library")
    places = [tmp_path / name for name in ("none", "other", "broken")]
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", ":".join(map(str, places)))
    with pytest.raises(NormgradError) as said:
        acl_abi.find(API)
    text = str(said.value)
    assert f"{tmp_path / 'none'}/op_api/lib/libcust_opapi.so: no such file" in text
    assert f"{other}: it has no {API}" in text
    assert f"{broken}: " in text


def test_a_package_without_a_runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(acl_abi.EXPLICIT, str(package(tmp_path / "package")))
    with pytest.raises(NormgradError, match=r"libascendcl\.so or libacl_rt\.so beside it"):
        acl_abi.find(API)
