"""Employers and money: salaries, incomes, prices."""

from __future__ import annotations

import itertools
import random
from datetime import date

from pair_recipes.pair import Pair, Question, Sheet, coarse, dropped, recipe, unchanged
from pair_recipes.people import people, weighted

TODAY = date(2024, 1, 1)
WORKING = {"youngest": 2004, "oldest": 1958}
UNITS = ("Sales", "Support", "Research", "Finance")


def _salary(rng: random.Random) -> int:
    return round(min(max(rng.lognormvariate(10.85, 0.32), 24000), 180000))


@recipe
def salary_bands(rng: random.Random) -> Pair:
    edges = [0, 40000, 50000, 60000, 80000]
    bands = [
        *([f"{low}-{high - 1}", low, high - 1, "[]"]
          for low, high in itertools.pairwise(edges[1:])),
        ["<40000", 0, 40000, "[)"], [">=80000", 80000, float("inf"), "[)"],
    ]  # fmt: skip
    rows, out = [], []
    for number, one in enumerate(people(rng, 180, **WORKING)):
        unit, age, salary = rng.choice(UNITS), one.age(TODAY), _salary(rng)
        since = rng.randrange(1995, 2024)
        rows.append([f"E{number + 1200}", one.name, unit, age, since, salary])
        band = next(
            text
            for text, low, high, ends in bands
            if low <= salary and (salary <= high if ends == "[]" else salary < high)
        )
        out.append([unit, f"{age // 10 * 10}-{age // 10 * 10 + 9}", since, band])
    return Pair(
        about="A pay-gap report: the salary, which is the secret, is published in bands.",
        original=Sheet(
            names=["employee_no", "name", "department", "age", "hired", "salary"], rows=rows,
            file="original.csv",
        ),
        published=Sheet(
            names=["department", "age", "hired", "salary_band"], rows=out, file="published.csv"
        ),
        columns=[
            dropped("employee_no", "identifier"), dropped("name", "identifier"),
            unchanged("department", None, "quasi"),
            coarse("age", "age", "bands", "quasi", bands=[
                [f"{low}-{low + 9}", low, low + 9, "[]"] for low in range(10, 100, 10)
            ]),
            unchanged("hired", None, "quasi", "other"),
            coarse("salary", "salary_band", "bands", "sensitive", bands=bands),
        ],
        of=list(range(180)), kinds=("same order",), quasi=("department", "age"),
        sensitive=("salary_band",),
    )  # fmt: skip


@recipe
def emails_left(rng: random.Random) -> Pair:
    rows, out = [], []
    for one in people(rng, 130, "de", **WORKING):
        unit, age, rating = rng.choice(UNITS), one.age(TODAY), rng.randrange(1, 6)
        sick = weighted(rng, none=5, some=3, many=1)
        rows.append([one.last, one.first, one.email, unit, age, rating, sick])
        out.append([one.email, unit, age // 10 * 10, rating, sick])
    return Pair(
        about="Names were dropped, but the e-mail addresses are still there.",
        original=Sheet(
            names=["last_name", "first_name", "email", "unit", "age", "rating", "sick_days"],
            rows=rows, file="original.csv",
        ),
        published=Sheet(
            names=["contact", "unit", "age", "rating", "sick_days"], rows=out,
            file="published.csv",
        ),
        columns=[
            dropped("last_name", "identifier"), dropped("first_name", "identifier"),
            unchanged("email", "contact", "identifier"),
            unchanged("unit", None, "quasi"),
            coarse("age", "age", "floor 10", "quasi", written="{floor}"),
            unchanged("rating", None, "sensitive", "quasi", "other"),
            unchanged("sick_days", None, "sensitive"),
        ],
        of=list(range(130)), kinds=("same order", "by key"), key="email",
        quasi=("unit", "age"), sensitive=("sick_days",), identifiers=("contact",),
    )  # fmt: skip


@recipe
def noise_income(rng: random.Random) -> Pair:
    rows, out = [], []
    for number, one in enumerate(people(rng, 150)):
        age, kids, income = one.age(TODAY), rng.randrange(0, 5), _salary(rng)
        region = rng.choice(["North", "South", "East", "West"])
        rows.append([number + 9000, age, region, kids, income])
        low = age // 5 * 5
        noisy = round(income * (1 + rng.uniform(-0.05, 0.05)))
        out.append([f"{low}-{low + 4}", region, kids, noisy])
    return Pair(
        about="Incomes with multiplicative noise of up to 5 %.",
        original=Sheet(
            names=["household", "age", "region", "children", "income"], rows=rows,
            file="original.csv",
        ),
        published=Sheet(
            names=["age", "region", "children", "income"], rows=out, file="published.csv"
        ),
        columns=[
            dropped("household", "identifier"),
            coarse("age", "age", "bands", "quasi", bands=[
                [f"{low}-{low + 4}", low, low + 4, "[]"] for low in range(15, 95, 5)
            ]),
            unchanged("region", None, "quasi"), unchanged("children", None, "quasi", "other"),
            coarse("income", "income", "perturbed", "sensitive", within=0.0501),
        ],
        of=list(range(150)), kinds=("same order",), quasi=("age", "region", "children"),
        sensitive=("income",),
    )  # fmt: skip


@recipe
def rounded_income(rng: random.Random) -> Pair:
    rows, out = [], []
    for number, one in enumerate(people(rng, 200)):
        county, income = rng.choice(["Kent", "Essex", "Devon"]), _salary(rng)
        tenure = weighted(rng, owner=5, private=3, social=2)
        rows.append([number + 1, county, one.birth.year, tenure, income])
        nearest = (income + 500) // 1000 * 1000
        out.append([county, f"{one.birth.year // 10 * 10}s", tenure, min(nearest, 90000)])
    return Pair(
        about="A survey of incomes: rounded to the nearest 1,000, top-coded at 90,000; years of "
        "birth as decades.",
        original=Sheet(
            names=["serial", "county", "birth_year", "tenure", "income"], rows=rows,
            file="original.csv",
        ),
        published=Sheet(
            names=["county", "birth_decade", "tenure", "income"], rows=out, file="published.csv"
        ),
        columns=[
            dropped("serial", "identifier"), unchanged("county", None, "quasi"),
            coarse("birth_year", "birth_decade", ("decade", "floor 10", "bands"), "quasi",
                   written="{floor}s"),
            unchanged("tenure", None, "quasi", "other", "sensitive"),
            coarse("income", "income", "rounded 1000, top 90000", "sensitive",
                   written="{rounded}"),
        ],
        of=list(range(200)), kinds=("same order",), quasi=("county", "birth_decade", "tenure"),
        sensitive=("income",),
    )  # fmt: skip


@recipe
def minus_names(rng: random.Random) -> Pair:
    rows = [
        [one.name, one.phone, one.birth.isoformat(), one.sex, rng.choice(UNITS), _salary(rng),
         weighted(rng, yes=1, no=4)]
        for one in people(rng, 140, **WORKING)
    ]  # fmt: skip
    names = ["name", "phone", "birth_date", "sex", "department", "salary", "disabled"]
    return Pair(
        about="The raw file, without names and telephone numbers: somebody deleted two columns.",
        original=Sheet(names=names, rows=rows, file="original.csv"),
        published=Sheet(names=names[2:], rows=[row[2:] for row in rows], file="published.csv"),
        columns=[
            dropped("name", "identifier"), dropped("phone", "identifier"),
            unchanged("birth_date", None, "quasi"), unchanged("sex", None, "quasi"),
            unchanged("department", None, "quasi"),
            unchanged("salary", None, "sensitive", "quasi"),
            unchanged("disabled", None, "sensitive", "quasi", "other"),
        ],
        of=list(range(140)), kinds=("same order",), quasi=("birth_date", "sex", "department"),
        sensitive=("salary",), identifiers_allowed=("birth_date",),
    )  # fmt: skip


@recipe
def thousands(rng: random.Random) -> Pair:
    rows, out = [], []
    for number, one in enumerate(people(rng, 120)):
        income = _salary(rng)
        worth = round(rng.lognormvariate(12.2, 1.1))
        state = rng.choice(["OH", "PA", "NY"])
        rows.append([number + 1, one.age(TODAY), state, f"{income}.{rng.randrange(100):02}",
                     f"{worth:,}"])  # fmt: skip
        low = income // 20000 * 20000
        out.append([one.age(TODAY) // 10 * 10, state, f"{low:,} - {low + 20000 - 1:,}.99",
                    f"{(worth + 5000) // 10000 * 10000:,}"])  # fmt: skip
    return Pair(
        about="Numbers with thousands marks, some with two of them, so that they can be read in "
        "one way only.",
        original=Sheet(
            names=["id", "age", "state", "income", "net_worth"], rows=rows, file="original.csv"
        ),
        published=Sheet(
            names=["age", "state", "income", "net_worth"], rows=out, file="published.csv"
        ),
        columns=[
            dropped("id", "identifier"),
            coarse("age", "age", "floor 10", "quasi", written="{floor}"),
            unchanged("state", None, "quasi"),
            coarse("income", "income", "bands", "sensitive", "quasi", bands=[
                [f"{low:,} - {low + 19999:,}.99", low, low + 19999.99, "[]"]
                for low in range(20000, 200000, 20000)
            ]),
            coarse("net_worth", "net_worth", "rounded 10000", "sensitive", "quasi",
                   form="1,234.56", written="{rounded:,}"),
        ],
        of=list(range(120)), kinds=("same order",), quasi=("age", "state"),
        sensitive=("net_worth",),
    )  # fmt: skip


@recipe
def thousands_ambiguous(rng: random.Random) -> Pair:
    rows, out = [], []
    for number, one in enumerate(people(rng, 100)):
        income, town = _salary(rng), rng.choice(["Leeds", "York", "Hull"])
        rows.append([number + 1, one.age(TODAY), town, f"{income:,}"])
        out.append([one.age(TODAY) // 10 * 10, town, f"{(income + 500) // 1000 * 1000:,}"])
    return Pair(
        about="Incomes such as 45,250 alone: nothing in the column says that it is not 45.25.",
        original=Sheet(
            names=["id", "age", "town", "income"], rows=rows, file="original.csv"
        ),
        published=Sheet(names=["age", "town", "income"], rows=out, file="published.csv"),
        columns=[
            dropped("id", "identifier"),
            coarse("age", "age", "floor 10", "quasi", written="{floor}"),
            unchanged("town", None, "quasi"),
            coarse("income", "income", "rounded 1000", "sensitive", may_ask=True,
                   form="1,234.56", written="{rounded:,}"),
        ],
        of=list(range(100)), kinds=("same order",), quasi=("age", "town"), sensitive=("income",),
        questions=(Question(column="income", about="1,234", must=True,
                            answer={"forms": {"income": "1,234.56"}}),),
    )  # fmt: skip
