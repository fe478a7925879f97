"""Priors: what an adversary knows about the sensitive values beforehand.

A model that learned from a release has the shares of its sensitive values as its prior. Dividing by
them and multiplying by another prior gives the belief of the same model with that prior. For naive
Bayes it is exactly what scikit-learn does with ``class_prior``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from unveil.adversary._adversary import Adversary
from unveil.errors import Cell, InputError, Listed, Message, Option, Row, did_you_mean
from unveil.errors import Column as ColumnName
from unveil.microdata import Column, Domain, Microdata, likely_mapping, value_text

if TYPE_CHECKING:
    PriorLike: TypeAlias = Mapping[Any, float] | pd.Series[Any] | pd.DataFrame | ArrayLike

_TOLERANCE = 1e-6  # by which a sum may differ from 1: probabilities are rounded when written


def reweighed(
    beliefs: NDArray[np.float64], learned: NDArray[np.floating], prior: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Beliefs as they would be with another prior than the one learned from the release.

    Parameters
    ----------
    beliefs : array (targets, values)
    learned : array (values,) or (targets, values)
        The shares of the sensitive values in the release that the beliefs were learned from. A
        value of share 0 keeps belief 0 whatever the prior: the model has never seen it.
    prior : array (values,) or (targets, values)

    Returns
    -------
    array (targets, values)
        NaN for a target to which prior and beliefs leave no value.

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
    """The checked prior of the adversaries; None stands for the shares in the release.

    An adversary with its own prior is refused another.
    """
    if prior is None:
        return None
    for adversary in adversaries:
        if adversary.own_prior is not None:
            raise InputError(
                "{adversary} has a prior of its own ({own}); leave that or {option} out",
                adversary=adversary.label, own=adversary.own_prior, option=Option("prior"),
            )  # fmt: skip
    return as_prior(prior, microdata.sensitive, len(microdata))


def as_prior(prior: PriorLike, sensitive: Column, n_records: int) -> NDArray[np.float64]:
    """Check a prior, and put it in the order of the sensitive column's values.

    Parameters
    ----------
    prior : mapping, pandas Series, pandas DataFrame or array
        One probability per sensitive value, for all records: a mapping or Series by value, or an
        array in the order of ``sensitive.values``. Or one row per record: a table whose columns
        are named after the values, or an array (records, values). The index of a table is ignored.
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
            "number per value, or one row of numbers per record; got {given}",
            given=Cell(given),
        ) from None


def _check_rows(given: NDArray[np.float64], n_records: int) -> None:
    if len(given) != n_records:
        raise InputError(
            "the prior has {rows} rows, but the table has {records} records; give one row per "
            "record, or one probability per value for all records",
            rows=len(given), records=n_records,
        )  # fmt: skip


def _check_shape(given: NDArray[np.float64], sensitive: Column, n_records: int) -> None:
    if given.ndim == 2:
        _check_rows(given, n_records)
    if given.ndim not in (1, 2) or given.shape[-1] != sensitive.size:
        raise InputError(
            "the prior has the shape {shape}, but {column} has {size} values; give one probability "
            "for each of {values}, in this order",
            shape=given.shape, column=ColumnName(sensitive.name), size=sensitive.size,
            values=_listed(sensitive.texts),
        )  # fmt: skip


def _places(labels: Sequence[Hashable], sensitive: Column) -> list[int]:
    """The position of each value of the column among the labels."""
    column = ColumnName(sensitive.name)
    where: dict[int, int] = {}
    domain = Domain(sensitive)
    for place, label in enumerate(labels):
        text = value_text(label)
        code = domain.value(text)  # a file may have 1.0 for 1
        if code is None:
            texts = [text for text in map(value_text, labels) if domain.value(text) is None]
            pairs = likely_mapping(texts, sensitive.texts)
            near = f"; did you mean {pairs[texts[0]]!r}?" if pairs else ""
            near = near or did_you_mean(texts[0], sensitive.texts)
            raise InputError(
                "the prior has {value}, which is not a value of {column}{near} (values: {values})",
                value=Cell(texts[0]), column=column, near=Cell(near, bare=True) if near else "",
                values=_listed(sensitive.texts),
            )  # fmt: skip
        if code in where:
            raise InputError("the prior has {value} twice", value=Cell(text))
        where[code] = place
    missed = [text for code, text in enumerate(sensitive.texts) if code not in where]
    if missed:
        raise InputError(
            "the prior lacks {value}, a value of {column}; give 0 to an impossible value",
            value=Cell(missed[0]), column=column,
        )  # fmt: skip
    return [where[code] for code in range(sensitive.size)]


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
            record = Message(" for {record}", record=Row(row, "record"))
            raise InputError(
                "the prior {what}{record}",
                what=what.format(sum=sums[row, 0]), record=record if prior.ndim == 2 else "",
            )  # fmt: skip
    return prior / prior.sum(axis=-1, keepdims=True)


def _listed(texts: Sequence[str], most: int = 10) -> Listed:
    more = [f"… ({len(texts)} in all)"] if len(texts) > most else []
    return Listed([*(Cell(text, bare=True) for text in texts[:most]), *more])
