"""Comparison of encodings: which encoding of generalized cells serves an adversary best?

After A. Kassem, G. Ács, C. Castelluccia (2018): the same model is trained on the same releases,
with their cells encoded as numbers in each of 24 ways, and guesses everyone's sensitive value.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from unveil._axes import new_axes, written
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
from unveil.engine import Progress
from unveil.errors import InputError, Text
from unveil.findings import Finding
from unveil.microdata import Microdata, Release, with_records
from unveil.sanitize import Sanitizer, as_microdata, as_sanitizer

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["EncodingComparison", "compare_encodings"]

_COLOURS = "YlGnBu"  # light to dark, also without colours
_DARK = 0.62  # above this, white letters are easier to read


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
        import pandas as pd

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

    def content(self, *, records: bool) -> dict[str, Any]:
        return {
            "finding": "comparison of encodings",
            "source": self.microdata.source,
            "adversary": self.model,
            "quasi": [c.name for c in self.microdata.quasi],
            "sensitive": self.microdata.sensitive.name,
            "records": len(self.microdata),
            "sanitizers": list(self.sanitizers),
            "baseline": self.baseline,
            "encodings": {
                str(encoding): {
                    "accuracy": self.accuracy[i].tolist(),
                    "features": self.features[i].tolist(),
                    "seconds": self.seconds[i].tolist(),
                }
                for i, encoding in enumerate(self.encodings)
            },
            "seed": self.seed,
            "notes": [str(note) for note in self.notes],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw mean accuracy and features of each encoding as a table of colours.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        return _draw(self, ax)

    def summary(self) -> str:
        releases = self.sanitizers[0] if len(self.sanitizers) == 1 else (
            f"{len(self.sanitizers)} sanitizers, from {self.sanitizers[0]} to "
            f"{self.sanitizers[-1]}")  # fmt: skip
        width = max(len(str(e)) for e in self.encodings)
        lines = [
            f"Encodings compared: {self.model} on {self.microdata.source}, {releases}",
            "",
            f"  {'encoding':{width}}  accuracy  features   seconds",
        ]
        lines += [
            f"  {self.encodings[i]!s:{width}}  {self.accuracy[i].mean():8.2%}  "
            f"{self.features[i].mean():8,.4g}  {self.seconds[i].mean():8.2g}"
            for i in self.order
        ]
        lines += [
            f"  {'(most frequent value)':{width}}  {self.baseline:8.2%}",
            "",
            f"  Accuracy: the share of the {len(self.microdata):,} people whose "
            f"{self.microdata.sensitive.name} the adversary guesses from a release that they are "
            "in.",
        ]
        if len(self.sanitizers) > 1:
            lines.append("  All numbers are means over the sanitizers.")
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])


def _draw(finding: EncodingComparison, ax: Axes | None = None) -> Axes:
    """Draw one cell per encoding: the darker, the more accurate."""
    if ax is None:
        ax = new_axes()
    rows, columns = get_args(Continuous), get_args(Categorical)
    accuracy = np.full((len(rows), len(columns)), np.nan)
    features = np.full_like(accuracy, np.nan)
    for i, encoding in enumerate(finding.encodings):
        place = rows.index(encoding.continuous), columns.index(encoding.categorical)
        accuracy[place] = finding.accuracy[i].mean()
        features[place] = finding.features[i].mean()
    low, high = float(np.nanmin(accuracy)), float(np.nanmax(accuracy))
    image = ax.imshow(accuracy, cmap=_COLOURS, vmin=low, vmax=high, aspect="auto")
    for (row, column), share in np.ndenumerate(accuracy):
        if not np.isnan(share):
            dark = share > low + _DARK * (high - low)
            n = round(float(features[row, column]))
            ax.text(
                column, row, f"{share:.1%}\n{n:,} feature{'s' if n != 1 else ''}",
                ha="center", va="center", fontsize=9, color="white" if dark else "black",
                fontweight="bold" if share == high else "normal",
            )  # fmt: skip
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("categorical and ordinal columns")
    ax.set_ylabel("numeric columns")
    mean = "mean accuracy" if len(finding.sanitizers) > 1 else "accuracy"
    ax.set_title(
        f"{written(finding.model)} on {written(finding.microdata.source)}: {mean} by encoding "
        f"(most frequent value: {finding.baseline:.1%})", fontsize=10,
    )  # fmt: skip
    bar = ax.figure.colorbar(image, ax=ax, format=lambda share, _: f"{share:.0%}")
    bar.outline.set_visible(False)
    return ax


def compare_encodings(
    microdata: Microdata,
    sanitizers: Sanitizer | Callable[[Any], Any] | Sequence[Sanitizer | Callable[[Any], Any]],
    *,
    encodings: Sequence[Encoding | str] = ENCODINGS,
    adversary: Adversary | str | Any = "naive-bayes",
    seed: int = 0,
    progress: bool | None = None,
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
    seed : int
        Random seed of the model.
    progress : bool, optional
        Show progress. Default: if standard error is a terminal.

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
    with Progress("comparing encodings", total, progress) as shown:
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
        f"{given.label} does not accept another encoding; compare encodings with naive-bayes or "
        "with a scikit-learn classifier"
    )


def _accuracy(adversary: Adversary, release: Release, table: Microdata) -> float:
    """The share of the records whose value is the most likely one; no belief is no guess."""
    beliefs = adversary.predict(release, table.codes)
    guess = np.where(np.isnan(beliefs).any(axis=1), -1, beliefs.argmax(axis=1))
    return float((guess == table.sensitive.codes).mean())
