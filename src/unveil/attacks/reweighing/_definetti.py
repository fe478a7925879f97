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
the EM algorithm, and what is published becomes likelier in every round. The details are
our own, and may differ from the paper's: beliefs are whole posteriors, and not one world picked
for each group, for that is what lets the likelihood never fall.

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
approximation, whose error can be a tenth where people differ much, and which is said. Where
cells overlap, only people whose class can be told are guessed; `relative_risk` samples what is
left open, and is a Bayesian answer to the same question.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.people import Placing, known_columns, truth_of, with_candidates
from unveil.attacks.reweighing._asked import TOLERANCE, Asked, Method
from unveil.attacks.reweighing._beliefs import Views, judged
from unveil.attacks.reweighing._finding import DeFinetti
from unveil.attacks.reweighing._groups import STEPS, groups_of_permuted
from unveil.attacks.reweighing._people import in_classes, in_groups, known_people
from unveil.attacks.reweighing._seating import DOUBTED, NOWHERE, UNDECIDED
from unveil.errors import InputError
from unveil.microdata import (
    AnyRelease,
    Mapped,
    Microdata,
    Permuted,
    Release,
    checked_mapping,
    refuse_perturbed,
)
from unveil.options import MissingPeople, Unknown

__all__ = ["definetti"]


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
    tolerance: float = TOLERANCE,
    steps: int = STEPS,
    columns: Mapping[str, str] | None = None,
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
        for all, and always for groups of more than 2²⁴ states.
    columns : mapping of str to str, optional
        What ``people`` call the release's columns, where they have other names for them.
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
    [['cancer', 0.5, 0.84, 0.61], ['cold', 0.17, 0.06, 0.16], ['flu', 0.33, 0.1, 0.23]]
    """
    asked = Asked.checked(method, by, smoothing, rounds, tolerance, steps)
    published = with_candidates(release, "the deFinetti attack")
    if isinstance(published, Release):
        refuse_perturbed(published, [published.sensitive], "the deFinetti attack")
    if not len(published):
        raise InputError(f"the release by {published.made_by} has no records to learn from")
    names = known_columns([published], None)
    said = checked_mapping(mapping, names)
    asked.columns(names)
    known = known_people(published, microdata, people, names, identifier, columns)
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
        placing = Placing.of(published, [known], recode=said, unknown=unknown, missing=missing)
        kept = placing.kept(known)
        known, truth = known.take(kept), None if truth is None else truth.take(kept)
        codes, notes, sizes = placing.codes[0][kept], list(placing.notes), list(placing.sizes)
        if isinstance(published, Permuted):
            groups, tuple_of, left = in_groups(published, codes)
        else:
            groups, tuple_of, left = in_classes(published, placing, codes)
    groups.check_size()
    found = asked.learn(groups, published, sizes, progress)
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
