"""From an original and a published file to a project: how one follows from the other, in a file.

`align` says which column is which and how it was coarsened; the proposal says what is what to an
attacker. A project has both, so that everything in it can be corrected. What align asks must be
answered first: no figure rests on a guess.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from unveil.aligning import AlignedColumn, Alignment, Question, align
from unveil.errors import (
    Cell,
    Column,
    File,
    InputError,
    Listed,
    Message,
    Option,
    Text,
    View,
    did_you_mean,
)
from unveil.microdata import Role, column_cells
from unveil.projects._form import ReleaseAsked
from unveil.projects._project import Project, seen_from
from unveil.projects._propose import Proposal, propose
from unveil.roles import COARSER

_USED = (Role.QUASI, Role.SENSITIVE)
_FEW = 5  # a table with a value that fewer people have is not written down
_OF_TEXTS = ("unchanged", "prefix", "level", "recoded", "set")
_UNREADABLE = ("dropped", "suppressed", "new")


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoFiles:
    """An original and what was published of it; made by `two_files`.

    Attributes
    ----------
    original, published : Path
    alignment : Alignment
    proposal : Proposal
        The roles and kinds of the original's columns.
    how, cells
        What the user said of columns, as in `read_release`; goes before what was found.
    """

    original: Path
    published: Path
    alignment: Alignment
    proposal: Proposal
    how: Mapping[str, str] = field(default_factory=dict)
    cells: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def columns(self) -> dict[str, AlignedColumn]:
        """What was published of each column of the original, once."""
        found: dict[str, AlignedColumn] = {}
        for one in self.alignment.columns:
            if one.original is None or one.how in _UNREADABLE:
                continue
            if one.original not in found or one.published not in self.alignment.repeated:
                found.setdefault(one.original, one)
        return found

    def open_questions(self, roles: Mapping[str, Role]) -> list[Question]:
        """What must be answered before anything is tested, with the options that answer it."""
        used = [name for name, role in roles.items() if role in _USED]
        asked = [one for one in self.alignment.questions if one.must]
        asked += [one for one in self.alignment.questions
                  if not one.must and self._original_of(one.column) in used]  # fmt: skip
        if not self.alignment.related:
            asked.append(Question(column="", answers=(), text=Message(
                "nothing shows that {published} was made from {original}: is it the right file? "
                "If columns have other names there, give {rename}",
                published=File(self.published), original=File(self.original),
                rename=Option("rename"),
            )))  # fmt: skip
        for name in used:
            one = self.columns.get(name)
            if one is not None and one.how == "unclear" and name not in self.how:
                perturbed = {"how": {name: "perturbed"}}
                asked.append(Question(column=name, answers=(perturbed,), text=Message(
                    "{column}: how it was published is not known ({reason}); if its values were "
                    "changed, give {perturbed}, or say what was done: {year}; or leave it out of "
                    "{quasi} and {sensitive}", column=Column(name), reason=one.reason,
                    perturbed=Option("how", {name: "perturbed"}),
                    year=Option("how", {name: "rounded 1000"}), quasi=Option("quasi"),
                    sensitive=Option("sensitive"),
                )))  # fmt: skip
        return asked

    def answering(self, questions: Sequence[Question]) -> list[str]:
        """Commands that answer: a question alone in each of its ways, several each in its first."""
        ways = ([[way] for way in questions[0].answers] if len(questions) == 1
                else [[one.answers[0] for one in questions if one.answers]])  # fmt: skip
        files = [shlex.quote(str(file)) for file in (self.original, self.published)]
        return [
            " ".join(["unveil init", *files, *(
                Option(option, answer).shown(View("shell"))
                for answers in way for option, answer in answers.items()
            ), "--force"])
            for way in ways if way
        ]  # fmt: skip

    @property
    def notes(self) -> list[Text]:
        """What to check, and how files were read; each once."""
        said: list[Text] = [*self.alignment.notes]
        said += [
            Message("{column}: {unsure}", column=name, unsure=unsure)
            for name in self.columns if (unsure := self._unsure(name)) is not None
        ]  # fmt: skip
        said += [one for one in self.proposal.notes if one not in self.proposal.about_missing]
        said += [
            Message("{column} was changed before publication, so nobody can be looked for by it, "
                    "and it is proposed as other; an attacker who knows it roughly may find more "
                    "than the audit does", column=Column(name))
            for name in self.columns if name in self._untrue
        ]  # fmt: skip
        said += [
            Message("{share:%} of the rows have no {column}: they are kept, and missing is a value "
                    "of its own", share=one.gaps[0], column=Column(name))
            for name, one in self.columns.items()
            if one.gaps[0] and self._role(name, one.role or Role.OTHER) is Role.QUASI
        ]  # fmt: skip
        return [*dict.fromkeys(said)]

    def _unsure(self, name: str) -> str | None:
        """What to check about a column, now that it is known how it was published."""
        unsure = None if name in self._untrue else self.proposal[name].unsure
        if unsure is None or not unsure.endswith(COARSER):
            return unsure
        if self.columns[name].how != "unchanged":
            return None  # which has been done
        return f"{unsure.removesuffix(COARSER)}, and it is published as it is"

    def _original_of(self, name: str) -> str:
        return self.alignment.rename.get(name, name)

    def asked(self, option: str) -> set[str]:
        """Columns of the original about which something is asked that this option answers."""
        return {self._original_of(one.column) for one in self.alignment.questions
                if one.must and any(option in answer for answer in one.answers)}  # fmt: skip

    def roles(self, quasi: Sequence[str] = (), sensitive: Sequence[str] = ()) -> dict[str, Role]:
        """The role of each column of the original: proposed, or as given."""
        roles = {one.name: self._role(one.name, one.role) for one in self.proposal.columns}
        for role, names in ((Role.QUASI, quasi), (Role.SENSITIVE, sensitive)):
            for name in names:
                if name not in roles:
                    raise InputError(
                        "{name} is not in {original}{hint} (columns: {columns})", name=Cell(name),
                        original=File(self.original), hint=did_you_mean(name, roles),
                        columns=Listed([*roles]),
                    )  # fmt: skip
                if name not in self.columns:
                    raise InputError(
                        "{column} is not in {published}, as far as its names and values tell; if "
                        "it has another name there, give {rename}", column=Column(name),
                        published=File(self.published), rename=Option("rename", {"…": name}),
                    )  # fmt: skip
            if names:
                roles = {n: Role.OTHER if one is role else one for n, one in roles.items()}
                roles |= dict.fromkeys(names, role)
        return roles

    def project(self, roles: Mapping[str, Role] | None = None, *, written: bool = False) -> Project:
        """The project; ``written``: without a table of values that few people have."""
        base = self.proposal.project(self.original)
        roles = self.roles() if roles is None else roles
        used = [name for name, role in roles.items() if role in _USED]
        columns = {name: self.columns[name] for name in used}
        how = {name: self.how.get(name, one.how) for name, one in self.columns.items()
               if name in used or one.how != "unclear"}  # fmt: skip
        how |= dict.fromkeys(self.asked("rename") & how.keys(), "unclear")  # which is refused
        tables = {name: one.cells for name, one in columns.items()
                  if one.cells is not None and name not in self.how
                  and not (written and self._has_rare(name))}  # fmt: skip
        tables |= self.cells
        options: dict[str, Any] = {  # what names people keeps the name that readers know
            "rename": {one.published: name for name, one in self.columns.items()
                       if one.published != name and roles[name] is not Role.IDENTIFIER} or None,
            "how": how or None, "cells": tables or None,
            "in_order": (Role.PERSON in roles.values() and self._in_order) or None,
        }  # fmt: skip
        gaps = any(one.gaps[0] for one in columns.values())
        data = replace(base.data, missing="keep" if gaps else base.data.missing)
        forms = {name: form for name, form in self.alignment.forms.items()
                 if name in self.columns and name not in self.asked("forms")}  # fmt: skip
        release = ReleaseAsked(
            file=seen_from(base.folder, self.published),
            options={name: one for name, one in options.items() if one is not None},
            reasons={name: self._why(name, tables) for name in how},
            comments=tuple(map(str, self._comments(roles))),
        )  # fmt: skip
        return replace(
            base, data=data, roles=roles, releases=(release,), forms={**base.forms, **forms},
            kinds={n: kind for n, kind in base.kinds.items()
                   if n in used and n not in forms and not self._are_numbers(n)},
            reasons={name: self._reason(name) for name in base.reasons},
        )  # fmt: skip

    @property
    def _in_order(self) -> bool:
        """Whether each row of one file is that of the other at the same place."""
        rows = self.alignment.rows
        return rows.kind == "same order" and not (rows.only_original or rows.only_published)

    def _are_numbers(self, name: str) -> bool:
        """Whether a column holds numbers or dates, as its published form says.

        By itself one with gaps, or with few numbers, may look like words.
        """
        one = self.columns[name]
        first = one.how.split()[0]
        return first in ("bands", "floor", "rounded") or (
            bool(one.gaps[0]) and first not in _OF_TEXTS
        )

    def _role(self, name: str, role: Role) -> Role:
        if (role in _USED and name not in self.columns) or name in self._untrue:
            return Role.OTHER
        return role

    @cached_property
    def _untrue(self) -> set[str]:
        """Columns that others may know and that were changed, unless all were.

        People cannot be looked for by values that are not theirs, so with one of these most attacks
        would not be applicable.
        """
        known = {one.name for one in self.proposal.columns
                 if one.role is Role.QUASI and one.name in self.columns}  # fmt: skip
        changed = {name for name in known
                   if self.how.get(name, self.columns[name].how) == "perturbed"}  # fmt: skip
        return changed if changed != known else set()

    def _reason(self, name: str) -> str:
        """Why a column has its role, and what to check."""
        proposed = self.proposal[name]
        if name not in self.columns:
            other = f"otherwise {proposed.role}: " if proposed.role in _USED else ""
            return f"not published; {other}{proposed.reason}"
        if name in self._untrue:
            return f"changed before publication; otherwise {proposed.role}: {proposed.reason}"
        unsure = self._unsure(name)
        return proposed.reason if unsure is None else f"{proposed.reason}. To check: {unsure}"

    def _why(self, name: str, tables: Mapping[str, Any]) -> str:
        """Why a column is read as it is, and where its table is."""
        if name in self.how:
            return "as it was given"
        one = self.columns[name]
        if one.cells is None or name in tables:
            return str(one.reason)
        return (
            f"{one.reason}; which text stands for which values is learned from the rows of both "
            "files, and not listed here, as few people have some of the values"
        )

    def _has_rare(self, name: str) -> bool:
        """Whether a table of a column would show a value that few people have."""
        cells = column_cells(self.proposal.project(self.original).opened(), name)
        counts = np.bincount(cells.codes[cells.codes >= 0], minlength=len(cells.values))
        return bool((counts < _FEW).any())

    def _comments(self, roles: Mapping[str, Role]) -> Iterator[Text]:
        entries = self.alignment.columns
        gone = [one.original for one in entries if one.original and one.how in _UNREADABLE]
        new = [one.published for one in entries if one.how == "new" and one.published]
        if gone:
            yield Message("not published: {names}", names=Listed(gone))
        if new:
            yield Message("new, from no column of the original: {names}", names=Listed(new))
        for name, why in self.alignment.identifiers.items():
            yield Message("names people: {name}: {why}", name=name, why=why)
        for name, why in self.alignment.repeated.items():
            yield Message("published twice: {name}: {why}", name=name, why=why)
        questions = self.open_questions(roles)
        for question in questions:
            yield f"to answer first: {question.text.shown(View('shell'))}"
        for command in self.answering(questions):
            yield f"if that is true: {command}"


def two_files(
    original: Path,
    published: Path,
    *,
    rename: Mapping[str, str] | None = None,
    forms: Mapping[str, str] | None = None,
    how: Mapping[str, str] | None = None,
    cells: Mapping[str, Any] | None = None,
    **opening: Any,
) -> TwoFiles:
    """Put two files beside each other, and propose the roles of their columns.

    ``opening`` are ``delimiter``, ``encoding`` and ``sheet`` of the original.
    """
    for file in (original, published):
        if not file.exists():
            raise InputError("there is no file {file}", file=File(file))
    said = {name: one for name, one in opening.items() if one is not None}
    alignment = align(original, published, rename=rename, forms=forms, **said)
    return TwoFiles(
        original=original, published=published, alignment=alignment,
        proposal=propose(original, **said), how=dict(how or {}),
        cells=dict(cells or {}),
    )  # fmt: skip


@lru_cache(maxsize=4)
def _aligned(
    original: Path, published: Path, rename: tuple[tuple[str, str], ...],
    forms: tuple[tuple[str, str], ...],
) -> Alignment:  # fmt: skip
    return align(original, published, rename=dict(rename), forms=dict(forms))


def with_learned_tables(one: ReleaseAsked, project: Project) -> dict[str, Any]:
    """The options of a published file, with tables of other words learned from its rows."""
    options = dict(one.options)
    tables = dict(options.get("cells") or {})
    lacking = [name for name, how in (options.get("how") or {}).items()
               if how in ("recoded", "set") and name not in tables
               and project.roles.get(name) in _USED]  # fmt: skip
    if not lacking or one.file is None or project.data.file is None:
        return options
    rename = options.get("rename") or {}
    found = _aligned(
        project.folder / project.data.file, project.folder / one.file,
        tuple(sorted(rename.items())), tuple(sorted(project.forms.items())),
    )  # fmt: skip
    for name in lacking:
        learned = next((c.cells for c in found.columns
                        if c.original == name and c.cells is not None), None)  # fmt: skip
        if learned is not None:
            tables[name] = learned
        elif options["how"][name] == "recoded":
            raise InputError(
                "{file}, [[releases]]: what the words of {column} stand for cannot be learned from "
                "the rows of {published}; list it under {table}",
                file=File(project.source, bare=True), column=Column(name),
                published=File(one.file), table=f"[releases.cells.{name}]",
            )  # fmt: skip
    return {**options, **({"cells": tables} if tables else {})}
