"""What an adversary knows beforehand: a prior over the sensitive values instead of the release's.

A model that learned from a release has taken the shares of the sensitive values there for its
prior. Dividing them out and multiplying by another prior gives the belief of the same model with
that prior; for naive Bayes it is exactly what scikit-learn does with ``class_prior``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.adversary._adversary import Adversary
from unveil.errors import InputError, did_you_mean
from unveil.microdata import Column, Domain, Microdata, likely_mapping, value_text

if TYPE_CHECKING:
    import pandas as pd

    PriorLike: TypeAlias = Mapping[Any, float] | pd.Series[Any] | pd.DataFrame | ArrayLike

__all__ = ["as_prior", "prior_for", "reweighed"]

_TOLERANCE = 1e-6  # what probabilities may lack of one: they were rounded when written down


def reweighed(
    beliefs: NDArray[np.float64], learned: NDArray[np.floating], prior: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Beliefs as they would be with another prior than the one learned from the release.

    Parameters
    ----------
    beliefs : array (targets, values)
    learned : array (values,) or (targets, values)
        The shares of the sensitive values in the release that the beliefs were learned from. A
        value of share 0 keeps its belief of 0, whatever the prior says: the model has never seen
        it.
    prior : array (values,) or (targets, values)

    Returns
    -------
    array (targets, values)
        NaN for a target that prior and beliefs leave no value to.

    Examples
    --------
    >>> believed, shares = np.array([[0.6, 0.4]]), np.array([0.75, 0.25])
    >>> reweighed(believed, shares, np.array([0.5, 0.5])).round(3)
    array([[0.333, 0.667]])
    """
    learned = np.broadcast_to(learned, beliefs.shape)
    odds = np.divide(beliefs * prior, learned, out=np.zeros_like(beliefs), where=learned > 0)
    total = odds.sum(axis=1, keepdims=True)
    return np.divide(odds, total, out=np.full_like(odds, np.nan), where=total > 0)


def prior_for(
    adversaries: Iterable[Adversary], prior: PriorLike | None, microdata: Microdata
) -> NDArray[np.float64] | None:
    """What adversaries are given for prior, checked; None: the shares in the release.

    One who has a prior of its own is refused another.
    """
    if prior is None:
        return None
    for adversary in adversaries:
        if adversary.own_prior is not None:
            raise InputError(
                f"{adversary.label} has a prior of its own ({adversary.own_prior}), so none can be "
                "given to it: leave one of the two out"
            )
    return as_prior(prior, microdata.sensitive, len(microdata))


def as_prior(prior: PriorLike, sensitive: Column, n_records: int) -> NDArray[np.float64]:
    """A prior as the user has it, checked, in the order of the sensitive column's values.

    Parameters
    ----------
    prior : mapping, pandas Series, pandas DataFrame or array
        One probability a sensitive value for everybody: a mapping or Series by value, or an array
        in the order of ``sensitive.values``. Or one row a record: a table whose columns are named
        by the values, or an array (records, values). An index of a table plays no part.
    sensitive : Column
    n_records : int

    Returns
    -------
    array (values,) or (records, values)

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 41], "vote": ["a", "b"]}, quasi="age", sensitive="vote")
    >>> as_prior({"b": 0.25, "a": 0.75}, survey.sensitive, len(survey))
    array([0.75, 0.25])
    """
    import pandas as pd

    if isinstance(prior, Mapping):
        labels, given = list(prior), _numbers(list(prior.values()))
    elif isinstance(prior, pd.Series):
        labels, given = prior.index.tolist(), _numbers(prior.to_numpy())
    elif isinstance(prior, pd.DataFrame):
        labels, given = prior.columns.tolist(), _numbers(prior.to_numpy())
        _check_rows(given, n_records)
    else:
        given = _numbers(prior)
        _check_shape(given, sensitive, n_records)
        return _checked(given)
    return _checked(given[..., _places(labels, sensitive)])


def _numbers(given: Any) -> NDArray[np.float64]:
    try:
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "the prior must be probabilities: a mapping from the sensitive values to numbers, one "
            f"number a value, or one row of numbers a record; got {given!r}"
        ) from None


def _check_rows(given: NDArray[np.float64], n_records: int) -> None:
    if len(given) != n_records:
        raise InputError(
            f"the prior has {len(given):,} rows, but the table {n_records:,} records; give one "
            "row a record, or one probability a value for everybody"
        )


def _check_shape(given: NDArray[np.float64], sensitive: Column, n_records: int) -> None:
    if given.ndim == 2:
        _check_rows(given, n_records)
    if given.ndim not in (1, 2) or given.shape[-1] != sensitive.size:
        raise InputError(
            f"the prior has the shape {given.shape}, but {sensitive.name!r} has {sensitive.size} "
            f"values; give one probability for each of {_listed(sensitive.texts)}, in this order"
        )


def _places(labels: Sequence[Hashable], sensitive: Column) -> list[int]:
    """For each value of the column, where it stands among the labels."""
    where: dict[int, int] = {}
    domain = Domain(sensitive)
    for place, label in enumerate(labels):
        text = value_text(label)
        code = domain.value(text)  # a file may have 1.0 for 1
        if code is None:
            raise InputError(_strange(labels, domain, sensitive))
        if code in where:
            raise InputError(f"the prior has {text!r} twice")
        where[code] = place
    missed = [text for code, text in enumerate(sensitive.texts) if code not in where]
    if missed:
        raise InputError(
            f"the prior misses {missed[0]!r}, a {sensitive.name} of the table; give 0 to a value "
            "that cannot be"
        )
    return [where[code] for code in range(sensitive.size)]


def _strange(labels: Sequence[Hashable], domain: Domain, sensitive: Column) -> str:
    """Say which labels are no values, and which they may be."""
    texts = [text for text in map(value_text, labels) if domain.value(text) is None]
    pairs = likely_mapping(texts, sensitive.texts)
    near = "".join(f"; did you mean {pairs[text]!r}?" for text in texts[:1] if pairs)
    return (
        f"the prior has {texts[0]!r}, which is no {sensitive.name} of the table"
        f"{near or did_you_mean(texts[0], sensitive.texts)} (values: {_listed(sensitive.texts)})"
    )


def _checked(prior: NDArray[np.float64]) -> NDArray[np.float64]:
    """The prior, if each of its rows is a distribution."""
    rows = np.atleast_2d(prior)
    sums = rows.sum(axis=1, keepdims=True)
    for wrong, what in (
        (~np.isfinite(rows), "has a number that is missing or infinite"),
        (rows < 0, "has a negative number"),
        (np.abs(sums - 1) > _TOLERANCE, "sums to {sum:.6g} instead of 1"),
    ):
        if wrong.any():
            row = int(np.argmax(wrong.any(axis=1)))
            which = f" for record {row}" if prior.ndim == 2 else ""
            raise InputError(f"the prior {what.format(sum=sums[row, 0])}{which}")
    return prior / prior.sum(axis=-1, keepdims=True)


def _listed(texts: Sequence[str], shown: int = 10) -> str:
    more = f", … ({len(texts)} in all)" if len(texts) > shown else ""
    return ", ".join(texts[:shown]) + more
