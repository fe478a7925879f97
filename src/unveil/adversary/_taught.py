"""Models that were trained on a release, for as long as the release is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from unveil.microdata import Release

__all__ = ["Taught"]

Model = TypeVar("Model")


class Taught(Generic[Model]):
    """Remembers one model a release; whoever is sent to another process starts with none.

    >>> import unveil as uv
    >>> release = uv.Identity().sanitize(uv.datasets.census(10))
    >>> taught = Taught()
    >>> taught.model(release, lambda: "a model"), taught.model(release, lambda: "another")
    ('a model', 'a model')
    """

    def __init__(self) -> None:
        self._models: WeakKeyDictionary[Release, Model] = WeakKeyDictionary()

    def model(self, release: Release, learn: Callable[[], Model]) -> Model:
        """The release's model, learned now if it is not known yet."""
        found = self._models.get(release)
        if found is None:
            found = self._models[release] = learn()
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return Taught, ()
