"""Traces of the panel: as charts, and for ArviZ as labelled arrays that can be saved as NetCDF.

A trace is what the attacker would believe in each state of a chain. Chains that sample from the
same distribution cover the same range; and if all their values are ranked together, every chain
has about as many low ranks as high ones (A. Vehtari and others, "Rank-normalization, folding, and
localization", Bayesian Analysis, 2021).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil._version import __version__
from unveil.attacks.relative_risk._beliefs import given_tuple
from unveil.attacks.relative_risk._chains import Chains
from unveil.errors import Cell, File, InputError, Message, MissingExtraError, Option, Text
from unveil.findings import Axis, Chart, Series, numbers

if TYPE_CHECKING:
    from xarray import DataTree

    from unveil.attacks.relative_risk._finding import RelativeRisk


def traces_of(finding: RelativeRisk) -> DataTree:
    """The attacker's and the learner's beliefs about the panel, chains × draws × values × victims.

    ``attacker`` and ``learner`` are shares given each recorded state; ``rows`` is the expected
    number of rows (s, r), from which the attacker's belief follows; ``population`` is f(s | r, π)
    of a population drawn given the state.
    """
    chains = finding.chains
    if chains is None:
        raise InputError(
            "there are no traces: the answer is exact ({how}); use {sampled} to sample",
            how=finding.how, sampled=Option("exact", "never"),
        )  # fmt: skip
    try:
        from arviz_base import from_dict
    except ImportError as error:
        raise _missing() from error
    rows, density = chains.trace("rows"), chains.trace("density")
    weights = finding.problem.alpha + finding.problem.totals
    posterior = {
        "attacker": _shares(rows),
        "learner": _shares(density * weights[:, None]),
        "rows": rows,
        "population": chains.trace("conditional"),
    }
    names = ["value", "victim"]
    attributes: dict[str, Any] = {
        "made_by": f"unveil {__version__}", "release": finding.release,
        "sampler": chains.sampling.sampler.name, "likelihood": finding.likelihood,
        "domain": finding.domain, "beta": finding.problem.beta, "seed": finding.seed,
        "warm_up": chains.warm_up, "thin": chains.sampling.goal.thin,
    }  # fmt: skip
    return from_dict(
        {"posterior": posterior},
        dims=dict.fromkeys(posterior, names),
        coords={"value": list(finding.sensitive.texts), "victim": _victims_of_panel(finding)},
        attrs={"/": attributes},
    )


def _shares(traces: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares of the values (axis 2)."""
    shape = traces.shape
    flat = np.moveaxis(traces, 2, 0).reshape(shape[2], -1)
    shares = given_tuple(np.ascontiguousarray(flat)).reshape(shape[2], shape[0], shape[1], shape[3])
    return np.moveaxis(shares, 0, 2)


def save_traces(finding: RelativeRisk, path: str | os.PathLike[str]) -> Path:
    """Write the traces to a NetCDF file."""
    place = Path(path)
    tree = traces_of(finding)
    if not place.parent.is_dir():
        raise InputError(
            "cannot write {file}: the folder {folder} does not exist",
            file=File(place), folder=File(place.parent),
        )  # fmt: skip
    try:
        import h5netcdf  # noqa: F401  (xarray would ask for another library)
    except ImportError as error:
        raise _missing() from error
    tree.to_netcdf(place, engine="h5netcdf")
    return place


def _missing() -> MissingExtraError:
    return MissingExtraError(
        "traces need ArviZ and NetCDF; install them with: pip install 'unveil[arviz]'"
    )


# Charts -----------------------------------------------------------------------------------------


def charts_of_chains(finding: RelativeRisk, release: Text | None) -> list[Chart]:
    """The traces and the ranks of the panel's worst victim; none if nothing was sampled."""
    worst = None if finding.chains is None else _worst_of_panel(finding, finding.chains)
    if worst is None:
        return []
    prefix = "" if release is None else Message("{name}, ", name=release)
    return [worst.trace(prefix), worst.ranks(prefix)]


def _worst_of_panel(finding: RelativeRisk, chains: Chains) -> _Watched | None:
    """The victim of the panel with the largest R-hat, and the most likely value that moves."""
    rows, found = chains.trace("rows"), chains.diagnostics
    covered = (rows.sum(axis=2) > 0).all(axis=(0, 1))
    if not covered.any():
        return None
    victim = int(np.argmax(np.where(covered, found.rhat, -1.0)))
    shares = rows[..., victim] / rows[..., victim].sum(axis=2, keepdims=True)
    mean, moves = shares.mean(axis=(0, 1)), np.ptp(shares, axis=(0, 1)) > 0
    value = int(np.argmax(np.where(moves, mean, mean - 1)))
    return _Watched(
        chains=chains, beliefs=shares[:, :, value], rhat=float(found.rhat[victim]),
        says=Message(
            "{secret} {value} of a person with {who}, the worst of a panel of {n}: R-hat "
            "{rhat}, effective sample size {ess}",
            secret=finding.sensitive.name, value=Cell(finding.sensitive.texts[value], bare=True),
            who=Cell(_victims_of_panel(finding)[victim], bare=True), n=len(found.rhat),
            rhat=f"{found.rhat[victim]:.3f}", ess=f"{found.ess[victim]:,.0f}",
        ),
    )  # fmt: skip


def _victims_of_panel(finding: RelativeRisk) -> list[str]:
    """The victims of the panel, in words."""
    watched = finding.problem.watched[:, finding.problem.panel]
    texts = [column.texts for column in finding.quasi]
    return [
        ", ".join(text[code] for text, code in zip(texts, codes, strict=True))
        for codes in watched.T
    ]


@dataclass(frozen=True, eq=False, kw_only=True)
class _Watched:
    """The attacker's belief about the worst victim of the panel: chains × recorded states."""

    chains: Chains
    beliefs: NDArray[np.float64]
    rhat: float
    says: Message

    def trace(self, prefix: Text) -> Chart:
        """One line per chain: what the attacker believes, sweep by sweep."""
        states = np.arange(1, self.beliefs.shape[1] + 1)
        sweeps = self.chains.warm_up + self.chains.sampling.goal.thin * states
        return Chart(
            kind="curves", title="Traces of the attacker's belief about the panel's worst victim",
            says=self.says, x=Axis(label="sweep"), y=Axis(label="attacker's belief", share=True),
            series=[
                Series(name=_chain(prefix, number), x=numbers(sweeps), y=numbers(one))
                for number, one in enumerate(self.beliefs)
            ],
            rank=self.rhat,
        )  # fmt: skip

    def ranks(self, prefix: Text) -> Chart:
        """One histogram per chain: the ranks of its values among those of all chains."""
        ranks = _ranks(self.beliefs)
        states = ranks.shape[1]
        bins = int(np.ceil(2 * states ** (1 / 3))) + 1
        edges = np.linspace(0, ranks.size, bins + 1)
        return Chart(
            kind="histogram",
            title="Ranks of the attacker's belief about the panel's worst victim",
            says=Message("if the chains have converged, all bins of a chain are about {height} "
                         "high; {says}", height=f"{1 / bins:.1%}", says=self.says),
            x=Axis(label="rank among all chains"), y=Axis(label="share of states", share=True),
            series=[
                Series(name=_chain(prefix, number), x=numbers(edges),
                       y=numbers(np.histogram(own + 0.5, bins=edges)[0] / states))
                for number, own in enumerate(ranks)
            ],
            rank=self.rhat,
        )  # fmt: skip


def _chain(prefix: Text, number: int) -> Message:
    return Message("{prefix}chain {number}", prefix=prefix, number=number + 1)


def _ranks(beliefs: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ranks over all chains; ties in random order, so that no chain gains by them."""
    flat = beliefs.ravel()
    order = np.lexsort([np.random.default_rng(0).random(len(flat)), flat])
    ranks = np.empty(len(flat), dtype=np.int64)
    ranks[order] = np.arange(len(flat))
    return ranks.reshape(beliefs.shape)
