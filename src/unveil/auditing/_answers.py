"""The three questions of European guidance, answered of a release.

Each figure that answers one declares it (`unveil.findings.Breach`). The strongest answer counts:
one attacker who succeeds is enough for a yes, and as long as one of those asked for is not known,
nobody can say no.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from unveil.auditing._discretion import Masking
from unveil.auditing._figures import FIGURES
from unveil.auditing._thresholds import Check, State, Threshold
from unveil.findings import Breach, Figure, Question

if TYPE_CHECKING:
    from unveil.auditing._finding import Audited


class Word(StrEnum):
    """An answer; ``str(word)`` is what is printed, from the worst to the best."""

    YES = "yes"
    NOT_KNOWN = "not known"
    PARTLY = "to a degree"
    NO = "not by the attackers tried here"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer to one question of a release.

    Attributes
    ----------
    question : Question
    word : Word
    figure : Figure, optional
        That decides; None if none is there.
    says : str
        A sentence without the full stop, with the figure and its attacker.
    not_tried : tuple of Figure
        Other figures that could answer it, of parts that were not asked for.
    """

    question: Question
    word: Word
    figure: Figure | None
    says: str
    not_tried: tuple[Figure, ...]


def answers_of(audited: Audited, masking: Masking) -> list[Answer]:
    """The answers to all three; none of a release that is not there."""
    if audited.error is not None:
        return []
    return [_answer(audited, question, masking) for question in Question if question.asks]


def _answer(audited: Audited, question: Question, masking: Masking) -> Answer:
    asked: list[tuple[Figure, Breach]] = []
    not_tried = []
    for figure, breach in _answering(question):
        if figure.name in audited.given_by:
            asked.append((figure, breach))
        elif not breach.only_yes:
            not_tried.append(figure)
    own = [check for check in audited.checks if check.threshold.figure.question is question]
    checks = [
        *(check for check in own if check.state is not State.PASSES),
        *(check for (_, breach), check in zip(
            asked, audited.checked([_threshold(*one) for one in asked]), strict=True
        ) if check.state is State.FAILS or not breach.only_yes),
    ]  # fmt: skip
    # Of several that say yes the first declared, which is the plainest; else the largest.
    ranked = sorted(
        checks,
        key=lambda check: (
            list(Word).index(_word(check)),
            0 if check.state is State.FAILS else -_size(check),
        ),
    )
    if not ranked:
        return Answer(
            question=question, word=Word.NOT_KNOWN, figure=None, not_tried=tuple(not_tried),
            says="nothing that was asked for tests it",
        )  # fmt: skip
    decides = ranked[0]
    return Answer(
        question=question, word=_word(decides), figure=decides.threshold.figure,
        says=_sentence(audited, decides, own, masking), not_tried=tuple(not_tried),
    )  # fmt: skip


def _answering(question: Question) -> list[tuple[Figure, Breach]]:
    return [
        (figure, figure.breach)
        for figure in FIGURES.values()
        if figure.breach is not None and (figure.breach.question or figure.question) is question
    ]


def _threshold(figure: Figure, breach: Breach) -> Threshold:
    return Threshold(figure=figure, sign=">", bound=breach.above)


def _word(check: Check) -> Word:
    if check.state is State.FAILS:
        return Word.YES
    if check.state is State.NOT_KNOWN:
        return Word.NOT_KNOWN
    return Word.PARTLY if _size(check) > 0 else Word.NO


def _size(check: Check) -> float:
    """How far a figure is from what chance gives, as a share; of a threshold given, the most."""
    breach = check.threshold.figure.breach
    if breach is None or check.value is None:
        return 1.0
    return (check.value - breach.chance) / (1 - breach.chance)


def _sentence(audited: Audited, check: Check, own: Sequence[Check], masking: Masking) -> str:
    figure = check.threshold.figure
    if any(check is one for one in own) or check.state is State.NOT_KNOWN or figure.breach is None:
        return audited.told_check(check, masking)
    said = figure.breach.says.format(value=audited.coarse.text(check.of, " to "))
    who = audited.coarse.by(check.of)
    by = "" if who is None else f" (the attacker: {who})"
    return f"{said}{by}{'' if check.of.among is None else f', {check.of.among}'}"
