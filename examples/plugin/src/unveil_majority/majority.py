"""The attack and its finding."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from unveil.errors import File, InputError, Message, Text
from unveil.findings import Axis, Chart, Finding, Story, Value, distribution
from unveil.microdata import AnyRelease, Release
from unveil.options import Help, Share, Shell, checked
from unveil_majority import MAJORITY


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Majority(Finding):
    """For each record, the share of its class that has the most frequent value, and the guess."""

    entry: ClassVar[str] = "majority"

    release: Release
    certainty: np.ndarray
    guess: np.ndarray  # codes of sensitive values; -1: the attacker does not guess
    notes: tuple[Text, ...] = ()

    @property
    def right(self) -> np.ndarray:
        return self.guess == self.release.sensitive.codes

    @property
    def baseline(self) -> float:
        return self.release.totals.max() / len(self.release)

    @property
    def figures(self) -> tuple[Value, ...]:
        return (MAJORITY.of(self.right.mean()),)

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"people": len(self.release), "guessed": int((self.guess >= 0).sum()),
                "baseline": self.baseline}  # fmt: skip

    def story(self, release: Text | None = None) -> Story:
        name = release or Message("{name}", name=File(self.release.made_by, bare=True))
        secret, share = self.release.sensitive.name, MAJORITY.text(self.right.mean())
        chart = Chart(
            kind="distribution", title="How frequent the most frequent value of a class is",
            says="the further to the right, the more certain a guess",
            x=Axis(label=f"share of the most frequent {secret} in the class", share=True),
            y=Axis(label="share of people", share=True),
            series=[distribution(name, self.certainty)],
        )  # fmt: skip
        verdict = Message(
            "Under {name}, the {secret} of {share} of the people is the most frequent one of their "
            "class ({baseline} have the most frequent one of the table).",
            name=name, secret=secret, share=share, baseline=MAJORITY.text(self.baseline),
        )  # fmt: skip
        title = Message("Majority: {release}", release=File(self.release.in_short, bare=True))
        return Story(title=title, verdict=verdict, charts=[chart])

    def to_frame(self) -> pd.DataFrame:
        texts = np.array([*self.release.sensitive.texts, None], dtype=object)
        return pd.DataFrame({"guess": texts[self.guess], "right": self.right})


AtLeast = Annotated[
    Share,
    Help("Guess only if at least this share of the class has the most frequent value."),
    Shell(metavar="SHARE"),
]


@checked
def majority(release: AnyRelease, *, at_least: AtLeast = 0.0) -> Majority:
    """Guess the most frequent sensitive value of each class.

    Returns
    -------
    Majority
    """
    if not isinstance(release, Release):
        raise InputError("majority needs classes, and {release} has none",
                         release=File(release.made_by, bare=True))  # fmt: skip
    certainty = (release.counts.max(axis=1) / release.sizes)[release.class_of]
    guess = release.counts.argmax(axis=1)[release.class_of]
    guess = np.where(certainty >= at_least, guess, -1)
    return Majority(release=release, certainty=certainty, guess=guess, notes=release.notes)
