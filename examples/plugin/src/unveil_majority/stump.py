"""An adversary: a decision tree that asks one question."""

from typing import Any


def stump(depth: int = 1) -> Any:
    """A shallow decision tree. Any scikit-learn classifier is an adversary."""
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=depth)
