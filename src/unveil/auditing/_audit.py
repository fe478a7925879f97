"""One call for everything: the attacks and measures that fit, on every release in turn.

Releases and attacks are not done side by side: the slow ones use all cores themselves.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from unveil._faults import contained
from unveil._memory import limited
from unveil.attacks.shared import adversaries_named, seed_number
from unveil.auditing._discretion import SMALLEST, Discretion, new_key
from unveil.auditing._finding import Audit, Audited, Looked, OneSecret, Status
from unveil.auditing._grounds import Ground, grounds_of, known_of, partitions_of
from unveil.auditing._subjects import Subject, of_their_secrets, subjects_of
from unveil.auditing._thresholds import State, Threshold, thresholds_of
from unveil.auditing.parts import DEFAULT, PARTS, Asked, Part, by_default
from unveil.engine import (
    Budget,
    Forecast,
    Step,
    StepsShown,
    checkpointed,
    current_run,
    kept,
    parse_budget,
    parse_memory,
    within,
)
from unveil.errors import (
    InputError,
    InternalError,
    Listed,
    MissingExtraError,
    Option,
    UnveilError,
    did_you_mean,
)
from unveil.findings import Value
from unveil.microdata import Microdata
from unveil.options import Run as RunOption
from unveil.options import StrictColumns, Tolerance, check, going_on, units_of
from unveil.render import Coarseness
from unveil.sanitize import Identity, Sanitizer

MAKING = "making the release"
BASELINE = "the table as it is"

_ALWAYS = 0.01  # seconds of the smallest table
_USUAL = 4.0  # seconds that a budget of work takes, more or less
_MICROSECONDS = {  # a record
    MAKING: 2.0,
    "differential-inference": 16.0,
    "inference": 10.0,
    "relative-risk": 5.0,
    "definetti": 60.0,
    "minimality": 60.0,
    "linkage": 2.5,
    "membership": 60.0,
    "measures": 1.5,
    "discrimination-rate": 2.0,
    "utility": 1.5,
    "remedies": 5.0,
}
_ONCE = {MAKING: 0.05, "differential-inference": 0.1, "relative-risk": 0.5, "linkage": 0.05}
_COMPILING = {  # seconds, of a family of releases or of the first one of any
    (MAKING, "Mondrian"): 16.0,
    (MAKING, "Anatomy"): 1.5,
    (MAKING, "Recoding"): 2.0,
    ("differential-inference", "Mondrian"): 7.0,
    ("relative-risk", "Identity"): 5.0,
    ("relative-risk", "Anatomy"): 4.0,
    ("relative-risk", "Recoding"): 2.5,
    ("linkage", "Identity"): 5.0,
}


def steps_of(subjects: Sequence[Subject], parts: Sequence[Part], asked: Asked) -> list[Step]:
    """In the order in which they are done: each release, and the parts that look at it."""
    names = [MAKING, *(part.name for part in parts)]
    return [
        replace(
            step_of_release(subject, name, asked.options.get(name, {})),
            once=_ONCE.get(name, 0.0) if number == 0 else 0.0,
        )
        for number, subject in enumerate(subjects)
        for name in names
    ]


def step_of_release(subject: Subject, name: str, options: Mapping[str, Any]) -> Step:
    """What a part takes, or making the release, where the user gave the part these options."""
    family = "published" if subject.sanitizer is None else type(subject.sanitizer).__name__
    each = _MICROSECONDS.get(name, 10.0) * _fineness(subject.sanitizer)
    seconds = _ALWAYS + 1e-6 * each * subject.records
    at_most = None
    budget = PARTS[name].budget if name in PARTS else None
    if budget is not None and _takes_its_budget(name, subject):
        option, usual = budget
        given = options.get(option, usual)
        if given is not None:
            seconds = at_most = _budget_of(name, given).seconds or _USUAL
    return Step(
        kind=(name, family), seconds=seconds, at_most=at_most,
        compiling=_COMPILING.get((name, family), 0.0),
    )  # fmt: skip


def _budget_of(name: str, given: Any) -> Budget:
    """The budget of a part, in one of its units."""
    found = parse_budget(given, units_of(PARTS[name].declaration.options()["budget"].annotation))
    assert found is not None
    return found


def _takes_its_budget(name: str, subject: Subject) -> bool:
    """Whether a part is of the slow kind: the sanitizer is run again and again, or is sampled."""
    sanitizer, table = subject.sanitizer, subject.microdata
    if sanitizer is None or table is None:
        return False
    quick = sanitizer.leaves_out(table) or (sanitizer.row_by_row and table.several is None)
    return sanitizer.is_random or (name == "differential-inference" and not quick)


def _fineness(sanitizer: Sanitizer | None) -> float:
    """Large classes are few, and looked at sooner: as was seen with a series of k."""
    k = getattr(sanitizer, "k", None) or 1
    return max(0.1, 1 - math.log2(k) / 8)


class Run:
    """The work, with what has been done kept when the user ends it."""

    def __init__(
        self, *, asked: Asked, parts: Sequence[Part], thresholds: Sequence[Threshold],
        progress: bool | None, baseline: bool = True, strict_columns: bool = False,
    ) -> None:  # fmt: skip
        self._asked, self._thresholds = asked, thresholds
        self._parts = [*parts, *_always_besides(parts)]
        self._never = _never(self._parts, strict_columns)
        self._progress, self._wants_baseline = progress, baseline
        self.interrupted = False
        self.seconds = 0.0

    def over(
        self, grounds: Sequence[Ground], subjects: Sequence[Sequence[Subject]]
    ) -> list[OneSecret]:
        """Look at the subjects of each ground, one after the other."""
        begun = time.perf_counter()
        baselines = [self._baseline(*pair) for pair in zip(grounds, subjects, strict=True)]
        everything = [
            subject
            for some, baseline in zip(subjects, baselines, strict=True)
            for subject in (*some, *baseline)
        ]
        forecast = Forecast(steps_of(everything, self._parts, self._asked))
        secrets = []
        with StepsShown(forecast, self._progress) as steps:
            for ground, some, baseline in zip(grounds, subjects, baselines, strict=True):
                audited = [
                    self._judged(self._one(subject, steps, alone=len(some) == 1))
                    for subject in some
                ]
                beside = [self._one(_as_published(one, audited), steps) for one in baseline]
                secrets.append(
                    OneSecret(
                        ground=ground, audited=audited,
                        baseline=next((one for one in beside if one.error is None), None),
                    )
                )  # fmt: skip
        self.seconds = time.perf_counter() - begun
        return secrets

    def _baseline(self, ground: Ground, subjects: Sequence[Subject]) -> list[Subject]:
        """The table as it is, to compare with; none if it is among what is audited."""
        if not self._wants_baseline or any(isinstance(o.sanitizer, Identity) for o in subjects):
            return []
        if ground.original is None:
            return []
        return [Subject(name=BASELINE, ground=ground, sanitizer=Identity())]

    def _judged(self, audited: Audited) -> Audited:
        checks = audited.checked(self._thresholds)
        if audited.error is None:
            # Nothing passes by these alone, so they are told where they do not hold.
            bad = {State.FAILS, State.NOT_KNOWN} if checks else {State.FAILS}
            never = [one for one in self._never if one not in self._thresholds]
            if audited.subject.microdata is None:  # what it would tell is assumed, and said
                never = [one for one in never if one.figure.name in audited.values]
            checks += [one for one in audited.checked(never) if one.state in bad]
        return replace(audited, checks=checks)

    def _one(self, subject: Subject, steps: StepsShown, *, alone: bool = False) -> Audited:
        steps.begin(f"{subject.name}: {MAKING}")
        failed = None if self.interrupted else self._make(subject)
        error = None if failed is None else failed.message
        steps.done()
        looked: dict[str, Looked] = {}
        for part in self._parts:
            steps.begin(f"{subject.name}: {part.name}")
            if error is None:
                looked[part.name] = self._look(part, subject)
            steps.done()
        values: dict[str, Value] = {}
        for part in self._parts:
            found = looked.get(part.name)
            if found is not None and found.finding is not None:
                values |= part.values(found.finding)
        discretion = self._asked.discretion
        coarse = Coarseness(
            people=subject.people, smallest=discretion.smallest, exact=discretion.private,
            # Of several candidates that are made here, one at most will be published.
            published=alone or subject.kind == "release",
            alone=subject.microdata is None and self._asked.external is None,
            blind=subject.sanitizer is not None and not subject.sanitizer.looks_at_secrets,
        )  # fmt: skip
        return Audited(
            subject=subject, looked=looked, values=values, error=error, coarse=coarse,
            internal=isinstance(failed, InternalError),
        )  # fmt: skip

    def _make(self, subject: Subject) -> UnveilError | None:
        """Have the release made once; why not, if it cannot be."""
        try:
            with contained(), within(subject.ground.sensitive, subject.name):
                subject.have_made(self._asked.seconds)
        except UnveilError as failed:
            return failed
        except KeyboardInterrupt:
            self.interrupted = True
        return None

    def _look(self, part: Part, subject: Subject) -> Looked:
        if self.interrupted:
            return Looked(status="interrupted", why="the audit was interrupted before it")
        with within(subject.ground.sensitive, subject.name, part.name):
            earlier = kept("looked", shared=subject.shared)
            looked = earlier.last()
            if isinstance(looked, Looked):
                return looked
            looked = self._looked(part, subject)
            # What failed may succeed the next time, with more memory.
            if not self.interrupted and looked.status != "failed":
                earlier.add(looked)
            return looked

    def _looked(self, part: Part, subject: Subject) -> Looked:
        begun = time.perf_counter()
        status: Status = "not applicable"
        internal = False
        quiet = replace(self._asked, progress=False)
        try:
            with contained():
                finding = part.look(subject, quiet)
        except KeyboardInterrupt:
            self.interrupted = True
            return Looked(status="interrupted", why="interrupted by the user")
        except InputError as error:
            why = error.message
        except MissingExtraError:
            raise
        except UnveilError as error:
            status, why, internal = "failed", error.message, isinstance(error, InternalError)
        else:
            if getattr(finding, "interrupted", False):
                self.interrupted = True
            return Looked(status="done", finding=finding, seconds=time.perf_counter() - begun)
        return Looked(status=status, why=why, internal=internal,
                      seconds=time.perf_counter() - begun)  # fmt: skip


def audit(
    microdata: Microdata | Sequence[Microdata] | None,
    releases: Any = None,
    *,
    external: Any = None,
    identifier: str | Sequence[str] = (),
    attacks: Iterable[str] | Mapping[str, Mapping[str, Any]] | None = None,
    fail_on: str | Threshold | Iterable[str | Threshold] | None = None,
    knows: str | Sequence[str] | None = None,
    partitions: Mapping[str, Any] | None = None,
    adversary: Any = None,
    tolerance: Tolerance = None,
    strict_columns: StrictColumns = False,
    baseline: bool = True,
    private: bool = False,
    smallest: int = SMALLEST,
    key: str | None = None,
    seed: int = 0,
    jobs: int | None = None,
    memory_limit: str | int | None = None,
    progress: bool | None = None,
    run: RunOption = None,
) -> Audit:
    """Attack and measure every release, under one threat model.

    Parameters
    ----------
    microdata : Microdata, or sequence of Microdata
        The original table: the attacker knows its quasi-identifiers and wants to know its
        sensitive column. Several are the same table with other sensitive columns, each tested in
        turn: the others are then neither known to the attacker nor published. None where nobody
        has it: then releases that were read without it are audited alone (`read_release`,
        `read_anatomy`), and the report says what the original would add.
    releases : optional
        What is audited: a release, a sanitizer, a name such as ``"mondrian:k=5"``, a series such
        as ``"mondrian:k=2..64"``, a list of these, or a mapping of names to them. By default a
        first look: the table as it is, and Mondrian with some k. Without the original, releases
        with several sensitive columns are each tested in turn.
    external : Microdata, pandas, polars or Arrow table, mapping, or path, optional
        The people whom the attacker knows, for attacks that look for them; see `linkage`. By
        default those of the original.
    identifier : str or sequence of str
        Columns that name people: in ``external``, and without the original in what was published.
    attacks : names, or mapping of names to options, optional
        Which attacks and measures, or ``"all"``; by default those that are quick and fit. Options
        are those of the attack's own function, such as ``{"relative-risk": {"beta": 0.1}}``.
    fail_on : str, Threshold, or several, optional
        What makes a release fail: ``"delta > 0.05"``, ``"k < 5"``. Without thresholds there is no
        verdict, only what was found; but a release that publishes identifiers fails in any case.
    knows : str or sequence of str, optional
        The quasi-identifiers that the attacker knows, of those that are published; by default all.
        Attacks that have no form for an attacker who knows fewer say so, and give no number.
    partitions : mapping of str to any, optional
        Categories of sensitive columns, by their names, for the discrimination rate; see
        `Partition.of`.
    adversary : optional
        Who guesses; see `differential_inference`.
    tolerance : str or float, optional
        How far a guess of a numeric sensitive value may be off and still be right, in every attack
        that guesses; see `inference`.
    strict_columns : bool
        Let a release fail that publishes a column without a role. Otherwise such columns are
        listed, and assumed unknown to the attacker.
    baseline : bool
        Show the same figures of the table as it is beside those of the releases. No threshold
        applies to it.
    private : bool
        Make page, JSON and texts for the owner of the table: with exact numbers, curves person by
        person and original records. They say that they must not be handed on. By default they are
        for others, with ranges instead, and references that only the owner can resolve.
    smallest : int
        Groups of fewer people, and values that fewer people have, are masked in the report.
    key : str, optional
        Of the references, 64 hexadecimal digits; by default a new one (`Audit.key`).
    seed, jobs, progress
        As for the attacks.
    memory_limit : str or int, optional
        Most memory for this process, such as ``"4 GB"`` or a number of bytes; on Linux. Parts that
        do not fit fail alone, with an estimate. No worker processes are started then. An oracle
        has a limit of its own (`Oracle.memory`).
    run : path, optional
        Folder in which to keep what was found so far: the same call goes on from there after an
        interruption. It has private data.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.datasets.election_survey()
    >>> found = uv.audit(survey, "mondrian:k=5,20", attacks=["measures", "utility"],
    ...                  fail_on=["k < 10", "loss > 50%"])
    >>> found.passed
    False
    >>> [(one.name, one.passed) for one in found.releases]
    [('Mondrian(k=5)', False), ('Mondrian(k=20)', True)]

    A published file, and nothing else:

    >>> published = {"age": ["30-39"] * 4 + ["40-49"] * 4, "vote": ["a", "b"] * 4}
    >>> release = uv.read_release(published, quasi="age", sensitive="vote")
    >>> uv.audit(None, release, fail_on="k < 3").passed
    True
    """
    if memory_limit is not None:
        given = {**locals(), "memory_limit": None}
        with limited(parse_memory(memory_limit)):
            return audit(**given)
    if run is not None and current_run() is None:
        return going_on(audit, **locals())
    grounds = grounds_of(microdata, releases)
    seed = seed_number(seed)
    if adversary is not None:  # refused now, not in each attack
        adversaries_named(adversary, seed)
    check("tolerance", Tolerance, tolerance)
    check("strict_columns", StrictColumns, strict_columns)
    wanted, options = _parts(attacks)
    thresholds = thresholds_of(fail_on)
    discretion = Discretion(
        key=key or checkpointed("key", compute=new_key), private=private, smallest=smallest
    )
    asked = Asked(
        adversary=adversary, seed=seed, jobs=jobs, progress=progress, discretion=discretion,
        options=options, knows=known_of(knows, grounds[0]), tolerance=tolerance,
        partitions=partitions_of(partitions, grounds), external=external,
        identifier=(identifier,) if isinstance(identifier, str) else tuple(identifier),
        roled=tuple(ground.sensitive for ground in grounds), least=_least(thresholds),
    )  # fmt: skip
    subjects = of_their_secrets(
        [
            [replace(one, seed=seed) for one in subjects_of(releases, ground, discretion.key)]
            for ground in grounds
        ],
        grounds,
    )
    if attacks is None:
        wanted = by_default({one.publishes for some in subjects for one in some})
    _check_thresholds(thresholds, [*wanted, *_always_besides(wanted)])
    work = Run(asked=asked, parts=wanted, thresholds=thresholds, progress=progress,
              baseline=baseline, strict_columns=strict_columns)  # fmt: skip
    secrets = work.over(grounds, subjects)
    return Audit(
        secrets=tuple(sorted(secrets, key=lambda one: one.badness(), reverse=True)),
        parts=tuple(wanted), thresholds=tuple(thresholds), asked=asked,
        interrupted=work.interrupted, seconds=work.seconds,
    )  # fmt: skip


def _as_published(baseline: Subject, audited: Sequence[Audited]) -> Subject:
    """The baseline, with its sensitive column at the level of the releases if that is one."""
    read = [one.subject for one in audited if one.error is None]
    levels = [one.level if one.level is not None and one.level.in_short else None for one in read]
    first = next((level for level in levels if level is not None), None)
    if first is None:
        return baseline
    secret = baseline.ground.sensitive
    if any(level is None or level.column.texts != first.column.texts for level in levels):
        return replace(baseline, name=f"{BASELINE}, with exact {secret}")
    return replace(
        baseline, name=f"{BASELINE}, with {secret} {first.in_short}",
        ground=replace(baseline.ground, original=read[0].at_level),
    )  # fmt: skip


def _least(thresholds: Sequence[Threshold]) -> int | None:
    """The size that classes should have, by the thresholds on it."""
    wanted = [
        math.floor(one.bound) + (one.sign == "<=") if one.bound == math.floor(one.bound)
        else math.ceil(one.bound)
        for one in thresholds if one.figure.name == "k" and one.sign in ("<", "<=")
    ]  # fmt: skip
    return max(wanted, default=None)


_MANY = {"all": tuple(PARTS), "default": DEFAULT}


def _parts(attacks: Any) -> tuple[list[Part], Mapping[str, Mapping[str, Any]]]:
    if attacks is None:
        return [PARTS[name] for name in DEFAULT], {}
    options = attacks if isinstance(attacks, Mapping) else {}
    if not isinstance(attacks, Iterable):
        raise InputError("{attacks} is not possible: give names, such as {example}, or 'all'",
                         attacks=Option("attacks", attacks), example=repr(DEFAULT[0]))  # fmt: skip
    asked = [attacks] if isinstance(attacks, str) else list(attacks)
    # Options are of one attack each, so whoever gives some names each.
    names = asked if options else [one for name in asked for one in _MANY.get(str(name), (name,))]
    if not names:
        raise InputError(
            "there is no attack to run; name one, or leave attacks out for those that are quick"
        )
    for name in names:
        if name not in PARTS:
            raise InputError(
                "there is no attack {name}{near} (known: {known})", name=repr(name),
                near=did_you_mean(str(name), PARTS), known=Listed([*PARTS]),
            )  # fmt: skip
    for name, given in options.items():
        PARTS[name].check_options(given)
    # In the order of a report, whatever the user's.
    return [part for name, part in PARTS.items() if name in names], options


def _always_besides(parts: Sequence[Part]) -> list[Part]:
    """Parts whose figures every audit has, without those that it has anyway."""
    return [one for one in PARTS.values() if one.declaration.always and one not in parts]


def _never(parts: Sequence[Part], strict_columns: bool) -> list[Threshold]:
    """Thresholds that hold although nobody gave them."""
    found = [
        Threshold(figure=figure, sign=">", bound=figure.never_above)
        for part in parts
        for figure in part.declaration.figures
        if figure.never_above is not None
    ]
    return [*found, Threshold.parse("unroled > 0")] if strict_columns else found


def _check_thresholds(thresholds: Sequence[Threshold], parts: Sequence[Part]) -> None:
    given = {figure for part in parts for figure in part.figures}
    for threshold in thresholds:
        name = threshold.figure.name
        if name not in given:
            giver = next(part.name for part in PARTS.values() if name in part.figures)
            raise InputError(
                "the threshold '{threshold}' needs {giver}, which is not among the attacks asked "
                "for ({asked})",
                threshold=threshold, giver=giver, asked=Listed([part.name for part in parts]),
            )  # fmt: skip
