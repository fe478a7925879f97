"""Every sanitizer with every attack and measure: it works, or says why it cannot and what can.

Which pairs make no sense is stated once, in the table of docs/fitting.md, and read from there.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import unveil as uv
from unveil.errors import InputError
from unveil.options import counted_by
from unveil.registry import KINDS, declarations

PAGE = Path(__file__).resolve().parents[1] / "docs" / "fitting.md"
N = 24
FEW = [0, 5, 9]  # targets
WHY = re.compile(r"publishes|need not be|is random")
REMEDY = re.compile(
    r"; [^;]*\b(differential_inference|membership|classifier_utility|use|give)\b[^;]*$"
)


def survey() -> uv.Microdata:
    """People with a hierarchy for each quasi-identifier, every vote eight times."""
    rng = np.random.default_rng(7)
    towns = [("Nice", "France", "*"), ("Lyon", "France", "*"), ("Rome", "Italy", "*")]
    return uv.read_table(
        {
            "name": [f"p{i}" for i in range(N)],
            "age": rng.integers(20, 50, N),
            "town": rng.choice(["Nice", "Lyon", "Rome"], N),
            "vote": np.resize(["a", "b", "c", "b", "a", "c"], N),
        },
        identifier="name", quasi=["age", "town"], sensitive="vote",
        hierarchies={
            "age": lambda ages: uv.interval_hierarchy(ages, widths=(10, 20)),
            "town": uv.Hierarchy.from_paths(towns),
        },
    )  # fmt: skip


TABLE = survey()
PEOPLE = TABLE.to_frame().assign(name=[f"p{i}" for i in range(N)])
OTHER = uv.Mondrian(k=4).sanitize(TABLE)


def decades(table: pd.DataFrame) -> pd.DataFrame:
    """Somebody's own anonymization."""
    low = table["age"].astype(int) // 10 * 10
    return table.assign(age=[f"{age}-{age + 9}" for age in low])


CELLS, GROUPS, MIDDLES, ANSWERS, COUNTS, TOTALS = (
    "Cells", "Anatomy", "Microaggregation", "RandomizedResponse", "LaplaceCounts", "CrossTables",
)  # fmt: skip

SANITIZERS: dict[str, tuple[str, uv.sanitize.Sanitizer]] = {
    "identity": (CELLS, uv.Identity()),
    "mondrian k": (CELLS, uv.Mondrian(k=3)),
    "mondrian l": (CELLS, uv.Mondrian(l=2)),
    "mondrian k, t": (CELLS, uv.Mondrian(k=2, t=0.3)),
    "mondrian cut": (CELLS, uv.Mondrian(k=3, regions="cut")),
    "global": (CELLS, uv.Recoding(k=2)),
    "global, suppressed": (CELLS, uv.Recoding(k=3, l=2, suppression=0.3)),
    "local": (CELLS, uv.Recoding(k=2, scheme="local")),
    "local, suppressed": (CELLS, uv.Recoding(k=3, t=0.4, scheme="local", suppression=0.2)),
    "own": (CELLS, uv.Oracle(decades)),
    "anatomy": (GROUPS, uv.Anatomy(l=2, seed=1)),
    "microaggregation": (MIDDLES, uv.Microaggregation(k=3)),
    "randomized response": (ANSWERS, uv.RandomizedResponse(epsilon=1, seed=1)),
    "laplace counts": (COUNTS, uv.LaplaceCounts(epsilon=1, seed=1)),
    "cross tables": (TOTALS, uv.CrossTables(tables="town*vote|age*town", suppress=3)),
}


@cache
def release_of(name: str) -> Any:
    return SANITIZERS[name][1].sanitize(TABLE)


@pytest.fixture(scope="module")
def releases(tmp_path_factory) -> dict[str, tuple[str, Any]]:
    """What they publish, and the same after it was written to files and read again."""
    found = {name: (kind, release_of(name)) for name, (kind, _) in SANITIZERS.items()}
    for name in ("mondrian k", "global, suppressed", "local", "mondrian cut"):
        for suffix in ("csv", "parquet"):
            path = tmp_path_factory.mktemp("releases") / f"released.{suffix}"
            frame = release_of(name).to_frame()
            frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
            found[f"{name}, read from {suffix}"] = (CELLS, uv.read_release(path, TABLE))
    release_of("anatomy").write(tmp_path_factory.mktemp("anatomy"))
    folder = next(tmp_path_factory.getbasetemp().glob("anatomy*"))
    found["anatomy, read"] = (GROUPS, uv.read_anatomy(folder, microdata=TABLE))
    return found


@dataclass(frozen=True)
class Of:
    """An attack or a measure, as one calls it, of a sanitizer or of a release."""

    call: Callable[[Any], Any]
    takes: str = "release"


def inferring(**options: Any) -> Of:
    def call(f: uv.sanitize.Sanitizer) -> Any:
        samples = 4 if f.is_random else None
        return uv.differential_inference(TABLE, f, targets=FEW, samples=samples, jobs=1, **options)

    return Of(call, "sanitizer")


def hardening(strategy: str) -> Of:
    def call(f: uv.sanitize.Sanitizer) -> Any:
        samples = 4 if f.is_random else None
        return uv.harden(TABLE, f, strategy=strategy, rounds=1, samples=samples, jobs=1)

    return Of(call, "sanitizer")


ATTACKS: dict[str, Of] = {
    "differential_inference": inferring(),
    'differential_inference(adversary="naive-bayes")': inferring(adversary="naive-bayes"),
    'differential_inference(adversary="conditional-frequency")': inferring(
        adversary="conditional-frequency"
    ),
    'differential_inference(adversary="smoothed-frequency")': inferring(
        adversary="smoothed-frequency", path="general"
    ),
    'differential_inference(adversary="tree")': inferring(adversary="tree"),
    "membership": Of(lambda f: uv.membership(TABLE, f, removals=3, jobs=1), "sanitizer"),
    "inference": Of(lambda release: uv.inference(release, TABLE)),
    'inference(adversary="tree")': Of(
        lambda release: uv.inference(release, TABLE, adversary="tree")
    ),
    "compare_encodings": Of(
        lambda f: uv.compare_encodings(TABLE, f, encodings=["relative-relative", "bounds-hot"]),
        "sanitizer",
    ),
    "relative_risk": Of(
        lambda release: uv.relative_risk(release, TABLE, sweeps=50, budget="10 s", jobs=1)
    ),
    "linkage": Of(
        lambda release: uv.linkage(
            release, PEOPLE, identifier="name", microdata=TABLE, record_of=range(N)
        )
    ),
    "definetti": Of(lambda release: uv.definetti(release, TABLE)),
    "minimality": Of(lambda f: uv.minimality(f, TABLE, draws=200), "known sanitizer"),
    "composition": Of(lambda release: uv.composition([release, OTHER], TABLE)),
    "tables": Of(lambda release: uv.tables(release, TABLE)),
    "harden": hardening("remove"),
    'harden(strategy="merge")': hardening("merge"),
}

MEASURES: dict[str, Of] = {
    **{
        name: Of(getattr(uv, name))
        for name in (
            "measures", "k_anonymity", "l_diversity", "t_closeness", "alpha_k", "beta_likeness",
            "delta_disclosure", "uniqueness", "unique_subsets", "reidentification_risk",
            "discrimination_rate", "discrimination_rates", "homogeneity", "background_knowledge",
            "average_class_size", "discernibility",
        )
    },
    "similarity": Of(lambda release: uv.similarity(release, [["a", "b"], ["c"]])),
    "skewness": Of(lambda release: uv.skewness(release, TABLE)),
    "identity_disclosure": Of(lambda release: uv.identity_disclosure(release, TABLE)),
    "compare_measures": Of(lambda release: uv.compare_measures({"it": release, "D": TABLE})),
    "compare_discrimination": Of(
        lambda release: uv.compare_discrimination({"before": release, "after": release})
    ),
    "information_loss": Of(lambda release: uv.information_loss(release, TABLE)),
    "remedies": Of(uv.remedies),
    "entropy_loss": Of(lambda release: uv.entropy_loss(release, TABLE)),
    "suppression": Of(lambda release: uv.suppression(release, TABLE)),
    "utility": Of(lambda release: uv.utility(release, TABLE)),
    "identifiers": Of(lambda release: uv.identifiers(release, TABLE)),
    "classifier_utility": Of(
        lambda f: uv.classifier_utility(f, TABLE, repeats=2), "sanitizer"
    ),
}  # fmt: skip

EVERYTHING = ATTACKS | MEASURES


@cache
def stated() -> dict[str, dict[str, bool]]:
    """What the table of the page says: for each attack or measure, what it works with."""
    lines = itertools.dropwhile(
        lambda line: not line.startswith("|"), PAGE.read_text(encoding="utf-8").splitlines()
    )
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in itertools.takewhile(lambda line: line.startswith("|"), lines)
    ]
    *heads, last = rows[0]
    assert last == "By person"
    kinds = [CELLS, *(cell.strip("`") for cell in heads[2:])]
    assert kinds == [CELLS, GROUPS, MIDDLES, ANSWERS, COUNTS, TOTALS]
    found: dict[str, dict[str, bool]] = {}
    for row in rows[2:]:
        works = dict(zip([*kinds, last], (cell.startswith("yes") for cell in row[1:]), strict=True))
        assert all(cell.startswith(("yes", "no")) for cell in row[1:])
        found |= dict.fromkeys(re.findall(r"`([^`]+)`", row[0]), works)
    return found


def outcome(call: Callable[[Any], Any], given: Any) -> bool:
    """Whether it works; what does not must say so in the words that are agreed upon."""
    try:
        finding = call(given)
    except InputError as error:
        said = str(error)
        assert WHY.search(said), said
        assert REMEDY.search(said), said
        return False
    assert finding.summary()
    assert json.dumps(finding.to_dict(records=True), allow_nan=False)
    # ℓ-diversity has a row for every ℓ above 1 that is met.
    assert len(finding.to_frame()) or finding.distinct == 1
    return True


@pytest.mark.parametrize("name", EVERYTHING)
def test_it_works_or_says_why_not(name, releases):
    one = EVERYTHING[name]
    given = releases if one.takes == "release" else SANITIZERS
    if one.takes == "known sanitizer":  # of an oracle nobody knows whether it depends on chance
        given = {who: what for who, what in SANITIZERS.items() if who != "own"}
    found = {who: outcome(one.call, what) for who, (_, what) in given.items()}
    assert found == {who: stated()[name][kind] for who, (kind, _) in given.items()}


def test_the_page_leaves_nothing_out():
    assert set(stated()) == set(EVERYTHING)
    # What takes a release, a table or a sanitizer, and returns a finding.
    others = {"align", "at_published_level", "audit", "propose", "count", "parse_partition",
              "quantize", "flat_hierarchy", "interval_hierarchy", "prefix_hierarchy"}  # fmt: skip
    public = {
        name
        for name in uv.__all__
        if name.islower() and callable(getattr(uv, name)) and not name.startswith(("read_", "_"))
    }
    assert public - others == {re.sub(r"\(.*", "", name) for name in EVERYTHING}


def test_declarations_say_the_same_as_the_page():
    kinds = dict(zip(KINDS, (CELLS, GROUPS, MIDDLES, ANSWERS, COUNTS, TOTALS), strict=True))
    for one in declarations().values():
        if one.plugin is None:
            works = stated()[one.call().__name__]
            assert {kind: works[kinds[kind]] for kind in KINDS} == {
                kind: kind in one.fits for kind in KINDS
            }, one.name


# They tell what is lost of rows and cells, as the page says.
ABOUT_ROWS = {"information_loss", "entropy_loss", "suppression"}


def test_whether_people_are_counted_is_said_on_the_page():
    """The last column is what functions declare, and what they do with several rows of a person."""
    stays = uv.read_table({"who": list("aab"), "age": [1, 2, 3], "ill": list("xyx")}, quasi="age",
                          sensitive="ill", person="who")  # fmt: skip
    release = uv.Identity().sanitize(stays)
    declared = {one.call().__name__: one.call() for one in declarations().values()}

    def called(name):  # a room may be called like its function
        return declared.get(name) or getattr(uv, name)

    for name, works in stated().items():
        function = called(re.sub(r"\(.*", "", name))
        by = counted_by(function)
        assert works["By person"] is (by is None), name
        if by is not None:
            assert all(counted_by(called(one)) is None for one in by.instead), name
            for given in ((release, stays), (release,), (stays,)) if name not in ABOUT_ROWS else ():
                with pytest.raises((InputError, TypeError)):
                    function(*given)


WAYS = {
    "identity": "fast", "mondrian k": "fast", "mondrian l": "fast", "mondrian k, t": "fast",
    "mondrian cut": "fast", "global": "fast", "global, suppressed": "fast", "local": "general",
    "local, suppressed": "general", "own": "general", "anatomy": "sampled",
    "microaggregation": "general", "randomized response": "sampled", "laplace counts": "counts",
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_the_way_that_a_test_goes_is_told(name):
    f = SANITIZERS[name][1]
    options: dict[str, Any] = {"adversary": "smoothed-frequency", "targets": FEW, "jobs": 1}
    samples = 4 if f.is_random else None
    finding = uv.differential_inference(TABLE, f, samples=samples, **options)
    assert finding.way == WAYS[name]
    if WAYS[name] not in ("fast", "counts"):
        with pytest.raises(InputError, match=r"there is no fast path .* use path=.general."):
            uv.differential_inference(TABLE, f, path="fast", **options)
    elif WAYS[name] == "fast":
        again = uv.differential_inference(TABLE, f, path="general", **options)
        assert again.way == "general"
        np.testing.assert_allclose(again.distances, finding.distances, atol=1e-12)
