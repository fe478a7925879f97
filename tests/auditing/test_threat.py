"""One threat model: what the attacker knows, what he wants, and what is not given a number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unveil as uv
from unveil.auditing.parts import PARTS
from unveil.errors import InputError

FEWER = (
    "linkage", "measures", "discrimination-rate", "utility", "identifiers", "remedies",
)  # fmt: skip


@pytest.fixture(scope="module")
def survey() -> uv.Microdata:
    whole = uv.datasets.election_survey()
    return whole.take(np.arange(0, len(whole), 6))


@pytest.fixture(scope="module")
def two_secrets() -> list[uv.Microdata]:
    rng = np.random.default_rng(5)
    table = {
        "age": rng.integers(20, 60, 60), "sex": rng.choice(["m", "f"], 60),
        "income": rng.choice(["low", "mid", "high"], 60), "debts": rng.choice(["yes", "no"], 60),
    }  # fmt: skip
    return [
        uv.read_table(table, quasi=["age", "sex"], sensitive=secret)
        for secret in ("income", "debts")
    ]


def test_an_attacker_who_knows_fewer_columns(survey: uv.Microdata) -> None:
    """By brute force: people look alike who have the same cells of these columns."""
    audit = uv.audit(
        survey, "mondrian:k=5", knows=["income", "age"], attacks=list(PARTS), progress=False
    )
    audited = audit.releases[0]
    release = uv.Mondrian(k=5).sanitize(survey)
    cells = release.to_frame()
    alike = cells.groupby(["age", "income"]).size()
    assert audited.figures["k"] == alike.min()
    linked = uv.linkage(release, survey, knows=["age", "income"])
    assert audited.figures["linked"] == linked.unique.mean()
    rate = uv.discrimination_rate(release, of="party", by=["age", "income"]).rate
    assert audited.figures["discrimination"] == pytest.approx(rate, rel=1e-12)
    assert "the attacker knows <bdi>age</bdi>, <bdi>income</bdi></p>" in audit._repr_html_()
    # What is left to use does not hang on the attacker.
    assert audited.figures["loss"] == uv.information_loss(release).loss


def test_what_has_no_form_for_such_an_attacker_gives_no_number(survey: uv.Microdata) -> None:
    audit = uv.audit(
        survey, "mondrian:k=5", knows="age", attacks=list(PARTS), fail_on="delta > 0.05",
        progress=False,
    )  # fmt: skip
    audited = audit.releases[0]
    done = [name for name, look in audited.looked.items() if look.status == "done"]
    assert done == list(FEWER)
    for name in set(PARTS) - set(FEWER):
        assert audited.looked[name].status == "not applicable"
        assert "this one knows age alone" in (audited.looked[name].why or "")
    assert set(audited.figures) == {f for name in FEWER for f in PARTS[name].figures}
    assert audit.passed is False
    threat = audit.to_dict()["threat"]
    assert threat["knows"] == ["age"]
    assert "and not education, income or population" in threat["says"]
    assert "the attacker knows age\n" in str(audit)


def test_who_knows_all_is_the_usual_attacker(survey: uv.Microdata) -> None:
    names = [column.name for column in survey.quasi]
    audit = uv.audit(
        survey, "mondrian:k=5", knows=names[::-1], attacks=["linkage", "inference"], progress=False
    )
    assert audit.asked.knows is None
    assert audit.releases[0].looked["inference"].status == "done"


def test_each_secret_is_tested_as_if_it_were_the_only_one(two_secrets: list[uv.Microdata]) -> None:
    attacks = ["differential-inference", "measures"]
    together = uv.audit(
        two_secrets, "mondrian:k=3,l=2", attacks=attacks, fail_on=["k < 3", "delta > 1%"],
        progress=False,
    )  # fmt: skip
    for one in together.secrets:
        alone = uv.audit(one.microdata, "mondrian:k=3,l=2", attacks=attacks, progress=False)
        assert one.audited[0].figures == alone.releases[0].figures
        assert [c.name for c in one.audited[0].subject.release.quasi] == ["age", "sex"]
    assert together.passed is False
    worst = [one.badness() for one in together.secrets]
    assert worst == sorted(worst, reverse=True)
    lines = together.verdict().splitlines()
    assert [line.partition(": ")[0] for line in lines] == [o.sensitive for o in together.secrets]
    says = together.to_dict()["threat"]["says"]
    assert "the others are neither known to the attacker nor published" in says


def test_a_published_table_belongs_to_its_secret(two_secrets: list[uv.Microdata]) -> None:
    made = {f"of {t.sensitive.name}": uv.Mondrian(k=3).sanitize(t) for t in two_secrets}
    audit = uv.audit(two_secrets, made, attacks=["measures"], progress=False)
    assert {one.sensitive: [a.name for a in one.audited] for one in audit.secrets} == {
        "income": ["of income"], "debts": ["of debts"],
    }  # fmt: skip


def refused(two: list[uv.Microdata]) -> list[tuple[Any, dict[str, Any], str]]:
    income, debts = two
    release = uv.Mondrian(k=3).sanitize(income)
    fewer = income.take(range(59))
    shifted = debts.take([*range(1, 60), 0])
    return [
        (two, {"releases": release}, "no release publishes debts"),
        (debts, {"releases": release}, "publishes income, and what is audited is debts"),
        ([income, income], {}, "'income' is to be audited twice"),
        ([fewer, debts], {}, "not the same"),
        ([income, shifted], {}, "not the same"),
        ([], {}, "empty list"),
        (income, {"knows": "agee"}, "cannot know 'agee', which is not a quasi-identifier of table; "
         "did you mean 'age'?"),
        (income, {"knows": ["debts"]}, "cannot know 'debts'"),
        (income, {"knows": []}, "knows nothing"),
        (two, {"partitions": {"incom": "a:low"}}, "'incom' is none of income, debts; did you mean"),
        (two, {"partitions": {"income": "a:low"}}, "leaves out"),
        (income, {"key": "abc"}, "a key must be 64 hexadecimal digits"),
        (income, {"smallest": 0}, "smallest=0 is not possible: it must be a whole"),
        (income, {"attacks": {"linkage": {"know": "age"}}}, "linkage has no option 'know'; did "
         "you mean 'knows'?"),
        (income, {"attacks": {"measures": {"wildcrad": "numpy"}}}, "did you mean 'wildcard'?"),
    ]  # fmt: skip


@pytest.mark.parametrize("case", range(15))
def test_what_cannot_be_asked_is_said_before_any_work(
    two_secrets: list[uv.Microdata], case: int
) -> None:
    table, options, said = refused(two_secrets)[case]
    with pytest.raises(InputError) as told:
        uv.audit(table, **{"releases": "identity", **options}, progress=False)
    assert said in str(told.value)
