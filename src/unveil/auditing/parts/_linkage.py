"""Linkage as a part of an audit: everybody's quasi-identifiers are known, who is found?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from unveil.attacks import Linkage, linkage
from unveil.auditing._figures import Question
from unveil.auditing._subjects import Subject
from unveil.auditing._telling import Axis, Chart, Telling, thinned_distribution
from unveil.auditing.parts._part import Asked, Part
from unveil.report import display_name

__all__ = ["LinkagePart"]


class LinkagePart(Part[Linkage]):
    """An attacker with a list of all people looks for them in the release."""

    name = "linkage"
    title = "Who is found with a list of names"
    questions = (Question.LINKABILITY,)
    means = (
        "An attacker has a list with the names and the quasi-identifiers of all people of the "
        "table, such as a register. A person's candidates are the records whose cells cover that "
        "person. One candidate: the record is found. Several that all have the same secret: the "
        "secret is found."
    )
    assumes = (
        "The list is right and complete: nobody else could be meant. With people on it who are "
        "not in the table, links are less sure."
    )
    page = "linkage"
    function = staticmethod(linkage)
    figures = ("linked", "one_value")

    def look(self, subject: Subject, asked: Asked) -> Linkage:
        table = subject.microdata
        options = asked.told(self.name, progress=asked.progress, quasi=asked.knows)
        return linkage(subject.release, table, microdata=table, **options)

    def numbers(self, finding: Linkage) -> dict[str, float | None]:
        people = max(1, len(finding))
        return {
            "linked": float(finding.unique.sum() / people),
            "one_value": float(finding.one_value.sum() / people),
        }

    def tell(self, found: Mapping[str, Linkage], asked: Asked) -> Telling:
        return Telling(
            sentences=[finding.verdict(display_name(name)) for name, finding in found.items()],
            charts=[
                Chart(
                    kind="distribution",
                    title="How many records a person may be",
                    says="; ".join(
                        f"{display_name(name)}: half of the people have at most "
                        f"{_candidates(int(np.median(finding.candidates)))}"
                        for name, finding in found.items()
                    ),
                    x=Axis(label="candidates of a person", scale="log"),
                    y=Axis(label="share of people", share=True),
                    series=[
                        thinned_distribution(
                            display_name(name), finding.candidates.astype(np.float64), floor=0.5
                        )
                        for name, finding in found.items()
                    ],
                )
            ],
        )


def _candidates(number: int) -> str:
    return f"{number:,} candidate{'' if number == 1 else 's'}"
