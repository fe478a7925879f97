"""What several attacks share: seeds, adversaries, asking them for beliefs, and telling findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from unveil._memory import room_for
from unveil.adversary import Adversary, adversary_named, reweighed
from unveil.errors import (
    File,
    Foreign,
    GoalError,
    InputError,
    InternalError,
    Listed,
    Message,
    Option,
    Text,
    UnveilError,
    did_you_mean,
)
from unveil.findings import Axis, Chart, Series
from unveil.microdata import AnyRelease, Microdata
from unveil.sanitize import OracleError, Sanitizer

T = TypeVar("T")

# Why a target has no second belief. The sanitizer's own words may name people, so they are kept
# apart from these.
IMPOSSIBLE = "the table without them cannot be sanitized this way"
FAILED = "the sanitizer failed"  # an oracle is more precise, see `Fault`
ADVERSARY_FAILED = "the adversary failed on the release with or without them"
INTERRUPTED = "interrupted"
NO_BELIEF = "the adversary has no belief about them"


class AdversaryError(UnveilError):
    """An adversary failed, or did not return beliefs."""


def seed_number(seed: Any) -> int:
    """Check a random seed."""
    if isinstance(seed, int | np.integer) and not isinstance(seed, bool) and seed >= 0:
        return int(seed)
    raise InputError(
        "{option} must be a whole number from 0 up, got {seed}",
        option=Option("seed"), seed=repr(seed),
    )  # fmt: skip


def several(given: Any, option: str, what: str) -> list[Any]:
    """One or several things that an option names, as a list.

    >>> several("age", "knows", "quasi-identifiers")
    ['age']
    >>> several([], "knows", "quasi-identifiers")
    Traceback (most recent call last):
    unveil.errors.InputError: knows=[] is not possible: name one or several quasi-identifiers
    """
    listed = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if not listed or not isinstance(given, Iterable):
        raise InputError("{option} is not possible: name one or several {what}",
                         option=Option(option, given), what=what)  # fmt: skip
    return listed


def adversaries_named(adversary: Any, seed: int = 0) -> tuple[Adversary, ...]:
    """One adversary or a list of them; models that are made here use the seed."""
    listed = adversary if isinstance(adversary, list | tuple) else [adversary]
    if not listed:
        raise InputError(
            "{option} is empty; name at least one adversary, such as naive-bayes",
            option=Option("adversary"),
        )
    found = tuple(adversary_named(one, seed=seed) for one in listed)
    labels = [one.label for one in found]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise InputError("the adversary {label} is given twice", label=twice)
    return found


def named(known: Mapping[str, T], name: Any, what: str) -> T:
    """What has that name.

    >>> named({"release": 1, "removal": 2}, "relase", "attacker")
    Traceback (most recent call last):
    unveil.errors.InputError: there is no attacker 'relase'; did you mean 'release'? (known: ...)
    """
    if isinstance(name, str) and name in known:
        return known[name]
    raise InputError(
        "there is no {what} {name}{near} (known: {known})", what=what, name=repr(name),
        near=did_you_mean(name, known) if isinstance(name, str) else "", known=Listed(list(known)),
    )  # fmt: skip


def understood(adversary: Adversary, release: AnyRelease) -> None:
    """Refuse an adversary that cannot learn from a release of this kind."""
    if not adversary.understands(release):
        raise InputError(
            "{adversary} learns from released records, and {release} publishes none, {instead}; "
            "use the adversary smoothed-frequency or conditional-frequency",
            adversary=adversary.label, release=File(release.made_by, bare=True),
            instead=release.instead,
        )  # fmt: skip


def refuse_prepared(adversaries: Iterable[Adversary], table: Microdata) -> None:
    """Refuse adversaries for whom the table is changed before it is sanitized."""
    for one in adversaries:
        if one.prepared(table) is not table:
            raise InputError(
                "{adversary} needs the table cut into quantiles before it is sanitized, which "
                "leaves out people held out, and is too late for an existing release; choose "
                "another encoding, such as quantiles-after",
                adversary=one.label,
            )


def reseeded(sanitizer: Sanitizer, *key: int) -> Sanitizer:
    """The sanitizer, with random numbers that follow from a key."""
    state = np.random.SeedSequence(key).generate_state(1, np.uint64)
    return sanitizer.with_seed(int(state[0]))


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What adversaries know besides a release: everyone's quasi-identifiers, and a prior."""

    microdata: Microdata
    prior: NDArray[np.float64] | None = None
    """Of the sensitive values, for all records (values) or for each (records × values)."""

    def believed(
        self, adversary: Adversary, release: AnyRelease, records: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """What an adversary believes about these records, given a release."""
        room_for(len(records), self.microdata.sensitive.size, times=3)
        try:
            beliefs = adversary.predict(release, self.microdata.codes[:, records])
        except (UnveilError, MemoryError):
            raise
        except Exception as error:  # anything can go wrong in a user's model
            raise AdversaryError(
                "the adversary {adversary} failed: {error}",
                adversary=adversary.label, error=Foreign(said(error)),
            ) from error  # fmt: skip
        return self.weighed(adversary, beliefs, release.totals, records)

    def weighed(
        self,
        adversary: Adversary,
        beliefs: NDArray[np.float64],
        totals: NDArray[np.integer],
        records: NDArray[np.intp],
    ) -> NDArray[np.float64]:
        """Checked beliefs, with the prior in place of the shares in the release."""
        beliefs = _checked(beliefs, len(records), self.microdata.sensitive.size, adversary)
        if self.prior is None:
            return beliefs
        shares = totals / totals.sum(axis=-1, keepdims=True)
        prior = self.prior[records] if self.prior.ndim == 2 else self.prior
        return reweighed(beliefs, shares, prior)

    def totals_without(self, records: NDArray[np.intp]) -> NDArray[np.int64]:
        """How many records of others have each sensitive value, for each record."""
        several, secret = self.microdata.several, self.microdata.sensitive.codes
        without = np.tile(self.microdata.sensitive_counts, (len(records), 1))
        if several is None:
            without[np.arange(len(records)), secret[records]] -= 1
        else:
            place, own = several.beside(records)
            np.subtract.at(without, (place, secret[own]), 1)
        return without


def _checked(
    beliefs: NDArray[np.float64], targets: int, values: int, adversary: Adversary
) -> NDArray[np.float64]:
    """An adversary's answer, if it is one distribution per target; NaN means no belief."""
    beliefs = np.asarray(beliefs, dtype=np.float64)
    if beliefs.shape != (targets, values):
        raise InputError(
            "the adversary {adversary} returned an array of shape {shape} for {targets} targets "
            "and {values} sensitive values; return one row per target and one column per value",
            adversary=adversary.label, shape=str(beliefs.shape), targets=targets, values=values,
        )  # fmt: skip
    had = beliefs[~np.isnan(beliefs).any(axis=1)]
    if (had < 0).any() or not np.allclose(had.sum(axis=1), 1, rtol=0, atol=1e-6):
        raise InputError(
            "the adversary {adversary} returned beliefs that are not probabilities; each row must "
            "have no negative number and sum to 1",
            adversary=adversary.label,
        )
    return beliefs


def each_if_not_all(
    ask: Callable[[NDArray[np.intp]], NDArray[np.float64]], targets: int, values: int
) -> tuple[NDArray[np.float64], dict[int, str]]:
    """Ask about all targets together or, if that fails, about each of them alone.

    Returns the beliefs, NaN for those about whom asking fails, and what was said then.
    """
    try:
        return ask(np.arange(targets)), {}
    except (InternalError, MemoryError):  # nobody's model
        raise
    except Exception as error:  # anything can go wrong in a user's model
        if targets == 1:
            return np.full((1, values), np.nan), {0: said(error)}
    beliefs, failed = np.full((targets, values), np.nan), {}
    for row in range(targets):
        try:
            beliefs[row] = ask(np.array([row]))[0]
        except Exception as error:
            failed[row] = said(error)
    return beliefs, failed


def said(error: Exception) -> str:
    """The words of an error, with its type if it is not one of ours. They may name people."""
    return str(error) if isinstance(error, UnveilError) else f"{type(error).__name__}: {error}"


def reason_of(error: Exception) -> str:
    """What kind of thing went wrong. It names nobody."""
    if isinstance(error, GoalError):
        return IMPOSSIBLE
    return f"the sanitizer {error.fault}" if isinstance(error, OracleError) else FAILED


def under(release: Text | None, text: str, /, **parts: Any) -> Message:
    """A sentence of ours, about one of several releases if that is named.

    >>> print(under(None, "All {n:person} are found.", n=3))
    All 3 people are found.
    >>> print(under("ours", "All {n:person} are found.", n=3))
    Under ours, all 3 people are found.
    """
    if release is None:
        return Message(text, **parts)
    return Message("Under {release}, " + text[0].lower() + text[1:], release=release, **parts)


def over_people(
    title: Text, says: Text, x: Axis, series: Sequence[Series], rank: float | None = None
) -> Chart:
    """A chart of how numbers are distributed over people."""
    share = Axis(label="share of people", share=True)
    return Chart(kind="distribution", title=title, says=says, x=x, y=share, series=series,
                 rank=rank)  # fmt: skip
