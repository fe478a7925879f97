"""What the columns of a table are to an attacker, proposed from their names and values."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.roles._looking import FEW, ColumnNames, LookedAt, Profile, look_at, profiles_of
    from unveil.roles._roles import COARSER, SECRETS, Leaning, Settled, settle, share

__all__, __getattr__ = lazily(__name__)
