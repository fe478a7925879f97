"""Three attackers, against going through the records one by one."""

import itertools
import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import random_microdata, tables, texts_of
from split_counts import SplitCounts

import unveil as uv
from unveil.engine.counting import Contingency
from unveil.errors import InputError
from unveil.measures import count, reidentification_risk
from unveil.measures._classes import one_pass
from unveil.measures.reidentification._matched import (
    PairedSizes,
    Reading,
    paired,
    people_in_cells,
)
from unveil.measures.reidentification._risk import RiskLooking, risk_in_population
from unveil.microdata import Intervals, Sets

THRESHOLDS = st.sampled_from([0.01, 0.2, 1 / 3, 0.34, 0.5, 1.0])


def plain_risk(sample, people, threshold):
    """Highest, average and share over the threshold, record by record.

    ``people`` says for each record how many people it may be.
    """
    risks = [Fraction(1, n) for n in people]
    over = sum(float(risk) > threshold for risk in risks) / len(sample)
    return float(max(risks)), float(sum(risks) / len(sample)), over


def classes_of(microdata):
    return [texts_of(microdata, i) for i in range(len(microdata))]


def some_of(population, seed):
    """One record or more, and at most everybody, in any order."""
    rng = np.random.default_rng(seed)
    return population.take(rng.permutation(len(population))[: rng.integers(len(population)) + 1])


def assert_prosecutor(found, records, threshold):
    number = Counter(records)
    highest, average, over = plain_risk(records, [number[one] for one in records], threshold)
    assert found.prosecutor.highest == pytest.approx(highest, abs=1e-12)
    assert found.prosecutor.average == pytest.approx(average, abs=1e-12)
    assert found.prosecutor.over == pytest.approx(over, abs=1e-12)
    smallest = min(number.values())
    deciding = found.prosecutor.deciding
    assert deciding.number == sum(n == smallest for n in number.values())
    assert len(deciding.classes) == min(5, deciding.number)
    assert {tuple(c.keys.values()) for c in deciding.classes} <= {
        key for key, n in number.items() if n == smallest
    }


def assert_in_population(found, records, people, threshold):
    """Against a population in which each record may be so many people."""
    highest, average, over = plain_risk(records, people, threshold)
    of_class = dict(zip(records, people, strict=True))
    of_people = len(of_class) / sum(of_class.values())
    assert found.journalist.highest == pytest.approx(highest, abs=1e-12)
    assert found.journalist.average == pytest.approx(max(average, of_people), abs=1e-12)
    assert found.journalist.over == pytest.approx(over, abs=1e-12)
    assert found.marketer.average == pytest.approx(average, abs=1e-12)
    assert found.k_map == min(people)
    assert found.alone_in_both == people.count(1)
    fewest = {key for key, n in of_class.items() if n == min(people)}
    assert found.journalist.deciding.number == len(fewest)
    assert {tuple(c.keys.values()) for c in found.journalist.deciding.classes} <= fewest
    assert {c.people for c in found.journalist.deciding.classes} == {min(people)}
    assert {one.basis for one in found.attackers} == {"exact"}


@examples(150)
@given(tables(), THRESHOLDS, st.integers(0, 2**32 - 1))
def test_the_prosecutor_is_what_the_records_say(microdata, threshold, seed):
    counts = count(microdata)
    found = reidentification_risk(counts, threshold=threshold)
    assert_prosecutor(found, classes_of(microdata), threshold)
    assert (found.records, found.classes) == (len(microdata), len(set(classes_of(microdata))))
    split = reidentification_risk(SplitCounts(counts, seed), threshold=threshold)
    assert split.to_dict() == found.to_dict()
    # Without a population, it is the most that the others can do.
    assert found.journalist.basis == found.marketer.basis == "upper bound"
    assert found.journalist.highest == found.prosecutor.highest
    assert found.marketer.average == found.prosecutor.average
    assert (found.k_map, found.population_size, found.estimate) == (None, None, None)


def cut(pairs: PairedSizes, parts: int) -> list[PairedSizes]:
    """Pairs in several blocks, those that are alike put together."""
    blocks = []
    for rows in np.array_split(np.arange(len(pairs.records))[::-1], parts):
        alike: dict[tuple[int, int], list[int]] = {}
        for g in rows.tolist():
            alike.setdefault((int(pairs.records[g]), int(pairs.people[g])), []).append(g)
        blocks.append(
            PairedSizes(
                records=np.array([f for f, _ in alike], dtype=np.int64),
                people=np.array([F for _, F in alike], dtype=np.int64),
                weights=np.array([len(some) for some in alike.values()], dtype=np.int64),
                key_of=lambda g, alike=alike: pairs.key_of(list(alike.values())[g][0]),
            )
        )
    return blocks


@examples(150)
@given(tables(), st.integers(0, 2**32 - 1), THRESHOLDS, st.integers(1, 4))
def test_a_population_is_looked_up(population, seed, threshold, parts):
    sample = some_of(population, seed)
    found = reidentification_risk(sample, population=population, threshold=threshold)
    records, everybody = classes_of(sample), Counter(classes_of(population))
    assert_prosecutor(found, records, threshold)
    assert_in_population(found, records, [everybody[one] for one in records], threshold)
    counts, there = count(sample), count(population)
    (pairs,), notes = paired(counts, there, {})
    assert notes == ()
    split = risk_in_population(
        counts, cut(pairs, parts), population_size=len(population), threshold=threshold
    )
    assert split.to_dict() == found.to_dict()


@examples(100)
@given(tables(max_size=30), st.integers(0, 2**32 - 1), st.integers(1, 4), st.booleans())
def test_cells_of_a_release_cover_people(population, seed, k, cuts):
    sample = some_of(population, seed)
    sanitizer = uv.Mondrian(k=min(k, len(sample)), regions="cut" if cuts else "tight")
    release = sanitizer.sanitize(sample)
    found = reidentification_risk(release, population=population)
    cells = list(zip(*release.cells(), strict=True))
    people = []
    for g in release.class_of.tolist():
        covered = [
            all(
                regions.covers(int(column.codes[i]))[g]
                for regions, column in zip(release.regions, population.quasi, strict=True)
            )
            for i in range(len(population))
        ]
        people.append(sum(covered))
    records = [cells[g] for g in release.class_of.tolist()]
    assert_prosecutor(found, records, 0.2)
    assert_in_population(found, records, people, 0.2)


@st.composite
def regions_of_a_column(draw, domain):
    """Regions of any shape, some of them empty or wider than the domain."""
    number = draw(st.integers(1, 4))
    if draw(st.booleans()):
        ends = st.lists(st.integers(-1, domain), min_size=number, max_size=number)
        there = draw(st.none() | st.lists(st.booleans(), min_size=domain, max_size=domain))
        return Intervals(
            np.array(draw(ends), dtype=np.int32),
            np.array(draw(ends), dtype=np.int32),
            there=None if there is None else np.array(there),
        )
    sets = draw(st.lists(st.sets(st.integers(0, domain - 1)), min_size=number, max_size=number))
    members = [code for one in sets for code in sorted(one)]
    start = np.cumsum([0, *(len(one) for one in sets)])
    return Sets(start.astype(np.int64), np.array(members, dtype=np.int32))


@examples(200)
@given(st.data())
def test_people_in_cells_of_any_shape_are_counted(data):
    domains = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    regions = [data.draw(regions_of_a_column(domain)) for domain in domains]
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    classes, combinations = rng.integers(1, 12), rng.integers(1, 30)
    cell_of = [rng.integers(0, len(one), classes) for one in regions]
    codes = np.stack([rng.integers(0, n, combinations, dtype=np.int32) for n in domains])
    numbers = rng.integers(1, 5, combinations)
    readings = [Reading(one, n) for one, n in zip(regions, domains, strict=True)]
    found = people_in_cells(cell_of, readings, codes, numbers)
    for g in range(classes):
        covered = [
            all(one.covers(int(codes[j, i]))[cell_of[j][g]] for j, one in enumerate(regions))
            for i in range(combinations)
        ]
        assert found[g] == numbers[covered].sum()


def test_a_population_may_have_values_that_the_original_has_not():
    sample = uv.read_table(
        {"age": [20, 24, 31, 39], "town": ["Rome", "Rome", "Lyon", "Nice"], "s": list("abab")},
        quasi=["age", "town"], sensitive="s",
    )  # fmt: skip
    release = uv.read_release(
        {"age": ["20-29", "20-29", "≥ 30", "≥ 30"], "town": ["Rome", "Rome", "*", "*"],
         "s": list("abab")},
        sample,
    )  # fmt: skip
    people = uv.read_table(
        {"age": [20, 24, 31, 39, 29, 21, 30, 80], "x": list("abababab"),
         "town": ["Rome", "Rome", "Lyon", "Nice", "Rome", "Nice", "Rome", "Oslo"]},
        quasi="age", sensitive="x",
    )  # fmt: skip
    found = reidentification_risk(release, population=people)
    # Rome from 20 to 29: 20, 24 and 29. From 30 on: 31, 39, 30 and 80, wherever they live.
    assert found.k_map == 3
    assert found.marketer.average == pytest.approx((2 / 3 + 2 / 4) / 4)
    assert found.journalist.average == pytest.approx(max((2 / 3 + 2 / 4) / 4, 2 / 7))
    assert reidentification_risk(release, population=people, quasi="age").k_map == 4


@pytest.fixture
def survey():
    rng = np.random.default_rng(3)
    people = pd.DataFrame({
        "age": rng.integers(20, 30, 200), "town": rng.choice(["Rome", "Lyon"], 200),
        "vote": rng.choice(["a", "b"], 200),
    })  # fmt: skip
    return people.iloc[:40], people


def test_a_population_comes_in_any_form(survey, tmp_path):
    sample, people = survey
    keys = ["age", "town"]
    records = list(zip(sample.age, sample.town, strict=True))
    everybody = Counter(zip(people.age, people.town, strict=True))
    marketer = sum(1 / everybody[one] for one in records) / len(records)
    people.to_csv(tmp_path / "people.csv", index=False)
    people.to_parquet(tmp_path / "people.parquet")
    forms = [
        people,
        people.assign(age=people.age.astype(float)),
        tmp_path / "people.csv",
        tmp_path / "people.parquet",
        uv.read_table(people, quasi=keys, sensitive="vote"),
        uv.read_table(people, quasi=["vote", "age"], sensitive="town"),
        count(people, quasi=["vote", "town", "age"]),
    ]
    for form in forms:
        found = reidentification_risk(sample, quasi=keys, population=form)
        assert found.population_size == 200
        assert found.k_map == min(everybody[one] for one in records)
        assert found.marketer.average == pytest.approx(marketer, abs=1e-12)


def test_a_day_is_a_day_whether_it_is_a_date_or_a_midnight(tmp_path):
    days = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-02"])
    moments = pd.DataFrame({"born": days, "vote": list("aba")})
    dates = moments.assign(born=[day.date() for day in days])
    moments.to_csv(tmp_path / "days.csv", index=False)
    moments.to_csv(tmp_path / "midnights.csv", index=False, date_format="%Y-%m-%d %H:%M:%S")
    forms = [
        moments,
        dates,
        uv.read_table(moments, quasi="born", sensitive="vote"),
        tmp_path / "days.csv",
        tmp_path / "midnights.csv",
    ]
    for sample, population in itertools.product(forms, repeat=2):
        found = reidentification_risk(sample, population=population, quasi="born")
        assert (found.k_map, found.alone_in_both) == (1, 1)
    later = moments.assign(born=days + pd.Timedelta(hours=1))
    found = reidentification_risk(moments, population=later, quasi="born")
    assert (found.k_map, found.alone_in_both) == (1, 1)  # a day stands for its moments
    assert "'born': read as cells, which match everybody" in repr(found)
    next_day = moments.assign(born=days + pd.Timedelta(days=9, hours=1))
    text = message(moments, population=next_day, quasi="born")
    assert "has a value of 'born' that '2020-01-01' of pandas table covers" in text


def test_a_worked_example():
    # Classes of 2, 1 and 1 records, of which there are 4, 10 and 1 in the population.
    people = ["a"] * 4 + ["b"] * 10 + ["c"]
    found = reidentification_risk(
        {"key": ["a", "a", "b", "c"]}, quasi="key", population={"key": people}, threshold=0.25
    )
    assert found.prosecutor.highest == 1
    assert found.prosecutor.average == 3 / 4
    assert found.prosecutor.over == 1
    assert found.journalist.highest == 1
    assert found.journalist.over == 1 / 4
    assert found.marketer.average == pytest.approx((2 / 4 + 1 / 10 + 1 / 1) / 4)
    assert found.journalist.average == found.marketer.average
    assert (found.k_map, found.alone_in_both) == (1, 1)
    assert repr(found).splitlines()[1:] == [
        "  smallest: key=b (1 record, 10 in the population); key=c (1 record, 1 in the population)",
        "  k-map: 1 of 15 people, for key=c (1 record, 1 in the population)",
        "  alone in the population: 1 record",
        "",
        "  attacker     highest   average   records over 25%",
        "  prosecutor      100%       75%               100%",
        "  journalist      100%       40%                25%",
        "  marketer           –       40%                  –",
    ]


def test_the_journalist_may_start_from_the_people():
    # Most records are of the larger class; of the people, more are of the smaller one.
    people = {"key": ["a"] * 2 + ["b"] * 30}
    found = reidentification_risk({"key": ["a", *["b"] * 20]}, quasi="key", population=people)
    assert found.marketer.average == pytest.approx((1 / 2 + 20 / 30) / 21)
    assert found.journalist.average == pytest.approx(2 / 32)


def test_it_takes_part_in_the_one_pass():
    counts = count(random_microdata(1, 50, ("flat", "numeric")))
    (found,) = one_pass(counts, [RiskLooking(counts, threshold=0.5)])
    assert found.to_dict() == reidentification_risk(counts, threshold=0.5).to_dict()


def test_a_finding_says_nothing_of_classes_unless_asked(survey):
    sample, people = survey
    for options in ({"population": people}, {"population_size": 900}, {}):
        found = reidentification_risk(sample, quasi=["age", "town"], **options)
        assert "Rome" not in found.to_json()
        assert "Lyon" not in found.to_json()
        told = json.loads(found.to_json(records=True))
        (first, *_) = told["journalist"]["deciding"]["classes"]
        assert set(first["keys"]) == {"age", "town"}
        assert told["marketer"]["highest"] is None


def test_it_is_a_table(survey):
    sample, people = survey
    found = reidentification_risk(sample, quasi=["age", "town"], population=people)
    frame = found.to_frame()
    assert frame["attacker"].tolist() == ["prosecutor", "journalist", "marketer"]
    assert frame["highest"].tolist()[:2] == [found.prosecutor.highest, found.journalist.highest]
    assert frame["highest"].isna().tolist() == [False, False, True]


def message(*args, **options):
    with pytest.raises(InputError) as error:
        reidentification_risk(*args, **options)
    return str(error.value)


@pytest.mark.parametrize("threshold", [0, -0.1, 1.01, float("nan"), "0.2", None])
def test_a_threshold_is_a_probability(survey, threshold):
    assert message(survey[0], quasi="age", threshold=threshold) == (
        f"threshold={threshold!r} is not possible: it must be a number above 0 to 1"
    )


@pytest.mark.parametrize("threshold", [1e-15, 1e-17, 1e-30, 1e-320])
def test_a_threshold_may_be_next_to_nothing(survey, threshold):
    sample, people = survey
    found = reidentification_risk(sample, population=people, quasi="age", threshold=threshold)
    assert found.prosecutor.over == found.journalist.over == 1


def test_the_population_is_said_once(survey):
    sample, people = survey
    said = {"population": people, "population_size": 900, "sampling_fraction": 0.1}
    for two in itertools.combinations(said, 2):
        text = message(sample, quasi="age", **{name: said[name] for name in two})
        assert text == f"give {two[0]}= or {two[1]}=, not both: each says what the population is"


def test_a_population_is_not_smaller_than_its_sample(survey):
    sample, people = survey
    assert message(people, quasi="age", population=sample) == (
        "pandas table has 200 records, but the population (pandas table) only 40 people: the "
        "population must include everybody in the table"
    )
    assert message(people, quasi="age", population_size=199) == (
        "pandas table has 200 records, but the population only 199 people: the population must "
        "include everybody in the table"
    )
    microdata = uv.read_table(people, quasi="age", sensitive="vote")
    release = uv.Mondrian(k=2).sanitize(microdata)
    assert "only 40 people" in message(release, population=microdata.take(range(40)))


def test_numbers_are_numbers(survey):
    assert message(survey[0], quasi="age", population_size=900.5) == (
        "population_size=900.5 is not possible: it must be a whole number from 1 to 1000000000000"
    )
    for fraction in (1.5, "0.1"):
        assert message(survey[0], quasi="age", sampling_fraction=fraction) == (
            f"sampling_fraction={fraction!r} is not possible: it must be a number above 0 to 1"
        )


def test_there_are_not_that_many_people(survey):
    assert message(survey[0], quasi="age", population_size=10**30) == (
        f"population_size={10**30} is not possible: it must be a whole number from 1 to {10**12}"
    )
    assert message(survey[0], quasi="age", sampling_fraction=1e-320) == (
        "sampling_fraction=1e-320 makes pandas table a sample of more than 1,000,000,000,000 "
        "people: it is the share of the population that is in the table"
    )


def test_an_estimator_has_a_name_and_something_to_do(survey):
    assert message(survey[0], quasi="age", estimator="pitmann", population_size=900) == (
        "estimator='pitmann' is not possible: it must be 'pitman' or 'benedetti-franconi'; did you "
        "mean 'pitman'?"
    )
    assert message(survey[0], quasi="age", estimator="pitman") == (
        "estimator='pitman' needs the size of a population: give population_size= or "
        "sampling_fraction="
    )


def test_a_population_without_a_key_is_named(survey):
    sample, people = survey
    assert message(
        sample, quasi=["age", "town"], population=people.rename(columns={"town": "Town"})
    ) == (
        "population: column 'town' is not in pandas table; did you mean 'Town'? (columns: age, "
        "Town, vote)"
    )
    text = message(sample, quasi=["age", "town"], population=count(people, quasi="age"))
    assert text.startswith("population: 'town' is not among the keys that were counted")


def test_another_coding_of_a_column_is_told(survey):
    sample, people = survey
    other = people.assign(town=people.town.str.upper())
    assert message(sample, quasi="town", population=other) == (
        "column 'town' of pandas table has 'Lyon' and 1 more, which nobody in pandas table, the "
        "population, has (its values: LYON, ROME); if it has other names for the same values, "
        "give recode={'town': {'LYON': 'Lyon', 'ROME': 'Rome'}}"
    )
    recode = {"town": {"LYON": "Lyon", "ROME": "Rome"}}
    for table in (other, uv.read_table(other, quasi="town", sensitive="vote")):
        found = reidentification_risk(sample, quasi="town", population=table, recode=recode)
        again = reidentification_risk(sample, quasi="town", population=people)
        assert found.summary() == again.summary()


def test_recodings_that_mean_nothing_are_told(survey):
    sample, people = survey
    assert message(sample, quasi="town", recode={"town": {}}).startswith(
        "recode= is for the values"
    )
    text = message(sample, quasi="town", population=people, recode={"Town": {"a": "b"}})
    assert text.startswith("recode= names the column 'Town', which is not compared")


def test_a_population_behind_generalized_cells(survey):
    """Of a file of cells as of the release that it is."""
    sample, people = survey
    table = uv.read_table(sample, quasi=["age", "town"], sensitive="vote")
    everybody = uv.read_table(people, quasi=["age", "town"], sensitive="vote")
    release = uv.Mondrian(k=3).sanitize(table)
    of_release = reidentification_risk(release, population=everybody)
    of_cells = reidentification_risk(release.to_frame(), quasi=["age", "town"], population=people)
    assert (of_cells.k_map, of_cells.alone_in_both) == (of_release.k_map, of_release.alone_in_both)
    assert of_cells.journalist.average == of_release.journalist.average
    assert "'age'" in of_cells.notes[-1]
    plain = [  # from the definition: everybody whose values lie in all of a class's cells
        sum(bool(release.regions[0].covers(a)[g] and release.regions[1].covers(t)[g])
            for a, t in zip(*_codes_of(people, release), strict=True))
        for g in range(release.n_classes)
    ]  # fmt: skip
    assert of_cells.k_map == min(plain)


def _codes_of(people, release):
    """Where people's values lie among those of a release, which has all of them here."""
    ages, towns = release.quasi
    return (
        [ages.places[str(age)] for age in people.age],
        [towns.places[town] for town in people.town],
    )


def test_people_who_are_not_in_the_population_are_told():
    text = message({"key": ["a", "a", "b"]}, quasi="key", population={"key": ["a", "b", "b"]})
    assert text == (
        "the population has 1 person with key=a, but the sample 2: everybody in the sample must "
        "be in the population, with the same codes in every column; check that it is the right "
        "population, and that both tables use the same codes"
    )


def test_cells_that_the_population_cannot_have_are_told(survey):
    sample, people = survey
    release = uv.Mondrian(k=2).sanitize(uv.read_table(sample, quasi="town", sensitive="vote"))
    other = uv.read_table(
        people.assign(town=people.town.str.upper()), quasi="town", sensitive="vote"
    )
    text = message(release, population=other)
    assert "has 'Lyon' and 1 more, which nobody in pandas table, the population, has (its" in text
    assert text.endswith("recode={'town': {'LYON': 'Lyon', 'ROME': 'Rome'}}")
    found = reidentification_risk(
        release, population=other, recode={"town": {"LYON": "Lyon", "ROME": "Rome"}}
    )
    assert found.population_size == len(people)


def test_cells_that_cover_nobody_are_told():
    text = message({"age": ["30-39"]}, quasi="age", population={"age": list(range(40, 50))})
    assert text == (
        "nobody in table, the population, has a value of 'age' that '30-39' of table covers (its "
        "values are numbers from 40 to 49): everybody in the sample must be in the population, "
        "with the same codes in every column"
    )


def test_classes_must_not_overlap(survey):
    assert message(survey[0], quasi="town", wildcard="*").startswith(
        "re-identification risk needs classes that do not overlap"
    )


class Elsewhere(SplitCounts):
    """Counts that are not in memory."""


def test_counts_elsewhere_are_not_matched_in_memory(survey):
    sample, people = survey
    there: Contingency = Elsewhere(count(people, quasi="town"), 0)
    assert message(sample, quasi="town", population=there) == (
        "pandas table cannot be matched with pandas table: give both as tables"
    )
