"""An installed CANN: where it is, which version, which packages of operators it would use.

Only files and variables are read, nothing is loaded. The layouts: 8.x keeps its version in
<arch>-linux/ascend_toolkit_install.info, later ones in share/info/<part>/version.info.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from normgrad.errors import NormgradError

_LEAST = (8, 5)  # with the functions that cmake/cann uses; 8.1 has them not
_USUAL = ("/usr/local/Ascend/cann", "/usr/local/Ascend/ascend-toolkit/latest", "~/Ascend/cann")
_VERSION_FILES = (
    "share/info/*/version.info",
    "*-linux/ascend_toolkit_install.info",
    "compiler/version.info",
    "version.cfg",
)
_VERSION = re.compile(r"version[^=\n]*=\s*\[?[^\d\n]*(\d+\.\d+[\w.]*)", re.IGNORECASE)
_OPS_INFO = "op_impl/ai_core/tbe/config/*/aic-*-ops-info.json"
_DEVICE = Path("/dev/davinci_manager")
PACKAGE = "normgrad package"  # what a look at packages is called


@dataclass(frozen=True)
class Look:
    """One thing that was looked at: what was found, and what to do if it is wrong."""

    what: str
    ok: bool
    found: str
    next_step: str = ""


def home() -> Path:
    """The toolkit's folder; NormgradError says what to do without."""
    named = os.environ.get("ASCEND_HOME_PATH") or os.environ.get("ASCEND_TOOLKIT_HOME", "")
    if not named:
        near = [place for place in _USUAL if Path(place).expanduser().is_dir()]
        raise NormgradError(
            f"ASCEND_HOME_PATH is not set: run `source {near[0]}/set_env.sh`"
            if near
            else "ASCEND_HOME_PATH is not set: install the CANN toolkit and source its set_env.sh; "
            "`scripts/build.sh package --dry-run` works without"
        )
    if not Path(named).is_dir():
        raise NormgradError(
            f"ASCEND_HOME_PATH is {named}, which is no folder: source the set_env.sh of the "
            "toolkit that is installed"
        )
    return Path(named)


def version(toolkit: Path) -> str:
    """ "8.5.0"; empty if no file says it."""
    for pattern in _VERSION_FILES:
        for file in sorted(toolkit.glob(pattern)):
            if found := _VERSION.search(file.read_text(errors="replace")):
                return found[1]
    return ""


def vendor_folders() -> Iterator[Path]:
    """Packages of custom operators, first come first served; they need not exist."""
    for entry in filter(None, os.environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(os.pathsep)):
        yield Path(entry).resolve()
    if opp := os.environ.get("ASCEND_OPP_PATH"):
        vendors = Path(opp).resolve() / "vendors"
        for name in _load_priority(vendors / "config.ini"):
            yield vendors / name


def _load_priority(file: Path) -> list[str]:
    """The vendors of `load_priority=first,second`."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    for line in lines:
        key, _, value = line.partition("=")
        if key.strip() == "load_priority":
            return [name.strip() for name in value.split(",") if name.strip()]
    return []


def operators_of(vendor: Path) -> set[str]:
    """Types of the operators that a package describes for any chip."""
    found: set[str] = set()
    for file in vendor.glob(_OPS_INFO):
        try:
            described = json.loads(file.read_text())
        except (OSError, ValueError):
            continue
        if isinstance(described, dict):
            found |= set(described)
    return found


def examine(ours: frozenset[str]) -> list[Look]:
    """CANN, driver, devices and packages. `ours` are the types of our operators."""
    return [*_toolkit(), *_devices(), *_packages(ours)]


def _toolkit() -> list[Look]:
    try:
        toolkit = home()
    except NormgradError as error:
        return [Look("CANN", False, "none in use", str(error))]
    found = version(toolkit)
    looks = [Look("CANN", True, str(toolkit))]
    numbers = re.findall(r"\d+", found)[:2]
    if not found:
        step = "no version file: the installation is incomplete, install the toolkit again"
        looks.append(Look("CANN version", False, "unknown", step))
    elif tuple(map(int, numbers)) < _LEAST:
        step = f"packages are built with 8.5 or later, this is {found}: install a later toolkit"
        looks.append(Look("CANN version", False, found, step))
    else:
        looks.append(Look("CANN version", True, found))
    opp = Path(os.environ.get("ASCEND_OPP_PATH", ""))
    if "ASCEND_OPP_PATH" not in os.environ or not opp.is_dir():
        step = f"ASCEND_OPP_PATH names no folder: run `source {toolkit}/set_env.sh`"
        looks.append(Look("operators", False, str(opp) if opp.parts else "unset", step))
    return looks


def _devices() -> list[Look]:
    driver = _DEVICE.exists()
    looks = [
        Look(
            "NPU driver",
            driver,
            "loaded" if driver else f"no {_DEVICE}",
            "" if driver else "install the driver and firmware of the NPU",
        )
    ]
    tool = shutil.which("npu-smi")
    if not tool:
        return [*looks, Look("NPUs", False, "npu-smi is not on the path", "install the driver")]
    try:
        done = subprocess.run([tool, "info", "-l"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return [*looks, Look("NPUs", False, "npu-smi does not answer", "restart the driver")]
    said = " ".join(done.stdout.split())[:120]
    step = "" if done.returncode == 0 else "npu-smi fails: see its message"
    return [*looks, Look("NPUs", done.returncode == 0, said or "npu-smi says nothing", step)]


def _packages(ours: frozenset[str]) -> list[Look]:
    """Per operator: CANN takes it from the first package that has it."""
    vendors = list(vendor_folders())
    held = {vendor: operators_of(vendor) & ours for vendor in vendors}
    owner = {op: next(v for v in vendors if op in held[v]) for op in set().union(*held.values())}
    if not owner:
        step = "build one with `scripts/build.sh package` and run it to install"
        return [Look(PACKAGE, False, "none installed", step)]
    mine = next((vendor for vendor in vendors if held[vendor] and _is_normgrad(vendor)), None)
    if mine is None:
        first = next(vendor for vendor in vendors if held[vendor])
        step = f"{first} has these operators, but is not from here: install a normgrad package"
        return [Look(PACKAGE, False, str(first), step)]
    place = f"{mine}, {vendors.index(mine) + 1} of {len(vendors)}"
    if lacking := sorted(ours - held[mine]):
        place += f", without {' and '.join(lacking)}"
    hidden = sorted(op for op in held[mine] if not _is_normgrad(owner[op]))
    if hidden:
        first = owner[hidden[0]]
        taken = [op for op in hidden if owner[op] == first]
        step = (
            f"{first} comes first and has {', '.join(taken)} too: put "
            f"{mine.name} before {first.name} in load_priority of vendors/config.ini, or {mine} "
            "first in ASCEND_CUSTOM_OPP_PATH"
        )
        return [Look(PACKAGE, False, place, step)]
    return [Look(PACKAGE, True, place)]


def _is_normgrad(vendor: Path) -> bool:
    """Our package has our own header, whatever its folder is called."""
    for header in vendor.glob("op_api/include/**/aclnn_*.h"):
        if "NORMGRAD_ACLNN" in header.read_text(errors="replace"):
            return True
    return False
