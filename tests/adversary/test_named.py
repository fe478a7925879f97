"""Adversaries by name, and what is said about those nobody knows."""

import pytest

from unveil.adversary import ADVERSARIES, Adversary, NaiveBayes, adversary_named
from unveil.errors import InputError

KNOWN = "(known: naive-bayes, conditional-frequency; or an unveil.adversary.Adversary of your own)"


@pytest.mark.parametrize("name", ADVERSARIES)
def test_names_are_known(name):
    adversary = adversary_named(name)
    assert isinstance(adversary, Adversary)
    assert adversary_named(adversary) is adversary
    assert adversary.label
    assert adversary.explained


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("naive-baies", f"no adversary 'naive-baies'; did you mean 'naive-bayes'? {KNOWN}"),
        (3, f"no adversary 3 {KNOWN}"),
        (NaiveBayes, "NaiveBayes is a kind of adversary; make one: NaiveBayes()"),
    ],
)
def test_others_are_not(given, message):
    with pytest.raises(InputError) as error:
        adversary_named(given)
    assert str(error.value) == message
