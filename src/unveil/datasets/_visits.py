"""Synthetic hospital visits: several rows of most people, who age, move and fall ill again."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np
from annotated_types import Ge

from unveil.datasets import _census_model as model
from unveil.datasets._census import Codes, _draw, _plain, _tree, census
from unveil.microdata import Column, Kind, Microdata, Persons, Role
from unveil.options import Seed, check, checked

_NOTE = "synthetic: made by unveil.datasets.visits, about no real person"
_FIRST_YEAR, _YEARS = 2019, 5
_AGAIN = 0.6  # of a person's later visits that are for what the first was for
_MOVES = 0.06  # between two visits
_MOST = 60  # visits of one person


@checked
def visits(persons: int, *, seed: Seed = 0) -> Microdata:
    """Make the hospital visits of so many synthetic people, within five years.

    All of it is **synthetic**: no record describes a real person. People are those of `census`.
    Most have one or two visits, a few have dozens: older people and those with a chronic illness
    come more often. Most visits of a person are for the same diagnosis. People grow older, and a
    few move.

    ============ ================ =========== ==============================================
    column       role             kind        values
    ============ ================ =========== ==============================================
    year         quasi-identifier numeric     2019 to 2023
    age          quasi-identifier numeric     16 to 99
    sex          quasi-identifier categorical 2
    zip          quasi-identifier categorical 432, hierarchy: three digits, one digit
    diagnosis    sensitive        categorical 10
    patient      person           categorical whose the visit is
    ============ ================ =========== ==============================================

    Parameters
    ----------
    persons : int
        Number of people, at least 1.
    seed : int, default 0
        Random seed. The same number and seed, the same table.

    Returns
    -------
    Microdata
        About three visits of each person, in no order.

    Examples
    --------
    >>> from unveil.datasets import visits
    >>> stays = visits(1_000)
    >>> len(stays), stays.persons.count, int(stays.persons.rows.max())
    (2972, 1000, 32)
    """
    check("persons", Annotated[int, Ge(1)], persons)
    people = census(persons, seed=seed)
    rng = np.random.default_rng((seed, 1))
    first = people["age"].values[people["age"].codes]
    chronic = people["diagnosis"].decode() != "No diagnosis"
    usual = 0.7 + 0.02 * (first - 16) + 1.3 * chronic
    number = 1 + np.minimum(rng.poisson(usual * rng.gamma(0.8, 1 / 0.8, persons)), _MOST - 1)
    order = rng.permutation(int(number.sum()))
    whose = np.repeat(np.arange(persons), number)[order]
    year = rng.integers(0, _YEARS, len(whose))
    age = first[whose] + year
    return Microdata(
        columns=(
            _plain("year", Role.QUASI, Kind.NUMERIC, year, _FIRST_YEAR + np.arange(_YEARS)),
            _plain("age", Role.QUASI, Kind.NUMERIC, age, np.arange(int(age.max()) + 1)),
            _taken(people["sex"], whose),
            _tree(
                "zip", _places(rng, people["zip"].codes.astype(np.intp), whose, year), model.PLACES
            ),
            _illness(rng, people, whose),
            _names(whose, persons),
        ),
        rows=np.arange(len(whose), dtype=np.int64),
        source=f"synthetic visits (persons={persons}, seed={seed})",
        notes=(_NOTE,),
        persons=Persons(("patient",), whose),
    )


def _taken(column: Column, whose: Codes) -> Column:
    return replace(column, codes=column.codes[whose])


def _places(rng: np.random.Generator, home: Codes, whose: Codes, year: Codes) -> Codes:
    """Where people live at a visit: they move at most once, and stay there."""
    moves = rng.random(len(home)) < 1 - (1 - _MOVES) ** _YEARS
    when = np.where(moves, rng.integers(1, _YEARS, len(home)), _YEARS)
    new = _draw(rng, model.place_weights()[None, :], np.zeros(len(home), dtype=np.intp))
    return np.where(year >= when[whose], new[whose], home[whose])


def _illness(rng: np.random.Generator, people: Microdata, whose: Codes) -> Column:
    """What a visit is for: mostly what the person has, else what somebody of the census has."""
    column = people["diagnosis"]
    other = column.codes[rng.integers(0, len(people), len(whose))]
    again = rng.random(len(whose)) < _AGAIN
    return replace(column, codes=np.where(again, column.codes[whose], other).astype(np.int32))


def _names(whose: Codes, persons: int) -> Column:
    width = len(str(persons))
    return Column(
        name="patient", role=Role.PERSON, kind=Kind.CATEGORICAL, codes=whose.astype(np.int32),
        values=np.array([f"P{number:0{width}d}" for number in range(persons)], dtype=object),
    )  # fmt: skip
