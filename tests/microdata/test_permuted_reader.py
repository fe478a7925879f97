"""Reading a permuted release: two tables or one, files or frames, and what is refused."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from permuted_tables import GROUPS, PATIENTS, groupings
from proofs import examples

import unveil as uv
from unveil.errors import FormError, MissingValuesError
from unveil.microdata import Kind, Permuted, check_permuted, read_anatomy

RELEASE = Permuted.from_groups(PATIENTS, GROUPS)


def assert_same(read, release):
    """Alike in everything but where it came from."""
    assert read.groups == release.groups
    assert np.array_equal(read.group_of, release.group_of)
    assert np.array_equal(read.counts, release.counts)
    assert np.array_equal(read.codes, release.codes)
    for ours, theirs in zip(
        (*read.quasi, read.sensitive), (*release.quasi, release.sensitive), strict=True
    ):
        assert (ours.name, ours.kind, ours.role) == (theirs.name, theirs.kind, theirs.role)
        assert ours.texts == theirs.texts


def written(release):
    """What it says, in texts: for domains that differ in values nobody has."""
    records = zip(
        [release.groups[g] for g in release.group_of],
        *([c.texts[v] for v in c.codes] for c in release.quasi),
        strict=True,
    )
    secrets = [
        (release.groups[g], release.sensitive.texts[s], release.counts[g, s])
        for g, s in np.argwhere(release.counts).tolist()
    ]
    return sorted(records), secrets


@examples(60)
@given(groupings(), st.randoms(use_true_random=False))
def test_tables_read_back_in_any_order(case, random):
    table, group_of = case
    release = Permuted.from_groups(table, group_of)
    records, secrets = release.tables()
    mixed = [frame.sample(frac=1, random_state=random.randrange(2**32)) for frame in
             (records, secrets)]  # fmt: skip
    assert_same(read_anatomy(*mixed, microdata=table), release)
    assert written(read_anatomy(*mixed)) == written(release)
    alone = release.to_frame().sample(frac=1, random_state=random.randrange(2**32))
    assert_same(read_anatomy(alone, microdata=table), release)


def alone(folder):
    """A release without its table: what can be read in several ways, such as 1.629, is asked."""
    forms: dict[str, str] = {}
    while True:
        try:
            return read_anatomy(folder, forms=forms or None)
        except FormError as error:
            column = re.match("column '(.*?)' of", str(error))[1]
            assert column not in forms
            forms[column] = "1,234.56"


@examples(40)
@given(groupings())
def test_files_read_back(tmp_path_factory, case):
    table, group_of = case
    release = Permuted.from_groups(table, group_of)
    folder = tmp_path_factory.mktemp("release")
    release.write(folder)
    assert_same(read_anatomy(folder, microdata=table), release)
    assert written(alone(folder)) == written(release)
    files = release.write(folder / "q.parquet", folder / "s.pq")
    assert_same(read_anatomy(*files, microdata=table), release)
    assert written(read_anatomy(*files)) == written(release)


names = st.text(st.sampled_from('ab,"*{}[]() <≤=>\n\r;-'), min_size=1, max_size=5).filter(str.strip)


@examples(150)
@given(st.lists(names, min_size=1, max_size=6, unique=True))
def test_values_with_the_strangest_names_read_back(tmp_path_factory, values):
    groups = [f"g{i % 2}" for i in range(len(values))]
    table = uv.read_table({"q": values, "s": values}, quasi="q", sensitive="s")
    release = Permuted.from_groups(table, groups)
    assert_same(read_anatomy(*release.tables(), microdata=table), release)
    files = release.write(tmp_path_factory.mktemp("release"))
    assert_same(read_anatomy(*files, microdata=table, delimiter=","), release)


def test_dates_times_truths_numbers_as_words(tmp_path):
    days = np.arange(np.datetime64("2020-02-25"), np.datetime64("2020-03-02"))
    table = uv.read_table(
        {
            "born": days,
            "at": days + np.timedelta64(3601, "s"),
            "x": np.array([1e-9, 0.1, 1 / 3, 1e300, 2, -5.5]),
            "n": [1.0, 2.0, 3.5] * 2,
            "smokes": [True, False, None] * 2,
            "pay": [10, 20, 30] * 2,
        },
        quasi=["born", "at", "x", "n", "smokes"],
        sensitive="pay",
        categorical="n",
        missing="category",
    )
    release = Permuted.from_groups(table, list("aabbcc"))
    assert_same(read_anatomy(*release.tables(), microdata=table), release)
    assert_same(read_anatomy(*release.write(tmp_path), microdata=table), release)
    files = release.write(tmp_path / "q.parquet", tmp_path / "s.parquet")
    assert_same(read_anatomy(*files, microdata=table), release)
    records, secrets = release.tables()
    records["smokes"] = records["smokes"].replace({"(missing)": None})
    assert_same(read_anatomy(records, secrets, microdata=table), release)
    alone = read_anatomy(tmp_path, sensitive="pay")
    assert [column.kind for column in alone.quasi] == [
        Kind.NUMERIC, Kind.NUMERIC, Kind.NUMERIC, Kind.NUMERIC, Kind.CATEGORICAL,
    ]  # fmt: skip


@pytest.mark.parametrize("make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas, dict])
def test_tables_of_all_sorts(make):
    tables = [make(frame) for frame in RELEASE.tables()]
    assert_same(read_anatomy(*tables, microdata=PATIENTS), RELEASE)
    assert_same(read_anatomy(*tables), RELEASE)


def test_without_the_original_columns_can_be_chosen():
    records, secrets = RELEASE.tables()
    release = read_anatomy(
        records.assign(note="x").rename(columns={"group": "G"}),
        secrets.rename(columns={"group": "G", "count": "n"}).assign(other=1),
        quasi="zip", sensitive="disease", group="G", count="n", made_by="the clinic",
        ordinal={"disease": ["Flu", "Stomach", "Diabetes", "Heart", "HIV", "None"]},
        hierarchies={"zip": uv.prefix_hierarchy}, numeric=(), categorical=["zip"],
    )  # fmt: skip
    assert release.made_by == "the clinic"
    assert [column.name for column in release.quasi] == ["zip"]
    assert release.quasi[0].hierarchy is not None
    assert release.sensitive.kind is Kind.ORDINAL
    assert release.counts.tolist() == [
        [1, 0, 0, 1, 0, 0],
        [1, 1, 0, 0, 0, 0],
        [0, 0, 1, 0, 1, 0],
        [1, 0, 0, 1, 0, 0],
    ]


def test_one_table_without_the_original():
    frame = RELEASE.to_frame()
    assert_same(read_anatomy(frame, sensitive="disease"), RELEASE)
    again = frame.groupby("group", group_keys=False)["disease"].transform(lambda d: d[::-1].values)
    assert_same(read_anatomy(frame.assign(disease=again), sensitive="disease"), RELEASE)


def test_rows_without_count_are_one_record_each_and_counts_may_be_nought():
    records, secrets = RELEASE.tables()
    assert_same(read_anatomy(records, secrets.drop(columns="count"), microdata=PATIENTS), RELEASE)
    all_pairs = pd.DataFrame(RELEASE.counts.astype(float), columns=list(RELEASE.sensitive.texts))
    long = all_pairs.assign(group=range(1, 5)).melt("group", var_name="disease", value_name="count")
    assert_same(read_anatomy(records, long, microdata=PATIENTS), RELEASE)


def test_columns_that_are_called_like_ours(tmp_path):
    table = uv.read_table(
        {"group": [1, 2, 2, 1], "group in the release": list("abab"), "count": [5, 5, 6, 6]},
        quasi=["group", "group in the release"],
        sensitive="count",
    )
    release = Permuted.from_groups(table, [1, 1, 2, 2])
    records, secrets = release.tables()
    name = "group in the release in the release"
    assert list(records.columns) == [name, "group", "group in the release"]
    assert list(secrets.columns) == [name, "count", "count in the release"]
    assert_same(read_anatomy(records, secrets, microdata=table), release)
    assert_same(read_anatomy(*release.write(tmp_path), microdata=table), release)


def test_records_may_be_left_out():
    some = Permuted.from_groups(PATIENTS.take(range(6)), GROUPS[:6])
    release = read_anatomy(*some.tables(), microdata=PATIENTS)
    assert release.dropped == 2
    assert release.notes == ("2 of 8 records are not in the release",)
    assert read_anatomy(*RELEASE.tables(), microdata=PATIENTS).dropped == 0


RECORDS = {"group": [1, 1, 2], "zip": ["45501", "45502", "55503"]}
SECRETS = {"group": [1, 1, 2], "disease": ["Heart", "Flu", "Flu"], "count": [1, 1, 1]}
ZIPS = uv.read_table(
    {"zip": ["45501", "45502", "55503", "55503"], "disease": ["Heart", "Flu", "Flu", "HIV"]},
    quasi="zip",
    sensitive="disease",
)
Q, S = "the quasi-identifiers' table", "the sensitive values' table"


@pytest.mark.parametrize(
    ("records", "secrets", "message"),
    [
        (
            {"group": [1, 1, 7]}, {},
            f"group '2' has no record in {Q} but 1 sensitive value in {S}",
        ),
        ({"group": [1, 1, 1]}, {}, f"group '1' has 3 records in {Q} but 2 sensitive values in {S}"),
        ({}, {"count": [1, 1, 2]}, f"group '2' has 1 record in {Q} but 2 sensitive values in {S}"),
        ({}, {"count": [1, 1, 0]}, f"group '2' has 1 record in {Q} but no sensitive value in {S}"),
        (
            {"group": ["a1", "a1", "b2"]}, {"group": ["a1", "a1", "b3"]},
            f"group 'b2' has 1 record in {Q} but no sensitive value in {S}",
        ),
        (
            {"zip": ["45501", "4550", "55503"]}, {},
            f"row 2, column 'zip' of {Q}: '4550' is not a value of the original; did you mean '",
        ),
        (
            {"zip": ["4****", "4****", "*"]}, {},
            f"row 1, column 'zip' of {Q}: '4****' is not a value of the original; a permuted "
            "release has exact values; read generalized cells with read_release",
        ),
        (
            {}, {"disease": ["Heart", "Flue", "Flu"]},
            f"row 2, column 'disease' of {S}: 'Flue' is not a value of the original; did you mean "
            "'Flu'?",
        ),
        (
            {"zip": ["45501", None, "55503"]}, {},
            f"row 2, column 'zip' of {Q} is empty; a permuted release needs a value in every row",
        ),
        ({}, {"group": [1, None, 2]}, f"row 2, column 'group' of {S} is empty"),
        ({}, {"count": [1, 1, None]}, f"row 3, column 'count' of {S} is empty"),
        ({}, {"count": [1, -1, 1]}, f"row 2, column 'count' of {S}: '-1' is not a number of"),
        ({}, {"count": [1, 1.5, 1]}, f"row 2, column 'count' of {S}: '1.5' is not a number of"),
        (
            {"zip": ["45501", "45501", "55503"]}, {},
            "the release by somebody has 2 records with zip '45501', where table has 1: it is not "
            "a release of this table",
        ),
        (
            {}, {"disease": ["Heart", "Flu", "Heart"]},
            "the release by somebody has 2 records with disease 'Heart', where table has 1",
        ),
        (
            {"group": [1, 1, 2, 2, 2], "zip": ["45501", "45502", "55503", "55503", "55503"]},
            {"count": [1, 1, 3]},
            "the release by somebody has 5 records, where table has 4: it is not a release of this",
        ),
    ],
)  # fmt: skip
def test_tables_that_do_not_fit(records, secrets, message):
    with pytest.raises(uv.UnveilError, match=re.escape(message)):
        read_anatomy(RECORDS | records, SECRETS | secrets, microdata=ZIPS)


def without(table, name):
    return {key: values for key, values in table.items() if key != name}


@pytest.mark.parametrize(
    ("tables", "options", "message"),
    [
        (
            (without(RECORDS, "group") | {"grp": [1, 1, 2]}, SECRETS), {},
            f"column 'group' is not in {Q}; did you mean 'grp'? (columns: zip, grp); if it "
            "has another name, give group=",
        ),
        ((RECORDS, without(SECRETS, "group")), {}, f"column 'group' is not in {S} (columns: dis"),
        (
            (RECORDS, without(SECRETS, "disease")), {"microdata": ZIPS},
            f"column 'disease' is not in {S}",
        ),
        ((RECORDS, SECRETS), {"quasi": "zp"}, "column 'zp' is not in "),
        (
            (RECORDS, SECRETS), {"sensitive": "diseas"},
            f"column 'diseas' is not in {S}; did you mean 'disease'?",
        ),
        ((RECORDS, SECRETS), {"count": "n"}, f"column 'n' is not in {S}"),
        ((RECORDS, SECRETS), {"quasi": []}, "name at least one quasi-identifier"),
        (
            (RECORDS, SECRETS | {"more": [1, 2, 3]}), {},
            f"the sensitive column of {S} is not clear; give sensitive= (columns: group, ",
        ),
        ((RECORDS,), {}, "the sensitive column of table is not clear"),
        (
            (RECORDS | SECRETS,), {"sensitive": "disease"},
            "table has one row per record and a column 'count'; name the quasi-identifiers",
        ),
        (
            (RECORDS | SECRETS,), {"sensitive": "disease", "count": "count"},
            "count='count' needs a table of sensitive values, but only a table of records",
        ),
        (({"group": [1]}, {"group": [1], "s": ["a"]}), {}, "has no quasi-identifiers, only 'gro"),
        (
            (RECORDS, SECRETS), {"microdata": ZIPS, "sensitive": "disease"},
            "sensitive= and the original cannot be given together",
        ),
        ((RECORDS, SECRETS), {"microdata": RECORDS}, "microdata= must be microdata, as read_csv"),
        (
            (RECORDS, SECRETS), {"group": "zip", "quasi": "zip"},
            "column 'zip' cannot be both a group and a value of the records",
        ),
        (
            (RECORDS, SECRETS), {"count": "disease", "sensitive": "disease"},
            "column 'disease' cannot be both a count and something else",
        ),
        ((RECORDS, SECRETS), {"group": 1}, "group= must be one column name, but 1 was given"),
        (
            (RECORDS | {"zip": ["1", 2, "3"]}, SECRETS), {},
            f"column 'zip' of {Q} mixes values of type int and str",
        ),
        (
            (RECORDS | {"zip": ["1", "", "3"]}, SECRETS), {},
            f"row 2, column 'zip' of {Q} is empty",
        ),
        ((without(RECORDS, "x") | {"group": [], "zip": []}, SECRETS), {}, "table has no rows"),
    ],
)  # fmt: skip
def test_columns_that_are_not_there_or_not_clear(tables, options, message):
    with pytest.raises(uv.UnveilError, match=re.escape(message)):
        read_anatomy(*tables, **options)


def test_missing_values_have_their_own_error():
    with pytest.raises(MissingValuesError, match="write '\\(missing\\)'"):
        read_anatomy(RECORDS | {"zip": ["1", None, "3"]}, SECRETS)


def test_files_are_named_in_messages(tmp_path):
    (tmp_path / "q.csv").write_text("group;zip\n1;45501\n1;45502\n2;55503\n")
    (tmp_path / "s.csv").write_text("group,disease,count\n1,Flu,1\n1,Heart,1\n2,Flu,5\n")
    with pytest.raises(uv.UnveilError, match=r"group '2' has 1 record in q.csv but 5 .* in s.csv"):
        read_anatomy(tmp_path / "q.csv", tmp_path / "s.csv", microdata=ZIPS)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(uv.UnveilError, match=r"has no quasi_table.csv; give the two files"):
        read_anatomy(tmp_path)
    with pytest.raises(uv.UnveilError, match="is a folder; give it alone, or give two files"):
        read_anatomy(tmp_path, SECRETS)
    RELEASE.write(tmp_path)
    RELEASE.tables()[0].to_parquet(tmp_path / "quasi_table.parquet")
    with pytest.raises(uv.UnveilError, match=r"has both quasi_table.csv and quasi_table.parquet"):
        read_anatomy(tmp_path)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["one.csv"], "a permuted release is two tables; give a folder, or a second file beside"),
        (["one.csv", "two.xlsx"], "two.xlsx' must end in .csv, .parquet, .pq"),
        (["one.csv", "one.csv"], "the two tables cannot both be written to"),
    ],
)
def test_where_it_cannot_be_written(tmp_path, files, message):
    with pytest.raises(uv.UnveilError, match=message):
        RELEASE.write(*(tmp_path / file for file in files))
    assert list(tmp_path.iterdir()) == []


def test_a_release_of_another_table():
    other = uv.read_table({"zip": ["1"], "disease": ["Flu"]}, quasi="zip", sensitive="disease")
    with pytest.raises(
        uv.UnveilError, match=r"is not one of table: .* read_anatomy\(…, microdata=…"
    ):
        check_permuted(RELEASE, other)
    check_permuted(RELEASE, PATIENTS)
