"""All classical measures at once, for one pass over the counts."""

from __future__ import annotations

from unveil.engine.counting import Contingency
from unveil.findings import Finding
from unveil.measures._one_pass import Looking
from unveil.measures.classical._alpha_k import AlphaKLooking
from unveil.measures.classical._beta_likeness import BetaLikenessLooking
from unveil.measures.classical._delta_disclosure import DeltaDisclosureLooking
from unveil.measures.classical._k_anonymity import KAnonymityLooking
from unveil.measures.classical._l_diversity import LDiversityLooking
from unveil.measures.classical._t_closeness import TClosenessLooking
from unveil.microdata import Hierarchy

__all__ = ["classical"]


def classical(
    counts: Contingency,
    *,
    distance: str | Hierarchy | None = None,
    l: int = 2,  # noqa: E741  (it is called l everywhere in this field)
) -> dict[str, Looking[Finding]]:
    """All classical measures that the counts allow, ready to look at the classes.

    Without a sensitive column there is only k-anonymity.

    Parameters
    ----------
    counts : Contingency
    distance : {"equal", "ordered", "hierarchical"} or Hierarchy, optional
        That of t-closeness: see `t_closeness`.
    l : int
        See `l_diversity`.

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.measures._counted import count
    >>> from unveil.measures._one_pass import one_pass
    >>> from unveil.measures.classical import classical
    >>> counts = count(uv.read_table({"age": [1, 1, 2, 2], "vote": ["a", "b", "a", "b"]},
    ...                              quasi=["age"], sensitive="vote"))
    >>> lookings = classical(counts)
    >>> findings = dict(zip(lookings, one_pass(counts, list(lookings.values()))))
    >>> list(findings)
    ['k_anonymity', 'alpha_k', 'l_diversity', 't_closeness', 'beta_likeness', 'delta_disclosure']
    >>> findings["k_anonymity"].k, findings["t_closeness"].t
    (2, 0.0)
    """
    lookings: dict[str, Looking[Finding]] = {"k_anonymity": KAnonymityLooking(counts)}
    if counts.secret is not None:
        lookings["alpha_k"] = AlphaKLooking(counts)
        lookings["l_diversity"] = LDiversityLooking(counts, l=l)
        lookings["t_closeness"] = TClosenessLooking(counts, distance=distance)
        lookings["beta_likeness"] = BetaLikenessLooking(counts)
        lookings["delta_disclosure"] = DeltaDisclosureLooking(counts)
    return lookings
