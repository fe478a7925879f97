"""Classifier utility where a person has several rows: people are held out, and weigh the same."""

from dataclasses import replace

import numpy as np
import pytest
from several_rows import repeated

import unveil as uv
from unveil.microdata import Persons

SURVEY = uv.datasets.election_survey().take(range(0, 900, 5))
QUIET = {"repeats": 3, "progress": False}


def test_one_row_each_changes_nothing():
    named = replace(SURVEY, persons=Persons(("who",), np.arange(len(SURVEY))[::-1].copy()))
    plain, by_person = (
        uv.classifier_utility(uv.Mondrian(k=5), table, **QUIET).to_dict()
        for table in (SURVEY, named)
    )
    assert plain == by_person


def test_equal_rows_of_a_person_count_once():
    several = replace(SURVEY.take(np.repeat(np.arange(len(SURVEY)), 3)),
                      persons=Persons(("who",), np.repeat(np.arange(len(SURVEY)), 3)))  # fmt: skip
    options = {"model": "conditional-frequency", **QUIET}
    plain, found = (uv.classifier_utility(uv.Mondrian(k=5), table, **options)
                    for table in (SURVEY, several))  # fmt: skip
    for name in ("from_release", "from_original", "from_majority"):
        np.testing.assert_allclose(getattr(found, name), getattr(plain, name))
    assert (found.training, found.held_out) == (plain.training, plain.held_out)
    assert "held-out people of" in str(found)


def test_people_are_held_out_and_weigh_the_same(monkeypatch):
    """Nobody is on both sides; the majority is that of people."""
    table, seen = uv.datasets.visits(50), []
    sanitize = uv.Mondrian.sanitize

    def watched(self, microdata):
        seen.append(microdata)
        return sanitize(self, microdata)

    monkeypatch.setattr(uv.Mondrian, "sanitize", watched)
    found = uv.classifier_utility(uv.Mondrian(k=3), table, model="conditional-frequency", **QUIET)
    assert (found.training, found.held_out) == (35, 15)
    whose, secret = table.persons.of, table.sensitive.codes
    for split, part in enumerate(seen):
        assert part.persons.count == 35
        inside = np.isin(table.rows, part.rows)
        assert set(whose[inside]).isdisjoint(whose[~inside])
        weights = np.zeros(table.sensitive.size)
        for person in set(whose[inside].tolist()):
            own = secret[whose == person]
            for one in own:
                weights[one] += 1 / len(own)
        right = [(secret[whose == p] == weights.argmax()).mean()
                 for p in set(whose[~inside].tolist())]  # fmt: skip
        assert found.from_majority[split] == pytest.approx(np.mean(right))
    several, _ = repeated(SURVEY)
    with pytest.raises(uv.errors.InputError, match="are too few for"):
        uv.classifier_utility(uv.Mondrian(k=3), several, held_out=0.001, **QUIET)
