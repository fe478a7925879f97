"""What findings of differential inference tell: one alone, and several beside each other.

Every sentence follows from the numbers; none is written for a particular table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np

from unveil._text import (
    UNTOUCHED,
    counted,
    display_name,
    moved,
    one_in,
    percent,
    percents,
    three_digits,
)
from unveil.attacks.differential import DELTA, MEAN_D, OVER
from unveil.attacks.differential._finding import MAIN_THRESHOLD, DifferentialInference
from unveil.attacks.differential._targets import AT_RANDOM
from unveil.errors import Amount, Cell, Chosen, File, Known, Listed, Message, Person, Text
from unveil.findings import Axis, Chart, Finding, Series, Story, Table, cell, distribution, numbers

_FLOOR = 1e-6  # a log axis has no zero
_WORST = 5  # people in the table of a report
_POINTS = "total variation"
_EXACT = {
    "fast": "every record, exactly",
    "updating": "every record, exactly",
    "general": "exactly, by running the sanitizer again",
    "direct": "computed, without sampling",
}
_CHOSEN = {
    "worst-first": "those who are probably worst off in turn with others drawn at random",
    "random": "drawn at random",
    "stratified": "drawn at random within each sensitive value",
    "exposed": "those first whom the fewest released records cover",
    "chosen": "as chosen",
    "all": "in random order",
}

_Named: TypeAlias = tuple[str, DifferentialInference]


def story_of(finding: DifferentialInference, release: Text | None) -> Story:
    """What one finding tells; with the name of the release where there are several."""
    classes = "counts" if finding.n_classes is None else (
        f"{finding.n_classes:,} classes, the smallest of {finding.smallest_class:,}"
    )  # fmt: skip
    name = release or Message("{name}", name=File(display_name(finding.sanitizer), bare=True))
    any_tested = len(finding.tested) > 0
    return Story(
        title=Message(
            "Differential inference: {sanitizer} on {source}",
            sanitizer=File(finding.sanitizer, bare=True),
            source=File(finding.microdata.source, bare=True),
        ),
        about=[f"release of {classes}"],
        verdict=_verdict(finding, release),
        sentences=[*_meaning(finding), *_attackers(finding)],
        tables=[
            *([_figures(finding)] if any_tested else ()),
            *_worst(finding, release),
            *([_strongest(finding)] if finding.against else ()),
        ],
        charts=[_distances(finding, name), _worst_and_average(finding, name)],
        diagnostics=_diagnostics(finding),
    )


def _verdict(finding: DifferentialInference, release: Text | None) -> Message:
    begin = Message("Under {release}, ", release=release) if release is not None else ""
    tested, share = len(finding.tested), finding.share_over(MAIN_THRESHOLD)
    form = partial(moved, distance=finding.distance)
    if not tested:
        return Message("{begin}{no} one could be tested.", begin=begin,
                       no="no" if begin else "No")  # fmt: skip
    said: Any = one_in(share, tested)
    people: Any = Amount(OVER, share, lambda _: said, ranged=_of_people, people=tested)
    within: Any = ""
    of_mean, whom = "", "person"
    if tested < finding.people:
        over = finding.number_over(MAIN_THRESHOLD)[0]
        said, whom = f"{over or 'none'} of the {tested:,} people tested", "of those tested"
        people = Amount(OVER, share, lambda _: said, ranged=_of_people, people=tested)
        of_mean = " among those tested" if finding.weights is None else ", by an estimate for all"
    if finding.sampling is not None:
        surely, perhaps = finding.number_over(MAIN_THRESHOLD)
        number = f"{surely:,} to {perhaps:,}" if surely < perhaps else f"{surely:,}"
        said = f"{number} of the {tested:,} people tested"
        far, within = (
            " to ".join(moved(bound, finding.distance) for bound in bounds)
            for bounds in (finding.mean_within(), finding.delta_within())
        )
        of_mean, within = f"{of_mean} (as far as sampling can tell, {far})", f" ({within})"
    return Message(
        "{begin}{removing} their {own} changes what an attacker ({who}) believes about "
        "{people} by more than {by}. Belief moves by {mean} on average{of_mean}, and by {delta} "
        "for the worst-placed {whom}{within}{by_whom}.",
        begin=begin, removing="removing" if begin else "Removing", people=people, within=within,
        own=_own(finding),
        of_mean=of_mean, whom=whom, who=Known(finding.adversary.label),
        by_whom=Chosen(_by_whom(finding), instead=""),
        by=Known(moved(MAIN_THRESHOLD, finding.distance)),
        mean=Amount(MEAN_D, finding.mean, form, people=tested),
        delta=Amount(DELTA, finding.delta, form),
    )  # fmt: skip


def _own(finding: DifferentialInference) -> str:
    """What is left out of a person."""
    return "own record" if finding.farthest is None else "own records"


def _of_people(low: float, high: float) -> str:
    """A share of people as a range."""
    return f"{percents(low, high)} of the people"


def _by_whom(finding: DifferentialInference) -> str:
    """Whose belief moves that far, if there are several attackers."""
    if finding.strongest is None:
        return ""
    return f", against {finding.moved_most}"


def _meaning(finding: DifferentialInference) -> list[Text]:
    if not len(finding.tested):
        return []
    secret = finding.microdata.sensitive.name
    several = finding.farthest is not None
    said = (
        f"d is how far an attacker's belief about one person's {secret} moves because that "
        f"person's {_own(finding)} {'are' if several else 'is'} in the data. What does not move is "
        "a fact about the population."
    )
    if several:
        said += (
            " All records of a person are left out together, and the one about which belief moves "
            "most counts."
        )
    if finding.distance == _POINTS:
        said += (
            f" The attacker spreads 100 points of belief over the possible values of {secret}; a "
            "d of 0.25 means that 25 of them move."
        )
    if not finding.infinite:
        return [said]
    finite = finding.tested[np.isfinite(finding.tested)]
    mean = three_digits(float(finite.mean())) if len(finite) else ""
    rest = f"; the mean of the others is {mean}" if mean else ""
    return [said, f"d is INFINITE for {counted(finding.infinite, 'person')}{rest}."]


def _attackers(finding: DifferentialInference) -> list[Text]:
    lines: list[Text] = []
    for one in finding.against.values() or [finding]:
        prior = "; with a prior of their own" if one.prior else ""
        lines.append(f"Attacker: {one.adversary.label}, who {one.adversary.explained}{prior}.")
    explained = f", {finding.distance_explained}" if finding.distance_explained else ""
    return [*lines, f"Distance between two beliefs: {finding.distance}{explained}."]


def _figures(finding: DifferentialInference) -> Table:
    half, most, nearly_all = finding.quantiles().values()
    some = _of_whom(finding)
    distances = {
        f"δ, d of the worst-placed person{' tested' if some else ''}": finding.delta,
        "mean d": finding.mean,
        "standard deviation": finding.std,
        "half of the people below": half,
        "90% of the people below": most,
        "99% of the people below": nearly_all,
    }
    shares = {
        **{f"people over {over:g}": finding.share_over(over) for over in (0.01, 0.05, 0.1)},
        "most likely value changes": finding.modes_changed,
    }
    return Table(
        columns=["", ""],
        rows=[
            *some,
            *([name, cell(d, three_digits)] for name, d in distances.items()),
            *([name, cell(share, "%")] for name, share in shares.items()),
            *_between(finding),
        ],
    )


def _of_whom(finding: DifferentialInference) -> list[list[str]]:
    """Whom the figures are about, if not everybody was tested."""
    tested, people = len(finding.tested), finding.people
    if tested == people:
        return []
    about = "those tested" if finding.weights is None else f"all {people:,}, estimated"
    return [
        ["people tested", f"{tested:,} of {people:,}"],
        ["means, quantiles and shares are of", about],
    ]


def _between(finding: DifferentialInference) -> list[list[str]]:
    """What sampling leaves open about those tested."""
    if finding.sampling is None or not len(finding.tested):
        return []
    over = [number / len(finding.tested) for number in finding.number_over(MAIN_THRESHOLD)]
    bounds = {
        "δ": [three_digits(end) for end in finding.delta_within()],
        "mean d": [three_digits(end) for end in finding.mean_within()],
        f"people over {MAIN_THRESHOLD:g}": [percent(end) for end in over],
    }
    return [[f"{name}, 95% interval", " to ".join(ends)] for name, ends in bounds.items()]


def _strongest(finding: DifferentialInference) -> Table:
    """δ of each of several attackers, and for how many people each is the strongest."""
    best, of_all = finding.strongest_for(), f"{{:,}} of {len(finding.tested):,}".format
    return Table(
        title="Each attacker",
        columns=["attacker", "δ", "mean d", "strongest for"],
        rows=[
            [name, cell(one.delta, three_digits), cell(one.mean, three_digits),
             cell(best[name], of_all)]
            for name, one in finding.against.items()
        ],
    )  # fmt: skip


def _worst(finding: DifferentialInference, release: Text | None) -> list[Table]:
    """The worst-placed people, with their values if those were asked for.

    Without being asked, only a report lists people, under references that its owner can resolve.
    """
    n = finding.listed or (0 if release is None else _WORST)
    if not n or not len(finding.tested):
        return []
    shown = finding if finding.closer is None else finding.closer
    columns = ["person", "d"]
    if finding.listed:
        columns.append(f"values, and belief without → with the {_own(finding)[4:]}")
    rows: list[list[Any]] = []
    for place in shown.worst_places(n).tolist():
        record, d = int(shown.shown[place]), float(shown.distances[place])
        rows.append([Person(int(shown.microdata.rows[record])), cell(d, ".3g")])
        if finding.listed:
            rows[-1].append(Cell(_values(shown, record, place), bare=True))
    return [
        Table(
            title="The worst-placed people",
            says="Whose own record moves the belief about them most."
            if finding.farthest is None
            else "Whose own records move the belief about them most. The record named is the one "
            "about which it moves most.",
            columns=columns, rows=rows,
        )
    ]  # fmt: skip


def _values(finding: DifferentialInference, record: int, place: int) -> str:
    """The values of a person, and the beliefs about the sensitive one if they were kept.

    The belief in the true value and, if another one moved more, in that.
    """
    secret = finding.microdata.sensitive
    own = int(secret.codes[record])
    known = ", ".join(f"{c.name} {c.texts[c.codes[record]]}" for c in finding.microdata.quasi)
    text = f"{known}; {secret.name} {secret.texts[own]}"
    if finding.present is None or finding.absent is None:
        return text
    absent, present = finding.absent[place], finding.present[place]
    most = int(np.abs(present - absent).argmax())
    told = [
        f"{secret.texts[s]} {absent[s]:.0%} → {present[s]:.0%}" for s in dict.fromkeys([own, most])
    ]
    rest = secret.size - len(told)
    others = f", and no larger shifts over the {rest} others" if rest > 1 else ""
    return f"{text}; belief: {', '.join(told)}{others}"


def _distances(finding: DifferentialInference, name: Text) -> Chart:
    return Chart(
        kind="distribution",
        title="How far belief moves, person by person",
        says=Message(
            "{name}: half of the people below {half}, the worst{tested} at {worst}", name=name,
            tested="" if len(finding.tested) == finding.people else " of those tested",
            half=Amount(DELTA, finding.quantiles((0.5,))[0.5], DELTA.text),
            worst=Amount(DELTA, finding.delta, DELTA.text),
        ),
        x=Axis(label=f"d: how far belief about a person moves by their {_own(finding)}",
               scale="log"),
        y=Axis(label="share of people", share=True),
        series=[distribution(name, finding.tested, floor=_FLOOR, weights=finding.weights)]
        if len(finding.tested) else [],
        in_terminal=True,
    )  # fmt: skip


def _worst_and_average(finding: DifferentialInference, name: Text) -> Chart:
    mean, spread = finding.mean, finding.std
    return Chart(
        kind="bars",
        title="The worst-placed and the average person",
        says="δ, and the mean of d with its spread (one standard deviation), of each release",
        x=Axis(label="", scale="names"),
        y=Axis(label="d"),
        series=[
            Series(name="δ, the worst-placed", x=[name], y=numbers([finding.delta]),
                   people=len(finding.tested), figure=DELTA),
            Series(name="mean", x=[name], y=numbers([mean]), people=len(finding.tested),
                   figure=MEAN_D,
                   low=numbers([max(0.0, mean - spread)]), high=numbers([mean + spread])),
        ] if len(finding.tested) else [],
    )  # fmt: skip


def tails_chart(finding: DifferentialInference) -> Chart:
    """Pr[d ≥ ε] over ε: of the worst-placed person, on average, and by chance alone."""
    tails = finding.tails()
    epsilon = numbers(tails["epsilon"])
    lines = {
        "the worst-placed person": "delta",
        "at most, for all (95%)": "delta at most",
        "all, on average": "mean",
        "by chance (two releases with the record), at most": "by chance, at most",
        "by chance, on average": "by chance",
    }
    return Chart(
        kind="curves",
        title=Message("How often belief moves by ε or more: {sanitizer}",
                      sanitizer=File(finding.sanitizer, bare=True)),
        says="How often belief about a person moves by ε or more from one release to another",
        x=Axis(label="ε: how far belief about a person moves", scale="log"),
        y=Axis(label="how often it moves by ε or more", share=True),
        series=[Series(name=name, x=epsilon, y=numbers(tails[column]))
                for name, column in lines.items()],
    )  # fmt: skip


def _diagnostics(finding: DifferentialInference) -> list[Text]:
    """Who was tested and how exactly; what follows for the others if not all were."""
    tested, people = len(finding.tested), finding.people
    lines: list[Text] = [
        Message(
            "{tested} people tested: {how}; attacker: {who}.",
            tested=Known(f"{tested:,} of {people:,}"), how=_how(finding),
            who=Known(finding.adversary.label),
        )
    ]  # fmt: skip
    if len(finding.targets) < people:
        lines.append(_some(finding))
    if 0 < tested < people:
        lines += [finding.bound(MAIN_THRESHOLD).in_words(), _mean_of_all(finding)]
    if 0 < len(finding.targets) < people and finding.how != "chosen":
        lines.append(finding.forecast().in_words(paced=False))
    lines += [
        Message("NOT TESTED: {people}: {why}", people=Known(counted(number, "person")), why=why)
        for why, number in finding.not_tested.items()
    ]
    if finding.failures:
        lines.append("What the sanitizer said about each of them is in the rows of the finding.")
    return [*lines, *_sampled(finding)]


def _how(finding: DifferentialInference) -> str:
    if finding.farthest is not None and finding.way == "fast":
        return "every person, exactly"
    return _EXACT.get(finding.way, "sampled")


def _mean_of_all(finding: DifferentialInference) -> str:
    """What is known about the mean if not all were tested."""
    low, high = finding.mean_bound()
    if np.isinf(high):
        return f"The mean distance of all {finding.people:,} people is not known."
    sure = "With 95% confidence" if finding.how in AT_RANDOM else "For certain"
    if finding.sampling is not None:
        sure = "With 95% confidence"
    return (
        f"{sure} the mean distance of all {finding.people:,} people is between {low:.2g} "
        f"and {high:.2g}."
    )


def _budget(finding: DifferentialInference) -> str:
    """What ended the test before everybody was tested."""
    given = finding.budget
    if given is None:
        return "its budget"
    return "the usual number of runs" if given.is_auto else f"the budget of {given}"


def _some(finding: DifferentialInference) -> str:
    """Which people were tested, if not all were."""
    seed = f" (seed {finding.seed})" if finding.how in AT_RANDOM else ""
    many = ""
    if len(finding.targets) < finding.wanted:
        many = f", as many of {finding.wanted:,} as {_budget(finding)} allowed"
    return (
        f"Only {len(finding.targets):,} people were targets, {_CHOSEN[finding.how]}{seed}{many}; "
        "the worst of all may be worse."
    )


def _sampled(finding: DifferentialInference) -> list[Text]:
    """The errors of sampled distances, and how many are larger than asked for."""
    found = finding.sampling
    if found is None or not found.most:
        return []
    lines: list[Text] = []
    if found.too_coarse:
        ended = "the samples" if finding.budget is None else "the samples or the budget"
        if finding.interrupted:
            ended = "it was interrupted and sampling"
        lines.append(
            f"NOT AS EXACT as asked for ({found.wanted or 0:.3g}): {found.too_coarse:,} people, "
            f"because {ended} ended before."
        )
    many = f"{found.least:,} to {found.most:,}" if found.least < found.most else f"{found.most:,}"
    (low, high), (least, most) = finding.delta_within(), finding.mean_within()
    whom = "all people" if len(finding.tested) == finding.people else "those tested"
    each = "record" if finding.farthest is None else "person"
    floor = float(found.floor[finding.worst_places(1)[0]])
    return [
        *lines,
        f"Sampled: {many} releases with and as many without each {each}. Distances are exact to "
        f"{float(np.nanmax(found.error)):.3g} (95% each). δ is between {low:.3g} and {high:.3g} "
        f"(95%, {whom} together), and their mean between {least:.3g} and {most:.3g} (95%).",
        "Sampled distances are biased. The bias is corrected as far as it can be, and the "
        "intervals include the rest. Without the correction the worst would be "
        f"{float(np.nanmax(found.as_published)):.3g}; two samples of the same beliefs are about "
        f"{floor:.3g} apart.",
    ]


def compared(found: Mapping[str, Finding]) -> list[Text]:
    """What findings about several releases of one table say beside each other."""
    tested = [
        (name, one)
        for name, one in found.items()
        if isinstance(one, DifferentialInference) and len(one.tested)
    ]
    anonymized = [(name, one) for name, one in tested if one.sanitizer != UNTOUCHED]
    plain = next((one for _, one in tested if one.sanitizer == UNTOUCHED), None)
    said = (_best(anonymized), _turned(_as_many(tested)), _worse_than_nothing(plain, anonymized))
    return [one for one in said if one is not None]


def _called(name: str) -> File:
    return File(display_name(name), bare=True)


def _as_many(tested: Sequence[_Named]) -> list[_Named]:
    """Those with the most people tested: the worst of a few says nothing beside that of all."""
    most = max((len(one.tested) for _, one in tested), default=0)
    return [(name, one) for name, one in tested if len(one.tested) == most]


def _best(anonymized: Sequence[_Named]) -> Message | None:
    comparable = _as_many(anonymized)
    if len(comparable) < 2:
        return None
    best_name, best = min(comparable, key=lambda pair: pair[1].delta)
    mean_name, mean = min(comparable, key=lambda pair: pair[1].mean)
    which = f"{len(comparable)} anonymizations"
    if len(comparable) < len(anonymized):
        which += f" that {len(best.tested):,} people were tested under"
    return Message(
        "Of the {which}, {best} protects the worst-placed person best ({delta}), {average} "
        "({mean}).",
        which=which, best=_called(best_name), delta=moved(best.delta, best.distance),
        mean=moved(mean.mean, mean.distance),
        average="and the average person as well" if mean is best else Message(
            "and {name} the average person", name=_called(mean_name)
        ),
    )  # fmt: skip


def _turned(tested: Sequence[_Named]) -> Message | None:
    """The most striking case of a better average with a worse worst."""
    pairs = [
        ((a, before), (b, after))
        for (a, before), (b, after) in permutations(tested, 2)
        if after.mean < before.mean
        and after.delta > before.delta > 0
        # A difference that the printed digits do not show is not worth a sentence.
        and three_digits(after.delta) != three_digits(before.delta)
        and three_digits(after.mean) != three_digits(before.mean)
    ]
    if not pairs:
        return None
    (a, before), (b, after) = max(pairs, key=lambda pair: pair[1][1].delta / pair[0][1].delta)
    return Message(
        "An average can hide a person: from {before} to {after} the mean falls ({mean} → {less}), "
        "but the worst-placed person is worse off ({delta} → {more}).",
        before=_called(a), after=_called(b), mean=three_digits(before.mean),
        less=three_digits(after.mean), delta=three_digits(before.delta),
        more=three_digits(after.delta),
    )  # fmt: skip


def _worse_than_nothing(
    plain: DifferentialInference | None, anonymized: Sequence[_Named]
) -> Message | None:
    worse: list[Any] = [
        Message("{name} ({delta})", name=_called(name), delta=three_digits(one.delta))
        for name, one in anonymized
        if plain is not None and one.delta > plain.delta
    ]
    if plain is None or not worse:
        return None
    return Message(
        "Under {worse}, somebody's {own} belief further than anybody's does without any "
        "anonymization ({delta}).",
        own="own record moves" if plain.farthest is None else "own records move",
        worse=Listed(worse, "and"), delta=three_digits(plain.delta),
    )  # fmt: skip
