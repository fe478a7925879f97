"""Words follow from the numbers."""

from dataclasses import replace

import numpy as np
import pytest

import unveil as uv
from unveil.report import in_words


@pytest.fixture(scope="module")
def make():
    found = uv.differential_inference(uv.datasets.election_survey(), uv.Mondrian(k=5))

    def finding(sanitizer, distances, **more):
        return replace(found, sanitizer=sanitizer, distances=np.array(distances), **more)

    return finding


def test_nothing_tested_nothing_said(make):
    assert in_words([make("Mondrian(k=5)", [np.nan])]) == []


def test_one_anonymization(make):
    meaning, one = in_words([make("Mondrian(k=5)", [0.1, 0.3])])
    assert "party" in meaning
    assert (
        "Under Mondrian(k=5), the table moves belief by 20 points for the average person, " in one
    )
    assert "by 30 points for the worst-placed one" in one


def test_the_best_and_no_more(make):
    said = in_words([
        make("Identity()", [0.5, 0.5]), make("Mondrian(k=2)", [0.2, 0.4]),
        make("Mondrian(k=5)", [0.1, 0.2]),
    ])  # fmt: skip
    assert said[1].startswith("Published as it is")
    assert said[2] == (
        "Of the 2 anonymizations, Mondrian(k=5) protects the worst-placed person best "
        "(20 points), and the average person as well (15 points)."
    )
    assert len(said) == 3


def test_a_better_average_with_a_worse_worst(make):
    said = in_words([make("Mondrian(k=2)", [0.2, 0.3]), make("Mondrian(k=5)", [0.0, 0.4])])
    assert said[1].endswith("Mondrian(k=2) protects the worst-placed person best (30 points), "
                            "Mondrian(k=5) the average person (20 points).")  # fmt: skip
    assert "from Mondrian(k=2) to Mondrian(k=5) the mean falls (0.250 → 0.200)" in said[2]
    assert "(0.300 → 0.400)" in said[2]


def test_worse_than_nothing(make):
    said = in_words([make("Identity()", [0.2, 0.3]), make("Mondrian(l=2)", [0.0, 0.31])])
    assert said[-1].startswith("Under Mondrian(l=2) (0.310) somebody is worse off than anybody")
    more = [make(f"Mondrian(k={k})", [0.0, 0.1 * k]) for k in (4, 5, 6)]
    said = in_words([make("Identity()", [0.2, 0.3]), *more])
    assert said[-1].startswith(
        "Under Mondrian(k=4) (0.400), Mondrian(k=5) (0.500) and Mondrian(k=6) (0.600) somebody"
    )


def test_differences_too_small_to_print_are_not_told(make):
    said = in_words([make("Mondrian(k=2)", [0.2, 0.3]), make("Mondrian(k=5)", [0.1, 0.30001])])
    assert not any("average can hide" in paragraph for paragraph in said)


def test_points_only_where_the_distance_is_a_share(make):
    said = " ".join(in_words([make("Mondrian(k=5)", [0.5, 1.5], distance="l1")]))
    assert "points" not in said
    assert "by 1.00 for the average person, and by 1.50" in said
