"""A sanitizer: blocks of neighbouring values."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unveil.microdata import Intervals, Microdata, Release
from unveil.sanitize import Sanitizer


@dataclass(frozen=True, kw_only=True)
class Blocks(Sanitizer):
    """Publish blocks of neighbouring values of every quasi-identifier.

    Attributes
    ----------
    width : int
        Number of values in a block.
    """

    width: int = 5

    treats_equals_alike: ClassVar[bool] = True
    deterministic: ClassVar[bool] = True

    def sanitize(self, microdata: Microdata) -> Release:
        blocks, class_of = np.unique(microdata.codes // self.width, axis=1, return_inverse=True)
        regions = []
        for column, first in zip(microdata.quasi, blocks * self.width, strict=True):
            last = np.minimum(first + self.width, column.size) - 1
            regions.append(Intervals(first, last))
        return Release(
            quasi=microdata.quasi, sensitive=microdata.sensitive, regions=tuple(regions),
            class_of=class_of.ravel().astype(np.int32), made_by=self.label, notes=microdata.notes,
        )  # fmt: skip
