"""Excel: workbooks, "Unicode text", tabs, headers typed by hand."""

from __future__ import annotations

import random
from datetime import date

from pair_recipes.pair import Pair, Sheet, coarse, dropped, recipe, unchanged
from pair_recipes.people import people, weighted

TODAY = date(2024, 2, 1)
SEX = {"m": "male", "f": "female"}


@recipe
def excel(rng: random.Random) -> Pair:
    bands = [["under 30", 0, 30, "[)"], ["30-49", 30, 49, "[]"], ["50-64", 50, 64, "[]"],
             ["65+", 65, float("inf"), "[)"]]  # fmt: skip
    rows, out = [], []
    for number, one in enumerate(people(rng, 120)):
        age, site = one.age(TODAY), rng.choice(["Leeds", "Bath", "Hove"])
        pay = round(rng.lognormvariate(10.4, 0.3), 2)
        rows.append([number + 1, one.name, one.birth, age, site, pay])
        band = next(
            text
            for text, low, high, ends in bands
            if low <= age and (age < high or (ends == "[]" and age == high))
        )
        out.append([one.birth.year, band, site, "below 30k" if pay < 30000 else "30k or more"])
    return Pair(
        about="Workbooks: dates and numbers are typed in the original; age groups and pay bands "
        "were typed by hand.",
        original=Sheet(
            names=["No", "Name", "Date of birth", "Age", "Site", "Pay"], rows=rows,
            file="staff.xlsx", title="Staff 2024",
        ),
        published=Sheet(
            names=["Year of birth", "Age group", "Site", "Pay"], rows=out,
            file="staff_published.xlsx", title="Staff 2024",
        ),
        columns=[
            dropped("No", "identifier", "other"), dropped("Name", "identifier"),
            coarse("Date of birth", "Year of birth", "year", "quasi", form="yyyy-mm-dd",
                   written="{year}"),
            coarse("Age", "Age group", "bands", "quasi", "other", bands=bands),
            unchanged("Site", None, "quasi"),
            coarse("Pay", "Pay", "bands", "sensitive", may_ask=True, bands=[
                ["below 30k", 0, 30000, "[)"], ["30k or more", 30000, float("inf"), "[)"]
            ]),
        ],
        of=list(range(120)), kinds=("same order",), quasi=("Year of birth", "Age group", "Site"),
        sensitive=("Pay",),
    )  # fmt: skip


@recipe
def excel_to_csv(rng: random.Random) -> Pair:
    rows, out = [], []
    for number, one in enumerate(people(rng, 100, "de")):
        visits, plan = rng.randrange(0, 30), rng.choice(["Basis", "Plus", "Premium"])
        spent = round(rng.lognormvariate(5, 0.7), 2)
        rows.append([f"K{number + 300}", one.birth, SEX[one.sex], plan, visits, spent])
        out.append([f"{one.birth:%m.%Y}", SEX[one.sex], plan, visits,
                    int(spent + 50) // 100 * 100])  # fmt: skip
    return Pair(
        about="A workbook as original, saved as CSV by a German Excel for publication.",
        original=Sheet(
            names=["Kundennr", "Geburtstag", "Geschlecht", "Tarif", "Besuche", "Umsatz"],
            rows=rows, file="kunden.xlsx", title="Kunden",
        ),
        published=Sheet(
            names=["Geburtsmonat", "Geschlecht", "Tarif", "Besuche", "Umsatz"], rows=out,
            file="kunden.csv", delimiter=";", encoding="cp1252", newline="\r\n",
        ),
        columns=[
            dropped("Kundennr", "identifier"),
            coarse("Geburtstag", "Geburtsmonat", "month", "quasi", form="yyyy-mm-dd",
                   written="{month:02}.{year}"),
            unchanged("Geschlecht", None, "quasi"), unchanged("Tarif", None, "quasi", "other"),
            unchanged("Besuche", None, "quasi", "other", "sensitive"),
            coarse("Umsatz", "Umsatz", "rounded 100", "sensitive", "quasi", "other",
                   written="{rounded}"),
        ],
        of=list(range(100)), kinds=("same order",), quasi=("Geburtsmonat", "Geschlecht", "Tarif"),
        sensitive=("Umsatz",),
    )  # fmt: skip


@recipe
def utf16(rng: random.Random) -> Pair:
    rows, out = [], []
    for one in people(rng, 130, "fr"):
        dept, age = rng.choice(["75012", "75018", "69003", "69007", "13001"]), one.age(TODAY)
        child = rng.choice(["Théâtre", "Musée", "Cinéma"])
        fee = weighted(rng, plein=5, réduit=3, gratuit=1)
        rows.append([one.last, one.first, dept, age, child, fee])
        out.append([dept[:2], age // 10 * 10, child, fee])
    return Pair(
        about='Saved by Excel as "Unicode text": UTF-16 with tabs.',
        original=Sheet(
            names=["nom", "prénom", "code_postal", "âge", "activité", "aide_sociale"], rows=rows,
            file="original.txt", delimiter="\t", encoding="utf-16", newline="\r\n",
        ),
        published=Sheet(
            names=["département", "âge", "activité", "aide_sociale"], rows=out,
            file="publié.txt", delimiter="\t", encoding="utf-16", newline="\r\n",
        ),
        columns=[
            dropped("nom", "identifier"), dropped("prénom", "identifier"),
            coarse("code_postal", "département", "prefix 2", "quasi", written="{text:.2}"),
            coarse("âge", "âge", "floor 10", "quasi", written="{floor}"),
            unchanged("activité", None, "quasi", "other", "sensitive"),
            unchanged("aide_sociale", None, "sensitive", "quasi", "other"),
        ],
        of=list(range(130)), kinds=("same order",), quasi=("département", "âge"),
        sensitive=("aide_sociale",),
    )  # fmt: skip


@recipe
def tabs(rng: random.Random) -> Pair:
    rows, out = [], []
    for number, one in enumerate(people(rng, 120)):
        job = rng.choice(["Smith, metal", "Clerk, office", "Driver, van", "Cook"])
        wage, sect = rng.randrange(1200, 4800), weighted(rng, yes=1, no=3)
        rows.append([number + 1, one.birth.year, job, wage, sect])
        year = one.birth.year // 5 * 5
        out.append([f"{year}-{year + 4}", job, wage // 1000 * 1000, sect])
    return Pair(
        about="Tab-separated, with commas within cells.",
        original=Sheet(
            names=["nr", "birth_year", "job", "wage", "union_member"], rows=rows,
            file="original.tsv", delimiter="\t",
        ),
        published=Sheet(
            names=["birth_year", "job", "wage", "union_member"], rows=out, file="published.tsv",
            delimiter="\t",
        ),
        columns=[
            dropped("nr", "identifier", "other"),
            coarse("birth_year", "birth_year", "bands", "quasi", bands=[
                [f"{low}-{low + 4}", low, low + 4, "[]"] for low in range(1935, 2010, 5)
            ]),
            unchanged("job", None, "quasi", "sensitive"),
            coarse("wage", "wage", "floor 1000", "sensitive", "quasi", written="{floor}"),
            unchanged("union_member", None, "sensitive", "quasi", "other"),
        ],
        of=list(range(120)), kinds=("same order",), quasi=("birth_year", "job"),
        sensitive=("union_member",),
    )  # fmt: skip


@recipe
def header_case(rng: random.Random) -> Pair:
    rows, out = [], []
    for number, one in enumerate(people(rng, 140)):
        state, age = rng.choice(["Texas", "Maine", "Idaho"]), one.age(TODAY)
        school = rng.choice(["none", "high school", "college"])
        ill = weighted(rng, none=5, depression=2, anxiety=2)
        rows.append([number + 100, age, state, school, ill])
        low = age // 10 * 10
        out.append([state, f"{low}-{low + 9}", school, ill])
    return Pair(
        about="Headers in different case, with blanks around and within them.",
        original=Sheet(
            names=["Patient_ID", "Age_Years", "home_state", "EducationLevel", "MentalHealth"],
            rows=rows, file="original.csv",
        ),
        published=Sheet(
            names=["HOME STATE", " age years ", "Education level", "mental health "], rows=out,
            file="published.csv",
        ),
        columns=[
            dropped("Patient_ID", "identifier"),
            coarse("Age_Years", " age years ", "bands", "quasi", bands=[
                [f"{low}-{low + 9}", low, low + 9, "[]"] for low in range(10, 100, 10)
            ]),
            unchanged("home_state", "HOME STATE", "quasi"),
            unchanged("EducationLevel", "Education level", "quasi"),
            unchanged("MentalHealth", "mental health ", "sensitive"),
        ],
        of=list(range(140)), kinds=("same order",),
        quasi=("HOME STATE", " age years ", "Education level"), sensitive=("mental health ",),
    )  # fmt: skip
