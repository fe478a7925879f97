"""The report as a release: values that few people have are in none of its forms."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st
from proofs import examples

import unveil as uv
from unveil.auditing import ToRead, compare_audits, junit_of, resolve
from unveil.auditing.parts import PARTS, Part
from unveil.errors import Cell, Foreign, InputError, InternalError, Region, View
from unveil.microdata import Hierarchy

WORD, NUMBER = "Zq", 98765400  # nothing else has these letters or digits
SECRET = re.compile(r"[Zz]q|987[.,]?654|jane", re.IGNORECASE)
FEW = 4
ATTACKS = set(PARTS) - {"measures", "discrimination-rate", "utility"}


def marked(rng: np.random.Generator, n: int, values: list[Any], marks: list[Any]) -> list[Any]:
    """A column of usual values, in which each mark is had by one to four people."""
    column = rng.choice(np.array(values, dtype=object), n)
    for mark in marks:
        column[rng.choice(n, int(rng.integers(1, FEW + 1)), replace=False)] = mark
    return list(column)


def marked_table(seed: int, n: int) -> uv.Microdata:
    rng = np.random.default_rng(seed)
    jobs, odd = ["cook", "smith", "tailor"], f"{WORD}job of the king"
    tree = Hierarchy.from_paths([(job, "craft", "*") for job in jobs] + [(odd, f"{WORD}node", "*")])
    return uv.read_table(
        {
            "name": [f"{WORD}name{i}" for i in range(n)],
            "age": marked(rng, n, [20, 30, 40], [NUMBER + i for i in range(3)]),
            "town": marked(rng, n, ["Ulm", "Rom"], [f"{WORD}town", f"<b>{WORD}</b>"]),
            "job": marked(rng, n, jobs, [odd]),
            "note": marked(rng, n, ["a"], [f"{WORD}other"]),
            "ill": marked(rng, n, ["flu", "cold", "pox"], [f"{WORD}ill", f"{WORD} fever"]),
        },
        identifier="name", quasi=["age", "town", "job"], sensitive="ill",
        hierarchies={"job": tree},
    )  # fmt: skip


def failing(table: Any) -> NoReturn:
    raise ValueError(f"row 3: {WORD}town and {NUMBER} cannot be anonymized")


def releases_of(table: uv.Microdata) -> dict[str, Any]:
    published = uv.Mondrian(k=3).sanitize(table).to_frame()
    usual = published.assign(age="[20, 40]")
    unknown = published.assign(town=[f"{WORD}ville", *published["town"][1:]])
    sanitizers = [
        uv.Identity(), uv.Mondrian(k=6), uv.Mondrian(k=3, l=2), uv.Anatomy(l=2), uv.Recoding(k=2),
        uv.LaplaceCounts(epsilon=1), uv.Mondrian(k=1000),
        uv.Oracle(failing), uv.Oracle("/home/jane/run --token Zq {input} {output}"),
    ]  # fmt: skip
    return {
        **{one.label: one for one in sanitizers},
        "a file": uv.read_release(published, table, made_by="/home/jane/out/published.csv"),
        "with a note": ToRead(read=lambda table: uv.read_release(usual, table)),
        "cannot be read": ToRead(read=lambda table: uv.read_release(unknown, table)),
    }


def forms_of(audit: uv.Audit) -> dict[str, str]:
    told = audit.to_dict()
    return {
        "json": audit.to_json(), "junit": junit_of(told), "verdict": audit.verdict(),
        "summary": str(audit), "frame": audit.to_frame().to_string(),
        "notebook": audit._repr_html_(), "comparison": str(compare_audits(told, told)),
        "page": audit.page(), **{
            f"{one.name}, {part}": look.finding.summary(View("report"))
            for one in audit.releases for part, look in one.looked.items()
            if look.finding and part in ATTACKS
        },
    }  # fmt: skip


def assert_discreet(audit: uv.Audit) -> None:
    for form, text in forms_of(audit).items():
        found = SECRET.search(text)
        assert found is None, (form, text[max(0, found.start() - 80) : found.end() + 40])
        assert audit.key not in text


@examples(3, derandomize=True, phases=[Phase.generate])
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(24, 40))
def test_no_mark_gets_out_of_any_part(seed: int, n: int) -> None:
    table = marked_table(seed, n)
    quick: dict[str, dict[str, Any]] = {name: {} for name in PARTS if name != "membership"}
    quick |= {"relative-risk": {"budget": 0.2}, "differential-inference": {"budget": 0.5}}
    audit = uv.audit(
        table, releases_of(table), attacks=quick, fail_on=["k < 5", "delta > 0.01", "gr > 1%"],
        progress=False,
    )  # fmt: skip
    assert_discreet(audit)
    # There is something to be found out: here it is told to who runs the audit.
    by_name = {one.name: one for one in audit.releases}
    assert f"{WORD}ville" in (by_name["cannot be read"].error or "")
    assert f"{WORD}town" in (by_name["Oracle(failing)"].error or "")
    assert str(NUMBER)[:-1] in " ".join(map(str, by_name["with a note"].subject.release.notes))
    assert {one.error for one in audit.releases if one.looked} == {None}


REASONS: list[Exception] = [
    InputError("{region} covers no tuple", region=Region((f"{WORD}town",), people=1)),
    InputError("{cell} is not there", cell=Cell(f"{WORD}town", people=1)),
    InternalError("it failed ({error})", error=Foreign(f"KeyError: {WORD}town")),
    KeyError(f"{WORD}town"),
    MemoryError(f"for {WORD}town"),
    ValueError(f"(age {NUMBER}, sex Female, …) of 1 record"),
]


@pytest.mark.parametrize("reason", REASONS, ids=lambda one: type(one).__name__)
def test_no_mark_gets_out_of_a_reason(reason: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Part, given: Any) -> NoReturn:
        raise reason

    monkeypatch.setattr(Part, "_found", refuse)
    audit = uv.audit(marked_table(5, 30), "mondrian:k=3", attacks="all", fail_on="k < 5",
                     baseline=False, progress=False)  # fmt: skip
    assert {one.status for one in audit.releases[0].looked.values()} <= {"failed", "not applicable"}
    assert_discreet(audit)


def test_no_mark_gets_out_of_what_attacks_refuse_by_themselves() -> None:
    table = marked_table(5, 30)
    named = {one.label: one for one in (uv.Mondrian(k=3), uv.Recoding(k=2), uv.Anatomy(l=2))}
    audit = uv.audit(table, named, attacks="all", knows=["age"], baseline=False, progress=False)
    refused = [one for release in audit.releases for one in release.looked.values()
               if one.finding is None]  # fmt: skip
    assert refused
    assert_discreet(audit)


class Talkative(uv.adversary.Adversary):
    """Its errors name people, as those of models do that print what they choked on."""

    def prepared(self, microdata: uv.Microdata) -> uv.Microdata:
        return microdata

    def predict(self, release: Any, targets: Any) -> NoReturn:
        raise ValueError(f"(age {NUMBER}, town {WORD}town, …) of 1 record")


@pytest.mark.parametrize("sanitizer", ["mondrian:k=3", "recoding:k=2"])
def test_no_mark_gets_out_of_what_an_adversary_says(sanitizer: str) -> None:
    table = marked_table(5, 30)
    parts: dict[str, dict[str, Any]] = {
        "differential-inference": {"adversary": Talkative()},
        "inference": {"adversary": Talkative()},
        "membership": {"adversary": Talkative()},
    }
    audit = uv.audit(table, sanitizer, attacks=parts, fail_on=["delta > 0.01"], baseline=False,
                     progress=False)  # fmt: skip
    assert "failed" in str(audit)
    assert_discreet(audit)


@pytest.fixture(scope="module")
def few_releases() -> tuple[uv.Microdata, dict[bool, uv.Audit]]:
    table = marked_table(7, 40)
    parts = ["relative-risk", "linkage", "membership", "measures", "utility"]
    return table, {
        shown: uv.audit(
            table, ["identity", "mondrian:k=6"], attacks=parts, private=shown,
            progress=False,
        )
        for shown in (False, True)
    }  # fmt: skip


def test_no_mark_gets_onto_the_page_and_with_records_it_says_so_at_its_top(
    few_releases: Any,
) -> None:
    """And it is no accident that marks are missed: they are there if asked for."""
    _, audits = few_releases
    page = audits[True].page()
    assert f"{WORD}ill" in page
    assert str(NUMBER) in page
    assert re.search(r"#[0-9a-f]{12}", audits[True].to_json()) is None
    assert "Private: do not hand on" in page[: page.index("<main")]
    discreet = audits[False].page()
    assert SECRET.search(discreet) is None
    assert "Private: do not hand on" not in discreet
    assert_discreet(audits[False])
    assert "Do not hand on." in str(audits[True])
    assert "Do not hand on." not in str(audits[False])


_REFERENCE = re.compile(r"#[0-9a-f]{16}")
_NAMING = ["differential-inference", "relative-risk"]


def test_every_reference_is_resolved_with_the_key_and_stands_in_one_table(
    few_releases: Any,
) -> None:
    """Whoever saw somebody twice would know more about them."""
    table, _ = few_releases
    audit = uv.audit(table, "mondrian:k=3", attacks=_NAMING, progress=False)
    references = _REFERENCE.findall(audit.to_json())
    found = resolve(references, table, audit.key)
    assert len(references) == len(set(references)) == 10
    assert set(found) == set(references)
    assert len({records[0] for records in found.values()}) < 10  # the same people
    again = uv.audit(table, "mondrian:k=3", attacks=_NAMING, progress=False)
    assert not set(references) & set(_REFERENCE.findall(again.to_json()))


def test_of_several_candidates_nobody_is_named(few_releases: Any) -> None:
    _, audits = few_releases
    assert not _REFERENCE.findall(audits[False].to_json())


def test_files_and_commands_are_shown_without_folders(tmp_path: Path) -> None:
    folder = tmp_path / "jane"
    folder.mkdir()
    table = marked_table(3, 30)
    (folder / "survey.csv").write_text("age,ill\n" + "30,flu\n40,cold\n" * 9)
    read = uv.read_csv(folder / "survey.csv", quasi="age", sensitive="ill")
    audit = uv.audit(
        read, uv.Oracle(f"{folder}/anonymize --token Zq {{input}} {{output}}"), fail_on="k < 2",
        attacks=["measures"], progress=False,
    )  # fmt: skip
    typed = f"unveil audit {folder}/survey.csv --password Zq"
    told = replace(audit, command=typed, fingerprints={f"{folder}/survey.csv": "0" * 64})
    assert_discreet(told)
    assert told.to_dict()["reproduce"]["fingerprints"]["survey.csv"] != "0" * 64
    of_table = uv.audit(table, "identity", attacks=["measures"], progress=False)
    typed += f" --partition '{WORD}ill: {WORD}ill,{WORD} fever'"
    assert_discreet(replace(of_table, command=typed))
