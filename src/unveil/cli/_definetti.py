"""``unveil definetti``: what the groups of a release tell about each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from unveil._text import harmless, percent
from unveil.attacks import DeFinetti, definetti
from unveil.attacks.definetti import TOLERANCE, Asked
from unveil.cli._console import console, slow_start
from unveil.cli._guard import in_command_line_words
from unveil.cli._outputs import (
    check_results,
    is_stdout,
    print_text,
    save_picture,
    write_findings,
)
from unveil.cli._reading import Reading, heading, names
from unveil.cli._releases import Collected, Given, read_all, sanitized
from unveil.errors import InputError, UnveilError
from unveil.microdata import AnyRelease, Microdata, Permuted, existing_file, read_table
from unveil.report import display_name
from unveil.sanitize import first_look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DeFinettiTest"]


@dataclass(frozen=True, kw_only=True)
class DeFinettiTest:
    """What `unveil definetti` was asked for."""

    reading: Reading
    given: Given
    people: Path | None
    model: dict[str, Any]
    """What `definetti` is told besides."""
    json: Path | None
    records: bool
    plot: Path | None
    worst: int

    def run(self) -> None:
        """Read, attack, report."""
        self._check()
        out = console(stderr=is_stdout(self.json))
        microdata = self.reading.read() if self.reading.is_given else None
        if microdata is not None:
            out.print(heading(microdata))
            for note in microdata.notes:
                out.print(f"Note: {in_command_line_words(note)}\n")
        wanted = self.given.to_read(self.reading, microdata)
        if not wanted:
            assert microdata is not None  # checked
            wanted = [sanitized(one, microdata) for one in first_look(microdata)]
        done = _Done()
        read_all(wanted, done)
        _warm_up()
        for one, release in done.releases:
            for note in one.notes():
                out.print(f"Note: {note}\n")
            try:
                done.found.append((one.name, self._attack(release, microdata)))
            except UnveilError as error:
                done.fail(one, error)
            except KeyboardInterrupt:
                done.ended_at = one
                break
        self._write(done, out)
        self._show(done, out)
        done.finish(len(done.found))

    def _check(self) -> None:
        """Everything that can be wrong is told before the long work."""
        source = self.reading.file if self.reading.is_given else None
        check_results(json=self.json, plot=self.plot, records=self.records, source=source)
        self.given.check(self.reading)
        if not names(self.reading.quasi):
            raise InputError("name at least one quasi-identifier: --quasi is empty")
        said = self.model
        asked = Asked.checked(
            said["method"], said["by"], said["smoothing"], said["rounds"], TOLERANCE, said["steps"]
        )
        asked.columns(names(self.reading.quasi))
        if self.people is not None:
            existing_file(self.people)
        elif not self.reading.is_given and self.given.releases:
            raise InputError(
                "a generalized release hides people's values, and this attacker knows them: give "
                "the original table as FILE, or the people with --people"
            )

    def _attack(self, release: AnyRelease, microdata: Microdata | None) -> DeFinetti:
        identifier = next(iter(names(self.reading.identifier)), None)
        if self.people is not None and identifier is None:
            # Who of the people is who in the table cannot be told: nobody is called right.
            microdata = None
        return definetti(
            release, microdata, people=self.people, identifier=identifier, **self.model
        )

    def _write(self, done: _Done, out: Console) -> None:
        """The files first: whoever reads the report may stop in the middle."""
        if self.json is not None:
            findings = [finding for _, finding in done.found]
            write_findings(self.json, findings, records=self.records, failed=done.failures())
        if self.plot is not None and done.found:
            save_picture(self.plot, _drawn(done.found), out)

    def _show(self, done: _Done, out: Console) -> None:
        if len(done.found) > 1:
            out.print(_compared(done.found))
            out.print()
        for place, (name, finding) in enumerate(done.found):
            if place:
                out.print()
            print_text(finding.summary(), out)
            if self.worst:
                out.print()
                out.print(f"The worst-placed under {display_name(name)}", style="bold")
                out.print("(belief, and what the group's shares allow; rows counted from 1)")
                out.print(_worst_people(finding, self.worst))


@dataclass(kw_only=True)
class _Done(Collected):
    """What has become of the releases so far."""

    found: list[tuple[str, DeFinetti]] = field(default_factory=list)


def _warm_up() -> None:
    """Have the kernels compiled, or fetched from numba's cache, before any clock runs."""
    table = read_table({"x": ["a", "b"], "s": ["u", "v"]}, quasi="x", sensitive="s")
    with slow_start():
        definetti(Permuted.from_groups(table, [1, 1]), table, progress=False)


def _drawn(found: Sequence[tuple[str, DeFinetti]]) -> Axes:
    first = found[0][1].plot()
    if len(found) == 1:
        return first
    figure = first.get_figure(root=True)
    assert figure is not None
    figure.clear()
    columns = min(3, len(found))
    rows = -(-len(found) // columns)
    figure.set_size_inches(5.2 * columns, 4.2 * rows)
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for ax in axes[len(found) :]:
        ax.remove()
    for ax, (name, finding) in zip(axes, found, strict=False):
        finding.plot(ax)
        ax.set_title(display_name(name), fontsize=10)
    return axes[0]


def _compared(found: Sequence[tuple[str, DeFinetti]]) -> Table:
    """One row a release."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("release", overflow="fold")
    for head in ("groups", "people", "beyond\nshares", "shares\nright", "re-weighted\nright",
                 "model\nright", "rounds"):  # fmt: skip
        table.add_column(head, justify="right", no_wrap=True)
    for name, finding in found:
        right = (finding.random_worlds, finding.reweighted, finding.population)
        table.add_row(
            harmless(display_name(name)), f"{len(finding.groups):,}",
            f"{int(finding.placed.sum()):,}", f"{int(finding.exceeding.sum()):,}",
            *("–" if one.accuracy is None else percent(one.accuracy) for one in right),
            f"{finding.learned.rounds:,}",
        )  # fmt: skip
    return table


def _worst_people(finding: DeFinetti, n: int) -> Table:
    """Those about whom most is believed beyond the shares of their group."""
    grid = Table.grid(padding=(0, 2))
    secret = finding.release.sensitive.name
    for one in finding.worst(n).to_dict("records"):
        who = f"{one['name']}, row {one['row'] + 1}" if one["name"] else f"row {one['row'] + 1}"
        grid.add_row(
            "",
            Text(f"{one['reweighted_belief']:.0%}", style="bold red"),
            f"{one['promise']:.0%}",
            harmless(f"{who}: {secret} {one['reweighted']}"),
        )
    return grid
