"""Every measure of utility of a release at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from unveil.errors import InputError
from unveil.measures._counted import count
from unveil.measures._one_pass import one_pass
from unveil.measures.utility._class_size import AverageClassSize, ClassSizeLooking, check_k
from unveil.measures.utility._classifier_utility import ClassifierUtility, classifier_utility
from unveil.measures.utility._discernibility import Discernibility, discernibility_looking
from unveil.measures.utility._entropy_loss import entropy_loss
from unveil.measures.utility._information_loss import information_loss
from unveil.measures.utility._originals import refuse_untrue, release_of
from unveil.measures.utility._suppression import suppression
from unveil.measures.utility._utility_finding import Utility
from unveil.microdata import AnyRelease, Microdata, Release

if TYPE_CHECKING:
    from unveil.sanitize import Sanitizer

__all__ = ["utility"]


def utility(
    release: Release | Sanitizer | Callable[[Any], Any],
    microdata: Microdata,
    *,
    k: int | None = None,
    classifier: bool | None = None,
    model: Any = None,
    of: str | None = None,
    held_out: float = 0.3,
    repeats: int = 10,
    seed: int = 0,
    progress: bool | None = None,
) -> Utility:
    """What a release is still good for, by every measure.

    Parameters
    ----------
    release : Release, Sanitizer or callable
        What is measured; a sanitizer is run on the microdata.
    microdata : Microdata
        The original table.
    k : int, optional
        How large classes have to be, see `average_class_size`.
    classifier : bool, optional
        Also train a classifier; by default only if ``model`` or ``of`` is given.
    model, of, held_out, repeats, seed, progress
        Of the classifier, see `classifier_utility`.

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.measures.utility import utility
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72], "gender": ["M", "M", "F", "M", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> utility(uv.Mondrian(k=2), patients, k=2)
    Utility of Mondrian(k=2), a release of table
      5 records in 2 classes
      information loss    50.7% (0: nothing is lost, 100%: everything)
      entropy loss        61.6%
      discernibility      13 = 40.00% of the way from best to worst
      average class size  2.5 = 1.25 × 2, the goal
      suppressed          0.0% of the records, 30.0% of the cells
      column  information loss  entropy loss  suppressed cells
      age                41.4%         58.2%              0.0%
      gender             60.0%         69.6%             60.0%
    """
    goal = check_k(k)
    trained: ClassifierUtility | None = None
    if classifier or (classifier is None and (model is not None or of is not None)):
        # First, for it may refuse what it is given; a sanitizer is run on its training parts.
        trained = classifier_utility(
            release, microdata, model=model, of=of, held_out=held_out, repeats=repeats,
            seed=seed, progress=progress,
        )  # fmt: skip
    published = release_of(_made(release, microdata), microdata, "utility")
    refuse_untrue(published, "utility")
    counts = count(published)
    told, size = one_pass(
        counts,
        [discernibility_looking(published, counts, microdata), ClassSizeLooking(counts, k=goal)],
    )
    assert isinstance(told, Discernibility)
    assert isinstance(size, AverageClassSize)
    entropies = entropy_loss(published, microdata)
    heard = trained.notes if trained is not None else ()
    return Utility(
        information_loss=information_loss(published, microdata),
        entropy_loss=entropies,
        discernibility=told,
        class_size=size,
        suppression=suppression(published, microdata),
        classifier=trained,
        made_by=published.made_by,
        source=microdata.source,
        notes=tuple(dict.fromkeys((*published.notes, *entropies.notes, *heard))),
    )


def _made(release: Any, microdata: Any) -> Any:
    """The release, made now if it is a sanitizer."""
    if isinstance(release, AnyRelease):
        return release
    from unveil.sanitize import Sanitizer, as_microdata, as_sanitizer  # takes a second: numba

    if not callable(release) and not isinstance(release, Sanitizer):
        raise InputError(
            f"utility needs a release or a sanitizer, but got a {type(release).__name__}; a "
            "published table becomes a release with unveil.read_release(table, microdata)"
        )
    return as_sanitizer(release).sanitize(as_microdata(microdata, "utility"))
