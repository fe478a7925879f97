"""Two audits compared: what got better, and what got worse."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from unveil.auditing._content import read_audit
from unveil.auditing._figures import FIGURES, Figure
from unveil.auditing._thresholds import SAME, told_apart
from unveil.errors import InputError, Text
from unveil.findings import Axis, Chart, Finding, Series, Story
from unveil.render import Ends, end_text, joined

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_SHOWN = 20  # changes in a picture
_HEADS = {
    "worse": "Worse", "better": "Better", "unknown": "No longer known", "known": "Known now",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Change:
    """One number of one release, in both audits.

    Attributes
    ----------
    sensitive, release : str
    figure : Figure
    before, after : float, pair of float, or None
        Of an audit that is for others, the ends of a range. None where it is not known; infinite
        ones as such.
    """

    sensitive: str
    release: str
    figure: Figure
    before: float | Ends | None
    after: float | Ends | None

    @property
    def became(self) -> Literal["better", "worse", "same", "unknown", "known"]:
        """Better or worse, as the number is meant; or no longer known, or known now.

        Ranges that overlap are the same: what is within them is not known.
        """
        if self.before is None or self.after is None:
            both = self.before is None and self.after is None
            return "same" if both else "unknown" if self.after is None else "known"
        (low, high), (least, most) = _ends(self.before), _ends(self.after)
        if math.isclose(low, least, rel_tol=SAME, abs_tol=1e-12) and math.isclose(
            high, most, rel_tol=SAME, abs_tol=1e-12
        ):
            return "same"
        if max(low, least) < min(high, most):
            return "same"
        fell = least < low
        return "better" if fell is self.figure.lower_is_better else "worse"

    @property
    def from_to(self) -> str:
        """Both numbers, with as many digits as tell them apart.

        >>> delta = FIGURES["delta"]
        >>> Change(sensitive="s", release="r", figure=delta, before=0.12, after=0.1200004).from_to
        '0.12 → 0.1200004'
        """
        before, after = (self._text(one) for one in (self.before, self.after))
        if before == after and isinstance(self.before, float) and isinstance(self.after, float):
            before, after = told_apart(self.before, self.after)
        return f"{before} → {after}"

    def _text(self, value: float | Ends | None) -> str:
        if isinstance(value, tuple):
            return joined(*(end_text(self.figure, end) for end in value))
        return self.figure.text(value)

    def __str__(self) -> str:
        return f"{self.release}: {self.figure.title} {self.from_to}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AuditComparison(Finding):
    """What changed from one audit to another.

    Attributes
    ----------
    changes : tuple of Change
        Every number of every release that both have.
    gone, new : tuple of str
        Releases that only the first has, and only the second.
    notes : tuple of str
        What makes them hard to compare, such as another table.
    verdicts : tuple of (str or None)
        The state of each: passes, fails, not known or not tested; None without thresholds.
    """

    changes: tuple[Change, ...]
    gone: tuple[str, ...]
    new: tuple[str, ...]
    verdicts: tuple[str | None, str | None]
    notes: tuple[Text, ...] = ()

    entry: ClassVar[str] = "audit comparison"

    def that_became(self, how: str) -> list[Change]:
        """The changes for the ``better``, the ``worse``, and so on."""
        return [change for change in self.changes if change.became == how]

    @property
    def got_worse(self) -> bool:
        """Whether any number of privacy or utility is worse, or is no longer known."""
        return bool(self.that_became("worse") or self.that_became("unknown"))

    def about(self, change: Change) -> str:
        """What to say before a change: which sensitive attribute it is about, if several are."""
        several = len({one.sensitive for one in self.changes}) > 1
        return f"{change.sensitive}: " if several else ""

    def to_frame(self) -> pd.DataFrame:
        """One row a number of a release."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "sensitive": one.sensitive, "release": one.release, "figure": one.figure.name,
                    "before": one.before, "after": one.after, "became": one.became,
                }
                for one in self.changes
            ],
            columns=["sensitive", "release", "figure", "before", "after", "became"],
        )  # fmt: skip

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "state": self.verdicts,
            "gone": self.gone,
            "new": self.new,
            "changes": self.to_frame().astype(object).to_dict("records"),
        }

    def story(self, release: Text | None = None) -> Story:
        before, after = self.verdicts
        none = "no thresholds"
        said = [] if before == after else [f"Verdict: {before or none} → {after or none}"]
        for how, head in _HEADS.items():
            found = self.that_became(how)
            said += [f"{head}:", *(f"  {self.about(one)}{one}" for one in found)] if found else []
        if self.gone:
            said.append(f"Only in the first: {', '.join(self.gone)}")
        if self.new:
            said.append(f"Only in the second: {', '.join(self.new)}")
        same = len(self.that_became("same"))
        said.append(f"The same: {same:,} figure{'' if same == 1 else 's'}.")
        return Story(
            title="Comparison of two audits", sentences=said,
            charts=[self._chart()] if self.got_better_or_worse else [],
        )  # fmt: skip

    @property
    def got_better_or_worse(self) -> bool:
        """Whether any figure that both audits have has changed."""
        return bool(self.that_became("worse") or self.that_became("better"))

    def _chart(self) -> Chart:
        """The figures that changed most, the worse and the better side by side."""
        changed = [*self.that_became("worse"), *self.that_became("better")]
        shown = sorted(changed, key=_by, reverse=True)[:_SHOWN]
        return Chart(
            kind="bars",
            title="What changed from one audit to the other",
            says=f"the {len(shown)} largest of {len(changed)} changes, as a share of the larger "
            "number",
            x=Axis(label="", scale="names"),
            y=Axis(label="change, as a share of the larger number", share=True),
            series=[
                Series(
                    name=how,
                    x=[f"{self.about(one)}{one}" for one in shown],
                    y=[_by(one) if one.became == how else None for one in shown],
                )
                for how in ("worse", "better")
            ],
        )

    def plot(self, ax: Axes | None = None, *, chart: int | str = 0) -> Axes:
        if not self.got_better_or_worse:
            raise InputError(
                "there is nothing to draw: no figure that both audits have has changed"
            )
        return super().plot(ax, chart=chart)


def compare_audits(
    before: str | os.PathLike[str] | Mapping[str, Any],
    after: str | os.PathLike[str] | Mapping[str, Any],
) -> AuditComparison:
    """Compare two audits.

    Parameters
    ----------
    before, after : path or mapping
        What `Audit.to_dict` gave, or a file of it; see `read_audit`.
    """
    before, after = read_audit(before), read_audit(after)
    one, two = _releases(before), _releases(after)
    both = [key for key in one if key in two]
    if not both:
        raise InputError(
            "the two audits have no release in common: the first has {one}, the second {two}",
            one=_named(one), two=_named(two),
        )  # fmt: skip
    changes = [
        Change(
            sensitive=key[0], release=two[key]["shown"], figure=FIGURES[name],
            before=_number(one[key]["figures"].get(name)),
            after=_number(two[key]["figures"].get(name)),
        )
        for key in both
        for name in FIGURES
        if name in one[key]["figures"] or name in two[key]["figures"]
    ]  # fmt: skip
    return AuditComparison(
        changes=tuple(changes),
        gone=_only_in(one, two),
        new=_only_in(two, one),
        verdicts=(before["verdict"]["state"], after["verdict"]["state"]),
        notes=tuple(_notes(before, after)),
    )


def _releases(audit: Mapping[str, Any]) -> dict[tuple[str, str], Mapping[str, Any]]:
    return {
        (secret["sensitive"], release["name"]): release
        for secret in audit["secrets"]
        for release in secret["releases"]
    }


def _only_in(
    one: Mapping[tuple[str, str], Mapping[str, Any]], other: Mapping[tuple[str, str], Any]
) -> tuple[str, ...]:
    """Releases that the other has not: once each, or with the attributes for which that is so."""
    secrets: dict[str, list[str]] = {}
    for (sensitive, name), release in one.items():
        if (sensitive, name) not in other:
            secrets.setdefault(release["shown"], []).append(sensitive)
    everywhere = len({sensitive for sensitive, _ in one})
    return tuple(
        shown if len(some) == everywhere else f"{shown} ({', '.join(some)})"
        for shown, some in secrets.items()
    )


def _named(releases: Mapping[tuple[str, str], Any]) -> str:
    return ", ".join(f"{release} ({sensitive})" for sensitive, release in releases)


def _notes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    yield from _about_tables(before, after)
    for what in ("knows", "wants"):
        # Sensitive attributes are in the order of how badly they fare.
        if set(before["threat"][what]) != set(after["threat"][what]):
            yield (
                f"the attacker {what} something else: {', '.join(before['threat'][what])} → "
                f"{', '.join(after['threat'][what])}"
            )
    if before["reproduce"]["seed"] != after["reproduce"]["seed"]:
        yield "they have different seeds, so numbers that were sampled may differ by chance"
    if before["unveil"] != after["unveil"]:
        yield f"they were made by unveil {before['unveil']} and {after['unveil']}"
    if before["interrupted"] or after["interrupted"]:
        yield "one of them was interrupted"


def _about_tables(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Whether both are of the same table. Fingerprints can be compared under one key alone."""
    one, two = before["reproduce"], after["reproduce"]
    same_form = all(before["data"][what] == after["data"][what] for what in ("records", "quasi"))
    same_key = one["key"] == two["key"]
    prints, others = (set(audit["fingerprints"].values()) for audit in (one, two))
    if not same_form or (same_key and not prints & others):
        yield "the tables are not the same, so part of what changed may be the data"
    elif not same_key:
        yield (
            "whether the tables are the same cannot be told, as the audits have different keys; "
            "give the second the key of the first"
        )


def _number(value: float | str | list[float] | None) -> float | Ends | None:
    if isinstance(value, str):
        return math.inf
    return (value[0], value[1]) if isinstance(value, list) else value


def _ends(value: float | Ends) -> Ends:
    return value if isinstance(value, tuple) else (value, value)


def _by(change: Change) -> float:
    """How much a figure changed, as a share of the larger number."""
    assert change.before is not None
    assert change.after is not None
    before, after = (sum(_ends(one)) / 2 for one in (change.before, change.after))
    larger = max(abs(before), abs(after))
    return 1.0 if math.isinf(larger) else abs(after - before) / larger
