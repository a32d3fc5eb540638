"""One round: every site sends its covariance, the server learns as if the rows were in one place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.federate.messages import Message, pack_sparse, pack_symmetric, sum_over_sites, unpack_symmetric
from fedbnsl.federate.protocol import ProtocolRun
from fedbnsl.learn.acyclicity import acyclicity
from fedbnsl.learn.notears import H_TOLERANCE, notears_weights
from fedbnsl.learn.sufficient import SufficientStatistics, sufficient_statistics
from fedbnsl.learn.threshold import threshold_to_dag


class StatisticsSite:
    """A site that sends its sufficient statistics: d(d+1)/2 numbers of Σ_p and its number of rows."""

    def __init__(self, statistics: SufficientStatistics):
        self.statistics = statistics

    def step(self, round: int, message: Message) -> Message:
        """Send the covariance and the number of rows, whatever the message is."""
        return Message(
            {
                "covariance": pack_symmetric(self.statistics.covariance),
                "rows": np.array([self.statistics.rows], dtype=np.int64),
            }
        )


def pooled_covariance(messages: Sequence[Message]) -> np.ndarray:
    """Σ_p n_p Σ_p / Σ_p n_p, shape (d, d), of :class:`StatisticsSite` messages.

    The covariance of all rows together but for the sites' means: each site removed its own, so shifts
    between sites do not enter. The bits do not depend on the order of the messages.
    """
    rows = [int(message["rows"][0]) for message in messages]
    weighted = [n * message["covariance"] for n, message in zip(rows, messages, strict=True)]
    return unpack_symmetric(sum_over_sites(weighted) / sum(rows))


class NotearsServer:
    """The server of ``notears-pooled``: NOTEARS on the pooled covariance."""

    def __init__(self, d: int, l1: float, threshold: float):
        self.l1, self.threshold = l1, threshold
        self.weights = np.zeros((d, d))

    def start(self) -> Message:
        """Nothing to tell the sites."""
        return Message()

    def aggregate(self, messages: Sequence[Message]) -> Message:
        """Solve, and send the learned DAG's weights, packed."""
        self.weights = notears_weights(pooled_covariance(messages), self.l1)
        return Message(pack_sparse(self.result()[1]))

    def diagnostics(self) -> dict[str, float]:
        """``h`` of the weights before the threshold; ``edges`` of the DAG."""
        raw, weights = self.result()
        return {"h": acyclicity(raw)[0], "edges": int(np.count_nonzero(weights))}

    def finished(self) -> bool:
        """After the one round."""
        return True

    def unmet(self) -> tuple[str, str] | None:
        """Nothing if h of the weights is within the tolerance of NOTEARS."""
        h = acyclicity(self.weights)[0]
        if h <= H_TOLERANCE:
            return None
        return f"h of the weights is {h:.2g}, above {H_TOLERANCE:g}", "Rescale the data, all columns alike"

    def result(self) -> tuple[np.ndarray, np.ndarray]:
        """The weights of NOTEARS, and those of the DAG."""
        return self.weights, threshold_to_dag(self.weights, self.threshold)


def notears_pooled(sites: Sequence[SiteData], *, seed: int, l1: float, threshold: float) -> ProtocolRun:
    """The pieces of ``notears-pooled``: the centralised reference, in one round.

    Parameters
    ----------
    sites : sequence of SiteData
        Continuous data; every site counts by its rows.
    seed : int
        Not used: nothing is random.
    l1, threshold : float
        As in :func:`fedbnsl.learn.notears`.
    """
    pieces = [StatisticsSite(sufficient_statistics(site)) for site in sites]
    return ProtocolRun(pieces, NotearsServer(len(sites[0].names), l1, threshold), 1)
