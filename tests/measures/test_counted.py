"""What can be measured, and what is said where it cannot."""

import numpy as np
import pytest
from plain_counts import check_counts

import unveil as uv
from unveil.engine.counting import Held
from unveil.errors import HierarchyError, InputError
from unveil.measures import count
from unveil.microdata import Hierarchy

TABLE = {
    "age": [20, 20, 30, 30],
    "town": ["Rome", "Lyon", "Rome", "Rome"],
    "disease": ["flu", "aids", "flu", "cold"],
}


@pytest.fixture
def people():
    return uv.read_table(TABLE, quasi=["age", "town"], sensitive="disease")


def test_microdata_and_tables_are_counted_alike(people):
    for counts in (count(people), count(TABLE, quasi=["age", "town"], sensitive="disease")):
        check_counts(counts, TABLE, ["age", "town"], "disease")
        assert counts.secret.values == ("aids", "cold", "flu")
    check_counts(count(people, quasi="town"), TABLE, ["town"], "disease")
    check_counts(count(people, quasi=["age"], sensitive="town"), TABLE, ["age"], "town")


def test_a_release_is_counted_by_its_cells(people):
    release = uv.Mondrian(k=2).sanitize(people)
    counts = count(release)
    assert counts.rows == 4
    published = release.to_frame().to_dict("list")
    check_counts(counts, published, ["age", "town"], "disease")
    check_counts(count(release, quasi="age"), published, ["age"], "disease")
    with pytest.raises(InputError, match=r"the sensitive column of .* is 'disease', not 'town'"):
        count(release, sensitive="town")


def test_what_was_counted_is_not_counted_again():
    counts = count(TABLE, quasi=["age", "town"], sensitive="disease")
    assert count(counts) is counts
    assert count(counts, quasi="town").keys == ("town",)


def test_rows_in_another_order_are_the_same_table():
    order = np.random.default_rng(0).permutation(4)
    shuffled = {name: [cells[i] for i in order] for name, cells in TABLE.items()}
    one, other = (
        count(table, quasi=["age", "town"], sensitive="disease") for table in (TABLE, shuffled)
    )
    assert isinstance(one, Held)
    assert isinstance(other, Held)
    for attribute in ("start", "codes", "numbers", "weights"):
        assert (getattr(one.histograms, attribute) == getattr(other.histograms, attribute)).all()
    assert [one.histograms.key_of(g) for g in range(3)] == [
        other.histograms.key_of(g) for g in range(3)
    ]


def test_levels_of_the_secret():
    counts = count(
        TABLE,
        quasi="age",
        sensitive="disease",
        ordinal={"disease": ["cold", "flu", "sars", "aids"]},
    )
    assert counts.secret.values == ("cold", "flu", "sars", "aids")
    assert counts.secret.ordered
    assert counts.totals.tolist() == [1, 2, 0, 1]
    with pytest.raises(
        InputError, match=r"^column 'disease' of table has 'aids', which is not among its levels \("
    ):
        count(TABLE, quasi="age", sensitive="disease", ordinal={"disease": ["cold", "flu"]})


def test_a_missing_secret_is_a_value_and_has_a_place_if_given_one():
    table = {"k": [1, 2, 3], "s": ["b", None, "a"]}
    counts = count(table, quasi="k", sensitive="s")
    assert counts.secret.values == ("a", "b", None)
    assert counts.secret.texts == ("a", "b", "(missing)")
    levels = count(table, quasi="k", sensitive="s", ordinal={"s": ["(missing)", "a", "b"]})
    assert levels.secret.values == ("(missing)", "a", "b")
    assert levels.totals.tolist() == [1, 1, 1]
    nothing = count({"k": [1], "s": [None]}, quasi="k", sensitive="s")
    assert nothing.secret.values == (None,)
    assert not nothing.secret.ordered


def test_a_hierarchy_of_the_secret(tmp_path):
    path = tmp_path / "disease.csv"
    path.write_text("flu;mild;*\ncold;mild;*\naids;grave;*\n")
    counts = count(TABLE, quasi="age", sensitive="disease", hierarchies={"disease": path})
    assert set(counts.secret.texts) == {"flu", "cold", "aids"}
    tree = Hierarchy.from_paths([("flu", "*"), ("cold", "*")])
    with pytest.raises(
        HierarchyError, match="does not have 'aids', from column 'disease' of table"
    ):
        count(TABLE, quasi="age", sensitive="disease", hierarchies={"disease": tree})
    gaps = {**TABLE, "disease": ["flu", None, "cold", "cold"]}
    counts = count(gaps, quasi="age", sensitive="disease", hierarchies={"disease": tree})
    assert "(missing)" in counts.secret.hierarchy.leaves


def test_numbers_that_are_not_finite():
    with pytest.raises(InputError, match="column 's' of table has infinite values: numeric"):
        count({"k": [1, 2], "s": [1.0, float("inf")]}, quasi="k", sensitive="s")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"combinations are the classes, quasi=\['age', 'zip'\]"),
        ({"quasi": []}, "name the columns whose combinations are the classes"),
        ({"quasi": "agee"}, r"column 'agee' is not in table; did you mean 'age'\? \(columns: "),
        ({"quasi": ["age", "age"]}, "column 'age' is named twice"),
        ({"quasi": [1]}, "columns are named by texts, but 1 was given"),
        ({"quasi": "age", "sensitive": "age"}, "column 'age' cannot be both a key and sensitive"),
        ({"quasi": "age", "sensitive": ["town"]}, "sensitive= must be one column name, but got"),
        ({"quasi": "age", "sensitive": "illness"}, "column 'illness' is not in table"),
        ({"quasi": "age", "sensitive": "town", "ordinal": {"age": [20, 30]}},
         "ordinal= names 'age', but measures use the order and the hierarchy of the sens"),
        ({"quasi": "age", "hierarchies": {"age": "age.csv"}}, "hierarchies= names 'age'"),
    ],
)  # fmt: skip
def test_options_that_make_no_sense(options, message):
    with pytest.raises(InputError, match=message):
        count(TABLE, **options)


def test_tables_that_cannot_be_measured(people):
    with pytest.raises(InputError, match="table has no records: there is nothing to measure"):
        count({"age": []}, quasi="age")
    with pytest.raises(InputError, match="cannot read a table from int"):
        count(5, quasi="age")
    with pytest.raises(
        InputError, match="microdata and releases already have the order and the hierarchy"
    ):
        count(people, ordinal={"disease": ["flu", "cold", "aids"]})
    with pytest.raises(InputError, match=r"quasi= is empty: name at least one key"):
        count(people, quasi=[])


FORMS = """geboren;geschlecht;lohn
16.11.1961;f;1.234,50
16.11.1961;f;1.234,5
03.02.1970;m;900,00
03.02.1970;m;12.500,75
3.2.1970;m;900
"""


def test_keys_of_very_many_values_are_compared_as_written_and_it_is_told(tmp_path, monkeypatch):
    for limit in ("FETCHED", "VALUES"):
        monkeypatch.setattr(f"unveil.engine.counting._in_engine.{limit}", 2)
    file = tmp_path / "a.csv"
    file.write_text("pay\n1.5\n1.50\n2.5\n")
    counts = count(file, quasi="pay")
    assert "'pay' has more than 2 values: they are compared as they are written" in map(
        str, counts.notes
    )
    assert uv.uniqueness(counts).unique == 3


@pytest.mark.parametrize("fetched", [4_000_000, 1], ids=["fetched", "kept in the engine"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_columns_with_a_form_are_counted_as_they_are_read(tmp_path, monkeypatch, fetched, encoding):
    """The same numbers by every way in: cells that are the same number or day are one value."""
    monkeypatch.setattr("unveil.engine.counting._in_engine.FETCHED", fetched)
    file = tmp_path / "de.csv"
    file.write_text(FORMS, encoding=encoding)
    for quasi, sensitive in ((["geboren", "geschlecht"], "lohn"),
                             (["geschlecht", "lohn"], "geboren")):  # fmt: skip
        read = uv.read_csv(file, quasi=quasi, sensitive=sensitive)
        here, there = uv.measures(read), uv.measures(file, quasi=quasi, sensitive=sensitive)
        assert [one.value for one in there.figures] == [one.value for one in here.figures]
        assert f"{sensitive} is read as" in " ".join(map(str, there.notes))
    assert count(file, quasi="geboren").where({"geboren": "1970-02-03"}).tolist() == [3]
    words = count(file, quasi="lohn", categorical="lohn", missing_values="900")
    assert (words.rows, words.suppressed, uv.k_anonymity(words).k) == (5, 0, 1)


def test_what_can_be_read_in_several_ways_is_asked_about_and_can_be_said(tmp_path):
    file = tmp_path / "marks.csv"
    file.write_text('sex,pay\nf,"1,250"\nm,"2,300"\n')
    with pytest.raises(InputError, match=r"'1,250' in a row is 1250 as .* forms=\{'pay': "):
        uv.measures(file, quasi="sex", sensitive="pay")
    for said, highest in (({"forms": {"pay": "1,234.56"}}, 2300),
                          ({"forms": {"pay": "1.234,56"}}, 2.3),
                          ({"categorical": "pay"}, "2,300")):  # fmt: skip
        assert count(file, quasi="sex", sensitive="pay", **said).secret.values[-1] == highest
    for said, why in (({"forms": {"pay": "long"}}, "say how column 'pay' is written"),
                      ({"numeric": "age"}, "numeric= names 'age', which is not counted"),
                      ({"numeric": "pay", "categorical": "pay"}, "cannot be both"),
                      ({"sheet": "a"}, "sheet= is for Excel workbooks")):  # fmt: skip
        with pytest.raises(InputError, match=why):
            uv.measures(file, quasi="sex", sensitive="pay", **said)


def test_a_population_may_be_written_in_another_form(tmp_path):
    for name, days in (("a.csv", ["10.11.1961"]), ("b.csv", ["1961-11-10"] * 3)):
        (tmp_path / name).write_text("\n".join(["born", *days]) + "\n")
    risk = uv.reidentification_risk(tmp_path / "a.csv", quasi="born", population=tmp_path / "b.csv",
                                    forms={"born": "dd.mm.yyyy"})  # fmt: skip
    assert (risk.population_size, risk.journalist.highest) == (3, pytest.approx(1 / 3))


def test_row_names_have_no_name_and_are_not_counted(tmp_path):
    file = tmp_path / "r.csv"
    file.write_text(",sex,vote\n1,f,a\n2,m,b\n")
    assert count(file, quasi="sex", sensitive="vote").rows == 2
