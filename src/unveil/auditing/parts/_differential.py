"""Differential inference as a part of an audit."""

from __future__ import annotations

from collections.abc import Mapping

from unveil.attacks import DifferentialInference, differential_inference, sampling_in_words
from unveil.auditing._figures import FIGURES, Question, one_in
from unveil.auditing._subjects import Subject
from unveil.auditing._telling import (
    Axis,
    Chart,
    Column,
    Series,
    Table,
    Telling,
    numbers,
    thinned_distribution,
)
from unveil.auditing.parts._part import Asked, Part
from unveil.errors import InputError
from unveil.report import display_name, in_words, moved

__all__ = ["DifferentialPart"]

_FLOOR = 1e-6  # a log axis has no zero
_WORST = 5  # people listed
_OVER = 0.05
_BUDGET_IF_QUICK = "1 min"  # where it need not be; a first run also compiles in it


class DifferentialPart(Part[DifferentialInference]):
    """Does a prediction about somebody change when their record is left out?"""

    name = "differential-inference"
    title = "What people's own records give away"
    questions = (Question.INFERENCE,)
    means = (
        "For every person the anonymization is run twice, with and without their record, and an "
        "attacker says what he believes about their secret. d is how far the belief moves; δ is "
        "the d of the worst-placed person. What he would have believed anyway, because it is true "
        "of people like them, is not counted."
    )
    assumes = (
        "The attacker knows the person's quasi-identifiers, learns from the release alone, and "
        "the same anonymization would have been run without the person. He is the one named below; "
        "another may be moved further, so try several."
    )
    page = "differential-inference"
    function = staticmethod(differential_inference)
    figures = ("delta", "mean_d", "over")
    budget = ("budget", "4 s")  # where the sanitizer is run again and again

    def look(self, subject: Subject, asked: Asked) -> DifferentialInference:
        if subject.sanitizer is None:
            raise InputError(
                "a file cannot be made anew without somebody; give the program that made it, as a "
                "sanitizer or an oracle"
            )
        asked.needs_all_known("differential inference")
        quick = subject.sanitizer.leaves_one_out or subject.sanitizer.row_by_row
        options = asked.told(
            self.name, adversary=asked.adversary, seed=asked.seed, n_jobs=asked.n_jobs,
            progress=asked.progress, budget=_BUDGET_IF_QUICK if quick else self.budget[1],
            targets=_targets(subject),
        )  # fmt: skip
        return differential_inference(subject.microdata, subject.sanitizer, **options)

    def numbers(self, finding: DifferentialInference) -> dict[str, float | None]:
        if not len(finding.tested):
            return dict.fromkeys(self.figures)
        return {
            "delta": finding.delta,
            "mean_d": finding.mean,
            "over": float(finding.share_over(_OVER)),
        }

    def tell(self, found: Mapping[str, DifferentialInference], asked: Asked) -> Telling:
        tested = {name: finding for name, finding in found.items() if len(finding.tested)}
        if not tested:
            return Telling()
        sentences = [self._how_many(name, finding) for name, finding in tested.items()]
        return Telling(
            sentences=[*sentences, *in_words(list(tested.values()), list(tested))[1:]],
            charts=[self._distributions(tested), self._over_releases(tested)],
            tables=[self._worst(tested, asked)],
        )

    def in_short(self, found: Mapping[str, DifferentialInference], asked: Asked) -> list[str]:
        tested = {name: finding for name, finding in found.items() if len(finding.tested)}
        if len(tested) < 2:
            return [self._how_many(name, finding) for name, finding in tested.items()]
        people = [
            f"{_how_many_people(finding)} under {display_name(name)}"
            for name, finding in tested.items()
        ]
        by = moved(_OVER, next(iter(tested.values())).distance)
        return [
            (
                f"Removing their own record changes what an attacker believes by more than {by} about "
                f"{'; '.join(people)}."
            )
        ]

    def among(self, finding: DifferentialInference) -> str | None:
        tested, people = len(finding.tested), len(finding.microdata)
        return None if tested == people else f"among the {tested:,} of {people:,} people tested"

    def diagnose(self, finding: DifferentialInference) -> list[str]:
        way = {
            "fast": "every record, exactly", "updating": "every record, exactly",
            "general": "exactly, by running the anonymization again",
            "direct": "worked out, without sampling",
        }.get(finding.way, "sampled")  # fmt: skip
        lines = [
            (
                f"{len(finding.tested):,} of {len(finding.microdata):,} people tested: {way}; "
                f"{finding.adversary.label} guesses."
            )
        ]
        lines += [
            f"Not tested: {number:,} people: {why}" for why, number in finding.not_tested.items()
        ]
        return [*lines, *sampling_in_words(finding)]

    def _how_many(self, name: str, finding: DifferentialInference) -> str:
        """The sentence that a verdict begins with."""
        by = moved(_OVER, finding.distance)
        return (
            f"Under {display_name(name)}, removing their own record changes what an attacker "
            f"believes about {_how_many_people(finding)} by more than {by}."
        )

    def _distributions(self, tested: Mapping[str, DifferentialInference]) -> Chart:
        return Chart(
            kind="distribution",
            title="How far belief moves, person by person",
            says="; ".join(
                f"{display_name(name)}: half of the people below "
                f"{FIGURES['delta'].text(finding.quantiles((0.5,))[0.5])}, the worst at "
                f"{FIGURES['delta'].text(finding.delta)}"
                for name, finding in tested.items()
            ),
            x=Axis(label="d: how far belief about a person moves by their own record", scale="log"),
            y=Axis(label="share of people", share=True),
            series=[
                thinned_distribution(display_name(name), finding.tested, floor=_FLOOR)
                for name, finding in tested.items()
            ],
        )

    def _over_releases(self, tested: Mapping[str, DifferentialInference]) -> Chart:
        names = [display_name(name) for name in tested]
        findings = list(tested.values())
        mean = [finding.mean for finding in findings]
        spread = [finding.std for finding in findings]
        return Chart(
            kind="bars",
            title="The worst-placed and the average person",
            says="δ, and the mean of d with its spread (one standard deviation), of each release",
            x=Axis(label="", scale="names"),
            y=Axis(label="d"),
            series=[
                Series(
                    name="δ, the worst-placed", x=names,
                    y=numbers(finding.delta for finding in findings),
                ),
                Series(
                    name="mean", x=names, y=numbers(mean),
                    low=numbers(max(0.0, m - s) for m, s in zip(mean, spread, strict=True)),
                    high=numbers(m + s for m, s in zip(mean, spread, strict=True)),
                ),
            ],
        )  # fmt: skip

    def _worst(self, tested: Mapping[str, DifferentialInference], asked: Asked) -> Table:
        rows = [
            (
                display_name(name),
                asked.discretion.person(finding.microdata, int(finding.targets[place])),
                (float(finding.distances[place]), f"{finding.distances[place]:.3g}"),
            )
            for name, finding in tested.items()
            for place in finding.worst_places(_WORST)
        ]
        return Table(
            title="The worst-placed people",
            says="Whose own record moves the belief about them most.",
            columns=[
                Column(title="release", number=False), Column(title="person", number=False),
                Column(title="d"),
            ],
            rows=rows,
        )  # fmt: skip


def _targets(subject: Subject) -> str | None:
    """Everybody, or of releases made beforehand those people without whom one was made."""
    assert subject.sanitizer is not None
    available = subject.sanitizer.can_leave_out(subject.microdata)
    if available is not None and not len(available):
        raise InputError(
            "there is a release of the whole table and none without somebody; have some made, "
            "such as without_000017.csv, numbered by the rows of the table from 0"
        )
    return None if available is None else "available"


def _how_many_people(finding: DifferentialInference) -> str:
    """About how many people belief is moved; where a few were tested, of these and no others."""
    tested = len(finding.tested)
    share = float(finding.share_over(_OVER))
    if tested == len(finding.microdata):
        return one_in(share, tested)
    moved_by = round(share * tested)
    return f"{moved_by or 'none'} of the {tested:,} people tested"
