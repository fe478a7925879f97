"""Reading a project file: every key known, every value of its type, or it is said where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from unveil.errors import InputError, did_you_mean
from unveil.projects._toml import key_text

__all__ = ["Section"]


@dataclass(frozen=True, kw_only=True)
class Section:
    """A table of the file, with what it takes to name it in messages.

    Attributes
    ----------
    file : str
    name : str
        Such as ``data``; empty for the whole file.
    values : mapping
    """

    file: str
    name: str
    values: Mapping[str, Any]

    def wrong(self, said: str) -> InputError:
        """An error in this table."""
        where = f"{self.file}, [{self.name}]" if self.name else self.file
        return InputError(f"{where}: {said}")

    def known(self, keys: Iterable[str]) -> None:
        """Refuse keys that mean nothing."""
        listed = list(keys)
        for key in self.values:
            if key not in listed:
                raise self.wrong(
                    f"there is no {'key' if self.name else 'table'} {key!r}"
                    f"{did_you_mean(key, listed)} (known: {', '.join(listed)})"
                )

    def section(self, key: str) -> Section:
        """A table in this one; empty if it is not there."""
        name = f"{self.name}.{key}" if self.name else key
        values = self.values.get(key, {})
        if not isinstance(values, Mapping):
            raise self.wrong(f"{key} must be a table, [{name}], but is {_told(values)}")
        return Section(file=self.file, name=name, values=values)

    def sections(self, key: str) -> list[Section]:
        """Tables of the same name, written ``[[releases]]``."""
        given = self.values.get(key, [])
        if not isinstance(given, list) or not all(isinstance(one, Mapping) for one in given):
            raise self.wrong(f"{key} must be tables, each headed [[{key}]], but is {_told(given)}")
        return [
            Section(file=self.file, name=f"{key}, number {i}", values=one)
            for i, one in enumerate(given, start=1)
        ]

    def text(self, key: str) -> str | None:
        """A text."""
        return self._typed(key, "a text", lambda v: isinstance(v, str) and bool(v.strip()))

    def flag(self, key: str) -> bool | None:
        """A truth value."""
        return self._typed(key, "true or false", lambda v: isinstance(v, bool))

    def whole(self, key: str, least: int) -> int | None:
        """A whole number."""
        return self._typed(
            key, f"a whole number from {least} up",
            lambda v: isinstance(v, int) and not isinstance(v, bool) and v >= least,
        )  # fmt: skip

    def choice(self, key: str, choices: Iterable[str]) -> str | None:
        """One of several words."""
        listed = list(choices)
        value = self.values.get(key)
        near = did_you_mean(value, listed) if isinstance(value, str) else ""
        return self._typed(key, " or ".join(map(repr, listed)), lambda v: v in listed, near)

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A text, or a list of texts."""
        value = self._typed(key, "a text or a list of texts", lambda v: _is_texts(_many(v)))
        return None if value is None else tuple(_many(value))

    def _typed(self, key: str, what: str, is_one: Callable[[Any], bool], near: str = "") -> Any:
        value = self.values.get(key)
        if value is None or is_one(value):
            return value
        raise self.wrong(f"{key_text(key)} must be {what}, but is {_told(value)}{near}")


def _many(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _told(value: Any) -> str:
    return "a table" if isinstance(value, Mapping) else repr(value)
