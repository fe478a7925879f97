"""An audit of what was published alone: what it can tell, and what it says that it cannot."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import unveil as uv
from unveil.auditing import State, ToRead, compare_audits, read_audit, unanswered
from unveil.auditing.parts import PARTS
from unveil.errors import InputError, View, shown
from unveil.registry import audited
from unveil.render.page import page_of
from unveil.testing import assert_release

N = 60


def people() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame({
        "name": [f"p{i}" for i in range(N)],
        "age": rng.integers(20, 50, N),
        "town": rng.choice(["Nice", "Lyon", "Rome"], N),
        "disease": np.resize(["flu", "cold", "asthma", "flu"], N),
        "income": rng.integers(1, 5, N) * 1000,
    })  # fmt: skip


PEOPLE = people()
TABLE = uv.read_table(PEOPLE, identifier="name", quasi=["age", "town"], sensitive="disease")
PUBLISHED = PEOPLE.drop(columns="name").assign(age=[f"{a // 10 * 10}-{a // 10 * 10 + 9}"
                                                    for a in PEOPLE.age])  # fmt: skip


def published(secret: str = "disease", **more: Any) -> uv.Release:
    return uv.read_release(PUBLISHED, quasi=["age", "town"], sensitive=secret,
                           made_by="published.csv", **more)  # fmt: skip


@pytest.fixture(scope="module")
def anatomy(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("anatomy")
    uv.Anatomy(l=2, seed=1).sanitize(TABLE).write(folder)
    return uv.read_anatomy(folder, quasi=["age", "town"], sensitive="disease", made_by="anatomy")


KINDS = {
    "generalized": published,
    "suppressed": lambda: uv.read_release(
        PUBLISHED.assign(age=["*", "*", *PUBLISHED.age[2:]]), quasi=["age", "town"],
        sensitive="disease",
    ),
    "with hierarchies": lambda: uv.read_release(
        PUBLISHED.assign(town=["Italy" if town == "Rome" else town for town in PUBLISHED.town]),
        quasi=["age", "town"], sensitive="disease", hierarchies={
            "town": uv.Hierarchy.from_paths([("Nice", "France", "*"), ("Lyon", "France", "*"),
                                             ("Rome", "Italy", "*")])},
    ),
    "counted": lambda: uv.read_release(
        PUBLISHED.groupby(["age", "town", "disease"]).size().reset_index(name="n"),
        quasi=["age", "town"], sensitive="disease", count="n",
    ),
    "averages": lambda: uv.Microaggregation(k=3).sanitize(TABLE),
    "answers": lambda: uv.RandomizedResponse(epsilon=1, seed=1).sanitize(TABLE),
    "counts": lambda: uv.LaplaceCounts(epsilon=1, seed=1).sanitize(TABLE),
}  # fmt: skip


@pytest.mark.parametrize("listed", [False, True], ids=["nothing else", "a list of people"])
@pytest.mark.parametrize("kind", [*KINDS, "permuted"])
def test_every_part_works_alone_or_says_what_it_needs(kind: str, listed: bool, anatomy: Any):
    release = anatomy if kind == "permuted" else KINDS[kind]()
    more = {"external": PEOPLE[["name", "age", "town"]], "identifier": "name"} if listed else {}
    (one,) = uv.audit(None, release, attacks="all", progress=False, **more).releases
    assert one.error is None
    for name, look in one.looked.items():
        declaration = audited()[name]
        assert look.status in ("done", "not applicable"), (name, look.why)
        if declaration.needs("microdata"):
            assert look.status == "not applicable"
            assert "needs the original table" in str(look.why)
            assert ("program" in str(look.why)) is ("sanitizer" in declaration.sources())
        elif declaration.needs("external") and not listed:
            assert "needs a list of people" in str(look.why)
            assert "--external" in shown(look.why, View("shell"))
    fits = {"permuted": "groups", "averages": "averages", "answers": "answers", "counts": "counts"}
    for name in ("measures", "discrimination-rate", "identifiers", "relative-risk"):
        applies = fits.get(kind, "cells") in audited()[name].fits
        assert (one.looked[name].status == "done") is applies, name
    applies = fits.get(kind, "cells") in audited()["linkage"].fits
    assert (one.looked["linkage"].status == "done") is (listed and applies)
    learns = kind == "permuted" or (listed and kind in KINDS and fits.get(kind, "cells") == "cells")
    assert (one.looked["definetti"].status == "done") is learns


def test_numbers_are_those_of_the_functions(anatomy: Any):
    listed = PEOPLE[["name", "age", "town"]]
    for release in (published(), anatomy):
        found = uv.audit(None, release, attacks="all", external=listed, identifier="name",
                         progress=False).releases[0]  # fmt: skip
        measured = uv.measures(release)
        linked = uv.linkage(release, listed, identifier="name")
        rates = uv.discrimination_rates(release, at_most=None)
        for finding in (measured, linked, rates):
            for one in finding.figures:
                assert found.figures[one.figure.name] == pytest.approx(one.value), one.figure.name
        alone, told = uv.relative_risk(release), found.looked["relative-risk"].finding
        assert told.problem.domain.size == alone.problem.domain.size
        assert told.summary().splitlines()[:2] == alone.summary().splitlines()[:2]
        # By hand, where it is a count.
        if release is not anatomy:
            sizes = PUBLISHED.groupby(["age", "town"]).size()
            assert found.figures["k"] == sizes.min()
            assert found.figures["mean_class"] == pytest.approx(sizes.mean())


def test_of_several_secrets_each_is_tested(tmp_path: Path):
    found = uv.audit(None, [published(), published("income")], attacks=["measures"],
                     fail_on="k < 3", progress=False)  # fmt: skip
    assert {one.sensitive for one in found.secrets} == {"disease", "income"}
    named = uv.audit(None, {"file": [published(), published("income")]}, attacks=["measures"],
                     progress=False)  # fmt: skip
    assert [one.name for one in named.releases] == ["file", "file"]
    # The other secret has a role, so it is no column of which nobody knows who knows it.
    assert all(one.besides is not None and not one.besides.unroled for one in named.releases)


def test_what_is_assumed_comes_first_and_what_is_missing_is_told():
    found = uv.audit(None, published(), progress=False)
    content = found.to_dict()
    assert content["verdict"]["sentences"][:2] == content["alone"]["assumed"]
    assert "The original table was not given" in content["alone"]["assumed"][0]
    assert "'age'" in content["alone"]["assumed"][1]
    declared = published(domains={"age": range(18, 60), "town": ["Nice", "Lyon", "Rome"]})
    text = str(uv.audit(None, declared, attacks=["measures"], progress=False).assumed[1])
    assert "'disease'" in text
    assert "'age'" not in text
    takes = [one.title.partition(":")[0] for one in audited().values()
             if "microdata" in one.sources()]  # fmt: skip
    assert [title for title, _ in unanswered()] == takes
    assert all(one.original_adds for one in audited().values()
               if one.plugin is None and "microdata" in one.sources())  # fmt: skip
    assert all(len(adds) > 10 for _, adds in unanswered())
    assert "original" not in uv.audit(TABLE, "mondrian:k=5", attacks=["measures"]).verdict()


def test_what_needs_the_original_is_not_known_and_does_not_pass():
    found = uv.audit(None, published(), attacks="all", progress=False)
    there = found.releases[0].figures
    for text in ("delta > 0.5", "gr > 0.5", "suppressed > 0.5", "untrue > 0", "linked > 0.5",
                 "membership > 0.9"):  # fmt: skip
        judged = uv.audit(None, published(), attacks="all", fail_on=text, progress=False)
        assert judged.state is State.NOT_KNOWN, text
        assert not judged.passed
        assert "is not known" in judged.verdict()
    for name in ("delta", "accuracy", "gain", "loss", "suppressed", "repeated", "extra_rows",
                 "untrue", "gr", "relative_risk", "membership", "linked", "one_value"):  # fmt: skip
        assert there.get(name) is None, name


def test_columns_that_name_people_fail_it():
    frame = PUBLISHED.assign(patient=[f"x{i:03}" for i in range(N)])
    release = uv.read_release(frame, quasi=["age", "town"], sensitive="disease")
    plain = uv.audit(None, release, attacks=["measures"], fail_on="k < 2", progress=False)
    assert plain.passed
    assert "'patient'" in plain.verdict()  # assumed to be unknown to the attacker
    named = uv.audit(None, release, attacks=["measures"], fail_on="k < 2", identifier="patient",
                     progress=False)  # fmt: skip
    assert named.state is State.FAILS
    mails = frame.assign(contact=[f"p{i}@example.org" for i in range(N)])
    found = uv.audit(None, uv.read_release(mails, quasi=["age", "town"], sensitive="disease"),
                     attacks=["measures"], progress=False)  # fmt: skip
    assert found.state is State.FAILS


def test_cells_of_few_records_are_in_no_report():
    frame = PUBLISHED.copy()
    frame.loc[0, ["age", "town"]] = "83-89", "Xanadu"
    frame.loc[1, "disease"] = "plague"
    release = uv.read_release(frame, quasi=["age", "town"], sensitive="disease")
    found = uv.audit(None, release, attacks="all", progress=False)
    text = json.dumps({name: part for name, part in found.to_dict().items()
                       if name != "figures"}) + found.page()  # fmt: skip
    shown_words = re.sub(r"<style.*?</style>|<script.*?</script>|<svg.*?</svg>", "", text,
                         flags=re.DOTALL)  # fmt: skip
    for rare in ("Xanadu", "plague", "83-89", "[83, 89]", "to 89"):
        assert rare not in shown_words, rare


def test_json_page_junit_and_comparison(tmp_path: Path):
    found = uv.audit(None, [published()], fail_on="k < 3", progress=False)
    content = read_audit(found.save(tmp_path / "a.json"))
    assert content["alone"] == found.to_dict()["alone"]
    assert content["secrets"][0]["baseline"] is None
    assert content["data"]["records"] == N
    page = page_of(content)
    assert "Without the original." in page
    assert 'id="original"' in page
    assert page == found.page()
    assert 'failures="0"' in found.to_junit()
    assert not compare_audits(content, content).got_worse
    earlier = {name: part for name, part in content.items() if name != "alone"}
    assert 'id="original"' not in page_of(read_audit(earlier))
    other = uv.read_release(PUBLISHED[:50], quasi=["age", "town"], sensitive="disease")
    two = uv.audit(None, {"a": published(), "b": other}, attacks=["measures"], progress=False)
    assert two.to_dict()["data"]["records"] is None
    assert "Audit of a and b;" in two.summary()
    read_audit(two.to_dict())
    page_of(two.to_dict())


def test_fingerprints_tell_published_files_apart():
    def prints(frame: pd.DataFrame) -> dict[str, str]:
        release = uv.read_release(frame, quasi=["age", "town"], sensitive="disease")
        found = uv.audit(None, {"f": release}, attacks=["measures"], key="00" * 32, progress=False)
        return dict(found.to_dict()["reproduce"]["fingerprints"])

    swapped = PUBLISHED.assign(disease=PUBLISHED.disease[::-1].tolist())
    assert prints(PUBLISHED) == prints(PUBLISHED) != prints(swapped)


def test_wrong_calls_are_refused():
    with pytest.raises(InputError, match=r"mondrian:k=5 needs the original table"):
        uv.audit(None, "mondrian:k=5")
    with pytest.raises(InputError, match=r"a Mondrian needs the original table"):
        uv.audit(None, [published(), uv.Mondrian(k=5)])
    with pytest.raises(InputError, match=r"nothing to audit: give the original"):
        uv.audit(None)
    with pytest.raises(InputError, match=r"read_release\(table, quasi=…, sensitive=…\)"):
        uv.audit(None, PUBLISHED)
    other = uv.read_release(PUBLISHED, quasi=["age"], sensitive="disease", made_by="other")
    with pytest.raises(InputError, match=r"other quasi-identifiers cannot be compared"):
        uv.audit(None, [published(), other])
    with pytest.raises(InputError, match=r"audited twice"):
        uv.audit(None, [published(), published()])
    with pytest.raises(InputError, match=r"needs the names of its columns"):
        uv.audit(None, {"a": ToRead(read=lambda table: published())})
    with pytest.raises(InputError, match=r"attacker cannot know 'zip'"):
        uv.audit(None, published(), knows="zip")


def test_assertions_without_the_original():
    assert assert_release(None, published(), "k >= 2").passed
    with pytest.raises(AssertionError, match=r"k is \d+, which is below 50"):
        assert_release(None, published(), "k >= 50")
    with pytest.raises(AssertionError, match=r"delta is not known: .* needs the original table"):
        assert_release(None, published(), "delta <= 0.5")


def test_every_audited_part_is_in_the_statement_or_does_without_the_original():
    assert {name for name, part in PARTS.items() if "microdata" not in part.declaration.sources()
            } == {"measures", "discrimination-rate", "remedies"}  # fmt: skip
