"""Black boxes: whatever a function returns is read as a release of the table, or told why not."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import unveil as uv
from unveil.errors import GoalError, InputError, View
from unveil.sanitize import NeedsMicrodataError, OracleError, as_sanitizer

TABLE = {
    "name": list("PQRSTU"),
    "age": [30, 34, 38, 41, 45, 47],
    "city": ["Rome", "Rome", "Lyon", "Lyon", "Rome", "Lyon"],
    "shoe": [40, 41, 42, 43, 44, 45],
    "vote": ["a", "b", "a", "a", "b", "b"],
}
SURVEY = uv.read_table(TABLE, quasi=["age", "city"], sensitive="vote", identifier="name")


def decades(table):
    low = table["age"] // 10 * 10
    return table.assign(age=[f"[{a}, {a + 9}]" for a in low], city="*")


def assert_same_release(release, expected):
    pd.testing.assert_frame_equal(release.to_frame(), expected.to_frame())
    np.testing.assert_array_equal(
        release.cover_counts(SURVEY.codes), expected.cover_counts(SURVEY.codes)
    )


def test_a_function_gets_the_table_without_identifiers():
    seen = []
    uv.Oracle(lambda table: seen.append(table) or decades(table)).sanitize(SURVEY)
    assert list(seen[0].columns) == ["age", "city", "vote", "shoe"]
    assert isinstance(seen[0], pd.DataFrame)
    assert seen[0]["age"].tolist() == TABLE["age"]


@pytest.mark.parametrize(
    "turn",
    [
        lambda table: table,
        pl.from_pandas,
        lambda table: pl.from_pandas(table).lazy(),
        pa.Table.from_pandas,
        lambda table: table.to_dict("list"),
    ],
    ids=["pandas", "polars", "lazy polars", "Arrow", "dict"],
)
def test_an_answer_may_be_any_table(turn):
    release = uv.Oracle(lambda table: turn(decades(table))).sanitize(SURVEY)
    assert release.sizes.tolist() == [3, 3]
    assert release.cells()[0] == ["[30, 39]", "[40, 49]"]


def test_a_function_that_spoils_its_table_spoils_nothing_else():
    def spoil(table):
        answer = decades(table)
        table.loc[:, "age"] = 0
        return answer

    assert_same_release(uv.Oracle(spoil).sanitize(SURVEY), uv.Oracle(decades).sanitize(SURVEY))
    assert SURVEY["age"].decode().tolist() == TABLE["age"]


@pytest.mark.parametrize(
    "oracle",
    [
        uv.Oracle(lambda m: uv.Mondrian(k=3).sanitize(m)),
        uv.Oracle(lambda m: uv.Mondrian(k=3).sanitize(m), takes="microdata"),
        uv.Oracle(uv.Mondrian(k=3)),
        uv.Oracle(uv.Mondrian(k=3).sanitize),
        uv.Oracle(lambda table: uv.Mondrian(k=3).sanitize(SURVEY).to_frame()),
    ],
)
def test_unveils_own_sanitizers_inside(oracle):
    assert_same_release(oracle.sanitize(SURVEY), uv.Mondrian(k=3).sanitize(SURVEY))


@pytest.mark.parametrize("regions", ["tight", "cut"])
@pytest.mark.parametrize("record", range(6))
def test_a_function_that_reads_the_table_itself_has_codes_of_its_own(record, regions):
    def read_and_sanitize(table):
        own = uv.read_table(table, quasi=["city", "age"], sensitive="vote")
        return uv.Mondrian(k=2, regions=regions).sanitize(own)

    rest = SURVEY.without(record)
    turned = uv.read_table(TABLE, quasi=["city", "age"], sensitive="vote").without(record)
    codes = SURVEY.codes[:, [record]]
    expected = uv.Mondrian(k=2, regions=regions).sanitize(turned)
    release = uv.Oracle(read_and_sanitize).sanitize(rest)
    np.testing.assert_array_equal(
        release.cover_counts(codes)[0], expected.cover_counts(codes[::-1])[0][::-1]
    )


def test_returned_microdata_is_published_as_it_is():
    expected = uv.Identity().sanitize(SURVEY)
    for oracle in (
        uv.Oracle(lambda m: m, takes="microdata"),
        uv.Oracle(lambda t: uv.read_table(t, quasi=["age", "city"], sensitive="vote")),
    ):
        assert_same_release(oracle.sanitize(SURVEY), expected)
    few = uv.Oracle(lambda m: m.take([0, 5]), takes="microdata", may_drop=True).sanitize(SURVEY)
    assert few.to_frame()["age"].tolist() == ["30", "47"]


def test_microdata_with_other_codes_is_read_by_its_values():
    def older(table):
        return uv.read_table(table.iloc[3:], quasi=["age", "city"], sensitive="vote")

    release = uv.Oracle(older, may_drop=True).sanitize(SURVEY)
    assert release.quasi[0].size == 6
    assert release.joint_counts(SURVEY.codes).sum(axis=1).tolist() == [0, 0, 0, 1, 1, 1]


def test_a_table_is_handed_over_if_asked_for():
    with pytest.raises(NeedsMicrodataError):
        uv.Oracle(lambda m: uv.Mondrian(k=3).sanitize(m), takes="table").sanitize(SURVEY)


def test_a_goal_that_cannot_be_met_stays_that():
    with pytest.raises(GoalError, match="the largest possible k is 6"):
        uv.Oracle(uv.Mondrian(k=7)).sanitize(SURVEY)


def test_a_function_that_fails_is_named_with_its_reason():
    def office(table):
        raise ValueError("no paper")

    with pytest.raises(OracleError) as error:
        uv.Oracle(office).sanitize(SURVEY)
    assert str(error.value) == "Oracle(office) failed on 6 records: ValueError: no paper"
    assert isinstance(error.value.__cause__, ValueError)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda t: None, "cannot read a table from NoneType; give a pandas, polars or Arrow table, "
                         "or a mapping from column names to values"),
        (lambda t: t.assign(age=["?", *t["age"][1:].astype(str)]),
         "row 1, column 'age': cannot read the cell '?': '?' is not a number; cells may be a "
         "value, an interval such as [20, 35] or ≤ 36, a range such as 20-35, a mask such as 2*, a "
         "set such as {France, Germany}, a hierarchy node, or *"),
        (lambda t: t.drop(columns="city"),
         "column 'city' is not in pandas table (columns: age, vote, shoe)"),
        (lambda t: t.assign(vote="q"), "row 1: 'q' is not a value of vote in the original"),
        (lambda t: t.iloc[:0], "pandas table has no rows"),
    ],
)  # fmt: skip
def test_an_answer_that_is_no_release_is_told_where(answer, reason):
    with pytest.raises(OracleError) as error:
        uv.Oracle(answer).sanitize(SURVEY)
    assert str(error.value) == f"the answer of Oracle(<lambda>) cannot be read: {reason}"


def test_empty_cells_are_suppressed_ones():
    empty = uv.Oracle(lambda t: decades(t).assign(city=["Rome"] * 2 + [None] * 4)).sanitize(SURVEY)
    stars = uv.Oracle(lambda t: decades(t).assign(city=["Rome"] * 2 + ["*"] * 4)).sanitize(SURVEY)
    np.testing.assert_array_equal(
        empty.joint_counts(SURVEY.codes), stars.joint_counts(SURVEY.codes)
    )


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda t: t.iloc[[0, *range(6)]], "Oracle(<lambda>) returned 7 records for a table of 6"),
        (lambda t: t.iloc[1:], "Oracle(<lambda>) returned 5 records for a table of 6; "),
        (lambda t: t.assign(vote=["b", *t["vote"][1:]]), "Oracle(<lambda>) returned 4 records with "
         "vote 'b' where the table has 3: sensitive values were changed; if that is intended, "
         "give may_change_sensitive=True"),
        (lambda t: SURVEY.take([0, 1]), "the answer of Oracle(<lambda>) cannot be read: Identity() "
         "returned 2 records for a table of 6; "),
    ],
)  # fmt: skip
def test_an_answer_that_is_of_another_table_is_told_so(answer, said):
    with pytest.raises(OracleError) as error:
        uv.Oracle(answer).sanitize(SURVEY)
    assert str(error.value).startswith(said)


def test_a_function_is_asked_again_only_if_it_is_said():
    def moody(table):
        moods.append(len(moods))
        if len(moods) % 3:
            raise OSError("not now")
        return decades(table)

    moods = []
    assert uv.Oracle(moody, retries=2).sanitize(SURVEY).n_classes == 2
    assert len(moods) == 3
    with pytest.raises(OracleError) as error:
        uv.Oracle(moody, retries=1).sanitize(SURVEY)
    assert str(error.value) == (
        "Oracle(moody) failed on 6 records: OSError: not now (tried 2 times)"
    )
    assert len(moods) == 5
    moods = []
    with pytest.raises(OracleError, match=r"not now$"):
        uv.Oracle(moody).sanitize(SURVEY)
    assert len(moods) == 1


def test_a_function_that_would_end_the_program_has_failed():
    def quit_all(table):
        raise SystemExit(3)

    with pytest.raises(OracleError, match="failed on 6 records: SystemExit: 3"):
        uv.Oracle(quit_all).sanitize(SURVEY)


def test_an_interrupt_is_never_swallowed():
    def interrupt(table):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        uv.Oracle(interrupt, retries=5).sanitize(SURVEY)


@pytest.mark.parametrize(
    ("function", "label"),
    [
        (decades, "Oracle(decades)"),
        (lambda t: t, "Oracle(<lambda>)"),
        (partial(decades), "Oracle(partial)"),
        (uv.Mondrian(k=3), "Oracle(Mondrian(k=3))"),
    ],
)
def test_labels(function, label):
    assert uv.Oracle(function).label == label
    assert as_sanitizer(function).label in (label, "Mondrian(k=3)")


def test_a_kind_of_sanitizer_is_not_a_sanitizer():
    with pytest.raises(InputError) as error:
        as_sanitizer(uv.Mondrian)
    assert str(error.value) == "Mondrian is a kind of sanitizer; make one: Mondrian(…)"
    with pytest.raises(InputError) as error:
        as_sanitizer(5)
    assert str(error.value) == (
        "5 is no sanitizer; give one such as unveil.Mondrian(k=5), or a function that turns a "
        "table into a release"
    )


def test_a_function_gets_values_of_the_types_that_were_read():
    table = pd.DataFrame({"smoker": [True, False] * 2, "level": pd.Categorical([1, 2, 1, 2]),
                          "age": [20, 30, 40, 50], "vote": list("abab")})  # fmt: skip
    people = uv.read_table(table, quasi=["smoker", "level", "age"], sensitive="vote")
    seen = []

    def hide(given):
        seen.append(given)
        return given.assign(age=np.where(given["smoker"], "*", given["age"].astype(str)))

    release = uv.Oracle(hide).sanitize(people)
    assert release.to_frame()["age"].tolist() == ["*", "30", "*", "50"]
    assert seen[0]["smoker"].dtype == bool
    assert seen[0]["level"].tolist() == [1, 2, 1, 2]


def test_a_report_does_not_repeat_what_the_program_said():
    def office(table):
        raise ValueError("no paper for Jane")

    with pytest.raises(OracleError) as error:
        uv.Oracle(office).sanitize(SURVEY)
    shown = error.value.shown(View("report"))
    assert "Jane" not in shown
    assert shown.startswith("Oracle(office) failed on 6 records: (what the program said")
    sent = pickle.loads(pickle.dumps(error.value))
    assert (sent.shown(View("report")), sent.fault) == (shown, error.value.fault)
