"""Signs that several rows are one person's, where nobody has said whose the rows are."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import unveil as uv
from unveil.errors import PersonsError


def panel(people: int = 40, waves: int = 5) -> pd.DataFrame:
    """Everybody once in each wave, under a number that nothing calls one of people."""
    rng = np.random.default_rng(1)
    who, wave = np.divmod(np.arange(people * waves), waves)
    return pd.DataFrame({
        "nr": who * 7 + 3, "wave": wave + 2000, "sex": rng.choice(["F", "M"], people)[who],
        "born": rng.integers(1940, 2000, people)[who], "job": rng.choice(list("abcdef"), len(who)),
        "ill": rng.choice(["no", "yes"], len(who)),
    })  # fmt: skip


def stays(mean: float, people: int = 300, seed: int = 0) -> pd.DataFrame:
    """Stays without any number of a patient, of people who have so many on average."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), 1 + rng.poisson(mean - 1, people))
    return pd.DataFrame({
        "born": rng.integers(0, 365 * 70, people)[who], "zip": rng.integers(0, 30, people)[who],
        "sex": rng.choice(["F", "M"], people)[who], "ill": rng.choice(list("abc"), len(who)),
    })  # fmt: skip


def test_who_is_never_asked_twice_in_a_wave_is_one_person():
    frame = panel().drop(columns=["sex", "born"])
    with pytest.raises(PersonsError, match=r"'nr': rows of one value never have the same 'wave'"):
        uv.read_table(frame, quasi="job", sensitive="ill")
    assert uv.read_table(frame, quasi="job", sensitive="ill", person="nr").several.count == 40
    assert uv.read_table(frame, quasi="job", sensitive="ill", person=False).several is None


def test_what_stays_in_a_life_tells_a_person_from_a_house():
    frame = panel().drop(columns="wave")
    with pytest.raises(PersonsError, match=r"'nr': rows of one value have the same 'sex' and 'bor"):
        uv.read_table(frame, quasi="job", sensitive="ill")
    household = frame.assign(sex=np.random.default_rng(2).permutation(frame["sex"]))
    assert uv.read_table(household, quasi="job", sensitive="ill").several is None


@pytest.mark.parametrize("frame", [
    panel().drop(columns=["sex", "born"]), panel().drop(columns="wave"),
], ids=["waves", "what stays"])  # fmt: skip
def test_a_file_that_an_engine_counts_is_asked_about_as_well(tmp_path, frame):
    path = tmp_path / "panel.csv"
    frame.to_csv(path, index=False)
    with pytest.raises(PersonsError, match="'nr': rows of one value") as counted:
        uv.measures(path, quasi="job", sensitive="ill")
    with pytest.raises(PersonsError) as read:
        uv.read_csv(path, quasi="job", sensitive="ill")
    assert str(counted.value) == str(read.value)
    assert uv.measures(path, quasi="job", sensitive="ill", person=False).figures
    household = frame.assign(**{name: np.random.default_rng(3).permutation(frame[name])
                                for name in ("wave", "sex") if name in frame})  # fmt: skip
    household.to_csv(path, index=False)
    assert uv.measures(path, quasi="job", sensitive="ill").figures


def test_numbers_that_repeat_by_chance_are_not_asked_about():
    """A postcode, and years in which people of it are asked."""
    rng = np.random.default_rng(3)
    n = 400
    frame = pd.DataFrame({
        "place": rng.integers(0, 80, n), "wave": rng.integers(2000, 2005, n),
        "sex": rng.choice(["F", "M"], n), "born": rng.integers(1940, 2000, n),
        "job": rng.choice(list("abc"), n), "ill": rng.choice(["no", "yes"], n),
    })  # fmt: skip
    table = uv.read_table(frame, quasi="job", sensitive="ill")
    assert table.several is None
    assert table.doubt is None


@pytest.mark.parametrize("quasi", [["born", "zip", "sex"], ["born", "zip"]])
def test_rows_that_are_equal_far_too_often_give_no_verdict(quasi):
    """k is 5 in rows; nobody knows of how many people. Once it is said, there is a verdict."""
    frame = stays(3)
    asked = {"attacks": "measures", "fail_on": "k < 5", "progress": False}
    table = uv.read_table(frame, quasi=quasi, sensitive="ill")
    audit = uv.audit(table, uv.Mondrian(k=5), **asked)
    assert audit.state == "not known"
    assert re.search(r"rows are equal to another in 'born'.*'zip'.*, where chance makes few",
                     audit.verdict())  # fmt: skip
    said = uv.read_table(frame, quasi=quasi, sensitive="ill", person=False)
    assert uv.audit(said, uv.Mondrian(k=5), **asked).state == "passes"
    assert uv.read_table(stays(1), quasi=quasi, sensitive="ill").doubt is None


@pytest.mark.parametrize("n", [60, 2000])
def test_people_with_one_row_each_raise_no_doubt(n):
    """Columns that depend on each other are equal more often than if they did not."""
    for seed in range(5):
        columns = {one.name: one.decode() for one in uv.datasets.census(n, seed=seed).columns}
        quasi = [name for name in columns if name != "diagnosis"]
        assert uv.read_table(columns, quasi=quasi, sensitive="diagnosis").doubt is None


def test_a_town_that_follows_from_its_postcode_makes_nothing_rarer():
    rng = np.random.default_rng(4)
    place = rng.integers(0, 300, 5000)
    born = rng.integers(1930, 2010, 5000)
    columns = {"zip": place, "town": place // 3, "state": place // 30, "born": born,
               "age": 2024 - born, "ill": rng.choice(list("abc"), 5000)}  # fmt: skip
    table = uv.read_table(columns, quasi=list(columns)[:-1], sensitive="ill")
    assert table.doubt is None


def test_a_table_made_to_protect_raises_no_doubt():
    table = uv.datasets.census(500)
    release = uv.Mondrian(k=3).sanitize(table)
    again = uv.read_table(release.to_frame(), quasi=[one.name for one in table.quasi],
                          sensitive=table.sensitive.name)  # fmt: skip
    assert again.doubt is None


# A real panel: 545 men in eight years (Vella and Verbeek 1998)


@pytest.fixture(scope="module")
def wages() -> pd.DataFrame:
    """As the package linearmodels ships it, under the licence of the University of Illinois."""
    from importlib.util import find_spec

    spec = find_spec("linearmodels")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent / "datasets" / "wage_panel"
    return pd.read_csv(folder / "wage_panel.csv.bz2")


KNOWN = ["black", "hisp", "educ", "married", "occupation"]


def test_a_real_panel_is_asked_about(wages):
    assert wages.shape == (4360, 12)
    with pytest.raises(PersonsError, match="rows of one value never have the same 'year'"):
        uv.read_table(wages, quasi=KNOWN, sensitive="union")


def test_men_of_a_real_panel_are_counted_as_by_hand(wages):
    """What pandas counts: who has a row in the class, for attackers of one row and of all rows."""
    table = uv.read_table(wages, quasi=KNOWN, sensitive="union", person="nr")
    assert (len(table), table.several.count) == (4360, 545)
    found = uv.measures(table)
    classes = wages.groupby(KNOWN).ngroup()
    men = wages.groupby(classes)["nr"].nunique()
    fewest = men[classes].groupby(wages["nr"].to_numpy()).min()
    signatures = classes.groupby(wages["nr"]).apply(lambda own: tuple(sorted(own)))
    values = {one.figure.name: one.value for one in found.figures}
    assert values["k"] == fewest.min()
    assert values["unique"] == pytest.approx((fewest == 1).mean())
    assert values["prosecutor_mean"] == pytest.approx((1 / fewest).mean())
    assert values["k_all_rows"] == signatures.value_counts().min()


def test_a_real_panel_counted_in_rows_would_look_safer(wages):
    by_row = uv.measures(uv.read_table(wages, quasi=KNOWN, sensitive="union", person=False))
    by_man = uv.measures(uv.read_table(wages, quasi=KNOWN, sensitive="union", person="nr"))
    mean = [{one.figure.name: one.value for one in found.figures}["prosecutor_mean"]
            for found in (by_row, by_man)]  # fmt: skip
    assert mean[0] < mean[1] / 2
