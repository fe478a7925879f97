"""Invented people."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta

_FIRST = {
    "de": ("Jürgen Björn Karl Günter Lukas Felix Paul Jonas Emil Oskar",
           "Käthe Jördis Anna Lena Grete Ida Marta Frieda Hanna Elsa"),
    "us": ("James Robert Marcus David Tyler Brian Luis Kevin Aaron Omar",
           "Mary Linda Susan Karen Ashley Emily Maria Tanya Grace Nora"),
    "nl": ("Jan Piet Daan Sem Bram Luuk Thijs Ruben Koen Joost",
           "Sanne Anouk Fleur Lotte Femke Maaike Iris Eva Roos Tess"),
    "fr": ("Jérôme Hugo Léo Paul Rémi Noël Luc Yves Éric Théo",
           "Chloé Léa Inès Zoé Anaïs Élise Manon Jade Lucie Agnès"),
}  # fmt: skip
_LAST = {
    "de": "Müller Schröder Weiß Köhler Krüger Böhm Groß Vogel Lange Kühn Jäger Fuchs Sommer Lüdtke",
    "us": "Johnson Lee Brown Garcia Miller Davis Wilson Moore Clark Lewis Young Hall Allen Wright",
    "nl": "Jansen Bakker Visser Smit Meijer Mulder Bos Vos Peters Hendriks Dekker Kok Prins Blom",
    "fr": "Lefèvre Gérard Rousseau Moreau Fabre Noël Roux Marchand Péron Colin Leroy Blanc",
}
_PLAIN = str.maketrans("äöüßéèêëïîôçÄÖÜÉ", "aouseeeeiiocAOUE")


@dataclass(frozen=True)
class Person:
    first: str
    last: str
    sex: str
    birth: date
    email: str
    phone: str

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    def age(self, day: date) -> int:
        return age_on(self.birth, day)


def age_on(birth: date, day: date) -> int:
    """Whole years on that day."""
    return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))


def day_between(rng: random.Random, first: date, last: date) -> date:
    return first + timedelta(days=rng.randrange((last - first).days + 1))


def people(
    rng: random.Random, number: int, land: str = "us", *, youngest: int = 2005, oldest: int = 1935
) -> list[Person]:
    made = []
    men, women = (names.split() for names in _FIRST[land])
    last_names = _LAST[land].split()
    for place in range(number):
        sex = rng.choice("mf")
        first = rng.choice(men if sex == "m" else women)
        last = rng.choice(last_names)
        address = f"{first}.{last}".translate(_PLAIN).lower()
        made.append(Person(
            first=first, last=last, sex=sex,
            birth=day_between(rng, date(oldest, 1, 1), date(youngest, 12, 31)),
            email=f"{address}{place + 10}@example.org",
            phone=f"555-01{rng.randrange(100):02}",
        ))  # fmt: skip
    return made


def weighted(rng: random.Random, **shares: float) -> str:
    """One of the names, by its share."""
    return rng.choices(list(shares), list(shares.values()))[0]
