"""Surveys: renamed and recoded, shuffled, with gaps, with columns that look alike."""

from __future__ import annotations

import random
from datetime import date

from pair_recipes.pair import Pair, Question, Sheet, coarse, dropped, recipe, unchanged
from pair_recipes.people import people, weighted

TODAY = date(2024, 5, 1)
SEX = {"m": "male", "f": "female"}


def _bands(width: int, first: int = 0, last: int = 100) -> list[list[object]]:
    return [[f"{low}-{low + width - 1}", low, low + width - 1, "[]"]
            for low in range(first, last, width)]  # fmt: skip


def _band(value: int, width: int) -> str:
    low = value // width * width
    return f"{low}-{low + width - 1}"


@recipe
def dutch(rng: random.Random) -> Pair:
    sexes = {"male": "M", "female": "V"}
    status = {"married": "gehuwd", "partnership": "gehuwd", "single": "ongehuwd",
              "divorced": "ongehuwd", "widowed": "verweduwd"}  # fmt: skip
    health = {"good": "goed", "fair": "redelijk", "poor": "slecht"}
    rows, out = [], []
    for one in people(rng, 180, "nl"):
        town = rng.choice(["Utrecht", "Zwolle", "Breda", "Delft"])
        marital = weighted(rng, married=5, partnership=1, single=4, divorced=2, widowed=1)
        felt = weighted(rng, good=5, fair=3, poor=2)
        rows.append([one.name, SEX[one.sex], one.age(TODAY), town, marital, felt])
        out.append([sexes[SEX[one.sex]], _band(one.age(TODAY), 10), town, status[marital],
                    health[felt]])  # fmt: skip
    return Pair(
        about="An English original, published in Dutch: other names, other words, and two words "
        "for marriage merged.",
        original=Sheet(
            names=["name", "sex", "age", "town", "marital_status", "health"], rows=rows,
            file="original.csv",
        ),
        published=Sheet(
            names=["geslacht", "leeftijd", "woonplaats", "burgerlijke_staat", "gezondheid"],
            rows=out, file="gepubliceerd.csv", delimiter=";",
        ),
        columns=[
            dropped("name", "identifier"),
            coarse("sex", "geslacht", "recoded", "quasi", table=sexes),
            coarse("age", "leeftijd", "bands", "quasi", bands=_bands(10)),
            unchanged("town", "woonplaats", "quasi"),
            coarse("marital_status", "burgerlijke_staat", ("recoded", "set"), "quasi",
                   table=status),
            coarse("health", "gezondheid", "recoded", "sensitive", table=health),
        ],
        of=list(range(180)), kinds=("same order",),
        quasi=("geslacht", "leeftijd", "woonplaats", "burgerlijke_staat"),
        sensitive=("gezondheid",),
    )  # fmt: skip


@recipe
def shuffled(rng: random.Random) -> Pair:
    rows = []
    zips = ["37115", "37073", "37081", "34117", "34125", "99084", "99085"]
    for one in people(rng, 300, "de"):
        vote = weighted(rng, red=4, green=3, black=4, none=1)
        rows.append([one.email, one.age(TODAY), SEX[one.sex], rng.choice(zips), vote])
    of = sorted(rng.sample(range(300), 297))
    rng.shuffle(of)
    out = []
    for place in of:
        _, age, sex, zip_code, vote = rows[place]
        cells = [_band(age, 10), sex, zip_code[:2]]
        out.append([*("*" if rng.random() < 0.02 else cell for cell in cells), vote])
    return Pair(
        about="Shuffled before publication; 2 % of the cells are suppressed and 1 % of the rows "
        "dropped.",
        original=Sheet(
            names=["email", "age", "sex", "postcode", "vote"], rows=rows, file="original.csv"
        ),
        published=Sheet(names=["age", "sex", "postcode", "vote"], rows=out, file="published.csv"),
        columns=[
            dropped("email", "identifier"),
            coarse("age", "age", "bands", "quasi", marks=("*",), bands=_bands(10)),
            unchanged("sex", None, "quasi", marks=("*",)),
            coarse("postcode", "postcode", "prefix 2", "quasi", marks=("*",), written="{text:.2}"),
            unchanged("vote", None, "sensitive"),
        ],
        of=of, kinds=("shuffled", "unclear"), quasi=("age", "sex", "postcode"),
        sensitive=("vote",),
    )  # fmt: skip


@recipe
def gaps(rng: random.Random) -> Pair:
    rows, out = [], []
    for number, one in enumerate(people(rng, 200)):
        school = "" if rng.random() < 0.08 else rng.choice(["primary", "secondary", "college"])
        region = rng.choice(["north", "south", "east", "west"])
        drug = weighted(rng, never=6, once=2, often=1)
        rows.append([number + 1, one.age(TODAY), school, region, drug])
        shown = "unknown" if rng.random() < 0.06 else region
        out.append([_band(one.age(TODAY), 10), school, shown, drug])
    return Pair(
        about="Gaps on both sides in different columns: education was not asked of everybody, and "
        "some regions were set to unknown before publication.",
        original=Sheet(
            names=["respondent", "age", "education", "region", "drug_use"], rows=rows,
            file="original.csv",
        ),
        published=Sheet(
            names=["age", "education", "region", "drug_use"], rows=out, file="published.csv"
        ),
        columns=[
            dropped("respondent", "identifier"),
            coarse("age", "age", "bands", "quasi", bands=_bands(10)),
            unchanged("education", None, "quasi"),
            unchanged("region", None, "quasi", marks=("unknown",)),
            unchanged("drug_use", None, "sensitive"),
        ],
        of=list(range(200)), kinds=("same order",), quasi=("age", "education", "region"),
        sensitive=("drug_use",),
    )  # fmt: skip


def _parents(rng: random.Random, number: int) -> list[list[object]]:
    rows: list[list[object]] = []
    for place in range(number):
        mother = round(min(max(rng.gauss(31, 5), 17), 46))
        father = round(min(max(rng.gauss(mother + 2, 4), 18), 60))
        ward = rng.choice(["A", "B", "C"])
        weight = rng.choice(["low", "normal", "normal", "normal", "high"])
        rows.append([f"B{place + 100}", mother, father, ward, weight])
    return rows


@recipe
def look_alikes(rng: random.Random) -> Pair:
    rows = _parents(rng, 200)
    out = [[ward, _band(father, 5), _band(mother, 5), weight]
           for _, mother, father, ward, weight in rows]  # fmt: skip
    return Pair(
        about="Ages of mother and father in the same bands, published in the other order under "
        "names that do not help; rows are in the same order, which decides.",
        original=Sheet(
            names=["birth_no", "mother_age", "father_age", "ward", "birth_weight"], rows=rows,
            file="original.csv",
        ),
        published=Sheet(
            names=["ward", "parent_1", "parent_2", "birth_weight"], rows=out, file="published.csv"
        ),
        columns=[
            dropped("birth_no", "identifier"),
            coarse("father_age", "parent_1", "bands", "quasi", bands=_bands(5)),
            coarse("mother_age", "parent_2", "bands", "quasi", bands=_bands(5)),
            unchanged("ward", None, "quasi", "other"),
            unchanged("birth_weight", None, "sensitive", "quasi", "other"),
        ],
        of=list(range(200)), kinds=("same order",), quasi=("ward", "parent_1", "parent_2"),
        sensitive=("birth_weight",),
    )  # fmt: skip


@recipe
def look_alikes_shuffled(rng: random.Random) -> Pair:
    rows = _parents(rng, 200)
    of = list(range(200))
    rng.shuffle(of)
    out = [[_band(int(str(rows[place][2])), 10), _band(int(str(rows[place][1])), 10),
            rows[place][3], rows[place][4]] for place in of]  # fmt: skip
    return Pair(
        about="The same, shuffled, and in wider bands: to ask which parent is which is right.",
        original=Sheet(
            names=["birth_no", "mother_age", "father_age", "ward", "birth_weight"], rows=rows,
            file="original.csv",
        ),
        published=Sheet(
            names=["parent_1", "parent_2", "ward", "birth_weight"], rows=out, file="published.csv"
        ),
        columns=[
            dropped("birth_no", "identifier"),
            coarse("father_age", "parent_1", "bands", "quasi", may_ask=True, bands=_bands(10)),
            coarse("mother_age", "parent_2", "bands", "quasi", may_ask=True, bands=_bands(10)),
            unchanged("ward", None, "quasi", "other"),
            unchanged("birth_weight", None, "sensitive", "quasi", "other"),
        ],
        of=of, kinds=("shuffled", "unclear"), quasi=("parent_1", "parent_2", "ward"),
        sensitive=("birth_weight",),
        questions=(Question(column="parent_1", about="parent_1", must=False, answer={
            "rename": {"parent_1": "father_age", "parent_2": "mother_age"}}),),
    )  # fmt: skip


@recipe
def decades(rng: random.Random) -> Pair:
    rows, out = [], []
    for number, one in enumerate(people(rng, 160, "fr", youngest=1984)):
        first = one.birth.replace(year=one.birth.year + rng.randrange(20, 40), day=1)
        faith = weighted(rng, catholic=5, none=5, muslim=2, jewish=1, protestant=1)
        land = rng.choice(["Bretagne", "Normandie", "Alsace"])
        rows.append([number + 77, one.birth.isoformat(), first.isoformat(), land, faith])
        decade = one.birth.year // 10 * 10
        out.append([f"{decade}s", first.year // 10 * 10, land, faith])
    return Pair(
        about="Dates as decades: once as 1960s, once as 1960.",
        original=Sheet(
            names=["no", "born", "first_child", "region", "religion"], rows=rows,
            file="original.csv",
        ),
        published=Sheet(
            names=["born", "first_child", "region", "religion"], rows=out, file="published.csv"
        ),
        columns=[
            dropped("no", "identifier"),
            coarse("born", "born", "decade", "quasi", form="yyyy-mm-dd", written="{decade}s"),
            coarse("first_child", "first_child", "decade", "quasi", "other", form="yyyy-mm-dd",
                   written="{decade}"),
            unchanged("region", None, "quasi"), unchanged("religion", None, "sensitive"),
        ],
        of=list(range(160)), kinds=("same order",), quasi=("born", "first_child", "region"),
        sensitive=("religion",),
    )  # fmt: skip


@recipe
def bottom_coded(rng: random.Random) -> Pair:
    rows, out = [], []
    for number, one in enumerate(people(rng, 150)):
        age, hours = one.age(TODAY), rng.randrange(0, 81)
        size, abused = rng.randrange(1, 9), weighted(rng, yes=1, no=5)
        rows.append([number + 1, age, hours, size, abused])
        out.append([f"{min(max(age, 25), 75)}", min(max(hours, 10), 60), min(size, 6), abused])
    return Pair(
        about="Everything capped: ages below 25 are 25 and above 75 are 75, and so on; no bands.",
        original=Sheet(
            names=["caseid", "age", "hours", "household_size", "victim"], rows=rows,
            file="original.tsv", delimiter="\t",
        ),
        published=Sheet(
            names=["age", "hours", "household_size", "victim"], rows=out, file="published.tsv",
            delimiter="\t",
        ),
        columns=[
            dropped("caseid", "identifier"),
            coarse("age", "age", ("bottom 25, top 75", "top 75, bottom 25"), "quasi",
                   written="{number}"),
            coarse("hours", "hours", ("bottom 10, top 60", "top 60, bottom 10"), "quasi", "other",
                   "sensitive", written="{number}"),
            coarse("household_size", "household_size", "top 6", "quasi", "other",
                   written="{number}"),
            unchanged("victim", None, "sensitive"),
        ],
        of=list(range(150)), kinds=("same order",), quasi=("age", "household_size"),
        sensitive=("victim",),
    )  # fmt: skip
