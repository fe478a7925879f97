"""Linkage: who is found, by hand and by brute force, and what is said about bad input."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from permuted_tables import groupings
from plain_linkage import candidates
from random_tables import tables_and_goals

import unveil as uv
from unveil.errors import InputError, MissingValuesError
from unveil.microdata import Intervals, Permuted, Release, Sets

PATIENTS = uv.read_table(
    {
        "name": ["Ann", "Amy", "Cat", "Carl", "Bob"],
        "age": [25, 22, 35, 31, 35],
        "sex": ["F", "F", "F", "M", "M"],
        "disease": ["Flu", "Flu", "HIV", "Flu", "Cold"],
    },
    identifier="name", quasi=["age", "sex"], sensitive="disease",
)  # fmt: skip
CELLS = {
    "age": ["20-29", "20-29", "30-39", "30-39", "30-39"],
    "sex": ["F", "F", "*", "*", "M"],
    "disease": ["Flu", "Flu", "HIV", "Flu", "Cold"],
}
RELEASE = uv.read_release(CELLS, PATIENTS)
REGISTER = {
    "name": ["Ann", "Bob", "Cat", "Dan", "Eve"],
    "age": [25, 35, 35, 28, 35],
    "sex": ["F", "M", "F", "M", "F"],
}


def test_by_hand():
    """Ann: the first two records. Bob: the last three. Cat and Eve: the third and fourth."""
    finding = uv.linkage(RELEASE, REGISTER, identifier="name")
    assert finding.candidates.tolist() == [2, 3, 2, 0, 2]
    assert finding.values.tolist() == [1, 3, 2, 0, 2]
    assert finding.links.classes.tolist() == [1, 2, 1, 0, 1]
    assert finding.unique.sum() == 0
    assert finding.one_value.tolist() == [True, False, False, False, False]
    assert finding.found == 4
    assert finding.candidates_of("Cat").to_dict("list") == {
        "value": ["Flu", "HIV"], "records": [1, 1], "share": [0.5, 0.5],
    }  # fmt: skip
    assert finding.candidates_of(3).empty
    # Both records of the first class can only be Ann's, that of the last one only Bob's.
    assert (finding.records_of_one, finding.records_of_nobody) == (3, 0)
    assert finding.right is None
    assert finding.record_right is None
    assert finding.value_by_chance is None


def test_by_hand_with_the_original():
    finding = uv.linkage(RELEASE, REGISTER, identifier="name", microdata=PATIENTS)
    assert finding.in_table == 3
    assert finding.own_among == 3
    assert finding.record_right == pytest.approx((1 / 2 + 1 / 3 + 1 / 2) / 3)
    assert finding.value_right == pytest.approx((1 + 1 / 3 + 1 / 2) / 3)
    assert finding.value_by_chance == pytest.approx((3 / 5 + 1 / 5 + 1 / 5) / 3)
    assert (finding.unique_right, finding.one_value_right) == (0, 1)
    frame = finding.to_frame()
    assert frame["name"].tolist() == REGISTER["name"]
    assert frame["in_table"].tolist() == [True, True, True, False, False]
    assert frame["likeliest"].tolist() == ["Flu", "Cold", "Flu", None, "Flu"]
    assert frame["own_value"].tolist() == pytest.approx([1, 1 / 3, 1 / 2, 0, 0])


def test_all_sorts_of_tables(tmp_path):
    expected = uv.linkage(RELEASE, REGISTER, identifier="name").candidates.tolist()
    csv, parquet = tmp_path / "register.csv", tmp_path / "register.parquet"
    pd.DataFrame(REGISTER).to_csv(csv, index=False)
    pl.DataFrame(REGISTER).write_parquet(parquet)
    read = uv.read_table(
        {**REGISTER, "town": list("aabbb")}, identifier="name", quasi=["age", "sex"],
        sensitive="town",
    )  # fmt: skip
    for table in (csv, str(parquet), pd.DataFrame(REGISTER), pl.DataFrame(REGISTER), read):
        finding = uv.linkage(RELEASE, table, microdata=PATIENTS, identifier="name")
        assert finding.candidates.tolist() == expected
        assert finding.in_table == 3
    assert uv.linkage(RELEASE, read).people.names == REGISTER["name"]
    assert uv.linkage(RELEASE, pd.DataFrame(REGISTER)).people.names == [None] * 5


def test_an_attacker_who_knows_less():
    finding = uv.linkage(RELEASE, {"sex": ["M", "F"]}, knows="sex")
    assert finding.known == ("sex",)
    assert finding.candidates.tolist() == [3, 4]


def test_outdated_values_miss_the_own_record():
    """Bob has moved into another class since; Ann's value is not the one that was published."""
    register = {"name": ["Bob", "Ann"], "age": [22, 25], "sex": ["F", "F"]}
    finding = uv.linkage(RELEASE, register, identifier="name", microdata=PATIENTS)
    assert finding.right.among.tolist() == [False, True]
    assert finding.one_value.tolist() == [True, True]
    assert finding.one_value_right == 1
    assert finding.record_right == 1 / 4


def test_records_in_another_order_may_be_ones_own():
    order = [4, 2, 0, 3, 1]
    shuffled = uv.read_release({k: [v[i] for i in order] for k, v in CELLS.items()}, PATIENTS)
    finding = uv.linkage(shuffled, REGISTER, identifier="name", microdata=PATIENTS)
    assert finding.own_among == 3
    assert any("in their order" in note for note in finding.notes)
    assert not any(
        "in their order" in note for note in uv.linkage(RELEASE, PATIENTS, microdata=PATIENTS).notes
    )


def test_people_by_number():
    finding = uv.linkage(
        RELEASE, {"age": [35, 35], "sex": ["M", "F"]}, microdata=PATIENTS, record_of=[4, -1]
    )
    assert finding.right.in_table.tolist() == [True, False]
    assert finding.value_right == 1 / 3


def test_nobody_is_in_the_table():
    finding = uv.linkage(RELEASE, {"age": [25], "sex": ["F"]}, microdata=PATIENTS, record_of=[-1])
    assert finding.in_table == 0
    assert finding.record_right is None
    assert "none of them is in the table" in finding.verdict()
    assert "rightly so" in finding.summary()


# Fast and plain


def people_of(table, rng, n=15):
    """People with values of the table's domains, each by itself."""
    return {c.name: c.values[rng.integers(0, c.size, n)] for c in table.quasi}


def codes_of(table, people, i):
    return [c.places[_text(people[c.name][i])] for c in table.quasi]


def _text(value):
    from unveil.microdata import value_text

    return value_text(value)


def compare(finding, release, table, people):
    for i in range(len(finding)):
        records, groups, values = candidates(release, codes_of(table, people, i))
        assert finding.candidates[i] == len(records)
        assert finding.links.classes[i] == len(groups)
        assert finding.values[i] == len(values)
        if values:
            likeliest = finding.links.likeliest[i]
            assert values[likeliest] == pytest.approx(max(values.values()))
            assert finding.links.share[i] == pytest.approx(values[likeliest] / len(records))


@given(tables_and_goals(), st.integers(0, 2**32 - 1))
def test_like_comparing_everybody_with_every_record(table_and_goal, seed):
    table, goal = table_and_goal
    release = uv.Mondrian(**goal).sanitize(table)
    people = people_of(table, np.random.default_rng(seed))
    finding = uv.linkage(release, people)
    compare(finding, release, table, people)
    covered = np.zeros(len(release.sizes), dtype=int)
    for i in range(len(finding)):
        for g in candidates(release, codes_of(table, people, i))[1]:
            covered[g] += 1
    assert finding.persons.tolist() == covered.tolist()
    assert finding.records_of_one == release.sizes[covered == 1].sum()


@given(groupings(), st.integers(0, 2**32 - 1))
def test_permuted_releases(table_and_groups, seed):
    table, groups = table_and_groups
    release = Permuted.from_groups(table, groups)
    people = people_of(table, np.random.default_rng(seed))
    compare(uv.linkage(release, people), release, table, people)
    own = uv.linkage(release, table, microdata=table)
    assert own.own_among == len(table)
    assert own.value_right == pytest.approx(
        np.mean([
            candidates(release, table.codes[:, i])[2][table.sensitive.codes[i]]
            / len(candidates(release, table.codes[:, i])[0])
            for i in range(len(table))
        ])
    )  # fmt: skip


@given(tables_and_goals())
def test_everybody_finds_their_own_record(table_and_goal):
    table, goal = table_and_goal
    for release in (uv.Mondrian(**goal).sanitize(table), uv.Identity().sanitize(table)):
        finding = uv.linkage(release, table, microdata=table)
        assert finding.own_among == len(table)
        assert finding.records_of_nobody == 0
        assert finding.candidates.min() >= release.sizes.min()
        expected = 0.0
        for i in range(len(table)):
            _, _, values = candidates(release, table.codes[:, i])
            expected += values[int(table.sensitive.codes[i])] / sum(values.values())
        assert finding.value_right == pytest.approx(expected / len(table))


# Numbers that the release's column does not have


@given(tables_and_goals(), st.integers(0, 2**32 - 1))
def test_numbers_in_between(table_and_goal, seed):
    """Cells are asked as a person would read them: [28, 36] has 30, and (36, 53] has 37."""
    table, goal = table_and_goal
    release = uv.Mondrian(**goal).sanitize(table)
    rng = np.random.default_rng(seed)
    people = people_of(table, rng)
    for column in table.quasi:
        if column.kind == "numeric":
            span = float(column.values[-1] - column.values[0]) + 1
            away = column.values[0] + span * rng.uniform(-0.2, 1.2, 15).round(2)
            people[column.name] = np.where(rng.random(15) < 0.7, away, people[column.name])
    finding = uv.linkage(release, people)
    for i in range(15):
        inside = np.ones(release.n_classes, dtype=bool)
        for column, regions in zip(release.quasi, release.regions, strict=True):
            value = people[column.name][i]
            inside &= covering(column, regions, value)
        assert finding.candidates[i] == release.sizes[inside].sum()


def covering(column, regions, value):
    """Which classes' cells cover a value, by what they say."""
    if column.kind != "numeric":
        return regions.covers(column.places[value])
    assert isinstance(regions, Intervals)
    low, high = column.values[regions.low], column.values[regions.high]
    if not regions.cuts:
        return (low <= value) & (value <= high)
    above = np.where(regions.low > 0, value > column.values[regions.low - 1], True)
    return above & np.where(regions.high < column.size - 1, value <= high, True)


def test_three_decimals_are_no_thousands():
    """3.6 was in [1.48, 3.516], because 3.516 might have been more than three thousand."""
    numbers = {"x": [1.48, 2, 3, 3.516], "s": list("abab")}
    table = uv.read_table(numbers, quasi="x", sensitive="s", numeric="x")
    ours = uv.Mondrian(k=4).sanitize(table)
    theirs = uv.read_release({"x": ["[1.48, 3.516]"] * 4, "s": list("abab")}, table)
    for release in (ours, theirs):
        assert uv.linkage(release, {"x": [3.6, 1, 2.5]}).candidates.tolist() == [0, 0, 4]


def test_dates_in_between():
    table = uv.read_table(
        {"born": ["1970-01-05", "1980-02-06", "1990-03-07", "1991-01-01"], "s": list("abab")},
        quasi="born", sensitive="s", numeric="born",
    )  # fmt: skip
    release = uv.Mondrian(k=2, regions="tight").sanitize(table)
    register = {"born": ["1975-05-05", "1985-05-05", "1990-12-31"]}
    assert uv.linkage(release, register).candidates.tolist() == [2, 0, 2]
    with pytest.raises(InputError, match=r"has '1975' .* does not know"):
        uv.linkage(release, {"born": ["1975"]})


def test_cells_that_do_not_say_where_they_end():
    """A node «young» of 20 and 25: 22 and 27 may be meant, 31 and 60 may be old."""
    tree = uv.Hierarchy.from_paths(
        [("20", "young", "*"), ("25", "young", "*"), ("30", "old", "*"), ("50", "old", "*")]
    )
    table = uv.read_table(
        {"age": [20, 25, 30, 50], "s": list("abac")}, quasi="age", sensitive="s",
        hierarchies={"age": tree},
    )  # fmt: skip
    release = uv.read_release({"age": ["young", "young", "old", "old"], "s": list("abac")}, table)
    finding = uv.linkage(release, {"age": [22, 27, 31, 60, 30]})
    assert finding.candidates.tolist() == [2, 4, 2, 2, 2]
    assert any("do not give their ends" in note for note in finding.notes)
    sets = Release(
        quasi=release.quasi, sensitive=release.sensitive, class_of=release.class_of,
        regions=(Sets(np.array([0, 2, 4]), np.array([0, 1, 2, 3], dtype=np.int32),
                      written=("young", "old")),),
    )  # fmt: skip
    assert uv.linkage(sets, {"age": [22, 27, 31, 60, 30]}).candidates.tolist() == [2, 4, 2, 2, 2]


def test_a_permuted_release_has_no_other_numbers():
    release = Permuted.from_groups(PATIENTS, [1, 1, 2, 2, 2])
    finding = uv.linkage(release, {"age": [26, 25], "sex": ["F", "F"]})
    assert finding.candidates.tolist() == [0, 1]


# Words that the release does not know

OTHER = {"age": [25, 35, 35], "sex": ["female", "male", "F"]}


def test_other_codes_are_asked_about():
    with pytest.raises(InputError) as refused:
        uv.linkage(RELEASE, OTHER)
    text = str(refused.value)
    for part in (
        "column 'sex' of table has 'female' and 1 more (2 people, the first in row 1)",
        "the release by somebody does not know (its values: F, M)",
        "recode={'sex': {'female': 'F', 'male': 'M'}}", "unknown='apart'",
    ):  # fmt: skip
        assert part in text


def test_other_codes_that_are_mapped():
    mapping = {"sex": {"female": "F", "male": "M"}}
    assert uv.linkage(RELEASE, OTHER, recode=mapping).candidates.tolist() == [2, 3, 2]
    with pytest.raises(InputError, match=r"makes 'male' 'N', which is not a value of it"):
        uv.linkage(RELEASE, OTHER, recode={"sex": {"male": "N"}})
    with pytest.raises(InputError, match="recode= must map columns to values"):
        uv.linkage(RELEASE, OTHER, recode={"sex": "F"})


def test_values_apart_are_covered_by_stars_alone():
    """The third and fourth record say nothing of sex."""
    finding = uv.linkage(RELEASE, {"age": [35, 25], "sex": ["X", "X"]}, unknown="apart")
    assert finding.candidates.tolist() == [2, 0]
    assert any("2 of 2 people have values of sex" in note for note in finding.notes)
    mapped = uv.linkage(RELEASE, {"age": [35], "sex": ["X"]}, recode={"sex": {"X": None}})
    assert mapped.candidates.tolist() == [2]


def test_a_whole_column_that_is_named_does_not_cover_others():
    """{F, M} is everybody who is there, and still does not say X."""
    cells = {**CELLS, "sex": ["F", "F", "{F, M}", "{F, M}", "M"]}
    release = uv.read_release(cells, PATIENTS)
    assert uv.linkage(release, REGISTER).candidates.tolist() == [2, 3, 2, 0, 2]
    finding = uv.linkage(release, {"age": [35], "sex": ["X"]}, unknown="apart")
    assert finding.candidates.tolist() == [0]


def test_the_top_of_a_hierarchy_covers_all():
    tree = uv.Hierarchy.from_paths([("F", "person"), ("M", "person")])
    table = uv.read_table(
        {"sex": ["F", "M"], "s": ["a", "b"]}, quasi="sex", sensitive="s",
        hierarchies={"sex": tree},
    )  # fmt: skip
    release = uv.read_release({"sex": ["person", "person"], "s": ["a", "b"]}, table)
    assert uv.linkage(release, {"sex": ["X"]}, unknown="apart").candidates.tolist() == [2]


def test_values_that_nobody_has():
    """A cut between two words tells nothing of a third one that only the domain has."""
    table = uv.read_table(
        {"town": list("aabbc"), "s": list("xyxyx")}, quasi="town", sensitive="s"
    ).take(range(4))
    release = uv.Mondrian(k=2, regions="cut").sanitize(table)
    finding = uv.linkage(release, {"town": ["a", "b", "c"]})
    for i, code in enumerate(range(3)):
        assert finding.candidates[i] == release.joint_counts(np.array([[code]])).sum()


def test_numbers_where_words_are_expected():
    with pytest.raises(InputError, match=r"has '30-39' .* numbers from 22 to 35"):
        uv.linkage(RELEASE, {"age": ["30-39"], "sex": ["F"]})
    finding = uv.linkage(RELEASE, {"age": ["35", " 25 "], "sex": ["F", "F"]})
    assert finding.candidates.tolist() == [2, 2]


# Missing values


def test_missing_values():
    register = {"age": [25, 35, None], "sex": ["F", None, "F"]}
    with pytest.raises(MissingValuesError, match="1 of 3 people in table has no value of age; say"):
        uv.linkage(RELEASE, register)
    anything = uv.linkage(RELEASE, register, missing_people="any")
    assert anything.candidates.tolist() == [2, 3, 4]
    assert any("treated as unknown" in note for note in anything.notes)
    dropped = uv.linkage(RELEASE, register, missing_people="drop")
    assert dropped.candidates.tolist() == [2]
    assert dropped.people.rows.tolist() == [0]
    with pytest.raises(MissingValuesError, match="'\\(missing\\)' is not a value of it"):
        uv.linkage(RELEASE, register, missing_people="category")
    with pytest.raises(MissingValuesError, match="leaves nobody of table"):
        uv.linkage(RELEASE, {"age": [None], "sex": ["F"]}, missing_people="drop")


def test_missing_as_a_value():
    table = uv.read_table(
        {"sex": ["F", None, "M", None], "s": list("abab")}, quasi="sex", sensitive="s",
        missing="category",
    )  # fmt: skip
    release = uv.Identity().sanitize(table)
    finding = uv.linkage(release, {"sex": ["F", None]}, missing_people="category")
    assert finding.candidates.tolist() == [1, 2]
    # Microdata has said already that missing is a value.
    assert uv.linkage(release, table).candidates.tolist() == [1, 2, 1, 2]


# Bad input


def test_releases_that_cannot_be_linked():
    noisy = uv.LaplaceCounts(epsilon=1.0).sanitize(PATIENTS)
    with pytest.raises(
        InputError, match=r"publishes none, only counts; unveil.differential_inference and"
    ):
        uv.linkage(noisy, REGISTER)
    means = uv.Microaggregation(k=2).sanitize(PATIENTS)
    with pytest.raises(InputError, match="linkage assumes that published values are true"):
        uv.linkage(means, REGISTER)
    with pytest.raises(InputError, match="linkage needs a release, got a Microdata"):
        uv.linkage(PATIENTS, REGISTER)


def test_answers_changed_by_chance_are_told():
    release = uv.RandomizedResponse(epsilon=1.0).sanitize(PATIENTS)
    finding = uv.linkage(release, PATIENTS, microdata=PATIENTS)
    assert finding.own_among == 5
    assert any("need not be true" in note for note in finding.notes)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"knows": "agee"},
            "knows= names 'agee', which is not a quasi-identifier of the release; did",
        ),
        ({"knows": []}, "is not possible: name one or several quasi-identifiers"),
        ({"unknown": "keep"}, "unknown='keep' is not possible: it must be 'error' or 'apart'"),
        ({"missing_people": "keep"}, "it must be 'error', 'drop', 'any' or 'category'"),
        ({"identifier": "nam"}, "column 'nam' is not in table; did you mean 'name'"),
        ({"identifier": ["name"]}, "it must be a text"),
        ({"microdata": REGISTER}, "microdata= must be the original"),
        ({"microdata": PATIENTS}, "table has no identifier, so people cannot be found"),
        ({"record_of": [0] * 5}, "give microdata= too"),
        ({"microdata": PATIENTS, "record_of": [0]}, "one record number for each of the 5 people"),
        ({"microdata": PATIENTS, "record_of": [0.5] * 5}, "got values of type float64"),
        ({"microdata": PATIENTS, "record_of": [0, 1, 2, 3, 5]}, "numbered from 0 to 4"),
    ],
)
def test_options_that_cannot_be_meant(options, said):
    with pytest.raises(InputError, match=said):
        uv.linkage(RELEASE, REGISTER, **options)


def test_tables_that_cannot_be_used():
    with pytest.raises(InputError, match=r"column 'sex' is not in table .* they know: knows="):
        uv.linkage(RELEASE, {"age": [30]})
    with pytest.raises(InputError, match="table has no rows"):
        uv.linkage(RELEASE, {"age": [], "sex": []})
    with pytest.raises(InputError, match="external= must be a table of people"):
        uv.linkage(RELEASE, None)
    with pytest.raises(InputError, match="column 'sex' is not in table"):
        uv.linkage(RELEASE, uv.read_table({"age": [1], "s": [2]}, quasi="age", sensitive="s"))
    two = replace(
        PATIENTS,
        columns=(*PATIENTS.columns, replace(PATIENTS["name"], name="ssn")),
    )
    with pytest.raises(InputError, match=r"several identifiers \(name, ssn\)"):
        uv.linkage(RELEASE, two, microdata=PATIENTS)


def test_people_of_a_table_with_several_identifiers_have_rows():
    two = replace(
        PATIENTS,
        columns=(*PATIENTS.columns, replace(PATIENTS["name"], name="ssn")),
    )
    ours, theirs = (uv.linkage(RELEASE, one, microdata=one) for one in (two, PATIENTS))
    assert ours.candidates.tolist() == theirs.candidates.tolist()
    assert ours.figures == theirs.figures
    assert set(ours.people.names) == {None}


def test_two_records_of_one_name():
    twice = uv.read_table(
        {"name": ["Ann", "Bob", "Ann"], "age": [25, 22, 35], "sex": list("FFM"),
         "disease": ["Flu", "HIV", "Cold"]},
        identifier="name", quasi=["age", "sex"], sensitive="disease",
    )  # fmt: skip
    with pytest.raises(InputError, match="2 records of table have the same identifier") as refused:
        uv.linkage(RELEASE, REGISTER, identifier="name", microdata=twice)
    assert "Ann" not in str(refused.value)
    # Two people of one name are no trouble: both look for the same record.
    register = {"name": ["Ann", "Ann"], "age": [25, 35], "sex": ["F", "M"]}
    finding = uv.linkage(RELEASE, register, identifier="name", microdata=PATIENTS)
    assert finding.right.among.tolist() == [True, False]


def test_changed_answers_in_another_order_do_not_hide_ones_own_record():
    """Whoever mixes the rows of randomized response still publishes everybody's cells."""
    survey = uv.datasets.election_survey().take(range(150))
    made = uv.RandomizedResponse(epsilon=0.5, seed=1).sanitize(survey)
    in_order = uv.linkage(made, survey, microdata=survey)
    mixed = made.to_frame().sample(frac=1, random_state=1)
    release = replace(
        uv.read_release(mixed, survey, may_change=True), perturbed=(survey.sensitive.name,)
    )
    anyhow = uv.linkage(release, survey, microdata=survey)
    assert in_order.own_among == anyhow.own_among == len(survey)
    assert anyhow.record_right == pytest.approx(in_order.record_right)
    assert anyhow.unique_right == in_order.unique_right
    # An attacker who knows less, and whose table is outdated for somebody.
    known = survey.to_frame()[["age", "education"]].assign(name=range(150))
    known.loc[0, "age"] = known["age"].max() + 1
    outdated = uv.linkage(
        release, known, knows=["age", "education"], microdata=survey, record_of=range(150),
        unknown="apart",
    )  # fmt: skip
    assert outdated.own_among == 149
