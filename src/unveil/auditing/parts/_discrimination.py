"""Discrimination rates as a part of an audit: which keys narrow down the secret?"""

from __future__ import annotations

from collections.abc import Mapping

from unveil._text import display_name
from unveil.auditing._figures import Question
from unveil.auditing._subjects import Subject
from unveil.auditing._telling import Axis, Chart, Matrix, Series, Telling, numbers
from unveil.auditing.parts._part import Asked, Part
from unveil.measures import DiscriminationRates, discrimination_rates

__all__ = ["DiscriminationPart"]

_KEYS = 2  # in a set: more would be a wall of numbers
_RANKED = 12
_ALL_SETS = 8  # with so many keys or fewer, all sets are counted


class DiscriminationPart(Part[DiscriminationRates]):
    """How much the known attributes narrow down the secret."""

    name = "discrimination-rate"
    title = "How much the known attributes tell"
    questions = (Question.INFERENCE,)
    means = (
        "The discrimination rate is the share of the uncertainty about the secret that is gone "
        "for somebody who knows the published cells of some columns: 0 if they say nothing, 1 if "
        "they say all."
    )
    assumes = (
        "The attacker knows which published record is the person's. What is true of the whole "
        "population is counted as well: a rate alone is no breach."
    )
    page = "discrimination-rate"
    function = staticmethod(discrimination_rates)
    figures = ("discrimination",)

    def look(self, subject: Subject, asked: Asked) -> DiscriminationRates:
        quasi = len(asked.knows or subject.microdata.quasi)
        # The whole key set, too: it is the figure.
        options = asked.told(
            self.name, at_most=quasi if quasi <= _ALL_SETS else _KEYS, by=asked.knows,
            partition=asked.partitions.get(subject.microdata.sensitive.name),
        )  # fmt: skip
        return discrimination_rates(subject.release, **options)

    def numbers(self, finding: DiscriminationRates) -> dict[str, float | None]:
        rates = [one.rate for one in finding.ranked if one.rate is not None]
        return {"discrimination": max(rates, default=None)}

    def tell(self, found: Mapping[str, DiscriminationRates], asked: Asked) -> Telling:
        few = {
            name: {one.by: one.rate for one in finding.ranked if len(one.by) <= _KEYS}
            for name, finding in found.items()
        }
        most = sorted(
            {by for sets in few.values() for by in sets},
            key=lambda by: -max(sets.get(by) or 0.0 for sets in few.values()),
        )[:_RANKED]
        names = [" + ".join(by) for by in most]
        secret = next(iter(found.values())).of
        return Telling(
            sentences=[
                f"Under {display_name(name)}, what tells most of {secret} is "
                f"{' and '.join(most_telling(sets))}."
                for name, sets in few.items()
                if any(sets.values())
            ],
            charts=[
                Chart(
                    kind="bars",
                    title="The most telling columns and pairs of columns",
                    says=f"the {len(names)} highest rates, in each release",
                    x=Axis(label="", scale="names"),
                    y=Axis(label="discrimination rate"),
                    series=[
                        Series(
                            name=display_name(name), x=names,
                            y=[sets.get(by) for by in most],
                        )
                        for name, sets in few.items()
                    ],
                ),
                *(self._pairs(name, finding) for name, finding in found.items()),
            ],
        )  # fmt: skip

    def _pairs(self, name: str, finding: DiscriminationRates) -> Chart:
        rates = {frozenset(one.by): one.rate for one in finding.ranked if len(one.by) <= _KEYS}
        return Chart(
            kind="heatmap",
            title=f"What pairs of columns tell under {display_name(name)}",
            says=f"discrimination rate of {finding.of} by two columns; on the diagonal, by one",
            x=Axis(label="", scale="names"),
            y=Axis(label="discrimination rate"),
            matrix=Matrix(
                rows=list(finding.keys),
                columns=list(finding.keys),
                cells=[
                    [_none_or_number(rates.get(frozenset({a, b}))) for b in finding.keys]
                    for a in finding.keys
                ],
            ),
        )


def most_telling(sets: Mapping[tuple[str, ...], float | None]) -> tuple[str, ...]:
    """The set with the highest rate.

    >>> most_telling({("age",): 0.2, ("age", "sex"): 0.3, ("sex",): None})
    ('age', 'sex')
    """
    return max(sets, key=lambda by: sets[by] or 0.0)


def _none_or_number(rate: float | None) -> float | None:
    return None if rate is None else numbers([rate])[0]
