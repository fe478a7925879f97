"""What is proposed for columns of every kind, and what a proposal never shows."""

from __future__ import annotations

import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples

import unveil as uv
from unveil.errors import InputError
from unveil.microdata import Kind, Role
from unveil.projects import _kinds
from unveil.roles import _looking, _roles

N = 60
RNG = np.random.default_rng(5)


def among(*values):
    return list(RNG.choice(values, N))


def each(form):
    return [form.format(i) for i in range(N)]


def proposed(**columns):
    """One column among an age and a disease, which leave its role to itself."""
    about = {"age": RNG.integers(20, 70, N), "disease": among("flu", "hiv")}
    return uv.propose({**columns, **about})


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("q1", each("p{}@mail.example"), "almost every value occurs once, and they look like "
         "e-mail addresses"),
        ("q1", each("+49 30 1234 56{:02d}"), "telephone numbers"),
        ("q1", [str(uuid.UUID(int=i)) for i in range(N)], "UUIDs"),
        ("q1", each("192.168.7.{}"), "IP addresses"),
        ("q1", each("id9{:03d}7"), "almost every value occurs once: it can stand for a person"),
        ("q1", list(range(1000, 1000 + N)), "it can stand for a person"),
        ("q1", each("P-{:05d}"), "it can stand for a person"),  # not a postcode of anywhere
        ("remarks", each("she said that on day {} it rained"), "free text"),
        ("Nachname", each("M{}"), "a person's name, by its name"),
        ("first_name", among(*"ABCDEFGHIJKLMNOP"), "a person's name, by its name"),
        ("patientId", each("{}"), "a person's number, by its name"),
        ("Patient Name", among(*"ABCDEFGHIJKLMNOP"), "a person's name, by its name"),
        ("Name", each("Müller, Anna {}"), "a name, by its name, and almost every value occurs"),
        ("SSN", each("{}"), "an official number of a person"),
    ],
)  # fmt: skip
def test_what_names_people_is_an_identifier(name, values, reason):
    column = proposed(**{name: values})[name]
    assert column.role is Role.IDENTIFIER
    assert reason in column.reason


def test_what_names_people_and_repeats_says_whose_a_row_is():
    ibans = ["DE89370400440532013000", "GB82WEST12345698765432", "FR1420041010050500013M02606"]
    column = proposed(q1=ibans * 20)["q1"]
    assert column.role is Role.PERSON
    assert column.reason == "they look like bank accounts (IBAN); 3 values in 60 rows"
    two = proposed(
        patient=[f"P{i // 2}" for i in range(N)], member=[f"M{i // 3}" for i in range(N)]
    )
    assert (two["patient"].role, two["member"].role) == (Role.IDENTIFIER, Role.PERSON)
    few = proposed(member=["yes", "no"] * (N // 2))["member"]
    assert few.role not in (Role.PERSON, Role.IDENTIFIER)


def test_names_that_people_share_are_identifiers_to_check():
    column = proposed(Name=[f"Anna {i % 25}" for i in range(N)])["Name"]
    assert column.role is Role.IDENTIFIER
    assert column.reason == "a name, by its name; several people share it"
    assert column.unsure is not None
    assert "if it names no person" in column.unsure
    assert "Anna" not in column.reason + column.unsure


def test_a_few_names_are_those_of_something_else():
    assert proposed(name=among("North", "South", "West"))["name"].role is Role.OTHER


@pytest.mark.parametrize(
    ("name", "values", "kind", "reason"),
    [
        ("Alter", RNG.integers(20, 70, N), Kind.NUMERIC, "an age, by its name: whole numbers"),
        ("dateOfBirth", each("19{:02d}-03-04"), Kind.NUMERIC, "a date of birth, by its name: dat"),
        ("last_username", np.datetime64("2020-01-01") + RNG.integers(0, 99, N), Kind.NUMERIC,
         "dates, which others may know"),
        ("datum", each("{:d}.03.1984"), Kind.CATEGORICAL, "they look like dates"),
        ("q7", among("m", "f"), Kind.CATEGORICAL, "they look like sexes: 2 values"),
        ("geslacht", RNG.integers(1, 3, N), Kind.CATEGORICAL, "a sex, by its name"),
        ("q7", among("France", "Germany", "Italy"), Kind.CATEGORICAL, "they look like countries"),
        ("q7", among("ledig", "verheiratet"), Kind.CATEGORICAL, "they look like family statuses"),
        ("q7", among("01234", "04109", "01067"), Kind.CATEGORICAL, "they look like postcodes"),
        ("PLZ", RNG.integers(10115, 10125, N), Kind.CATEGORICAL, "a postcode, by its name"),
        ("native-country", among("a", "b"), Kind.CATEGORICAL, "a nationality, by its name"),
        ("estadoCivil", among("a", "b"), Kind.CATEGORICAL, "a family status, by its name"),
        ("niveau d'études", among("a", "b"), Kind.CATEGORICAL, "an education, by its name"),
        ("inwoners", RNG.integers(1, 99, N), Kind.NUMERIC, "the size of a place, by its name"),
        ("beroep", among("a", "b"), Kind.CATEGORICAL, "an occupation, by its name"),
        ("Gehalt", RNG.integers(1, 9, N), Kind.NUMERIC, "an income, by its name"),
    ],
)  # fmt: skip
def test_what_others_know_is_a_quasi_identifier(name, values, kind, reason):
    # CSV files have texts only, so the same holds where numbers come as such and as texts.
    column = proposed(**{name: values})[name]
    if name == "dateOfBirth":
        column = proposed(**{name: np.array(values, dtype="datetime64[D]")})[name]
    assert (column.role, column.kind) == (Role.QUASI, kind)
    assert column.reason.startswith(reason)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("Krankheit", among("a", "b", "c")), ("vote", among("a", "b")),
        ("orientacion_sexual", among("a", "b")), ("konfession", among("a", "b")),
        ("q60", among("Heterosexual", "Gay", "Bisexual")), ("q3", among("flu", "Lung cancer")),
        ("convicted", among("yes", "no")),
    ],
)  # fmt: skip
def test_what_the_law_protects_is_sensitive(name, values):
    assert uv.propose({"age": RNG.integers(20, 70, N), name: values})[name].role is Role.SENSITIVE


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("q1", ["x"] * N, "all values are the same"),
        ("q1", [None] * N, "it is empty"),
        ("q1", [[1]] * N, "its values are of types that cannot be used"),
        ("q1", among("yes", "no"), "yes or no"),
        ("q1", RNG.normal(size=N), "a measurement"),
        ("fnlwgt", RNG.integers(1, 99, N), "a weight in the survey"),
        ("store_id", among("a", "b", "c"), "no sign that others know it"),
        ("has_phone", among("yes", "no"), "yes or no"),
        ("city", ["Rome"] * 9 + [None] * (N - 10) + ["Lyon"],
         "a place, by its name: 2 values; but mostly empty"),
    ],
)  # fmt: skip
def test_what_is_neither(name, values, reason):
    column = proposed(**{name: values})[name]
    assert column.role is Role.OTHER
    assert column.reason.startswith(reason)


def test_money_is_known_where_something_else_is_more_secret():
    people = {"age": RNG.integers(20, 70, N), "income": among("low", "mid", "high")}
    assert uv.propose(people)["income"].role is Role.SENSITIVE
    beside = uv.propose({**people, "party": among("a", "b")})
    assert (beside["income"].role, beside["party"].role) == (Role.QUASI, Role.SENSITIVE)
    assert beside["income"].unsure == "it may be sensitive instead"


def test_what_many_would_not_say_is_a_secret_all_the_same():
    income = ["Not-Say"] * 10 + ["low"] * 50
    people = {"age": RNG.integers(20, 70, N), "income": income, "party": among("a", "b")}
    proposal = uv.propose(people)
    assert proposal.sensitive == ("party", "income")
    assert proposal["income"].reason == "an income, by its name: 2 values; 17% declined to answer"


def test_an_occupation_is_a_secret_if_it_is_detailed_or_the_only_one():
    people = {"age": RNG.integers(20, 70, N), "income": among("low", "high")}
    broad, fine = among("a", "b", "c"), [f"job {i % 12}" for i in range(N)]
    assert uv.propose({**people, "occupation": broad})["occupation"].role is Role.QUASI
    assert uv.propose({**people, "occupation": fine}).sensitive == ("income", "occupation")
    del people["income"]
    assert uv.propose({**people, "occupation": broad}).sensitive == ("occupation",)


def test_numbers_of_many_values_wait_where_there_is_another_secret():
    people = {"age": RNG.integers(20, 70, 200), "salary": np.arange(200) % 100 * 10}
    assert uv.propose(people).sensitive == ("salary",)
    both = uv.propose({**people, "debts": RNG.choice(["yes", "no"], 200)})
    assert both.sensitive == ("debts",)
    assert "with 100 values it is hard to test" in both["salary"].unsure


def test_of_two_columns_that_say_the_same_one_is_used():
    codes = RNG.integers(0, 4, N)
    people = {"education": codes, "education_text": [f"level {c}" for c in codes]}
    second = uv.propose({**people, "vote": among("a", "b")})["education_text"]
    assert (second.role, second.reason) == (
        Role.OTHER, "it has the same content as 'education'",
    )  # fmt: skip


@examples(100)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=30, max_size=60))
def test_the_same_in_other_words_by_the_definition(pairs):
    a, b = (
        _looking.profiles_of(_looking.look_at({"x": [str(pair[i]) for pair in pairs]}))[0]
        for i in (0, 1)
    )
    forth = {x: {q for p, q in pairs if p == x} for x, _ in pairs}
    back = {y: {p for p, q in pairs if q == y} for _, y in pairs}
    one_to_one = all(len(s) == 1 for s in (*forth.values(), *back.values()))
    enough = len(forth) >= 3 and len(pairs) >= 10 * len(forth)
    assert _roles._same(a, b) == (one_to_one and enough)


def test_where_nothing_is_known_it_guesses_and_says_so():
    proposal = uv.propose({"q1": among("a", "b"), "q2": among("a", "b"), "q3": RNG.normal(size=N)})
    assert (proposal.quasi, proposal.sensitive) == (("q1", "q3"), ("q2",))
    assert proposal["q2"].unsure.startswith("this is a guess")
    nothing = uv.propose({"mail": each("a{}@b.example")})
    assert (nothing.quasi, nothing.sensitive) == ((), ())
    assert any("no column of table looks sensitive" in note for note in nothing.notes)


def test_missing_values_are_found(tmp_path):
    file = tmp_path / "people.csv"
    pd.DataFrame({
        "age": [*RNG.integers(20, 70, N - 6), *["Not-Say"] * 6],
        "town": [*among("Rome", "Lyon")[:-2], "?", "N/A"],
        "vote": among("a", "b"), "score": [*range(N - 1), -99],
    }).to_csv(file, index=False)  # fmt: skip
    proposal = uv.propose(file)
    assert proposal["age"].missing_values == ("Not-Say",)
    assert proposal["age"].kind is Kind.NUMERIC
    assert proposal["age"].reason.endswith("; 'Not-Say' in 10% of the rows")
    assert proposal["town"].missing_values == ("?", "N/A")
    assert proposal["score"].missing_values == ("-99",)
    assert proposal.missing == "drop"
    assert len(proposal.project().microdata()[0]) == N - 6  # the others are among these


def test_many_gaps_make_missing_a_value(tmp_path):
    file = tmp_path / "people.csv"
    ages = [*RNG.integers(20, 70, N - 20), *[""] * 20]
    pd.DataFrame({"age": ages, "vote": among("a", "b")}).to_csv(file, index=False)
    proposal = uv.propose(file)
    assert (proposal.missing, proposal["age"].kind) == ("category", Kind.CATEGORICAL)
    assert any("so 'age' must be categorical" in note for note in proposal.notes)
    assert len(proposal.project().microdata()[0]) == N


def test_what_few_people_have_is_not_shown(tmp_path):
    file = tmp_path / "people.csv"
    ages = [*RNG.integers(30, 60, 196), 17, 101, "hundred-and-two", "hundred-and-two"]
    pd.DataFrame({
        "mail": [f"ann{i}@mail.example" for i in range(200)], "age": ages,
        "pain": ["low", "mid"] * 98 + ["high"] * 4, "disease": ["flu", "rabies"] + ["hiv"] * 198,
    }).to_csv(file, index=False)  # fmt: skip
    proposal = uv.propose(file)
    shown = repr(proposal) + proposal.project().to_toml() + proposal.to_frame().to_string()
    for secret in ("ann", "mail.example", "17", "101", "hundred", "rabies", 'high"'):
        assert secret not in shown
    # With whom it may be seen, its order is found.
    assert proposal["pain"].kind is Kind.CATEGORICAL
    often = {"pain": ["low", "mid", "high"] * 20, "disease": among("flu", "hiv")}
    assert uv.propose(often)["pain"].levels == ("low", "mid", "high")


def test_an_age_is_told_in_tens_with_people_beyond():
    ages = [18, *[33] * 50, *[47] * 50, 93]
    reason = uv.propose({"age": ages, "vote": ["a", "b"] * 51})["age"].reason
    assert reason == "an age, by its name: whole numbers, nearly all from 30 to 50"


@examples(100)
@given(st.sets(st.integers(0, 400), min_size=4, max_size=12), st.randoms())
def test_brackets_are_put_in_order(edges, random):
    low, *inner, high = sorted(edges)
    begins, ends = [low, *inner], [*inner, high]
    brackets = [f"${a}-${b}" for a, b in zip(begins, ends, strict=True)]
    brackets = [f"Under ${low}", *brackets, f"${high} and over"]
    shuffled = random.sample(brackets, len(brackets))
    assert _kinds.levels_of(shuffled) == tuple(brackets)


@pytest.mark.parametrize(
    "texts",
    [["a", "b", "c"], ["1-5", "3-7", "8-9"], ["low", "high"], ["10", "20", "30"],
     ["often", "Often", "never"], ["1-5", "6-7", "none"], ["5-1", "6-7", "8-9"]],
)  # fmt: skip
def test_an_order_in_doubt_is_none(texts):
    assert _kinds.levels_of(texts) is None


@pytest.mark.parametrize("rows", [7, 50, 51, 333])
def test_a_sample_is_the_same_however_it_comes(rows, monkeypatch):
    monkeypatch.setattr(_looking, "ROWS", 50)
    table = pa.table({"row": range(rows)})
    kept, counted = _looking._some_of(table.to_batches(max_chunksize=9))
    numbers = kept["row"].to_pylist()
    assert counted == rows
    levels = [[r for r in range(rows) if _looking._is_kept(np.array([r]), n)[0]] for n in range(9)]
    assert numbers == next(level for level in levels if len(level) <= 50)
    assert numbers == _looking.look_at(table).arrays["row"].to_pylist()


def test_a_sample_has_every_part_of_the_table():
    rows = np.arange(100_000)
    kept = rows[_looking._is_kept(rows, 6)]
    # 1,562 are expected in all, 156 in a tenth and 781 of the even ones: five deviations.
    assert np.abs(np.histogram(kept, bins=10, range=(0, 100_000))[0] - 156.25).max() < 5 * 12.5
    assert abs((kept % 2 == 0).sum() - 781) < 5 * 28


@pytest.mark.parametrize("ending", ["csv", "parquet", "memory"])
def test_large_tables_are_looked_at_in_part(ending, tmp_path, monkeypatch):
    monkeypatch.setattr(_looking, "ROWS", 100)
    monkeypatch.setattr(_looking, "LARGE", 1000)
    people = pd.DataFrame({
        "age": RNG.integers(20, 70, 1000), "say": ["a\nb", "c"] * 500, "vote": ["a", "b"] * 500
    })  # fmt: skip
    table = people
    if ending == "csv":
        table = tmp_path / "people.csv"
        people.to_csv(table, index=False)
    elif ending == "parquet":
        table = tmp_path / "people.parquet"
        pq.write_table(pa.Table.from_pandas(people.set_index("age").reset_index()), table)
    proposal = uv.propose(table)
    assert (proposal.quasi, proposal.sensitive) == (("age",), ("vote",))
    assert 20 <= proposal.rows <= 100
    assert f"{proposal.rows} of 1,000 rows were looked at" in proposal.notes[0]


def test_all_tables_are_alike(tmp_path):
    people = pd.DataFrame({"age": RNG.integers(20, 70, N), "vote": among("a", "b")})
    people.to_csv(tmp_path / "p.csv", index=False)
    people.to_parquet(tmp_path / "p.parquet", index=False)
    roles = [
        [(c.name, c.role, c.reason, c.kind) for c in uv.propose(table).columns]
        for table in (people, pl.from_pandas(people), pa.Table.from_pandas(people),
                      tmp_path / "p.csv", str(tmp_path / "p.parquet"))
    ]  # fmt: skip
    assert all(one == roles[0] for one in roles)


def test_a_table_tells_the_order_of_its_categories(tmp_path):
    levels = pd.CategoricalDtype(["short", "long", "very long"], ordered=True)
    schooling = pd.Series(["long", "short"] * 9, dtype=levels)
    people = pd.DataFrame({"education": schooling, "vote": ["a", "b"] * 9})
    people.to_parquet(tmp_path / "p.parquet", index=False)
    (tmp_path / "hierarchies").mkdir()
    (tmp_path / "hierarchies" / "education.csv").write_text("short;*\nlong;L;*\nvery long;L;*\n")
    proposal = uv.propose(tmp_path / "p.parquet")
    assert (proposal["education"].kind, proposal["education"].levels) == (Kind.ORDINAL, ())
    read = proposal.project().microdata()[0]["education"]
    assert (read.kind, read.texts) == (Kind.ORDINAL, ("short", "long", "very long"))
    assert read.hierarchy.depth == 3


def test_another_encoding_is_found_and_said(tmp_path):
    file = tmp_path / "leute.csv"
    file.write_bytes(("Größe,vote\n" + "klein,a\nmäßig,b\n" * 9).encode("latin-1"))
    proposal = uv.propose(file)
    assert "is read as cp1252" in str(proposal.notes[0])
    assert proposal.project().microdata()[0]["Größe"].texts == ("klein", "mäßig")


def test_a_file_without_a_header_shows_nobody(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("31,Rome,a\n" + "31,Rome,a\n45,Lyon,b\n" * 9)
    with pytest.raises(InputError, match="looks like a record, not like the names") as told:
        uv.propose(file)
    assert "Rome" not in str(told.value)
    assert uv.propose(file, columns=["age", "town", "vote"]).quasi == ("age", "town")
    file.write_text("31,31,a\n45,31,b\n")
    with pytest.raises(InputError, match="two names are the same, or one is empty") as told:
        uv.propose(file)
    assert "31" not in str(told.value)


def test_hierarchies_beside_it_are_taken_if_they_fit(tmp_path):
    (tmp_path / "hierarchies").mkdir()
    (tmp_path / "hierarchies" / "town.csv").write_text("Rome;Italy;*\nLyon;France;*\n")
    (tmp_path / "hierarchies" / "vote.csv").write_text("c;*\n")
    file = tmp_path / "people.csv"
    file.write_text("age,town,vote\n" + "31,Rome,a\n45,Lyon,b\n" * 9)
    proposal = uv.propose(file)
    assert list(proposal.hierarchies) == ["town"]
    assert any("hierarchies/vote.csv does not fit" in note for note in proposal.notes)
    assert proposal.project().microdata()[0]["town"].hierarchy.depth == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [({"delimiter": ";"}, "delimiter= is for CSV files"), ({"columns": ["a"]}, "columns= is for")],
)
def test_options_of_csv_files_are_not_for_others(options, said, tmp_path):
    file = tmp_path / "p.parquet"
    pq.write_table(pa.table({"a": [1]}), file)
    with pytest.raises(InputError, match=said):
        uv.propose(file, **options)


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        uv.propose(tmp_path / "nobody.csv")
    with pytest.raises(InputError, match="table has no rows"):
        uv.propose({"a": []})
    with pytest.raises(InputError, match="there is no column 'b' in table"):
        uv.propose({"a": [1]})["b"]
