"""Membership as a part of an audit: can attackers tell who is in the data?"""

from __future__ import annotations

from collections.abc import Mapping

from unveil.attacks import Membership, membership
from unveil.auditing._figures import Question
from unveil.auditing._subjects import Subject
from unveil.auditing._telling import Axis, Chart, Series, Telling, numbers
from unveil.auditing.parts._part import Asked, Part
from unveil.errors import InputError
from unveil.report import display_name

__all__ = ["MembershipPart"]


class MembershipPart(Part[Membership]):
    """Attackers who know everything about a person say whether the record is in the release."""

    name = "membership"
    title = "Can attackers tell who is in the data"
    questions = (Question.LINKABILITY,)
    means = (
        "Some people's records are anonymized, others' are held out. Attackers who know all about "
        "a person have to say which of the two it is. The area under their curve is how often they "
        "rank somebody who is in the data above somebody who is not: one half is guessing."
    )
    assumes = "People who are held out are of the same kind as those in the table."
    page = "membership"
    function = staticmethod(membership)
    figures = ("membership",)

    def look(self, subject: Subject, asked: Asked) -> Membership:
        if subject.anew is None:
            raise InputError(
                "who is in a published file is settled; give the program that made it, as a "
                "sanitizer or an oracle"
            )
        asked.needs_all_known("membership")
        options = asked.told(self.name, seed=asked.seed, n_jobs=asked.n_jobs, progress=False)
        return membership(subject.microdata, subject.anew, **options)

    def numbers(self, finding: Membership) -> dict[str, float | None]:
        areas = [one.auc.value for one in finding.against.values() if one is not None]
        return {"membership": max(areas, default=None)}

    def tell(self, found: Mapping[str, Membership], asked: Asked) -> Telling:
        names = [display_name(name) for name in found]
        attackers = list(dict.fromkeys(a for one in found.values() for a in one.against))
        nan = float("nan")
        series = []
        for attacker in attackers:
            told = [one.against.get(attacker) for one in found.values()]
            series.append(
                Series(
                    name=attacker, x=names,
                    y=numbers(nan if one is None else one.auc.value for one in told),
                    low=numbers(nan if one is None else one.auc.low for one in told),
                    high=numbers(nan if one is None else one.auc.high for one in told),
                )
            )  # fmt: skip
        return Telling(
            sentences=[finding.verdict(display_name(name)) for name, finding in found.items()],
            charts=[
                Chart(
                    kind="bars",
                    title="How well attackers tell who is in the data",
                    says="area under the curve with 95% intervals; one half is guessing",
                    x=Axis(label="", scale="names"),
                    y=Axis(label="area under the curve"),
                    series=series,
                )
            ],
        )
