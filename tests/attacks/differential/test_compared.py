"""What findings about several releases say beside each other follows from their numbers."""

from dataclasses import replace

import numpy as np
import pytest

import unveil as uv
from unveil.attacks.differential import compared


@pytest.fixture(scope="module")
def make():
    found = uv.differential_inference(
        uv.datasets.election_survey(), uv.Mondrian(k=5), adversary="naive-bayes"
    )

    def finding(sanitizer, distances, **more):
        n = len(distances)
        return replace(found, sanitizer=sanitizer, distances=np.array(distances),
                       mode_changed=np.zeros(n, dtype=bool), **more)  # fmt: skip

    return finding


def said(*findings):
    return [str(one) for one in compared({finding.sanitizer: finding for finding in findings})]


def test_nothing_tested_nothing_said(make):
    nobody = make("Mondrian(k=5)", [np.nan])
    assert said(nobody) == []
    assert nobody.verdict() == "No one could be tested."


def test_one_anonymization(make):
    one = make("Mondrian(k=5)", [0.1, 0.3])
    assert said(one) == []
    assert "moves by 20 points on average among those tested, and by 30 points" in one.verdict()


def test_the_best_and_no_more(make):
    assert said(
        make("Identity()", [0.5, 0.5]), make("Mondrian(k=2)", [0.2, 0.4]),
        make("Mondrian(k=5)", [0.1, 0.2]),
    ) == [
        "Of the 2 anonymizations, Mondrian(k=5) protects the worst-placed person best "
        "(20 points), and the average person as well (15 points)."
    ]  # fmt: skip


def test_a_better_average_with_a_worse_worst(make):
    best, hidden = said(make("Mondrian(k=2)", [0.2, 0.3]), make("Mondrian(k=5)", [0.0, 0.4]))
    assert best.endswith("Mondrian(k=2) protects the worst-placed person best (30 points), and "
                         "Mondrian(k=5) the average person (20 points).")  # fmt: skip
    assert "from Mondrian(k=2) to Mondrian(k=5) the mean falls (0.250 → 0.200)" in hidden
    assert "(0.300 → 0.400)" in hidden


def test_worse_than_nothing(make):
    plain = make("Identity()", [0.2, 0.3])
    worse = said(plain, make("Mondrian(l=2)", [0.0, 0.31]))
    assert worse[-1].startswith(
        "Under Mondrian(l=2) (0.310), somebody's own record moves belief further"
    )
    more = [make(f"Mondrian(k={k})", [0.0, 0.1 * k]) for k in (4, 5, 6)]
    assert said(plain, *more)[-1].startswith(
        "Under Mondrian(k=4) (0.400), Mondrian(k=5) (0.500) and Mondrian(k=6) (0.600), somebody"
    )


def test_differences_too_small_to_print_are_not_told(make):
    texts = said(make("Mondrian(k=2)", [0.2, 0.3]), make("Mondrian(k=5)", [0.1, 0.30001]))
    assert not any("average can hide" in text for text in texts)


def test_points_only_where_the_distance_is_a_share(make):
    text = make("Mondrian(k=5)", [0.5, 1.5], distance="l1").verdict()
    assert "points" not in text
    assert "by 1.00 on average among those tested, and by 1.50 for the worst-placed of" in text


def test_the_worst_of_a_few_is_not_compared_with_the_worst_of_all(make):
    few = make("Mondrian(k=2)", [0.01])
    assert said(few, make("Mondrian(k=5)", [0.1, 0.2])) == []
