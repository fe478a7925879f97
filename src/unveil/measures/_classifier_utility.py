"""Classifier utility: what a classifier still learns from a release.

After V. S. Iyengar, *Transforming Data to Satisfy Privacy Constraints*, KDD 2002: train on what is
published, and test on people as they are. The result is compared with the same model trained on
the original records of the same people, and with the rule that names the most frequent value for
everybody.

Splits of one table share records, so their scores vary less than those of new tables would. The
variance is corrected for that after C. Nadeau and Y. Bengio, *Inference for the Generalization
Error*, Machine Learning 52 (2003).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil._bars import Bars, bars
from unveil.findings import Finding
from unveil.microdata import Microdata, Release

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from unveil.sanitize import Sanitizer

__all__ = ["ClassifierUtility", "Score", "classifier_utility", "score_of"]

CONFIDENCE = 0.95


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

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {"mean": self.mean, "low": self.low, "high": self.high}


def score_of(
    scores: NDArray[np.float64], *, training: int, held_out: int, least: float, most: float = 1.0
) -> Score:
    """The mean of a score over several splits, which can be from ``least`` to ``most``.

    Parameters
    ----------
    scores : array, one a split
        Two or more.
    training, held_out : int
        Records in the two parts of every split.

    Examples
    --------
    >>> print(score_of(np.array([0.70, 0.73, 0.74]), training=70, held_out=30, least=0))
    72.3% (64.5% to 80.2%)
    """
    from scipy.special import stdtrit

    splits = len(scores)
    mean = math.fsum(scores.tolist()) / splits
    variance = math.fsum(((scores - mean) ** 2).tolist()) / (splits - 1)
    error = math.sqrt(variance * (1 / splits + held_out / training))
    half = float(stdtrit(splits - 1, (1 + CONFIDENCE) / 2)) * error
    return Score(mean, max(least, mean - half), min(most, mean + half))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClassifierUtility(Finding):
    """How well a classifier does that was trained on a release.

    Attributes
    ----------
    from_release, from_original, from_majority : array, one a split
        The share of the held-out records whose value is guessed: by the model trained on the
        release, by the same trained on the original, by naming the value most frequent in the
        original's training part.
    training, held_out : int
        Records in the two parts of every split.
    target : str
        The column that is guessed.
    model : str
    made_by : str
    source : str
        The original.
    sanitized_anew : bool
        Whether each training part was sanitized by itself. If not, the release was made once,
        with the held-out records in it.
    seed : int
    notes : tuple of str
    """

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
    notes: tuple[str, ...] = ()

    @property
    def repeats(self) -> int:
        """How many splits there were."""
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
        """The accuracy of naming the most frequent value for everybody."""
        return self._score(self.from_majority)

    @cached_property
    def lost(self) -> Score:
        """By how much the release's accuracy is below the original's, split by split."""
        return self._score(self.from_original - self.from_release, least=-1.0)

    @cached_property
    def taught(self) -> Score:
        """By how much the original's accuracy is above the majority rule's, split by split."""
        return self._score(self.from_original - self.from_majority, least=-1.0)

    @property
    def kept(self) -> float | None:
        """The share of what the original teaches beyond the majority rule that is still learned.

        Above 1 where the release teaches more, below 0 where it is worse than that rule. None,
        undefined, where the splits do not show that the original teaches anything beyond it.
        """
        if self.taught.low <= 0:
            return None
        return (self.release.mean - self.majority.mean) / self.taught.mean

    def _score(self, scores: NDArray[np.float64], least: float = 0.0) -> Score:
        return score_of(scores, training=self.training, held_out=self.held_out, least=least)

    def to_frame(self) -> pd.DataFrame:
        """One row a split."""
        import pandas as pd

        return pd.DataFrame(
            {
                "split": np.arange(self.repeats),
                "release": self.from_release,
                "original": self.from_original,
                "majority": self.from_majority,
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how often the model is right, by what it learned from.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        scores = {
            "the release": self.release,
            "the original": self.original,
            "majority rule": self.majority,
        }
        return bars(
            list(scores),
            [
                Bars(
                    values=[one.mean for one in scores.values()],
                    texts=[f"{one.mean:.1%}" for one in scores.values()],
                    intervals=[(one.low, one.high) for one in scores.values()],
                    color=["#d55e00", "#0072b2", "0.75"],
                )
            ],
            ax,
            xlabel=f"held-out people of whom it guesses right (lines: 95% intervals, "
            f"{self.repeats} splits)",
            title=f"What {self.model} learns of {self.target} from {self.made_by}",
            share=True,
        )

    def content(self, *, records: bool) -> dict[str, Any]:
        return {
            "finding": "classifier utility",
            "source": self.source,
            "release": self.made_by,
            "model": self.model,
            "target": self.target,
            "accuracy": {
                "release": self.release.to_dict(),
                "original": self.original.to_dict(),
                "majority": self.majority.to_dict(),
            },
            "lost": self.lost.to_dict(),
            "taught": self.taught.to_dict(),
            "kept": self.kept,
            **({"kept_is": "undefined"} if self.kept is None else {}),
            "training": self.training,
            "held_out": self.held_out,
            "repeats": self.repeats,
            "sanitized_anew": self.sanitized_anew,
            "seed": self.seed,
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        return "\n".join(
            [
                f"What {self.model} still learns of {self.target} from {self.made_by}",
                f"  tried on {self.held_out:,} held-out records of {self.source}, "
                f"{self.repeats} splits",
                *(f"  {line}" for line in self.lines()),
                *(f"  Note: {note}" for note in self.notes),
            ]
        )

    def lines(self) -> list[str]:
        """The accuracies, and what they amount to."""
        return [
            f"trained on the release   {self.release}",
            f"trained on the original  {self.original}",
            f"lost by the release      {self.lost}",
            f"majority rule            {self.majority}",
            self._in_words(),
        ]

    def _in_words(self) -> str:
        if self.kept is not None:
            return f"Kept of what the original teaches beyond the majority rule: {self.kept:.0%}"
        if self.taught.high < 0:
            return "Even the original teaches this model less than the majority rule: try another."
        return "That the original teaches more than the majority rule cannot be told from this."


def classifier_utility(
    release: Release | Sanitizer | Callable[[Any], Any],
    microdata: Microdata,
    *,
    model: Any = None,
    of: str | None = None,
    held_out: float = 0.3,
    repeats: int = 10,
    seed: int = 0,
    progress: bool | None = None,
) -> ClassifierUtility:
    """How well a classifier guesses a column of people it has not seen, trained on a release.

    The original is split at random into a training part and held-out records, again and again.
    The model is trained on the published version of the training part and on its original, and
    guesses the held-out records from their original quasi-identifiers.

    Parameters
    ----------
    release : Release, Sanitizer or callable
        With a sanitizer, every training part is sanitized by itself, and nothing of those held
        out is in what the model sees. With a release, the model sees the released records of the
        training part, but the classes were made with everybody; the records have to be those of
        the original, in its order.
    microdata : Microdata
        The original table.
    model : str, scikit-learn classifier or Adversary, optional
        Who learns, by the names that adversaries have: ``"naive-bayes"`` (the default),
        ``"tree@bounds-hot"``, ``"forest@bounds-hot"`` and others.
    of : str, optional
        The column to guess: the sensitive one (the default), or one that is neither sensitive nor
        a quasi-identifier and is published as it is.
    held_out : float
        The share of the records that are held out.
    repeats : int
        How many splits; two or more.
    seed : int
        On which the splits, the sanitizer's and the model's random choices hang.
    progress : bool, optional
        Show progress; default: if standard error is a terminal.

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.measures import classifier_utility
    >>> survey = uv.datasets.election_survey()
    >>> classifier_utility(uv.Mondrian(k=20), survey, of="vote")
    What Bernoulli naive Bayes still learns of vote from Mondrian(k=20)
      tried on 283 held-out records of election_survey.csv, 10 splits
      trained on the release   59.3% (57.0% to 61.6%)
      trained on the original  55.9% (52.4% to 59.4%)
      lost by the release      -3.4% (-7.3% to 0.4%)
      majority rule            57.3% (54.4% to 60.3%)
      That the original teaches more than the majority rule cannot be told from this.
    """
    # numba and the models take a second to import, and most measures need neither.
    from unveil.measures._training import course_of

    course = course_of(
        release, microdata, model=model, of=of, held_out=held_out, repeats=repeats, seed=seed
    )
    scores = course.scores(progress)
    return ClassifierUtility(
        from_release=scores[:, 0],
        from_original=scores[:, 1],
        from_majority=scores[:, 2],
        training=course.training,
        held_out=course.held_out,
        target=course.target.name,
        model=course.model.label,
        made_by=course.made_by,
        source=microdata.source,
        sanitized_anew=not isinstance(course.published, Release),
        seed=course.seed,
        notes=course.notes(),
    )
