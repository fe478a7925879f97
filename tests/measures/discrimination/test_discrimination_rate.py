"""The discrimination rate against plain loops, what holds of it by theory, and what it refuses."""

import json
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from plain_discrimination import plain_entropy, plain_rate, plain_value_rates, rows_of
from proofs import examples
from random_tables import tables, tables_and_goals
from split_counts import SplitCounts

import unveil as uv
from unveil.engine.counting import Held, KeyColumn, Secret
from unveil.errors import InputError
from unveil.measures import Partition, count, discrimination_rate
from unveil.measures._classes import one_pass
from unveil.measures.discrimination._rate import KEPT, DiscriminationLooking

PATIENTS = uv.read_table(
    {
        "age": ["2*", "2*", "3*", "3*", "4*", "4*"],
        "zip": ["1", "2", "1", "1", "2", "2"],
        "disease": ["flu", "flu", "flu", "aids", "none", "aids"],
    },
    quasi=["age", "zip"],
    sensitive="disease",
    categorical="zip",
)


def secrets(microdata):
    return [text for (text,) in rows_of(microdata, [microdata.sensitive.name])]


def some_keys(draw, microdata):
    names = [column.name for column in microdata.quasi]
    return draw(st.lists(st.sampled_from(names), min_size=1, unique=True))


def close(number, other):
    return number == pytest.approx(other, rel=1e-12, abs=1e-12)


@examples(100)
@given(tables(), st.data())
def test_it_is_what_the_rows_say(microdata, data):
    keys = some_keys(data.draw, microdata)
    x, y = secrets(microdata), rows_of(microdata, keys)
    found = discrimination_rate(microdata, by=keys)
    assert (found.records, found.combinations) == (len(microdata), len(set(y)))
    assert found.by == tuple(keys)
    expected = plain_rate(x, y)
    if expected is None:
        assert found.rate is None
        assert found.by_value == ()
        assert found.deciding.number == 0
        assert "undefined, because every record has the same secret" in found.summary()
        return
    assert close(found.rate, expected)
    assert close(found.entropy, plain_entropy(x))
    assert close(found.left, (1 - expected) * plain_entropy(x))
    values = plain_value_rates(x, y)
    assert {tuple(one.values.values()): one.rate for one in found.by_value} == {
        key: pytest.approx(rate, abs=1e-12) for key, rate in values.items()
    }
    assert found.determined == sum(
        len({a for a, c in zip(x, y, strict=True) if c == b}) == 1 for b in y
    )
    best = max(values.values())
    assert found.deciding.number == sum(close(best, rate) for rate in values.values())


@examples(60)
@given(tables(), st.integers(0, 2**32 - 1), st.data())
def test_blocks_and_classes_that_look_alike_change_nothing(microdata, seed, data):
    keys = some_keys(data.draw, microdata)
    partition = data.draw(st.sampled_from([None, "halves"]))
    if partition:
        texts = microdata.sensitive.texts
        partition = [part for part in (list(texts[::2]), list(texts[1::2])) if part]
    whole = discrimination_rate(count(microdata), by=keys, partition=partition)
    split = discrimination_rate(SplitCounts(count(microdata), seed), by=keys, partition=partition)
    assert split.rate == (None if whole.rate is None else pytest.approx(whole.rate, abs=1e-12))
    assert (split.determined, split.combinations) == (whole.determined, whole.combinations)
    assert split.deciding.number == whole.deciding.number
    assert sum(one.alike for one in split.by_value) == len(whole.by_value)
    listed = sorted((one.rate, one.records) for one in split.by_value for _ in range(one.alike))
    assert [rate for rate, _ in listed] == pytest.approx(
        sorted(one.rate for one in whole.by_value), abs=1e-12
    )


@examples(60)
@given(tables(), st.data())
def test_it_is_between_nought_and_one_and_more_keys_say_no_less(microdata, data):
    assume(len(set(secrets(microdata))) > 1)
    keys = some_keys(data.draw, microdata)
    rates = [discrimination_rate(microdata, by=keys[: i + 1]).rate for i in range(len(keys))]
    assert all(0 <= rate <= 1 for rate in rates)
    assert all(less <= more + 1e-12 for less, more in pairwise(rates))


@examples(60)
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(microdata, random):
    order = list(range(len(microdata)))
    random.shuffle(order)
    one, other = discrimination_rate(microdata), discrimination_rate(microdata.take(order))
    assert one.rate == other.rate
    assert one.by_value == other.by_value
    assert one.deciding == other.deciding


@examples(60)
@given(tables())
def test_single_values_are_a_partition_that_changes_nothing(microdata):
    single = [[text] for text in microdata.sensitive.texts]
    semantic = discrimination_rate(microdata, partition=single)
    assert semantic.rate == discrimination_rate(microdata).rate
    assert len(semantic.partition.names) == microdata.sensitive.size


@examples(60)
@given(tables(), st.integers(0, 2**32 - 1))
def test_putting_values_of_a_key_together_never_says_more(microdata, seed):
    assume(len(set(secrets(microdata))) > 1)
    rng = np.random.default_rng(seed)
    counts = count(microdata)
    merged = {
        name: KeyColumn(
            rng.integers(0, 3, len(column.values))[column.codes].astype(np.int64), ("a", "b", "c")
        )
        for name, column in counts.columns.items()
    }
    coarse = Held(
        keys=merged, secret=counts.secret, class_of=counts.histograms.class_of,
        codes=counts.histograms.codes, numbers=counts.histograms.numbers, source="coarse",
    )  # fmt: skip
    assert discrimination_rate(coarse).rate <= discrimination_rate(counts).rate + 1e-12


@examples(40)
@given(tables_and_goals(max_size=25))
def test_a_release_never_says_more_than_what_it_was_made_from(case):
    microdata, options = case
    released = discrimination_rate(
        uv.Mondrian(
            **options,
        ).sanitize(microdata)
    )
    original = discrimination_rate(microdata)
    if original.rate is None:
        assert released.rate is None
    else:
        assert released.rate <= original.rate + 1e-12


@examples(60)
@given(tables(), st.data())
def test_the_rate_of_one_combination(microdata, data):
    keys = some_keys(data.draw, microdata)
    x, y = secrets(microdata), rows_of(microdata, keys)
    one = y[data.draw(st.integers(0, len(y) - 1))]
    found = discrimination_rate(microdata, value=dict(zip(keys, one, strict=True)))
    assert found.value.records == y.count(one)
    if len(set(x)) == 1:
        assert found.rate is None
        assert "undefined" in found.summary()
    else:
        assert close(found.rate, plain_value_rates(x, y)[one])


def test_all_in_one_pass_is_the_same():
    counts = count(PATIENTS)
    partition = {"sick": ["flu", "aids"], "well": ["none"]}
    plain, semantic = one_pass(
        counts, [DiscriminationLooking(counts), DiscriminationLooking(counts, partition=partition)]
    )
    assert plain.rate == discrimination_rate(PATIENTS).rate
    assert semantic.rate == discrimination_rate(PATIENTS, partition=partition).rate


def test_any_column_can_be_told():
    found = discrimination_rate(PATIENTS, of="zip")
    assert (found.of, found.by) == ("zip", ("age",))
    age, zips = rows_of(PATIENTS, ["age"]), rows_of(PATIENTS, ["zip"])
    assert close(found.rate, plain_rate(zips, age))
    other = discrimination_rate(PATIENTS, of="zip", by=["disease", "age"])
    assert close(other.rate, plain_rate(zips, rows_of(PATIENTS, ["disease", "age"])))


def test_the_cells_of_a_release_can_be_told():
    release = uv.Mondrian(k=2).sanitize(PATIENTS)
    frame = release.to_frame()
    found = discrimination_rate(release, of="zip")
    assert (found.of, found.by) == ("zip", ("age",))
    expected = plain_rate(frame["zip"].tolist(), frame["age"].tolist())
    assert found.rate == (None if expected is None else pytest.approx(expected))
    by_age = discrimination_rate(release, by="age")
    assert close(by_age.rate, plain_rate(frame["disease"].tolist(), frame["age"].tolist()))


def test_a_table_in_memory_and_an_engine_say_the_same():
    frame = PATIENTS.to_frame()
    mine = discrimination_rate(PATIENTS, by="age")
    theirs = discrimination_rate(frame, of="disease", by="age")
    assert theirs.rate == mine.rate
    assert theirs.by_value == mine.by_value
    alone = discrimination_rate(frame, of="disease", value={"age": "3*"})
    assert alone.rate == pytest.approx(
        next(v.rate for v in mine.by_value if v.values["age"] == "3*")
    )


def test_an_engine_that_counts_what_looks_alike_says_the_same(monkeypatch):
    from unveil.engine.counting import _in_engine

    monkeypatch.setattr(_in_engine, "PROBED", 10)  # as if a small table were a large one
    monkeypatch.setattr(_in_engine, "FEW", 0.0)
    rng = np.random.default_rng(5)
    table = {
        "age": rng.integers(0, 300, 400), "zip": rng.integers(0, 30, 400).astype(str),
        "disease": rng.choice(["flu", "aids", "none"], 400),
    }  # fmt: skip
    far = count(table, quasi=["age", "zip"], sensitive="disease")
    assert not isinstance(far, Held)
    found = discrimination_rate(far)
    near = discrimination_rate(uv.read_table(table, quasi=["age", "zip"], sensitive="disease"))
    assert close(found.rate, near.rate)
    assert (found.combinations, found.determined) == (near.combinations, near.determined)
    assert found.deciding.number == near.deciding.number


def test_a_missing_value_is_a_value():
    table = {"age": ["2*", "2*", None, None], "disease": ["flu", None, None, None]}
    found = discrimination_rate(table, of="disease", by="age")
    x = ["flu", "-", "-", "-"]
    assert close(found.rate, plain_rate(x, ["2*", "2*", "-", "-"]))
    assert discrimination_rate(table, of="disease", value={"age": None}).rate == 1
    named = discrimination_rate(
        table, of="disease", by="age", partition={"sick": ["flu"], "unknown": [None]}
    )
    assert named.rate == found.rate


def test_only_the_most_telling_are_listed():
    n = KEPT + 200
    table = uv.read_table(
        {"key": [*range(n), *range(20)], "secret": ["a"] * n + ["b"] * 20},
        quasi="key", sensitive="secret",
    )  # fmt: skip
    found = discrimination_rate(table)
    assert len(found.by_value) == KEPT
    assert found.combinations == n
    assert found.unlisted == n - KEPT
    assert "only the most telling are listed by value; 200 combinations are not" in found.summary()
    assert all(one.rate == 1 for one in found.by_value)
    split = discrimination_rate(SplitCounts(count(table), 3))
    assert split.unlisted == 0  # those that look alike are one
    assert sum(one.alike for one in split.by_value) == n


def test_the_most_telling_of_many_blocks():
    rng = np.random.default_rng(0)
    n = 3000
    table = uv.read_table(
        {"key": rng.integers(0, 700, n), "secret": rng.integers(0, 40, n)},
        quasi="key", sensitive="secret",
    )  # fmt: skip
    whole, split = discrimination_rate(table), discrimination_rate(SplitCounts(count(table), 1))
    assert len(whole.by_value) == KEPT
    listed = [(v.rate, v.records) for v in split.by_value for _ in range(v.alike)]
    assert [(pytest.approx(v.rate, abs=1e-12), v.records) for v in whole.by_value] == listed[:KEPT]


def test_what_it_says():
    found = discrimination_rate(PATIENTS, by="age")
    assert found.summary().splitlines() == [
        "Discrimination rate of disease by age, in table: 0.543 (simple)",
        "  of 1.459 bits, knowing age leaves 0.667 open",
        "  6 records with 3 values, which determine disease for 2 of them",
        "  tells most, 1.000: age=2* (2 records)",
    ]
    both = discrimination_rate(PATIENTS, partition={"well": ["none"], "sick": ["flu", "aids"]})
    head = both.summary().splitlines()[0]
    assert head.startswith("Discrimination rate of disease by age and zip, in table: 0.4")
    assert head.endswith(" (combined, semantic with 2 categories)")
    assert found.resistance == 1 - found.rate
    frame = found.to_frame()
    assert frame.columns.tolist() == ["age", "rate", "records", "entropy", "alike"]
    assert frame["age"].tolist() == ["2*", "3*", "4*"]


def test_json_names_nobody_unless_asked():
    found = discrimination_rate(PATIENTS, partition={"well": ["none"], "sick": ["flu", "aids"]})
    told = json.loads(found.to_json())
    assert told["rate"] == found.rate
    assert told["partition"] == {"well": ["none"], "sick": ["aids", "flu"]}
    assert "2*" not in found.to_json()
    assert "2*" in found.to_json(records=True)
    alone = discrimination_rate(PATIENTS, value={"age": "3*"})
    assert "3*" not in alone.to_json()
    assert json.loads(alone.to_json(records=True))["value"]["values"] == {"age": "3*"}
    assert alone.to_frame()["rate"].tolist() == [alone.rate]


def test_undefined_is_no_number():
    same = uv.read_table({"age": [1, 2], "disease": ["flu", "flu"]}, quasi="age",
                         sensitive="disease")  # fmt: skip
    found = discrimination_rate(same)
    assert (found.rate, found.resistance, found.entropy) == (None, None, 0.0)
    assert found.combinations == found.determined == 2
    told = json.loads(found.to_json(records=True))
    assert told["rate"] is None
    assert told["undefined"].startswith("undefined, because every record has the same disease")
    in_one = discrimination_rate(PATIENTS, partition=[["flu", "aids", "none"]])
    assert in_one.rate is None
    assert "is in the same category of disease" in in_one.summary()


def test_a_key_may_be_called_like_a_column_of_the_frame():
    table = uv.read_table({"rate": [1, 2], "disease": ["a", "b"]}, quasi="rate",
                          sensitive="disease")  # fmt: skip
    assert discrimination_rate(table).to_frame().columns.tolist() == [
        "rate", "rate of the values", "records", "entropy", "alike"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "agee"}, "column 'agee' is not in table; did you mean 'age'"),
        ({"of": "zipp"}, "column 'zipp' is not in table; did you mean 'zip'"),
        ({"of": "age", "by": ["age", "zip"]}, "'age' cannot be both in of= and in by="),
        ({"of": ["age"]}, r"of= must be one column name, but got \['age'\]"),
        ({"by": []}, "at least one key"),
        ({"by": "age", "value": {"age": "2*"}}, "give by= or value=, not both"),
        ({"value": {}}, "value= must map keys to values"),
        ({"value": {"age": "5*"}}, "column 'age' has no value '5\\*' in table"),
        ({"value": {"age": "2*", "disease": "aids"}, "of": "zip"}, "nobody in table has age=2"),
    ],
)
def test_it_refuses(options, message):
    with pytest.raises(InputError, match=message):
        discrimination_rate(PATIENTS, **options)


def test_it_refuses_what_was_counted_otherwise():
    with pytest.raises(
        InputError, match="counts are of 'disease', not of 'zip': count the table again"
    ):
        discrimination_rate(count(PATIENTS), of="zip")
    release = uv.Mondrian(k=2).sanitize(PATIENTS)
    with pytest.raises(InputError, match=r"'zipp' is not in the release by .*did you mean 'zip'"):
        discrimination_rate(release, of="zipp")


def test_it_refuses_classes_that_overlap():
    table = {"age": ["2*", "*", "3*"], "disease": ["flu", "aids", "flu"]}
    with pytest.raises(InputError, match="needs classes that do not overlap"):
        discrimination_rate(table, of="disease", by="age", wildcard="*")


def test_it_refuses_an_empty_table():
    nobody = Held(
        keys={"age": KeyColumn(np.array([], dtype=np.int64), ())},
        secret=Secret(name="disease", values=("flu",)), class_of=np.array([], dtype=np.int64),
        codes=np.array([], dtype=np.int64), numbers=np.array([], dtype=np.int64), source="nobody",
    )  # fmt: skip
    with pytest.raises(InputError, match="nobody has no records"):
        discrimination_rate(nobody)


def test_a_partition_read_once_fits_again():
    partition = Partition.of([["flu"], ["aids", "none"]], count(PATIENTS).secret)
    once = discrimination_rate(PATIENTS, partition=partition)
    assert once.rate == discrimination_rate(PATIENTS, partition=[["flu"], ["aids", "none"]]).rate


def test_importing_it_imports_nothing_heavy():
    program = (
        "import sys, unveil.measures.discrimination\n"
        "print({'ibis', 'pandas', 'sklearn', 'pyspark', 'matplotlib'} & set(sys.modules))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert told.stdout.strip() == "set()", told.stderr


@examples(30)
@given(counts=st.lists(st.integers(1, 60), min_size=2, max_size=6), copies=st.integers(2, 7))
def test_keys_that_tell_nothing_have_a_rate_of_exactly_nought(counts, copies):
    """Every class has the same shares of all values: not even the last bit tells anything."""
    values = [f"v{n}" for n, times in enumerate(counts) for _ in range(times)]
    table = uv.read_table(
        {"key": [copy for copy in range(copies) for _ in values], "secret": values * copies},
        quasi="key", sensitive="secret",
    )  # fmt: skip
    assert uv.discrimination_rate(table, of="secret", by="key").rate == 0.0
