"""Commands of attacks and measures, made from their declarations.

What a command reads follows from what its function works on; its options are the function's, with
their help; what it prints and writes comes from its findings. Nothing here knows any attack.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge
from cyclopts import Parameter

from unveil._faults import contained
from unveil.cli._guard import guarded
from unveil.cli._outputs import check_output
from unveil.cli._runs import resumable
from unveil.cli._sources import (
    OPTIONS,
    OUTPUT,
    File,
    NeededFile,
    Outputs,
    People,
    Person,
    Programs,
    Published,
    Table,
    Worst,
    described,
    option,
    values_of,
)
from unveil.errors import (
    GoalError,
    InputError,
    Listed,
    MissingExtraError,
    Option,
    Text,
    UnveilError,
    View,
    did_you_mean,
    shown,
)
from unveil.options import shell_of
from unveil.registry import Declaration, Output, declarations, declared

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from unveil.cli._outputs import Files
    from unveil.cli._reading import Reading
    from unveil.cli._releases import Collected, Given, ToRead
    from unveil.findings import Finding
    from unveil.microdata import Microdata

SHELL = View("shell")
_FROM_SOURCES = ("microdata", "identifier", "record_of")  # which the shell's own options give


def __getattr__(name: str) -> Any:
    """The command of an attack, by its name with underscores; commands are made when used."""
    typed = name.replace("_", "-")
    if typed not in declarations():
        raise AttributeError(name)
    return command_of(declared(typed))


def command_of(declaration: Declaration) -> Callable[..., None]:
    """The function behind a command: its signature is all that the command line needs."""
    sources = declaration.sources()
    options = {
        name: one
        for name, one in declaration.options().items()
        if name not in _FROM_SOURCES and not shell_of(one.annotation).hidden
    }

    def command(file: Path | None = None, /, **given: Any) -> None:
        typed = {name: given.pop(name, None) for name in options}
        files = {one: given.pop(one.name, None) for one in declaration.outputs}
        if "about" in given:
            given["people"] = People(about=given.pop("about"))
        _Run(declaration=declaration, file=file, options=typed, files=files, **given).run()

    groups: dict[str, Any] = {"table": Table, "published": Published}
    if {"sanitizer", "published"} & sources.keys():
        groups["programs"] = Programs
    if "external" in sources:
        groups["people"] = People
    own: dict[str, tuple[Any, Any]] = {}
    if declaration.tells("of_person") and "external" not in sources:
        own["about"] = Person, None
    if declaration.tells("of_worst"):
        own["worst"] = Worst, 0
    kind = inspect.Parameter.KEYWORD_ONLY
    said = described(declaration.call())
    parameters = [
        inspect.Parameter(
            "file", inspect.Parameter.POSITIONAL_ONLY, default=None,
            annotation=NeededFile if declaration.needs("microdata") else File,
        ),
        *(inspect.Parameter(name, kind, annotation=group) for name, group in groups.items()),
        *(inspect.Parameter(name, kind, annotation=one, default=default)
          for name, (one, default) in own.items()),
        *(option(name, one, OPTIONS, said.get(name, "")) for name, one in options.items()),
        inspect.Parameter("outputs", kind, annotation=Outputs, default=Outputs()),
        *(_file(one) for one in declaration.outputs),
    ]  # fmt: skip
    # Groups whose options all have defaults may be left out.
    parameters = [
        p.replace(default=p.annotation()) if p.annotation in (Published, Programs, People) else p
        for p in parameters
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    command.__doc__ = declaration.help
    command.__name__ = declaration.name.replace("-", "_")
    return guarded(resumable(command))


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
    worst: int = 0
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
            reading = reading.of(identifier=())
        elsewhere = bool(given.releases or given.anatomies)
        reading = replace(reading, counted_elsewhere=elsewhere)
        microdata = None if self.file is None else reading.read()
        microdata, options = self._with_others(reading, microdata, options)
        sources = self._sources(microdata)
        self._check_persons(sources, options)
        done = Collected()
        wanted = self._wanted(given, microdata)
        if "releases" in self.declaration.sources():
            found = self._look_together(wanted, done, sources, options, microdata)
        else:
            found = self._look(wanted, done, sources, options)
        if microdata is not None:
            told = {str(note) for finding in found.values() for note in finding.notes}
            done.notes[:0] = [shown(note, SHELL) for note in microdata.notes if note not in told]
        with self._written(found, done, out):
            self._show(found, done, out)
            done.finish(sum(not _interrupted(finding) for finding in found.values()))

    def _given(self) -> Given:
        """What was published, and what sanitizers would publish; a first look if nothing is."""
        given = self.published.given()
        # Several releases at once may be of larger tables, which have the people of FILE.
        given = replace(given, of_others="releases" in self.declaration.sources())
        if self._is_first_look:
            return replace(given, sanitizers=("identity", "mondrian:k=2,5,10,20"))
        return given

    @property
    def _is_first_look(self) -> bool:
        """Whether the user has named nothing to look into."""
        named = self.published.given() or self.programs.oracle
        return self.declaration.first_look and not named

    def _check(self, given: Given) -> None:
        """Everything that can be wrong without opening a file is told before the long work."""
        from unveil.options import check

        reading = self.table.reading(self.file)
        self.outputs.check(self.file)
        check("worst", Annotated[int, Ge(0)], self.worst)
        for one, path in self.files.items():
            if path is not None:
                self._check_file(one, path, given)
        if not given and not self.programs.oracle:
            raise InputError(
                "there is nothing to look into: give what was published with {release} or "
                "{anatomy}, or what {sanitizer} would publish of {file}",
                release=Option("published"), anatomy=Option("anatomy"),
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
        called = self.table.values().get("identifier", ())
        sources = self.declaration.sources()
        if "external" not in sources:
            return
        if len(called) > 1:
            raise InputError("give one {option}, which names people; got {names}",
                             option=Option("identifier"), names=", ".join(called))  # fmt: skip
        nobody = self.people.external is None and self.file is None
        if nobody and self.declaration.needs("external"):
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
        if self.people.about:
            from unveil.cli._people import check_persons

            check_persons(self.people.about, {**sources, **options})

    def _same_file(self) -> bool:
        """Whether the people are those of FILE."""
        other, file = self.people.external, self.file
        if other is None:
            return True
        return _is_same(other, file)

    def _options(self) -> dict[str, Any]:
        """The options of the function, with the values that were typed, checked."""
        declared_options = self.declaration.options()
        annotations = {name: declared_options[name].annotation for name in self.options}
        options = values_of(annotations, self.options)
        if options.get("adversary"):
            from unveil.attacks.shared import adversaries_named

            adversaries_named(options["adversary"])  # refuses unknown ones before the work
        if "identifier" in declared_options:
            options["identifier"] = next(iter(self.table.values().get("identifier", ())), None)
        quasi = self.table.values()["quasi"]
        for column in options.get("knows") or ():
            if column not in quasi:
                raise InputError(
                    "{option} names {column}, which is not a quasi-identifier{near} (those are "
                    "{quasi})",
                    option=Option("knows"), column=repr(column), near=did_you_mean(column, quasi),
                    quasi=", ".join(quasi),
                )  # fmt: skip
        return options

    def _with_others(
        self, reading: Reading, microdata: Microdata | None, options: Mapping[str, Any]
    ) -> tuple[Microdata | None, dict[str, Any]]:
        """Read tables of other people as FILE is read.

        Both tables get the same codes, so that a release is read with the values of everybody.
        """
        from unveil.attacks.held_out import joined_tables

        given = dict(options)
        for name, one in self.declaration.options().items():
            path = given.get(name)
            if not shell_of(one.annotation).table or not isinstance(path, Path):
                continue
            if microdata is None:
                raise InputError("{option} is a table beside the original: give {file}",
                                 option=Option(name), file=Option("microdata"))  # fmt: skip
            if _is_same(path, reading.file):
                raise InputError(
                    "{option} is {file} itself; give a table of other people",
                    option=Option(name, str(path)), file=Option("microdata"),
                )  # fmt: skip
            others, n = replace(reading, file=path, counted_elsewhere=True).read(), len(microdata)
            everybody = joined_tables(microdata, others, given.pop("recode", None))
            theirs = everybody.take(range(n, len(everybody)))
            given[name] = replace(theirs, source=others.source)
            microdata = everybody.take(range(n))
        return microdata, given

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
        return _of_sanitizers(wanted) if self._reads_back else wanted

    @property
    def _reads_back(self) -> bool:
        """Whether a release is what a sanitizer, which is given too, is said to have made."""
        return {"sanitizer", "release"} <= self.declaration.sources().keys()

    def _look(
        self, wanted: Sequence[ToRead], done: Collected, sources: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> dict[str, Finding]:  # fmt: skip
        """Attack what was asked for; an interrupt ends the work and keeps what has been found."""
        from unveil.cli._console import slow_start

        found: dict[str, Finding] = {}
        done.wanted = len(wanted)
        self._warm_up(wanted, options)
        for one in wanted:
            done.releases.append((one, None))
            try:
                with slow_start(), contained():
                    call = self.declaration.call()
                    given = self._source(one)
                    found[one.name] = call(**given, **_at_level(sources, given), **options)
            except GoalError as error:
                if not self._is_first_look:  # which tries goals that a small table cannot meet
                    done.fail(one, error)
            except UnveilError as error:
                done.fail(one, error)
            except KeyboardInterrupt:
                done.ended_at = one
                break
            done.notes += self._notes(one)
            if one.name in found and _interrupted(found[one.name]):
                done.ended_at = one
                break
            if one.name in found and _is_empty(found[one.name]):
                done.fail(one, InputError("not one person could be tested"))
        return found

    def _notes(self, one: ToRead) -> list[Text]:
        """What to say of a release, whatever the attack: published identifiers undo everything."""
        named = () if self.declaration.always else one.named_people()
        return [*one.notes(), *named]

    def _warm_up(self, wanted: Sequence[ToRead], options: Mapping[str, Any]) -> None:
        """Compile the kernels of sanitizers before the clock of a budget runs."""
        from unveil.cli._testing import warm_up
        from unveil.sanitize import Sanitizer

        if {"sanitizer", "microdata"} <= self.declaration.sources().keys() and options.get(
            "budget"
        ):
            warm_up([one.sanitizer for one in wanted if one.sanitizer is not None],
                    adversary=options.get("adversary") or Sanitizer.attacked_by,
                    sampled=bool({"samples", "error"} & options.keys()),
                    attack=self.declaration.call())  # fmt: skip

    def _look_together(
        self, wanted: Sequence[ToRead], done: Collected, sources: Mapping[str, Any],
        options: Mapping[str, Any], microdata: Microdata | None,
    ) -> dict[str, Finding]:  # fmt: skip
        """Attack all releases at once; one that cannot be read ends it."""
        from unveil.cli._console import slow_start
        from unveil.cli._people import cells_of
        from unveil.cli._releases import read_all

        called = [one.name for one in wanted]
        for name in called:
            if called.count(name) > 1:
                raise InputError(
                    "two releases are called {name}; give them names: {option}",
                    name=repr(name), option=Option("published", f"first={name}"),
                )  # fmt: skip
        read_all(wanted, done)
        if done.failed:
            return {}
        done.notes += [note for one in wanted for note in self._notes(one)]
        declared_options = self.declaration.options()
        given = {
            name: [cells_of(one, Option(name, value), self.table.encoding, microdata)
                   for one in wanted]
            if shell_of(declared_options[name].annotation).column_of_releases else value
            for name, value in options.items()
        }  # fmt: skip
        releases = {one.name: release for one, release in done.releases}
        with slow_start():
            return {", ".join(called): self.declaration.call()(releases, **sources, **given)}

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
            found: dict[str, Any] = {
                next(n for n in ("sanitizer", "published") if n in wanted): one.sanitizer
            }
            # What was published is read with its sanitizer.
            return {**found, "release": one.get()} if one.file else found
        name = next(n for n in ("release", "published") if n in wanted)
        return {name: one.get()}

    def _written(self, found: Mapping[str, Finding], done: Collected, out: Console) -> Files:
        """The files first: whoever reads the report may stop in the middle."""
        from unveil.cli._console import tell
        from unveil.cli._outputs import Files, beside
        from unveil.render import draw, table_content

        interrupted = done.interrupted or any(map(_interrupted, found.values()))
        to, files = self.outputs, Files(out, interrupted=interrupted)
        if to.json is not None:
            content = [one.to_dict(records=to.records) for one in found.values()]
            for finding, told in zip(found.values(), content, strict=True):
                if self.people.about:
                    told["persons"] = [table_content(self._person(finding, p), View())
                                       for p in self.people.about]  # fmt: skip
            files.content(to.json, content, done.failures())
        if to.csv is not None and found:
            files.rows(to.csv, _rows(found), "rows")
        if to.plot is not None and found:
            with _kept(done, to.plot):
                files.picture(to.plot, draw(together(found).chart(to.chart or 0)))
        files.write()
        for one, path in self.files.items():
            if path is not None and found:
                with _kept(done, path):
                    place = beside(path) if interrupted else path
                    getattr(next(iter(found.values())), one.method)(place)
                    tell(out, f"{one.name}: {place}")
        return files

    def _person(self, finding: Finding, person: str) -> Any:
        from unveil.cli._people import people_of, person_number

        return finding.of_person(person_number(people_of(finding), person))

    def _show(self, found: Mapping[str, Finding], done: Collected, out: Console) -> None:
        from unveil.cli._outputs import print_text
        from unveil.errors import shown
        from unveil.render import table_text, text_of

        # What holds for all of them is said once, and notes before any number.
        several = len(found) > 1
        notes = _in_common(one.notes for one in found.values()) if several else []
        said = _in_common(one.story().sentences for one in found.values()) if several else []
        for note in (*done.notes, *notes):
            print_text(f"Note: {shown(note, SHELL)}", out)
            out.print()
        show_beside(self.declaration, found, out)
        for sentence in said:
            print_text(f"  {shown(sentence, SHELL)}", out)
        if said:
            out.print()
        for place, finding in enumerate(found.values()):
            if place:
                out.print()
            story = finding.story()
            story = replace(story, sentences=[one for one in story.sentences if one not in said])
            rest = [note for note in finding.notes if note not in notes]
            print_text(text_of(story, rest, SHELL), out)
            tables = [self._person(finding, person) for person in self.people.about or ()]
            if self.worst:
                tables.append(finding.of_worst(self.worst))
            for table in tables:
                out.print()
                print_text(table_text(table, SHELL), out)


def _of_sanitizers(wanted: Sequence[ToRead]) -> list[ToRead]:
    """Sanitizers, each with the published file that it is said to have made, if there is one."""
    files = [one for one in wanted if one.sanitizer is None]
    makers = [one for one in wanted if one.sanitizer is not None]
    if not files:
        return makers
    if len(files) != len(makers):
        raise InputError(
            "{release} is what {sanitizer} made: give one for each, in the same order; got {files} "
            "and {makers}",
            release=Option("published"), sanitizer=Option("sanitizer"), files=len(files),
            makers=len(makers),
        )  # fmt: skip
    pairs = zip(makers, files, strict=True)
    return [
        replace(one, get=file.get, file=file.file, notes=file.notes, named_people=file.named_people)
        for one, file in pairs
    ]


def _is_same(one: Path, other: Path | None) -> bool:
    return other is not None and one.exists() and other.exists() and one.samefile(other)


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


def _interrupted(finding: Finding) -> bool:
    """Whether the user interrupted an attack that keeps what it has found until then."""
    return bool(getattr(finding, "interrupted", False))


def _in_common(several: Iterable[Sequence[Text]]) -> list[Text]:
    """What is in all of several sequences of texts."""
    first, *others = several
    return [text for text in dict.fromkeys(first) if all(text in other for other in others)]


def _is_empty(finding: Finding) -> bool:
    """Whether it tests people and could test none of them."""
    tested = getattr(finding, "tested", None)
    return tested is not None and not len(tested)


def show_beside(declaration: Declaration, found: Mapping[str, Finding], out: Console) -> None:
    """What findings say beside each other: their figures, pictures, and sentences."""
    from unveil.cli._outputs import print_text
    from unveil.errors import shown
    from unveil.render import blocks

    if len(found) > 1 and declaration.figures:
        print_text(_compared(declaration, found), out)
        out.print()
    for chart in together(found).charts if found else ():
        drawn = blocks(chart, width=out.width, view=SHELL) if chart.in_terminal else None
        if drawn:
            print_text(f"{shown(chart.title, SHELL)} (● is the largest):", out)
            out.print(drawn)
            out.print()
    for sentence in declaration.compared(found):
        print_text(shown(sentence, SHELL), out)
        out.print()


def together(found: Mapping[str, Finding]) -> Any:
    """The stories of all findings as one."""
    from unveil._text import display_name
    from unveil.render import told_together

    return told_together(
        {name: finding.story(display_name(name)) for name, finding in found.items()}
    )


def _compared(declaration: Declaration, found: Mapping[str, Finding]) -> str:
    """The figures of several releases side by side, how exact they are, and what they are."""
    from unveil._text import display_name, table_lines

    rows = [["", *(figure.title for figure in declaration.figures)]]
    for name, finding in found.items():
        values = {one.figure.name: one.value for one in finding.figures}
        rows.append(
            [display_name(name), *(f.text(values.get(f.name)) for f in declaration.figures)]
        )
    says = [f"  {figure.title}: {figure.says}." for figure in declaration.figures]
    of: dict[str, list[str]] = {}
    for name, finding in found.items():
        for text in finding.story().diagnostics:
            of.setdefault(shown(text, SHELL), []).append(display_name(name))
    exactness = [
        f"  {text}" if len(names) == len(found) else f"  {', '.join(names)}: {text}"
        for text, names in of.items()
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


def _at_level(sources: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The original with its sensitive column at the level of the release, if there is one."""
    from unveil.microdata import AnyRelease, Microdata, at_published_level

    release = next((one for one in given.values() if isinstance(one, AnyRelease)), None)
    return {
        name: at_published_level(one, release) if isinstance(one, Microdata) else one
        for name, one in sources.items()
    }
