"""Codes and hierarchies: masked ends, levels of a tree, words made from codes."""

from __future__ import annotations

import random
from datetime import date

from pair_recipes.pair import Pair, Sheet, coarse, dropped, recipe, unchanged
from pair_recipes.people import people, weighted

TODAY = date(2024, 4, 1)
SEX = {"m": "male", "f": "female"}


@recipe
def masked_codes(rng: random.Random) -> Pair:
    jobs = ["111", "112", "116", "221", "222", "226", "512", "513", "516", "832", "833"]
    rows, out = [], []
    for number, one in enumerate(people(rng, 180)):
        job, low = rng.choice(jobs), one.age(TODAY) // 10 * 10
        code = f"{rng.choice(['E11', 'F32', 'I50', 'J44'])}.{rng.randrange(0, 4)}"
        place = f"{rng.choice(['116', '117', '120'])}{rng.randrange(10, 16)}"
        rows.append([number + 1, one.age(TODAY), job, place, code])
        out.append([f"{low}-{low + 9}", f"{job[:2]}x", f"{place[:3]}**", code[:3]])
    return Pair(
        about="Codes cut by hand in three ways: 11x, 116**, and I50 for I50.1.",
        original=Sheet(
            names=["person", "age", "isco", "postcode", "icd"], rows=rows, file="original.csv"
        ),
        published=Sheet(
            names=["age", "isco", "postcode", "icd"], rows=out, file="published.csv"
        ),
        columns=[
            dropped("person", "identifier"),
            coarse("age", "age", "bands", "quasi", bands=[
                [f"{low}-{low + 9}", low, low + 9, "[]"] for low in range(10, 100, 10)
            ]),
            coarse("isco", "isco", "prefix 2", "quasi", "sensitive", written="{text:.2}x"),
            coarse("postcode", "postcode", "prefix 3", "quasi", written="{text:.3}**"),
            coarse("icd", "icd", "prefix 3", "sensitive", written="{text:.3}"),
        ],
        of=list(range(180)), kinds=("same order",), quasi=("age", "isco", "postcode"),
        sensitive=("icd",),
    )  # fmt: skip


@recipe
def hierarchy_folder(rng: random.Random) -> Pair:
    tree = {
        "Preschool": ("Primary", "Low"), "1st-4th": ("Primary", "Low"),
        "5th-6th": ("Primary", "Low"), "9th": ("Secondary", "Low"), "10th": ("Secondary", "Low"),
        "12th": ("Secondary", "Low"),
        "Bachelors": ("Undergraduate", "High"), "Some-college": ("Undergraduate", "High"),
        "Masters": ("Graduate", "High"), "Doctorate": ("Graduate", "High"),
    }  # fmt: skip
    rows, out = [], []
    for number, one in enumerate(people(rng, 200)):
        school, low = rng.choice(sorted(tree)), one.age(TODAY) // 10 * 10
        native, gain = rng.choice(["US", "MX", "CA"]), weighted(rng, none=6, some=2, large=1)
        rows.append([number + 1, one.age(TODAY), SEX[one.sex], school, native, gain])
        out.append([f"{low}-{low + 9}", SEX[one.sex], tree[school][0], native, gain])
    lines = [f"{leaf};{first};{second};*" for leaf, (first, second) in sorted(tree.items())]
    return Pair(
        about="A folder hierarchies/ is beside the original, and education is published at its "
        "first level.",
        original=Sheet(
            names=["id", "age", "sex", "education", "country", "capital_gain"], rows=rows,
            file="original.csv",
        ),
        published=Sheet(
            names=["age", "sex", "education", "country", "capital_gain"], rows=out,
            file="published.csv",
        ),
        columns=[
            dropped("id", "identifier"),
            coarse("age", "age", "bands", "quasi", bands=[
                [f"{low}-{low + 9}", low, low + 9, "[]"] for low in range(10, 100, 10)
            ]),
            unchanged("sex", None, "quasi"),
            coarse("education", "education", "level 1", "quasi",
                   table={leaf: first for leaf, (first, _) in tree.items()}),
            unchanged("country", None, "quasi"),
            unchanged("capital_gain", None, "sensitive"),
        ],
        of=list(range(200)), kinds=("same order",),
        quasi=("age", "sex", "education", "country"), sensitive=("capital_gain",),
        beside={"hierarchies/education.csv": "\n".join(lines) + "\n"},
    )  # fmt: skip


@recipe
def sas_formats(rng: random.Random) -> Pair:
    grades = {"A": "Passed", "B": "Passed", "C": "Passed", "D": "Failed", "F": "Failed"}
    rows, out = [], []
    for number, one in enumerate(people(rng, 170, youngest=2004, oldest=1974)):
        age, grade = one.age(TODAY), rng.choice("AABBBCCCDF")
        campus = rng.choice(["Main", "East"])
        score = rng.randrange(30, 101)
        rows.append([f"S{number:05}", age, SEX[one.sex], campus, score, grade])
        low, tens = age // 10 * 10, score // 10 * 10
        out.append([f"{low}-{low + 9}", SEX[one.sex], campus,
                    "90-100" if tens >= 90 else f"{tens}-{tens + 9}", grades[grade]])  # fmt: skip
    return Pair(
        about="SAS formats: 20-29, and the last band wider than the others; grades merged.",
        original=Sheet(
            names=["STUDENT", "AGE", "SEX", "CAMPUS", "SCORE", "GRADE"], rows=rows,
            file="original.csv",
        ),
        published=Sheet(
            names=["AGEGRP", "SEX", "CAMPUS", "SCOREGRP", "RESULT"], rows=out,
            file="published.csv",
        ),
        columns=[
            dropped("STUDENT", "identifier"),
            coarse("AGE", "AGEGRP", "bands", "quasi", bands=[
                [f"{low}-{low + 9}", low, low + 9, "[]"] for low in range(10, 100, 10)
            ]),
            unchanged("SEX", None, "quasi"), unchanged("CAMPUS", None, "quasi"),
            coarse("SCORE", "SCOREGRP", "bands", "sensitive", "quasi", "other", bands=[
                *([f"{low}-{low + 9}", low, low + 9, "[]"] for low in range(30, 90, 10)),
                ["90-100", 90, 100, "[]"],
            ]),
            coarse("GRADE", "RESULT", ("recoded", "set"), "sensitive", "quasi", "other",
                   may_ask=True, table=grades),
        ],
        of=list(range(170)), kinds=("same order",), quasi=("AGEGRP", "SEX", "CAMPUS"),
        sensitive=("RESULT",),
    )  # fmt: skip
