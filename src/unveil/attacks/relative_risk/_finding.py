"""The finding of relative risk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._beliefs import (
    ROUNDING,
    Answer,
    AtRisk,
    Table,
    Ties,
    attacker,
    given_tuple,
    joint_learner,
)
from unveil.attacks.relative_risk._chains import Chains
from unveil.attacks.relative_risk._exact import Likelihood
from unveil.attacks.relative_risk._problem import Problem
from unveil.attacks.relative_risk._victim import (
    Teller,
    Victim,
    check_inside,
    described,
    free_name,
)
from unveil.errors import Cell, InputError, Option, Row, Text
from unveil.findings import Finding
from unveil.microdata import Column, Microdata

if TYPE_CHECKING:
    import os

    import pandas as pd
    from matplotlib.axes import Axes
    from xarray import DataTree

__all__ = ["LEARNERS", "How", "Learner", "RelativeRisk"]

Learner: TypeAlias = Literal["joint", "conditional"]
LEARNERS: tuple[Learner, ...] = get_args(Learner)
How: TypeAlias = Literal["closed form", "enumeration", "sampling"]

QUANTILES = (0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)
LEVELS = (0.0, 0.25, 0.5, 0.75, 0.9, 0.99)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RelativeRisk(Finding):
    """What an attacker who knows that the victim is in the table learns beyond a learner.

    Attributes
    ----------
    how : {"closed form", "enumeration", "sampling"}
        How the beliefs were found; the first two are exact.
    chains : Chains, or None
        The samples and their diagnostics.
    answer : Answer
        The expectations behind all beliefs, for all watched tuples.
    microdata : Microdata, or None
        The original table. Without it nobody is at risk, and the finding answers questions about
        described victims.
    """

    release: str
    """What made it."""
    kind: Literal["horizontal", "vertical"]
    quasi: tuple[Column, ...]
    sensitive: Column
    problem: Problem
    microdata: Microdata | None
    tuple_of: NDArray[np.int64]
    """The watched tuple of each record of the original table."""
    answer: Answer
    how: How
    chains: Chains | None
    likelihood: Likelihood
    learner_is: Learner
    ties: Ties
    teller: Teller
    seed: int
    seconds: float
    notes: tuple[Text, ...] = ()

    # What is believed ------------------------------------------------------------------------

    @property
    def domain(self) -> str:
        """Which tuples are assumed to exist: observed, product or covered."""
        return self.problem.domain.name

    @property
    def converged(self) -> bool:
        """Whether the answer is exact, or the chains have converged."""
        return self.chains is None or self.chains.converged

    @cached_property
    def attacker(self) -> Table:
        """p_A: sensitive values × watched tuples; nan for those that no group covers."""
        return attacker(self.answer.rows)

    @cached_property
    def learner(self) -> Table:
        """p_L: sensitive values × watched tuples; nan for those outside the domain."""
        return self._learner_of(self.answer)

    def _learner_of(self, answer: Answer) -> Table:
        if self.learner_is == "conditional":
            assert answer.conditional is not None
            beliefs = answer.conditional
        else:
            beliefs = given_tuple(joint_learner(self.problem, answer.density))
        return np.where(self._is_inside, beliefs, np.nan)

    @cached_property
    def _is_inside(self) -> NDArray[np.bool_]:
        """Which watched tuples are in the domain; dropped records need not be."""
        return self.problem.domain.has(self.problem.watched)

    @property
    def error(self) -> float:
        """The largest Monte Carlo standard error of a belief about the panel; 0 if exact."""
        return 0.0 if self.chains is None else self.chains.diagnostics.largest_error

    def victim(
        self, described_by: Mapping[str, Any] | int | None = None, /, **values: Any
    ) -> Victim:
        """What is believed about a person with these quasi-identifiers.

        Parameters
        ----------
        described_by : mapping or int, optional
            The values by column name, for names that cannot be arguments; or the number of a
            record of the original table.
        **values
            A value of every quasi-identifier.

        Raises
        ------
        InputError
            If a value is missing or unknown, or the victim is outside the domain.

        Notes
        -----
        For a victim of the panel the chains have finished. For others they continue, for some
        seconds.
        """
        codes = self._codes_of(described_by, values)
        place = np.flatnonzero((self.problem.watched == codes).all(axis=0))
        known = self.answer.about(int(place[0])) if len(place) else None
        in_panel = np.flatnonzero(np.isin(self.problem.panel, place))
        traces = self.chains.about(int(in_panel[0])) if self.chains and len(in_panel) else ()
        found = self.teller.about(codes, known, traces)
        return Victim(
            who={c.name: c.texts[code] for c, code in zip(self.quasi, codes[:, 0], strict=True)},
            sensitive=self.sensitive.name, values=self.sensitive.texts,
            attacker=found.attacker, learner=found.learner,
            attacker_interval=found.attacker_interval, learner_interval=found.learner_interval,
            error=found.error, converged=found.converged and self.converged,
        )  # fmt: skip

    def _codes_of(
        self, described_by: Mapping[str, Any] | int | None, values: dict[str, Any]
    ) -> NDArray[np.int32]:
        if isinstance(described_by, int | np.integer) and not isinstance(described_by, bool):
            n = 0 if self.microdata is None else len(self.microdata)
            if self.microdata is None or not 0 <= described_by < n:
                raise InputError(
                    "there is no {record} {why}; describe the victim by values of the "
                    "quasi-identifiers",
                    record=Row(int(described_by), "record"),
                    why=f"(records are counted from 0 to {n - 1:,})" if n else "without microdata",
                )  # fmt: skip
            codes = self.microdata.codes[:, [described_by]]
            check_inside(codes, self.quasi, self.problem.domain)
            return codes
        if not isinstance(described_by, Mapping | None):
            raise InputError(
                "describe a victim by values of the quasi-identifiers, by name, or by the number "
                "of a record, not by {given}",
                given=Cell(described_by),
            )
        given = {**(described_by or {}), **values}
        return described(given, self.quasi, self.problem.domain)

    # Who is at risk --------------------------------------------------------------------------

    @property
    def _table(self) -> Microdata:
        """The original table; an error if it was not given."""
        if self.microdata is None:
            raise InputError(
                "only the people of the original table can be at risk; give it as {microdata}, or "
                "ask about a victim: finding.victim(…)",
                microdata=Option("microdata"),
            )
        return self.microdata

    def _at_risk(self, beliefs: Table) -> AtRisk:
        return AtRisk(
            beliefs=beliefs, tuple_of=self.tuple_of, secret=self._table.sensitive.codes,
            within=self.tied_within,
        )  # fmt: skip

    @property
    def tied_within(self) -> float:
        """Beliefs that differ by less are tied."""
        if self.chains is None:
            return ROUNDING
        error = float(np.median(self.chains.diagnostics.error))
        return max(ROUNDING, 2 * error) if np.isfinite(error) else ROUNDING

    @cached_property
    def under_attacker(self) -> AtRisk:
        """The attacker's beliefs about each record."""
        return self._at_risk(self.attacker)

    @cached_property
    def under_learner(self) -> AtRisk:
        """The learner's beliefs about each record."""
        return self._at_risk(self.learner)

    @property
    def relative_risks(self) -> NDArray[np.float64]:
        """p_A / p_L of each record's own sensitive value; nan if no group covers the record."""
        return self.under_attacker.of_truth / self.under_learner.of_truth

    @property
    def not_covered(self) -> int:
        """The number of records that no group of the release covers."""
        return int(np.isnan(self.under_attacker.of_truth).sum())

    @property
    def n_attacker(self) -> float:
        """N_A: the number of records at risk under the attacker."""
        return float(self.under_attacker.counted(self.ties).sum())

    @property
    def n_learner(self) -> float:
        """N_L: the number of records at risk under the learner."""
        return float(self.under_learner.counted(self.ties).sum())

    @property
    def gr_raw(self) -> float:
        """(N_A − N_L) / N."""
        return (self.n_attacker - self.n_learner) / len(self._table)

    @property
    def gr(self) -> float:
        """GR, the global relative risk: ``gr_raw``, but not below 0."""
        return max(0.0, self.gr_raw)

    @property
    def accuracy(self) -> float:
        """The share of records whose sensitive value the attacker guesses right.

        Among tied values they pick one at random.
        """
        return float(self.under_attacker.counted("fraction").mean())

    @property
    def learner_accuracy(self) -> float:
        """The same for the learner."""
        return float(self.under_learner.counted("fraction").mean())

    @cached_property
    def gr_error(self) -> float:
        """The Monte Carlo standard error of ``gr_raw``: its standard deviation between chains.

        It is not divided by the root of their number: counts jump where beliefs are nearly tied,
        and jumps do not average out as beliefs do.
        """
        if self.chains is None:
            return 0.0
        each = [self._gr_raw_of(info.answer) for info in self.chains.infos]
        return float(np.std(each, ddof=1)) if len(each) > 1 else float("nan")

    def _gr_raw_of(self, answer: Answer) -> float:
        counted = [
            self._at_risk(beliefs).counted(self.ties).sum()
            for beliefs in (attacker(answer.rows), self._learner_of(answer))
        ]
        return float(counted[0] - counted[1]) / len(self._table)

    # Tables ----------------------------------------------------------------------------------

    @property
    def quantiles(self) -> pd.Series[float]:
        """Quantiles of the relative risk of all covered records."""
        import pandas as pd

        risks = self.relative_risks
        risks = risks[~np.isnan(risks)]
        found = np.quantile(risks, QUANTILES) if len(risks) else np.full(len(QUANTILES), np.nan)
        return pd.Series(found, index=list(QUANTILES), name="relative_risk")

    @property
    def levels(self) -> pd.DataFrame:
        """The number of records at risk with at least a given belief, under either party."""
        import pandas as pd

        found: dict[str, list[float]] = {}
        for name, party in (("attacker", self.under_attacker), ("learner", self.under_learner)):
            counted, level = party.counted(self.ties), party.of_truth
            found[name] = [float(counted[level >= one - ROUNDING].sum()) for one in LEVELS]
        return pd.DataFrame(found, index=pd.Index(LEVELS, name="level"))

    def to_frame(self) -> pd.DataFrame:
        """One row per record: beliefs in its own sensitive value, and whether it is at risk.

        Without the original table: one row per victim of the panel and sensitive value.
        """
        import pandas as pd

        if self.microdata is None:
            return self._panel_frame()
        return pd.DataFrame(
            {
                "record": np.arange(len(self.microdata)),
                "row": self.microdata.rows,
                "attacker": self.under_attacker.of_truth,
                "learner": self.under_learner.of_truth,
                "relative_risk": self.relative_risks,
                "at_risk_attacker": self.under_attacker.counted(self.ties),
                "at_risk_learner": self.under_learner.counted(self.ties),
            }
        )

    def _panel_frame(self) -> pd.DataFrame:
        import pandas as pd

        watched, values = self.problem.watched, len(self.sensitive.texts)
        frame = pd.DataFrame(
            {"attacker": self.attacker.T.ravel(), "learner": self.learner.T.ravel()}
        )
        cells = [
            *(np.repeat(np.array(column.texts, dtype=object)[codes], values)
              for column, codes in zip(self.quasi, watched, strict=True)),
            np.tile(np.array(self.sensitive.texts, dtype=object), watched.shape[1]),
        ]  # fmt: skip
        for place, (column, texts) in enumerate(
            zip((*self.quasi, self.sensitive), cells, strict=True)
        ):
            frame.insert(place, free_name(column.name, frame.columns), texts)
        return frame

    def worst(self, n: int = 10) -> pd.DataFrame:
        """The records with the largest relative risk, with their values.

        A column of the table with the name of one of these is renamed, as in "row in the table".
        """
        table = self._table
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise InputError(
                "{option} must be a whole number from 0 up, got {n}", option=Option("n"), n=repr(n)
            )
        risks = np.nan_to_num(self.relative_risks, nan=-1.0)
        first = np.argsort(-risks, kind="stable")[:n]
        frame = self.to_frame().iloc[first].reset_index(drop=True)
        for place, column in enumerate((*table.quasi, table.sensitive), start=2):
            name = free_name(column.name, frame.columns)
            frame.insert(place, name, column.values[column.codes[first]])
        return frame

    def content(self, *, records: bool) -> dict[str, Any]:
        from unveil.attacks.relative_risk._texts import content_of

        return content_of(self, records=records)

    # Chains ----------------------------------------------------------------------------------

    def traces(self) -> DataTree:
        """The traces of the panel for ArviZ; needs the extra ``arviz``."""
        from unveil.attacks.relative_risk._arviz import traces_of

        return traces_of(self)

    def save_traces(self, path: str | os.PathLike[str]) -> Path:
        """Write the traces of the panel as a NetCDF file for ArviZ."""
        from unveil.attacks.relative_risk._arviz import save_traces

        return save_traces(self, path)

    # Pictures and words ----------------------------------------------------------------------

    def plot(self, ax: Axes | None = None, *, kind: str = "histogram") -> Axes:
        """Plot the finding; needs matplotlib: ``pip install 'unveil[plot]'``.

        Parameters
        ----------
        ax : Axes, optional
        kind : {"histogram", "scatter", "trace", "rank"}
            The relative risk of all records; learner against attacker; the traces of the panel's
            worst victim; the ranks of these traces.
        """
        from unveil.attacks.relative_risk._pictures import picture_of

        return picture_of(self, kind, ax)

    def verdict(self, name: str | None = None) -> str:
        """The result in one or two sentences; ``name`` is what to call the release."""
        from unveil.attacks.relative_risk._texts import verdict_of

        return verdict_of(self, name)

    def summary(self) -> str:
        from unveil.attacks.relative_risk._texts import summary_of

        return summary_of(self)
