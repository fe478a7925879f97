"""A synthetic census of any size, for benchmarks, demonstrations and tests.

Real microdata that is large enough for timing can rarely be shared. This table is synthetic, but
its columns are correlated as in a census (`_census_model`), so generalizing it costs utility and
publishing it discloses people.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray

from unveil.datasets import _census_model as model
from unveil.microdata import Column, Hierarchy, Kind, Microdata, Role
from unveil.options import Seed, check, checked

_NOTE = "synthetic: made by unveil.datasets.census, about no real person"
INCOME_STEP = 500
INCOME_TOP = 400_000  # top-coded, as a statistical office would
INCOMES = range(0, INCOME_TOP + 1, INCOME_STEP)
HOURS_TOP = 80

Codes = NDArray[np.intp]


@checked
def census(n: int, *, seed: Seed = 0) -> Microdata:
    """Make a synthetic census of ``n`` people.

    All of it is **synthetic**: no record describes a real person, and no number describes a
    country. The columns are correlated as in a census.

    ============ ================ =========== ==============================================
    column       role             kind        values
    ============ ================ =========== ==============================================
    age          quasi-identifier numeric     16 to 95
    sex          quasi-identifier categorical 2
    education    quasi-identifier categorical 10, hierarchy: degree level, degree or not
    marital      quasi-identifier categorical 7, hierarchy: with or without a partner
    occupation   quasi-identifier categorical 24, hierarchy: group, working or not
    zip          quasi-identifier categorical 432, hierarchy: three digits, one digit
    diagnosis    sensitive        categorical 10
    hours        other            numeric     hours worked per week, 0 to 80
    income       other            numeric     yearly income, in steps of 500, top-coded
    ============ ================ =========== ==============================================

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    seed : int, default 0
        Random seed. Same ``n`` and seed, same table. A smaller census is not the beginning of a
        larger one.

    Returns
    -------
    Microdata
        A million people take one or two seconds.

    Examples
    --------
    >>> from unveil.datasets import census
    >>> people = census(10_000)
    >>> people
    Microdata: 10,000 records from synthetic census (n=10000, seed=0)
      age: quasi-identifier, numeric, 80 values
      sex: quasi-identifier, categorical, 2 values
      education: quasi-identifier, categorical, 10 values, hierarchy of ... levels
      ...
      synthetic: made by unveil.datasets.census, about no real person

    Widowed people are older than those who never married:

    >>> table = people.to_frame()
    >>> by_status = table.groupby("marital")["age"].mean()
    >>> bool(by_status["Widowed"] > by_status["Never married"] + 30)
    True
    """
    check("n", Annotated[int, Ge(1)], n)
    rng = np.random.default_rng(seed)

    place = _draw(rng, model.place_weights()[None, :], np.zeros(n, dtype=np.intp))
    town = model.TOWN_SIZE[place]
    age = _draw(rng, model.age_table(), town)
    band = model.BAND_OF_AGE[age]
    sex = _draw(rng, model.sex_table(), age)
    education = _draw(rng, model.education_table(), (band * 2 + sex) * 3 + town)
    marital = _draw(rng, model.marital_table(), band * 2 + sex)
    work = _draw(rng, model.occupation_table(), (band * 2 + sex) * len(model.EDUCATION) + education)
    hours = _hours(rng, work, sex, band)
    income = _income(rng, work, hours, education, age, sex, town)
    groups = int(model.GROUP_OF_OCCUPATION.max()) + 1
    home = (age * 2 + sex) * 2 + model.PARTNERED[marital]
    illness = _draw(rng, model.diagnosis_table(), home * groups + model.GROUP_OF_OCCUPATION[work])

    illnesses = tuple(illness.name for illness in model.DIAGNOSES)
    return Microdata(
        columns=(
            _plain("age", Role.QUASI, Kind.NUMERIC, age, model.AGES),
            _plain("sex", Role.QUASI, Kind.CATEGORICAL, sex, model.SEXES),
            _tree("education", education, model.EDUCATION),
            _tree("marital", marital, model.MARITAL),
            _tree("occupation", work, model.OCCUPATION),
            _tree("zip", place, model.PLACES),
            _plain("diagnosis", Role.SENSITIVE, Kind.CATEGORICAL, illness, illnesses),
            _plain("hours", Role.OTHER, Kind.NUMERIC, hours, range(HOURS_TOP + 1)),
            _plain("income", Role.OTHER, Kind.NUMERIC, income, INCOMES),
        ),
        rows=np.arange(n, dtype=np.int64),
        source=f"synthetic census (n={n}, seed={seed})",
        notes=(_NOTE,),
    )


def _draw(rng: np.random.Generator, table: NDArray[np.float64], row: Codes) -> Codes:
    """Draw from the distribution in each person's row of a table.

    All rows are laid end to end on one line, row r from r to r + 1, so one binary search serves
    people with different distributions.

    >>> _draw(np.random.default_rng(0), np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1, 0]))
    array([0, 1, 0])
    """
    rows, size = table.shape
    ends = np.cumsum(table, axis=1)
    # The last possible value takes what rounding left over.
    last = size - 1 - np.argmax(table[:, ::-1] > 0, axis=1)
    ends[np.arange(size) >= last[:, None]] = 1.0
    line = (ends + np.arange(rows)[:, None]).ravel()
    at = np.searchsorted(line, row + rng.random(len(row)), side="right") - row * size
    return np.asarray(np.minimum(at, last[row]))


def _hours(rng: np.random.Generator, work: Codes, sex: Codes, band: Codes) -> Codes:
    """Hours per week: half of full-timers say 40; women and young people work part-time more."""
    usual = np.array([occupation.hours for occupation in model.OCCUPATIONS])[work]
    part_time = np.array([0.85, 0.45, 0.25, 0.14, 0.13, 0.16, 0.55, 0.8])[band]
    part_time = part_time * np.where(sex == model.FEMALE, 1.15, 0.7)
    mood, noise = rng.random(len(work)), rng.standard_normal(len(work))
    hours = np.where(mood > (1 + part_time) / 2, 40, usual + 5 * noise)
    hours = np.where(mood < part_time, 20 + 6 * noise, hours)
    return np.where(usual > 0, np.clip(np.rint(hours), 1, HOURS_TOP), 0).astype(np.intp)


def _income(
    rng: np.random.Generator, work: Codes, hours: Codes, education: Codes, age: Codes, sex: Codes,
    town: Codes,
) -> Codes:  # fmt: skip
    """Yearly income in steps: log-normal around the mean of work, hours, school and age."""
    pay = np.array([occupation.pay for occupation in model.OCCUPATIONS])[work]
    school = 0.05 * (model.DIPLOMA_YEARS[education] - 12)
    years = np.clip(model.AGES[age] - 18, 0, 40)
    career = 0.035 * years - 0.0005 * years**2 - 0.4
    effort = np.log(np.where(hours > 0, hours, 40) / 40)
    log_income = pay + school + career + effort + 0.08 * town - 0.1 * (sex == model.FEMALE)
    income = np.exp(log_income + 0.35 * rng.standard_normal(len(work)))
    return np.asarray(np.rint(np.minimum(income, INCOME_TOP) / INCOME_STEP), dtype=np.intp)


def _plain(name: str, role: Role, kind: Kind, codes: Codes, domain: Any) -> Column:
    """A column without a hierarchy: its domain is the numbers or words that occur."""
    values = np.array(domain, dtype=object if kind is Kind.CATEGORICAL else None)
    occurs = np.bincount(codes, minlength=len(values)) > 0
    coded = (np.cumsum(occurs) - 1)[codes].astype(np.int32)
    return Column(name=name, role=role, kind=kind, codes=coded, values=values[occurs])


def _tree(name: str, codes: Codes, paths: model.Paths) -> Column:
    """A quasi-identifier with a hierarchy: its domain is all leaves."""
    hierarchy = Hierarchy.from_paths(paths)
    return Column(
        name=name, role=Role.QUASI, kind=Kind.CATEGORICAL, codes=codes.astype(np.int32),
        values=np.array([path[0] for path in paths], dtype=object), hierarchy=hierarchy,
    )  # fmt: skip
