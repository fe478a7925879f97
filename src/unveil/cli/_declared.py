"""Commands of attacks and measures, made from their declarations.

What a command reads follows from what its function works on; its options are the function's, with
their help; what it prints and writes comes from its findings. Nothing here knows any attack.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

from cyclopts import Parameter

from unveil.cli._outputs import check_output
from unveil.cli._sources import (
    OPTIONS,
    OUTPUT,
    File,
    Outputs,
    People,
    Programs,
    Published,
    Table,
)
from unveil.errors import (
    InputError,
    Listed,
    MissingExtraError,
    Option,
    UnveilError,
    View,
    did_you_mean,
    shown,
)
from unveil.options import Shell, help_of, shell_of
from unveil.registry import Declaration, Output, declared

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from unveil.cli._releases import Collected, Given, ToRead
    from unveil.findings import Finding
    from unveil.microdata import AnyRelease, Microdata

__all__ = ["command_of"]

SHELL = View("shell")
_EXIT_CODES = (
    "Exit codes: 0 done, 2 wrong input or a release that could not be used, 130 interrupted."
)
_FROM_SOURCES = ("microdata", "identifier", "record_of")  # which the shell's own options give


def __getattr__(name: str) -> Any:
    """The command of an attack, by its name with underscores; commands are made when used."""
    if name.startswith("__"):
        raise AttributeError(name)
    return command_of(declared(name.replace("_", "-")))


def command_of(declaration: Declaration) -> Callable[..., None]:
    """The function behind a command: its signature is all that the command line needs."""
    sources = declaration.sources()
    options = {
        name: one
        for name, one in declaration.options().items()
        if name not in _FROM_SOURCES and not shell_of(one.annotation).hidden
    }

    def command(file: Path | None = None, /, **given: Any) -> None:
        from unveil.cli._guard import guarded

        typed = {name: given.pop(name, None) for name in options}
        files = {one: given.pop(one.name, None) for one in declaration.outputs}
        run = _Run(declaration=declaration, file=file, options=typed, files=files, **given)
        guarded(run.run)()

    groups: dict[str, Any] = {"table": Table, "published": Published}
    if {"sanitizer", "published"} & sources.keys():
        groups["programs"] = Programs
    if "external" in sources:
        groups["people"] = People
    kind = inspect.Parameter.KEYWORD_ONLY
    described = _described(declaration.call())
    parameters = [
        inspect.Parameter("file", inspect.Parameter.POSITIONAL_ONLY, default=None, annotation=File),
        *(inspect.Parameter(name, kind, annotation=group) for name, group in groups.items()),
        *(_typed(one, described.get(name, "")) for name, one in options.items()),
        inspect.Parameter("outputs", kind, annotation=Outputs, default=Outputs()),
        *(_file(one) for one in declaration.outputs),
    ]
    # Groups whose options all have defaults may be left out.
    parameters = [
        p.replace(default=p.annotation()) if p.annotation in (Published, Programs, People) else p
        for p in parameters
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    command.__doc__ = f"{declaration.help}\n\n{declaration.means}\n\n{_EXIT_CODES}"
    command.__name__ = declaration.name.replace("-", "_")
    return command


def _described(function: Callable[..., Any]) -> dict[str, str]:
    """The help of parameters, from the docstring."""
    from docstring_parser import parse

    found = parse(inspect.getdoc(function) or "")
    return {one.arg_name: " ".join((one.description or "").split()) for one in found.params}


def _typed(one: inspect.Parameter, described: str) -> inspect.Parameter:
    """An option as the shell has it: its texts are turned into values by our own parser, and our
    own check words what is out of bounds.
    """
    shell: Shell = shell_of(one.annotation)
    bare = (
        get_args(one.annotation)[0] if get_origin(one.annotation) is Annotated else one.annotation
    )
    shown = Parameter(
        help=help_of(one.annotation) or described, metavar=shell.metavar or None, group=OPTIONS
    )
    if shell.parse is not None:
        return one.replace(annotation=Annotated[list[str] | None, shown], default=None)
    return one.replace(annotation=Annotated[bare, shown])


def _file(one: Output) -> inspect.Parameter:
    shown = Parameter(name=f"--{one.name}", help=one.help, metavar="FILE", group=OUTPUT)
    return inspect.Parameter(
        one.name, inspect.Parameter.KEYWORD_ONLY, default=None,
        annotation=Annotated[Path | None, shown],
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class _Run:
    """One run of a command."""

    declaration: Declaration
    file: Path | None
    table: Table
    published: Published = field(default_factory=Published)
    programs: Programs = field(default_factory=Programs)
    people: People = field(default_factory=People)
    outputs: Outputs = field(default_factory=Outputs)
    options: Mapping[str, Any]
    files: Mapping[Output, Path | None] = field(default_factory=dict)

    def run(self) -> None:
        """Read, attack, write, show."""
        from unveil.cli._console import console
        from unveil.cli._releases import Collected

        given = self._given()
        self._check(given)
        options = self._options()
        out = console(stderr=self.outputs.to_stdout)
        reading = self.table.reading(self.file)
        if self.people.record_of is not None:
            reading = replace(reading, identifier=None)
        microdata = reading.read() if reading.is_given else None
        sources = self._sources(microdata)
        self._check_persons(sources, options)
        done = Collected()
        wanted = self._wanted(given, microdata)
        found = self._look(wanted, done, sources, options)
        if microdata is not None:
            told = {str(note) for finding in found.values() for note in finding.notes}
            done.notes[:0] = [shown(note, SHELL) for note in microdata.notes if note not in told]
        self._write(found, done, out)
        self._show(found, done, out)
        done.finish(sum(not getattr(one, "interrupted", False) for one in found.values()))

    def _given(self) -> Given:
        """What was published, and what sanitizers would publish; a first look if nothing is."""
        given = self.published.given()
        if self.declaration.first_look and not given and not self.programs.oracle:
            return replace(given, sanitizers=("identity", "mondrian:k=2,5,10,20"))
        return given

    def _check(self, given: Given) -> None:
        """Everything that can be wrong without opening a file is told before the long work."""
        reading = self.table.reading(self.file)
        self.outputs.check(self.file)
        for one, path in self.files.items():
            if path is not None:
                self._check_file(one, path, given)
        if not given and not self.programs.oracle:
            raise InputError(
                "there is nothing to look into: give what was published with {release} or "
                "{anatomy}, or what {sanitizer} would publish of {file}",
                release=Option("release"), anatomy=Option("anatomy"),
                sanitizer=Option("sanitizer"), file=Option("microdata"),
            )  # fmt: skip
        if given or self.file is None:
            given.check(reading, names_people="external" in self.declaration.sources())
        self._check_people()

    def _check_file(self, one: Output, path: Path, given: Given) -> None:
        """One of the command's own files: it has room for one release."""
        check_output(path, f"--{one.name}", suffixes=one.suffixes, source=self.file)
        option = Option(one.name)
        if str(path) == "-":
            raise InputError("{option} needs a file: {option} results{suffix}", option=option,
                             suffix=one.suffixes[0])  # fmt: skip
        if len([*given.releases, *given.anatomies, *given.sanitizers]) > 1:
            raise InputError("{option} is for one release; give one", option=option)
        if any(find_spec(module) is None for module in one.needs):
            raise MissingExtraError(
                "{option} needs {modules}; install them with: pip install 'unveil[{extra}]'",
                option=option, modules=Listed(one.needs, "and"), extra=one.extra,
            )  # fmt: skip

    def _check_people(self) -> None:
        from unveil.options import names

        called = names(self.table.identifier or ())
        if "external" not in self.declaration.sources():
            return
        if len(called) > 1:
            raise InputError("give one {option}, which names people; got {names}",
                             option=Option("identifier"), names=", ".join(called))  # fmt: skip
        if self.people.external is None and self.file is None:
            raise InputError(
                "there is nobody to look for: give a table of people with {external}, or the "
                "original table as {file}",
                external=Option("external"), file=Option("microdata"),
            )  # fmt: skip
        if self.people.record_of is not None and (self.file is None or self._same_file()):
            raise InputError(
                "{record_of} says which rows of {file} the people of {external} are: give both",
                record_of=Option("record_of"), file=Option("microdata"),
                external=Option("external"),
            )  # fmt: skip
        if str(self.people.external) == "-" == str(self.file):
            raise InputError("{file} and {external} cannot both come from standard input",
                             file=Option("microdata"), external=Option("external"))  # fmt: skip

    def _check_persons(self, sources: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        """Refuse, before the long work, somebody who is not among the people."""
        if self.people.person:
            from unveil.cli._people import check_persons

            check_persons(self.people.person, {**sources, **options})

    def _same_file(self) -> bool:
        """Whether the people are those of FILE."""
        other, file = self.people.external, self.file
        if other is None:
            return True
        return file is not None and other.exists() and file.exists() and other.samefile(file)

    def _options(self) -> dict[str, Any]:
        """The options of the function, with the values that were typed, checked."""
        from unveil.options import check, names

        declared_options = self.declaration.options()
        options: dict[str, Any] = {}
        for name, typed in self.options.items():
            parse = shell_of(declared_options[name].annotation).parse
            value = parse(typed) if parse is not None and typed else typed
            if value is None:
                continue
            check(name, declared_options[name].annotation, value)
            options[name] = value
        if "identifier" in declared_options:
            options["identifier"] = next(iter(names(self.table.identifier or ())), None)
        quasi = names(self.table.quasi)
        for column in options.get("knows") or ():
            if column not in quasi:
                raise InputError(
                    "{option} names {column}, which is not a quasi-identifier{near} (those are "
                    "{quasi})",
                    option=Option("knows"), column=repr(column), near=did_you_mean(column, quasi),
                    quasi=", ".join(quasi),
                )  # fmt: skip
        return options

    def _sources(self, microdata: Microdata | None) -> dict[str, Any]:
        """What the function works on, except the release."""
        wanted = {*self.declaration.sources(), *self.declaration.options()}
        sources: dict[str, Any] = {"microdata": microdata} if "microdata" in wanted else {}
        if "external" in wanted:
            from unveil.cli._people import opened_people, records_of

            sources["external"] = microdata
            if not self._same_file():
                assert self.people.external is not None
                source = opened_people(self.people.external, self.table.encoding)
                sources["external"] = source
                if self.people.record_of is not None:
                    assert microdata is not None
                    sources["record_of"] = records_of(source, self.people.record_of, microdata)
        return sources

    def _wanted(self, given: Given, microdata: Microdata | None) -> list[ToRead]:
        """What is attacked, in the order of the options."""
        from unveil.cli._releases import sanitized

        wanted = given.to_read(self.table.reading(self.file), microdata)
        for program in self.programs.made(self.published):
            assert microdata is not None
            wanted.append(sanitized(program, microdata))
        return wanted

    def _look(
        self, wanted: Sequence[ToRead], done: Collected, sources: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> dict[str, Finding]:  # fmt: skip
        """Attack what was asked for; an interrupt ends the work and keeps what has been found."""
        from unveil.cli._console import slow_start

        found: dict[str, Finding] = {}
        done.wanted = len(wanted)
        several = "releases" in self.declaration.sources()
        together: dict[str, Any] = {}
        for one in wanted:
            done.releases.append((one, None))
            try:
                with slow_start():
                    source = self._source(one)
                    if several:
                        together[one.name] = next(iter(source.values()))
                    else:
                        call = self.declaration.call()
                        found[one.name] = call(**source, **sources, **options)
                        if getattr(found[one.name], "interrupted", False):
                            raise KeyboardInterrupt
            except UnveilError as error:
                done.fail(one, error)
            except KeyboardInterrupt:
                done.ended_at = one
                break
            done.notes += one.notes()
        if several and together and not done.interrupted and not done.failed:
            with slow_start():
                together_found = self.declaration.call()(together, **sources, **options)
            found[", ".join(together)] = together_found
        return found

    def _source(self, one: ToRead) -> dict[str, Any]:
        """The release, or what makes it, as the function wants it."""
        wanted = self.declaration.sources()
        if "sanitizer" in wanted or ("published" in wanted and one.sanitizer is not None):
            if one.sanitizer is None:
                raise InputError(
                    "{attack} needs the sanitizer itself, and {release} is a file; give the "
                    "program that made it with {sanitizer} or {oracle}",
                    attack=self.declaration.name, release=one.name,
                    sanitizer=Option("sanitizer"), oracle=Option("oracle"),
                )  # fmt: skip
            return {next(n for n in ("sanitizer", "published") if n in wanted): one.sanitizer}
        name = next(n for n in ("release", "published", "releases") if n in wanted)
        return {name: self._released(one.get())}

    def _released(self, release: AnyRelease) -> AnyRelease:
        from unveil.microdata import Release

        if self.published.may_change_sensitive and isinstance(release, Release):
            return replace(release, perturbed=(release.sensitive.name,))
        return release

    def _write(self, found: Mapping[str, Finding], done: Collected, out: Console) -> None:
        """The files first: whoever reads the report may stop in the middle."""
        from unveil.cli._outputs import is_stdout, save_picture, write_content, write_rows
        from unveil.render import draw, plain

        to = self.outputs
        if to.json is not None:
            content = [one.to_dict(records=to.records) for one in found.values()]
            for finding, told in zip(found.values(), content, strict=True):
                if self.people.person:
                    told["persons"] = [plain(self._person(finding, p)) for p in self.people.person]
            write_content(to.json, content, done.failures())
        if to.csv is not None and found:
            write_rows(to.csv, _rows(found))
            if not is_stdout(to.csv):
                out.print(f"rows: {to.csv}", soft_wrap=True)
        if to.plot is not None and found:
            with _kept(done, to.plot):
                save_picture(to.plot, draw(_together(found).chart(to.chart or 0)), out)
        for one, path in self.files.items():
            if path is not None and found:
                with _kept(done, path):
                    getattr(next(iter(found.values())), one.method)(path)
                    out.print(f"{one.name}: {path}", soft_wrap=True)

    def _person(self, finding: Finding, person: str) -> Any:
        from unveil.cli._people import person_number

        return finding.of_person(person_number(finding.people, person))  # type: ignore[attr-defined]

    def _show(self, found: Mapping[str, Finding], done: Collected, out: Console) -> None:
        from unveil.cli._outputs import print_text
        from unveil.render import table_text

        for note in done.notes:
            out.print(f"Note: {note}\n")
        if len(found) > 1:
            print_text(_compared(self.declaration, found), out)
            out.print()
        for place, finding in enumerate(found.values()):
            if place:
                out.print()
            print_text(finding.summary(SHELL), out)
            for person in self.people.person or ():
                out.print()
                print_text(table_text(self._person(finding, person), SHELL), out)


@contextmanager
def _kept(done: Collected, path: Path) -> Iterator[None]:
    """What cannot be drawn or written is told in the end: what was found is not lost by it."""
    try:
        yield
    except UnveilError as error:
        done.fail(done.releases[0][0], error)
    except OSError as error:
        why = error.strerror or error
        done.fail(done.releases[0][0], InputError(f"cannot write {str(path)!r}: {why}"))


def _together(found: Mapping[str, Finding]) -> Any:
    from unveil.render import told_together
    from unveil.report import display_name

    return told_together(
        {name: finding.story(display_name(name)) for name, finding in found.items()}
    )


def _compared(declaration: Declaration, found: Mapping[str, Finding]) -> str:
    """The figures of several releases side by side, how exact they are, and what they are."""
    from unveil._text import table_lines
    from unveil.report import display_name

    rows = [["", *(figure.title for figure in declaration.figures)]]
    for name, finding in found.items():
        values = {one.figure.name: one.value for one in finding.figures}
        rows.append(
            [display_name(name), *(f.text(values.get(f.name)) for f in declaration.figures)]
        )
    says = [f"  {figure.title}: {figure.says}." for figure in declaration.figures]
    exactness = [
        f"  {display_name(name)}: {shown(text, SHELL)}"
        for name, finding in found.items()
        for text in finding.story().diagnostics
    ]
    return "\n".join([*table_lines(rows), "", *exactness, *says])


def _rows(found: Mapping[str, Finding]) -> pd.DataFrame:
    """One row per person and release; rows of their table are counted from 1."""
    import pandas as pd

    frames = []
    for name, finding in found.items():
        frame = finding.to_frame()
        if "row" in frame:
            frame = frame.assign(row=frame["row"] + 1)
        if len(found) > 1:
            frame.insert(0, "release", name)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)
