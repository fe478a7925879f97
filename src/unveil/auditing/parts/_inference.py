"""Empirical inference as a part of an audit: guesses about people in a release and about others."""

from __future__ import annotations

from collections.abc import Mapping

from unveil.attacks import Inference, inference
from unveil.attacks.inference import REMEDY, Guesses
from unveil.auditing._figures import Question
from unveil.auditing._subjects import Subject
from unveil.auditing._telling import Axis, Chart, Series, Telling, numbers
from unveil.auditing.parts._part import Asked, Part
from unveil.report import display_name

__all__ = ["InferencePart"]


class InferencePart(Part[Inference]):
    """How often an attacker guesses right, and how much of that is a breach."""

    name = "inference"
    title = "What an attacker guesses, and what anybody could"
    questions = (Question.INFERENCE,)
    means = (
        "An attacker learns from the release and guesses everybody's secret. Some of it anybody "
        "could guess who only knows how frequent the values are; some is true of people like them, "
        "whether they are in the table or not. Only what he guesses better about those in the "
        "table than about others is given away by their own records."
    )
    assumes = (
        "People who are held out are of the same kind as those in the table. The attacker learns "
        "from the release alone."
    )
    page = "inference"
    function = staticmethod(inference)
    figures = ("accuracy", "gain")

    def look(self, subject: Subject, asked: Asked) -> Inference:
        asked.needs_all_known("inference")
        options = asked.told(self.name, adversary=asked.adversary, seed=asked.seed, progress=False)
        return inference(subject.anew or subject.release, subject.microdata, **options)

    def numbers(self, finding: Inference) -> dict[str, float | None]:
        gap = finding.gap
        return {"accuracy": finding.accuracy, "gain": None if gap is None else gap.value}

    def tell(self, found: Mapping[str, Inference], asked: Asked) -> Telling:
        return Telling(
            sentences=[
                finding.verdict(display_name(name)).replace(REMEDY, "")
                for name, finding in found.items()
            ],
            charts=[self._sides(found)],
        )

    def _sides(self, found: Mapping[str, Inference]) -> Chart:
        names = [display_name(name) for name in found]
        sides: dict[str, list[Guesses | None]] = {
            "by how frequent values are": [finding.prior for finding in found.values()],
            "about people who are not in it": [finding.outside for finding in found.values()],
            "about people in it": [finding.inside for finding in found.values()],
        }
        series = []
        for side, guesses in sides.items():
            estimates = [None if one is None else one.accuracy for one in guesses]
            if not any(estimates):
                continue
            nan = float("nan")
            series.append(
                Series(
                    name=side, x=names,
                    y=numbers(nan if one is None else one.value for one in estimates),
                    low=numbers(nan if one is None else one.low for one in estimates),
                    high=numbers(nan if one is None else one.high for one in estimates),
                )
            )  # fmt: skip
        return Chart(
            kind="bars",
            title="How often guesses are right",
            says="with 95% intervals; what is guessed about people who are not in the table is "
            "knowledge about the population",
            x=Axis(label="", scale="names"),
            y=Axis(label="guessed right", share=True),
            series=series,
        )
