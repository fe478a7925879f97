"""Which encoding of generalized cells serves an adversary best?

After the comparison in A. Kassem, G. Ács, C. Castelluccia (2018): the same model is trained on the
same releases, with their cells written as numbers in each of 24 ways, and guesses everybody's
sensitive value.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unveil.adversary import (
    ENCODINGS,
    Adversary,
    Classifier,
    EncodedNaiveBayes,
    Encoding,
    NaiveBayes,
    adversary_named,
)
from unveil.attacks._encoding_finding import EncodingComparison
from unveil.engine import Progress
from unveil.errors import InputError
from unveil.microdata import Microdata, Release, with_records
from unveil.sanitize import Sanitizer, as_microdata, as_sanitizer

__all__ = ["EncodingComparison", "compare_encodings"]


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
        Whose releases are attacked.
    encodings : sequence of Encoding or str
        By default all 24.
    adversary : {"naive-bayes", "tree", "forest", …} or scikit-learn classifier
        Who guesses; one that can be given an encoding.
    seed : int
        On which the model's random choices hang.
    progress : bool, optional
        Show progress; default: if standard error is a terminal.

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
    # Whoever publishes no cells is told before anybody has learned anything.
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
    """What is published of each table that has to be prepared in its own way."""
    made: dict[Encoding, Release] = {}
    for way, table in zip(ways, tables, strict=True):
        if _preparation(way) not in made:
            made[_preparation(way)] = with_records(f.sanitize(table), "compare_encodings")
    return made


def _preparation(encoding: Encoding) -> Encoding:
    """Equal for encodings that have the table sanitized alike."""
    if encoding.continuous == "quantiles-before":
        return Encoding("quantiles-before", quantiles=encoding.quantiles)
    return Encoding()


def _guesser(adversary: Any, seed: int) -> tuple[str, Callable[[Encoding], Adversary]]:
    """What the adversary is called, and how to make one of any encoding."""
    given = adversary_named(adversary)
    if isinstance(given, Classifier):
        model = given.label.removesuffix(f" on {given.encoding}")
        return model, lambda encoding: replace(given, encoding=encoding, seed=seed)
    if isinstance(given, NaiveBayes):
        return "naive Bayes", EncodedNaiveBayes
    if isinstance(given, EncodedNaiveBayes):
        return "naive Bayes", lambda encoding: replace(given, encoding=encoding)
    raise InputError(
        f"{given.label} cannot be given another encoding; compare encodings with naive-bayes or "
        "with a scikit-learn classifier"
    )


def _accuracy(adversary: Adversary, release: Release, table: Microdata) -> float:
    """The share of the records whose value is believed most; no belief is no guess."""
    beliefs = adversary.predict(release, table.codes)
    guess = np.where(np.isnan(beliefs).any(axis=1), -1, beliefs.argmax(axis=1))
    return float((guess == table.sensitive.codes).mean())
