"""The classical measures as a part of an audit: how large and how diverse the classes are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from unveil._text import display_name
from unveil.auditing._figures import FIGURES, Question
from unveil.auditing._subjects import Subject
from unveil.auditing._telling import Axis, Chart, Column, Row, Series, Table, Telling, numbers
from unveil.auditing.parts._part import Asked, Part
from unveil.measures import Measures, measures

__all__ = ["MeasuresPart"]

_WORST = 3  # classes listed of each release


class MeasuresPart(Part[Measures]):
    """Classes, their sizes, and the sensitive values in them."""

    name = "measures"
    title = "Classes: how many people look alike"
    questions = (Question.SINGLING_OUT, Question.INFERENCE)
    means = (
        "Records with the same published cells form a class. Nobody can be told from the others "
        "in a class (k: the smallest has so many records); but if they nearly all have the same "
        "secret, it is known all the same (ℓ: the fewest different values in a class; t: how far "
        "a class is from the whole table). Re-identification risk is one over the size of one's "
        "class."
    )
    assumes = (
        "The attacker knows the quasi-identifiers, and that the person is in the table. Nothing "
        "is said about what he knows besides."
    )
    page = "measures"
    function = staticmethod(measures)
    figures = (
        "k", "unique", "prosecutor", "prosecutor_mean", "l", "l_entropy", "alpha", "t", "beta",
        "mean_class",
    )  # fmt: skip

    def look(self, subject: Subject, asked: Asked) -> Measures:
        return measures(subject.release, **asked.told(self.name, quasi=asked.knows))

    def numbers(self, finding: Measures) -> dict[str, float | None]:
        found = dict.fromkeys(self.figures, None) | {"k": float(finding.k_anonymity.k)}
        if finding.uniqueness is not None:
            found["unique"] = finding.uniqueness.share
        risk = finding.reidentification_risk
        if risk is not None:
            found["prosecutor"] = risk.prosecutor.highest
            found["prosecutor_mean"] = risk.prosecutor.average
        if finding.l_diversity is not None:
            found["l"] = float(finding.l_diversity.distinct)
            found["l_entropy"] = finding.l_diversity.entropy
        if finding.alpha_k is not None:
            found["alpha"] = finding.alpha_k.alpha
        if finding.t_closeness is not None:
            found["t"] = finding.t_closeness.t
        if finding.beta_likeness is not None:
            found["beta"] = finding.beta_likeness.basic
        if finding.average_class_size is not None:
            found["mean_class"] = finding.average_class_size.mean
        return found

    def tell(self, found: Mapping[str, Measures], asked: Asked) -> Telling:
        return Telling(
            sentences=[self._sentence(name, finding) for name, finding in found.items()],
            charts=[self._sizes(found)],
            tables=[self._all(found), self._worst(found, asked)],
        )

    def _sentence(self, name: str, finding: Measures) -> str:
        shown, k = display_name(name), finding.k_anonymity.k
        alone = finding.k_anonymity.share_below(2)
        if alone:
            return (
                f"Under {shown}, {FIGURES['unique'].text(alone)} of the records are alone in their "
                "class: whoever knows the quasi-identifiers finds them."
            )
        others = "1 other" if k == 2 else f"{k - 1:,} others"
        said = f"Under {shown}, nobody can be told from fewer than {others}"
        if finding.l_diversity is None:
            return f"{said}."
        values = finding.l_diversity.distinct
        if values == 1:
            return f"{said}, but in some class all have the same {finding.sensitive}."
        return f"{said}, and every class has {values} or more values of {finding.sensitive}."

    def _sizes(self, found: Mapping[str, Measures]) -> Chart:
        series = []
        for name, finding in found.items():
            sizes = np.array(list(finding.k_anonymity.sizes), dtype=np.float64)
            records = sizes * np.array(list(finding.k_anonymity.sizes.values()), dtype=np.float64)
            series.append(
                Series(
                    name=display_name(name), x=numbers(sizes),
                    y=numbers(np.cumsum(records) / records.sum()),
                )
            )  # fmt: skip
        return Chart(
            kind="distribution",
            title="In how small a class people are",
            says="; ".join(
                f"{display_name(name)}: classes of {min(finding.k_anonymity.sizes):,} to "
                f"{max(finding.k_anonymity.sizes):,} records"
                for name, finding in found.items()
            ),
            x=Axis(label="records in one's class", scale="log"),
            y=Axis(label="share of records in classes up to that", share=True),
            series=series,
        )

    def _all(self, found: Mapping[str, Measures]) -> Table:
        """All measures: one row each, one column a release."""
        names = list(dict.fromkeys(f.name for finding in found.values() for f in finding.figures))
        by_name = [{f.name: f for f in finding.figures} for finding in found.values()]
        says = {f.name: f.says for finding in found.values() for f in finding.figures}
        rows: list[Row] = [
            [
                name,
                *(
                    (one[name].value, one[name].text) if name in one else (None, "–")
                    for one in by_name
                ),
                says[name],
            ]
            for name in names
        ]
        return Table(
            title="All measures",
            columns=[
                Column(title="measure", number=False),
                *(Column(title=display_name(name)) for name in found),
                Column(title="what it is", number=False),
            ],
            rows=rows,
        )

    def _worst(self, found: Mapping[str, Measures], asked: Asked) -> Table:
        rows: list[Row] = []
        for name, finding in found.items():
            smallest = finding.k_anonymity.deciding
            least = finding.l_diversity.deciding if finding.l_diversity is not None else None
            for why, deciding in (("smallest", smallest), ("fewest values", least)):
                for one in () if deciding is None else deciding.classes[:_WORST]:
                    cells = [f"{key}: {text}" for key, text in one.keys.items()]
                    row: Row = [
                        display_name(name),
                        why,
                        (float(one.records), f"{one.records:,}"),
                        asked.cells(cells, one.records),
                    ]
                    if row not in rows:  # masked ones are all alike
                        rows.append(row)
        return Table(
            title="The worst classes",
            says="Those that decide k and ℓ.",
            columns=[
                Column(title="release", number=False), Column(title="why", number=False),
                Column(title="records"), Column(title="published cells", number=False),
            ],
            rows=rows,
        )  # fmt: skip
