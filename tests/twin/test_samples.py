"""Bad kernels give exactly the findings that their comments foretell, look-alikes give none."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import samples

from normgrad import paths

BAD = samples.of_kind("bad")
SILENT = samples.of_kind("silent")
LEAST_SAMPLES = 45  # of each kind


def rules() -> list[str]:
    text = (paths.source_root() / "twin" / "rules" / "rules.h").read_text()
    found = re.findall(r'^\s*X\(\w+,\s*"([a-z-]+)"', text, re.MULTILINE)
    assert len(found) >= 29
    return found


def everywhere(kind: list[samples.Sample]) -> list[Any]:
    """Each sample on each of its architectures."""
    return [pytest.param(s, arch, id=f"{s.id}-{arch}") for s in kind for arch in s.archs]


@pytest.mark.parametrize(("sample", "arch"), everywhere(BAD))
def test_bad_kernel_gives_its_findings_and_no_other(sample: samples.Sample, arch: int) -> None:
    done = samples.launch(sample, arch=arch)
    assert done.error is None
    found = [samples.as_expected(finding) for finding in done.findings]
    assert sorted(found, key=str) == sorted(sample.findings, key=str), done.findings


@pytest.mark.parametrize(("sample", "arch"), everywhere(SILENT))
def test_look_alike_gives_no_finding_and_right_values(sample: samples.Sample, arch: int) -> None:
    done = samples.launch(sample, arch=arch)
    assert done.error is None
    assert done.findings == ()
    assert done.finished
    written = np.zeros(samples.GM_ELEMS, bool)
    for where, values in samples.expected_out(sample):
        np.testing.assert_array_equal(done.arrays["out"][where], values)
        written[where] = True
    # Of an element that was stored in part, some bytes are left.
    assert -(-done.unwritten["out"] // 4) == np.count_nonzero(~written)


def test_round_mode_is_named_as_the_kernel_writes_it() -> None:
    (sample,) = [s for s in BAD if s.name == "NarrowsWithoutRounding"]
    (finding,) = samples.launch(sample).findings
    assert "Cast from float to bfloat16_t has no round mode CAST_NONE" in finding.message
    assert finding.message.endswith(
        "allowed: CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC"
    )


def test_findings_say_what_was_fatal_and_on_how_many_cores() -> None:
    text = (paths.source_root() / "twin" / "rules" / "rules.h").read_text()
    fatal = set(re.findall(r'X\(\w+,\s*"([a-z-]+)",\s*true', text))
    most = 0
    for sample in BAD:
        for finding in samples.launch(sample).findings:
            assert finding.fatal == (finding.rule in fatal)
            assert 1 <= finding.cores <= min(sample.cores, finding.count)
            most = max(most, finding.cores)
    assert most > 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_order_of_cores_changes_no_finding(seed: int) -> None:
    for sample in [s for s in BAD + SILENT if s.cores > 1]:
        done = samples.launch(sample, seed=seed)
        found = {samples.as_expected(finding) for finding in done.findings}
        assert found == set(sample.findings), sample.id


def test_autosync_mends_what_the_compiler_mends_and_no_more() -> None:
    races = [sample for sample in BAD if sample.file.stem == "races"]
    assert any("autosync" in sample.options for sample in races)
    for sample in races:
        done = samples.launch(sample, sync="autosync")
        found = {samples.as_expected(finding) for finding in done.findings}
        mended = sample.options.get("autosync") == 0
        assert found == (set() if mended else set(sample.findings)), sample.id


def test_every_file_has_both_sides() -> None:
    bad = [file.name for file in samples.files("bad")]
    assert bad == [file.name for file in samples.files("silent")]
    assert len(BAD) >= LEAST_SAMPLES
    assert len(SILENT) >= LEAST_SAMPLES


def test_every_bad_kernel_foretells_a_finding_and_no_look_alike_does() -> None:
    assert [sample.id for sample in BAD if not sample.findings] == []
    assert [sample.id for sample in SILENT if sample.findings] == []


def test_every_bad_kernel_has_a_look_alike_that_names_it() -> None:
    text = {file.name: file.read_text() for file in samples.files("silent")}
    lonely = [s.id for s in BAD if not re.search(rf"// .*\b{s.name}\b", text[s.file.name])]
    assert lonely == []


@pytest.mark.parametrize("rule", rules())
def test_every_rule_has_a_bad_kernel(rule: str) -> None:
    """So that no rule can go: bad kernels are held to exactly their findings, above, and without
    the rule this one's would be missing. A rule that several calls ask stands for all of them as
    long as one of them asks it."""
    assert any(finding.rule == rule for sample in BAD for finding in sample.findings)


def test_no_sample_names_an_unknown_rule() -> None:
    known = rules()
    named = {finding.rule for sample in BAD for finding in sample.findings}
    assert named - set(known) == set()


def test_every_rule_has_a_line_in_the_documentation() -> None:
    text = (paths.source_root() / "docs" / "twin.md").read_text()
    assert [rule for rule in rules() if f"| `{rule}` |" not in text] == []
