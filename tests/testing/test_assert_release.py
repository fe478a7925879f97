"""The assertion: it fails exactly where what must hold does not."""

from __future__ import annotations

import math
import operator
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import unveil as uv
from unveil.auditing import FIGURES, Question
from unveil.errors import InputError
from unveil.testing import assert_release
from unveil.testing._required import Requirement

SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
TABLE = uv.read_table(
    {"age": [21, 22, 23, 31, 32, 33, 34], "town": list("aaabbbb"), "vote": list("xyxyxyx")},
    quasi=["age", "town"], sensitive="vote",
)  # fmt: skip
RELEASE = uv.Mondrian(k=3).sanitize(TABLE)


@given(
    st.sampled_from(sorted(FIGURES)),
    st.sampled_from(sorted(SIGNS)),
    st.floats(-1, 1),
    st.floats(-100, 100) | st.just(math.inf),
)
def test_it_holds_exactly_where_it_says_so(
    name: str, sign: str, bound: float, value: float
) -> None:
    worse = SIGNS[sign](1, 0) is FIGURES[name].lower_is_better
    assume(not worse or FIGURES[name].question is Question.UTILITY)
    required = Requirement.parse(f"{name} {sign} {bound!r}")
    if math.isclose(value, bound, rel_tol=1e-9, abs_tol=1e-12):
        value = bound  # rounding alone makes no difference
    for one in (value, bound):
        assert required.threshold.check(one).passed is SIGNS[sign](one, bound)
    assert not required.threshold.check(None).passed
    assert not required.threshold.check(math.nan).passed


def test_only_what_is_asked_for_is_run() -> None:
    found = assert_release(TABLE, RELEASE, "k >= 3", "loss < 90%")
    assert [part.name for part in found.parts] == ["measures", "utility"]
    assert found.releases[0].figures["k"] == uv.k_anonymity(RELEASE).k == 3
    assert found.passed


def test_every_failure_is_told() -> None:
    with pytest.raises(AssertionError) as told:
        assert_release(TABLE, {"ours": RELEASE}, "k >= 4", "delta <= 0.05", "l >= 2")
    said = str(told.value).splitlines()
    assert said[0] == "ours: 2 of 3 requirements do not hold"
    assert said[1] == "  ✗ k >= 4: k is 3, which is below 4"
    assert said[2].startswith("    k is the number of records in the smallest class")
    # A file cannot be made anew without a person: what is not known does not hold.
    assert said[3].startswith("  ? delta <= 0.05: delta is not known: ")
    assert said[5] == "  ✓ l >= 2: l is 2, which is not below 2"


def test_each_release_is_told_by_its_name() -> None:
    with pytest.raises(AssertionError) as told:
        assert_release(TABLE, "mondrian:k=1,3", "k >= 3")
    assert str(told.value).splitlines()[0] == "Mondrian(k=1): the requirement does not hold"
    assert "Mondrian(k=3)" not in str(told.value)


def test_what_cannot_be_made_does_not_hold() -> None:
    with pytest.raises(AssertionError) as told:
        assert_release(TABLE, uv.Mondrian(k=8), "k >= 3")
    head, why, check, _ = str(told.value).splitlines()
    assert head == "Mondrian(k=8): the requirement does not hold"
    assert why.startswith("  it could not be made or read: Mondrian(k=8) cannot be met: ")
    assert check == "  ? k >= 3: k is not known: there is no release to look at"


def fails(table: object) -> NoReturn:
    raise ValueError("Jane of Ulm is 97")


class Talkative(uv.adversary.Adversary):
    def prepared(self, microdata: uv.Microdata) -> uv.Microdata:
        return microdata

    def predict(self, release: object, targets: object) -> NoReturn:
        raise ValueError("Jane of Ulm is 97")


@pytest.mark.parametrize(
    ("release", "options"),
    [
        (uv.Oracle(fails), {}),
        (uv.Oracle("/home/jane/run --token Jane {input} {output}"), {}),
        (uv.Mondrian(k=3), {"adversary": Talkative()}),
    ],
    ids=["a function", "a command", "an adversary"],
)
def test_what_others_said_is_not_in_the_log_of_a_test_run(release, options) -> None:
    """Which many people can read."""
    with pytest.raises(AssertionError) as told:
        assert_release(TABLE, release, "k >= 3", "delta <= 0.05", **options)
    assert "delta is not known" in str(told.value)
    for word in ("jane", "ulm", "97"):
        assert word not in str(told.value).lower()


def test_options_reach_their_attack() -> None:
    found = assert_release(
        TABLE, uv.Mondrian(k=3), "delta <= 1",
        options={"differential-inference": {"adversary": "conditional-frequency"}},
    )  # fmt: skip
    finding = found.releases[0].looked["differential-inference"].finding
    assert finding.adversary.label == "conditional frequency"


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ((TABLE, RELEASE), {}, "needs something that must hold, such as 'k >= 5'"),
        ((TABLE, None, "k >= 5"), {}, "got None for a release"),
        ((TABLE, "k >= 5"), {}, "got 'k >= 5' where the release belongs"),
        ((TABLE, RELEASE, "k == 5"), {}, "cannot read 'k == 5' as a requirement.*'k >= 5'"),
        ((TABLE, RELEASE, 5), {}, "cannot read 5 as a requirement"),
        ((TABLE, RELEASE, "kk >= 5"), {}, "no figure 'kk'"),
        ((TABLE, RELEASE, "k < 5"), {}, "asks for what is bad.*did you mean 'k >= 5'"),
        ((TABLE, RELEASE, "delta > 0.05"), {}, "did you mean 'delta <= 0.05'"),
        ((TABLE, RELEASE, "k >= 3"), {"options": {"measure": {}}}, "did you mean 'measures'"),
        ((TABLE, RELEASE, "k >= 3"), {"options": {"utility": {}}}, "options for utility, which"),
        ((TABLE, RELEASE, "k >= 3"), {"project": "unveil.toml"}, "but not both"),
    ],
)
def test_a_wrong_test_is_no_failed_test(arguments, options, said: str) -> None:
    with pytest.raises(InputError, match=said):
        assert_release(*arguments, **options)


def test_nothing_tested_is_nothing_proved() -> None:
    other = uv.read_table(
        {"age": [1] * 7, "town": ["a"] * 7, "pay": [1, 2] * 3 + [1]},
        quasi=["age", "town"], sensitive="pay",
    )  # fmt: skip
    with pytest.raises(InputError, match="no release publishes pay"):
        assert_release([TABLE, other], RELEASE, "k >= 3")


def test_whoever_ends_an_audit_ends_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(self, table):
        raise KeyboardInterrupt

    monkeypatch.setattr(uv.Mondrian, "sanitize", ended)
    with pytest.raises(KeyboardInterrupt):
        assert_release(TABLE, uv.Mondrian(k=3), "k >= 1")


PROJECT = """
[data]
file = "people.csv"
[roles]
age = "quasi"
town = "quasi"
vote = "sensitive"
[[releases]]
sanitizer = "mondrian:k=3"
"""


def project_in(folder: Path, more: str) -> Path:
    TABLE.to_frame().to_csv(folder / "people.csv", index=False)
    file = folder / "unveil.toml"
    file.write_text(PROJECT + more)
    return file


def test_a_project_says_what_must_not_be(tmp_path: Path) -> None:
    file = project_in(tmp_path, '[thresholds]\nfail_on = ["k < 3", "discrimination > 0.5"]\n'
                      '[partitions]\nvote = [["x", "y"]]')  # fmt: skip
    with pytest.raises(AssertionError) as told:
        assert_release(project=file)
    assert "✓ not k < 3: k is 3, which is not below 3" in str(told.value)
    # Everybody is in the one category: there is nothing to tell, and no rate.
    assert "? not discrimination > 0.5: discrimination is not known" in str(told.value)
    file = project_in(tmp_path, '[thresholds]\nfail_on = ["k < 3"]')
    found = assert_release(project=str(file))
    assert [part.name for part in found.parts] == ["measures"]
    assert found.thresholds == (uv.Threshold.parse("k < 3"),)


def test_a_project_without_thresholds_proves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unveil\.toml has no thresholds"):
        assert_release(project=project_in(tmp_path, ""))
