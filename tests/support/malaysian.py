"""The worked example of relative risk: eight patients in four groups of two."""

from __future__ import annotations

import numpy as np

import unveil as uv

PATIENTS = {
    "nationality": ["Malaysia", "Japan", "Japan", "Japan", "China", "Japan", "India", "Malaysia"],
    "zip": ["45501", "45502", "55503", "55504", "66601", "66601", "77701", "77701"],
    "disease": ["Heart", "Flu", "Flu", "Stomach", "HIV", "Diabetes", "Flu", "Heart"],
}
LOCAL_RECODING = {
    "nationality": [
        text for text in ("{Malaysia, Japan}", "Japan", "{China, Japan}", "{India, Malaysia}")
        for _ in range(2)
    ],
    "zip": [text for text in ("4550*", "5550*", "66601", "77701") for _ in range(2)],
    "disease": PATIENTS["disease"],
}  # fmt: skip
GROUPS = np.repeat(np.arange(4), 2)


def patients(*quasi):
    """The original table, of these columns."""
    kept = {name: PATIENTS[name] for name in (*quasi, "disease")}
    return uv.read_table(kept, quasi=list(quasi), sensitive="disease", categorical=list(quasi))


def recoded(*quasi):
    """Its local recoding, which is 2-anonymous."""
    kept = {name: LOCAL_RECODING[name] for name in (*quasi, "disease")}
    return uv.read_release(kept, patients(*quasi))


def anatomized(*quasi):
    """The same groups, with sensitive values shuffled."""
    return uv.Permuted.from_groups(patients(*quasi), GROUPS, made_by="Anatomy")
