"""What the four forms of oracles have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Microdata

__all__ = ["Form"]


class Form(ABC):
    """A way of asking for a release."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What is asked, for people."""

    @property
    def label(self) -> str:
        """How the oracle is called in messages."""
        return f"Oracle({self.name})"

    @abstractmethod
    def ask(self, microdata: Microdata, record: int | None) -> Any:
        """What is published of everybody, or of all but one record.

        Raises
        ------
        HiccupError
            If asking again may help; it says only what happened.
        OracleError
            If it cannot.
        """

    @property
    def usual_retries(self) -> int:
        """How often to ask again if the user has not said."""
        return 1

    def can_leave_out(self, microdata: Microdata) -> NDArray[np.intp] | None:
        """The records whose f(D without i) can be had; None: all of them."""
        return None

    def missing_of(self, microdata: Microdata, records: NDArray[np.intp]) -> str | None:
        """What is not there of the releases without some records; None: nothing."""
        return None
