"""The finding of relative risk: what it says in numbers, words, tables and charts.

Sampled numbers are shown with the digits that they have, and not with more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
import pandas as pd
from annotated_types import Ge
from numpy.typing import NDArray

from unveil._text import harmless, percents
from unveil.attacks.relative_risk import GR, RELATIVE_RISK
from unveil.attacks.relative_risk._beliefs import (
    ROUNDING,
    Answer,
    AtRisk,
    Beliefs,
    Learner,
    Ties,
    attacker,
    learner_of,
)
from unveil.attacks.relative_risk._chains import Chains, Sampling, Stopped
from unveil.attacks.relative_risk._exact import Likelihood
from unveil.attacks.relative_risk._guesses import Guesses
from unveil.attacks.relative_risk._intervals import (
    Errors,
    Possible,
    ratio_within,
    share_within,
)
from unveil.attacks.relative_risk._problem import Problem
from unveil.attacks.relative_risk._traces import charts_of_chains, save_traces, traces
from unveil.attacks.relative_risk._victim import (
    Victim,
    check_inside,
    described,
    free_name,
    told,
    warmed_up,
)
from unveil.attacks.tolerance import Near
from unveil.errors import (
    Amount,
    Cell,
    File,
    InputError,
    Known,
    Message,
    Option,
    Person,
    Row,
    Text,
)
from unveil.findings import (
    Axis,
    Chart,
    Finding,
    Matrix,
    Series,
    Story,
    Table,
    Value,
    cell,
    numbers,
)
from unveil.microdata import Column, Microdata
from unveil.options import check

How: TypeAlias = Literal["closed form", "enumeration", "sampling"]

QUANTILES = (0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)
LEVELS = (0.0, 0.25, 0.5, 0.75, 0.9, 0.99)
SMALL_BETA = 0.1
"""Below this, chains may look converged although they are not."""

_ONE = 1e-9  # relative risks that differ from 1 by less are 1
_BINS = 8  # for each doubling of the relative risk
_LEAST = 2.0**-10  # smaller relative risks are drawn there
_TENTHS = 10  # of a belief, in the heat map
_SHOWN = 12  # sensitive values of a person
_WORST = 5  # people who are listed

_NOBODY = "nobody is at risk under the attacker, so the relative risk is undefined"
_LONGER = Message("sample longer ({ess}, {budget})", ess=Option("ess"), budget=Option("budget"))
_PERHAPS_NOBODY = Message(
    "it is not known whether anybody is at risk under the attacker; {longer}", longer=_LONGER,
)  # fmt: skip
_STOPPED: dict[Stopped, Message] = {
    "converged": Message(""),
    "sweeps": Message("the limit of sweeps was reached; give more with {more}",
                      more=Option("sweeps")),
    "budget": Message("the budget was used up; give more with {more}", more=Option("budget")),
    "time": Message("the time was over; give more with {more}", more=Option("budget")),
    "interrupted": Message("it was interrupted"),
}  # fmt: skip
_EXACTLY = {
    "closed form": "no two sets with the same sensitive value overlap",
    "enumeration": "all tables that are consistent with the release were enumerated",
}
_LEARNERS = {
    "joint": "averaging over populations, then conditioning on the victim's values (eq. 4)",
    "conditional": "averaging over populations what follows from each of them (eq. 5)",
}
_TIES = {
    "full": "records whose value is one of several most likely ones count fully",
    "fraction": "records whose value is one of several most likely ones count by its share",
    "none": "records whose value is one of several most likely ones do not count",
}
_DOMAINS = {
    "observed": "those of the original table, which both are assumed to know",
    "product": "all combinations of the columns' values",
    "covered": "those that the release covers",
}
_MODELS = {
    "saturated": "saturated (every tuple has its own probability)",
    "naive-bayes": "naive Bayes (columns are independent given the sensitive value)",
}


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
    victims : tuple of Victim
        Those who were asked about.
    worst_listed : int, optional
        How many of the worst-placed people are listed with their values.
    near : Near, optional
        How near a guess must be to be right; without the original nobody's can be checked.
    """

    entry: ClassVar[str] = "relative-risk"

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
    errors: Errors | None
    """Monte Carlo errors of all beliefs, if they were sampled and the original table is given."""
    likelihood: Likelihood
    learner_is: Learner
    ties: Ties
    sampling: Sampling
    seed: int
    seconds: float
    notes: tuple[Text, ...] = ()
    victims: tuple[Victim, ...] = ()
    worst_listed: int | None = None
    near: Near | None = None
    interrupted: bool = False
    """Whether the user ended the work: there is nothing, or only a part, about the victims."""

    # What is believed ------------------------------------------------------------------------

    @property
    def domain(self) -> str:
        """Which tuples are assumed to exist: observed, product or covered."""
        return self.problem.domain.name

    @property
    def converged(self) -> bool:
        """Whether the answer is exact, or the chains have converged."""
        return self.chains is None or self.chains.converged

    @property
    def is_known(self) -> bool:
        """Whether GR and the worst relative risk are known, exactly or within their intervals.

        They are not if the chains have not converged, nor if they may only seem to have: with a
        small β they move so rarely that they may agree with each other and all be wrong.
        """
        return self.chains is None or (self.converged and self.problem.beta >= SMALL_BETA)

    @cached_property
    def attacker(self) -> Beliefs:
        """p_A: sensitive values × watched tuples; nan for those that no group covers."""
        return attacker(self.answer.rows)

    @cached_property
    def learner(self) -> Beliefs:
        """p_L: sensitive values × watched tuples; nan for those outside the domain."""
        return self._learner_of(self.answer)

    def _learner_of(self, answer: Answer, some: slice = slice(None)) -> Beliefs:
        beliefs = learner_of(self.problem, answer.about(some), self.learner_is)
        return np.where(self._is_inside[some], beliefs, np.nan)

    def _attacker_about(self, some: slice) -> Beliefs:
        return attacker(self.answer.rows[:, some])

    def _learner_about(self, some: slice) -> Beliefs:
        return self._learner_of(self.answer, some)

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
        return told(self, self._codes_of(described_by, values))

    @cached_property
    def warmed_up(self) -> tuple[Any, ...]:
        """States of the chains that can continue."""
        return warmed_up(self.problem, self.sampling) if self.chains is None else self.chains.states

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

    def _at_risk(self, beliefs: Callable[[slice], Beliefs]) -> AtRisk:
        return AtRisk(
            beliefs=beliefs, tuple_of=self.tuple_of, secret=self._table.sensitive.codes,
            within=ROUNDING, near=self.near,
        )  # fmt: skip

    @cached_property
    def under_attacker(self) -> AtRisk:
        """The attacker's beliefs about each record."""
        return self._at_risk(self._attacker_about)

    @cached_property
    def under_learner(self) -> AtRisk:
        """The learner's beliefs about each record."""
        return self._at_risk(self._learner_about)

    @cached_property
    def ratios(self) -> NDArray[np.float64]:
        """p_A / p_L of each record's own sensitive value, whether or not the record is at risk.

        nan if no group covers the record.
        """
        return self.under_attacker.of_truth / self.under_learner.of_truth

    @property
    def largest_ratio(self) -> float | None:
        """The largest of all ratios; None if no group covers any record."""
        return _largest(self.ratios)

    @cached_property
    def at_risk(self) -> NDArray[np.bool_]:
        """Which records are at risk under the attacker: their own value is the most likely one.

        One that is tied with others counts as ``ties`` says.
        """
        return self.under_attacker.counted(self.ties) > 0

    @cached_property
    def relative_risks(self) -> NDArray[np.float64]:
        """The relative risk of each record: its ratio p_A / p_L if it is at risk, otherwise nan."""
        return np.where(self.at_risk, self.ratios, np.nan)

    @property
    def worst_relative_risk(self) -> float | None:
        """The largest relative risk of a record at risk; None if none is."""
        return _largest(self.relative_risks)

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

    # How well that is known ------------------------------------------------------------------

    @property
    def gr_interval(self) -> tuple[float, float]:
        """The 95 % interval of GR; 0 and 1, which say nothing, if it is not known."""
        if self.errors is None:
            return self.gr, self.gr
        if not self.is_known:
            return 0.0, 1.0
        low, high = share_within(*self._possible, self.ties, len(self._table))
        return min(low, self.gr), max(high, self.gr)

    @cached_property
    def relative_risk_interval(self) -> tuple[float, float]:
        """The 95 % interval of the worst relative risk.

        From 0 if perhaps nobody is at risk; 0 and infinity if it is not known.
        """
        worst = self.worst_relative_risk or 0.0
        if self.errors is None:
            return worst, worst
        if not self.is_known:
            return 0.0, math.inf
        errors = self.errors.ratio[self._table.sensitive.codes, self.tuple_of]
        low, high = ratio_within(
            self._possible[0], self.ratios, errors, self.errors.factor, self.ties
        )
        return min(low, worst), max(high, worst)

    @cached_property
    def _possible(self) -> tuple[Possible, Possible]:
        """The guesses that the attacker and the learner may think the best."""
        assert self.errors is not None
        guesses = Guesses.about(self._table, self.problem, self.tuple_of, self.near)
        factor = self.errors.factor
        return (Possible.by(guesses, self.attacker, self.errors.attacker, factor),
                Possible.by(guesses, self.learner, self.errors.learner, factor))  # fmt: skip

    @property
    def _unknown(self) -> Message:
        """Why chains that have not converged, or only seem to have, tell nothing; what to do."""
        assert self.chains is not None
        if self.converged:
            return Message(
                "with β = {beta} chains may seem to have converged although they have not; use "
                "{exact}, where possible, or a larger β ({more})",
                beta=f"{self.problem.beta:g}", exact=Option("exact", "always"), more=Option("beta"),
            )  # fmt: skip
        return Message(
            "the chains have not converged; {why}", why=_STOPPED[self.chains.stopped],
        )  # fmt: skip

    # Tables ----------------------------------------------------------------------------------

    @property
    def quantiles(self) -> pd.Series[float]:
        """Quantiles of the relative risk of all records at risk; nan if none is."""
        risks = self.relative_risks[self.at_risk]
        found = np.quantile(risks, QUANTILES) if len(risks) else np.full(len(QUANTILES), np.nan)
        return pd.Series(found, index=list(QUANTILES), name="relative_risk")

    @property
    def levels(self) -> pd.DataFrame:
        """The number of records at risk with at least a given belief, under either party."""
        found: dict[str, list[float]] = {}
        for name, party in (("attacker", self.under_attacker), ("learner", self.under_learner)):
            counted, level = party.counted(self.ties), party.of_truth
            found[name] = [float(counted[level >= one - ROUNDING].sum()) for one in LEVELS]
        return pd.DataFrame(found, index=pd.Index(LEVELS, name="level"))

    def to_frame(self) -> pd.DataFrame:
        """One row per record: beliefs in its own sensitive value, and whether it is at risk.

        Without the original table: one row per victim of the panel and sensitive value.
        """
        if self.microdata is None:
            return self._panel_frame()
        return pd.DataFrame({
            "record": np.arange(len(self.microdata)), "row": self.microdata.rows,
            "attacker": self.under_attacker.of_truth, "learner": self.under_learner.of_truth,
            "ratio": self.ratios, "relative_risk": self.relative_risks,
            "at_risk_attacker": self.under_attacker.counted(self.ties),
            "at_risk_learner": self.under_learner.counted(self.ties),
        })  # fmt: skip

    def _panel_frame(self) -> pd.DataFrame:
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

    @property
    def _worst_first(self) -> NDArray[np.intp]:
        """The records at risk, the largest relative risk first."""
        there = np.flatnonzero(self.at_risk)
        return there[np.argsort(-self.relative_risks[there], kind="stable")]

    def worst(self, n: int = 10) -> pd.DataFrame:
        """The records at risk with the largest relative risk, with their values.

        A column of the table with the name of one of these is renamed, as in "row in the table".
        """
        table = self._table
        check("n", Annotated[int, Ge(0)], n)
        first = self._worst_first[:n]
        frame = self.to_frame().iloc[first].reset_index(drop=True)
        for place, column in enumerate((*table.quasi, table.sensitive), start=2):
            name = free_name(column.name, frame.columns)
            frame.insert(place, name, column.values[column.codes[first]])
        return frame

    # For ArviZ
    traces = traces
    save_traces = save_traces

    # The story -------------------------------------------------------------------------------

    @property
    def figures(self) -> tuple[Value, ...]:
        if self.microdata is None:
            return ()
        worst = self.worst_relative_risk
        if self.errors is None:
            return GR.of(self.gr), RELATIVE_RISK.of(worst, why_not=_NOBODY)
        if not self.is_known:  # what is not known must not pass for known
            return (GR.of(None, low=0.0, high=1.0, why_not=self._unknown),
                    RELATIVE_RISK.of(None, why_not=self._unknown))  # fmt: skip
        (low, high), (least, most) = self.gr_interval, self.relative_risk_interval
        return (
            GR.of(self.gr, low=low, high=high, remedy=_LONGER),
            RELATIVE_RISK.of(worst, low=least, high=most, remedy=_LONGER,
                             why_not=_NOBODY if most == 0 else _PERHAPS_NOBODY),
        )  # fmt: skip

    @property
    def facts(self) -> Mapping[str, Any]:
        problem, table = self.problem, self.microdata
        facts = {
            "converged": self.converged, "source": None if table is None else table.source,
            "quasi": [column.name for column in self.quasi], "sensitive": self.sensitive.name,
            "published": int(problem.counts.sum()), "groups": len(problem.counts),
            "tuples": problem.domain.size, "alpha": problem.alpha, "beta": problem.beta,
            "learner": self.learner_is, "tolerance": self.near.fact if self.near else None,
            "sampling": None if self.chains is None else _sampling(self.chains),
            **self.attributes("release kind how likelihood domain ties seed"),
        }  # fmt: skip
        if table is not None:
            facts["risk"] = {
                "records": len(table), "attacker_accuracy": self.accuracy,
                "at_risk": int(self.at_risk.sum()),
                "quantiles": {f"{q:g}": x for q, x in self.quantiles.items()},
                "levels": [
                    {"level": level, **both} for level, both in self.levels.to_dict("index").items()
                ],
                **self.attributes(
                    "worst_relative_risk largest_ratio not_covered n_attacker n_learner gr_raw gr "
                    "learner_accuracy"
                ),
                "gr_interval": list(self.gr_interval),
                "relative_risk_interval": numbers(self.relative_risk_interval),
            }  # fmt: skip
        if self.victims:
            facts["victims"] = [victim.to_dict() for victim in self.victims]
        return facts

    def story(self, release: Text | None = None) -> Story:
        table = self.microdata
        source = "" if table is None else Message(" on {it}", it=File(table.source, bare=True))
        named = File(self.release, bare=True)
        return Story(
            title=Message("Relative risk: {release}{source}", release=named, source=source),
            about=[*self._not_converged(), self._problem_in_words()],
            verdict=self._verdict(release or Message("{it}", it=named)),
            sentences=[*self._counted(), *self._assumptions()],
            tables=[*self._tables(), *(victim.table() for victim in self.victims)],
            charts=[*self._charts(release), *(victim.chart(release) for victim in self.victims)],
            closer=self._closer_charts(release),
            diagnostics=[self._how_in_words()],
        )

    @property
    def _few(self) -> int:
        """Digits to leave out of shares in percent and of ratios."""
        return 0 if self.chains is None else 1

    def _percent(self, share: float) -> str:
        return f"{share:.{2 - self._few}%}"

    def _not_converged(self) -> list[Text]:
        if self.converged:
            return []
        assert self.chains is not None
        found, goal = self.chains.diagnostics, self.chains.sampling.goal
        return [
            Message(
                "NOT CONVERGED after {sweeps} sweeps: worst R-hat {rhat:.3f} (goal: {most}), "
                "smallest effective sample size {ess:,.0f} (goal: {least:,.0f}); {why}. The "
                "numbers below are rough, and GR and the relative risk are not known.",
                sweeps=self.chains.sweeps, rhat=found.worst_rhat, most=f"{goal.rhat:g}",
                ess=found.least_ess, least=goal.ess, why=_STOPPED[self.chains.stopped],
            )
        ]  # fmt: skip

    def _problem_in_words(self) -> str:
        problem = self.problem
        groups = "groups whose values are shuffled" if self.kind == "vertical" else "groups"
        return (
            f"{problem.counts.sum():,} records in {len(problem.counts):,} {groups}; "
            f"{problem.values} values of {self.sensitive.name}; {problem.domain.size:,} tuples "
            f"({self.domain})"
        )

    def _how_in_words(self) -> str:
        chains = self.chains
        if chains is None:
            return f"Exact ({self.how}): {_EXACTLY[self.how]}."
        found = chains.diagnostics
        ess = found.least_ess
        size = f"{ess:,.0f}" if math.isfinite(ess) else "unlimited (nothing moves)"
        return (
            f"{'' if self.converged else 'NOT CONVERGED, the numbers are rough. '}Sampled "
            f"({chains.sampling.sampler.name}): {len(chains.infos)} chains of {chains.sweeps:,} "
            f"sweeps, {chains.warm_up:,} of them to warm up; worst R-hat {found.worst_rhat:.3f}, "
            f"smallest effective sample size {size} on a panel of {len(found.rhat)}."
        )

    def _verdict(self, under: Text) -> Message:
        if self.microdata is None:
            whom = Option("victim", {column.name: "..." for column in self.quasi})
            ask = "" if self.victims else Message(" Ask about a person with {it}.", it=whom)
            return Message(
                "Without the original table nobody can be said to be at risk under {under}.{ask}",
                under=under, ask=ask,
            )  # fmt: skip
        secret, worst = self.sensitive.name, self.worst_relative_risk
        if not self.is_known:
            return Message(
                "Under {under}, it is not known how much more an attacker learns about people's "
                "{secret} if they know that a person is in the table: {why}.",
                under=under, secret=Known(secret), why=self._unknown,
            )  # fmt: skip
        if worst is None and self.relative_risk_interval[1] > 0:
            then: Text = Message(" Of the relative risk, {it}.", it=_PERHAPS_NOBODY)
        elif worst is None:
            then = f" N{_NOBODY[1:]}."
        else:
            more = self._times_as_credible(worst)
            then = Message(
                " Where the attacker's best guess is right, being in the table makes it "
                "{more} credible.", more=more,
            )  # fmt: skip
        return Message(
            "Under {under}, an attacker who knows that a person is in the table guesses that "
            "person's {secret} right for {attacker} of the records, and someone who learns from "
            "the release alone for {learner}.{then}",
            under=under, secret=Known(f"{secret}{self.near.in_brackets if self.near else ''}"),
            attacker=self._guessed(self.accuracy),
            learner=self._guessed(self.learner_accuracy), then=then,
        )  # fmt: skip

    def _guessed(self, share: float) -> Amount:
        return Amount(
            GR, share, self._percent, ranged=percents,
        )  # fmt: skip

    def _counted(self) -> list[Text]:
        if self.microdata is None:
            return []
        raw = f" (raw {self._percent(self.gr_raw)})" if self.gr_raw < 0 else ""
        if not self.is_known:
            said: list[Text] = [
                Message("GR, the global relative risk: not known, because {why}.",
                        why=self._unknown),
            ]  # fmt: skip
        else:
            said = [
                f"GR, the global relative risk: {self._percent(self.gr)}{raw}.",
                *self._how_well_known(),
                *self._ratios_in_words(),
            ]
        if self.not_covered:
            said.append(
                f"Not covered: {self.not_covered:,} records have values that no group of the "
                "release covers; the attacker believes nothing about them."
            )
        return said

    def _times_as_credible(self, worst: float) -> Text:
        """What being in the table does at most, with room for the error of sampling."""
        most = self.relative_risk_interval[1]
        if most <= 1:
            return "no more"
        times = Amount(RELATIVE_RISK, most, lambda times: f"{times:.{2 - self._few}f}",
                       ranged=lambda _, high: f"{high:.4g}")  # fmt: skip
        return Message("at most {times} times as", times=times)

    def _how_well_known(self) -> list[Text]:
        """The intervals, if the numbers were sampled."""
        if self.errors is None:
            return []
        (low, high), (least, most) = self.gr_interval, self.relative_risk_interval
        return [
            Message(
                "95% intervals: GR {low:%} to {high:%}, worst relative risk {least:.2f} to "
                "{most:.2f}. They allow for all guesses that the samples leave possible; longer "
                "chains narrow them ({more}).",
                low=low, high=high, least=least, most=most, more=Option("ess"),
            )
        ]  # fmt: skip

    def _ratios_in_words(self) -> list[Text]:
        """The relative risk of those at risk, and what it leaves out."""
        digits = f".{2 - self._few}f"
        n, all_of_them, largest = int(self.at_risk.sum()), len(self._table), self.largest_ratio
        if n == 0:
            risks = (
                "Relative risk p_A/p_L: undefined. No record is at risk under the attacker: its "
                "own value is not the most likely one."
            )
        else:
            shown = {0.0: "smallest", 0.05: "5%", 0.5: "median", 0.95: "95%", 1.0: "largest"}
            found = self.quantiles
            listed = ", ".join(f"{name} {found[q]:{digits}}" for q, name in shown.items())
            risks = (
                f"Relative risk p_A/p_L of the {n:,} of {all_of_them:,} records that are at risk "
                f"under the attacker: {listed}."
            )
        if largest is None or n == all_of_them - self.not_covered:
            return [risks]
        return [
            risks,
            "Of all records that the release covers, at risk or not, the largest p_A/p_L is "
            f"{largest:{digits}}.",
        ]

    def _assumptions(self) -> list[Text]:
        alpha = self.problem.alpha
        prior = f"{alpha[0]:g}" if (alpha == alpha[0]).all() else "one per value"
        published = self.domain == "observed" and self.microdata is None
        tuples = "those of the published records" if published else _DOMAINS[self.domain]
        said: list[Text] = [
            "Attacker: knows that the victim is in the table. Learner: asks about anyone with the "
            f"same values, {_LEARNERS[self.learner_is]}.",
            f"Model: {_MODELS[self.likelihood]}, α = {prior}, β = {self.problem.beta:g}; tuples: "
            f"{tuples}.",
        ]
        if self.microdata is not None:
            tied = int(self.under_attacker.tied.sum())
            said.append(f"Ties: {_TIES[self.ties]} ({tied:,} under the attacker).")
        return said

    def _tables(self) -> list[Table]:
        if self.microdata is None:
            return []
        levels = self.levels.to_dict("index")
        rows = [
            ["at risk: N_L, N_A", cell(self.n_learner, _records), cell(self.n_attacker, _records)],
            ["guessed right", *(cell(one, self._percent)
                                for one in (self.learner_accuracy, self.accuracy))],
            *(
                [f"at risk, level from {level:g}",
                 *(cell(levels[level][party], _records) for party in ("learner", "attacker"))]
                for level in (0.5, 0.9)
            ),
        ]  # fmt: skip
        return [Table(columns=["", "learner", "attacker"], rows=rows), *self._worst_placed()]

    def _worst_placed(self) -> list[Table]:
        """People at risk with the largest relative risk; with their values only if asked for."""
        n = _WORST if self.worst_listed is None else self.worst_listed
        risks, listed = self.relative_risks, self.worst_listed is not None
        rows = [
            [
                self._person(int(record), with_values=listed),
                cell(risks[record], f".{2 - self._few}f"),
                *(cell(one.of_truth[record], ".1%")
                  for one in (self.under_learner, self.under_attacker)),
            ]
            for record in self._worst_first[:n]
        ]  # fmt: skip
        if not rows:
            return []
        return [
            Table(
                title="The worst-placed people",
                says="Of those whose own sensitive value is the most likely one to the attacker: "
                "whose gains most credibility because they are in the table, and what both "
                "believe of it.",
                columns=["person", "relative risk", "learner's belief", "attacker's belief"],
                rows=rows,
            )
        ]

    def _person(self, record: int, *, with_values: bool) -> Person:
        table = self._table
        columns = (*table.quasi, table.sensitive) if with_values else ()
        known = ", ".join(f"{c.name} {c.texts[c.codes[record]]}" for c in columns)
        return Person(int(table.rows[record]), harmless(known))

    # Charts ----------------------------------------------------------------------------------

    def _charts(self, release: Text | None) -> list[Chart]:
        if self.microdata is None or self.worst_relative_risk is None:
            return []
        name = release or Message("{it}", it=File(self.release, bare=True))
        return [self._histogram(name), self._beliefs_about_worst(name)]

    def _closer_charts(self, release: Text | None) -> list[Chart]:
        known = self.microdata is not None and self.largest_ratio is not None
        found = [self._learner_against_attacker()] if known else []
        return [*found, *charts_of_chains(self, release)]

    def _histogram(self, name: Text) -> Chart:
        risks = self.relative_risks[self.at_risk]
        risks = np.where(np.abs(risks - 1) < _ONE, 1.0, risks)
        edges = _edges(risks)
        counted = np.histogram(np.clip(risks, edges[0], edges[-1]), bins=edges)[0]
        rough = "" if self.converged else " (NOT CONVERGED)"
        return Chart(
            kind="histogram",
            title="How many times as credible the value of a person at risk is because they are "
            "in the table",
            says="at risk: the own value is the most likely one to the attacker; 1: being in the "
            "table changes nothing; above 1: it gives people away",
            x=Axis(label="relative risk", scale="log"),
            y=Axis(label="share of people at risk", share=True),
            series=[
                Series(name=Message("{name}{rough}", name=name, rough=rough), x=numbers(edges),
                       y=numbers(counted / max(1, len(risks)))),
            ],
        )  # fmt: skip

    def _beliefs_about_worst(self, name: Text) -> Chart:
        record = int(self._worst_first[0])
        at = int(self.tuple_of[record])
        one = slice(at, at + 1)
        by_attacker, by_learner = self._attacker_about(one)[:, 0], self._learner_about(one)[:, 0]
        shown = np.argsort(-np.maximum(by_attacker, by_learner), kind="stable")[:_SHOWN]
        column = self._table.sensitive
        people = np.bincount(column.codes, minlength=column.size)
        values = [Cell(harmless(column.texts[s]), people=int(people[s]), bare=True) for s in shown]
        return Chart(
            kind="bars",
            title="What is believed about the worst-placed person",
            says=Message(
                "beliefs about the {secret} of {who} under {name}: the learner's, and the "
                "attacker's, who knows that the person is in the table",
                secret=column.name, name=name,
                who=self._person(record, with_values=False),
            ),
            x=Axis(label=column.name, scale="names"), y=Axis(label="belief", share=True),
            series=[
                Series(name="learner", x=values, y=numbers(by_learner[shown])),
                Series(name="attacker", x=values, y=numbers(by_attacker[shown])),
            ],
            rank=self.worst_relative_risk,
        )  # fmt: skip

    def _learner_against_attacker(self) -> Chart:
        there = ~np.isnan(self.under_attacker.of_truth)
        attacker, learner = (
            np.minimum(one.of_truth[there], 1.0)
            for one in (self.under_attacker, self.under_learner)
        )
        edges = np.linspace(0, 1, _TENTHS + 1)
        shares = np.histogram2d(attacker, learner, bins=(edges, edges))[0] / len(attacker)
        more = float((attacker > learner * (1 + _ONE)).mean())
        less = float((attacker < learner * (1 - _ONE)).mean())
        tenths = [f"{edge:.0%}–{edge + 1 / _TENTHS:.0%}" for edge in edges[:-1]]
        secret = self.sensitive.name
        return Chart(
            kind="heatmap",
            title=f"Beliefs in people's own {secret}: learner (columns) against attacker (rows)",
            says=f"the attacker believes it more for {more:.1%} of the records, the learner for "
            f"{less:.1%}; on the diagonal both believe it alike",
            x=Axis(label="learner's belief", scale="names"),
            y=Axis(label="attacker's belief", scale="names", share=True),
            matrix=Matrix(
                rows=[f"attacker {one}" for one in tenths], columns=tenths,
                cells=[[float(one) or None for one in row] for row in shares],
            ),
            rank=self.worst_relative_risk or 0.0,
        )  # fmt: skip


def _largest(ratios: NDArray[np.float64]) -> float | None:
    """The largest of those that there are.

    >>> _largest(np.array([1.5, np.nan, 2.5])), _largest(np.array([np.nan]))
    (2.5, None)
    """
    there = ratios[~np.isnan(ratios)]
    return float(there.max()) if len(there) else None


def _edges(risks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Edges of bins on a fixed logarithmic grid, so that several releases share theirs.

    1 is one of them. There is a bin to spare on each side.

    >>> _edges(np.array([0.9, 1.0, 1.1])).round(2).tolist()
    [0.77, 0.84, 0.92, 1.0, 1.09, 1.19, 1.3]
    """
    seen = np.maximum(risks[risks > 0], _LEAST)
    low, high = (_BINS * math.log2(x) for x in (seen.min(initial=1.0), seen.max(initial=1.0)))
    return np.exp2(np.arange(math.floor(low) - 1, math.ceil(high) + 2) / _BINS)


def _records(n: float) -> str:
    """A number of records, which has a fraction if ties count by their shares.

    >>> _records(1391.0), _records(286.8333)
    ('1,391', '286.8')
    """
    return f"{n:,.0f}" if n == round(n) else f"{n:,.1f}"


def _sampling(chains: Chains) -> dict[str, Any]:
    found, how = chains.diagnostics, chains.sampling
    return {
        "sampler": how.sampler.name, "chains": len(chains.infos), "sweeps": chains.sweeps,
        "warm_up": chains.warm_up, "thin": how.goal.thin, "stopped": chains.stopped,
        "panel": len(found.rhat), "worst_rhat": found.worst_rhat, "least_ess": found.least_ess,
        "largest_error": found.largest_error, "reproducible": how.goal.seconds is None,
    }  # fmt: skip
