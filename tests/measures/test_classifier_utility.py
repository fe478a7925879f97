"""What a classifier still learns, against training and trying it by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import tables_and_goals

import unveil as uv
from unveil.adversary import NaiveBayes
from unveil.errors import InputError
from unveil.measures import classifier_utility
from unveil.measures._classifier_utility import score_of
from unveil.microdata import Microdata
from unveil.sanitize import Sanitizer


def splits(microdata: Microdata, held: int, repeats: int, seed: int):
    for split in range(repeats):
        order = np.random.default_rng([seed, 1, split]).permutation(len(microdata))
        yield np.sort(order[held:]), np.sort(order[:held])


def share_right(release, table: Microdata) -> float:
    """One person at a time."""
    right = 0
    for record in range(len(table)):
        belief = NaiveBayes().predict(release, table.codes[:, [record]])[0]
        right += int(belief.argmax()) == table.sensitive.codes[record]
    return right / len(table)


@examples(40)
@given(tables_and_goals(max_size=25), st.integers(0, 9))
def test_it_is_trained_on_the_release_and_tried_on_the_original(case, seed):
    microdata, _ = case
    held = round(0.3 * len(microdata))
    if not 0 < held < len(microdata):
        with pytest.raises(InputError, match="too few for held_out"):
            classifier_utility(uv.Mondrian(k=1), microdata)
        return
    sanitizer = uv.Mondrian(k=min(2, len(microdata) - held))
    found = classifier_utility(sanitizer, microdata, repeats=3, seed=seed)
    assert (found.training, found.held_out) == (len(microdata) - held, held)
    for split, (train, out) in enumerate(splits(microdata, held, 3, seed)):
        part, others = microdata.take(train), microdata.take(out)
        assert found.from_release[split] == share_right(sanitizer.sanitize(part), others)
        assert found.from_original[split] == share_right(uv.Identity().sanitize(part), others)
        top = part.sensitive_counts.argmax()
        assert found.from_majority[split] == np.mean(others.sensitive.codes == top)


def test_a_release_is_taken_record_by_record():
    survey = uv.datasets.election_survey().take(range(120))
    release = uv.Mondrian(k=4).sanitize(survey)
    found = classifier_utility(release, survey, repeats=2)
    assert not found.sanitized_anew
    frame = release.to_frame()
    for split, (train, out) in enumerate(splits(survey, 36, 2, 0)):
        published = uv.read_release(frame.iloc[train].reset_index(drop=True), survey)
        assert found.from_release[split] == share_right(published, survey.take(out))
    # Without sanitization, the release of some people is that of all, cut down.
    nothing_done = classifier_utility(uv.Identity().sanitize(survey), survey, repeats=2)
    assert nothing_done.from_release.tolist() == nothing_done.from_original.tolist()
    assert (nothing_done.lost.mean, nothing_done.lost.high) == (0, 0)


def clear(n: int = 400) -> Microdata:
    """Ages that tell the vote but for every tenth, and a column besides that tells age."""
    rng = np.random.default_rng(1)
    age = rng.integers(20, 80, n)
    vote = np.where((age < 50) ^ (rng.random(n) < 0.1), "left", "right")
    generation = np.where(age < 50, "young", "old")
    return uv.read_table(
        {"age": age // 2, "town": rng.choice(list("abc"), n), "vote": vote, "gen": generation},
        quasi=["age", "town"], sensitive="vote",
    )  # fmt: skip


def test_it_falls_from_what_the_original_teaches_to_the_majority_rule():
    people = clear()
    fine, coarse = (classifier_utility(uv.Mondrian(k=k), people) for k in (5, 280))
    assert fine.kept > 0.9
    assert fine.original.low > fine.majority.high
    assert coarse.from_release.tolist() == coarse.from_majority.tolist()
    assert coarse.kept == 0
    assert coarse.lost.mean == pytest.approx(coarse.original.mean - coarse.majority.mean)


def test_another_column_than_the_sensitive_one():
    people = clear()
    found = classifier_utility(uv.Mondrian(k=10), people, of="gen", repeats=3)
    assert found.target == "gen"
    assert found.release.mean > 0.9
    roles = uv.read_table(people.to_frame().drop(columns="vote"),
                          quasi=["age", "town"], sensitive="gen")  # fmt: skip
    same = classifier_utility(uv.Mondrian(k=10), roles, repeats=3)
    assert same.from_release.tolist() == found.from_release.tolist()
    assert same.from_original.tolist() == found.from_original.tolist()
    release = uv.Mondrian(k=10).sanitize(people)
    assert classifier_utility(release, people, of="gen", repeats=3).release.mean > 0.9


@pytest.mark.parametrize("model", ["tree@bounds-hot", "naive-bayes@quantiles-before-hot"])
def test_models_by_name(model):
    found = classifier_utility(uv.Mondrian(k=5), clear(), model=model, repeats=2)
    assert found.original.mean > 0.8
    assert "bounds-hot" in found.model or "quantiles-before-hot" in found.model


def test_noisy_counts_are_learned_from_by_who_can():
    people = clear(60)
    found = classifier_utility(uv.LaplaceCounts(epsilon=5), people, repeats=2)
    assert "frequency" in found.model
    again = classifier_utility(uv.LaplaceCounts(epsilon=5), people, repeats=2)
    assert again.from_release.tolist() == found.from_release.tolist()  # one seed, one answer
    with pytest.raises(InputError, match="learns from released records, and LaplaceCounts"):
        classifier_utility(uv.LaplaceCounts(epsilon=5), people, model="naive-bayes")
    with pytest.raises(InputError, match="predicting gen needs released records"):
        classifier_utility(uv.LaplaceCounts(epsilon=5), people, of="gen")


def test_intervals_know_that_splits_share_records():
    scores = np.array([0.5, 0.6, 0.7])
    found = score_of(scores, training=70, held_out=30, least=0)
    half = 4.302652729749462 * math.sqrt(0.01 * (1 / 3 + 30 / 70))
    assert found.mean == pytest.approx(0.6)
    assert (found.low, found.high) == (pytest.approx(0.6 - half), pytest.approx(0.6 + half))
    same = score_of(np.array([0.5, 0.5]), training=7, held_out=3, least=0)
    assert (same.low, same.mean, same.high) == (0.5, 0.5, 0.5)
    wide = score_of(np.array([0.0, 1.0]), training=7, held_out=3, least=0)
    assert (wide.low, wide.high) == (0, 1)


def test_it_prints_and_turns_into_a_table_and_json():
    found = classifier_utility(uv.Mondrian(k=5), clear(), repeats=3)
    assert repr(found).startswith(
        "What Bernoulli naive Bayes still learns of vote from Mondrian(k=5)\n"
        "  tried on 120 held-out records of table, 3 splits\n"
    )
    assert "Kept of what the original teaches beyond the majority rule: " in repr(found)
    assert len(found.to_frame()) == found.repeats == 3
    content = found.to_dict()
    assert content["accuracy"]["release"]["mean"] == found.release.mean
    assert content["kept"] == found.kept


def test_where_there_is_nothing_to_learn():
    rng = np.random.default_rng(0)
    noise = uv.read_table({"age": rng.integers(0, 5, 80), "s": rng.choice(list("ab"), 80)},
                          quasi="age", sensitive="s")  # fmt: skip
    found = classifier_utility(uv.Mondrian(k=5), noise)
    assert found.kept is None
    assert found.to_dict()["kept"] is None
    assert "cannot be told from this" in repr(found)
    rare = uv.datasets.census(500, seed=1)  # hundreds of places, and rare diagnoses
    assert "teaches this model less than the majority rule" in repr(
        classifier_utility(uv.Mondrian(k=5), rare, repeats=5)
    )


class Backwards(Sanitizer):
    """Publishes the records in another order."""

    def sanitize(self, microdata):
        return uv.Identity().sanitize(microdata.take(np.arange(len(microdata))[::-1]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"of": "age"}, "'age' cannot be predicted: its role is quasi-identifier"),
        ({"of": "ag"}, "column 'ag' is not in table; did you mean 'age'"),
        ({"held_out": 0}, "held_out=0 is not possible: it must be a number above 0 below 1"),
        ({"held_out": True}, "held_out=True is not possible"),
        ({"held_out": 0.001}, "60 people are too few for held_out=0.001: 0 would be"),
        ({"repeats": 1}, "repeats=1 is not possible: it must be a whole number from 2 up"),
        ({"seed": -1}, "seed=-1 is not possible: it must be a whole number from 0 up"),
        ({"model": "naive-bays"}, "did you mean 'naive-bayes'"),
    ],
)
def test_options_are_checked_before_the_work(options, message):
    with pytest.raises(InputError, match=message):
        classifier_utility(uv.Mondrian(k=2), clear(60), **options)


def test_releases_whose_records_are_not_those_of_the_original():
    people = clear(60)
    release = uv.Mondrian(k=2).sanitize(people)
    with pytest.raises(InputError, match=r"record 1 by Identity.* has another 'vote'"):
        classifier_utility(Backwards().sanitize(people), people)
    with pytest.raises(InputError, match="predicting gen needs the release's records in the order"):
        classifier_utility(Backwards(), people, of="gen")
    fewer = uv.read_release(release.to_frame().iloc[:-1], people)
    with pytest.raises(InputError, match="needs all 60 records of table in the release"):
        classifier_utility(fewer, people)
    with pytest.raises(InputError, match="cut into quantiles before it is sanitized"):
        classifier_utility(release, people, model="naive-bayes@quantiles-before-hot")
    with pytest.raises(InputError, match="classifier_utility needs microdata"):
        classifier_utility(release, people.to_frame())
    with pytest.raises(InputError, match="is no sanitizer"):
        classifier_utility("mondrian", people)
