"""Encodings compared: every number is that of the encoding by itself, on its own release."""

import json

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from random_tables import random_microdata
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import unveil as uv
from unveil.adversary import (
    ENCODINGS,
    Classifier,
    EncodedNaiveBayes,
    Encoding,
    NaiveBayes,
)
from unveil.attacks.differential import compare_encodings
from unveil.errors import InputError

TABLE = random_microdata(3, 60, ("numeric", "tree", "ordinal"), sensitive_values=3)
SANITIZERS = [uv.Mondrian(k=2), uv.Mondrian(k=8), uv.Identity()]
FINDING = compare_encodings(TABLE, SANITIZERS)


def share_guessed(adversary, sanitizer):
    """One by one, in plain words."""
    table = adversary.prepared(TABLE)
    release = sanitizer.sanitize(table)
    guessed = 0
    for i in range(len(table)):
        belief = adversary.predict(release, table.codes[:, [i]])[0]
        guessed += int(belief.argmax()) == int(table.sensitive.codes[i])
    return guessed / len(table), Encoding.named(adversary.encoding).n_features(release)


@pytest.mark.parametrize("name", ENCODINGS)
def test_each_encoding_is_as_by_itself(name):
    i = [str(encoding) for encoding in FINDING.encodings].index(name)
    for j, sanitizer in enumerate(SANITIZERS):
        accuracy, features = share_guessed(EncodedNaiveBayes(name), sanitizer)
        assert FINDING.accuracy[i, j] == pytest.approx(accuracy)
        assert FINDING.features[i, j] == features


@pytest.mark.parametrize("adversary", ["tree:max_depth=2", DecisionTreeClassifier(max_depth=2)])
def test_models_are_compared_as_well(adversary):
    encodings = ["bounds-hot", "quantiles-before-relative"]
    finding = compare_encodings(
        TABLE, uv.Mondrian(k=4), encodings=encodings, adversary=adversary, seed=3
    )
    assert finding.model == "DecisionTreeClassifier(max_depth=2)"
    for i, name in enumerate(encodings):
        model = Classifier(DecisionTreeClassifier(max_depth=2), name, seed=3)
        accuracy, _ = share_guessed(model, uv.Mondrian(k=4))
        assert finding.accuracy[i, 0] == pytest.approx(accuracy)


def test_the_seed_settles_random_models():
    options = {"encodings": ["bounds-hot"], "adversary": RandomForestClassifier(n_estimators=2)}
    accuracies = [
        compare_encodings(TABLE, uv.Mondrian(k=3), seed=seed, **options).accuracy[0, 0]
        for seed in (1, 1, 2, 3, 4)
    ]
    assert accuracies[0] == accuracies[1]
    assert len(set(accuracies)) > 1


def test_it_is_the_same_whether_the_name_or_the_adversary_is_given():
    options = {"sanitizers": uv.Mondrian(k=3), "encodings": ["bounds-hot", "relative-relative"]}
    for adversary in (NaiveBayes(), EncodedNaiveBayes("binary-hot"), "naive-bayes@bounds-hot"):
        other = compare_encodings(TABLE, adversary=adversary, **options)
        named = compare_encodings(TABLE, **options)
        np.testing.assert_array_equal(other.accuracy, named.accuracy)
        assert other.model == "naive Bayes"


def test_as_a_table():
    frame = FINDING.to_frame()
    assert len(frame) == 24 * 3
    row = frame[(frame.encoding == "bounds-hot-after") & (frame.sanitizer == "Mondrian(k=8)")]
    i = ENCODINGS.index("bounds-hot-after")
    assert row.continuous.item() == "bounds"
    assert row.categorical.item() == "hot-after"
    assert row.accuracy.item() == FINDING.accuracy[i, 1]
    assert row.features.item() == FINDING.features[i, 1]
    assert (frame.seconds >= 0).all()


def test_as_json():
    content = json.loads(FINDING.to_json())
    assert content["finding"] == "compare-encodings"
    assert content["baseline"] == FINDING.baseline
    assert set(content["encodings"]) == set(ENCODINGS)
    assert content["encodings"]["bounds-hot"]["features"] == FINDING.features[4].tolist()
    assert content["sanitizers"] == ["Mondrian(k=2)", "Mondrian(k=8)", "Identity()"]


def test_the_summary_lists_the_best_first_and_the_baseline_last():
    lines = FINDING.summary().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("  encoding "))
    listed = [line.split() for line in lines[start + 1 : start + 25]]
    assert {name for name, *_ in listed} == set(ENCODINGS)
    shares = [float(share.rstrip("%")) for _, share, *_ in listed]
    assert shares == sorted(shares, reverse=True)
    assert listed[0][0] == str(FINDING.best)
    assert lines[start + 25].split()[-1] == f"{FINDING.baseline:.2%}"
    assert "3 sanitizers, from Mondrian(k=2) to Identity()" in lines[0]


def test_what_models_warned_of_is_told_once():
    model = LogisticRegression(max_iter=1)
    finding = compare_encodings(
        TABLE, uv.Mondrian(k=3), encodings=["bounds-hot", "scaling-hot"], adversary=model
    )
    assert len(finding.notes) == 1
    assert "lbfgs failed to converge" in finding.summary()


def test_the_picture_has_a_cell_an_encoding():
    ax = FINDING.plot()
    assert isinstance(ax, Axes)
    texts = [text.get_text() for text in ax.texts]
    assert len(texts) == 24
    i = ENCODINGS.index("relative-relative")
    assert texts[-1] == f"{FINDING.accuracy[i].mean():.0%}"


def test_a_picture_of_some_on_axes_that_are_there(tmp_path):
    finding = compare_encodings(TABLE, uv.Mondrian(k=3), encodings=["bounds-hot"])
    given = Figure(layout="constrained").subplots()
    assert finding.plot(given) is given
    assert len(given.texts) == 1
    given.figure.savefig(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000


def test_it_can_be_silent(capfd):
    compare_encodings(TABLE, uv.Mondrian(k=3), encodings=["bounds-hot"], progress=False)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"adversary": "conditional-frequency"},
            "conditional frequency does not accept another encoding; compare encodings with "
            "naive-bayes or with a scikit-learn classifier",
        ),
        ({"encodings": []}, "give at least one sanitizer and one encoding to compare"),
        ({"sanitizers": []}, "give at least one sanitizer and one encoding to compare"),
    ],
)
def test_what_cannot_be_compared(options, message):
    with pytest.raises(InputError) as error:
        compare_encodings(TABLE, **{"sanitizers": uv.Mondrian(k=3), **options})
    assert str(error.value) == message


def test_a_table_without_roles_is_refused():
    with pytest.raises(InputError, match="compare_encodings needs microdata"):
        compare_encodings(TABLE.to_frame(), uv.Mondrian(k=3))
