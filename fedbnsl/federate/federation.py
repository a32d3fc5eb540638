"""What a federated run leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.evaluate.communication import dense_bytes, sparse_entry_bytes
from fedbnsl.evaluate.scale import varsortability
from fedbnsl.graphs.graph import Graph

if TYPE_CHECKING:
    import pandas

    from fedbnsl.privacy.ledger import Ledger
    from fedbnsl.privacy.statement import Statement


@dataclass(frozen=True)
class Federation:
    """The outcome of a federated run.

    Attributes
    ----------
    method : str
    names : tuple of str
        The d variables.
    weights : ndarray of float64, shape (d, d), or (P, d, d) for one network a site
        Weights of the learned DAG: small edges dropped, then made acyclic.
    raw_weights : ndarray, same shape
        The weights before that.
    rounds : pandas.DataFrame
        One row a round: ``round`` (1 is the first), ``bytes_up`` (all sites' messages), ``bytes_down``
        (to all sites together), and what the server tells of it (``h``, ``edges``, …).
    history : ndarray, shape (rounds, *weights.shape), or None
        ``weights`` as they would have been after each round; only when asked for.
    n_sites : int
    converged : bool
        Whether the result settled. For the methods of the Fed-BNSL family: the primal residual of the
        last round is at most ½ √P max(‖W‖, 1), W being ``raw_weights``, so a site's matrix is from W by
        half of W's size at most (root mean square); a loose bound, which runs that go to and fro between
        two similar networks pass. ``notears-pooled``: h of ``raw_weights`` is at most 1e-8.
    seconds : ndarray, shape (rounds, 2)
        CPU time of every round: all sites together, the server. Not part of ``rounds``, for it differs
        from run to run. NaN in secure mode, for it may depend on the rows.
    variances : ndarray, shape (P, d), or None
        Variance of every column at every site; None for discrete data, and in secure mode.
    privacy : Statement or None
        What is promised about the rows; None for methods that promise nothing.
    ledgers : tuple of Ledger
        What every site has spent, by which release: in this run, or where it was entered in a folder
        of ledgers, in all runs. Empty if nothing is promised.
    """

    method: str
    names: tuple[str, ...]
    weights: np.ndarray
    raw_weights: np.ndarray
    rounds: pandas.DataFrame
    history: np.ndarray | None
    n_sites: int
    converged: bool
    seconds: np.ndarray
    variances: np.ndarray | None
    privacy: Statement | None = None
    ledgers: tuple[Ledger, ...] = ()

    @property
    def graph(self) -> Graph:
        """The learned DAG. A run that learns one network a site has :attr:`graphs` instead."""
        if self.weights.ndim == 3:
            raise InputError(
                f"{self.method} learned one network for each of {self.n_sites} sites",
                remedy="Use .graphs, in the order of the sites",
            )
        return Graph(self.names, self.weights != 0)

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """Every learned DAG: one for each site, or the only one."""
        d = len(self.names)
        return tuple(Graph(self.names, weights != 0) for weights in self.weights.reshape(-1, d, d))

    @property
    def shared(self) -> Graph:
        """The edges that every learned DAG has."""
        return Graph(self.names, np.all([own.adjacency for own in self.graphs], axis=0))

    @property
    def differences(self) -> tuple[Graph, ...]:
        """What each learned DAG has beyond :attr:`shared`."""
        common = self.shared.adjacency
        return tuple(Graph(self.names, own.adjacency - common) for own in self.graphs)

    @property
    def varsortability(self) -> float:
        """Share of the learned network's directed paths that lead from a smaller to a larger variance.

        See :func:`fedbnsl.evaluate.varsortability`; with the mean variance over the sites, or the mean
        over the sites if each has its own network. Near 1, the directions are those that the scale of
        the columns suggests: standardise the columns and others come out. NaN without edges, or for
        discrete data.
        """
        if self.variances is None:
            return float("nan")
        if self.weights.ndim == 2:
            return varsortability(self.graph, self.variances.mean(axis=0))
        shares = [varsortability(own, row) for own, row in zip(self.graphs, self.variances, strict=True)]
        known = [share for share in shares if not np.isnan(share)]
        return float(np.mean(known)) if known else float("nan")

    @property
    def bytes_total(self) -> int:
        """Bytes of all messages in both directions."""
        return int(self.rounds["bytes_up"].sum() + self.rounds["bytes_down"].sum())

    @property
    def paper_bytes(self) -> int:
        """Bytes by the formulas of the Fed-Sparse-BNSL paper (B.2.1).

        Sparse messages: 8 + ⌈log₂(d²)/8⌉ for every non-zero entry of all matrices sent, whole each time
        (``entries_up`` and ``entries_down`` of ``rounds``). Others: dense matrices, 2·T·P·d²·8.
        """
        d = len(self.names)
        if "entries_up" in self.rounds:
            entries = self.rounds["entries_up"].sum() + self.rounds["entries_down"].sum()
            return int(entries) * sparse_entry_bytes(d)
        return dense_bytes(len(self.rounds), self.n_sites, d)
