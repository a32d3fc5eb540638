"""Parameters of a discrete network from counts with noise: differential privacy for what the sites send."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedbnsl.data.site_data import SiteData, check_same_variables
from fedbnsl.errors import InputError
from fedbnsl.federate.edge_strength import count_strengths
from fedbnsl.federate.messages import Message, sum_over_sites
from fedbnsl.federate.parameters import FittedNetwork, TableLayout, network_of_counts
from fedbnsl.graphs.graph import Graph, WeightedGraph, as_graph
from fedbnsl.privacy.accountant import zcdp_budget
from fedbnsl.privacy.asked import Turns
from fedbnsl.privacy.ledger import Ledger, Release
from fedbnsl.privacy.ledger_folder import enter
from fedbnsl.privacy.noise import Noise
from fedbnsl.privacy.setting import noise_source, site_deltas
from fedbnsl.privacy.statement import MODES, Statement, stamp
from fedbnsl.scores.likelihood import check_pseudo_count
from fedbnsl.seeds import run_seed

METHOD = "private counts"


@dataclass(frozen=True)
class PrivateFit:
    """A fitted network with what its fit spent.

    Attributes
    ----------
    fitted : FittedNetwork
    statement : Statement
    ledgers : tuple of Ledger
        One a site: what this fit has spent, or all runs where there is a ``ledger``.
    """

    fitted: FittedNetwork
    statement: Statement
    ledgers: tuple[Ledger, ...]


class PrivateCountsSite:
    """A site that sends the counts of all cells of all tables with Gaussian noise.

    Sensitivity: a record is in one cell of each of the d tables. Replacing it lowers one cell by 1 and
    raises another of the same table by 1, or changes nothing there, so the squares of the changes sum to 2 a
    table at most, and the vector of all cells moves by √(2d) at most (ℓ2). Two records that differ in every
    variable attain it.
    """

    def __init__(self, site: SiteData, layout: TableLayout, scale: float, noise: Noise):
        self.site, self.layout, self.scale, self.noise = site, layout, scale, noise
        self._turns = Turns(1)

    def step(self, round: int, message: Message) -> Message:
        """Count and add noise, whatever the message is: 8 bytes a cell, of all cells.

        Raises
        ------
        InputError
            If it has been asked before: the budget pays for one answer.
        """
        self._turns.take(round)
        counts = np.bincount(self.layout.cells(self.site).ravel(), minlength=int(self.layout.starts[-1]))
        return Message({"counts": self.noise.gaussian(counts.astype(np.float64), self.scale)})


def private_parameters(
    graph: Graph | WeightedGraph,
    sites: Sequence[SiteData],
    *,
    epsilon: float,
    delta: float | None = None,
    mode: str = "research",
    seed: int | None = None,
    ledger: str | Path | None = None,
    pseudo_count: float = 1.0,
) -> PrivateFit:
    """:func:`fedbnsl.federate.fit_parameters` for discrete sites, from counts with noise.

    Each site releases all its tables once, with Gaussian noise of standard deviation √(d / ρ), ρ being what
    (ε, δ) allows in zero-concentrated differential privacy. Sums over sites below 0 count as 0.

    Parameters
    ----------
    graph : Graph or WeightedGraph
        Must not be chosen on these rows without privacy: otherwise the graph itself tells about them.
    sites : sequence of SiteData
        Discrete. Their numbers of rows are public.
    epsilon : float
        ε of every site, above 0; 20 at most in secure mode.
    delta : float, optional
        Below 1/n at every site, .01/n at most in secure mode. Default: 1/n_p².
    mode : {"research", "secure"}
        Noise from a seed, reproducible and not private; or from the operating system, private.
    seed : int, optional
        For ``research``; ``secure`` takes none.
    ledger : path, optional
        Folder of the sites' ledgers: this run is entered there, and refused if the budget does not allow it.
    pseudo_count : float, default 1.0

    Returns
    -------
    PrivateFit

    Raises
    ------
    InputError
        On continuous sites, ε, δ, a mode or a seed that cannot be, or a budget that is spent.
    """
    sites = list(sites)
    check_same_variables(sites)
    if not sites[0].is_discrete:
        raise InputError(
            "private parameters are for discrete data only",
            where=sites[0].label,
            remedy="For continuous data run a private federated method, whose weights are released already",
        )
    check_pseudo_count(pseudo_count)
    if mode not in MODES:
        raise InputError(f"there is no mode {mode!r}", remedy=f"Choose one of: {', '.join(MODES)}")
    seed = run_seed(seed, mode == "secure", METHOD)
    layout = TableLayout(as_graph(graph).reordered(sites[0].names).to_dag(), sites[0].states)
    d, deltas = len(sites[0].names), site_deltas(sites, epsilon, delta, mode)
    ledgers, pieces = [], []
    for place, (site, own) in enumerate(zip(sites, deltas, strict=True)):
        scale = math.sqrt(d / zcdp_budget(epsilon, own))
        account = Ledger(site.label, epsilon, own)
        account.spend(Release("counts of all tables", "gaussian", math.sqrt(2 * d), scale))
        ledgers.append(account)
        pieces.append(PrivateCountsSite(site, layout, scale, noise_source(mode, seed, METHOD, place)))
    statement = stamp(
        mode,
        None,
        epsilon=epsilon,
        delta=max(account.delta for account in ledgers),
        public="the graph (not chosen on these rows, or by a private method), the states, the sites' numbers "
        "of rows, the pseudo-count",
        clipping="none needed: a record is in one cell of each table",
    )
    statement = statement.accounted(ledger is not None)
    if ledger is not None:
        ledgers = enter(Path(ledger), ledgers)
    messages = [piece.step(0, Message()) for piece in pieces]
    counts = np.maximum(sum_over_sites([message["counts"] for message in messages]), 0.0)
    network = network_of_counts(layout, counts, pseudo_count)
    strength = count_strengths(layout.tables(counts), layout.parents)
    rows = tuple(site.n_rows for site in sites)
    fitted = FittedNetwork(network, strength, rows, sum(message.n_bytes for message in messages))
    return PrivateFit(fitted, statement, tuple(ledgers))
