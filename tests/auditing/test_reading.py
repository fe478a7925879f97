"""Reading an audit back: what is none is refused, and by the same rules as a library's."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import unveil as uv
from unveil.auditing import read_audit, schema
from unveil.auditing._form import first_fault
from unveil.errors import InputError


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    survey = uv.datasets.election_survey()
    audit = uv.audit(
        survey, ["mondrian:k=5", "mondrian:k=100000"], attacks=["measures", "utility"],
        fail_on="k < 10", progress=False,
    )  # fmt: skip
    return json.loads(audit.to_json())


def test_what_was_saved_is_read(told: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "audit.json"
    file.write_text(json.dumps(told), encoding="utf-8")
    assert read_audit(file) == read_audit(str(file)) == read_audit(told) == told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no audit: it is not JSON, or was cut off"),
        ("{", "is no audit: it is not JSON, or was cut off"),
        ("[1, 2]", "is no audit: it says nothing of one"),
        ("NaN", "NaN is no JSON"),
        ("[" * 100_000, "is no audit"),
        ('{"finding": "linkage"}', "is no audit: it is what 'linkage' found"),
        ('{"finding": "audit"}', "is not of the form of an audit: the whole lacks 'unveil'"),
        ('{"finding": "audit", "form": 99, "unveil": "9.0"}', "form 99, made by unveil 9.0, and "
         "this version reads form "),
        ('{"finding": "audit", "form": 99}', "install a newer unveil"),
        ('{"finding": "audit", "form": 0, "unveil": "0.1"}', "or use the version that made it"),
    ],
)  # fmt: skip
def test_what_is_no_audit_is_said(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(text)
    with pytest.raises(InputError) as told:
        read_audit(file)
    assert said in str(told.value)


def test_files_that_cannot_be_read(told: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no audit"):
        read_audit(tmp_path / "none.json")
    with pytest.raises(InputError, match="cannot read"):
        read_audit(tmp_path)
    (tmp_path / "a.json").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not in UTF-8"):
        read_audit(tmp_path / "a.json")
    text = json.dumps(told)
    (tmp_path / "a.json").write_text(text[: len(text) // 2])
    with pytest.raises(InputError, match="was cut off"):
        read_audit(tmp_path / "a.json")


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    found = [at]
    for key, one in inside:
        deeper = isinstance(one, dict | list)
        found += places(one, (*at, key)) if deeper else [(*at, key)]
    return found


@settings(derandomize=True, max_examples=60, deadline=None)
@given(data=st.data())
def test_it_agrees_with_a_library_on_what_is_of_the_form(
    data: st.DataObject, told: dict[str, Any]
) -> None:
    """Anything in an audit is replaced, taken away or added to."""
    small = copy.deepcopy(told)
    for section in small["secrets"][0]["sections"]:
        section["charts"] = section["charts"][:1]
        for table in section["tables"]:
            table["rows"] = table["rows"][:2]
    for chart in (c for s in small["secrets"][0]["sections"] for c in s["charts"]):
        for one in chart["series"]:
            one["x"], one["y"] = one["x"][:2], one["y"][:2]
    at = data.draw(st.sampled_from(places(small)[1:]))
    holder = small
    for key in at[:-1]:
        holder = holder[key]
    how = data.draw(st.sampled_from(["replace", "remove", "add"]))
    if how == "replace":
        holder[at[-1]] = data.draw(
            st.sampled_from([None, True, 0, 1, 1.0, -1, 0.5, "", "infinite", [], [1], {}, ["a"]])
        )
    elif how == "remove":
        del holder[at[-1]]
    elif isinstance(holder, dict):
        holder["odd"] = data.draw(st.sampled_from([1, "0" * 64]))
    else:
        holder.append(data.draw(st.sampled_from([1, "a", [1, "a"]])))
    library = Draft202012Validator(schema()).is_valid(small)
    assert (first_fault(small, schema()) is None) is library


def test_a_word_that_nobody_looks_at_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="maximum"):
        first_fault(1, {"maximum": 5})
