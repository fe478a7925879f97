"""``unveil risk``: what does an attacker learn beyond what anybody learns from a release?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from unveil.attacks import RelativeRisk, Victim, relative_risk
from unveil.attacks.relative_risk import grid, panels
from unveil.cli._console import console
from unveil.cli._guard import in_command_line_words
from unveil.cli._outputs import (
    check_output,
    check_results,
    is_stdout,
    print_text,
    save_picture,
    write_findings,
)
from unveil.cli._reading import Reading, heading, names
from unveil.cli._releases import Collected, Given, ToRead, read_all, sanitized
from unveil.cli._risk_victims import check_values, described_victims
from unveil.cli._risk_words import (
    MEANING,
    Answered,
    compared,
    was_interrupted,
    worst_people,
)
from unveil.cli._testing import warm_up_risk
from unveil.engine import parse_duration
from unveil.errors import InputError, MissingExtraError, UnveilError
from unveil.microdata import Microdata
from unveil.report import display_name
from unveil.sanitize import first_look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RiskTest"]


@dataclass(frozen=True, kw_only=True)
class RiskTest:
    """What `unveil risk` was asked for."""

    reading: Reading
    given: Given
    victims: Sequence[str]
    model: dict[str, Any]
    """What `relative_risk` is told besides."""
    json: Path | None
    records: bool
    plot: Path | None
    picture: str | None
    worst: int
    traces: Path | None

    def run(self) -> None:
        """Read, answer, report."""
        victims = self._check()
        out = console(stderr=is_stdout(self.json))
        microdata = self.reading.read() if self.reading.is_given else None
        if microdata is not None:
            out.print(heading(microdata))
            for note in microdata.notes:
                out.print(f"Note: {in_command_line_words(note)}\n")
        done = self._read(microdata)
        for one, release in done.releases:
            check_values(victims, release.quasi)
            for note in one.notes():
                out.print(f"Note: {note}\n")
        warm_up_risk()
        self._answer(done, microdata, victims)
        self._write(done, out)
        self._show(done, out)
        done.finish(sum(not was_interrupted(one.finding) for one in done.answered))

    def _check(self) -> list[dict[str, str]]:
        """Everything that can be wrong is told before the long work."""
        source = self.reading.file if self.reading.is_given else None
        check_results(json=self.json, plot=self.plot, records=self.records, source=source)
        self.given.check(self.reading)
        quasi = names(self.reading.quasi)
        if not quasi:
            raise InputError("name at least one quasi-identifier: --quasi is empty")
        victims = described_victims(self.victims, quasi)
        self._check_model()
        self._check_output()
        if not self.reading.is_given:
            self._check_alone()
        return victims

    def _check_model(self) -> None:
        for name, least in (("alpha", 0), ("beta", 0), ("rhat", 1), ("ess", 0)):
            number = self.model[name]
            if not least < number < float("inf"):
                raise InputError(f"--{name} must be a number above {least}, got {number:g}")
        parse_duration(self.model["budget"])

    def _check_output(self) -> None:
        if self.picture is not None and self.plot is None:
            raise InputError("--picture says what --plot draws; say where that goes with --plot")
        if self.picture == "victim" and not self.victims:
            raise InputError("--picture victim needs somebody to draw: --victim")
        if self.traces is not None:
            check_output(self.traces, "--traces", suffixes=(".nc",))
            if is_stdout(self.traces):
                raise InputError("--traces needs a file, such as traces.nc")
            if len([*self.given.releases, *self.given.anatomies, *self.given.sanitizers]) != 1:
                raise InputError("--traces is for one release: give one")
            if self.model["exact"]:
                raise InputError("--traces and --exact: an exact answer has no traces")
            _check_arviz()

    def _check_alone(self) -> None:
        if not self.victims:
            quasi = ",".join(f"{name}=…" for name in names(self.reading.quasi))
            raise InputError(
                "without the original table nobody can be said to be at risk: describe somebody "
                f"with --victim '{quasi}', or give the table as FILE"
            )
        for option, asked in (
            ("--worst", self.worst > 0), ("--records", self.records),
            (f"--picture {self.picture}", self.picture in ("histogram", "scatter")),
        ):  # fmt: skip
            if asked:
                raise InputError(f"{option} is about the people of the original table: give FILE")

    def _read(self, microdata: Microdata | None) -> _Done:
        """The releases, and which could not be read or made; one is no matter to the others."""
        done = _Done()
        wanted = self.given.to_read(self.reading, microdata)
        if not wanted:
            assert microdata is not None  # checked
            wanted = [sanitized(f, microdata) for f in first_look(microdata)]
        read_all(wanted, done)
        return done

    def _answer(
        self, done: _Done, microdata: Microdata | None, victims: Sequence[dict[str, str]]
    ) -> None:
        """Ask about each release; an interrupt ends the work and keeps what has been found."""
        for one, release in done.releases:
            try:
                finding = relative_risk(release, microdata, **self.model)  # type: ignore[arg-type]
            except UnveilError as error:
                done.fail(one, error)
                continue
            except KeyboardInterrupt:
                done.ended_at = one
                return
            done.ended_at = one if was_interrupted(finding) else None
            found = () if done.interrupted else self._asked(finding, victims, one, done)
            done.answered.append(Answered(name=one.name, finding=finding, victims=tuple(found)))
            if done.interrupted:
                return

    def _asked(
        self, finding: RelativeRisk, victims: Sequence[dict[str, str]], one: ToRead, done: _Done
    ) -> Iterator[Victim]:
        for victim in victims:
            try:
                yield finding.victim(victim)
            except UnveilError as error:
                done.fail(one, error)
            except KeyboardInterrupt:
                done.ended_at = one
                return

    def _write(self, done: _Done, out: Console) -> None:
        """The files first: whoever reads the report may stop in the middle."""
        if self.json is not None:
            write_findings(self.json, done.answered, records=self.records, failed=done.failures())
        if not done.answered:
            return
        if self.traces is not None:
            try:
                done.answered[0].finding.save_traces(self.traces)
                out.print(f"traces: {self.traces}", soft_wrap=True)
            except UnveilError as error:
                done.fail(done.releases[0][0], error)
            except OSError as error:
                why = error.strerror or error
                done.fail(
                    done.releases[0][0], InputError(f"cannot write {str(self.traces)!r}: {why}")
                )
        if self.plot is not None:
            try:
                save_picture(self.plot, self._drawn(done.answered), out)
            except UnveilError as error:
                done.fail(done.releases[0][0], error)

    def _drawn(self, answered: Sequence[Answered]) -> Axes:
        kind = self.picture or ("histogram" if self.reading.is_given else "victim")
        if kind != "victim":
            if kind in ("trace", "rank"):  # those that have none are left out, if any has
                answered = [one for one in answered if one.finding.chains] or answered
            if len(answered) == 1:
                return answered[0].finding.plot(kind=kind)
            named = [display_name(one.name) for one in answered]
            return panels([one.finding for one in answered], kind, named)
        victims = [(one.name, victim) for one in answered for victim in one.victims]
        if not victims:
            raise InputError("--picture victim: there is nobody to draw")
        axes = grid(len(victims))
        for ax, (name, victim) in zip(axes, victims, strict=True):
            victim.plot(ax)
            if len(answered) > 1:
                ax.set_title(f"{display_name(name)}\n{ax.get_title()}", fontsize=10)
        return axes[0]

    def _show(self, done: _Done, out: Console) -> None:
        several = len(done.answered) > 1
        if several and self.reading.is_given:
            findings = [one.finding for one in done.answered]
            out.print(compared(findings, [one.name for one in done.answered]))
            out.print()
            out.print(MEANING)
            out.print()
        for place, one in enumerate(done.answered):
            if place:
                out.print()
            print_text(one.summary(), out)
            if self.worst:
                out.print()
                out.print(f"The worst-placed under {display_name(one.name)}", style="bold")
                out.print("(p_A/p_L; rows counted from 1)")
                out.print(worst_people(one.finding, self.worst))


@dataclass(kw_only=True)
class _Done(Collected):
    """What has become of the releases so far."""

    answered: list[Answered] = field(default_factory=list)


def _check_arviz() -> None:
    if find_spec("arviz_base") is None or find_spec("h5netcdf") is None:
        raise MissingExtraError(
            "--traces needs ArviZ and NetCDF; install them with: pip install 'unveil[arviz]'"
        )
