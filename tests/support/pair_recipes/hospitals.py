"""Hospitals and doctors: stays, discharges, patients."""

from __future__ import annotations

import random
from datetime import date, timedelta

from pair_recipes.pair import Column, Pair, Question, Sheet, coarse, dropped, new, recipe, unchanged
from pair_recipes.people import age_on, day_between, people, weighted

SEX = {"m": "male", "f": "female"}
CHAPTERS = {
    "C": "II Neubildungen", "E": "IV Stoffwechselkrankheiten", "F": "V Psychische Störungen",
    "I": "IX Kreislaufsystem", "J": "X Atmungssystem", "K": "XI Verdauungssystem",
}  # fmt: skip


def _icd(rng: random.Random) -> str:
    return rng.choice([
        "C50.9", "C34.1", "C34.9", "E11.9", "E11.2", "E66.0", "F32.1", "F32.2", "F10.2", "I50.1",
        "I50.9", "I21.4", "I21.0", "J44.1", "J44.0", "J18.9", "K35.8", "K80.2", "K80.0",
    ])  # fmt: skip


def _german(day: date) -> str:
    return f"{day.day:02}.{day.month:02}.{day.year}"


def _american(day: date) -> str:
    return f"{day.month:02}/{day.day:02}/{day.year}"


@recipe
def hospital_de(rng: random.Random) -> Pair:
    rows, out = [], []
    areas = ["80331", "80469", "81925", "81541", "82031", "86150", "86199", "86343", "90402"]
    for number, one in enumerate(people(rng, 160, "de")):
        plz, icd = rng.choice(areas), _icd(rng)
        admitted = day_between(rng, date(2023, 1, 2), date(2023, 12, 30))
        weight = f"{rng.gauss(76, 13):.1f}".replace(".", ",")
        sex = "männlich" if one.sex == "m" else "weiblich"
        rows.append([
            f"PA{number * 7 + 1003}", one.last, one.first, _german(one.birth), sex, plz,
            _german(admitted), weight, icd,
        ])  # fmt: skip
        out.append([one.birth.year, sex, plz[:2], f"{admitted:%m/%Y}", weight, CHAPTERS[icd[0]]])
    table = {row[8]: CHAPTERS[row[8][0]] for row in rows}
    return Pair(
        about="German hospital stays, from the hospital's program, coarsened in a script.",
        original=Sheet(
            names=["Patientennr", "Nachname", "Vorname", "Geburtsdatum", "Geschlecht", "PLZ",
                   "Aufnahme", "Gewicht", "Hauptdiagnose"],
            rows=rows, file="original.csv", delimiter=";", encoding="latin-1", newline="\r\n",
        ),
        published=Sheet(
            names=["Geburtsjahr", "Geschlecht", "PLZ", "Aufnahme", "Gewicht", "Hauptdiagnose"],
            rows=out, file="published.csv", delimiter=";", encoding="latin-1", newline="\r\n",
        ),
        columns=[
            dropped("Patientennr", "identifier"), dropped("Nachname", "identifier"),
            dropped("Vorname", "identifier"),
            coarse("Geburtsdatum", "Geburtsjahr", "year", "quasi",
                   form="dd.mm.yyyy", written="{year}"),
            unchanged("Geschlecht", None, "quasi"),
            coarse("PLZ", "PLZ", "prefix 2", "quasi", written="{text:.2}"),
            coarse("Aufnahme", "Aufnahme", "month", "quasi", "other",
                   form="dd.mm.yyyy", written="{month:02}/{year}"),
            unchanged("Gewicht", None, "quasi", "other"),
            coarse("Hauptdiagnose", "Hauptdiagnose", ("recoded", "set"), "sensitive", table=table),
        ],
        of=list(range(160)), kinds=("same order",),
        quasi=("Geburtsjahr", "Geschlecht", "PLZ"), sensitive=("Hauptdiagnose",),
    )  # fmt: skip


@recipe
def us_discharge(rng: random.Random) -> Pair:
    rows, out = [], []
    zips = ["60614", "60601", "60622", "60515", "60540", "61101", "61108", "62701", "62704"]
    for number, one in enumerate(people(rng, 180)):
        zip_code, icd, sex = rng.choice(zips), _icd(rng), one.sex.upper()
        admitted = day_between(rng, date(2022, 1, 1), date(2023, 12, 20))
        left = admitted + timedelta(days=rng.randrange(1, 11))
        payer = weighted(rng, Medicare=4, Medicaid=3, Private=5)
        rows.append([
            f"{88000000 + number * 37}", one.name, _american(one.birth), sex, zip_code,
            _american(admitted), _american(left), payer, icd,
        ])  # fmt: skip
        quarter = (left.month + 2) // 3
        out.append([
            one.birth.year, sex, zip_code[:3], admitted.year, f"{left.year}Q{quarter}", payer,
            icd[:3],
        ])  # fmt: skip
    american = {"form": "mm/dd/yyyy"}
    return Pair(
        about="A US discharge file: MM/DD/YYYY to year and quarter, ZIP code to three digits.",
        original=Sheet(
            names=["MRN", "PatientName", "BirthDate", "Sex", "ZIP", "AdmitDate", "DischargeDate",
                   "Payer", "PrimaryDx"],
            rows=rows, file="original.csv",
        ),
        published=Sheet(
            names=["BirthYear", "Sex", "ZIP3", "AdmitYear", "DischargeQuarter", "Payer",
                   "PrimaryDx"],
            rows=out, file="published.csv",
        ),
        columns=[
            dropped("MRN", "identifier"), dropped("PatientName", "identifier"),
            coarse("BirthDate", "BirthYear", "year", "quasi", written="{year}", **american),
            unchanged("Sex", None, "quasi"),
            coarse("ZIP", "ZIP3", "prefix 3", "quasi", written="{text:.3}"),
            coarse("AdmitDate", "AdmitYear", "year", "quasi", "other", written="{year}",
                   **american),
            coarse("DischargeDate", "DischargeQuarter", "quarter", "quasi", "other",
                   written="{year}Q{quarter}", **american),
            unchanged("Payer", None, "quasi", "other", "sensitive"),
            coarse("PrimaryDx", "PrimaryDx", "prefix 3", "sensitive", written="{text:.3}"),
        ],
        of=list(range(180)), kinds=("same order",),
        quasi=("BirthYear", "Sex", "ZIP3"), sensitive=("PrimaryDx",),
    )  # fmt: skip


def _few_days(rng: random.Random, number: int, first: int, last: int) -> list[date]:
    """Dates that can be read both ways: no day after the 12th."""
    return [
        date(rng.randrange(first, last), rng.randrange(1, 13), rng.randrange(1, 13))
        for _ in range(number)
    ]


@recipe
def ambiguous_dates(rng: random.Random) -> Pair:
    births = _few_days(rng, 120, 1940, 2004)
    rows, out = [], []
    for one, birth in zip(people(rng, 120), births, strict=True):
        district, blood = rng.choice(["North", "South", "West"]), rng.choice(["neg", "pos"])
        rows.append([one.name, f"{birth.day:02}/{birth.month:02}/{birth.year}", district, blood])
        out.append([birth.year, district, blood])
    return Pair(
        about="A clinic whose patients' birthdays all fall on days 1 to 12; only the year is "
        "published, so nothing says which of the first two numbers is the month.",
        original=Sheet(
            names=["name", "date_of_birth", "district", "hiv_test"], rows=rows, file="original.csv"
        ),
        published=Sheet(
            names=["year_of_birth", "district", "hiv_test"], rows=out, file="published.csv"
        ),
        columns=[
            dropped("name", "identifier"),
            coarse("date_of_birth", "year_of_birth", "year", "quasi", may_ask=True,
                   form="dd/mm/yyyy", written="{year}"),
            unchanged("district", None, "quasi"), unchanged("hiv_test", None, "sensitive"),
        ],
        of=list(range(120)), kinds=("same order",),
        quasi=("year_of_birth", "district"), sensitive=("hiv_test",),
        questions=(
            Question(column="date_of_birth", about="date", must=True,
                     answer={"forms": {"date_of_birth": "dd/mm/yyyy"}}),
        ),
    )  # fmt: skip


@recipe
def ambiguous_months(rng: random.Random) -> Pair:
    births = _few_days(rng, 120, 1950, 1999)
    rows, out = [], []
    for number, (one, birth) in enumerate(zip(people(rng, 120, "fr"), births, strict=True)):
        smoker = rng.choice(["oui", "non"])
        rows.append([
            f"F{number + 501}", f"{birth.day:02}/{birth.month:02}/{birth.year}",
            "H" if one.sex == "m" else "F", smoker,
        ])  # fmt: skip
        out.append([f"{birth.year}-{birth.month:02}", "H" if one.sex == "m" else "F", smoker])
    return Pair(
        about="Dates that can be read both ways, but the published months fit one reading only.",
        original=Sheet(
            names=["dossier", "naissance", "sexe", "fumeur"], rows=rows, file="original.csv",
            delimiter=";",
        ),
        published=Sheet(
            names=["naissance", "sexe", "fumeur"], rows=out, file="published.csv", delimiter=";"
        ),
        columns=[
            dropped("dossier", "identifier"),
            coarse("naissance", "naissance", "month", "quasi", may_ask=True,
                   form="dd/mm/yyyy", written="{year}-{month:02}"),
            unchanged("sexe", None, "quasi"), unchanged("fumeur", None, "sensitive", "quasi"),
        ],
        of=list(range(120)), kinds=("same order",), quasi=("naissance", "sexe"),
        sensitive=("fumeur",),
        questions=(
            Question(column="naissance", about="date", must=False,
                     answer={"forms": {"naissance": "dd/mm/yyyy"}}),
        ),
    )  # fmt: skip


@recipe
def ages_from_birth(rng: random.Random) -> Pair:
    day = date(2024, 12, 31)
    rows, out = [], []
    for number, one in enumerate(people(rng, 200, "us", youngest=1960, oldest=1925)):
        home, falls = rng.choice(["Elm House", "Oak House", "Lakeside"]), rng.randrange(0, 5)
        care = weighted(rng, low=4, medium=3, high=2, intensive=1)
        rows.append([f"R{number + 2001}", one.name, one.birth.isoformat(), SEX[one.sex], home,
                     falls, care])  # fmt: skip
        age = age_on(one.birth, day)
        out.append(["90+" if age >= 90 else age, SEX[one.sex], home, falls, care])
    return Pair(
        about="Residents of homes: ages at the end of 2024 instead of dates of birth, and 90+ as "
        "HIPAA's safe harbor asks for.",
        original=Sheet(
            names=["resident", "name", "birth_date", "sex", "home", "falls", "care_level"],
            rows=rows, file="original.csv",
        ),
        published=Sheet(
            names=["age", "sex", "home", "falls", "care_level"], rows=out, file="published.csv"
        ),
        columns=[
            dropped("resident", "identifier"), dropped("name", "identifier"),
            coarse("birth_date", "age", ("age 2024-12-31, top 90", "age 2024-12-31"), "quasi",
                   form="yyyy-mm-dd", top_written="90+",
                   written="{age}"),
            unchanged("sex", None, "quasi"), unchanged("home", None, "quasi", "other"),
            unchanged("falls", None, "quasi", "other", "sensitive"),
            unchanged("care_level", None, "sensitive", "quasi", "other"),
        ],
        of=list(range(200)), kinds=("same order",), quasi=("age", "sex", "home"),
        sensitive=("care_level",),
    )  # fmt: skip


@recipe
def date_ranges(rng: random.Random) -> Pair:
    rows, out = [], []
    halves = [(date(year, *first), date(year, *last)) for year in (2020, 2021, 2022)
              for first, last in (((1, 1), (6, 30)), ((7, 1), (12, 31)))]  # fmt: skip
    for number, one in enumerate(people(rng, 150, "nl")):
        visit = day_between(rng, date(2020, 1, 5), date(2022, 12, 20))
        first, last = next(half for half in halves if half[0] <= visit <= half[1])
        region = weighted(rng, Noord=2, Zuid=2, Oost=1)
        found = weighted(rng, none=5, polyp=3, carcinoma=1)
        rows.append([number + 40001, visit.isoformat(), region, one.age(visit), found])
        out.append([f"{first} - {last}", region, one.age(visit) // 10 * 10, found])
    bands = [[f"{first} - {last}", str(first), str(last), "[]"] for first, last in halves]
    return Pair(
        about="Screening visits: dates as ranges of half a year, ages as the decade they are in.",
        original=Sheet(
            names=["screening_no", "visit", "region", "age", "finding"], rows=rows,
            file="original.csv",
        ),
        published=Sheet(
            names=["visit", "region", "age", "finding"], rows=out, file="published.csv"
        ),
        columns=[
            dropped("screening_no", "identifier"),
            coarse("visit", "visit", "bands", "quasi", "other", form="yyyy-mm-dd", bands=bands),
            unchanged("region", None, "quasi"),
            coarse("age", "age", "floor 10", "quasi", written="{floor}"),
            unchanged("finding", None, "sensitive"),
        ],
        of=list(range(150)), kinds=("same order",), quasi=("visit", "region", "age"),
        sensitive=("finding",),
    )  # fmt: skip


@recipe
def bmi(rng: random.Random) -> Pair:
    rows, out = [], []
    for number, one in enumerate(people(rng, 160)):
        height, weight = round(rng.gauss(171, 9)), round(rng.gauss(78, 15), 1)
        figure = weight / (height / 100) ** 2
        group = ("underweight" if figure < 18.5 else "normal" if figure < 25 else
                 "overweight" if figure < 30 else "obese")  # fmt: skip
        age, ward = one.age(date(2024, 6, 1)), rng.choice(["A", "B", "C", "D"])
        pressure = round(rng.gauss(128, 15))
        rows.append([f"T-{number:04}", age, SEX[one.sex], height, weight, ward, pressure])
        low = age // 5 * 5
        out.append([f"{low}-{low + 4}", SEX[one.sex], group, ward, pressure])
    return Pair(
        about="A trial: a class of body mass index was made from height and weight, which were "
        "dropped.",
        original=Sheet(
            names=["trial_id", "age", "sex", "height_cm", "weight_kg", "ward", "systolic"],
            rows=rows, file="original.csv",
        ),
        published=Sheet(
            names=["age", "sex", "bmi_class", "ward", "systolic"], rows=out, file="published.csv"
        ),
        columns=[
            dropped("trial_id", "identifier"),
            coarse("age", "age", "bands", "quasi", bands=[
                [f"{low}-{low + 4}", low, low + 4, "[]"] for low in range(15, 95, 5)
            ]),
            unchanged("sex", None, "quasi"),
            dropped("height_cm"), dropped("weight_kg"),
            new("bmi_class"),
            unchanged("ward", None, "quasi", "other"),
            unchanged("systolic", None, "sensitive", "quasi", "other"),
        ],
        of=list(range(160)), kinds=("same order",), quasi=("age", "sex", "ward"),
        sensitive=("systolic",),
    )  # fmt: skip


@recipe
def two_secrets(rng: random.Random) -> Pair:
    rows, out = [], []
    for number, one in enumerate(people(rng, 200, "fr")):
        age, town = one.age(date(2024, 1, 1)), rng.choice(["Lyon", "Lille", "Nantes"])
        hiv = "" if rng.random() < 0.1 else weighted(rng, neg=9, pos=1)
        mood = "" if rng.random() < 0.2 else weighted(rng, none=5, mild=3, severe=2)
        rows.append([f"Q{number + 100}", age, SEX[one.sex], town, hiv, mood])
        low = age // 10 * 10
        # Cells of small towns' severe cases were blanked by hand on top of what was never asked.
        shown = "" if mood == "severe" and town == "Lyon" and rng.random() < 0.5 else mood
        out.append([f"{low}-{low + 9}", SEX[one.sex], town, hiv, shown])
    return Pair(
        about="Two secrets with different gaps: one was not tested for everybody, the other not "
        "answered by everybody, and some of its cells were blanked before publication.",
        original=Sheet(
            names=["questionnaire", "age", "sex", "town", "hiv", "depression"], rows=rows,
            file="original.csv",
        ),
        published=Sheet(
            names=["age_group", "sex", "town", "hiv", "depression"], rows=out, file="published.csv"
        ),
        columns=[
            dropped("questionnaire", "identifier"),
            coarse("age", "age_group", "bands", "quasi", bands=[
                [f"{low}-{low + 9}", low, low + 9, "[]"] for low in range(10, 100, 10)
            ]),
            unchanged("sex", None, "quasi"), unchanged("town", None, "quasi"),
            unchanged("hiv", None, "sensitive"),
            Column(original="depression", published="depression", how=("unchanged",),
                   roles=("sensitive",), check={"may_blank": True}),
        ],
        of=list(range(200)), kinds=("same order",), quasi=("age_group", "sex", "town"),
        sensitive=("hiv", "depression"),
    )  # fmt: skip


@recipe
def two_digit_years(rng: random.Random) -> Pair:
    rows, out = [], []
    for number, one in enumerate(people(rng, 110, "de", youngest=1999, oldest=1970)):
        station, result = rng.choice(["Ost", "West"]), weighted(rng, negativ=7, positiv=2)
        day = f"{one.birth.day:02}.{one.birth.month:02}.{one.birth.year % 100}"
        rows.append([f"L{number + 10}", day, station, result])
        out.append([one.birth.year, station, result])
    return Pair(
        about="Dates with years of two digits: the form must be given.",
        original=Sheet(
            names=["Labornr", "Geburtsdatum", "Station", "Befund"], rows=rows,
            file="original.csv", delimiter=";",
        ),
        published=Sheet(
            names=["Geburtsjahr", "Station", "Befund"], rows=out, file="published.csv",
            delimiter=";",
        ),
        columns=[
            dropped("Labornr", "identifier"),
            coarse("Geburtsdatum", "Geburtsjahr", "year", "quasi", may_ask=True, form="dd.mm.yy",
                   written="{year}"),
            unchanged("Station", None, "quasi", "other"), unchanged("Befund", None, "sensitive"),
        ],
        of=list(range(110)), kinds=("same order",), quasi=("Geburtsjahr", "Station"),
        sensitive=("Befund",),
        questions=(Question(column="Geburtsdatum", about="date", must=True,
                            answer={"forms": {"Geburtsdatum": "dd.mm.yy"}}),),
    )  # fmt: skip
