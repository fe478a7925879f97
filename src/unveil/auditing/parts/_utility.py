"""What a release is still good for, as a part of an audit."""

from __future__ import annotations

from collections.abc import Mapping

from unveil._text import display_name
from unveil.auditing._figures import FIGURES, Question
from unveil.auditing._subjects import Subject
from unveil.auditing._telling import Axis, Chart, Matrix, Telling, numbers
from unveil.auditing.parts._part import Asked, Part
from unveil.measures import Utility, utility

__all__ = ["UtilityPart"]


class UtilityPart(Part[Utility]):
    """How much of the table is lost."""

    name = "utility"
    title = "What is left to use"
    questions = (Question.UTILITY,)
    means = (
        "Information loss is how much of a column's domain the published cells cover, on average: "
        "0 if every value is published as it is, 100% if every cell covers everything."
    )
    assumes = "All values of a column, and all columns, matter alike."
    page = "utility"
    function = staticmethod(utility)
    figures = ("loss", "suppressed")

    def look(self, subject: Subject, asked: Asked) -> Utility:
        return utility(
            subject.release,  # type: ignore[arg-type]  # what has no records is refused there
            subject.microdata,
            **asked.told(self.name),
        )

    def numbers(self, finding: Utility) -> dict[str, float | None]:
        return {
            "loss": finding.information_loss.loss,
            "suppressed": finding.suppression.of_records,
        }

    def tell(self, found: Mapping[str, Utility], asked: Asked) -> Telling:
        loss = FIGURES["loss"]
        columns = list(next(iter(found.values())).information_loss.by_column)
        return Telling(
            sentences=[
                f"Under {display_name(name)}, {loss.text(finding.information_loss.loss)} of the "
                "information in the quasi-identifiers is lost."
                for name, finding in found.items()
            ],
            charts=[
                Chart(
                    kind="heatmap",
                    title="Information lost, column by column",
                    says="0%: published as it is; 100%: nothing is left of the column",
                    x=Axis(label="", scale="names"),
                    y=Axis(label="information loss", share=True),
                    matrix=Matrix(
                        rows=[display_name(name) for name in found],
                        columns=columns,
                        cells=[
                            numbers(
                                finding.information_loss.by_column[column] for column in columns
                            )
                            for finding in found.values()
                        ],
                    ),
                )
            ],
        )
