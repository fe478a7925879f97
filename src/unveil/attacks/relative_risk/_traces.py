"""Traces of the panel: as charts, and for ArviZ as labelled arrays that can be saved as NetCDF.

A trace is what the attacker would believe in each state of a chain. Chains that sample from the
same distribution cover the same range; and if all their values are ranked together, every chain
has about as many low ranks as high ones (A. Vehtari and others, "Rank-normalization, folding, and
localization", Bayesian Analysis, 2021).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from unveil._version import __version__
from unveil.attacks.relative_risk._beliefs import given_tuple
from unveil.engine import for_a_while
from unveil.errors import Cell, InputError, Message, MissingExtraError, Option, Text
from unveil.files import write_together, writer_of
from unveil.findings import Axis, Chart, Series, numbers

if TYPE_CHECKING:
    from xarray import DataTree

    from unveil.attacks.relative_risk._finding import RelativeRisk


def traces(finding: RelativeRisk) -> DataTree:
    """The attacker's and the learner's beliefs about the panel, chains × draws × values × victims.

    ``attacker`` and ``learner`` are shares given each recorded state; ``rows`` is the expected
    number of rows (s, r), from which the attacker's belief follows; ``population`` is f(s | r, π)
    of a population drawn given the state. Needs the extra ``arviz``.
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
        "attacker": given_tuple(rows, axis=2),
        "learner": given_tuple(density * weights[:, None], axis=2),
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


def save_traces(finding: RelativeRisk, path: str | os.PathLike[str]) -> Path:
    """Write the traces of the panel as a NetCDF file for ArviZ."""
    tree = traces(finding)
    try:
        import h5netcdf  # noqa: F401  (xarray would ask for another library)
    except ImportError as error:
        raise _missing() from error
    place = Path(path)
    with for_a_while() as folder:  # its library writes by name only
        made = folder / "traces.nc"
        tree.to_netcdf(made, engine="h5netcdf")
        write_together([(place, writer_of(made.read_bytes()))])
    return place


def _missing() -> MissingExtraError:
    return MissingExtraError(
        "traces need ArviZ and NetCDF; install them with: pip install 'unveil[arviz]'"
    )


# Charts -----------------------------------------------------------------------------------------


def charts_of_chains(finding: RelativeRisk, release: Text | None) -> list[Chart]:
    """The traces and the ranks of the panel's worst victim; none if nothing was sampled.

    It is the victim with the largest R-hat, and the most likely value that moves.
    """
    chains = finding.chains
    if chains is None:
        return []
    rows, found = chains.trace("rows"), chains.diagnostics
    covered = (rows.sum(axis=2) > 0).all(axis=(0, 1))
    if not covered.any():
        return []
    victim = int(np.argmax(np.where(covered, found.rhat, -1.0)))
    shares = rows[..., victim] / rows[..., victim].sum(axis=2, keepdims=True)
    mean, moves = shares.mean(axis=(0, 1)), np.ptp(shares, axis=(0, 1)) > 0
    value = int(np.argmax(np.where(moves, mean, mean - 1)))
    says = Message(
        "{secret} {value} of a person with {who}, the worst of a panel of {n}: R-hat {rhat:.3f}, "
        "effective sample size {ess:,.0f}",
        secret=finding.sensitive.name, value=Cell(finding.sensitive.texts[value], bare=True),
        who=Cell(_victims_of_panel(finding)[victim], bare=True), n=len(found.rhat),
        rhat=float(found.rhat[victim]), ess=float(found.ess[victim]),
    )  # fmt: skip
    prefix = "" if release is None else Message("{name}, ", name=release)

    def chart(
        kind: Literal["curves", "histogram"], what: str, says: Message, x: tuple[str, Any],
        y: tuple[str, Any],
    ) -> Chart:  # fmt: skip
        """One line or histogram per chain."""
        return Chart(
            kind=kind, title=f"{what} of the attacker's belief about the panel's worst victim",
            says=says, x=Axis(label=x[0]), y=Axis(label=y[0], share=True),
            series=[
                Series(name=Message("{prefix}chain {number}", prefix=prefix, number=number),
                       x=numbers(x[1]), y=numbers(one))
                for number, one in enumerate(y[1], start=1)
            ],
            rank=float(found.rhat[victim]),
        )  # fmt: skip

    beliefs = shares[:, :, value]
    states, ranks = beliefs.shape[1], _ranks(beliefs)
    sweeps = chains.warm_up + chains.sampling.goal.thin * np.arange(1, states + 1)
    bins = int(np.ceil(2 * states ** (1 / 3))) + 1
    edges = np.linspace(0, ranks.size, bins + 1)
    heights = [np.histogram(own + 0.5, bins=edges)[0] / states for own in ranks]
    even = Message("if the chains have converged, all bins of a chain are about {height:.1%} high; "
                   "{says}", height=1 / bins, says=says)  # fmt: skip
    return [
        chart("curves", "Traces", says, ("sweep", sweeps), ("attacker's belief", beliefs)),
        chart("histogram", "Ranks", even, ("rank among all chains", edges),
              ("share of states", heights)),
    ]  # fmt: skip


def _victims_of_panel(finding: RelativeRisk) -> list[str]:
    """The victims of the panel, in words."""
    watched = finding.problem.watched[:, finding.problem.panel]
    texts = [column.texts for column in finding.quasi]
    return [
        ", ".join(text[code] for text, code in zip(texts, codes, strict=True))
        for codes in watched.T
    ]


def _ranks(beliefs: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ranks over all chains; ties in random order, so that no chain gains by them."""
    flat = beliefs.ravel()
    order = np.lexsort([np.random.default_rng(0).random(len(flat)), flat])
    ranks = np.empty(len(flat), dtype=np.int64)
    ranks[order] = np.arange(len(flat))
    return ranks.reshape(beliefs.shape)
