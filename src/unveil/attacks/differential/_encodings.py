"""Comparison of encodings: which encoding of generalized cells serves an adversary best?

After A. Kassem, G. Ács, C. Castelluccia (2018): the same model is trained on the same releases,
with their cells encoded as numbers in each of 24 ways, and guesses everyone's sensitive value.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.adversary import (
    ENCODINGS,
    Adversary,
    Categorical,
    Classifier,
    Continuous,
    EncodedNaiveBayes,
    Encoding,
    NaiveBayes,
    adversary_named,
)
from unveil.engine import Progress as ProgressBar
from unveil.errors import File, InputError, Message, Text
from unveil.findings import Axis, Chart, Finding, Matrix, Story, Table, cell
from unveil.microdata import Microdata, Release, with_records
from unveil.options import Progress, Seed, by_row, checked
from unveil.sanitize import Sanitizer, as_microdata, as_sanitizer


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EncodingComparison(Finding):
    """How well the same adversary guesses with different encodings of the cells.

    Attributes
    ----------
    encodings : tuple of Encoding
    sanitizers : tuple of str
    accuracy : array (encodings, sanitizers)
        The share of the records whose true value is the most likely one.
    features : array (encodings, sanitizers)
        Number of features of a record.
    seconds : array (encodings, sanitizers)
        For learning from the release and guessing all values.
    """

    entry: ClassVar[str] = "compare-encodings"

    encodings: tuple[Encoding, ...]
    sanitizers: tuple[str, ...]
    accuracy: NDArray[np.float64]
    features: NDArray[np.int64]
    seconds: NDArray[np.float64]
    microdata: Microdata
    model: str
    """The adversary, without the encoding."""
    seed: int
    notes: tuple[Text, ...] = ()

    @property
    def baseline(self) -> float:
        """The share of the most frequent value: the accuracy of always guessing it."""
        return float(self.microdata.sensitive_counts.max() / len(self.microdata))

    @property
    def order(self) -> NDArray[np.intp]:
        """The encodings by mean accuracy, the best first; ties by the number of features."""
        return np.lexsort([self.features.mean(axis=1), -self.accuracy.mean(axis=1)])

    @property
    def best(self) -> Encoding:
        """The encoding with the highest mean accuracy."""
        return self.encodings[int(self.order[0])]

    def to_frame(self) -> pd.DataFrame:
        """One row per encoding and sanitizer."""
        n = len(self.sanitizers)
        return pd.DataFrame(
            {
                "encoding": np.repeat([str(e) for e in self.encodings], n),
                "continuous": np.repeat([e.continuous for e in self.encodings], n),
                "categorical": np.repeat([e.categorical for e in self.encodings], n),
                "sanitizer": list(self.sanitizers) * len(self.encodings),
                "accuracy": self.accuracy.ravel(),
                "features": self.features.ravel(),
                "seconds": self.seconds.ravel(),
            }
        )

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "source": self.microdata.source,
            "adversary": self.model,
            "quasi": [c.name for c in self.microdata.quasi],
            "sensitive": self.microdata.sensitive.name,
            "people": len(self.microdata),
            "encodings": {
                str(encoding): {
                    "accuracy": self.accuracy[i],
                    "features": self.features[i],
                    "seconds": self.seconds[i],
                }
                for i, encoding in enumerate(self.encodings)
            },
            **self.attributes("sanitizers baseline seed"),
        }

    def story(self, release: Text | None = None) -> Story:
        first, last, many = self.sanitizers[0], self.sanitizers[-1], len(self.sanitizers)
        releases = first if many == 1 else f"{many} sanitizers, from {first} to {last}"
        accurate = Message(
            "Accuracy is the share of the {people} people whose {secret} the adversary guesses "
            "from a release that they are in.",
            people=len(self.microdata), secret=self.microdata.sensitive.name,
        )  # fmt: skip
        return Story(
            title=Message(
                "Encodings compared: {model} on {source}, {releases}", model=self.model,
                source=File(self.microdata.source, bare=True),
                releases=File(releases, bare=True),
            ),
            verdict=f"The best encoding is {self.best}, which guesses "
            f"{self.accuracy[self.order[0]].mean():.1%}; always guessing the most frequent value "
            f"is right for {self.baseline:.1%}.",
            sentences=[accurate, *["All numbers are means over the sanitizers."] * (many > 1)],
            tables=[self._table()], charts=[self._chart()],
        )  # fmt: skip

    def _table(self) -> Table:
        forms = ((self.accuracy, ".2%"), (self.features, ",.4g"), (self.seconds, ".2g"))
        return Table(
            columns=["encoding", "accuracy", "features", "seconds"],
            rows=[
                *([str(self.encodings[i]), *(cell(float(of[i].mean()), form) for of, form in forms)]
                  for i in self.order.tolist()),
                ["(most frequent value)", cell(self.baseline, ".2%"), "", ""],
            ],
        )  # fmt: skip

    def _chart(self) -> Chart:
        rows, columns = get_args(Continuous), get_args(Categorical)
        cells: list[list[float | None]] = [[None] * len(columns) for _ in rows]
        for i, encoding in enumerate(self.encodings):
            row, column = rows.index(encoding.continuous), columns.index(encoding.categorical)
            cells[row][column] = float(self.accuracy[i].mean())
        return Chart(
            kind="heatmap",
            title="How accurate guesses are, by encoding",
            says=f"{self.best} is the best; the most frequent value is right for "
            f"{self.baseline:.1%}",
            x=Axis(label="categorical and ordinal columns", scale="names"),
            y=Axis(label="numeric columns", scale="names", share=True),
            matrix=Matrix(rows=rows, columns=columns, cells=cells),
        )


@checked
@by_row("accuracy is the share of records whose value is guessed", instead="inference")
def compare_encodings(
    microdata: Microdata,
    sanitizers: Sanitizer | Callable[[Any], Any] | Sequence[Sanitizer | Callable[[Any], Any]],
    *,
    encodings: Sequence[Encoding | str] = ENCODINGS,
    adversary: Adversary | str | Any = "naive-bayes",
    seed: Seed = 0,
    progress: Progress = None,
) -> EncodingComparison:
    """Compare how well an adversary guesses with different encodings.

    Parameters
    ----------
    microdata : Microdata
        The original table.
    sanitizers : Sanitizer, or several
        Their releases are attacked.
    encodings : sequence of Encoding or str
        By default all 24.
    adversary : {"naive-bayes", "tree", "forest", …} or scikit-learn classifier
        Who guesses; it must accept an encoding.

    Returns
    -------
    EncodingComparison
        Accuracy, number of features and seconds of each encoding on each release.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.datasets.election_survey()
    >>> finding = compare_encodings(survey, [uv.Mondrian(k=5), uv.Mondrian(k=20)],
    ...                             encodings=["relative-relative", "bounds-hot"])
    >>> finding.best
    Encoding('relative-relative')
    >>> finding.features.tolist()
    [[4, 4], [35, 35]]
    """
    microdata = as_microdata(microdata, "compare_encodings")
    listed = list(sanitizers) if isinstance(sanitizers, Sequence) else [sanitizers]
    ways = tuple(dict.fromkeys(Encoding.named(encoding) for encoding in encodings))
    if not listed or not ways:
        raise InputError("give at least one sanitizer and one encoding to compare")
    fs = [as_sanitizer(sanitizer) for sanitizer in listed]
    model, guesser = _guesser(adversary, seed)
    guessers = [guesser(way) for way in ways]
    tables = [guess.prepared(microdata) for guess in guessers]
    # A sanitizer that publishes no cells is refused before the long work.
    releases = [_releases(f, ways, tables) for f in fs]
    shape = len(ways), len(fs)
    accuracy, seconds = np.empty(shape), np.empty(shape)
    features = np.empty(shape, dtype=np.int64)
    total = len(microdata) * len(ways) * len(fs)
    with ProgressBar("comparing encodings", total, progress) as shown:
        for j in range(len(fs)):
            for i, (way, guess, table) in enumerate(zip(ways, guessers, tables, strict=True)):
                release = releases[j][_preparation(way)]
                started = time.perf_counter()
                accuracy[i, j] = _accuracy(guess, release, table)
                seconds[i, j] = time.perf_counter() - started
                features[i, j] = way.n_features(release)
                shown.advance(len(microdata))
    return EncodingComparison(
        encodings=ways,
        sanitizers=tuple(f.label for f in fs),
        accuracy=accuracy,
        features=features,
        seconds=seconds,
        microdata=microdata,
        model=model,
        seed=seed,
        notes=tuple(dict.fromkeys([*microdata.notes, *(n for g in guessers for n in g.notes)])),
    )


def _releases(
    f: Sanitizer, ways: Sequence[Encoding], tables: Sequence[Microdata]
) -> dict[Encoding, Release]:
    """The release of each differently prepared table."""
    made: dict[Encoding, Release] = {}
    for way, table in zip(ways, tables, strict=True):
        if _preparation(way) not in made:
            made[_preparation(way)] = with_records(f.sanitize(table), "compare_encodings")
    return made


def _preparation(encoding: Encoding) -> Encoding:
    """Equal for encodings that prepare the table in the same way."""
    if encoding.continuous == "quantiles-before":
        return Encoding("quantiles-before", quantiles=encoding.quantiles)
    return Encoding()


def _guesser(adversary: Any, seed: int) -> tuple[str, Callable[[Encoding], Adversary]]:
    """The name of the adversary, and how to make one with any encoding."""
    given = adversary_named(adversary)
    if isinstance(given, Classifier):
        model = given.label.removesuffix(f" on {given.encoding}")
        return model, lambda encoding: replace(given, encoding=encoding, seed=seed)
    if isinstance(given, NaiveBayes):
        return "naive Bayes", EncodedNaiveBayes
    if isinstance(given, EncodedNaiveBayes):
        return "naive Bayes", lambda encoding: replace(given, encoding=encoding)
    raise InputError(
        "{adversary} does not accept another encoding; compare encodings with naive-bayes or with "
        "a scikit-learn classifier",
        adversary=given.label,
    )


def _accuracy(adversary: Adversary, release: Release, table: Microdata) -> float:
    """The share of the records whose value is the most likely one; no belief is no guess."""
    beliefs = adversary.predict(release, table.codes)
    guess = np.where(np.isnan(beliefs).any(axis=1), -1, beliefs.argmax(axis=1))
    return float((guess == table.sensitive.codes).mean())
