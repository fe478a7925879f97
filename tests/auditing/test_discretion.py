"""What a report may say of individuals."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import tables

import unveil as uv
from unveil.auditing._discretion import Discretion, new_key, reference_to

KEY = "0f" * 32


@pytest.fixture(scope="module")
def patients() -> uv.Microdata:
    return uv.read_table(
        {"age": list(range(20, 32)), "disease": ["flu"] * 6 + ["cold"] * 5 + ["kuru"]},
        quasi="age",
        sensitive="disease",
    )


def test_a_reference_is_a_keyed_hash_of_the_row_and_its_place() -> None:
    def hashed(text: bytes) -> str:
        return hmac.new(bytes.fromhex(KEY), text, hashlib.sha256).hexdigest()

    mark = hashed(b"place the worst")[:4]
    whole = hashed(f"{mark} 41".encode())
    assert reference_to(41, KEY, "the worst") == f"#{mark}{whole[:12]}"


def test_references_of_many_rows_are_apart_and_say_nothing_without_the_key() -> None:
    rows = [reference_to(row, KEY) for row in range(10_000)]
    assert len(set(rows)) == len(rows)
    assert reference_to(0, new_key()) != reference_to(0, new_key())


def test_people_have_references_unless_records_are_included(patients: uv.Microdata) -> None:
    assert Discretion(key=KEY).person(patients, 11) == reference_to(11, KEY)
    assert Discretion(key=KEY, private=True).person(patients, 11) == "row 12"


def test_values_of_few_people_are_masked(patients: uv.Microdata) -> None:
    ill = patients.sensitive
    codes = [ill.places[text] for text in ("kuru", "flu", "cold")]
    assert Discretion(key=KEY).values_of(ill, codes) == ["(rare value)", "flu", "cold"]
    several = Discretion(key=KEY, smallest=6).values_of(ill, codes)
    assert several == ["(rare value 1)", "flu", "(rare value 2)"]
    shown = Discretion(key=KEY, private=True).values_of(ill, codes)
    assert shown == ["kuru", "flu", "cold"]


@examples(40, derandomize=True)
@given(table=tables(), smallest=st.integers(1, 6))
def test_names_of_values_by_brute_force(table: uv.Microdata, smallest: int) -> None:
    secret = table.sensitive
    texts = Discretion(key=KEY, smallest=smallest).values_of(secret, range(secret.size))
    people = Counter(secret.decode().tolist())
    for value, text in zip(secret.values, texts, strict=True):
        assert (text == str(value)) is (people[value] >= smallest)
    assert len(set(texts)) == len(texts)


def test_the_key_is_not_printed() -> None:
    assert KEY not in repr(Discretion(key=KEY))


def test_small_groups_are_masked(patients: uv.Microdata) -> None:
    told = Discretion(key=KEY, smallest=5)
    assert told.group(["age: 10-40"], 5, told.masking(patients)) == "age: 10-40"
    assert told.group(["age: 10-31"], 5, told.masking(patients)) == "age: 10-(masked)"
    assert told.group(["age: 10-40"], 4, told.masking(patients)) == "(a class of fewer than 5)"
    shown = Discretion(key=KEY, private=True)
    assert shown.group(["age: 20-31"], 1, shown.masking(patients)) == "age: 20-31"


def test_no_value_of_a_rare_person_is_in_the_audit() -> None:
    """Somebody with a name of his own in every column appears nowhere in the JSON."""
    n = 40
    table = uv.read_table(
        {
            "age": [*np.arange(n - 1) % 7 + 30, 97],
            "town": ["Ulm"] * 20 + ["Rom"] * 19 + ["Solitude"],
            "disease": ["flu", "cold", "pox"] * 13 + ["kuru"],
        },
        quasi=["age", "town"],
        sensitive="disease",
    )
    found = uv.audit(table, ["identity", "mondrian:k=5"], progress=False)
    text = found.to_json()
    assert "kuru" not in text
    assert "Solitude" not in text
    assert found.key not in text
    shown = uv.audit(table, "identity", private=True, progress=False).to_json()
    assert "kuru" in shown
    assert "Solitude" in shown
