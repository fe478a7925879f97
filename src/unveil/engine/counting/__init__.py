"""Counting: how many records of each class have each sensitive value, wherever the table is."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.engine.counting._contingency import Contingency, Histograms, Secret, text_of
    from unveil.engine.counting._engines import ENGINES, connected
    from unveil.engine.counting._held import Held, KeyColumn, combined, matching_everything
    from unveil.engine.counting._in_engine import (
        EncodedSecret,
        InEngine,
        Question,
        counted,
        paired_in_engine,
    )
    from unveil.engine.counting._people import (
        Drawn,
        Members,
        PeopleInEngine,
        PeopleOfClasses,
    )
    from unveil.engine.counting._people_held import PeopleHeld, PeopleHistograms
    from unveil.engine.counting._rows import check_rows, check_whose, standing_for
    from unveil.engine.counting._tables import Opened, opened
    from unveil.engine.counting._weights import Weighed
    from unveil.microdata import MISSING

__all__, __getattr__ = lazily(__name__)
