"""The deFinetti attack, and foreground knowledge: what groups tell about each other.

A group of a release has as many sensitive values as people. *Random worlds* assumes that each of
them is equally likely for everybody in the group: with ℓ different ones, no belief exceeds 1/ℓ.
D. Kifer (*Attacks on privacy and deFinetti's theorem*, SIGMOD 2009) showed that this is wrong.
People of all groups come from one population, and all groups together teach about it: if groups
with many smokers have much cancer, then the smoker of a group is the likelier one to have it. By
de Finetti's theorem, exchangeable records are drawn from an unknown distribution; whoever does not
learn it treats groups as if they told nothing about each other.

The attacker knows everybody's quasi-identifiers (a permuted release publishes them; for a
generalized release, a table of the people is needed). The attack

1. starts with random worlds: b(i, s), the share of value s in the group of person i;
2. *learns* across groups: naive Bayes, P(s) as published and P(a | s) for every column, from
   beliefs counted as parts of people;
3. *re-weighs* within groups. A world gives each person of the group one of its values, so that
   all are used up, and has weight Π P(values of i | s_i); b(i, s) becomes the share of the weight
   of all worlds in which i has s, a ratio of permanents (P(s) is the same in all worlds);
4. repeats from 2 until beliefs settle.

Step 3 is the posterior under the model, and step 2 the most likely model under the posterior: this
is the EM algorithm, and what is published becomes likelier in every round. Details may differ from
the paper's: beliefs are whole posteriors instead of one world picked for each group, because that
is why the likelihood never falls.

*Foreground knowledge* (R. C. Wong, A. W. Fu, K. Wang, P. S. Yu, J. Pei, *Can the utility of
anonymized data be used for privacy breaches?*, TKDD 2011) is learnt from the release as well: the
distribution of sensitive values for each value of an attribute, or of several together. Worlds are
weighed by it once: steps 1 to 3 with one attribute. By default it is the column that tells most
about the groups that it was not learnt from.

*Assumptions*: the model is about right (columns are independent given the sensitive value; numbers
are categories as everywhere here, so fine ones are better quantized first), who is in which group
does not depend on the sensitive value, and the people are known. The model is learnt from the same
people who are guessed.

*Limits*: a group's beliefs are exact if that takes few enough steps; otherwise they are Bethe's
approximation, whose error can be a tenth where people differ much. The finding says so. Where cells
overlap, only people whose class is certain are guessed; `relative_risk` samples the rest, and is a
Bayesian answer to the same question.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import inf
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt, Lt
from numpy.typing import NDArray

from unveil.attacks.definetti._finding import DeFinetti
from unveil.attacks.definetti._groups import (
    DOUBTED,
    NOWHERE,
    UNDECIDED,
    Groups,
    groups_of_permuted,
    in_classes,
    in_groups,
)
from unveil.attacks.definetti._learning import VIEWS, Model, Views, learned, told
from unveil.attacks.people import (
    External,
    Placing,
    external_of,
    known_columns,
    truth_of,
    with_candidates,
)
from unveil.attacks.tolerance import near_of
from unveil.engine.counting import combined
from unveil.errors import Call, File, InputError, Option, Text
from unveil.microdata import (
    AnyRelease,
    Microdata,
    Permuted,
    Release,
    checked_mapping,
    refuse_perturbed,
)
from unveil.options import (
    Help,
    MissingPeople,
    Progress,
    Recode,
    Rename,
    Shell,
    Tolerance,
    Unknown,
    by_row,
    checked,
    names,
)

_ROUNDS = 100
_ALL_STEPS = 2**32  # more than any group takes that fits into memory

_Method = Annotated[
    Literal["definetti", "foreground"],
    Help("Learn and re-weigh with all columns until beliefs settle; or once, with one attribute."),
]
_By = Annotated[
    str | Sequence[str] | None,
    Help(
        "Quasi-identifiers to learn from: each by itself (definetti; default: all), or all of them "
        "together as one attribute (foreground; default: the column that tells most about groups "
        "that it was not learnt from)."
    ),
    Shell(parse=names, metavar="COLUMNS"),
]
_Smoothing = Annotated[
    float | None,
    Gt(0),
    Lt(inf),
    Help(
        "λ: weight of the prior of each sensitive value, as a number of people whose values are "
        "distributed like everybody's. Default: records per sensitive value, so that what is "
        "learnt counts one half, because nobody's value is known. With much less the model learns "
        "small tables by heart."
    ),
    Shell(metavar="N"),
]
_Rounds = Annotated[
    int | None,
    Ge(1),
    Help("Maximum number of rounds. Default: 100; foreground knowledge has one."),
    Shell(metavar="N"),
]
_Settled = Annotated[
    float,
    Ge(0),
    Lt(inf),
    Help(
        "Beliefs have settled if they move by less in a round, on average over people (total "
        "variation)."
    ),
    Shell(metavar="N"),
]
_Steps = Annotated[
    int,
    Ge(0),
    Help(
        "Number of steps per person that an exact answer about a group may take. 0: Bethe's "
        "approximation for all groups; it is always used for groups of more than 2²⁴ states."
    ),
    Shell(metavar="N"),
]


@checked
@by_row(
    "its model gives out the values of a group row by row, as if all were of different people",
    instead=["inference", "differential_inference"],
)
def definetti(
    release: AnyRelease,
    microdata: Microdata | None = None,
    *,
    external: Any = None,
    identifier: str | None = None,
    method: _Method = "definetti",
    by: _By = None,
    smoothing: _Smoothing = None,
    rounds: _Rounds = None,
    settled: _Settled = 1e-3,
    tolerance: Tolerance = None,
    steps: _Steps = 4096,
    rename: Rename = None,
    recode: Recode = None,
    unknown: Unknown = "error",
    missing_people: MissingPeople = "error",
    record_of: Sequence[int] | NDArray[Any] | None = None,
    progress: Progress = None,
) -> DeFinetti:
    """Learn across the groups of a release which person of a group has which sensitive value.

    Parameters
    ----------
    release : Release or Permuted
    microdata : Microdata, optional
        The original. Its quasi-identifiers are what the attacker knows, unless ``external`` is
        given; its sensitive values are used only to tell afterwards who was guessed right.
    external : Microdata, pandas, polars or Arrow table, mapping, or path, optional
        The people whom the attacker knows, one row per person, with the release's
        quasi-identifiers. A permuted release has them itself. A generalized release needs them or
        the microdata, and all of its people; otherwise some records belong to strangers.
    identifier : str, optional
        The column that names people. Default: that of ``microdata``.
    record_of : sequence of int, optional
        With both ``external`` and ``microdata``, instead of names: everybody's record in the
        original, counted from 0, and -1 for people who are not in it.

    Returns
    -------
    DeFinetti

    Examples
    --------
    Four groups of two: who smokes is published, and one disease per person, but not whose it is.

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
    once = method == "foreground"
    if once and rounds not in (None, 1):
        raise InputError(
            "{rounds} must be 1 for foreground knowledge, which is learnt once, got {given}; "
            "for several rounds take {method}",
            rounds=Option("rounds"), given=rounds, method=Option("method", "definetti"),
        )  # fmt: skip
    published = with_candidates(release, "the deFinetti attack")
    if isinstance(published, Release):
        refuse_perturbed(published, [published.sensitive], "the deFinetti attack")
    if not len(published):
        raise InputError(
            "the release by {made_by} has no records to learn from",
            made_by=File(published.made_by, bare=True),
        )
    there = known_columns([published], None)
    learnt_from = known_columns([published], by, "by")
    said = checked_mapping(recode, there)
    known = _known_people(published, microdata, external, there, identifier, rename)
    truth = truth_of(
        published, known, microdata if external is None else external, microdata,
        identifier=identifier, record_of=record_of,
    )  # fmt: skip
    near = near_of(microdata, published.sensitive.name, tolerance)
    started = time.perf_counter()
    notes: Sequence[Text] = ()
    left, sizes = np.zeros(0, dtype=np.int64), [column.size for column in published.quasi]
    if external is None and microdata is None:
        assert isinstance(published, Permuted)
        groups, tuple_of = groups_of_permuted(published, apart=True)
    else:
        placing = Placing.of(
            published, [known], recode=said, unknown=unknown, missing=missing_people
        )
        kept = placing.kept(known)
        known, truth = known.take(kept), None if truth is None else truth.take(kept)
        codes, notes, sizes = placing.codes[0][kept], placing.notes, list(placing.sizes)
        if isinstance(published, Permuted):
            groups, tuple_of, left = in_groups(published, codes)
        else:
            groups, tuple_of, left = in_classes(published, placing, codes)
    groups.check_size()
    # A value beyond the domain is one that the release does not know.
    codes = np.where(groups.tuples < np.array(sizes), groups.tuples, -1).astype(np.int32)
    model = _model(
        groups, published, {name: codes[:, there.index(name)] for name in learnt_from}, smoothing,
        together=once and by is not None, best=once and by is None,
    )  # fmt: skip
    found = learned(
        groups, model, rounds=1 if once else rounds or _ROUNDS,
        tolerance=inf if once else float(settled), steps=min(int(steps), _ALL_STEPS),
        progress=progress,
    )  # fmt: skip
    views = Views.of(groups, found, published.sensitive.size)
    n = len(known)
    secret = np.full(n, -1) if truth is None else truth.of_people(truth.secrets, -1)
    in_table = np.zeros(n, dtype=bool) if truth is None else truth.is_known
    of_release = None if near is None else near.on(published.sensitive)
    three: Any = {
        name: views.judged(name, tuple_of, secret, in_table, of_release) for name in VIEWS
    }
    return DeFinetti(
        release=published, people=known, method=method, groups=groups, learned=found,
        views=views, tuple_of=tuple_of, secret=secret, in_table=in_table, near=near, **three,
        nowhere=int((left == NOWHERE).sum()), undecided=int((left == UNDECIDED).sum()),
        doubted=int((left == DOUBTED).sum()), seconds=time.perf_counter() - started,
        notes=tuple(dict.fromkeys(
            (*published.notes, *known.notes, *notes, *(near.notes if near else ()))
        )),
    )  # fmt: skip


def _known_people(
    release: Release | Permuted, microdata: Microdata | None, external: Any, columns: list[str],
    identifier: str | None, rename: Rename,
) -> External:  # fmt: skip
    """The people whom the attacker knows."""
    if external is not None:
        return external_of(external, columns, identifier, rename=rename)
    if rename is not None:
        raise InputError(
            "{rename} says what a table of people calls columns; give that table as {external}",
            rename=Option("rename"), external=Option("external"),
        )  # fmt: skip
    if isinstance(microdata, Microdata):
        return external_of(microdata, columns, identifier)
    if microdata is not None:
        raise InputError(
            "{microdata} must be the original as {read_table} returns it, but got a {kind}; give a "
            "table of people without sensitive values as {external}",
            microdata=Option("microdata"), read_table=Call("read_table"),
            kind=type(microdata).__name__, external=Option("external"),
        )  # fmt: skip
    if isinstance(release, Release):
        raise InputError(
            "the release by {made_by} generalizes people's values, and this attacker knows them; "
            "give the original, {microdata}, or a table of the people, {external}",
            made_by=File(release.made_by, bare=True), microdata=Option("microdata"),
            external=Option("external"),
        )  # fmt: skip
    return External(
        source=f"the release by {release.made_by}", columns={}, name=None,
        rows=np.arange(len(release)),
    )  # fmt: skip


def _model(
    groups: Groups, release: Release | Permuted, columns: dict[str, NDArray[np.int32]],
    smoothing: float | None, *, together: bool, best: bool,
) -> Model:  # fmt: skip
    """A model that knows people by each column, all of them together, or the best one alone."""
    occurring = int((release.totals > 0).sum())
    strength = float(release.totals.sum() / occurring) if smoothing is None else float(smoothing)

    def of(names: Sequence[str], codes: NDArray[np.int32]) -> Model:
        return Model.of(groups, tuple(names), codes, release.totals, strength)

    codes = np.stack(list(columns.values()), axis=1)
    if together:
        return of([" × ".join(columns)], _together(codes))
    if not best:
        return of(list(columns), codes)
    each = [of([name], column[:, None]) for name, column in columns.items()]
    models = [one.learnt(groups.sheet(one.codes, 0), groups.shares) for one in each]
    return max(models, key=lambda model: told(groups, model))


def _together(codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Several columns as one; unknown if one of them is unknown."""
    known = (codes >= 0).all(axis=1)
    found = np.full((len(codes), 1), -1, dtype=np.int32)
    if known.any():
        found[known, 0] = combined(list(codes[known].T.astype(np.int64)))[1]
    return found
