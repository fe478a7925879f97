"""What the columns of a permuted release's two tables are called."""

from __future__ import annotations

from unveil.errors import InputError, did_you_mean
from unveil.microdata._options import Names
from unveil.microdata._permuted_groups import free_name
from unveil.microdata._sources import Source

__all__ = ["ColumnNames"]


class ColumnNames:
    """What the columns are called, said or found out.

    Attributes
    ----------
    quasi : str or sequence of str
    sensitive, group, count : str
    one_table : bool
        Whether records and sensitive values stand in one table.
    has_counts : bool
        Whether the sensitive table says how many records a row stands for.
    """

    def __init__(
        self,
        records: Source,
        secrets: Source,
        quasi: Names | None,
        sensitive: str | None,
        group: str | None,
        count: str | None,
    ) -> None:
        self.one_table = secrets is records
        for option, name in (("sensitive", sensitive), ("group", group), ("count", count)):
            if name is not None and not isinstance(name, str):
                raise InputError(f"{option} must be one column name, but got {name!r}")
        said = [quasi] if isinstance(quasi, str) else list(quasi or ())
        taken = [*said, *([] if sensitive is None else [sensitive])]
        if group is not None and group in taken:
            raise InputError(f"column {group!r} cannot be both a group and a value of the records")
        if count is not None and count in (sensitive, group):
            raise InputError(f"column {count!r} cannot be both a count and something else")
        self.group = free_name("group", taken) if group is None else group
        self.count = count or free_name("count", [] if sensitive is None else [sensitive])
        self.has_counts = count is not None or (not self.one_table and self.count in secrets.arrays)
        if self.one_table and count is not None:
            raise InputError(
                f"count={count!r} belongs to a table of sensitive values, and there is only one "
                "table, of records"
            )
        # Before other columns are taken for something.
        _check(records, self.group, "group")
        _check(secrets, self.group, "group")
        if self.has_counts:
            _check(secrets, self.count, "count")
        self.sensitive = self._only_other(secrets) if sensitive is None else sensitive
        self.quasi = self._all_others(records) if quasi is None else quasi

    def _only_other(self, secrets: Source) -> str:
        others = [name for name in secrets.columns if name not in (self.group, self.count)]
        if self.one_table or len(others) != 1:
            raise InputError(
                f"which column of {secrets.name} is the sensitive one? Say sensitive='…' "
                f"(columns: {', '.join(secrets.columns)})"
            )
        return others[0]

    def _all_others(self, records: Source) -> list[str]:
        others = [name for name in records.columns if name not in (self.group, self.sensitive)]
        if self.one_table and "count" in others:
            raise InputError(
                f"{records.name} has one row a record and a column 'count': name the "
                "quasi-identifiers with quasi=[…], or give a table of sensitive values too"
            )
        if not others:
            raise InputError(f"{records.name} has no quasi-identifiers, only {self.group!r}")
        return others


def _check(source: Source, name: str, option: str) -> None:
    if name not in source.arrays:
        raise InputError(
            f"column {name!r} is not in {source.name}{did_you_mean(name, source.columns)} "
            f"(columns: {', '.join(source.columns)}); if it has another name, say {option}='…'"
        )
