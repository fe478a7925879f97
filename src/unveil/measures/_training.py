"""Train on a release and on the original, and test both on held-out people."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary, adversary_named
from unveil.engine import Progress
from unveil.errors import Column as ColumnName
from unveil.errors import File, InputError, Listed, Option, Row, Text
from unveil.measures._classes import whole_number
from unveil.measures._released import release_of
from unveil.microdata import AnyRelease, Column, Microdata, Release, Role, with_records
from unveil.sanitize import Identity, Sanitizer, as_microdata, as_sanitizer

_STEP = 4096  # records predicted at a time
_SPLITS, _NOISE = 1, 2  # streams of random numbers
_FEWEST_REPEATS = 2  # one split does not show how much they vary


@dataclass(frozen=True, eq=False, kw_only=True)
class Course:
    """The checked options of `classifier_utility`.

    ``table`` is the original as the model wants it sanitized, ``target`` the column to predict.
    """

    published: Release | Sanitizer
    table: Microdata
    target: Column
    model: Adversary
    held_out: int
    repeats: int
    seed: int
    _heard: dict[str, None] = field(default_factory=dict)

    @property
    def training(self) -> int:
        """Number of records in a training part."""
        return len(self.table) - self.held_out

    @property
    def made_by(self) -> str:
        """The label of the release or the sanitizer."""
        if isinstance(self.published, Release):
            return self.published.made_by
        return self.published.label

    def notes(self) -> tuple[Text, ...]:
        """The notes of releases and model, once all is done."""
        return tuple(dict.fromkeys((*self._heard, *self.model.notes)))

    def scores(self, progress: bool | None) -> NDArray[np.float64]:
        """Accuracy of release, original and majority rule, one row per split."""
        scores = np.empty((self.repeats, 3))
        with Progress("training", 2 * self.repeats * self.held_out, progress) as shown:
            for split in range(self.repeats):
                rng = np.random.default_rng([self.seed, _SPLITS, split])
                shuffled = rng.permutation(len(self.table))
                held, train = np.sort(shuffled[: self.held_out]), shuffled[self.held_out :]
                train.sort()
                for place, release in enumerate(self._lessons(train, split)):
                    scores[split, place] = self._accuracy(release, held)
                    shown.advance(len(held))
                counts = np.bincount(self.target.codes[train], minlength=self.target.size)
                scores[split, 2] = np.mean(self.target.codes[held] == counts.argmax())
        return scores

    def _lessons(self, train: NDArray[np.intp], split: int) -> tuple[AnyRelease, AnyRelease]:
        """The published version of the training part, and its original."""
        part = self.table.take(train)
        original = Identity().sanitize(part)
        published: AnyRelease
        if isinstance(self.published, Release):
            published = _of_records(self.published, train)
        else:
            state = np.random.SeedSequence([self.seed, _NOISE, split]).generate_state(1, np.uint64)
            published = self.published.with_seed(int(state[0])).sanitize(part)
        if not self.model.understands(published):
            raise InputError(
                "{model} learns from released records, and {release} publishes none, {instead}; "
                "use {smoothed} or {conditional}",
                model=self.model.label, release=File(self.made_by, bare=True),
                instead=published.instead, smoothed=Option("model", "smoothed-frequency"),
                conditional=Option("model", "conditional-frequency"),
            )  # fmt: skip
        self._heard.update(dict.fromkeys(published.notes))
        if self.target.name == self.table.sensitive.name:
            return published, original
        what = f"predicting {self.target.name}"
        told = with_records(published, what)
        _check_order(told, part, what)
        secrets = self.target.take(train)
        return replace(told, sensitive=secrets), replace(original, sensitive=secrets)

    def _accuracy(self, release: AnyRelease, held: NDArray[np.intp]) -> float:
        """The share of held-out records whose value has the highest belief; NaN predicts none."""
        right = 0
        for first in range(0, len(held), _STEP):
            some = held[first : first + _STEP]
            beliefs = self.model.predict(release, self.table.codes[:, some])
            guess = np.where(np.isnan(beliefs).any(axis=1), -1, beliefs.argmax(axis=1))
            right += int((guess == self.target.codes[some]).sum())
        return right / len(held)


def course_of(
    published: Any, microdata: Any, *, model: Any, of: Any, held_out: Any, repeats: Any, seed: Any
) -> Course:
    """Check everything that can be checked before the work begins."""
    microdata = as_microdata(microdata, "classifier_utility")
    target = _target(microdata, of)
    number = _held_out(held_out, len(microdata))
    seed = whole_number(seed, "seed", 0)
    if isinstance(published, AnyRelease):
        published = release_of(published, microdata, "classifier_utility")
        _check_order(published, microdata, "classifier_utility")
    else:
        published = as_sanitizer(published)
    default = published.attacked_by if isinstance(published, Sanitizer) else "naive-bayes"
    learner = adversary_named(default if model is None else model, seed=seed)
    table = learner.prepared(microdata)
    if table is not microdata and isinstance(published, Release):
        raise InputError(
            "{model} needs the table cut into quantiles before it is sanitized, which is too late "
            "for a finished release; choose another encoding with {option}",
            model=learner.label,
            option=Option("model"),
        )
    return Course(
        published=published,
        table=table,
        target=target,
        model=learner,
        held_out=number,
        repeats=whole_number(repeats, "repeats", _FEWEST_REPEATS),
        seed=seed,
    )


def _check_order(release: Release, microdata: Microdata, what: str) -> None:
    """Refuse a release whose records are not those of the original, in its order."""
    at: dict[str, Any] = {
        "what": what,
        "release": File(release.made_by, bare=True),
        "original": File(microdata.source, bare=True),
        "column": ColumnName(release.sensitive.name),
    }
    if len(release) != len(microdata):
        raise InputError(
            "{what} needs all {records} records of {original} in the release, in their order, and "
            "the release by {release} has {released}; give the sanitizer instead of a release, or "
            "complete the release with suppressed records",
            **at, records=len(microdata), released=len(release),
        )  # fmt: skip
    if release.sensitive.name in release.perturbed:
        raise InputError(
            "{what} needs the release's records in the order of the original, which cannot be "
            "checked: {release} publishes values of {column} that need not be true; give the "
            "sanitizer instead of a release",
            **at,
        )
    other = np.flatnonzero(release.sensitive.codes != microdata.sensitive.codes)
    if len(other):
        raise InputError(
            "{what} needs the release's records in the order of the original, and {row} by "
            "{release} has another {column} than that of {original}; give the sanitizer instead "
            "of a release",
            **at,
            row=Row(int(other[0]) + 1, "record"),
        )


def _of_records(release: Release, records: NDArray[np.intp]) -> Release:
    """Some records of a release, in their classes."""
    classes, class_of = np.unique(release.class_of[records], return_inverse=True)
    return replace(
        release,
        sensitive=release.sensitive.take(records),
        class_of=class_of.ravel().astype(np.int32),
        regions=tuple(regions.take(classes) for regions in release.regions),
    )


def _target(microdata: Microdata, of: Any) -> Column:
    """The column to predict."""
    if of is None:
        return microdata.sensitive
    column = microdata[of]
    if column.role in (Role.SENSITIVE, Role.OTHER):
        return column
    can = [c.name for c in microdata.columns if c.role in (Role.SENSITIVE, Role.OTHER)]
    raise InputError(
        "column {column} cannot be predicted: its role is {role}, and it is not published as it "
        "is; choose from {others}",
        column=ColumnName(of), role=column.role, others=Listed([ColumnName(name) for name in can]),
    )  # fmt: skip


def _held_out(share: Any, records: int) -> int:
    """The number of records that are held out."""
    good = isinstance(share, int | float | np.number) and not isinstance(share, bool)
    if not good or not 0 < share < 1:
        raise InputError(
            "{option} must be a share of the records above 0 and below 1, such as 0.3, but got "
            "{share}",
            option=Option("held_out"),
            share=repr(share),
        )
    number = round(float(share) * records)
    if not 0 < number < records:
        raise InputError(
            "{records} records are too few for {option}: {held} would be held out, and {rest} "
            "would be left to learn from",
            records=records, option=Option("held_out", share), held=number, rest=records - number,
        )  # fmt: skip
    return number
