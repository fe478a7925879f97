"""All measures in one pass are what each of them finds by itself."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_tables import tables
from reference_tables import T_CLOSE, THREE_DIVERSE
from split_counts import SplitCounts

import unveil as uv
from unveil.errors import InputError

ALONE = {
    "k_anonymity": uv.k_anonymity,
    "uniqueness": uv.uniqueness,
    "alpha_k": uv.alpha_k,
    "l_diversity": uv.l_diversity,
    "t_closeness": uv.t_closeness,
    "beta_likeness": uv.beta_likeness,
    "delta_disclosure": uv.delta_disclosure,
    "reidentification_risk": uv.reidentification_risk,
    "discrimination_rate": uv.discrimination_rate,
    "average_class_size": uv.average_class_size,
    "discernibility": uv.discernibility,
}


@given(microdata=tables())
def test_together_as_alone(microdata):
    found = uv.measures(microdata)
    assert set(found.findings) == set(ALONE)
    for name, measure in ALONE.items():
        together, alone = found.findings[name].to_dict(), measure(microdata).to_dict()
        # Together with the others it lists fewer of the values that tell most.
        assert {**together, "unlisted": 0} == {**alone, "unlisted": 0}


@given(microdata=tables(), seed=st.integers(0, 10))
def test_blocks_do_not_matter(microdata, seed):
    whole = uv.measures(microdata).to_frame()
    parts = uv.measures(SplitCounts(uv.count(microdata), seed)).to_frame()
    assert whole["measure"].tolist() == parts["measure"].tolist()
    for a, b in zip(whole["value"], parts["value"], strict=True):
        assert a == pytest.approx(b, rel=1e-12, nan_ok=True)


def test_without_a_sensitive_column():
    found = uv.measures(THREE_DIVERSE, quasi=["ZIP*", "Age*"])
    assert found.sensitive is None
    assert found.l_diversity is None
    assert found.k_anonymity.k == 3
    assert "records alone in their class" in found.summary()


def test_a_partition_a_population_and_subsets():
    found = uv.measures(
        THREE_DIVERSE,
        quasi=["ZIP*", "Age*"],
        sensitive="Salary",
        partition=[[4, 5, 6], [7, 8, 9], [10, 11, 12]],
        population={name: 2 * THREE_DIVERSE[name] for name in ("ZIP*", "Age*")},
        subsets=2,
    )
    assert found.semantic_discrimination_rate.rate == pytest.approx(0.6140, abs=5e-4)
    assert found.reidentification_risk.k_map == 6
    assert found.reidentification_risk.journalist.highest == 1 / 6
    assert len(found.unique_subsets.to_frame()) == 3
    assert len(found.discrimination_rates.to_frame()) == 3
    assert json.loads(found.to_json())["measures"]["k_anonymity"]["k"] == 3


def test_a_wildcard_leaves_only_what_may_overlap():
    table = {"age": ["2*", "2*", "*"], "vote": ["a", "b", "a"]}
    found = uv.measures(table, quasi="age", sensitive="vote", wildcard="*")
    assert found.k_anonymity.k == 2  # who is suppressed is in no class, and hides nobody
    assert found.k_anonymity.suppressed == 1
    assert found.discrimination_rate is None
    assert any("overlap" in note for note in found.notes)
    assert uv.measures(table, quasi="age", sensitive="vote").k_anonymity.k == 2
    with pytest.raises(InputError, match="leave out wildcard="):
        uv.measures(table, quasi="age", sensitive="vote", wildcard="*", population_size=100)


def test_the_papers_argument_side_by_side():
    both = uv.compare_measures(
        {
            "3-diverse": uv.count(THREE_DIVERSE, quasi=["ZIP*"], sensitive="Salary"),
            "t-close": uv.count(T_CLOSE, quasi=["ZIP*"], sensitive="Salary"),
        },
        partition=[[4, 5, 6], [7, 8, 9], [10, 11, 12]],
    )
    table = both.to_frame().set_index("measure")
    # Closer to the table by t, and yet it tells more of the category.
    assert round(table.loc["SeDR", "t-close"], 2) == 0.28
    assert round(table.loc["SeDR", "3-diverse"], 2) == 0.19
    assert "3-diverse" in both.summary()
    assert json.loads(both.to_json())["tables"]["t-close"]["measures"]["k_anonymity"]["k"] == 3


def test_the_json_names_no_class_unless_asked():
    found = uv.measures({"name": ["Ann", "Bob"], "vote": ["a", "b"]}, quasi="name",
                        sensitive="vote", subsets=1)  # fmt: skip
    assert "Ann" not in found.to_json()
    assert "Ann" in found.to_json(records=True)


def test_a_missing_number_takes_only_the_order_away():
    found = uv.measures({"age": [1, 1, 2, 2], "pay": [3, 4, None, 4]}, quasi="age", sensitive="pay")
    assert found.t_closeness.distance == "equal"
    assert any("no place in an order" in note for note in found.notes)
    with pytest.raises(InputError, match="no place in an order"):
        uv.measures({"age": [1, 2], "pay": [3, None]}, quasi="age", sensitive="pay",
                    distance="ordered")  # fmt: skip


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"quasi": []}, "no keys are given"),
        ({"quasi": ["agee"]}, "did you mean 'age'"),
        ({"quasi": ["age"], "sensitive": "age"}, "cannot be both"),
        ({"quasi": ["age"], "partition": [["a"], ["b"]]}, "name it with sensitive="),
        ({"quasi": ["age"], "sensitive": "vote", "engine": "duck"}, "did you mean 'duckdb'"),
        ({"quasi": ["age"], "sensitive": "vote", "distance": "far"}, "distance"),
        ({"quasi": ["age"], "sensitive": "vote", "threshold": 2}, "threshold"),
        ({"quasi": ["age"], "sensitive": "vote", "subsets": -1}, "subsets"),
    ],
)
def test_bad_input(options, said):
    with pytest.raises(InputError, match=said):
        uv.measures({"age": ["2*", "3*"], "vote": ["a", "b"]}, **options)


def test_nothing_to_compare():
    with pytest.raises(InputError, match="given by name"):
        uv.compare_measures([{"age": [1, 2]}], quasi="age")
    with pytest.raises(InputError, match="nothing to compare"):
        uv.compare_measures({})
    with pytest.raises(InputError, match=r"^second: column 'age' is not in"):
        uv.compare_measures({"first": {"age": [1, 2]}, "second": {"Age": [1, 2]}}, quasi="age")


def test_counts_answer_only_what_was_counted():
    counts = uv.count({"age": [1, 2, 2], "vote": ["a", "b", "a"]}, quasi="age", sensitive="vote")
    assert repr(counts) == "Counts of table: 3 records by age, by value of vote"
    assert uv.l_diversity(counts, sensitive="vote").distinct == 1
    with pytest.raises(InputError, match="are by value of 'vote', not of 'age'; count the table"):
        uv.l_diversity(counts, sensitive="age")
    with pytest.raises(InputError, match="ordinal= must be given when counting"):
        uv.t_closeness(counts, ordinal={"vote": ["a", "b"]})


def test_counts_of_a_release_know_what_it_suppressed():
    people = uv.read_table(
        {"age": [30, 40, 50, 60], "town": ["a", "b", "a", "b"], "ill": ["x", "y", "x", "y"]},
        quasi=["age", "town"], sensitive="ill",
    )  # fmt: skip
    release = uv.read_release(
        {"age": ["*", "*", "[50, 60]", "[50, 60]"], "town": ["*", "*", "a", "b"],
         "ill": ["x", "y", "x", "y"]}, people,
    )  # fmt: skip
    # Two classes of one; the two hidden ones may be any of four.
    assert uv.discernibility(release).cost == 1 + 1 + 2 * 4
    assert uv.discernibility(uv.count(release)).cost == 1 + 1 + 2 * 4


def test_missing_values_are_said():
    table = {"age": [1, None, 2, None], "town": ["x", "y", "", "x"], "vote": ["a", "b", None, "a"]}
    found = uv.measures(table, quasi=["age", "town"], sensitive="vote")
    assert found.notes == (
        "missing is a value of its own; records lack age in 2, town in 1, vote in 1",
    )


def test_missing_values_are_said_where_an_engine_keeps_the_counts(monkeypatch):
    monkeypatch.setattr("unveil.engine.counting._in_engine.PROBED", 1)
    monkeypatch.setattr("unveil.engine.counting._in_engine.FEW", -1.0)
    table = {"age": [1, None, 2, None], "town": ["x", "y", "", "x"], "vote": ["a", "b", None, "a"]}
    found = uv.measures(table, quasi=["age", "town"], sensitive="vote", subsets=2)
    assert found.notes == (
        "missing is a value of its own; records lack age in 2, town in 1, vote in 1",
    )
    assert len(found.unique_subsets.subsets) == 3


def test_subsets_of_what_an_engine_keeps_are_counted_once(monkeypatch):
    """Each would be a question of its own; the combinations are fetched instead."""
    import ibis

    monkeypatch.setattr("unveil.engine.counting._in_engine.PROBED", 1)
    monkeypatch.setattr("unveil.engine.counting._in_engine.FEW", -1.0)
    counts = uv.count(
        {"a": [1, 2, 2, 3], "b": [1, 1, 2, 2], "c": [0, 1, 0, 1], "s": list("xyxy")},
        quasi=["a", "b", "c"], sensitive="s",
    )  # fmt: skip
    asked = []
    there = ibis.expr.types.Table.to_pyarrow
    monkeypatch.setattr(
        ibis.expr.types.Table, "to_pyarrow", lambda self, **o: asked.append(1) or there(self, **o)
    )
    uv.unique_subsets(counts, at_most=3)
    uv.discrimination_rates(counts, at_most=3)
    assert len(asked) == 1


def test_a_folder_of_hierarchies(tmp_path):
    (tmp_path / "ill.csv").write_text("flu;lungs;*\ncough;lungs;*\naids;blood;*\n")
    table = {"age": [1, 1, 2, 2], "ill": ["flu", "cough", "aids", "flu"]}
    found = uv.t_closeness(table, quasi="age", sensitive="ill", hierarchies=tmp_path)
    assert found.distance == "hierarchical"


def test_a_name_of_our_own():
    with pytest.raises(InputError, match="has a name that unveil uses itself; rename it"):
        uv.k_anonymity({"unveil: number": [1, 2]}, quasi="unveil: number")


def test_a_wildcard_and_subsets():
    table = {"age": ["2*", "2*", "*"], "vote": ["a", "b", "a"]}
    found = uv.measures(table, quasi="age", sensitive="vote", wildcard="*", subsets=1)
    assert found.unique_subsets is not None
    assert found.discrimination_rates is None
    assert "left out" in found.summary()


def test_a_key_cannot_be_the_secret_of_microdata():
    people = uv.read_table({"age": [1, 2], "vote": ["a", "b"]}, quasi="age", sensitive="vote")
    with pytest.raises(InputError, match="both a key and sensitive"):
        uv.count(people, quasi=["age", "vote"], sensitive="vote")
    assert uv.count(people, quasi=["age", "vote"]).secret is None
    with pytest.raises(InputError, match="named twice"):
        uv.count(people, quasi=["age", "age"])
