"""The learners of the fMRI study: strengths of all connections at every site, at one number of edges."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import pandas

from fedbnsl.data.atlas import regions
from fedbnsl.data.fmri import FmriCohort
from fedbnsl.data.fmri_simulation import CONTROLS, PATIENTS, FmriSimulation
from fedbnsl.errors import InputError
from fedbnsl.federate.edge_strength import moment_strengths
from fedbnsl.federate.pfl_choose import Statistics, choose
from fedbnsl.federate.run import run
from fedbnsl.learn.ges import ges
from fedbnsl.learn.granger import granger
from fedbnsl.learn.low_order_pc import low_order_pc
from fedbnsl.spec import Spec
from fedbnsl.studies.fmri_methods import check_method

COLUMNS = ("group", "site", "from", "to", "strength", "rank", "own")
_HELD_OUT = 0.2  # part of a site's subjects, whole ones, on which λ is judged


def learn_connections(cohort: FmriCohort, method: str, edges: int) -> pandas.DataFrame:
    """The strongest connections of every site and group.

    Parameters
    ----------
    cohort : FmriCohort
    method : str
        A key of :data:`LEARNERS`, with options: ``notears-pfl@penalty=chain``.
    edges : int
        How many connections of each site and group are listed, whatever the method: the strongest, by size
        of the weight (NOTEARS), loss of likelihood (GES), weakest dependence (PC) or F (Granger).

    Returns
    -------
    pandas.DataFrame
        ``group``, ``site``, ``from``, ``to``, ``strength`` (signed where it is a weight), ``rank`` (1 is the
        strongest), ``own`` (whether it is in the network that the method gives by itself: such connections
        are listed beyond ``edges`` too).
    """
    check_method(method)
    spec = Spec.parse(method)
    rows = []
    for group in cohort.groups:
        series = cohort.series(group)
        strengths, own = LEARNERS[spec.name](cohort, group, list(series.values()), edges, **spec.dict())
        for site, weights, natural in zip(series, strengths, own, strict=True):
            size = np.abs(weights).ravel()
            order = np.argsort(-size, kind="stable")
            listed = (np.arange(len(order)) < edges) | natural.ravel()[order]
            for rank in np.flatnonzero(listed & (size[order] > 0)).tolist():
                i, j = divmod(int(order[rank]), len(cohort.names))
                told = (float(weights[i, j]), rank + 1, bool(natural[i, j]))
                rows.append((group, site, cohort.names[i], cohort.names[j], *told))
    return pandas.DataFrame(rows, columns=list(COLUMNS))


def check_cohort(cohort: FmriCohort) -> None:
    """InputError unless the study can be made of a cohort: both groups, and regions that the atlas has."""
    for group in (PATIENTS, CONTROLS):
        if group not in cohort.groups:
            raise InputError(
                f"the cohort has no group {group!r}; there is {', '.join(cohort.groups)}",
                where="participants",
                remedy=f"Call the group of patients {PATIENTS} and that of controls {CONTROLS}",
            )
    regions(cohort.names)


def planted_connections(simulation: FmriSimulation) -> pandas.DataFrame:
    """The truth of a simulated cohort, in the same form: the largest weight of a network has rank 1."""
    rows = []
    for group in (PATIENTS, CONTROLS):
        for number, site in enumerate(simulation.site_names):
            weights = simulation.weights(number, group)
            found = sorted(np.argwhere(weights).tolist(), key=lambda pair: -abs(weights[*pair]))
            for rank, (i, j) in enumerate(found, start=1):
                ends = simulation.names[i], simulation.names[j]
                rows.append((group, site, *ends, float(weights[i, j]), rank, True))
    return pandas.DataFrame(rows, columns=list(COLUMNS))


def statistics_of(own: Sequence[np.ndarray]) -> Statistics:
    """What a site says for λ to be chosen: covariances of all, and of some, of its subjects.

    The rows held out are those of whole subjects, a fifth of them: neighbouring volumes are so alike that a
    loss on volumes between those learned from would favour the smallest λ. With a single subject it is the
    last fifth of its volumes. The number of rows is the effective one for covariances of an autoregression,
    n (1 − ρ²) / (1 + ρ²) (Bartlett 1946), ρ being the mean correlation of neighbouring volumes.
    """
    if len(own) > 1:
        cut = len(own) - max(1, round(_HELD_OUT * len(own)))
        kept, left = own[:cut], own[cut:]
    else:
        cut = max(1, int((1 - _HELD_OUT) * len(own[0])))
        kept, left = [own[0][:cut]], [own[0][cut:]]
    rho = np.mean([((x[1:] * x[:-1]).sum(axis=0) / (x * x).sum(axis=0)).mean() for x in own])
    rows = sum(map(len, own)) * (1 - rho**2) / (1 + rho**2)
    whole, train, test = (_second_moments(part) for part in (own, kept, left))
    return Statistics(whole, max(rows, 2.0), train[None], test[None])


def _second_moments(series: Sequence[np.ndarray]) -> np.ndarray:
    stacked = np.concatenate(series)
    return stacked.T @ stacked / len(stacked)


def _notears(cohort, group, series, edges, penalty="chain"):
    """NOTEARS-PFL with one of its penalties, by default the paper's."""
    chosen = choose([statistics_of(own) for own in series], penalty, None, None)
    found = run(
        "notears-pfl",
        cohort.site_data(group),
        penalty=chosen.penalty,
        l1=chosen.l1,
        l2=None if chosen.penalty == "none" else chosen.l2,
        threshold=0.1,
    )
    return found.raw_weights, found.weights != 0


def _ges(cohort, group, series, edges):
    """GES with Gaussian BIC; a DAG of the class, its edges by what the likelihood loses without them."""
    strengths = []
    for site in cohort.site_data(group):
        dag = ges(site).to_dag()
        strengths.append(moment_strengths(dag.adjacency, np.corrcoef(site.values.T)))
    strengths = np.stack(strengths)
    return strengths, strengths > 0


def _pc(cohort, group, series, edges):
    """PC with conditioning sets of at most one variable."""
    strengths = []
    for site in cohort.site_data(group):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # at this sparsity tests nearly always contradict
            dag, pairs = low_order_pc(np.corrcoef(site.values.T), edges, site.label)
        strengths.append(np.where(dag, pairs, 0.0))
    strengths = np.stack(strengths)
    return strengths, strengths > 0


def _granger(cohort, group, series, edges, lags=1):
    """Conditional Granger causality: a ranking, without a network of its own."""
    strengths = np.stack([granger(own, lags) for own in series])
    return strengths, np.zeros(strengths.shape, dtype=bool)


def _sig(cohort, group, series, edges):
    """NOTEARS-SIG: every site by itself."""
    return _notears(cohort, group, series, edges, penalty="none")


#: Name of a learner → ``f(cohort, group, series, edges, **options)``, the strengths and the own networks.
LEARNERS = {"notears-pfl": _notears, "notears-sig": _sig, "ges": _ges, "pc": _pc, "granger": _granger}
