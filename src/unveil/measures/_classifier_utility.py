"""Classifier utility: what a classifier still learns from a release.

After V. S. Iyengar, *Transforming Data to Satisfy Privacy Constraints*, KDD 2002: train on what is
published, and test on people as they are. The result is compared with the same model trained on
the original records of the same people, and with the rule that names the most frequent value for
everybody.

Splits of one table share records, so their scores vary less than those of new tables would. The
variance is corrected for that after C. Nadeau and Y. Bengio, *Inference for the Generalization
Error*, Machine Learning 52 (2003).

People are held out, not records: where a person has several, all are on one side, and a person's
score is the share of their records that are predicted correctly, so that all people weigh the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd
from annotated_types import Ge, Gt, Lt
from numpy.typing import NDArray

# Models and sanitizers take a second to import, so they are named by their rooms, which import
# them when they are used.
from unveil import adversary, sanitize
from unveil.engine import Progress
from unveil.errors import Column as ColumnName
from unveil.errors import File, InputError, Listed, Option, Row, Text
from unveil.findings import Axis, Chart, Finding, Series, Story, Table
from unveil.measures._released import release_of
from unveil.microdata import (
    AnyRelease,
    Column,
    Microdata,
    Release,
    Role,
    numbered_people,
    with_records,
)
from unveil.options import Help, Seed, Shell, by_person, checked
from unveil.options import Progress as ShowProgress

if TYPE_CHECKING:
    from unveil.sanitize import Sanitizer

_CONFIDENCE = 0.95
_STEP = 4096  # records predicted at a time
_ROUNDING = 1e-9  # of sums of parts of people
_SPLITS, _NOISE = 1, 2  # streams of random numbers

HeldOutShare = Annotated[
    float, Gt(0), Lt(1), Help("Share of the people who are held out."), Shell(metavar="SHARE")
]
# One split does not show how much they vary.
Repeats = Annotated[int, Ge(2), Help("Number of splits."), Shell(metavar="N")]


@dataclass(frozen=True)
class Score:
    """A mean and its 95 % interval.

    >>> print(Score(0.731, 0.7122, 0.7498))
    73.1% (71.2% to 75.0%)
    """

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.1%} ({self.low:.1%} to {self.high:.1%})"


def score_of(
    scores: NDArray[np.float64], *, training: int, held_out: int, least: float, most: float = 1.0
) -> Score:
    """The mean of a score from ``least`` to ``most`` over two or more splits, and its interval.

    ``training`` and ``held_out`` are the numbers of records in the two parts of a split.

    >>> print(score_of(np.array([0.70, 0.73, 0.74]), training=70, held_out=30, least=0))
    72.3% (64.5% to 80.2%)
    """
    from scipy.special import stdtrit

    splits = len(scores)
    mean = math.fsum(scores.tolist()) / splits
    variance = math.fsum(((scores - mean) ** 2).tolist()) / (splits - 1)
    error = math.sqrt(variance * (1 / splits + held_out / training))
    half = float(stdtrit(splits - 1, (1 + _CONFIDENCE) / 2)) * error
    return Score(mean, max(least, mean - half), min(most, mean + half))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClassifierUtility(Finding):
    """How well a classifier does that was trained on a release.

    Attributes
    ----------
    from_release, from_original, from_majority : array, one entry per split
        The share of held-out records whose value is predicted correctly, as a mean over people: by
        the model trained on the release, by the same model trained on the original, and by the
        most frequent value of the original's training part.
    training, held_out : int
        Number of records in the two parts of a split; of people, where a person has several.
    target : str
        The column that is predicted.
    model : str
    made_by : str
    source : str
        The original.
    sanitized_anew : bool
        Whether each training part was sanitized by itself. If not, the release was made once,
        with the held-out records in it.
    seed : int
    of_people : bool
        Whether a person may have several records, so that people are counted.
    notes : tuple of str or Message
    """

    entry: ClassVar[str] = "classifier utility"

    from_release: NDArray[np.float64]
    from_original: NDArray[np.float64]
    from_majority: NDArray[np.float64]
    training: int
    held_out: int
    target: str
    model: str
    made_by: str
    source: str
    sanitized_anew: bool
    seed: int
    of_people: bool = False
    notes: tuple[Text, ...] = ()

    @property
    def repeats(self) -> int:
        """Number of splits."""
        return len(self.from_release)

    @cached_property
    def release(self) -> Score:
        """The accuracy of the model trained on the release."""
        return self._score(self.from_release)

    @cached_property
    def original(self) -> Score:
        """The accuracy of the model trained on the original."""
        return self._score(self.from_original)

    @cached_property
    def majority(self) -> Score:
        """The accuracy of predicting the most frequent value for everybody."""
        return self._score(self.from_majority)

    @cached_property
    def lost(self) -> Score:
        """How much lower the release's accuracy is than the original's, split by split."""
        return self._score(self.from_original - self.from_release, least=-1.0)

    @cached_property
    def taught(self) -> Score:
        """How much higher the original's accuracy is than the majority rule's."""
        return self._score(self.from_original - self.from_majority, least=-1.0)

    @property
    def kept(self) -> float | None:
        """The share of what the original teaches beyond the majority rule that the release keeps.

        Above 1 if the release teaches more, below 0 if it is worse than the rule. None,
        undefined, if the splits do not show that the original teaches more than the rule.
        """
        if self.taught.low <= 0:
            return None
        return (self.release.mean - self.majority.mean) / self.taught.mean

    def _score(self, scores: NDArray[np.float64], least: float = 0.0) -> Score:
        return score_of(scores, training=self.training, held_out=self.held_out, least=least)

    def to_frame(self) -> pd.DataFrame:
        """One row per split."""
        return pd.DataFrame(
            {
                "split": np.arange(self.repeats),
                "release": self.from_release,
                "original": self.from_original,
                "majority": self.from_majority,
            }
        )

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "release": self.made_by,
            "accuracy": self.attributes("release original majority"),
            **self.attributes(
                "source model target lost taught kept training held_out repeats sanitized_anew seed"
            ),
        }

    def story(self, release: Text | None = None) -> Story:
        title = f"What {self.model} still learns of {self.target} from {self.made_by}"
        scores = {name: one for name, one in self._scores.items() if one is not self.lost}
        accuracy = Series(
            name="accuracy", x=list(scores), y=[one.mean for one in scores.values()],
            low=[one.low for one in scores.values()], high=[one.high for one in scores.values()],
        )  # fmt: skip
        return Story(
            title=title,
            about=[
                f"tried on {self.held_out:,} held-out {'people' if self.of_people else 'records'} "
                f"of {self.source}, {self.repeats} splits"
            ],
            verdict=self._verdict(),
            tables=[self.table()],
            charts=[
                Chart(
                    kind="bars", title=title,
                    says=f"lines: 95% intervals, {self.repeats} splits",
                    x=Axis(label="", scale="names"),
                    y=Axis(label="held-out people predicted correctly", share=True),
                    series=[accuracy],
                )
            ],
        )  # fmt: skip

    @property
    def _scores(self) -> dict[str, Score]:
        return {
            "trained on the release": self.release,
            "trained on the original": self.original,
            "lost by the release": self.lost,
            "majority rule": self.majority,
        }

    def table(self) -> Table:
        """The accuracies with their intervals; only in a text."""
        rows = [[name, (one.mean, str(one))] for name, one in self._scores.items()]
        return Table(columns=[self.model, "accuracy"], rows=rows)

    def _verdict(self) -> str:
        if self.kept is not None:
            return f"Kept of what the original teaches beyond the majority rule: {self.kept:.0%}."
        if self.taught.high < 0:
            return "Even the original teaches this model less than the majority rule: try another."
        return "That the original teaches more than the majority rule cannot be told from this."


@checked
@by_person
def classifier_utility(
    release: Any,
    microdata: Microdata,
    *,
    model: Any = None,
    of: str | None = None,
    held_out: HeldOutShare = 0.3,
    repeats: Repeats = 10,
    seed: Seed = 0,
    progress: ShowProgress = None,
) -> ClassifierUtility:
    """Classifier utility: how well a classifier trained on a release predicts unseen people.

    The original is split repeatedly, at random, into a training part and held-out people. The model
    is trained on the published version of the training part and on its original, and
    predicts the held-out records from their original quasi-identifiers.

    Parameters
    ----------
    release : Release, Sanitizer or callable
        With a sanitizer, each training part is sanitized by itself, and the model sees nothing of
        the held-out records. With a release, the model sees the released records of the training
        part, but the classes were made with everybody. The records must be those of the original,
        in its order.
    microdata : Microdata
        The original table.
    model : str, scikit-learn classifier or Adversary, optional
        The model, by the name of an adversary: ``"naive-bayes"`` (the default),
        ``"tree@bounds-hot"``, ``"forest@bounds-hot"`` and others.
    of : str, optional
        The column to predict: the sensitive one (the default), or one that is neither sensitive
        nor a quasi-identifier and is published as it is.
    seed : int
        Random seed of the splits, the sanitizer and the model.

    Returns
    -------
    ClassifierUtility

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.datasets.election_survey()
    >>> uv.classifier_utility(uv.Mondrian(k=20), survey, of="vote")
    What Bernoulli naive Bayes still learns of vote from Mondrian(k=20)
      tried on 283 held-out records of election_survey.csv, 10 splits
    <BLANKLINE>
      Bernoulli naive Bayes                   accuracy
      trained on the release    59.3% (57.0% to 61.6%)
      trained on the original   55.9% (52.4% to 59.4%)
      lost by the release       -3.4% (-7.3% to 0.4%)
      majority rule             57.3% (54.4% to 60.3%)
    <BLANKLINE>
      That the original teaches more than the majority rule cannot be told from this.
    """
    course = _Course(release, microdata, model=model, of=of, share=held_out, seed=seed)
    scores = course.scores(repeats, progress)
    return ClassifierUtility(
        from_release=scores[:, 0],
        from_original=scores[:, 1],
        from_majority=scores[:, 2],
        training=course.people - course.held_out,
        held_out=course.held_out,
        of_people=microdata.several is not None,
        target=course.target.name,
        model=course.model.label,
        made_by=course.made_by,
        source=microdata.source,
        sanitized_anew=not isinstance(course.published, Release),
        seed=seed,
        notes=tuple(dict.fromkeys((*course.heard, *course.model.notes))),
    )


class _Course:
    """What is published, the column to predict, and the model, all checked before the work begins.

    ``table`` is the original as the model wants it sanitized.
    """

    def __init__(
        self, published: Any, microdata: Any, *, model: Any, of: str | None, share: float, seed: int
    ) -> None:
        microdata = sanitize.as_microdata(microdata, "classifier_utility")
        self.target = _target(microdata, of)
        self.number = numbered_people(microdata)
        self.people = int(self.number.max(initial=-1)) + 1
        self.held_out = _held_out(share, self.people)
        self.seed = seed
        self.heard: dict[Text, None] = {}
        self.published: Release | Sanitizer
        if isinstance(published, AnyRelease):
            self.published = release = release_of(published, microdata, "classifier_utility")
            _check_order(release, microdata, "classifier_utility")
            self.made_by, default = release.made_by, "naive-bayes"
        else:
            self.published = sanitizer = sanitize.as_sanitizer(published)
            self.made_by, default = sanitizer.label, sanitizer.adversaries[0]
        self.model = adversary.adversary_named(default if model is None else model, seed=seed)
        self.table = self.model.prepared(microdata)
        if self.table is not microdata and isinstance(self.published, Release):
            raise InputError(
                "{model} needs the table cut into quantiles before it is sanitized, which is too "
                "late for a finished release; choose another encoding with {option}",
                model=self.model.label,
                option=Option("model"),
            )

    def scores(self, repeats: int, progress: bool | None) -> NDArray[np.float64]:
        """Accuracy of release, original and majority rule, one row per split."""
        scores = np.empty((repeats, 3))
        with Progress("training", 2 * repeats * self.held_out, progress) as shown:
            for split in range(repeats):
                rng = np.random.default_rng([self.seed, _SPLITS, split])
                out = np.isin(self.number, rng.permutation(self.people)[: self.held_out])
                held, train = np.flatnonzero(out), np.flatnonzero(~out)
                for place, release in enumerate(self._lessons(train, split)):
                    scores[split, place] = self._accuracy(release, held)
                    shown.advance(self.held_out)
                rows = np.bincount(self.number[train])[self.number[train]]
                counts = np.bincount(self.target.codes[train], 1 / rows, self.target.size)
                most = np.flatnonzero(counts >= counts.max() - _ROUNDING)[0]
                scores[split, 2] = self._mean(self.target.codes[held] == most, held)
        return scores

    def _lessons(self, train: NDArray[np.intp], split: int) -> tuple[AnyRelease, AnyRelease]:
        """The published version of the training part, and its original."""
        part = self.table.take(train)
        original = sanitize.Identity().sanitize(part)
        published: AnyRelease
        if isinstance(self.published, Release):
            published = self.published.take(train)
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
        self.heard.update(dict.fromkeys(published.notes))
        if self.target.name == self.table.sensitive.name:
            return published, original
        what = f"predicting {self.target.name}"
        told = with_records(published, what)
        _check_order(told, part, what)
        secrets = self.target.take(train)
        return replace(told, sensitive=secrets), replace(original, sensitive=secrets)

    def _accuracy(self, release: AnyRelease, held: NDArray[np.intp]) -> float:
        """The share of held-out records whose value has the highest belief; NaN predicts none."""
        right = np.zeros(len(held), dtype=bool)
        for first in range(0, len(held), _STEP):
            some = held[first : first + _STEP]
            beliefs = self.model.predict(release, self.table.codes[:, some])
            guess = np.where(np.isnan(beliefs).any(axis=1), -1, beliefs.argmax(axis=1))
            right[first : first + _STEP] = guess == self.target.codes[some]
        return self._mean(right, held)

    def _mean(self, right: NDArray[np.bool_], held: NDArray[np.intp]) -> float:
        """The mean over people of the shares of their records that are right."""
        rows = np.bincount(self.number[held])[self.number[held]]
        return math.fsum((right / rows).tolist()) / self.held_out


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


def _target(microdata: Microdata, of: str | None) -> Column:
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


def _held_out(share: float, people: int) -> int:
    """The number of people who are held out."""
    number = round(float(share) * people)
    if not 0 < number < people:
        raise InputError(
            "{people} people are too few for {option}: {held} would be held out, and {rest} "
            "would be left to learn from",
            people=people, option=Option("held_out", share), held=number, rest=people - number,
        )  # fmt: skip
    return number
