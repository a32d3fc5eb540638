"""NOTEARS-PFL: one network a site, learned together (Liu et al. 2022), with a choice of penalties.

Two ways to the same problem (:mod:`fedbnsl.federate.pfl_direct`):

``direct``  every site sends its sufficient statistics once, and the server solves
``admm``    sites and server exchange matrices for some eighty rounds, as in the paper

Neither hides the rows better than the other: the first message of ``admm`` determines the covariance too.
Where λ is to be chosen, each site also sends covariances of parts of its rows, which say more: if the
smallest site has fewer than 20 rows a part of it has two to four, with 3 rows one, which is then known up to
its sign and the mean of the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.federate.admm import Penalties
from fedbnsl.federate.fed_bnsl import FedBnslSite
from fedbnsl.federate.messages import Message, pack_sparse, pack_symmetric, unpack_symmetric
from fedbnsl.federate.pfl_admm import PflServer
from fedbnsl.federate.pfl_choose import (
    Choice,
    Statistics,
    check_rows,
    choose,
    held_out,
    needs_choice,
    noise_scale,
    parts_of,
    solve,
)
from fedbnsl.federate.pfl_direct import FINAL
from fedbnsl.federate.protocol import ProtocolRun, Site
from fedbnsl.learn.sufficient import site_covariances, sufficient_statistics
from fedbnsl.learn.threshold import threshold_to_dag


class StatisticsSite:
    """A site that sends sufficient statistics in its first round, then does as ``following`` does.

    Parameters
    ----------
    site : SiteData
    parts : int
        How many parts of the rows are held out in turn; 0: none.
    following : Site, optional
        Answers the later rounds, which it counts from 0.
    """

    def __init__(self, site: SiteData, parts: int, following: Site | None = None):
        self.statistics = sufficient_statistics(site)
        self.parts = held_out(site, parts) if parts else None
        self.following = following

    def step(self, round: int, message: Message) -> Message:
        """The covariance and the number of rows; and those of the parts, if any."""
        if round > 0:
            return self.following.step(round - 1, message)
        arrays = {
            "covariance": pack_symmetric(self.statistics.covariance),
            "rows": np.array([self.statistics.rows], dtype=np.int64),
        }
        if self.parts is not None:
            for name, matrices in zip(("train", "test"), self.parts, strict=True):
                arrays[name] = np.stack([pack_symmetric(matrix) for matrix in matrices])
        return Message(arrays)


def received(message: Message) -> Statistics:
    """The statistics that a :class:`StatisticsSite` sent."""
    parts = [
        np.stack([unpack_symmetric(row) for row in message[name]]) if name in message.arrays else np.empty(0)
        for name in ("train", "test")
    ]
    return Statistics(unpack_symmetric(message["covariance"]), int(message["rows"][0]), *parts)


class DirectServer:
    """The server of the mode ``direct``: chooses λ where it is not given, and solves.

    Parameters
    ----------
    penalty : str
    l1, l2 : float, optional
    threshold : float
    """

    def __init__(self, penalty: str, l1: float | None, l2: float | None, threshold: float):
        self.given, self.threshold = (penalty, l1, l2), threshold
        self.choice: Choice | None = None
        self.weights, self.h = np.empty(0), np.inf

    def start(self) -> Message:
        """Nothing to tell the sites."""
        return Message()

    def choose(self, statistics: Sequence[Statistics]) -> Choice:
        """The penalty, λ₁ and λ₂ that were given, or that are best on the rows held out."""
        penalty, l1, l2 = self.given
        if needs_choice(*self.given):
            return choose(statistics, *self.given)
        return Choice(penalty, l1, l2 or 0.0)

    def aggregate(self, messages: Sequence[Message]) -> list[Message]:
        """Solve, and send every site its DAG, packed."""
        statistics = [received(message) for message in messages]
        self.choice = self.choose(statistics)
        covariances = np.stack([one.covariance for one in statistics])
        rows = np.array([one.rows for one in statistics], dtype=float)
        self.weights, self.h = solve(covariances, rows, self.choice, noise_scale(statistics), FINAL)
        return [Message(pack_sparse(own)) for own in self.result()[1]]

    def diagnostics(self) -> dict[str, float | str]:
        """The largest ``h``, mean ``edges`` of a site, and what was used: ``penalty``, ``l1``, ``l2``."""
        edges = float(np.count_nonzero(self.result()[1]) / len(self.weights))
        return {"h": self.h, "edges": edges, **self.choice._asdict()}

    def finished(self) -> bool:
        """After the one round."""
        return True

    def unmet(self) -> tuple[str, str] | None:
        """Nothing if h of all weights is within the tolerance."""
        if self.h <= FINAL.h:
            return None
        return f"h of the weights is {self.h:.2g}, above {FINAL.h:g}", "Rescale the data, all columns alike"

    def result(self) -> tuple[np.ndarray, np.ndarray]:
        """The weights of all sites, and those of their DAGs, (K, d, d) each."""
        return self.weights, threshold_to_dag(self.weights, self.threshold)


class OpeningServer:
    """The server of ``admm`` where λ is to be chosen: an opening round of statistics, then as PflServer."""

    def __init__(self, shape: tuple[int, int, int], chooser: DirectServer, penalties: Penalties):
        self.chooser, self.shape, self.penalties = chooser, shape, penalties
        self.inner: PflServer | None = None

    def start(self) -> Message:
        """Nothing to tell the sites."""
        return Message()

    def aggregate(self, messages: Sequence[Message]) -> Message | list[Message]:
        """Choose in the first round; later, the global step."""
        if self.inner is not None:
            return self.inner.aggregate(messages)
        choice = self.chooser.choose([received(message) for message in messages])
        self.inner = PflServer(self.shape, self.penalties, choice, self.chooser.threshold)
        return Message()

    def __getattr__(self, name: str):
        return getattr(self.inner, name)


def notears_pfl(
    sites: Sequence[SiteData],
    *,
    seed: int,
    penalty: str,
    mode: str,
    l1: float | None,
    l2: float | None,
    rounds: int,
    rho1: float,
    rho1_growth: float,
    rho2: float,
    threshold: float,
) -> ProtocolRun:
    """The pieces of NOTEARS-PFL; nothing in it is random.

    The loss counts every site alike (``pooled``: every row), and σ² is the noise variance, the same for all
    variables. With ``direct`` the unit of the data does not matter; in ``admm`` ρ₂ should be near σ².

    Parameters
    ----------
    sites : sequence of SiteData
        Continuous data on their raw scale.
    seed : int
        Not used.
    penalty : str
        ``auto``: ``group`` or ``fused``, whichever has the lower loss on rows held out. ``group``: sites
        share edges. ``fused``: sites share weights. ``chain``: as in the paper; depends on the order of
        the sites. ``none``: every site alone (NOTEARS-SIG). ``pooled`` and ``consensus``: one network for
        all, rows or sites counting alike (NOTEARS-AVG, NOTEARS-ADMM).
    mode : {"direct", "admm"}
    l1, l2 : float, optional
        λ₁, λ₂ in squared units of the data; None: chosen by the loss on rows held out, for which every
        site needs 3 rows. λ₂ means nothing to ``none``, ``pooled`` and ``consensus``.
    rounds, rho1, rho1_growth, rho2
        Of ``admm`` only: rounds; ρ₁ in the first and its growth a round, up to 1e16; ρ₂ throughout.
    threshold : float
        For the resulting DAGs.

    Returns
    -------
    ProtocolRun

    Raises
    ------
    InputError
        If a site has fewer than 3 rows and λ is to be chosen, or its covariance cannot be computed.
    """
    if penalty == "auto" and (l1 is not None or l2 is not None):
        raise InputError(
            "l1 and l2 mean different things under different penalties, so auto chooses both",
            where="method 'notears-pfl'",
            remedy="Name the penalty, for example penalty='group', or leave l1 and l2 out",
        )
    parts = 0
    if needs_choice(penalty, l1, l2):
        check_rows(sites)
        parts = parts_of(min(site.n_rows for site in sites))
    chooser = DirectServer(penalty, l1, l2, threshold)
    if mode == "direct":
        return ProtocolRun([StatisticsSite(site, parts) for site in sites], chooser, 1)
    penalties = Penalties(rho1, rho2, growth1=rho1_growth)
    shape = (len(sites), len(sites[0].names), len(sites[0].names))
    covariances = site_covariances(sites, "rows" if penalty == "pooled" else "equal")
    pieces = [FedBnslSite(covariance, penalties) for covariance in covariances]
    if not parts:
        server = PflServer(shape, penalties, Choice(penalty, l1, l2 or 0.0), threshold)
        return ProtocolRun(pieces, server, rounds)
    opening = [StatisticsSite(site, parts, piece) for site, piece in zip(sites, pieces, strict=True)]
    return ProtocolRun(opening, OpeningServer(shape, chooser, penalties), rounds + 1)
