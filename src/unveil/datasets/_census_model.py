"""The model of `unveil.datasets.census`: which columns depend on which, and how much.

All numbers are invented, in the shape of a rich country's census: few people are very old, widows
are, places differ in size, work depends on education. Each column is drawn given the ones before
it::

    zip -> age -> sex -> education -> marital -> occupation -> hours -> income
                                                    diagnosis (age, sex, marital, occupation)

A *table* has one probability distribution per row. The row is the combination of the columns it
depends on, numbered in the order of the axes that its function names.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Paths = tuple[tuple[str, ...], ...]

# ---- places: nine regions of six areas of eight ZIP codes ------------------------------------

# No region 0: a spreadsheet would drop the leading zero, and with it the prefix.
PLACES: Paths = tuple(
    (f"{area}{place:02d}", f"{area}**", f"{region}****", "*")
    for region in range(1, 10)
    for area in (f"{region}{7 * i + region:02d}" for i in range(6))
    for place in range(1, 96, 12)
)
# 187 and 432 have no common factor: a fixed shuffle, so every region has large places.
_RANK = np.arange(len(PLACES)) * 187 % len(PLACES)
TOWN_SIZE: NDArray[np.intp] = np.digitize(-_RANK, [-119, -19])  # 0 country, 1 town, 2 city


def place_weights() -> Floats:
    """Share of each place: Zipf's law, the r-th largest has about r^-0.8 as many people."""
    weights = (_RANK + 1.0) ** -0.8
    return np.asarray(weights / weights.sum())


# ---- age and sex -----------------------------------------------------------------------------

AGES: NDArray[np.int64] = np.arange(16, 96)
BAND_OF_AGE: NDArray[np.intp] = np.digitize(AGES, [18, 22, 25, 35, 50, 65, 80])
SEXES = ("Female", "Male")
FEMALE = 0


def age_table() -> Floats:
    """Age given the size of the town: two large cohorts, then mortality; cities are younger."""
    cohorts = 1 + 0.15 * np.exp(-(((AGES - 33) / 8) ** 2)) + 0.2 * np.exp(-(((AGES - 58) / 7) ** 2))
    survival = np.exp(-np.exp((AGES - 84) / 8))
    town = np.arange(3)[:, None]
    return _shares(cohorts * survival * np.exp(-0.006 * (town - 1) * (AGES - 45)))


def sex_table() -> Floats:
    """Sex given the age: women live longer."""
    women = 0.49 + 0.17 / (1 + np.exp((78 - AGES) / 6))
    return np.stack([women, 1 - women], axis=1)


# ---- education and marital status ------------------------------------------------------------

EDUCATION: Paths = (
    ("Up to 8th grade", "No diploma", "No degree", "*"),
    ("Some high school", "No diploma", "No degree", "*"),
    ("High school diploma", "Diploma", "No degree", "*"),
    ("Vocational certificate", "Diploma", "No degree", "*"),
    ("Some college", "Diploma", "No degree", "*"),
    ("Associate degree", "Undergraduate degree", "Degree", "*"),
    ("Bachelor's degree", "Undergraduate degree", "Degree", "*"),
    ("Master's degree", "Graduate degree", "Degree", "*"),
    ("Professional degree", "Graduate degree", "Degree", "*"),
    ("Doctorate", "Graduate degree", "Degree", "*"),
)
DIPLOMA_YEARS: Floats = np.array([7.0, 10, 12, 13, 13, 14, 16, 18, 19, 21])
_TIER = np.array([0, 0, 1, 1, 1, 2, 2, 3, 3, 3])
_PROFESSIONAL = 8

_EDUCATION_BY_BAND = np.array(
    [
        [12, 84, 4, 0, 0, 0, 0, 0, 0, 0],  # 16-17
        [2, 12, 36, 6, 42, 2, 0, 0, 0, 0],  # 18-21
        [2, 7, 27, 8, 28, 8, 19, 1, 0, 0],  # 22-24
        [3, 6, 23, 9, 15, 10, 24, 8, 1, 1],  # 25-34
        [4, 6, 24, 9, 14, 10, 21, 9, 1.5, 1.5],  # 35-49
        [4, 7, 29, 9, 15, 9, 17, 7, 1.5, 1.5],  # 50-64
        [6, 9, 32, 8, 15, 6, 14, 7, 1.5, 1.5],  # 65-79
        [12, 13, 34, 6, 13, 4, 11, 5, 1, 1],  # 80-95
    ]
)

MARITAL: Paths = (
    ("Married", "With a partner", "*"),
    ("Civil partnership", "With a partner", "*"),
    ("Cohabiting", "With a partner", "*"),
    ("Never married", "Without a partner", "*"),
    ("Separated", "Without a partner", "*"),
    ("Divorced", "Without a partner", "*"),
    ("Widowed", "Without a partner", "*"),
)
PARTNERED: NDArray[np.intp] = np.array([path[1] == "With a partner" for path in MARITAL], np.intp)

_MARITAL_BY_BAND = np.array(
    [
        [0.2, 0, 0.8, 99, 0, 0, 0],
        [3, 0.3, 8, 88, 0.4, 0.2, 0.1],
        [13, 1, 17, 67, 1, 1, 0],
        [42, 2.5, 17, 33, 2, 3.3, 0.2],
        [60, 2.5, 9, 14, 3.5, 10.3, 0.7],
        [61, 1.5, 5, 9, 3, 17, 3.5],
        [58, 0.8, 3, 5.5, 1.7, 14, 17],
        [35, 0.3, 1.2, 4.5, 0.7, 5.3, 53],
    ]
)
_MARITAL_BY_SEX = np.array([[1, 1, 1, 0.92, 1.1, 1.12, 1.45], [1, 1, 1, 1.08, 0.9, 0.88, 0.5]])


def education_table() -> Floats:
    """Education given (age band, sex, town size): older men and younger women have more."""
    rung = np.arange(len(EDUCATION)) - 4.5
    of_women = np.array([0.05, 0.08, 0.08, 0.07, 0.05, 0.0, -0.08, -0.12])[:, None, None]
    tilt = of_women * np.array([1, -1])[:, None] + 0.12 * (np.arange(3) - 1)
    return _shares(_EDUCATION_BY_BAND[:, None, None, :] * np.exp(tilt[..., None] * rung))


def marital_table() -> Floats:
    """Marital status given (age band, sex): mostly women are widowed."""
    return _shares(_MARITAL_BY_BAND[:, None, :] * _MARITAL_BY_SEX)


# ---- work ------------------------------------------------------------------------------------


class Occupation(NamedTuple):
    """One occupation, and who has it."""

    name: str
    group: str
    tiers: tuple[float, float, float, float]  # weight by highest degree: none … graduate
    women: float  # share of women among equally educated people
    pay: float  # log of yearly income at 40 hours and 12 years of school
    hours: float


_HEALTH, _OFFICE, _TECH = "Health and teaching", "Business and law", "Science and technology"
_SERVICE, _MANUAL = "Trade and service", "Production and transport"
_LEARNING, _HOME = "Student or unemployed", "Home or retired"

OCCUPATIONS = (
    Occupation("Physician", _HEALTH, (0, 0, 0, 6), 0.45, 11.2, 50),
    Occupation("Nurse", _HEALTH, (0, 3, 9, 4), 0.85, 10.5, 38),
    Occupation("Teacher", _HEALTH, (0, 1, 10, 20), 0.72, 10.3, 41),
    Occupation("Care worker", _HEALTH, (8, 7, 2, 0.5), 0.83, 10.0, 35),
    Occupation("Manager", _OFFICE, (2, 7, 15, 18), 0.38, 10.9, 45),
    Occupation("Accountant", _OFFICE, (0, 2, 8, 6), 0.58, 10.5, 41),
    Occupation("Lawyer", _OFFICE, (0, 0, 0.2, 6), 0.42, 11.0, 48),
    Occupation("Office clerk", _OFFICE, (5, 13, 9, 3), 0.74, 10.15, 38),
    Occupation("Engineer", _TECH, (0, 1, 7, 8), 0.18, 10.7, 42),
    Occupation("Software developer", _TECH, (0, 2, 8, 8), 0.22, 10.8, 42),
    Occupation("Technician", _TECH, (2, 7, 6, 2), 0.27, 10.4, 40),
    Occupation("Researcher", _TECH, (0, 0, 1, 9), 0.46, 10.4, 43),
    Occupation("Salesperson", _SERVICE, (11, 13, 8, 2), 0.53, 10.05, 36),
    Occupation("Cook or waiter", _SERVICE, (14, 9, 3, 0.5), 0.52, 9.85, 34),
    Occupation("Cleaner", _SERVICE, (13, 5, 1, 0.2), 0.68, 9.8, 32),
    Occupation("Police or guard", _SERVICE, (1, 4, 3, 1), 0.2, 10.4, 42),
    Occupation("Machine operator", _MANUAL, (14, 9, 2, 0.3), 0.3, 10.2, 41),
    Occupation("Builder", _MANUAL, (14, 9, 2, 0.3), 0.05, 10.3, 42),
    Occupation("Driver", _MANUAL, (11, 7, 2, 0.3), 0.1, 10.15, 44),
    Occupation("Farmer", _MANUAL, (5, 2, 1, 0.5), 0.25, 10.0, 50),
    Occupation("Student", _LEARNING, (1, 1, 1, 1), 0.5, 8.4, 0),
    Occupation("Unemployed", _LEARNING, (1.9, 1.2, 0.8, 0.5), 0.5, 9.0, 0),
    Occupation("Homemaker", _HOME, (1.4, 1.1, 0.9, 0.7), 0.5, 8.0, 0),
    Occupation("Retired", _HOME, (1.1, 1, 1, 0.9), 0.5, 9.9, 0),
)
_WORKING = sum(occupation.hours > 0 for occupation in OCCUPATIONS)
_GROUPS = tuple(dict.fromkeys(occupation.group for occupation in OCCUPATIONS))
OCCUPATION: Paths = tuple(
    (work.name, work.group, "Working" if work.hours else "Not working", "*") for work in OCCUPATIONS
)
GROUP_OF_OCCUPATION: NDArray[np.intp] = np.array([_GROUPS.index(w.group) for w in OCCUPATIONS])

# Percent of an age band that is student, unemployed, homemaker, retired: women, men.
_NOT_WORKING = np.array(
    [
        [[88, 4, 0.5, 0], [88, 4, 0.1, 0]],
        [[54, 6, 4, 0], [50, 8, 0.5, 0]],
        [[21, 6, 6, 0], [19, 8, 0.7, 0]],
        [[4, 5, 13, 0], [4, 6, 1.5, 0]],
        [[1, 4.5, 13, 0.7], [1, 4.5, 2, 0.7]],
        [[0.3, 4, 12, 13], [0.3, 5, 2.5, 11]],
        [[0, 0.7, 6, 78], [0, 1.3, 1.5, 74]],
        [[0, 0.1, 3, 94], [0, 0.2, 0.5, 94]],
    ]
)


def occupation_table() -> Floats:
    """Occupation given (age band, sex, education)."""
    tiers = np.array([work.tiers for work in OCCUPATIONS])[:, _TIER].T  # education × occupation
    women = np.array([work.women for work in OCCUPATIONS])
    by_sex = np.stack([women, 1 - women])

    at_work = by_sex[:, None, :_WORKING] * tiers[:, :_WORKING]  # sex × education × occupation
    licensed = [i for i, work in enumerate(OCCUPATIONS) if work.name in {"Physician", "Lawyer"}]
    at_work[:, _PROFESSIONAL, licensed] *= 12
    at_work /= at_work.sum(axis=-1, keepdims=True)

    idle = _NOT_WORKING[:, :, None, :] / 100 * tiers[:, _WORKING:]  # band × sex × education × 4
    idle /= np.maximum(idle.sum(axis=-1, keepdims=True), 1)
    working = 1 - idle.sum(axis=-1, keepdims=True)
    return _shares(np.concatenate([working * at_work, idle], axis=-1))


# ---- health ----------------------------------------------------------------------------------


class Diagnosis(NamedTuple):
    """Log-odds against 'No diagnosis' for a partnered man of fifty, and what shifts them."""

    name: str
    base: float
    decade: float  # per decade of age
    woman: float
    alone: float
    strain: dict[str, float]  # by occupation group


DIAGNOSES = (  # sorted by name, as readers sort them
    Diagnosis("Asthma", -2.1, 0.05, 0.15, 0.0, {_MANUAL: 0.7, _SERVICE: 0.3}),
    Diagnosis("Back pain", -1.3, 0.2, 0.1, 0.0, {_MANUAL: 1.1, _HEALTH: 0.5, _OFFICE: 0.2}),
    Diagnosis("Cancer", -2.4, 0.6, -0.1, 0.0, {_MANUAL: 0.2}),
    Diagnosis("Depression", -2.0, 0.15, 0.55, 0.6, {_LEARNING: 0.5, _HEALTH: 0.3}),
    Diagnosis("Diabetes", -1.9, 0.5, -0.15, 0.1, {_MANUAL: 0.3, _SERVICE: 0.2, _LEARNING: 0.3}),
    Diagnosis("HIV", -4.8, 0.0, -1.1, 0.9, {}),
    Diagnosis("Heart disease", -2.4, 0.75, -0.5, 0.2, {_MANUAL: 0.3, _LEARNING: 0.2}),
    Diagnosis("Hypertension", -0.9, 0.55, -0.1, 0.1, {_OFFICE: 0.3, _LEARNING: 0.1}),
    Diagnosis("Migraine", -2.6, 0.05, 1.2, 0.0, {_OFFICE: 0.3, _TECH: 0.2}),
    Diagnosis("No diagnosis", 0.0, 0.0, 0.0, 0.0, {}),
)


def diagnosis_table() -> Floats:
    """Diagnosis given (age, sex, has a partner, occupation group)."""
    base, decade, woman, alone = (
        np.array([getattr(illness, effect) for illness in DIAGNOSES])
        for effect in ("base", "decade", "woman", "alone")
    )
    strain = np.array([[ill.strain.get(group, 0.0) for ill in DIAGNOSES] for group in _GROUPS])
    by_age = ((AGES - 50) / 10)[:, None, None, None, None] * decade
    by_sex = np.array([1, 0])[:, None, None, None] * woman
    by_partner = np.array([1, 0])[:, None, None] * alone
    return _shares(np.exp(base + by_age + by_sex + by_partner + strain))


def _shares(weights: Floats) -> Floats:
    """Weights as one probability distribution per row."""
    rows = weights.reshape(-1, weights.shape[-1])
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))
