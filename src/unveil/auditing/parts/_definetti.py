"""The deFinetti attack as a part of an audit."""

from __future__ import annotations

from collections.abc import Mapping

from unveil.attacks import DeFinetti, definetti
from unveil.auditing._figures import Question
from unveil.auditing._subjects import Subject
from unveil.auditing._telling import Axis, Chart, Series, Telling, numbers
from unveil.auditing.parts._part import Asked, Part
from unveil.report import display_name

__all__ = ["DeFinettiPart"]


class DeFinettiPart(Part[DeFinetti]):
    """What the groups of a release tell about each other."""

    name = "definetti"
    title = "What groups tell about each other"
    questions = (Question.INFERENCE,)
    means = (
        "A group of people has as many secrets, and the release does not say whose is which. An "
        "attacker who knows all people learns across groups what kind of people have which "
        "secrets, and re-weighs within each group."
    )
    assumes = (
        "Columns are about independent given the secret (naive Bayes), and the attacker knows "
        "everybody's quasi-identifiers."
    )
    page = "definetti"
    function = staticmethod(definetti)
    figures = ("reweighted",)

    def look(self, subject: Subject, asked: Asked) -> DeFinetti:
        asked.needs_all_known("the deFinetti attack")
        options = asked.told(self.name, progress=False)
        return definetti(subject.release, subject.microdata, **options)

    def numbers(self, finding: DeFinetti) -> dict[str, float | None]:
        return {"reweighted": finding.reweighted.accuracy}

    def tell(self, found: Mapping[str, DeFinetti], asked: Asked) -> Telling:
        names = [display_name(name) for name in found]
        nan = float("nan")
        sides = {
            "by the shares of the group": [one.random_worlds for one in found.values()],
            "by what was learnt, without the group": [one.population for one in found.values()],
            "by both": [one.reweighted for one in found.values()],
        }
        return Telling(
            sentences=[finding.verdict(display_name(name)) for name, finding in found.items()],
            charts=[
                Chart(
                    kind="bars",
                    title="How often guesses within groups are right",
                    says="by the group alone, by what was learnt across groups, and by both",
                    x=Axis(label="", scale="names"),
                    y=Axis(label="guessed right", share=True),
                    series=[
                        Series(
                            name=side, x=names,
                            y=numbers(
                                nan if one.accuracy is None else one.accuracy for one in told
                            ),
                        )
                        for side, told in sides.items()
                    ],
                )
            ],
        )  # fmt: skip
