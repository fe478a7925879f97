"""Traces for ArviZ: a tree of labelled arrays that can be saved as NetCDF."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil.attacks.relative_risk._beliefs import given_tuple
from unveil.attacks.relative_risk._finding import RelativeRisk, victims_of_panel
from unveil.errors import File, InputError, MissingExtraError, Option

if TYPE_CHECKING:
    from xarray import DataTree

__all__ = ["save_traces", "traces_of"]


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
        "made_by": f"unveil {finding.to_dict()['unveil']}", "release": finding.release,
        "sampler": chains.sampler.name, "likelihood": finding.likelihood,
        "domain": finding.domain, "beta": finding.problem.beta, "seed": finding.seed,
        "warm_up": chains.warm_up, "thin": chains.goal.thin,
    }  # fmt: skip
    return from_dict(
        {"posterior": posterior},
        dims=dict.fromkeys(posterior, names),
        coords={"value": list(finding.sensitive.texts), "victim": victims_of_panel(finding)},
        attrs={"/": attributes},
    )


def _shares(traces: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
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
