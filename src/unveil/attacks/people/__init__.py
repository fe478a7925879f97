"""What several attacks share: people known by name, their place in a release, and a search."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.attacks.people._covers import Covers, Inside
    from unveil.attacks.people._external import (
        External,
        Truth,
        external_of,
        known_columns,
        truth_of,
        with_candidates,
    )
    from unveil.attacks.people._index import (
        Found,
        Index,
        boxes_of,
        counts_of,
        distinct_points,
        suppressed_in,
        values_in_boxes,
    )
    from unveil.attacks.people._kernels import ANY, ANY_VALUE, NO_VALUE, START, STOP, Boxes
    from unveil.attacks.people._placing import Placing
    from unveil.attacks.people._whose import (
        has_repeated,
        in_order,
        known_records,
        named_people,
        opened_list,
        people_of,
        people_of_list,
        person_columns,
        refuse_same_names,
        released_people,
    )

__all__, __getattr__ = lazily(__name__)
