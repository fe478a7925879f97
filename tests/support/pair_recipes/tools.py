"""Files as anonymization tools write them: ARX, anjana, sdcMicro, pandas, SQL, SPSS, Stata, SAS."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from datetime import date
from typing import Any

from pair_recipes.pair import Pair, Sheet, coarse, dropped, new, recipe, unchanged
from pair_recipes.people import day_between, people, weighted

TODAY = date(2024, 3, 1)
SEX = {"m": "Male", "f": "Female"}
DISEASES = {"flu": 6, "asthma": 4, "diabetes": 3, "hepatitis": 2, "cancer": 2, "hiv": 1}


def _sick(rng: random.Random) -> str:
    return weighted(rng, **DISEASES)


@recipe
def arx_export(rng: random.Random) -> Pair:
    """ARX writes semicolons, ``[20, 30[``, masks, and ``*`` in all of a suppressed record."""
    rows, coarsened = [], []
    zips = ["81667", "81675", "81925", "81931", "80331", "80335"]
    for number, one in enumerate(people(rng, 220)):
        age, zip_code, disease = one.age(TODAY), rng.choice(zips), _sick(rng)
        rows.append([number + 1, one.name, age, SEX[one.sex], zip_code, disease])
        low = age // 10 * 10
        coarsened.append([f"[{low}, {low + 10}[", SEX[one.sex], zip_code[:3] + "**", disease])
    sizes = Counter(tuple(row[:3]) for row in coarsened)
    out = [
        ["*", "*", "*", row[3]] if sizes[tuple(row[:3])] < 5 else row for row in coarsened
    ]  # k = 5, by suppression
    return Pair(
        about="Exported by ARX 3.9: k = 5 with intervals, masks and suppressed records.",
        original=Sheet(
            names=["id", "name", "age", "gender", "zipcode", "disease"], rows=rows,
            file="original.csv", delimiter=";",
        ),
        published=Sheet(
            names=["age", "gender", "zipcode", "disease"], rows=out, file="anonymized.csv",
            delimiter=";",
        ),
        columns=[
            dropped("id", "identifier"), dropped("name", "identifier"),
            coarse("age", "age", "bands", "quasi", marks=("*",), bands=[
                [f"[{low}, {low + 10}[", low, low + 10, "[)"] for low in range(10, 100, 10)
            ]),
            unchanged("gender", None, "quasi", marks=("*",)),
            coarse("zipcode", "zipcode", "prefix 3", "quasi", marks=("*",), written="{text:.3}**"),
            unchanged("disease", None, "sensitive"),
        ],
        of=list(range(220)), kinds=("same order",), quasi=("age", "gender", "zipcode"),
        sensitive=("disease",),
    )  # fmt: skip


@recipe
def anjana(rng: random.Random) -> Pair:
    """anjana stars identifiers, drops small classes, and leaves a column of old row numbers."""
    jobs = {
        "nurse": "health", "doctor": "health", "dentist": "health", "teacher": "education",
        "lecturer": "education", "clerk": "office", "accountant": "office", "lawyer": "office",
    }  # fmt: skip
    rows = [
        [one.name, one.age(TODAY), rng.choice(sorted(jobs)), rng.choice(["Santander", "Bilbao"]),
         _sick(rng)]
        for one in people(rng, 240)
    ]  # fmt: skip
    coarsened = []
    for _, age, job, city, disease in rows:
        low = age // 20 * 20
        coarsened.append(["*", f"[{low}, {low + 20})", jobs[job], city, disease])
    sizes = Counter(tuple(row[1:4]) for row in coarsened)
    of = [place for place, row in enumerate(coarsened) if sizes[tuple(row[1:4])] >= 5]
    out = [[place, *coarsened[place]] for place in of]
    return Pair(
        about="Written by anjana: reset_index() left a column index, which has the row of the "
        "original; names are stars; classes smaller than k = 5 are gone.",
        original=Sheet(
            names=["name", "age", "job", "city", "disease"], rows=rows, file="hospital.csv"
        ),
        published=Sheet(
            names=["index", "name", "age", "job", "city", "disease"], rows=out,
            file="hospital_anonymized.csv",
        ),
        columns=[
            new("index", "other", "identifier"),
            coarse("name", "name", ("suppressed", "dropped"), "identifier", "other", marks=("*",)),
            coarse("age", "age", "bands", "quasi", bands=[
                [f"[{low}, {low + 20})", low, low + 20, "[)"] for low in range(0, 100, 20)
            ]),
            coarse("job", "job", ("recoded", "set"), "quasi", table=jobs),
            unchanged("city", None, "quasi"), unchanged("disease", None, "sensitive"),
        ],
        of=of, kinds=("same order", "by key", "shuffled"), quasi=("age", "job", "city"),
        sensitive=("disease",), identifiers_allowed=("index", "name"),
    )  # fmt: skip


@recipe
def sdcmicro(rng: random.Random) -> Pair:
    """sdcMicro from R: row names, NA for local suppression, top coding, microaggregation."""
    rows = []
    for place, one in enumerate(people(rng, 180)):
        rows.append([
            str(place + 1), rng.choice(["urban", "rural"]), one.age(TODAY),
            weighted(rng, single=4, married=5, widowed=1), rng.randrange(1, 11),
            round(rng.lognormvariate(10.2, 0.5)), _sick(rng),
        ])  # fmt: skip
    # Local suppression of the rarest combinations; ages over 80 are coded 80.
    out = [[row[0], row[1], min(row[2], 80), row[3], *row[4:]] for row in rows]
    small = Counter((row[1], row[2] // 10, row[3]) for row in out)
    for row in out:
        if small[row[1], row[2] // 10, row[3]] < 3:
            row[3] = "NA"
    # Microaggregation by sorting: groups of three get their mean.
    order = sorted(range(180), key=lambda place: rows[place][5])
    for start in range(0, 180, 3):
        group = order[start : start + 3]
        mean = sum(rows[place][5] for place in group) / 3
        for place in group:
            out[place][5] = f"{mean:.15g}"
    for row in out:
        row[5] = float(row[5])
    for row in out:
        row[5] = int(row[5]) if row[5].is_integer() else row[5]
    names = ["", "urbrur", "age", "marital", "hhsize", "income", "disease"]
    return Pair(
        about="write.csv(extractManipData(sdc)): local suppression (NA), top coding at 80, and "
        "incomes microaggregated in groups of three; R's row names are in both files.",
        original=Sheet(names=names, rows=rows, file="original.csv", quotes="texts",
                       blank=("", "NA")),
        published=Sheet(names=names, rows=out, file="sdc.csv", quotes="texts", blank=("", "NA")),
        columns=[
            unchanged("", None, "identifier", "other", may_ask=True),
            unchanged("urbrur", None, "quasi"),
            coarse("age", "age", "top 80", "quasi", written="{number}"),
            unchanged("marital", None, "quasi", marks=("NA",)),
            unchanged("hhsize", None, "quasi", "other"),
            coarse("income", "income", "perturbed", "sensitive", "quasi", "other", within=0.6),
            unchanged("disease", None, "sensitive"),
        ],
        of=list(range(180)), kinds=("same order", "by key"), quasi=("urbrur", "age", "marital"),
        sensitive=("disease",), key="", identifiers_allowed=("",),
    )  # fmt: skip


@recipe
def pandas_cut(rng: random.Random) -> Pair:
    """pandas: ``cut`` labels, times, and a column without a name for the index."""
    edges = [17, 30, 40, 50, 60, 70, 100]
    rows, out = [], []
    for number, one in enumerate(people(rng, 200)):
        age = one.age(TODAY)
        seen = day_between(rng, date(2021, 1, 1), date(2023, 12, 31))
        time = f"{rng.randrange(7, 20):02}:{rng.randrange(60):02}:00"
        plan, claims = rng.choice(["gold", "silver", "basic"]), rng.choice(["none", "one", "many"])
        rows.append([number, one.email, age, f"{seen} {time}", plan, claims])
        low, high = next((a, b) for a, b in itertools.pairwise(edges) if a < age <= b)
        out.append([number, f"({low}, {high}]", f"{seen:%Y-%m}", plan, claims])
    return Pair(
        about="pandas: pd.cut for ages, dt.to_period('M') for times, to_csv with the index.",
        original=Sheet(
            names=["", "email", "age", "last_seen", "plan", "claims"], rows=rows,
            file="customers.csv",
        ),
        published=Sheet(
            names=["", "age", "last_seen", "plan", "claims"], rows=out, file="customers_anon.csv"
        ),
        columns=[
            unchanged("", None, "identifier", "other", may_ask=True),
            dropped("email", "identifier"),
            coarse("age", "age", "bands", "quasi", bands=[
                [f"({low}, {high}]", low, high, "(]"]
                for low, high in itertools.pairwise(edges)
            ]),
            coarse("last_seen", "last_seen", "month", "quasi", "other",
                   form="yyyy-mm-dd hh:mm:ss", written="{year}-{month:02}"),
            unchanged("plan", None, "quasi", "other"),
            unchanged("claims", None, "sensitive", "quasi", "other"),
        ],
        of=list(range(200)), kinds=("same order", "by key"), key="",
        quasi=("age", "last_seen", "plan"), sensitive=("claims",), identifiers_allowed=("",),
    )  # fmt: skip


@recipe
def sql_view(rng: random.Random) -> Pair:
    """SQL: ``LEFT(zip, 3)`` and ``date_trunc('month', born)``, which is a date itself."""
    rows, out = [], []
    zips = ["02138", "02139", "02142", "02446", "01002", "01060"]
    for number, one in enumerate(people(rng, 170)):
        zip_code, sick = rng.choice(zips), _sick(rng)
        rows.append([number + 70001, one.birth.isoformat(), SEX[one.sex][0], zip_code, sick])
        out.append([one.birth.replace(day=1).isoformat(), SEX[one.sex][0], zip_code[:3], sick])
    return Pair(
        about="A view in SQL: LEFT(zip, 3), and date_trunc('month', born), the first of the month.",
        original=Sheet(
            names=["patient_id", "born", "sex", "zip", "condition"], rows=rows,
            file="patients.csv", quotes="everything",
        ),
        published=Sheet(
            names=["born_month", "sex", "zip3", "condition"], rows=out, file="view.csv",
            quotes="everything",
        ),
        columns=[
            dropped("patient_id", "identifier"),
            coarse("born", "born_month", "month", "quasi", may_ask=True, form="yyyy-mm-dd",
                   written="{year}-{month:02}-01"),
            unchanged("sex", None, "quasi"),
            coarse("zip", "zip3", "prefix 3", "quasi", written="{text:.3}"),
            unchanged("condition", None, "sensitive"),
        ],
        of=list(range(170)), kinds=("same order",), quasi=("born_month", "sex", "zip3"),
        sensitive=("condition",),
    )  # fmt: skip


@recipe
def spss_labels(rng: random.Random) -> Pair:
    """SPSS: value labels instead of codes, words in bands, open ends."""
    bands = [
        ["18 to 24 years", 18, 24, "[]"], ["25 to 44 years", 25, 44, "[]"],
        ["45 to 64 years", 45, 64, "[]"], ["65 years and over", 65, float("inf"), "[)"],
    ]  # fmt: skip
    marital = {"1": "Married", "2": "Single", "3": "Divorced", "4": "Widowed"}
    rows, out = [], []
    for number, one in enumerate(people(rng, 190)):
        age, status = one.age(TODAY), rng.choices("1234", [5, 4, 2, 1])[0]
        drinks = weighted(rng, never=4, weekly=4, daily=1)
        rows.append([number + 1, age, 1 if one.sex == "m" else 2, status, drinks])
        label = next(text for text, low, high, _ in bands if low <= age <= high)
        out.append([label, SEX[one.sex], marital[status], drinks])
    return Pair(
        about="Exported by SPSS with value labels; the original has codes.",
        original=Sheet(
            names=["CASENO", "AGE", "SEX", "MARITAL", "ALCOHOL"], rows=rows, file="survey.csv",
            newline="\r\n", encoding="utf-8-sig",
        ),
        published=Sheet(
            names=["AGE", "SEX", "MARITAL", "ALCOHOL"], rows=out, file="survey_puf.csv",
            newline="\r\n", encoding="utf-8-sig",
        ),
        columns=[
            dropped("CASENO", "identifier"),
            coarse("AGE", "AGE", "bands", "quasi", may_ask=True, bands=bands),
            coarse("SEX", "SEX", "recoded", "quasi", table={"1": "Male", "2": "Female"}),
            coarse("MARITAL", "MARITAL", "recoded", "quasi", table=marital),
            unchanged("ALCOHOL", None, "sensitive", "quasi", "other"),
        ],
        of=list(range(190)), kinds=("same order",), quasi=("AGE", "SEX", "MARITAL"),
        sensitive=("ALCOHOL",),
    )  # fmt: skip


@recipe
def stata_export(rng: random.Random) -> Pair:
    """Stata: ``16nov1961`` (%td), ``.`` for missing, ``egen cut`` with lower ends."""
    months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    rows, out = [], []
    for number, one in enumerate(people(rng, 150)):
        birth = f"{one.birth.day:02}{months[one.birth.month - 1]}{one.birth.year}"
        wage = "." if rng.random() < 0.05 else round(rng.lognormvariate(7.6, 0.4))
        union = rng.choice(["yes", "no"])
        rows.append([number + 301, birth, SEX[one.sex].lower(), wage, union])
        band = "." if wage == "." else wage // 500 * 500
        out.append([one.birth.year, SEX[one.sex].lower(), band, union])
    return Pair(
        about="export delimited from Stata: dates as %td, missing as a full stop, egen cut(), "
        "at(0(500)20000) for wages.",
        original=Sheet(
            names=["pid", "birthdate", "sex", "wage", "union"], rows=rows, file="wages.csv",
            blank=("", "."),
        ),
        published=Sheet(
            names=["birthyear", "sex", "wagegrp", "union"], rows=out, file="wages_pub.csv",
            blank=("", "."),
        ),
        columns=[
            dropped("pid", "identifier"),
            coarse("birthdate", "birthyear", "year", "quasi", may_ask=True, form="ddmonyyyy",
                   written="{year}"),
            unchanged("sex", None, "quasi"),
            coarse("wage", "wagegrp", "floor 500", "sensitive", "quasi", written="{floor}"),
            unchanged("union", None, "sensitive", "quasi", "other"),
        ],
        of=list(range(150)), kinds=("same order",), quasi=("birthyear", "sex"),
        sensitive=("wagegrp",),
    )  # fmt: skip


def _halves(rows: list[int], ages: list[Any], towns: list[Any], k: int) -> list[list[int]]:
    """Mondrian: cut at the median age, else between towns, while k are left on both sides."""
    for values in (ages, towns):
        ordered = sorted(values[row] for row in rows)
        middle = ordered[len(rows) // 2]
        low = [row for row in rows if values[row] < middle]
        high = [row for row in rows if values[row] >= middle]
        if min(len(low), len(high)) >= k:
            return _halves(low, ages, towns, k) + _halves(high, ages, towns, k)
    return [rows]


@recipe
def mondrian(rng: random.Random) -> Pair:
    """Local recoding: every class has its own ranges and sets."""
    rows = []
    for number, one in enumerate(people(rng, 200)):
        town = rng.choice(["Akron", "Boise", "Dover", "Fargo"])
        rows.append([number + 1, one.age(TODAY), town, _sick(rng)])
    ages, towns = [row[1] for row in rows], [row[2] for row in rows]
    out, of = [], []
    covers = {}
    for group in _halves(list(range(200)), ages, towns, 6):
        low, high = min(ages[row] for row in group), max(ages[row] for row in group)
        places = sorted({towns[row] for row in group})
        covers["~".join(places)] = places
        for row in group:
            of.append(row)
            out.append(
                [f"{low}~{high}" if low < high else f"{low}", "~".join(places), rows[row][3]]
            )
    return Pair(
        about="Mondrian from a script on the web: ranges written 24~37 and sets written "
        "Akron~Boise, each class with its own, in the order of the classes.",
        original=Sheet(names=["id", "age", "town", "disease"], rows=rows, file="original.csv"),
        published=Sheet(names=["age", "town", "disease"], rows=out, file="published.csv"),
        columns=[
            dropped("id", "identifier"),
            coarse("age", "age", "bands", "quasi", may_ask=True, overlap=[
                [text, *map(int, (text.split("~") * 2)[:2])]
                for text in sorted({row[0] for row in out})
            ]),
            coarse("town", "town", "set", "quasi", may_ask=True, sets=covers),
            unchanged("disease", None, "sensitive"),
        ],
        of=of, kinds=("shuffled", "unclear"), quasi=("age", "town"), sensitive=("disease",),
    )  # fmt: skip


@recipe
def swapped(rng: random.Random) -> Pair:
    """Incomes of a tenth of the people were swapped, and some marital states by PRAM."""
    states = ["single", "married", "widowed"]
    rows = []
    for number, one in enumerate(people(rng, 180)):
        rows.append([number + 1, one.age(TODAY), rng.choice(states),
                     round(rng.lognormvariate(10.3, 0.5)), _sick(rng)])  # fmt: skip
    out = [row[1:] for row in rows]
    moved = rng.sample(range(180), 18)
    for place, other in itertools.pairwise(moved):
        out[place][2], out[other][2] = out[other][2], out[place][2]
    for row in out:
        if rng.random() < 0.1:
            row[1] = rng.choice(states)
        row[0] = row[0] // 5 * 5
    return Pair(
        about="Data swapping and PRAM: every published value is one of the original's, and nine "
        "people in ten have their own; the columns are not unchanged.",
        original=Sheet(
            names=["pid", "age", "marital", "income", "disease"], rows=rows, file="original.csv"
        ),
        published=Sheet(
            names=["age", "marital", "income", "disease"], rows=out, file="published.csv"
        ),
        columns=[
            dropped("pid", "identifier"),
            coarse("age", "age", "floor 5", "quasi", written="{floor}"),
            coarse("marital", "marital", ("perturbed", "unclear"), "quasi", may_ask=True,
                   changed=[0.02, 0.12]),
            coarse("income", "income", ("perturbed", "unclear"), "sensitive", "quasi",
                   may_ask=True, changed=[0.05, 0.12]),
            unchanged("disease", None, "sensitive"),
        ],
        of=list(range(180)), kinds=("same order",), quasi=("age",), sensitive=("disease",),
    )  # fmt: skip
