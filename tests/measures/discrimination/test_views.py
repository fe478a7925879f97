"""Views: what the rate measures by the choice of X and Y."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_discrimination import plain_rate, plain_value_rates, rows_of
from proofs import examples
from random_tables import tables_and_goals
from split_counts import SplitCounts

import unveil as uv
from unveil.errors import InputError
from unveil.measures import (
    background_knowledge,
    count,
    discrimination_rate,
    homogeneity,
    identity_disclosure,
    similarity,
    skewness,
)
from unveil.measures.discrimination import _views

PATIENTS = uv.read_table(
    {
        "age": [28, 36, 47, 53, 72],
        "gender": ["M", "M", "F", "M", "F"],
        "disease": ["Flu", "Flu", "Cancer", "Flu", "Aids"],
    },
    quasi=["age", "gender"],
    sensitive="disease",
)
RELEASE = uv.Mondrian(k=2).sanitize(PATIENTS)


def published(release):
    """The cells of each record."""
    return release.to_frame()[[column.name for column in release.quasi]].astype(str)


def close(number, other):
    if other is None:
        return number is None
    return number == pytest.approx(other, rel=1e-12, abs=1e-12)


@examples(40)
@given(tables_and_goals(max_size=25))
def test_identity_against_the_rows(case):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    names = [column.name for column in microdata.quasi]
    cells = published(release)
    together = [tuple(row) for row in cells.to_numpy()]
    found = identity_disclosure(release, microdata)
    for name in names:
        x = rows_of(microdata, [name])
        alone = found.rate(f"{name} (released)", of=name)
        assert close(alone.rate, plain_rate(x, cells[name].tolist()))
        by_all = found.rate(*(f"{other} (released)" for other in names), of=name)
        assert close(by_all.rate, plain_rate(x, together))
    everything = found.rates[-1]
    assert len(names) > 3 or everything.of == " and ".join(names)
    assert close(everything.rate, plain_rate(rows_of(microdata, names), together))
    assert len(found.rates) == (1 if len(names) == 1 else 2 * len(names) + 1)


@examples(40)
@given(tables_and_goals(max_size=25))
def test_skewness_against_the_rows(case):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    x = rows_of(microdata, ["secret"])
    cells = published(release)
    found = skewness(microdata, release)
    assert (found.undefined is None) == (len(set(x)) > 1)
    for change in found.changes:
        names = list(change.original)
        assert close(change.before, plain_rate(x, rows_of(microdata, names)))
        generalized = [tuple(row) for row in cells[names].to_numpy()]
        assert close(change.after, plain_rate(x, generalized))
    if found.undefined:
        assert all(one.taken is None for one in (*found.changes, *found.values))
        return
    for column in microdata.quasi:
        y, z = rows_of(microdata, [column.name]), cells[column.name].tolist()
        before, after = plain_value_rates(x, y), plain_value_rates(x, z)
        pairs = {(one.value, one.cell): one for one in found.values if one.key == column.name}
        assert set(pairs) == {(value, cell) for (value,), cell in zip(y, z, strict=True)}
        for (value, cell), one in pairs.items():
            assert close(one.before, before[(value,)])
            assert close(one.after, after[cell])
        assert sum(one.records for one in pairs.values()) == len(microdata)
    taken = [one.taken for one in found.values]
    assert taken == pytest.approx(sorted(taken), abs=1e-12)


@examples(60)
@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc")), min_size=2, max_size=40))
def test_putting_values_together_never_adds(rows):
    table = {
        "age": [age for age, _ in rows],
        "age*": [f"{age // 3}*" for age, _ in rows],
        "x": [x for _, x in rows],
    }
    microdata = uv.read_table(table, quasi=["age", "age*"], sensitive="x")
    found = skewness(microdata, columns={"age": "age*"})
    taken = [one.taken for one in (*found.changes, *found.values)]
    assert (found.undefined is not None) == (len(set(table["x"])) == 1)
    assert all(one is None if found.undefined else one >= -1e-12 for one in taken)


def test_the_same_from_a_table_that_has_both():
    cells = published(RELEASE)
    both = PATIENTS.to_frame().assign(**{f"{name}*": cells[name] for name in cells})
    columns = {"age": "age*", "gender": "gender*"}
    paired, found = (
        identity_disclosure(RELEASE, PATIENTS),
        identity_disclosure(both, columns=columns),
    )
    assert [one.rate for one in found.rates] == pytest.approx(
        [one.rate for one in paired.rates[:-1]], abs=1e-12
    )
    alone = identity_disclosure(both, columns={"age": "age*"})
    assert alone.rates[0].rate == discrimination_rate(both, of="age", by="age*").rate
    skewed = skewness(both, columns=columns, sensitive="disease")
    pair = skewness(PATIENTS, RELEASE)
    assert [one.taken for one in skewed.changes] == pytest.approx(
        [one.taken for one in pair.changes], abs=1e-12
    )
    assert {(v.key, v.value, v.cell, v.records) for v in skewed.values} == {
        (v.key, v.value, v.cell, v.records) for v in pair.values
    }


def test_some_columns():
    found = identity_disclosure(RELEASE, PATIENTS, columns="age")
    assert [(one.of, one.by) for one in found.rates] == [("age", ("age (released)",))]
    skewed = skewness(PATIENTS, RELEASE, columns=["gender"], of="age")
    assert skewed.of == "age"
    assert [one.original for one in skewed.changes] == [("gender",)]


def test_homogeneity_and_background_knowledge_are_two_sides():
    one, other = homogeneity(PATIENTS), background_knowledge(PATIENTS)
    assert [found.by for found in one.rates] == [("age",), ("gender",), ("age", "gender")]
    x = rows_of(PATIENTS, ["disease"])
    for found, back in zip(one.rates, other.rates, strict=True):
        assert close(found.rate, plain_rate(x, rows_of(PATIENTS, found.by)))
        assert back.resistance == 1 - found.rate
    assert one.worst.rate == 1
    assert one.rate("gender", "age").by == ("age", "gender")
    assert homogeneity(PATIENTS, by="gender").rates[0].determined == 3
    assert other.summary().splitlines() == [
        "Background knowledge, in table: resistance (1 − discrimination rate)",
        "",
        "  disease by age              0.000",
        f"  disease by gender           {1 - one.rate('gender').rate:.3f}",
        "  disease by age and gender   0.000",
    ]
    assert other.to_frame()["resistance"].tolist() == [r.resistance for r in other.rates]
    with pytest.raises(KeyError):
        one.rate("agee")


def test_similarity_is_about_categories():
    serious = {"Cancer": "serious", "Aids": "serious", "Flu": "harmless"}
    found = similarity(PATIENTS, serious)
    x = [serious[text] for (text,) in rows_of(PATIENTS, ["disease"])]
    for one in found.rates:
        assert close(one.rate, plain_rate(x, rows_of(PATIENTS, one.by)))
    assert found.rate("gender").rate == 1
    assert homogeneity(PATIENTS).rate("gender").rate < 1


def test_nothing_to_tell():
    same = uv.read_table(
        {"age": [1, 2, 3], "sex": ["f", "m", "f"], "disease": ["flu"] * 3},
        quasi=["age", "sex"], sensitive="disease",
    )  # fmt: skip
    found = homogeneity(same)
    assert found.worst is None
    assert "disease by age           undefined, because every record has" in found.summary()
    skewed = skewness(same, uv.Mondrian(k=2).sanitize(same))
    assert skewed.summary().endswith(skewed.undefined)
    told = json.loads(skewed.to_json(records=True))
    assert {one["taken"] for one in told["changes"]} == {None}
    assert {one["taken"] for one in told["values"]} == {None}


def test_json_names_nobody_unless_asked():
    skewed = skewness(PATIENTS, RELEASE)
    assert "values" not in json.loads(skewed.to_json())
    assert "[28, 36]" not in skewed.to_json()
    assert "36" in {v["value"] for v in json.loads(skewed.to_json(records=True))["values"]}
    found = identity_disclosure(RELEASE, PATIENTS)
    assert "[28" not in found.to_json()
    assert "[28" in found.to_json(records=True)
    assert json.loads(found.to_json())["finding"] == "identity disclosure"


def test_too_many_values_are_said_to_be(monkeypatch):
    monkeypatch.setattr(_views, "MOST", 4)
    found = skewness(PATIENTS, RELEASE)
    assert {one.key for one in found.values} == {"gender"}
    assert found.notes == ("'age' has too many values to compare them one by one",)
    assert "Note: 'age' has too many values" in found.summary()


def test_classes_that_look_alike_cannot_be_compared_one_by_one():
    table = uv.read_table(
        {"zip": ["1", "2", "3", "4"], "zip*": ["a", "a", "b", "b"], "disease": list("xyxy")},
        quasi=["zip", "zip*"], sensitive="disease", categorical="zip",
    )  # fmt: skip
    found = skewness(SplitCounts(count(table), 0, most_blocks=1), columns={"zip": "zip*"})
    assert found.changes[0].taken == 1
    assert found.values == ()
    assert found.notes == ("'zip' has too many values to compare them one by one",)


def test_a_release_in_another_order_is_refused():
    frame = RELEASE.to_frame().iloc[::-1]
    turned = uv.read_release(frame, PATIENTS)
    with pytest.raises(
        InputError, match=r"record 1 of table has '28' in 'age', .* publishes .* in its place"
    ):
        identity_disclosure(turned, PATIENTS)
    fewer = uv.read_release(frame.iloc[:4], PATIENTS)
    with pytest.raises(InputError, match="has 4 records and table has 5: records must be in"):
        skewness(PATIENTS, fewer)


def test_which_is_which_there_is_no_doubt():
    """Some think of the release first, others of the original."""
    either = identity_disclosure(PATIENTS, RELEASE), identity_disclosure(RELEASE, PATIENTS)
    assert either[0].to_dict() == either[1].to_dict()
    either = skewness(PATIENTS, RELEASE), skewness(RELEASE, PATIENTS)
    assert either[0].to_dict() == either[1].to_dict()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: identity_disclosure(RELEASE),
            "needs a release and the microdata .* Release and N",
        ),
        (lambda: identity_disclosure(PATIENTS, PATIENTS), "but got Microdata and Microdata"),
        (lambda: skewness(PATIENTS), "columns={'ZIP': 'ZIP\\*'}"),
        (
            lambda: identity_disclosure(RELEASE, PATIENTS, columns={"age": "age*"}),
            "columns= maps originals to generalized columns of one table",
        ),
        (
            lambda: identity_disclosure(RELEASE, PATIENTS, columns="agee"),
            "'agee' is not a quasi-identifier of table; did you mean 'age'",
        ),
        (lambda: identity_disclosure(RELEASE, PATIENTS, columns=[]), "needs at least one column"),
        (lambda: identity_disclosure(PATIENTS, columns={}), "needs at least one column"),
        (
            lambda: identity_disclosure(RELEASE, PATIENTS, quasi="age"),
            "takes no quasi=: they know their columns",
        ),
        (
            lambda: identity_disclosure(RELEASE, PATIENTS.take([0, 1, 2, 3])),
            "has 5 records and table has 4",
        ),
        (
            lambda: identity_disclosure(
                RELEASE,
                uv.read_table({"age": [1], "disease": ["a"]}, quasi="age", sensitive="disease"),
            ),
            "is not one of table: their columns, or the values in them, differ",
        ),
    ],
)
def test_it_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_counts_cannot_be_paired():
    noisy = uv.LaplaceCounts(epsilon=1.0, seed=0).sanitize(PATIENTS)
    with pytest.raises(InputError, match="identity disclosure needs released records"):
        identity_disclosure(noisy, PATIENTS)
