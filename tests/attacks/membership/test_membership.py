"""The membership game: its scores by their definition, answers that are known, and trouble."""

import ast
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import random_microdata, tables_and_goals

import unveil as uv
from unveil.adversary import ConditionalFrequency, NaiveBayes
from unveil.attacks.held_out import split_people
from unveil.attacks.membership import _attackers
from unveil.errors import GoalError, InputError
from unveil.sanitize import LaplaceCounts, Sanitizer

PEOPLE = random_microdata(7, 150, ("numeric", "flat", "tree"))
BELIEVING = ("release", "population", "removal")
ATTACKERS = ("covered", "covered-value", *BELIEVING)


def log(belief):
    return -np.inf if belief == 0 else np.log(belief)


def difference(first, second):
    return 0.0 if first == second == 0 else log(first) - log(second)


def plain_scores(table, sanitizer, adversary, finding):
    """All scores by their definition: one person, one release and one prediction at a time."""
    people = finding.people
    everybody, members = people.everybody, people.members.tolist()
    published = sanitizer.sanitize(table.take(members))
    own = sanitizer.sanitize(table.take(people.own))
    together = finding.played["removal"].together

    def belief(release, record):
        return adversary.predict(release, everybody.codes[:, [record]])[
            0, everybody.sensitive.codes[record]
        ]

    rows = []
    for place, record in enumerate(people.asked.tolist()):
        removed = members.index(record) if record in members else int(together[place])
        without = [member for i, member in enumerate(members) if i != removed]
        try:
            after = belief(sanitizer.sanitize(table.take(without)), record)
        except GoalError:
            after = np.nan
        here = belief(published, record)
        rows.append([log(here), difference(here, belief(own, record)), difference(here, after)])
    return np.array(rows)


@examples(60)
@given(
    tables_and_goals(max_size=30),
    st.sampled_from([NaiveBayes(), ConditionalFrequency()]),
    st.integers(0, 5),
    st.integers(1, 8),
)
def test_scores_are_those_of_the_definition(table_and_goal, adversary, seed, removals):
    table, goal = table_and_goal
    sanitizer = uv.Mondrian(**{**goal, "k": min(goal["k"], 3), "l": 1})
    try:
        finding = uv.membership(
            table, sanitizer, adversary=adversary, seed=seed, removals=removals, own=0.3
        )
    except (InputError, GoalError):
        assert len(table) < 15
        return
    if "population" in finding.not_scored:
        assert len(finding.people.own) < 3
        return
    expected = plain_scores(table, sanitizer, adversary, finding)
    for column, attacker in enumerate(BELIEVING):
        scored = finding.played[attacker]
        np.testing.assert_allclose(scored.scores, expected[:, column], rtol=0, atol=1.1e-9)
        missing = int(np.isnan(expected[:, column]).sum())
        assert sum(scored.reasons.values()) == missing
    assert len(np.unique(finding.played["removal"].together)) - 1 <= removals


def test_who_is_one_of_a_kind_is_known_to_have_left():
    people = uv.read_table(
        {"id": range(400), "vote": list("abac") * 100}, quasi="id", sensitive="vote"
    )
    finding = uv.membership(people, uv.Identity(), adversary="conditional-frequency")
    removal = finding.against["removal"]
    assert removal.auc.value == removal.advantage == removal.tpr[0.01].value == 1
    # Before anybody left, a member's value is certain, and others have the shares of all.
    assert finding.against["release"].auc.value == 1
    # Nobody else is covered.
    assert finding.against["covered"].auc.value == 1
    assert finding.strongest == "covered"  # they need least for it


def test_a_value_that_only_the_own_sample_rules_out_is_the_highest_score():
    people = uv.read_table({"q": ["x"] * 8, "s": list("aabbaacc")}, quasi="q", sensitive="s")
    for seed in range(20):
        finding = uv.membership(
            people, uv.Identity(), adversary="conditional-frequency", held_out=[0, 2, 4],
            own=0.4, seed=seed,
        )  # fmt: skip
        for scored in finding.played.values():
            assert not np.isnan(scored.scores).any()
        own = set(people.take(finding.people.own).sensitive.decode())
        scores = finding.played["population"].scores
        for record, score in zip(finding.people.asked, scores, strict=True):
            value = people.sensitive.decode()[record]
            members = set(people.take(finding.people.members).sensitive.decode())
            if value in members and value not in own:
                assert score == np.inf
            if value not in members:
                assert score == (-np.inf if value in own else 0)


# nothing to find ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Constant(Sanitizer):
    """Publishes the same about some other people, whoever is in the table."""

    def sanitize(self, microdata):
        return uv.Identity().sanitize(PEOPLE.take(range(0, 150, 3)))


def test_a_release_that_depends_on_nobody_tells_nothing():
    covered = 0
    for seed in range(40):
        finding = uv.membership(PEOPLE, Constant(), seed=seed, removals=5, jobs=1)
        for attacker in ("population", "removal"):
            found = finding.against[attacker]
            assert (finding.played[attacker].scores == 0).all()
            assert found.auc.value == 0.5
            assert found.auc.low < 0.5 < found.auc.high  # of 60 people who are all alike
            assert found.advantage == 0
        release = finding.against["release"].auc
        covered += release.low <= 0.5 <= release.high
    assert covered >= 33  # 38 are expected; fewer than 33 once in a thousand times


@dataclass(frozen=True)
class Noise(Sanitizer):
    """Publishes nothing but chance."""

    seed: int = 0

    def with_seed(self, seed):
        return replace(self, seed=seed)

    def sanitize(self, microdata):
        rng = np.random.default_rng(self.seed)
        return uv.Identity().sanitize(PEOPLE.take(rng.integers(0, 150, 12)))


def test_chance_is_not_taken_for_members():
    covered = dict.fromkeys(ATTACKERS, 0)
    for seed in range(40):
        finding = uv.membership(PEOPLE, Noise(seed), seed=seed, removals=30, jobs=1)
        for attacker, found in finding.against.items():
            covered[attacker] += found.auc.low <= 0.5 <= found.auc.high
    assert min(covered.values()) >= 33


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_nobody_beats_what_differential_privacy_promises(epsilon):
    finding = uv.membership(
        uv.datasets.census(1500, seed=3), LaplaceCounts(epsilon=epsilon), jobs=1
    )
    # Whoever sees a second release of nearly the same table has twice the promise.
    for attacker, spent in (("release", 1), ("population", 1), ("removal", 2)):
        odds = np.exp(spent * epsilon)
        found = finding.against[attacker]
        assert found.auc.low <= odds / (1 + odds)
        assert found.tpr[0.01].low <= 0.01 * odds
    noiseless = uv.membership(uv.datasets.census(1500, seed=3), LaplaceCounts(epsilon=np.inf))
    assert noiseless.against["removal"].auc.low > np.exp(1) / (1 + np.exp(1))
    assert noiseless.n_classes is None
    assert "classes" not in noiseless.summary()


def test_every_release_has_chances_of_its_own_and_the_published_one_is_the_same_for_all():
    class Watched(Noise):
        seeds: ClassVar[list[tuple[int, int]]] = []

        def sanitize(self, microdata):
            Watched.seeds.append((self.seed, len(microdata)))
            return super().sanitize(microdata)

    finding = uv.membership(PEOPLE, Watched(3), removals=10, jobs=1, seed=5)
    n = len(finding.people.members)
    assert [length for seed, length in Watched.seeds if seed == 5] == [n]
    assert [length for _, length in Watched.seeds].count(n) == 1
    # Without a member there is one release, whoever asks for it.
    assert len({seed for seed, length in Watched.seeds if length == n - 1}) == n
    assert len({seed for seed, _ in Watched.seeds}) == n + 2


def test_one_class_of_all_hides_members_until_one_leaves():
    table = uv.datasets.census(1000, seed=2)
    finding = uv.membership(table, uv.Mondrian(k=200, regions="cut"), own=0.35)
    assert finding.n_classes == 1
    for attacker in ("release", "population"):
        auc = finding.against[attacker].auc
        assert auc.low <= 0.5 <= auc.high
    # The share of a value in the whole table falls with the one who leaves.
    assert finding.against["removal"].auc.low > 0.9


# who is who ---------------------------------------------------------------------------------


def test_people_are_split_once_and_by_the_seed():
    people = split_people(PEOPLE, 0.5, own=0.2, seed=1)
    parts = people.members, people.held_out, people.own
    assert [len(part) for part in parts] == [60, 60, 30]
    assert sorted(np.concatenate(parts).tolist()) == list(range(150))
    assert (np.diff(people.asked) > 0).all()
    assert people.asked[people.is_member].tolist() == people.members.tolist()
    again, other = (split_people(PEOPLE, 0.5, own=0.2, seed=seed) for seed in (1, 2))
    assert again.members.tolist() == people.members.tolist()
    assert other.members.tolist() != people.members.tolist()


def test_without_the_population_nobody_is_set_aside():
    finding = uv.membership(PEOPLE, uv.Identity(), attackers=["removal", "release"], held_out=0.2)
    assert list(finding.played) == ["release", "removal"]
    assert (len(finding.people.members), len(finding.people.held_out)) == (120, 30)
    assert len(finding.people.own) == 0


@pytest.mark.parametrize("form", ["list", "mask"])
def test_those_held_out_can_be_named(form):
    named = [3, 5, 149, 5]
    given = named if form == "list" else np.isin(np.arange(150), named)
    finding = uv.membership(PEOPLE, uv.Identity(), held_out=given)
    assert finding.people.held_out.tolist() == [3, 5, 149]
    assert len(finding.people.own) == 29
    assert len(finding.people.members) == 118


def two_tables(**other):
    here = uv.read_table(
        {"age": [30, 40, 50, 40], "town": list("cbab"), "flag": [True, False, True, True],
         "s": list("xyxy"), "extra": [1, 2, 3, 4]},
        quasi=["age", "town", "flag"], sensitive="s", categorical="flag",
    )  # fmt: skip
    columns = {
        "age": [35.5, 40], "town": ["d", "b"], "flag": [True, True], "s": list("yz"),
        "extra": [9, 1], **other,
    }  # fmt: skip
    there = uv.read_table(
        columns, quasi=[c for c in columns if c not in ("s", "extra")], sensitive="s",
        categorical="flag",
    )  # fmt: skip
    return here, there


def test_those_held_out_can_have_a_table_of_their_own():
    here, there = two_tables()
    finding = uv.membership(here, uv.Identity(), held_out=there, attackers=("release", "removal"))
    everybody = finding.microdata
    assert finding.people.members.tolist() == [0, 1, 2, 3]
    assert finding.people.held_out.tolist() == [4, 5]
    assert everybody["age"].values.tolist() == [30, 35.5, 40, 50]
    assert everybody["age"].decode().tolist() == [30, 40, 50, 40, 35.5, 40]
    assert everybody["town"].decode().tolist() == list("cbabdb")
    assert everybody["s"].decode().tolist() == list("xyxyyz")
    assert everybody.to_frame()["flag"].tolist() == [True, False, True, True, True, True]
    assert everybody.to_frame()["extra"].tolist() == [1, 2, 3, 4, 9, 1]
    assert finding.to_frame()["row"].tolist() == [0, 1, 2, 3, 0, 1]
    # Nobody published has the value z.
    assert finding.played["release"].scores[5] < finding.played["release"].scores[:5].min()


def test_members_in_a_table_of_their_own_are_all_published():
    first, second = PEOPLE.take(range(100)), PEOPLE.take(range(100, 150))
    finding = uv.membership(first, uv.Mondrian(k=3), held_out=second, own=0.4, removals=9)
    people = finding.people
    assert people.members.tolist() == list(range(100))
    assert people.table.rows.tolist() == first.rows.tolist()
    assert (len(people.held_out), len(people.own)) == (30, 20)
    assert sorted([*people.held_out, *people.own]) == list(range(100, 150))
    assert finding.against["population"] is not None
    with pytest.raises(InputError, match="leaves 1 people in the attacker's own sample"):
        uv.membership(first, uv.Identity(), held_out=PEOPLE.take(range(100, 105)))


def test_the_same_people_in_one_table_or_in_two_get_the_same_scores():
    first, second = PEOPLE.take(range(100)), PEOPLE.take(range(100, 150))
    split = split_people(PEOPLE, range(100, 150), own=0)
    # Two tables that were read apart have domains of their own.
    roles = {"quasi": ["q0", "q1"], "sensitive": "secret"}
    here, there = (uv.read_table(t.to_frame()[["q0", "q1", "secret"]], **roles)
                   for t in (first, second))  # fmt: skip
    whole = uv.read_table(PEOPLE.to_frame()[["q0", "q1", "secret"]], **roles)
    options = {"removals": 9, "attackers": ("release", "removal")}
    one = uv.membership(whole, uv.Mondrian(k=3), held_out=range(100, 150), **options)
    two = uv.membership(here, uv.Mondrian(k=3), held_out=there, **options)
    assert len(split.asked) == len(one.people.asked)
    for attacker in ("release", "removal"):
        np.testing.assert_array_equal(one.played[attacker].scores, two.played[attacker].scores)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"towns": ["a", "b"]},
         "table and the table of people held out, table, have different quasi-identifiers and "
         "sensitive columns: 'age', 'town', 'flag', 's' here and 'age', 'flag', 'towns', 's' "
         "there; did you mean 'towns'?; read both with the same ones"),
        ({"more": [1, 2]}, "have different quasi-identifiers and sensitive columns: 'age', "
                           "'town', 'flag', 's' here and 'age', 'town', 'flag', 'more', 's' there"),
        ({"age": ["old", "young"]},
         "and categorical values in the table of people held out, table (its values: old, young); "
         "read both alike, or say what its values are called here: recode={'age': {'old': …}}"),
        ({"age": np.array(["2001-02-03", "2001-02-04"], dtype="datetime64[D]")},
         "and point-in-time values in the table"),
    ],
)  # fmt: skip
def test_a_table_of_others_that_does_not_fit(other, message):
    here, there = two_tables()
    here, there = two_tables(**other) if "towns" not in other else (here, uv.read_table(
        {"age": [1, 2], "flag": [True, True], "towns": ["a", "b"], "s": ["x", "y"]},
        quasi=["age", "flag", "towns"], sensitive="s", categorical="flag"))  # fmt: skip
    with pytest.raises(InputError) as error:
        uv.membership(here, uv.Identity(), held_out=there)
    assert message in str(error.value)


def test_values_that_a_hierarchy_does_not_know():
    tree = uv.Hierarchy.from_paths([("a", "*"), ("b", "*")])
    other = uv.Hierarchy.from_paths([("a", "*"), ("c", "*")])
    here = uv.read_table({"q": list("abab"), "s": list("xyxy")}, quasi="q", sensitive="s",
                         hierarchies={"q": tree})  # fmt: skip
    there = uv.read_table({"q": list("ac"), "s": list("xy")}, quasi="q", sensitive="s",
                          hierarchies={"q": other})  # fmt: skip
    with pytest.raises(InputError, match=r"has 'c' \(1 record\), which is not among its"):
        uv.membership(here, uv.Identity(), held_out=there)
    fewer = uv.read_table({"q": list("aa"), "s": list("xy")}, quasi="q", sensitive="s")
    joined = split_people(here, fewer, own=0).everybody
    assert joined["q"].decode().tolist() == list("ababaa")
    assert joined["q"].hierarchy is tree


def of_sex(values, **more):
    n = len(values)
    return uv.read_table({"age": list(range(n)), "sex": values, "s": list("xy") * (n // 2)},
                         quasi=["age", "sex"], sensitive="s", **more)  # fmt: skip


@pytest.mark.parametrize(
    ("here", "there", "mapping"),
    [
        (["female", "male"] * 3, ["F", "M"] * 3, "{'F': 'female', 'M': 'male'}"),
        (["Female", "Male"] * 3, ["female", "Male"] * 3, "{'female': 'Female'}"),
        (["no", "yes"] * 3, [0, 1] * 3, "{'0': 'no', '1': 'yes'}"),
        (["01234", "02000"] * 3, [1234, 2000] * 3, "{'1234': '01234', '2000': '02000'}"),
    ],
)
def test_other_names_for_the_same_values_are_asked_about(here, there, mapping):
    """Or else everybody is told apart by that alone."""
    members, others = of_sex(here), of_sex(there)
    with pytest.raises(InputError) as error:
        split_people(members, others, own=0)
    assert f"recode={{'sex': {mapping}}}" in str(error.value)
    said = {"sex": ast.literal_eval(mapping)}
    joined = split_people(members, others, own=0, recode=said).everybody
    assert joined["sex"].texts == members["sex"].texts


def test_values_that_have_nothing_in_common_are_told():
    people = split_people(of_sex(["a", "b"] * 3), of_sex(["p", "q"] * 3), own=0).everybody
    (note,) = people.notes
    assert str(note).startswith(
        "column 'sex': nobody in the table of people held out, table, has a value"
    )
    assert "(p, q there, a, b here)" in note
    others = split_people(of_sex(["a", "b"] * 3), of_sex(["a", "q"] * 3), own=0).everybody
    assert others.notes == ()
    with pytest.raises(InputError, match="recode= is about the values of a table"):
        split_people(people, 0.5, recode={"sex": {"a": "b"}})


# what is wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"held_out": 0}, "held_out= must be a share of the people above 0 and below 1, such as "
                          "0.5, got 0"),
        ({"held_out": 1}, "held_out= must be a share"),
        ({"held_out": 1.5}, "held_out= must be a share"),
        ({"held_out": float("nan")}, "held_out= must be a share"),
        ({"held_out": True}, "held_out= must be a share"),
        ({"held_out": []}, "random table has 150 records, and this split leaves 0 people held out"),
        ({"held_out": np.zeros(150, dtype=bool)}, "but at least 2 are needed; choose other shares"),
        ({"held_out": np.ones(150, dtype=bool)}, "leaves 0 members, but at least 2 are"),
        ({"held_out": [150]}, "held_out= has record 150, but records are numbered from 0 to 149"),
        ({"held_out": [0.5]}, "a mask of 150 truth values, or microdata of other people; got a"),
        ({"held_out": [[1], [2, 3]]}, "a list of record numbers counted from 0"),
        ({"held_out": "half"}, "held_out= must be a share such as 0.5, a list of record numbers"),
        ({"held_out": PEOPLE.take([])}, "leaves 0 people held out"),
        ({"held_out": 0.001}, "leaves 0 people held out"),
        ({"held_out": 0.999}, "leaves 0 members"),
        ({"own": 1}, "own=1 is not possible: it must be a number from 0 below 1"),
        ({"own": 0}, 'own=0 leaves the attacker "population" without a sample'),
        ({"own": 0.005}, "leaves 1 people in the attacker's own sample"),
        ({"attackers": "removals"}, "no attacker 'removals'; did you mean 'removal'? (known: "
                                   "covered, covered-value, release, population, removal)"),
        ({"attackers": 3}, "attackers=3 is not possible: name one or several of covered, "
                           "covered-value, release, population, removal"),
        ({"attackers": None}, "attackers=None is not possible: name one or several of covered"),
        ({"attackers": [3]}, "no attacker 3 (known: covered, covered-value, release, "
         "population, removal)"),
        ({"attackers": [["release"]]}, "no attacker ['release'] (known:"),
        ({"attackers": []}, "attackers=[] is not possible: name one or several of covered"),
        ({"removals": 0}, "removals=0 is not possible: it must be a whole number from 1 up"),
        ({"seed": -1}, "it must be a whole number from 0 up"),
        ({"jobs": 0}, "jobs"),
        ({"adversary": "naive-bays"}, "did you mean 'naive-bayes'?"),
        ({"adversary": "naive-bayes:encoding=quantiles-before-hot"},
         "before it is sanitized, which leaves out people held out"),
    ],
)  # fmt: skip
def test_bad_options_are_told(options, message):
    with pytest.raises(InputError) as error:
        uv.membership(PEOPLE, uv.Mondrian(k=2), **options)
    assert message in str(error.value)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_tables_too_small_to_split(n):
    with pytest.raises(InputError):
        uv.membership(PEOPLE.take(range(n)), uv.Identity())


def test_it_needs_microdata():
    with pytest.raises(InputError, match="membership needs microdata"):
        uv.membership({"a": [1]}, uv.Identity())


def test_a_goal_that_the_members_cannot_meet_speaks_of_them():
    with pytest.raises(GoalError) as error:
        uv.membership(PEOPLE, uv.Mondrian(k=61))
    assert str(error.value) == (
        "Mondrian(k=61) cannot be met: the members' part of random table has 60 records, fewer "
        "than k=61; the largest possible k is 60"
    )


def test_an_own_sample_too_small_ends_that_attacker_alone():
    finding = uv.membership(PEOPLE, uv.Mondrian(k=31))
    assert finding.against["population"] is None
    assert finding.against["release"] is not None
    reason = "the attacker's own sample cannot be sanitized this way"
    assert finding.not_scored == {"population": {reason: 120}}
    assert "the attacker's own part of random table has 30 records" in finding.notes[0]
    assert "NOT SCORED by population: 120 people" in finding.summary()
    with pytest.raises(InputError, match="scored no one, so there is no ROC curve"):
        finding.roc("population")
    with pytest.raises(uv.UnveilError) as error:
        uv.membership(PEOPLE, uv.Mondrian(k=31), attackers="population")
    assert "no attacker could score both members and people held out" in str(error.value)
    assert "30 records, fewer than k=31" in str(error.value)


# trouble ------------------------------------------------------------------------------------


def test_tables_that_cannot_lose_anybody_are_counted():
    finding = uv.membership(PEOPLE, uv.Mondrian(k=60), own=0.2, attackers=ATTACKERS)
    assert finding.not_scored["removal"] == {
        "the table without them cannot be sanitized this way": 120
    }
    assert finding.against["removal"] is None
    assert finding.strongest != "removal"
    alone = replace(finding, played={"release": finding.played["release"]})
    assert alone.strongest == "release"


@dataclass(frozen=True)
class Fussy(Sanitizer):
    """Will not do without some people."""

    needed: tuple[int, ...]

    def sanitize(self, microdata):
        if len(microdata) == 59 and not set(self.needed) <= set(microdata.rows.tolist()):
            raise RuntimeError("I miss somebody")
        return uv.Mondrian(k=3).sanitize(microdata)


def test_releases_that_fail_are_counted_and_take_no_others_along():
    members = split_people(PEOPLE).members
    needed = tuple(members[:5].tolist())
    finding = uv.membership(PEOPLE, Fussy(needed), jobs=1, removals=20)
    smooth = uv.membership(PEOPLE, uv.Mondrian(k=3), removals=20)
    scored = finding.played["removal"]
    gone = np.isnan(scored.scores)
    failed = np.isin(finding.people.asked, needed)
    others = ~finding.people.is_member & np.isin(members[scored.together], needed)
    np.testing.assert_array_equal(gone, failed | others)
    assert scored.reasons == {"the sanitizer failed": int(gone.sum())}
    assert len(scored.failures) == gone.sum()
    assert scored.failures[0][1] == "RuntimeError: I miss somebody"
    kept = smooth.played["removal"].scores[~gone]
    np.testing.assert_array_equal(scored.scores[~gone], kept)
    assert finding.against["removal"].members == 55
    assert "errors are listed with the values of individuals" in finding.summary()
    frame = finding.to_frame()
    assert frame["failure: removal"].notna().tolist() == gone.tolist()
    assert (frame.loc[gone, "failure: removal"] == "RuntimeError: I miss somebody").all()


class Picky(NaiveBayes):
    """Cannot stand some people."""

    who = PEOPLE.codes[:, [0, 1]]
    value = np.nan

    def predict(self, release, codes):
        disliked = (codes[:, :, None] == self.who[:, None, :]).all(axis=0).any(axis=1)
        if disliked.any() and np.isnan(self.value):
            raise RuntimeError("not them")
        return super().predict(release, codes)


def test_people_whom_the_adversary_cannot_handle_are_counted():
    alike = (PEOPLE.codes[:, :, None] == Picky.who[:, None, :]).all(axis=0).any(axis=1)
    finding = uv.membership(PEOPLE, Constant(), adversary=Picky(), jobs=1, removals=60)
    plain = uv.membership(PEOPLE, Constant(), jobs=1)
    for attacker in BELIEVING:
        scored = finding.played[attacker]
        gone = alike[finding.people.asked]
        assert gone.any()
        np.testing.assert_array_equal(np.isnan(scored.scores), gone)
        assert sum(scored.reasons.values()) == gone.sum()
        np.testing.assert_array_equal(scored.scores[~gone], plain.played[attacker].scores[~gone])


class Helpless(NaiveBayes):
    def predict(self, release, codes):
        raise RuntimeError("no idea")


class Undecided(NaiveBayes):
    def predict(self, release, codes):
        return np.full((codes.shape[1], release.sensitive.size), np.nan)


def test_an_adversary_who_fails_on_everybody():
    with pytest.raises(uv.UnveilError, match="RuntimeError: no idea"):
        uv.membership(PEOPLE, uv.Identity(), adversary=Helpless())
    with pytest.raises(uv.UnveilError, match="the adversary has no belief about them"):
        uv.membership(PEOPLE, uv.Identity(), adversary=Undecided(), attackers="release")


@dataclass(frozen=True)
class Interrupted(Sanitizer):
    """The user has had enough when a table of this size comes."""

    size: int

    def sanitize(self, microdata):
        if len(microdata) == self.size:
            raise KeyboardInterrupt
        return uv.Mondrian(k=3).sanitize(microdata)


def test_an_interrupt_keeps_what_the_other_attackers_found():
    finding = uv.membership(PEOPLE, Interrupted(59), jobs=1)
    assert finding.not_scored == {"removal": {"interrupted": 120}}
    assert finding.against["population"] is not None
    with pytest.raises(KeyboardInterrupt):
        uv.membership(PEOPLE, Interrupted(74), attackers="removal", jobs=1)
    with pytest.raises(KeyboardInterrupt):
        uv.membership(PEOPLE, Interrupted(60), jobs=1)


def test_an_interrupt_while_members_are_tested(monkeypatch):
    real = uv.differential_inference

    def interrupted(*args, **options):
        finding = real(*args, **options)
        return replace(finding, not_tested={"interrupted": 1})

    monkeypatch.setattr(_attackers, "differential_inference", interrupted)
    finding = uv.membership(PEOPLE, uv.Mondrian(k=3))
    assert finding.not_scored == {"removal": {"interrupted": 120}}


def test_a_folder_of_releases_serves_as_far_as_it_goes(tmp_path):
    table = uv.read_table({"age": [20, 31, 42, 53, 64, 75] * 3, "s": list("xyzxyy") * 3},
                          quasi="age", sensitive="s")  # fmt: skip
    frame = table.to_frame()
    frame.to_csv(tmp_path / "full.csv", index=False)
    for record in (0, 7, 11):
        frame.drop(index=record).to_csv(tmp_path / f"without_{record:06}.csv", index=False)
    others = table.take([0, 1, 2, 3, 4])
    options = {"held_out": others, "attackers": ("release", "removal"), "adversary": "naive-bayes"}
    finding = uv.membership(table, uv.Oracle(tmp_path), jobs=1, **options)
    plain = uv.membership(table, uv.Identity(), **options)
    scored = finding.played["removal"]
    assert scored.reasons == {"there is no release without them": 15}
    assert np.flatnonzero(~np.isnan(scored.scores[:18])).tolist() == [0, 7, 11]
    np.testing.assert_allclose(
        scored.scores[[0, 7, 11]], plain.played["removal"].scores[[0, 7, 11]], atol=1e-9
    )
    assert set(scored.together[18:].tolist()) <= {0, 7, 11}
    for record in (0, 7, 11):
        (tmp_path / f"without_{record:06}.csv").unlink()
    alone = uv.membership(table, uv.Oracle(tmp_path), jobs=1, **options)
    assert alone.not_scored["removal"] == {"there is no release without them": 23}


@pytest.mark.parametrize(
    "sanitizer",
    [uv.Mondrian(k=3), uv.Identity(), uv.Microaggregation(k=3), uv.LaplaceCounts(epsilon=1)],
)
def test_of_several_models_the_strongest_counts(sanitizer):
    """By default: the sanitizer's own and two that count. Each scores as it does alone."""
    options = {"attackers": ("release", "population", "removal"), "removals": 20, "jobs": 1}
    finding = uv.membership(PEOPLE, sanitizer, **options)
    names = list(dict.fromkeys(
        [*sanitizer.adversaries, "conditional-frequency", "smoothed-frequency"]
    ))  # fmt: skip
    alone = [uv.membership(PEOPLE, sanitizer, adversary=name, **options) for name in names]
    highs = []
    for attacker in options["attackers"]:
        best = finding.played[attacker]
        every = {one.model: one for one in (best, *best.others)}
        assert set(every) == {one.adversaries[0].label for one in alone}
        for one in alone:
            label = one.adversaries[0].label
            np.testing.assert_array_equal(every[label].scores, one.played[attacker].scores)
            assert finding.models(attacker)[label] == one.against[attacker].auc
        areas = [one.against[attacker].auc for one in alone]
        assert finding.against[attacker].auc.value == max(area.value for area in areas)
        highs.append(max(area.high for area in areas))
        assert f"AUC of {attacker} by model" in finding.summary()
    one, two = finding.figures
    assert (one.high, two.high) == (max(highs[:2]), highs[2])


def test_an_oracle_gets_the_scores_of_what_it_is():
    def anonymize(microdata):
        return uv.Mondrian(k=3).sanitize(microdata)

    oracle = uv.Oracle(anonymize, takes="microdata")
    fast = uv.membership(PEOPLE, uv.Mondrian(k=3), removals=20)
    slow = uv.membership(PEOPLE, oracle, removals=20, jobs=1)
    for attacker in ATTACKERS:
        np.testing.assert_array_equal(fast.played[attacker].scores, slow.played[attacker].scores)


def test_the_numbers_do_not_depend_on_the_number_of_processes():
    one, two = (uv.membership(PEOPLE, Noise(1), removals=20, jobs=n) for n in (1, 2))
    for attacker in ATTACKERS:
        np.testing.assert_array_equal(one.played[attacker].scores, two.played[attacker].scores)
    assert one.against == two.against
    assert one.removals == 20


def test_a_scikit_learn_classifier_attacks():
    from sklearn.tree import DecisionTreeClassifier

    finding = uv.membership(
        PEOPLE.take(range(40)), uv.Identity(), adversary=DecisionTreeClassifier(max_depth=3),
        removals=5, jobs=1,
    )  # fmt: skip
    assert all(found is not None for found in finding.against.values())
    assert "DecisionTreeClassifier" in finding.summary()


def test_noise_of_what_is_published_hangs_on_the_seed():
    people = uv.datasets.census(120, seed=3)
    sanitizer = uv.LaplaceCounts(epsilon=1)
    options = {"attackers": "release", "held_out": list(range(60))}
    first, again, other = (
        uv.membership(people, sanitizer, seed=seed, **options).played["release"].scores
        for seed in (1, 1, 2)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_members_are_not_held_out():
    people = uv.datasets.census(60, seed=3)
    with pytest.raises(uv.UnveilError, match="are the members themselves"):
        uv.membership(people, uv.Mondrian(k=2), held_out=people)
