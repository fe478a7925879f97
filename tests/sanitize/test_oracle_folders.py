"""Releases made beforehand: folders and Parquet files, complete, with gaps, and wrong."""

import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_programs import SURVEY, TABLE, decades
from proofs import examples

import unveil as uv
from unveil.errors import InputError
from unveil.sanitize import OracleError

EXPECTED = uv.Oracle(decades)
FULL = EXPECTED.sanitize(SURVEY)


def published(record=None):
    release = FULL if record is None else EXPECTED.sanitize_without(SURVEY, record)
    return release.to_frame()


def assert_same(release, expected):
    pd.testing.assert_frame_equal(release.to_frame(), expected.to_frame())


def assert_complete(oracle, records=range(6)):
    assert_same(oracle.sanitize(SURVEY), FULL)
    for record in records:
        assert_same(
            oracle.sanitize_without(SURVEY, record), EXPECTED.sanitize_without(SURVEY, record)
        )
    assert oracle.can_leave_out(SURVEY).tolist() == list(records)


def write(frame, file):
    if file.name.endswith(".csv.gz"):
        file.write_bytes(gzip.compress(frame.to_csv(index=False).encode()))
    elif file.suffix == ".csv":
        frame.to_csv(file, index=False)
    else:
        frame.to_parquet(file)


def filled(folder, records=range(6), ending=".csv", digits=6):
    folder.mkdir()
    write(published(), folder / f"full{ending}")
    for record in records:
        write(published(record), folder / f"without_{record:0{digits}d}{ending}")
    return folder


def said_by(oracle, microdata=SURVEY):
    with pytest.raises(OracleError) as error:
        oracle.sanitize(microdata)
    return str(error.value)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
@pytest.mark.parametrize("digits", [1, 6, 9])
def test_a_folder_of_files(tmp_path, ending, digits):
    folder = filled(tmp_path / "releases", ending=ending, digits=digits)
    (folder / "README.txt").write_text("not a release")
    assert_complete(uv.Oracle(folder))
    assert_complete(uv.Oracle(str(folder)))


def test_it_is_found_from_anywhere_once_it_was_found(tmp_path, monkeypatch):
    filled(tmp_path / "releases")
    monkeypatch.chdir(tmp_path)
    oracle = uv.Oracle("releases/")
    assert oracle.label == uv.Oracle("releases").label == "Oracle(folder releases/)"
    monkeypatch.chdir("/")
    assert_complete(oracle)
    assert oracle.label == "Oracle(folder releases/)"


def test_gaps(tmp_path):
    folder = filled(tmp_path / "releases", [1, 4], digits=4)
    oracle = uv.Oracle(folder)
    assert_complete(oracle, [1, 4])
    assert oracle.missing_of(SURVEY, [1, 4]) is None
    assert oracle.missing_of(SURVEY, np.arange(6)) == (
        f"{oracle.label} has no release without 4 of the 6 records asked for: without_0000.csv, "
        "without_0002.csv, without_0003.csv and 1 more (rows of the table are counted from 0); "
        "add them, or test only the records whose releases are there with targets='available'"
    )
    with pytest.raises(OracleError) as error:
        oracle.sanitize_without(SURVEY, 2)
    assert "1 of the 1 records asked for: without_0002.csv (rows" in str(error.value)
    finding = uv.differential_inference(SURVEY, oracle, targets="available", jobs=1)
    expected = uv.differential_inference(SURVEY, EXPECTED, targets=[1, 4], jobs=1)
    assert finding.targets.tolist() == [1, 4]
    np.testing.assert_array_equal(finding.distances, expected.distances)
    with pytest.raises(InputError, match="without 4 of the 6 records asked for"):
        uv.differential_inference(SURVEY, oracle, jobs=1)


def test_records_are_numbered_by_the_rows_of_the_source(tmp_path):
    gaps = {**TABLE, "age": [30, None, 38, 41, None, 47]}
    survey = uv.read_table(gaps, quasi=["age", "zip"], sensitive="vote", missing="drop")
    assert survey.rows.tolist() == [0, 2, 3, 5]
    for row, record in ((2, 1), (5, 3)):
        write(uv.Identity().sanitize_without(survey, record).to_frame(),
              tmp_path / f"without_{row}.csv")  # fmt: skip
    write(uv.Identity().sanitize(survey).to_frame(), tmp_path / "full.csv")
    oracle = uv.Oracle(tmp_path)
    assert oracle.can_leave_out(survey).tolist() == [1, 3]
    for record in (1, 3):
        assert_same(
            oracle.sanitize_without(survey, record), uv.Identity().sanitize_without(survey, record)
        )


def test_without_a_release_of_the_whole_table_there_is_nothing_to_compare(tmp_path):
    (tmp_path / "empty").mkdir()
    oracle = uv.Oracle(tmp_path / "empty")
    assert said_by(oracle) == (
        f"{oracle.label} has no release of the whole table: it should be full.csv"
    )
    folder = filled(tmp_path / "releases", ending=".parquet")
    (folder / "full.parquet").unlink()
    assert said_by(uv.Oracle(folder)).endswith("it should be full.parquet")


@pytest.mark.parametrize("number", [6, 700])
def test_numbers_that_the_table_does_not_have(tmp_path, number):
    folder = filled(tmp_path / "releases")
    write(published(1), folder / f"without_{number:06d}.csv")
    oracle = uv.Oracle(folder)
    assert said_by(oracle) == (
        f"{oracle.label} has without_{number:06d}.csv, but the rows of table are numbered from 0 "
        "to 5; is it for another table, or counted from 1?"
    )
    with pytest.raises(OracleError, match="numbered from 0 to 5"):
        oracle.can_leave_out(SURVEY)


def test_one_release_twice(tmp_path):
    folder = filled(tmp_path / "releases")
    write(published(1), folder / "without_1.parquet")
    assert said_by(uv.Oracle(folder)).endswith(
        "has both without_000001.csv and without_1.parquet; remove one"
    )


def test_releases_of_another_table(tmp_path):
    oracle = uv.Oracle(filled(tmp_path / "releases"))
    shorter = uv.read_table(
        SURVEY.to_frame().iloc[:5], quasi=["age", "zip"], sensitive="vote", categorical=["zip"]
    )
    assert said_by(oracle, shorter).endswith(
        "has without_000005.csv, but the rows of pandas table are numbered from 0 to 4; is it for "
        "another table, or counted from 1?"
    )
    assert "returned 6 records for a table of 5" in said_by(oracle, SURVEY.without(2))
    write(published(0), tmp_path / "releases" / "full.csv")
    assert "returned 5 records for a table of 6" in said_by(oracle)
    assert "tried" not in said_by(oracle)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    folder = filled(tmp_path / "releases")
    (folder / "full.csv").write_bytes(b"age,zip,vote\n1,2\n")
    assert "cannot be read: line 2 of full.csv has 2 cells" in said_by(uv.Oracle(folder))
    folder = filled(tmp_path / "others", ending=".parquet")
    (folder / "full.parquet").write_bytes(b"PAR1 and no more")
    assert "cannot be read: cannot read full.parquet as Parquet" in said_by(uv.Oracle(folder))


# One file ---------------------------------------------------------------------------------------


def one_file(file, records=range(6), kind="null", shuffled=False, **options):
    """All releases in one file; ``kind`` says how the full one is marked."""
    parts = []
    for record in (None, *records):
        if kind == "null":
            mark = record
        elif kind == "number":
            mark = -1 if record is None else record
        else:
            mark = "full" if record is None else f"{record:03d}"
        parts.append(published(record).assign(without=mark))
    frame = pd.concat([part.astype({"without": object}) for part in parts], ignore_index=True)
    types = {"null": pa.int32(), "number": pa.int64(), "text": pa.string()}
    column = pa.array(frame["without"].tolist(), type=types[kind])
    table = pa.Table.from_pandas(frame.drop(columns="without")).append_column("without", column)
    if shuffled:  # but each release keeps its own order
        keys = np.random.default_rng(1).integers(0, 3, len(table))
        table = table.take(np.argsort(keys, kind="stable"))
    pq.write_table(table, file, **options)
    return file


@pytest.mark.parametrize("kind", ["null", "number", "text"])
@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_all_releases_in_one_parquet_file(tmp_path, monkeypatch, kind, rows):
    monkeypatch.chdir(tmp_path)
    one_file(tmp_path / "releases.parquet", kind=kind, row_group_size=rows)
    oracle = uv.Oracle("releases.parquet")
    assert oracle.label == "Oracle(releases.parquet)"
    assert_complete(oracle)


def test_whole_numbers_as_pandas_writes_them_with_gaps(tmp_path):
    frame = pd.concat([published().assign(without=np.nan), published(3).assign(without=3)])
    frame.to_parquet(tmp_path / "r.parquet")
    assert_complete(uv.Oracle(tmp_path / "r.parquet"), [3])


@examples(20)
@given(st.sets(st.integers(0, 5)), st.integers(1, 12), st.booleans())
def test_rows_in_any_order_and_parts_of_any_size(tmp_path_factory, records, rows, shuffled):
    file = tmp_path_factory.mktemp("one") / "releases.parquet"
    one_file(file, sorted(records), shuffled=shuffled, row_group_size=rows)
    oracle = uv.Oracle(file)
    assert oracle.can_leave_out(SURVEY).tolist() == sorted(records)
    whole = pq.read_table(file).to_pandas()
    for record in (None, *sorted(records)):
        mine = whole["without"].isna() if record is None else whole["without"] == record
        table = SURVEY if record is None else SURVEY.without(record)
        release = oracle.sanitize(SURVEY) if record is None else (
            oracle.sanitize_without(SURVEY, record)
        )  # fmt: skip
        assert_same(release, uv.read_release(whole[mine].drop(columns="without"), table))


def test_only_the_parts_that_are_needed_are_read(tmp_path, monkeypatch):
    file = one_file(tmp_path / "releases.parquet", row_group_size=6)
    read = []
    whole = pq.ParquetFile.read_row_group
    monkeypatch.setattr(
        pq.ParquetFile, "read_row_group",
        lambda self, group, **kw: read.append(group) or whole(self, group, **kw),
    )  # fmt: skip
    oracle = uv.Oracle(file)
    oracle.sanitize(SURVEY)
    assert read == [0]
    oracle.sanitize_without(SURVEY, 0)
    assert read == [0, 1]
    oracle.sanitize_without(SURVEY, 1)
    assert read == [0, 1, 2]  # the end of the part before was still there


def test_gaps_in_one_file(tmp_path):
    oracle = uv.Oracle(one_file(tmp_path / "releases.parquet", [2]))
    assert oracle.missing_of(SURVEY, [1, 2]) == (
        f"{oracle.label} has no release without 1 of the 2 records asked for: without=1 (rows of "
        "the table are counted from 0); add them, or test only the records whose releases are "
        "there with targets='available'"
    )


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (lambda: published(), "has no column 'without', which says for each row which record its "
                              "release is without (empty: none); its columns are 'age', "),
        (lambda: published().assign(without=3), "has no release of the whole table: it should be "
                                                "the rows with an empty 'without'"),
        (lambda: published().assign(without="me"), "its column 'without' must hold row numbers"),
        (lambda: published().assign(without=0.5), "its column 'without' must hold row numbers"),
        (lambda: pd.concat([published().assign(without=-1), published().assign(without=9)]),
         "has without=9, but the rows of table are numbered from 0 to 5"),
        (lambda: pd.concat([published().assign(without=-1), published().assign(without=-2)]),
         "has without=-2, but the rows of table are numbered from 0 to 5"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_meant(tmp_path, frame, reason):
    frame().to_parquet(tmp_path / "r.parquet")
    assert reason in said_by(uv.Oracle(tmp_path / "r.parquet"))


def test_a_file_that_is_no_parquet(tmp_path):
    (tmp_path / "r.parquet").write_text("age,vote\n")
    assert "cannot be read as Parquet" in said_by(uv.Oracle(tmp_path / "r.parquet"))


def test_a_table_with_such_a_column_of_its_own(tmp_path):
    one_file(tmp_path / "r.parquet")
    survey = uv.read_table({"without": [1, 2], "vote": ["a", "b"]},
                           quasi="without", sensitive="vote")  # fmt: skip
    with pytest.raises(InputError, match="table has a column 'without' of its own"):
        uv.Oracle(tmp_path / "r.parquet").sanitize(survey)


def test_what_is_no_folder(tmp_path):
    (tmp_path / "table.csv").write_text("age\n")
    for source in ("./anonymize", str(tmp_path / "nowhere"), tmp_path / "table.csv", "r.parquet"):
        with pytest.raises(InputError) as error:
            uv.Oracle(source)
        assert str(error.value) == (
            f"{str(source)!r} is no oracle: give a function from table to table, a command such as "
            "'./anonymize {input} {output}', an address such as 'http://127.0.0.1:8000/', or a "
            "folder or .parquet file, which has to be there, of releases made beforehand"
        )
    with pytest.raises(InputError, match=r"^5 is no oracle: give a function"):
        uv.Oracle(5)
    folder = filled(tmp_path / "releases")
    with pytest.raises(InputError, match="takes= is for functions"):
        uv.Oracle(folder, takes="table")


def test_rows_left_out_for_missing_values_may_have_releases_too(tmp_path):
    frame = pd.DataFrame({"age": [30, 34, 41, 47, None], "vote": ["a", "b", "a", "b", "a"]})
    people = uv.read_table(frame, quasi="age", sensitive="vote", missing="drop")
    folder = tmp_path / "releases"
    folder.mkdir()
    complete = frame.dropna()
    complete.to_csv(folder / "full.csv", index=False)
    for row in range(5):  # also for the last one, which nobody will ask for
        complete.drop(row, errors="ignore").to_csv(folder / f"without_{row}.csv", index=False)
    finding = uv.differential_inference(people, uv.Oracle(folder))
    expected = uv.differential_inference(people, uv.Identity())
    np.testing.assert_allclose(finding.distances, expected.distances, atol=1e-12)
