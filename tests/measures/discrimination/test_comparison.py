"""Several releases side by side."""

import json

import numpy as np
import pytest
from reference_tables import ORIGINAL, T_CLOSE, THREE_DIVERSE

import unveil as uv
from unveil.errors import InputError
from unveil.measures import compare_discrimination, count, discrimination_rate

SP2 = [[4, 5, 6], [7, 8, 9], [10, 11, 12]]


def table(columns, of="Salary", age="Age*"):
    columns = {"ZIP*": columns["ZIP*"], "Age*": columns[age], of: columns[of]}
    return uv.read_table(columns, quasi=["ZIP*", "Age*"], sensitive=of)


DIVERSE, CLOSE = table(THREE_DIVERSE), table(T_CLOSE, age="Age**")
TABLES = {"3-diverse": DIVERSE, "t-close": CLOSE}


def test_every_cell_is_a_rate_of_its_own():
    partitions = {"each": None, "SP2": SP2, "low": "low:<7,high:7-"}
    found = compare_discrimination(TABLES, partitions=partitions)
    assert [row.by for row in found.rows] == [("ZIP*",), ("Age*",), ("ZIP*", "Age*")] * 3
    for row in found.rows:
        for name, rate in row.rates.items():
            expected = discrimination_rate(
                TABLES[name], by=list(row.by), partition=partitions[row.partition]
            )
            assert rate == expected.rate
    assert sum(found.times_worst.values()) == sum(len(row.worst) for row in found.rows)


def test_keys_and_combinations_can_be_chosen():
    found = compare_discrimination(TABLES, by=["ZIP*", ("Age*", "ZIP*")])
    assert [row.by for row in found.rows] == [("ZIP*",), ("Age*", "ZIP*")]
    assert found.row("ZIP*", "Age*").by == ("Age*", "ZIP*")
    with pytest.raises(KeyError):
        found.row("Age*")


def test_the_worst():
    found = compare_discrimination(
        {"a": DIVERSE, "b": CLOSE, "c": CLOSE}, partitions={"SP2": SP2}, by=["ZIP*"]
    )
    assert found.rows[0].worst == ("b", "c")
    same = compare_discrimination({"a": CLOSE, "b": CLOSE})
    assert {row.worst for row in same.rows} == {()}
    assert same.times_worst == {"a": 0, "b": 0}
    lines = found.summary().splitlines()
    assert lines == [
        "Discrimination rates of Salary, compared",
        "",
        "  partition   by         a       b       c   worst",
        "  SP2         ZIP*   0.193   0.280   0.280   b, c",
    ]


def test_a_value_that_one_release_lacks():
    # A partition has to cover what any of them has.
    few = uv.read_table({"ZIP*": ["1", "2"], "Salary": [4, 7]}, quasi="ZIP*", sensitive="Salary",
                        categorical="ZIP*")  # fmt: skip
    found = compare_discrimination({"few": few, "all": DIVERSE}, partitions={"SP2": SP2}, by="ZIP*")
    assert found.rows[0].rates["few"] == 1
    with pytest.raises(InputError, match="leaves out 5, 6, 8, 9, 10, 11, 12"):
        compare_discrimination(
            {"few": few, "all": DIVERSE}, partitions={"p": [[4], [7]]}, by="ZIP*"
        )


def test_undefined_is_no_number_and_never_worst():
    same = uv.read_table({"ZIP*": ["1", "2"], "Salary": [4, 4]}, quasi="ZIP*", sensitive="Salary",
                         categorical="ZIP*")  # fmt: skip
    found = compare_discrimination({"same": same, "3-diverse": DIVERSE}, by="ZIP*")
    assert found.rows[0].rates["same"] is None
    told = json.loads(found.to_json())
    assert told["rows"][0]["rates"]["same"] is None
    assert told["rows"][0]["undefined"] == ["same"]
    assert "undefined" in found.summary()
    assert compare_discrimination({"same": same}).rows[0].worst == ()


def test_a_release_beside_its_original():
    original = uv.read_table(
        {name: ORIGINAL[name] for name in ("Age", "Salary")}, quasi="Age", sensitive="Salary"
    )
    release = uv.Mondrian(k=3).sanitize(original)
    found = compare_discrimination({"original": original, "published": release})
    row = found.row("Age")
    assert row.worst == ("original",)
    assert row.rates["published"] == discrimination_rate(release).rate


def test_tables_and_counts_come_alike():
    frame = DIVERSE.to_frame()
    options = {"quasi": ["ZIP*", "Age*"], "sensitive": "Salary"}
    found = compare_discrimination(
        {"frame": frame, "dict": frame.to_dict("list")}, partitions={"SP2": SP2}, **options
    )
    mine = compare_discrimination({"counts": count(DIVERSE)}, partitions={"SP2": SP2})
    for row, other in zip(found.rows, mine.rows, strict=True):
        assert row.rates == {"frame": other.rates["counts"], "dict": other.rates["counts"]}


def test_a_release_may_be_called_anything():
    found = compare_discrimination({"worst": DIVERSE, "by": CLOSE})
    assert found.to_frame().columns.tolist() == [
        "partition", "by", "release worst", "release by", "worst"
    ]  # fmt: skip


def test_a_level_of_a_hierarchy():
    tree = uv.Hierarchy.from_paths(
        [(text, "cancer" if "cancer" in text else "other", "*")
         for text in sorted(set(ORIGINAL["Disease"]))]
    )  # fmt: skip
    columns = {name: THREE_DIVERSE[name] for name in ("Age*", "Disease")}
    known = uv.read_table(columns, quasi="Age*", sensitive="Disease", hierarchies={"Disease": tree})
    found = compare_discrimination({"it": known}, partitions={"kind": "level=1"})
    assert round(found.rows[0].rates["it"], 2) == 0.38


def test_it_refuses():
    with pytest.raises(InputError, match="must be given by name"):
        compare_discrimination({})
    with pytest.raises(InputError, match="by= names no keys"):
        compare_discrimination(TABLES, by=[])
    other = uv.read_table({"ZIP": ["a", "b"], "Salary": [4, 5]}, quasi="ZIP", sensitive="Salary")
    with pytest.raises(
        InputError, match=r"the key 'ZIP\*' of 'a' is not in 'b'; did you mean 'ZIP'\?"
    ):
        compare_discrimination({"a": DIVERSE, "b": other})
    with pytest.raises(InputError, match=r"the key 'Age\*' of 'b' is not in 'a'"):
        compare_discrimination({"a": count(DIVERSE).over(["ZIP*"]), "b": DIVERSE})
    with pytest.raises(
        InputError, match="'a' has the sensitive column 'Salary' and 'b' has 'Disease'"
    ):
        compare_discrimination({"a": DIVERSE, "b": table(THREE_DIVERSE, "Disease")})
    with pytest.raises(InputError, match="classes that do not overlap"):
        compare_discrimination({"a": DIVERSE}, wildcard="355**")


def test_a_key_of_another_type_is_named():
    numbers = uv.read_table(
        {"ZIP*": [1, 2, 3], "Salary": [4, 5, 6]}, quasi="ZIP*", sensitive="Salary"
    )
    with pytest.raises(InputError, match=r"the key 'ZIP\*' has texts in 'a' and numbers in 'b'"):
        compare_discrimination({"a": DIVERSE, "b": numbers}, by="ZIP*")
    nothing = {"ZIP*": [None, None], "Salary": [4, 5]}
    with pytest.raises(InputError, match="has texts in 'a' and nothing but missing values in 'b'"):
        compare_discrimination({"a": DIVERSE, "b": nothing}, quasi=["ZIP*"], sensitive="Salary")


def test_missing_cells_do_not_tell_the_type():
    gaps = {"key": [None, 1.0, 2.0], "x": ["a", "b", "b"]}
    whole = {"key": np.array([1, 1, 2]), "x": ["a", "b", "b"]}
    found = compare_discrimination({"gaps": gaps, "whole": whole}, quasi="key", sensitive="x")
    assert found.rows[0].rates["gaps"] == 1
