"""Minimality as a part of an audit."""

from __future__ import annotations

from collections.abc import Mapping

from unveil.attacks import Minimality, minimality
from unveil.auditing._figures import Question
from unveil.auditing._subjects import Subject
from unveil.auditing._telling import Axis, Chart, Telling, thinned_distribution
from unveil.auditing.parts._part import Asked, Part
from unveil.errors import InputError
from unveil.report import display_name

__all__ = ["MinimalityPart"]


class MinimalityPart(Part[Minimality]):
    """What a sanitizer's way of working tells beyond its release."""

    name = "minimality"
    title = "What the way of working tells"
    questions = (Question.INFERENCE,)
    means = (
        "A sanitizer generalizes no more than its goal demands. Where it did not cut further, a "
        "finer cut must have missed the goal, and that says something about who has which secret. "
        "The goal promises that no secret is believed of anybody beyond a bound; some people may "
        "be above it."
    )
    assumes = "The attacker knows everybody's quasi-identifiers, the program, and its goal."
    page = "minimality"
    function = staticmethod(minimality)
    figures = ("above_promise",)

    def look(self, subject: Subject, asked: Asked) -> Minimality:
        if subject.sanitizer is None:
            raise InputError(
                "how a published file was made is not known; give the sanitizer that made it"
            )
        asked.needs_all_known("minimality")
        options = asked.told(self.name, seed=asked.seed, progress=False)
        return minimality(subject.sanitizer, subject.microdata, **options)

    def numbers(self, finding: Minimality) -> dict[str, float | None]:
        return {"above_promise": float(finding.above.mean())}

    def tell(self, found: Mapping[str, Minimality], asked: Asked) -> Telling:
        return Telling(
            sentences=[finding.verdict(display_name(name)) for name, finding in found.items()],
            charts=[
                Chart(
                    kind="distribution",
                    title="How far beliefs move by knowing how the release was made",
                    says="0: nothing is told beyond the release",
                    x=Axis(label="how far belief about a person moves"),
                    y=Axis(label="share of people", share=True),
                    series=[
                        thinned_distribution(display_name(name), finding.change)
                        for name, finding in found.items()
                    ],
                )
            ],
        )

    def diagnose(self, finding: Minimality) -> list[str]:
        alone, unknown = int(finding.looked_at_alone.sum()), int(finding.unknown.sum())
        said = [
            f"All worlds counted for {finding.people_by('exact'):,} of {len(finding):,} people."
        ]
        if alone:
            said.append(f"The classes of {alone:,} people were looked at alone.")
        if unknown:
            said.append(f"Of {unknown:,} people nothing could be found out.")
        return said
