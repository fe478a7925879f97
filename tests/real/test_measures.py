"""Measures of the raw ARX Adult table against plain loops over its lines."""

from __future__ import annotations

import csv
import math
from collections import Counter, defaultdict

import pytest

import unveil as uv

KEYS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass",
        "occupation")  # fmt: skip
SECRET = "salary-class"


@pytest.fixture(scope="module")
def plain(real_data):
    """The classes of the table as dicts of counters, and the values of everybody."""
    file = real_data / "adult_arx" / "adult.csv"
    classes: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    with file.open(newline="") as lines:
        for row in csv.DictReader(lines, delimiter=";"):
            classes[tuple(row[key] for key in KEYS)][row[SECRET]] += 1
    everybody = sum(classes.values(), Counter())
    return file, classes, everybody


def test_adult_as_it_is(plain):
    file, classes, everybody = plain
    found = uv.measures(file, quasi=KEYS, sensitive=SECRET)
    n = sum(everybody.values())
    assert n == found.k_anonymity.records == 30_162

    sizes = [sum(one.values()) for one in classes.values()]
    assert found.k_anonymity.k == min(sizes) == 1
    assert found.k_anonymity.classes == len(classes)
    assert found.uniqueness.unique == sizes.count(1)
    assert found.l_diversity.distinct == min(len(one) for one in classes.values()) == 1
    furthest = max(
        sum(abs(one[value] / sum(one.values()) - everybody[value] / n) for value in everybody) / 2
        for one in classes.values()
    )
    assert found.t_closeness.distance == "equal"
    assert found.t_closeness.t == pytest.approx(furthest, rel=1e-12)
    assert found.reidentification_risk.prosecutor.average == pytest.approx(len(classes) / n)
    assert found.discernibility.cost == sum(size**2 for size in sizes)

    def entropy(counts):
        total = sum(counts.values())
        return -sum(c / total * math.log2(c / total) for c in counts.values() if c)

    left = sum(sum(one.values()) / n * entropy(one) for one in classes.values())
    rate = 1 - left / entropy(everybody)
    assert found.discrimination_rate.rate == pytest.approx(rate, rel=1e-12)


def test_the_file_and_the_microdata_agree(plain, adult_arx):
    file, *_ = plain
    by_engine = uv.measures(file, quasi=KEYS, sensitive=SECRET, distance="equal").to_frame()
    in_memory = uv.measures(adult_arx(KEYS, sensitive=SECRET), distance="equal").to_frame()
    assert by_engine["measure"].tolist() == in_memory["measure"].tolist()
    for a, b in zip(by_engine["value"], in_memory["value"], strict=True):
        assert a == pytest.approx(b, rel=1e-12, nan_ok=True)
