"""Relative risk as a part of an audit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from unveil.attacks import RelativeRisk, relative_risk
from unveil.auditing._figures import Question
from unveil.auditing._subjects import Subject
from unveil.auditing._telling import Axis, Chart, Column, Series, Table, Telling, numbers
from unveil.auditing.parts._part import Asked, Part
from unveil.report import display_name

__all__ = ["RiskPart"]

_BINS = 24
_SHOWN = 12  # sensitive values of a victim
_WORST = 5


class RiskPart(Part[RelativeRisk]):
    """A Bayesian attacker, who knows that his victim is in the table, against a learner."""

    name = "relative-risk"
    title = "What knowing that somebody is in the table adds"
    questions = (Question.INFERENCE,)
    means = (
        "Two people read the release. The learner asks about anybody with certain "
        "quasi-identifiers; the attacker knows that his victim is in the table. Relative risk is "
        "how many times as credible the victim's own secret is to the attacker. GR is how many "
        "more people's true secret is the likeliest, or as likely as another, to the attacker, as "
        "a share of all. Where several are as likely he has to guess, so he is right less often."
    )
    assumes = (
        "Every combination of the table's own values has a probability of its own, and both have "
        "priors worth one record each (α = β = 1). For GR, a true secret that is as likely as "
        "others counts fully; for how often guesses are right, one of them is picked at random."
    )
    page = "relative-risk"
    function = staticmethod(relative_risk)
    figures = ("gr", "relative_risk")
    budget = ("budget", "3 s")  # for the sampling

    def look(self, subject: Subject, asked: Asked) -> RelativeRisk:
        asked.needs_all_known("relative risk")
        options = asked.told(
            self.name,
            budget=self.budget[1],
            seed=asked.seed,
            n_jobs=asked.n_jobs,
            progress=asked.progress,
        )
        # What is not in groups is refused there.
        return relative_risk(subject.release, subject.microdata, **options)  # type: ignore[arg-type]

    def numbers(self, finding: RelativeRisk) -> dict[str, float | None]:
        risks = finding.relative_risks
        worst = None if np.isnan(risks).all() else float(np.nanmax(risks))
        return {"gr": finding.gr, "relative_risk": worst}

    def tell(self, found: Mapping[str, RelativeRisk], asked: Asked) -> Telling:
        worst = max(found, key=lambda name: self.numbers(found[name])["relative_risk"] or 0.0)
        return Telling(
            sentences=[finding.verdict(display_name(name)) for name, finding in found.items()],
            charts=[self._histogram(found), self._posterior(worst, found[worst], asked)],
            tables=[self._worst(found, asked)],
        )

    def diagnose(self, finding: RelativeRisk) -> list[str]:
        if finding.chains is None:
            return [f"Exact ({finding.how})."]
        look = finding.chains.diagnostics
        rhat, ess = float(np.nanmax(look.rhat)), float(np.nanmin(look.ess))
        said = f"Sampled: worst R-hat {rhat:.3f}, smallest effective sample size {ess:,.0f}."
        return [said if finding.converged else f"NOT CONVERGED, take it as rough. {said}"]

    def _histogram(self, found: Mapping[str, RelativeRisk]) -> Chart:
        risks = {
            name: finding.relative_risks[~np.isnan(finding.relative_risks)]
            for name, finding in found.items()
        }
        edges = _edges(list(risks.values()))
        return Chart(
            kind="histogram",
            title="How many times as credible one's own secret is for being in the table",
            says="1: being in the table changes nothing; above 1: it gives people away",
            x=Axis(label="relative risk", scale="log"),
            y=Axis(label="share of people", share=True),
            series=[
                Series(
                    name=display_name(name),
                    x=numbers(edges),
                    y=numbers(
                        np.histogram(np.clip(one, edges[0], edges[-1]), bins=edges)[0]
                        / max(1, len(one))
                    ),
                )
                for name, one in risks.items()
            ],
        )

    def _posterior(self, name: str, finding: RelativeRisk, asked: Asked) -> Chart:
        """What both believe about the person who is worst off."""
        table = finding.microdata
        assert table is not None
        record = int(np.nanargmax(finding.relative_risks))
        at = int(finding.tuple_of[record])
        attacker, learner = finding.attacker[:, at], finding.learner[:, at]
        shown = np.argsort(-np.maximum(attacker, learner), kind="stable")[:_SHOWN]
        values = asked.discretion.values_of(table.sensitive, shown.tolist())
        who = asked.discretion.person(table, record)
        return Chart(
            kind="bars",
            title=f"What is believed about {who}, the worst-placed under {display_name(name)}",
            says=f"beliefs about the {table.sensitive.name} of one person: the learner's, and the "
            "attacker's, who knows that the person is in the table",
            x=Axis(label=table.sensitive.name, scale="names"),
            y=Axis(label="belief", share=True),
            series=[
                Series(name="learner", x=values, y=numbers(learner[shown])),
                Series(name="attacker", x=values, y=numbers(attacker[shown])),
            ],
        )

    def _worst(self, found: Mapping[str, RelativeRisk], asked: Asked) -> Table:
        rows = []
        for name, finding in found.items():
            assert finding.microdata is not None
            risks = np.nan_to_num(finding.relative_risks, nan=-1.0)
            rows += [
                (
                    display_name(name),
                    asked.discretion.person(finding.microdata, int(record)),
                    (float(risks[record]), f"{risks[record]:.2f}"),
                    (
                        float(finding.under_attacker.of_truth[record]),
                        f"{finding.under_attacker.of_truth[record]:.1%}",
                    ),
                )
                for record in np.argsort(-risks, kind="stable")[:_WORST]
                if risks[record] >= 0
            ]
        return Table(
            title="The worst-placed people",
            says="Whose own secret is most credible for being in the table, against the learner.",
            columns=[
                Column(title="release", number=False), Column(title="person", number=False),
                Column(title="relative risk"), Column(title="attacker's belief in the truth"),
            ],
            rows=rows,
        )  # fmt: skip


def _edges(risks: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The edges of bins, even on a log axis, of which one is 1."""
    seen = np.concatenate([one[one > 0] for one in risks])
    low, high = (float(np.log(x)) for x in (seen.min(initial=1.0), seen.max(initial=1.0)))
    width = max(high - low, 0.5) / _BINS
    first, last = np.floor(low / width) - 1, np.ceil(high / width) + 1
    return np.exp(width * np.arange(first, last + 1))
