"""What an adversary believes about everybody, from one release alone.

It takes no second run of the sanitizer, so it can be said of any published file. It also cannot
tell what somebody's own record gives away from what is true of people like them: that is what
the differential inference test is for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary, adversary_named, prior_for
from unveil.attacks._beliefs import Knowledge
from unveil.errors import InputError
from unveil.findings import Finding
from unveil.microdata import AnyRelease, Microdata, Release, same_domains, with_records
from unveil.sanitize import as_microdata

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Inference", "inference"]

_STEP = 4096  # records asked about at a time


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Inference(Finding):
    """How well an adversary guesses the sensitive values from a release.

    Attributes
    ----------
    belief : array
        How much of the belief about each record is on its true value; NaN where there is none.
    guessed : array of bool
        Whether the value believed most is the true one.
    """

    belief: NDArray[np.float64]
    guessed: NDArray[np.bool_]
    microdata: Microdata
    release: Release
    adversary: Adversary
    notes: tuple[str, ...] = ()

    @property
    def accuracy(self) -> float:
        """The share of the records whose value is guessed."""
        return float(self.guessed.mean())

    @property
    def baseline(self) -> float:
        """The share of the most frequent value: what guessing it for everybody would give."""
        return float(self.microdata.sensitive_counts.max() / len(self.microdata))

    def to_frame(self) -> pd.DataFrame:
        """One row a record: the belief in its true value, and whether that is the guess."""
        import pandas as pd

        return pd.DataFrame(
            {
                "record": np.arange(len(self.microdata)),
                "row": self.microdata.rows,
                "belief in the true value": self.belief,
                "guessed": self.guessed,
            }
        )

    def content(self, *, records: bool) -> dict[str, Any]:
        content: dict[str, Any] = {
            "finding": "inference",
            "source": self.microdata.source,
            "release": self.release.made_by,
            "adversary": self.adversary.label,
            "quasi": [c.name for c in self.microdata.quasi],
            "sensitive": self.microdata.sensitive.name,
            "records": len(self.microdata),
            "released": len(self.release),
            "suppressed": self.release.suppressed,
            "classes": self.release.n_classes,
            "smallest_class": int(self.release.sizes.min()),
            "accuracy": self.accuracy,
            "baseline": self.baseline,
            "notes": list(self.notes),
        }
        if records:
            content["belief"] = [None if np.isnan(b) else b for b in self.belief.tolist()]
        return content

    def summary(self) -> str:
        release, secret = self.release, self.microdata.sensitive.name
        lines = [
            f"Inference from {release.made_by}, a release of {self.microdata.source}",
            f"  {len(release):,} records in {release.n_classes:,} classes of "
            f"{release.sizes.min():,} to {release.sizes.max():,}",
            f"  {self.adversary.label} guesses the {secret} of {self.accuracy:.1%} of the people; "
            f"naming the most frequent one for everybody, he would be right for "
            f"{self.baseline:.1%}.",
            "  How much of it comes from their own records, only the differential inference test "
            "can tell.",
        ]
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])


def inference(
    release: Release,
    microdata: Microdata,
    *,
    adversary: Adversary | str | Any = "naive-bayes",
    prior: Any = None,
) -> Inference:
    """How well an adversary guesses everybody's sensitive value from a release.

    Parameters
    ----------
    release : Release
        What was published, such as `read_release` returns.
    microdata : Microdata
        The original table.
    adversary : Adversary, str or scikit-learn classifier
        Who guesses.
    prior : mapping or table, optional
        What he knows of the sensitive values beforehand; see `differential_inference`.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.datasets.election_survey()
    >>> finding = uv.inference(uv.Mondrian(k=5).sanitize(survey), survey)
    >>> round(finding.accuracy, 3), round(finding.baseline, 3)
    (0.282, 0.212)
    """
    microdata = as_microdata(microdata, "inference")
    if not isinstance(release, AnyRelease):
        raise InputError(
            f"inference needs a release, got a {type(release).__name__}; a sanitizer makes one, "
            "and unveil.read_release reads one"
        )
    release = with_records(release, "inference")
    if not same_domains(release, microdata):
        raise InputError(
            f"the release by {release.made_by} is none of {microdata.source}: their columns, or "
            "the values in them, differ; read it with unveil.read_release(table, microdata)"
        )
    attacker = adversary_named(adversary)
    if attacker.prepared(microdata) is not microdata:
        raise InputError(
            f"{attacker.label} needs the table cut into quantiles before it is sanitized, which "
            "is too late for a release that is there; choose another encoding"
        )
    known = Knowledge(microdata=microdata, prior=prior_for([attacker], prior, microdata))
    true = microdata.sensitive.codes
    belief, guess = np.empty(len(microdata)), np.empty(len(microdata), dtype=np.intp)
    for first in range(0, len(microdata), _STEP):
        records = np.arange(first, min(first + _STEP, len(microdata)))
        beliefs = known.believed(attacker, release, records)
        belief[records] = beliefs[np.arange(len(records)), true[records]]
        none = np.isnan(beliefs).any(axis=1)
        guess[records] = np.where(none, -1, beliefs.argmax(axis=1))
    return Inference(
        belief=belief,
        guessed=guess == true,
        microdata=microdata,
        release=release,
        adversary=attacker,
        notes=tuple(dict.fromkeys((*release.notes, *attacker.notes))),
    )
