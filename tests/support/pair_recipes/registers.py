"""Registers: keys in both files, columns published twice, rows known by their order alone."""

from __future__ import annotations

import random
from datetime import date

from pair_recipes.pair import Pair, Sheet, coarse, dropped, recipe, unchanged
from pair_recipes.people import people, weighted

TODAY = date(2024, 9, 1)
SEX = {"m": "M", "f": "F"}


@recipe
def pseudonym(rng: random.Random) -> Pair:
    rows = []
    for one in people(rng, 180):
        token = f"{rng.randrange(16**10):010x}"
        rows.append([token, one.name, one.age(TODAY), SEX[one.sex],
                     rng.choice(["Ohio", "Iowa", "Utah"]),
                     weighted(rng, none=6, warned=2, convicted=1)])  # fmt: skip
    of = list(range(180))
    rng.shuffle(of)
    of = of[:172]
    out = []
    for place in of:
        token, _, age, sex, state, record = rows[place]
        low = age // 10 * 10
        out.append([token, f"{low}-{low + 9}", sex, state, record])
    return Pair(
        about="A pseudonym is in both files, and says whose row is whose: rows are shuffled and "
        "some are missing.",
        original=Sheet(
            names=["subject", "name", "age", "sex", "state", "criminal_record"], rows=rows,
            file="original.csv",
        ),
        published=Sheet(
            names=["subject", "age", "sex", "state", "criminal_record"], rows=out,
            file="published.csv",
        ),
        columns=[
            unchanged("subject", None, "identifier"), dropped("name", "identifier"),
            coarse("age", "age", "bands", "quasi", bands=[
                [f"{low}-{low + 9}", low, low + 9, "[]"] for low in range(10, 100, 10)
            ]),
            unchanged("sex", None, "quasi"), unchanged("state", None, "quasi"),
            unchanged("criminal_record", None, "sensitive"),
        ],
        of=of, kinds=("by key",), key="subject", quasi=("age", "sex", "state"),
        sensitive=("criminal_record",), identifiers_allowed=("subject",),
    )  # fmt: skip


@recipe
def published_twice(rng: random.Random) -> Pair:
    rows, out = [], []
    towns = {
        "Graz": "South",
        "Linz": "North",
        "Wels": "North",
        "Villach": "South",
        "Bruck": "South",
    }
    for number, one in enumerate(people(rng, 160, "de")):
        town, age = rng.choice(sorted(towns)), one.age(TODAY)
        benefit = weighted(rng, none=6, housing=2, disability=1)
        rows.append([number + 5001, town, age, SEX[one.sex], benefit])
        low = age // 10 * 10
        out.append([towns[town], f"{low}-{low + 9}", SEX[one.sex], town, benefit])
    return Pair(
        about="The town was generalized to a region, and is published once more, as it is, under "
        "another name.",
        original=Sheet(
            names=["register_no", "town", "age", "sex", "benefit"], rows=rows, file="original.csv"
        ),
        published=Sheet(
            names=["region", "age", "sex", "office", "benefit"], rows=out, file="published.csv"
        ),
        columns=[
            dropped("register_no", "identifier"),
            coarse("town", "region", ("recoded", "set"), "quasi", "other", table=towns,
                   may_ask=True),
            coarse("age", "age", "bands", "quasi", bands=[
                [f"{low}-{low + 9}", low, low + 9, "[]"] for low in range(10, 100, 10)
            ]),
            unchanged("sex", None, "quasi"), unchanged("town", "office", "quasi", "other"),
            unchanged("benefit", None, "sensitive"),
        ],
        of=list(range(160)), kinds=("same order",), quasi=("region", "age", "sex"),
        sensitive=("benefit",),
    )  # fmt: skip


@recipe
def order_alone(rng: random.Random) -> Pair:
    rows, out = [], []
    for one in people(rng, 150):
        age, rooms = one.age(TODAY), rng.randrange(1, 8)
        rent = 400 + 150 * rooms + rng.randrange(-90, 91)
        late = weighted(rng, never=6, once=2, often=1)
        rows.append([age, rooms, rent, late])
        out.append([f"{age // 20 * 20} to {age // 20 * 20 + 19}", "1-3" if rooms < 4 else "4+",
                    rent // 250 * 250, late])  # fmt: skip
    return Pair(
        about="No key, nothing unchanged but the secret: rows are in the same order.",
        original=Sheet(
            names=["age", "rooms", "rent", "late_payment"], rows=rows, file="original.csv"
        ),
        published=Sheet(
            names=["age", "rooms", "rent", "late_payment"], rows=out, file="published.csv"
        ),
        columns=[
            coarse("age", "age", "bands", "quasi", bands=[
                [f"{low} to {low + 19}", low, low + 19, "[]"] for low in range(0, 100, 20)
            ]),
            coarse("rooms", "rooms", "bands", "quasi", "other", bands=[
                ["1-3", 1, 3, "[]"], ["4+", 4, float("inf"), "[)"]
            ]),
            coarse("rent", "rent", "floor 250", "quasi", "sensitive", "other", written="{floor}"),
            unchanged("late_payment", None, "sensitive", "quasi", "other"),
        ],
        of=list(range(150)), kinds=("same order",), quasi=("age", "rooms", "rent"),
        sensitive=("late_payment",),
    )  # fmt: skip
