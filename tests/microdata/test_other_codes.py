"""Tables with other codes for the same column: what is guessed of them, and what is said."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil as uv
from unveil.errors import InputError
from unveil.microdata import (
    Column,
    Kind,
    Role,
    checked_mapping,
    likely_mapping,
    recoded,
    same_in_other_words,
)

WORDS = st.lists(st.text("abcXYZ019 -", min_size=1, max_size=5), min_size=1, unique=True)


@pytest.mark.parametrize(
    ("theirs", "ours", "found"),
    [
        (["M", "F"], ["Female", "Male"], {"M": "Male", "F": "Female"}),
        (["male", "female"], ["F", "M"], {"male": "M", "female": "F"}),
        (["0", "1"], ["no", "yes"], {"0": "no", "1": "yes"}),
        (["yes", "no"], ["0", "1"], {"yes": "1", "no": "0"}),
        (["1234"], ["01234", "12340"], {"1234": "01234"}),
        (["1.0", "2.50"], ["1", "2.5", "3"], {"1.0": "1", "2.50": "2.5"}),
        (["PARIS", "new-york"], ["New York", "Paris"], {"PARIS": "Paris", "new-york": "New York"}),
        (["23.05.1984"], ["1984-05-23"], {"23.05.1984": "1984-05-23"}),
        (["05/23/1984"], ["1984-05-23", "1984-05-24"], {"05/23/1984": "1984-05-23"}),
        # 3 May or 5 March: both are there.
        (["03/05/1984"], ["1984-05-03", "1984-03-05"], {}),
        (["M"], ["Male", "Married"], {}),
        (["<=30"], ["28", "35"], {}),
        (["a", "b"], ["X", "Y"], {}),
        (["Male", "other"], ["M", "F"], {}),
    ],
)
def test_what_is_guessed(theirs, ours, found):
    assert likely_mapping(theirs, ours) == found


@given(WORDS, WORDS)
def test_a_guess_is_of_all_and_names_what_is_there(theirs, ours):
    found = likely_mapping(theirs, ours)
    assert set(found) in (set(), set(theirs))
    assert set(found.values()) <= set(ours)
    some = same_in_other_words(theirs, ours)
    assert set(some) <= set(theirs)
    assert set(some.values()) <= set(ours)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=20))
def test_recoding_changes_names_and_nothing_else(codes):
    values = np.array(["a", "b", "c", "d"], dtype=object)
    column = Column(
        name="q", role=Role.QUASI, kind=Kind.CATEGORICAL, codes=np.array(codes, dtype=np.int32),
        values=values,
    )  # fmt: skip
    names = {"a": "z", "b": "y", "c": None}
    expected = [{"a": "z", "b": "y"}.get(values[code], values[code]) for code in codes]
    assert recoded(column, names).decode().tolist() == expected
    assert recoded(column, {}) is column
    merged = recoded(column, {"a": "b"})
    assert merged.decode().tolist() == ["b" if values[c] == "a" else values[c] for c in codes]


def test_mappings_that_cannot_be_meant():
    with pytest.raises(InputError, match="must map columns to values"):
        checked_mapping({"sex": "F"}, ["sex"])
    with pytest.raises(InputError, match=r"names the column 'sec', which .* did you mean 'sex'"):
        checked_mapping({"sec": {"a": "b"}}, ["sex"])


RELEASE = uv.read_release(
    {"born": ["1984-05-23", "1990-01-01"], "zip": ["01234", "02000"], "age": ["30-39", "40-49"],
     "s": ["x", "y"]}, quasi=["born", "zip", "age"], sensitive="s")  # fmt: skip


@pytest.mark.parametrize(
    ("column", "value", "parts"),
    [
        ("zip", 1234, ["column 'zip' of table has '1234' (1 person, the first in row 1)",
                       "(its values: 01234, 02000)", "recode={'zip': {'1234': '01234'}}"]),
        ("born", "03/05/1984", ["has '03/05/1984'", "recode={'born': {'03/05/1984': …}}"]),
        ("age", "<=35", ["has '<=35'", "(its values are numbers from 30 to 49)",
                         "recode={'age': {'<=35': …}}"]),
    ],
)  # fmt: skip
def test_people_with_other_codes(column, value, parts):
    person = {"born": ["1984-05-23"], "zip": ["01234"], "age": [35], column: [value]}
    with pytest.raises(InputError) as refused:
        uv.linkage(RELEASE, person)
    for part in parts:
        assert part in str(refused.value)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("zip", " 01234 "),
        ("age", "35.0"),
        ("age", "035"),
        ("zip", '"01234"'),
        ("born", "23.05.1984"),
        ("born", "05/23/1984"),
    ],
)
def test_people_with_the_same_codes_after_all(column, value):
    person = {"born": ["1984-05-23"], "zip": ["01234"], "age": [35], column: [value]}
    assert uv.linkage(RELEASE, person).candidates.tolist() == [1]


def test_numbers_that_are_other_codes_are_told():
    release = uv.read_release({"sex": ["1", "2"], "s": ["x", "y"]}, quasi="sex", sensitive="s")
    (note,) = [n for n in uv.linkage(release, {"sex": [0, 0, 1]}).notes if "codes" in n]
    assert note == (
        "2 of 3 people have a value of sex outside 1 to 2, the range of the release; check whether "
        "the table of people uses other codes"
    )


def test_columns_with_other_names():
    person = {"day": ["1984-05-23"], "zip": ["01234"], "age": [35], "who": ["Ann"]}
    told = {"born": "day", "name": "who"}
    found = uv.linkage(RELEASE, person, rename=told, identifier="name")
    assert found.people.names == ["Ann"]
    assert found.candidates.tolist() == [1]
    for wrong, message in (
        (None, "if it has another name there, say rename={'born': '…'}"),
        ({"born": "dya"}, "column 'dya' is not in table; did you mean 'day'?"),
        ({"bron": "day"}, "rename= names 'bron'"),
        ("day", "rename="),
    ):
        with pytest.raises(InputError) as refused:
            uv.linkage(RELEASE, person, rename=wrong)
        assert message in str(refused.value)
    with pytest.raises(InputError, match="give external=, too"):
        uv.composition([RELEASE, RELEASE], uv.read_table(
            {"age": [1], "s": ["x"]}, quasi="age", sensitive="s"), rename=told)  # fmt: skip


def test_a_prior_with_other_codes():
    votes = uv.read_table({"age": [30, 41], "vote": ["no", "yes"]}, quasi="age", sensitive="vote")
    numbers = uv.read_table({"age": [30, 41], "vote": [0, 1]}, quasi="age", sensitive="vote")
    with pytest.raises(InputError, match=r"has '0', which is not a .* did you mean 'no'"):
        uv.differential_inference(votes, uv.Identity(), prior={"0": 0.5, "1": 0.5})
    found = uv.differential_inference(numbers, uv.Identity(), prior={"0.0": 0.5, "1.0": 0.5})
    assert found.delta <= 1
