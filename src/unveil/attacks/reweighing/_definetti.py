"""The deFinetti attack, and foreground knowledge: what groups tell about each other.

A group of a release has as many secrets as people. *Random worlds* reads it so that each of its
secrets is as likely for everybody in it: with ℓ different ones, nobody is believed to have one
with more than 1/ℓ. D. Kifer (*Attacks on privacy and deFinetti's theorem*, SIGMOD 2009) showed
that this is wrong. People of all groups come from one population, and by what all groups have
together it can be learnt: if groups with many smokers have much cancer, then within a group the
smoker is the likelier one to have it. After de Finetti, records whose order means nothing are
drawn from a distribution that is not known, and whoever does not learn it treats groups as if
they told nothing about each other.

The attacker knows everybody's quasi-identifiers (of a permuted release they are published; for a
generalized one, he needs a table of the people) and

1. starts with random worlds: b(i, s), the share of secret s in the group of person i;
2. *learns* across groups: naive Bayes, P(s) as published and P(a | s) for every column, from
   beliefs counted as parts of people;
3. *re-weighs* within groups. A world gives each person of the group one of its secrets, so that
   all are used up, and weighs Π P(values of i | s_i); b(i, s) becomes the share of the weight of
   all worlds in which i has s, a ratio of permanents (P(s) is the same in all worlds);
4. goes on with 2 until beliefs rest.

Step 3 is the posterior under the model and step 2 the model that is most likely under it: this is
the EM algorithm, and what is published becomes likelier in every round. (The paper describes the
loop with less detail; that beliefs are whole posteriors and not one world picked for each group
is a choice made here, for it is what lets the likelihood never fall.)

*Foreground knowledge* (R. C. Wong, A. W. Fu, K. Wang, P. S. Yu, J. Pei, *Can the utility of
anonymized data be used for privacy breaches?*, TKDD 2011) is learnt from the release as well: the
distribution of the secrets for each value of an attribute, or of several together. Worlds are
weighed by it once: steps 1 to 3 with one attribute, and no way back. By default it is the column
that tells most about the groups that it was not learnt from.

*Assumed*: that the model is about right (columns are independent given the secret; numbers are
categories as everywhere here, so that fine ones are better quantized first), that who is in which
group does not hang on the secret, and that the people are known. The model is learnt from the
same people who are guessed.

*Limits*: a group's beliefs are exact where that takes few enough steps, else Bethe's
approximation, whose error is some hundredths where people differ much, and which is said. Where
cells overlap, only people whose class can be told are guessed; `relative_risk` samples what is
left open, and is a Bayesian answer to the same question.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.linking._external import External, external_of
from unveil.attacks.linking._linkage import known_columns, with_candidates
from unveil.attacks.linking._links import distinct_points
from unveil.attacks.linking._placing import (
    Mapped,
    MissingPeople,
    Placing,
    Unknown,
    check_placing,
)
from unveil.attacks.linking._truth import truth_of
from unveil.attacks.reweighing._beliefs import Views, judged
from unveil.attacks.reweighing._finding import DeFinetti
from unveil.attacks.reweighing._groups import STEPS, Groups, groups_of_classes, groups_of_permuted
from unveil.attacks.reweighing._learning import Learned, learned
from unveil.attacks.reweighing._model import Knowledge
from unveil.attacks.reweighing._seating import DOUBTED, NOWHERE, UNDECIDED, seated
from unveil.attacks.reweighing._telling import told
from unveil.attacks.risk._boxes import boxes_of
from unveil.engine.counting import combined
from unveil.errors import InputError, did_you_mean
from unveil.microdata import AnyRelease, Microdata, Permuted, Release, refuse_perturbed

__all__ = ["Method", "definetti"]

Method: TypeAlias = Literal["definetti", "foreground"]

_ROUNDS, _TOLERANCE = 100, 1e-3


def definetti(
    release: AnyRelease,
    microdata: Microdata | None = None,
    *,
    people: Any = None,
    identifier: str | None = None,
    method: Method = "definetti",
    by: str | Sequence[str] | None = None,
    smoothing: float | None = None,
    rounds: int | None = None,
    tolerance: float = _TOLERANCE,
    steps: int = STEPS,
    mapping: Mapped = None,
    unknown: Unknown = "error",
    missing: MissingPeople = "error",
    record_of: Sequence[int] | NDArray[Any] | None = None,
    progress: bool | None = None,
) -> DeFinetti:
    """Learn across the groups of a release who of a group has which of its secrets.

    Parameters
    ----------
    release : Release or Permuted
    microdata : Microdata, optional
        The original. Its quasi-identifiers are what the attacker knows, unless ``people`` are
        given; its secrets are used only to tell afterwards who was guessed right.
    people : Microdata, pandas, polars or Arrow table, mapping, or path, optional
        The people whom the attacker knows, one row each, with the release's quasi-identifiers. A
        permuted release has them itself; a generalized one needs them, or the microdata, and all
        of its people, or some of its classes are left to strangers.
    identifier : str, optional
        The column that names people. By default that of microdata.
    method : {"definetti", "foreground"}
        Learn and re-weigh until beliefs rest, with all columns; or once, with one attribute.
    by : str or sequence of str, optional
        The quasi-identifiers that are learnt from: each by itself (definetti; default: all), or
        all of them together as one attribute (foreground; default: the column that tells most
        about groups that it was not learnt from).
    smoothing : float, optional
        λ: how many people the prior of each secret is worth, whose values are distributed as
        everybody's are. By default as many as have a secret on average, records / secrets: what
        is learnt is only half believed, for nobody's secret is known, and with much less the
        model learns small tables by heart.
    rounds : int, optional
        The most that are made; default 100. Foreground knowledge has one.
    tolerance : float
        Beliefs rest if they move by less in a round, on average over people (total variation).
    steps : int
        How many steps a person an exact answer about a group may take; 0: Bethe's approximation
        for all.
    mapping, unknown, missing
        What is done about people's values that the release does not have, and about missing
        ones, as in `linkage`.
    record_of : sequence of int, optional
        With both ``people`` and ``microdata``, instead of names: everybody's record in the
        original, counted from 0, and -1 for people who are not in it.
    progress : bool, optional
        Show progress; default: if standard error is a terminal.

    Returns
    -------
    DeFinetti

    Raises
    ------
    InputError
        If the release has no groups of records with true values, the people's values are not
        known, or an option cannot be meant.

    Examples
    --------
    Four groups of two: who smokes is published, and one disease a person, but not whose it is.

    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"smokes": ["yes", "no", "yes", "no", "yes", "no", "no", "no"],
    ...      "disease": ["cancer", "flu", "cancer", "flu", "cancer", "cold", "flu", "cold"]},
    ...     quasi="smokes", sensitive="disease")
    >>> release = uv.Permuted.from_groups(patients, [1, 1, 2, 2, 3, 3, 4, 4])
    >>> finding = uv.definetti(release, patients)
    >>> finding.belief_about(0).round(2).values.tolist()
    [['cancer', 0.5, 0.97, 0.81], ['cold', 0.17, 0.01, 0.09], ['flu', 0.33, 0.02, 0.1]]
    """
    asked = _Asked.checked(method, by, smoothing, rounds, tolerance, steps)
    published = with_candidates(release, "the deFinetti attack")
    if isinstance(published, Release):
        refuse_perturbed(published, [published.sensitive], "the deFinetti attack")
    check_placing(mapping, unknown, missing)
    names = known_columns([published], None)
    columns = names if by is None else known_columns([published], by)
    known = _known_people(published, microdata, people, names, identifier)
    truth = truth_of(
        published, known, microdata if people is None else people, microdata,
        identifier=identifier, record_of=record_of,
    )  # fmt: skip
    started = time.perf_counter()
    notes: list[str] = []
    left, sizes = np.zeros(0, dtype=np.int64), [column.size for column in published.quasi]
    if people is None and microdata is None:
        assert isinstance(published, Permuted)
        groups, tuple_of = groups_of_permuted(published, apart=True)
    else:
        placing = Placing.of(published, [known], mapping=mapping, unknown=unknown, missing=missing)
        kept = placing.kept(known)
        known, truth = known.take(kept), None if truth is None else truth.take(kept)
        codes, notes, sizes = placing.codes[0][kept], list(placing.notes), list(placing.sizes)
        if isinstance(published, Permuted):
            groups, tuple_of, left = _in_groups(published, codes)
        else:
            groups, tuple_of, left = _in_classes(published, placing, codes)
    groups.check_size()
    which = [names.index(name) for name in columns]
    found = asked.learn(groups, published, which, sizes, progress)
    views = Views.of(groups, found, published.sensitive.size)
    n = len(known)
    secret = np.full(n, -1) if truth is None else truth.of_people(truth.secrets, -1)
    in_table = np.zeros(n, dtype=bool) if truth is None else truth.is_known
    three = [
        judged(some, tuple_of, secret, in_table, tuples=len(groups.tuples),
               secrets=published.sensitive.size)
        for some in (views.random_worlds, views.reweighted, views.population)
    ]  # fmt: skip
    return DeFinetti(
        release=published, people=known, method=asked.method, groups=groups, learned=found,
        views=views, tuple_of=tuple_of, secret=secret, in_table=in_table,
        random_worlds=three[0], reweighted=three[1], population=three[2],
        nowhere=int((left == NOWHERE).sum()), undecided=int((left == UNDECIDED).sum()),
        doubted=int((left == DOUBTED).sum()), seconds=time.perf_counter() - started,
        notes=tuple(dict.fromkeys([*published.notes, *known.notes, *notes])),
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """How it is to be learnt, as it was asked for."""

    method: Method
    chosen: bool
    smoothing: float | None
    rounds: int
    tolerance: float
    steps: int

    @classmethod
    def checked(
        cls, method: Any, by: Any, smoothing: Any, rounds: Any, tolerance: Any, steps: Any
    ) -> _Asked:
        """Refuse what cannot be meant."""
        if method not in get_args(Method):
            near = did_you_mean(method, get_args(Method)) if isinstance(method, str) else ""
            raise InputError(
                f"method must be 'definetti' or 'foreground', but got {method!r}{near}"
            )
        for name, number in (("smoothing", smoothing), ("tolerance", tolerance)):
            fine = isinstance(number, int | float | np.number) and not isinstance(number, bool)
            if number is not None and (not fine or not 0 <= number < np.inf):
                raise InputError(f"{name} must be a number from 0 up, but got {number!r}")
        if smoothing == 0:
            raise InputError(
                "smoothing must be above 0: without any, a value that nobody with a secret was "
                "believed to have would rule the secret out; take a small one, such as 0.01"
            )
        for name, count, least in (("rounds", rounds, 1), ("steps", steps, 0)):
            whole = isinstance(count, int | np.integer) and not isinstance(count, bool)
            if count is not None and (not whole or count < least):
                raise InputError(f"{name} must be a whole number from {least} up, got {count!r}")
        if method == "foreground" and rounds not in (None, 1):
            raise InputError(
                f"rounds={rounds}: foreground knowledge is learnt once; method='definetti' goes on"
            )
        once = method == "foreground"
        return cls(
            method=method, chosen=by is not None, steps=int(steps),
            smoothing=None if smoothing is None else float(smoothing),
            rounds=1 if once else int(rounds or _ROUNDS),
            tolerance=np.inf if once else float(tolerance),
        )  # fmt: skip

    def learn(
        self, groups: Groups, release: Release | Permuted, which: list[int],
        sizes: Sequence[int], progress: bool | None,
    ) -> Learned:  # fmt: skip
        """Learn from the columns named, by the method."""
        # A value beyond the domain is one that the release does not know.
        codes = np.where(groups.tuples < np.array(sizes), groups.tuples, -1).astype(np.int32)
        names = [release.quasi[j].name for j in which]
        if self.method == "definetti":
            knowledge = self._knowledge(groups, release, tuple(names), codes[:, which])
        elif self.chosen:
            together = _together(codes[:, which])
            knowledge = self._knowledge(groups, release, (" × ".join(names),), together)
        else:
            each = [
                self._knowledge(groups, release, (name,), codes[:, [j]])
                for name, j in zip(names, which, strict=True)
            ]
            sheets = [groups.sheet(one.codes, 0) for one in each]
            models = [
                one.learnt(sheet, groups.shares) for one, sheet in zip(each, sheets, strict=True)
            ]
            knowledge = max(models, key=lambda model: told(groups, model)).knowledge
        return learned(groups, knowledge, rounds=self.rounds, tolerance=self.tolerance,
                       steps=self.steps, progress=progress)  # fmt: skip

    def _knowledge(
        self, groups: Groups, release: Release | Permuted, names: tuple[str, ...],
        codes: NDArray[np.int32],
    ) -> Knowledge:  # fmt: skip
        occurring = int((release.totals > 0).sum())
        smoothing = float(release.totals.sum() / occurring)
        if self.smoothing is not None:
            smoothing = self.smoothing
        return Knowledge.of(groups, names, codes, release.totals, smoothing)


def _together(codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Several columns as one; what is not known in one of them is not known."""
    known = (codes >= 0).all(axis=1)
    found = np.full((len(codes), 1), -1, dtype=np.int32)
    if known.any():
        found[known, 0] = combined(list(codes[known].T.astype(np.int64)))[1]
    return found


def _known_people(
    release: Release | Permuted, microdata: Microdata | None, people: Any, names: list[str],
    identifier: str | None,
) -> External:  # fmt: skip
    """Whom the attacker knows."""
    if people is not None:
        return external_of(people, names, identifier, what="people")
    if microdata is not None:
        if not isinstance(microdata, Microdata):
            raise InputError(
                "microdata must be the original as read_csv or read_table returns it, but got a "
                f"{type(microdata).__name__}; a table of people without secrets is people="
            )
        return external_of(microdata, names, identifier)
    if isinstance(release, Release):
        raise InputError(
            f"the release by {release.made_by} generalizes people's values, and this attacker "
            "knows them: give the original, microdata, or a table of the people, people="
        )
    return External(
        source=f"the release by {release.made_by}", columns={}, name=None,
        rows=np.arange(len(release)),
    )  # fmt: skip


def _in_groups(
    release: Permuted, codes: NDArray[np.int32]
) -> tuple[Groups, NDArray[np.int64], NDArray[np.int64]]:
    """The groups of a permuted release, the tuple of each person, and why some have none."""
    groups, _ = groups_of_permuted(release)
    _, number = distinct_points(np.concatenate([groups.tuples, codes]))
    place = np.full(int(number.max()) + 1, NOWHERE)
    place[number[: len(groups.tuples)]] = np.arange(len(groups.tuples))
    tuple_of = place[number[len(groups.tuples) :]]
    return groups, tuple_of, tuple_of[tuple_of < 0]


def _in_classes(
    release: Release, placing: Placing, codes: NDArray[np.int32]
) -> tuple[Groups, NDArray[np.int64], NDArray[np.int64]]:
    """The classes of a generalized release with their people, and the same."""
    # Nobody can tell apart classes that publish the same cells.
    _, box_of_class = boxes_of(release.quasi, release.regions)
    first = np.unique(box_of_class, return_index=True)[1]
    counts = np.zeros((len(first), release.sensitive.size), dtype=np.int64)
    np.add.at(counts, box_of_class, release.counts)
    some, tuple_of = distinct_points(codes)
    people = np.bincount(tuple_of)
    seating = seated(
        codes[some], people, [region.take(first) for region in placing.regions], placing.sizes,
        [whole[first] for whole in placing.everything], counts.sum(axis=1),
    )  # fmt: skip
    if not (seating.class_of >= 0).any():
        raise InputError(
            f"nobody's class in the release by {release.made_by} can be told: "
            + _why_nobody(seating.class_of)
        )
    groups = groups_of_classes(codes[some], people, seating, counts, first)
    class_of = seating.class_of[tuple_of]
    return groups, np.where(class_of >= 0, tuple_of, -1), class_of[class_of < 0]


def _why_nobody(class_of: NDArray[np.int64]) -> str:
    if (class_of == NOWHERE).all():
        return "its cells cover none of the people; give the people whose records they are"
    if (class_of == DOUBTED).any():
        return (
            "its classes cover more people than they have records; give the people who are in "
            "the table, and nobody else"
        )
    return "its cells overlap, and several may have everybody; relative_risk samples who is where"
