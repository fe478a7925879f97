"""What a test of anonymizations was asked for: from the words typed to those of the library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unveil.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    import pandas as pd

    from unveil.microdata import Microdata
    from unveil.sanitize import Sanitizer

__all__ = ["Oracles", "Test", "notations"]


def notations(given: Sequence[str] | None) -> dict[str, str]:
    """How columns are written, from a repeatable option.

    >>> notations(["age=range", "zip=mask"])
    {'age': 'range', 'zip': 'mask'}
    """
    found: dict[str, str] = {}
    for text in given or ():
        column, equals, how = (part.strip() for part in text.rpartition("="))
        if not equals or not column or not how:
            raise InputError(
                f"cannot read --notation {text!r}; write the column and how its cells are "
                "written, such as 'age=range'"
            )
        found[column] = how
    return found


@dataclass(frozen=True, kw_only=True)
class Oracles:
    """The oracles and their limits."""

    given: Sequence[str]
    notation: dict[str, str]
    time_limit: str | None
    memory_limit: str | None
    retries: int | None
    may_drop: bool
    may_change: bool

    def check(self, *, releases: bool) -> None:
        """An option that means nothing here was meant for something that is missing."""
        limits = {
            "--time-limit": self.time_limit is not None,
            "--memory-limit": self.memory_limit is not None,
            "--retries": self.retries is not None,
            "--may-drop": self.may_drop,
        }
        for option, given in limits.items():
            if given and not self.given:
                raise InputError(f"{option} is for oracles; give one with --oracle")
        for option, said in (
            ("--notation", bool(self.notation)),
            ("--may-change-sensitive", self.may_change),
        ):
            if said and not self.given and not releases:
                raise InputError(
                    f"{option} is for what others publish; give it with --oracle or --release"
                )

    def made(self) -> list[Sanitizer]:
        """Oracles as sanitizers."""
        from unveil.sanitize import Oracle

        return [
            Oracle(
                source,
                notation=self.notation or None,
                timeout=self.time_limit,
                memory=self.memory_limit,
                retries=self.retries,
                may_drop=self.may_drop,
                may_change_sensitive=self.may_change,
            )
            for source in self.given
        ]


@dataclass(frozen=True, kw_only=True)
class Test:
    """How anonymizations are tested."""

    adversaries: Sequence[str]
    distance: str
    prior: Path | None
    samples: int | None
    error: float | None
    targets: str | None
    draw: str
    budget: str | None
    seed: int
    jobs: int | None
    scheduler: str | None

    def check(self) -> None:
        """Everything that can be wrong without the table is told before it is read."""
        from unveil.attacks import adversaries_named, check_chance, distance_named
        from unveil.engine import parse_duration

        if self.draw != "random" and self.targets is None and self.budget is None:
            raise InputError(f"--draw {self.draw} needs --targets or --budget: all are tested")
        check_chance(samples=self.samples, error=self.error)
        if self.adversaries:
            adversaries_named(list(self.adversaries))
        distance_named(self.distance)
        self._targets()
        if self.budget is not None:
            parse_duration(self.budget)
        if self.prior is not None:
            self._prior()

    def given(self) -> list[str]:
        """Options of the differential test that were given."""
        values = {
            "--samples": self.samples,
            "--error": self.error,
            "--targets": self.targets,
            "--budget": self.budget,
            "--jobs": self.jobs,
            "--scheduler": self.scheduler,
        }
        return [option for option, value in values.items() if value is not None]

    def options(self, microdata: Microdata) -> dict[str, Any]:
        """What `differential_inference` is told."""
        targets, n = self._targets(), len(microdata)
        if isinstance(targets, int) and targets > n:
            raise InputError(
                f"--targets {targets}: {microdata.source} has {n:,} records to choose from"
            )
        return {
            **self.beliefs(),
            "distance": self.distance,
            "samples": self.samples,
            "error": self.error,
            "targets": targets,
            "draw": str(self.draw),
            "budget": self.budget,
            "seed": self.seed,
            "n_jobs": self.jobs,
            "backend": "dask" if self.scheduler else None,
        }

    def beliefs(self) -> dict[str, Any]:
        """What beliefs depend on: who has them, and what he knew before."""
        names = list(self.adversaries) or None  # each sanitizer has an attacker of its own
        return {
            "adversary": names,
            "prior": None if self.prior is None else self._prior(),
        }

    def _targets(self) -> int | str | None:
        text = self.targets
        if text is None or text == "available":
            return text
        if text.isascii() and text.isdigit() and int(text) > 0:
            return int(text)
        raise InputError(
            f"--targets must be a number of records from 1 up, or 'available', got {text!r}"
        )

    def _prior(self) -> dict[str, float] | pd.DataFrame:
        """One line holds for everybody; otherwise there is one a record."""
        import pandas as pd

        assert self.prior is not None
        try:
            table = pd.read_csv(self.prior)
        except (OSError, ValueError) as error:
            raise InputError(f"cannot read --prior {str(self.prior)!r}: {error}") from error
        if len(table) == 1:
            return {str(value): share for value, share in table.iloc[0].items()}
        return table

    @contextmanager
    def cluster(self) -> Iterator[None]:
        """A connection to the Dask cluster, if one was named."""
        if self.scheduler is None:
            yield
            return
        try:
            from distributed import Client
        except ImportError as error:
            raise MissingExtraError(
                "--scheduler needs Dask; install it with: pip install 'unveil[dask]'"
            ) from error
        try:
            client = Client(self.scheduler, timeout="10s")  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise InputError(
                f"nothing answers at --scheduler {self.scheduler!r}: {error}"
            ) from error
        with client:
            yield
