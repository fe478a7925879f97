"""Reading an audit back: what is none is refused, and by the same rules as a library's."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from proofs import examples

import unveil as uv
from unveil.auditing import compare_audits, junit_of, read_audit, schema
from unveil.auditing._form import first_fault
from unveil.auditing.parts import PARTS
from unveil.errors import Cell, GoalError, InputError, Row


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
        ("", "is not an audit: it is not JSON, or was cut off"),
        ("{", "is not an audit: it is not JSON, or was cut off"),
        ("[1, 2]", "is not an audit: it has no such content"),
        ("NaN", "NaN is no JSON"),
        ("[" * 100_000, "is not an audit"),
        ('{"finding": "linkage"}', "is not an audit: it is what 'linkage' found"),
        ('{"finding": "audit"}', "does not have the form of an audit: the audit lacks 'unveil'"),
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


def every_case(monkeypatch: pytest.MonkeyPatch) -> dict[str, uv.Audit]:
    """Audits of all kinds: every part, every status, several secrets, with records and without."""
    rng = np.random.default_rng(2)
    columns = {
        "age": rng.integers(20, 60, 40), "sex": rng.choice(["m", "f"], 40),
        "income": rng.choice(["low", "high"], 40), "debts": rng.choice(["yes", "no"], 40),
    }  # fmt: skip
    tables = [
        uv.read_table(columns, quasi=["age", "sex"], sensitive=secret)
        for secret in ("income", "debts")
    ]
    table = tables[0]
    quick: dict[str, Any] = {"attacks": ["measures", "utility"], "progress": False}
    made = {
        "each part": uv.audit(table, "mondrian:k=4", attacks=list(PARTS), progress=False),
        "not applicable": uv.audit(table, uv.LaplaceCounts(epsilon=1), fail_on="k < 2", **quick),
        "no release": uv.audit(table, "mondrian:k=99", fail_on="k < 2", **quick),
        "infinite": uv.audit(table, "identity", fail_on="beta > 2", **quick),
        "several secrets": uv.audit(tables, "mondrian:k=4", **quick),
        "records": uv.audit(table, "identity", private=True, **quick),
        "knows": uv.audit(table, "identity", knows="age", **quick),
    }
    with monkeypatch.context() as patched:
        patched.setattr(PARTS["utility"], "look", _raising(_marked()))
        made["failed"] = uv.audit(table, "identity", fail_on="loss > 1%", **quick)
    with monkeypatch.context() as patched:
        patched.setattr(PARTS["measures"], "look", _raising(KeyboardInterrupt()))
        made["interrupted"] = uv.audit(table, "identity", fail_on="k < 5", **quick)
    with monkeypatch.context() as patched:
        patched.setattr(uv.Identity, "sanitize", _raising(KeyboardInterrupt()))
        made["interrupted before"] = uv.audit(table, "identity", **quick)
    return made


def _marked() -> GoalError:
    return GoalError("{row}: {cell} cannot be met", row=Row(3), cell=Cell("x"))


def _raising(error: BaseException) -> Any:
    def raising(*_: Any) -> Any:
        raise error

    return raising


def test_every_audit_is_of_the_form_and_can_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    validator = Draft202012Validator(schema())
    statuses = set()
    for case, audit in every_case(monkeypatch).items():
        told = json.loads(audit.to_json())
        assert [error.message for error in validator.iter_errors(told)] == [], case
        assert read_audit(told) == told
        ElementTree.fromstring(junit_of(told).encode())
        assert compare_audits(told, told).that_became("worse") == []
        assert "None" not in audit.verdict()
        assert (audit.passed is None) is (not told["thresholds"])
        statuses |= {
            look["status"] for section in told["secrets"][0]["sections"]
            for look in section["looked"]
        }  # fmt: skip
        if case == "failed":
            assert audit.passed is False
            says = told["secrets"][0]["releases"][0]["checks"][0]["says"]
            assert says == "loss is not known: a row: (masked) cannot be met"
        if case.startswith("interrupted"):
            assert told["interrupted"]
            assert "interrupted" in audit.verdict()
    allowed = schema()["$defs"]["Looked"]["properties"]
    assert statuses == set(allowed["status"]["enum"])


def test_everything_in_the_schema_is_closed() -> None:
    """No object may have more than is described."""

    def objects(form: Any) -> Iterator[dict[str, Any]]:
        if isinstance(form, dict):
            if "object" in form.get("type", ()):
                yield form
            for one in form.values():
                yield from objects(one)
        elif isinstance(form, list):
            for one in form:
                yield from objects(one)

    found = list(objects(schema()))
    assert len(found) > 10
    for form in found:
        assert form["additionalProperties"] is False or "properties" not in form
        optional = set(form.get("properties", {})) - set(form.get("required", ()))
        # A release that could not be made has neither; an audit with its original need not have it.
        assert optional <= {"says", "notes", "alone"}


def test_what_cannot_be_compared_is_said(told: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="form 7, made by unveil 9"):
        compare_audits(told, told | {"form": 7, "unveil": "9"})
    with pytest.raises(InputError, match="is not an audit"):
        compare_audits({"finding": "linkage"}, told)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    found = [at]
    for key, one in inside:
        deeper = isinstance(one, dict | list)
        found += places(one, (*at, key)) if deeper else [(*at, key)]
    return found


@examples(60, derandomize=True)
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
            st.sampled_from([None, True, 0, 1, -1, 0.5, "", "infinite", [], [1], {}, ["a"]])
        )
    elif how == "remove":
        del holder[at[-1]]
    elif isinstance(holder, dict):
        holder["odd"] = data.draw(st.sampled_from([1, "0" * 64]))
    else:
        holder.append(data.draw(st.sampled_from([1, "a", [1, "a"]])))
    library = Draft202012Validator(schema()).is_valid(small)
    assert (first_fault(json.dumps(small)) is None) is library
