"""Audits of the Gaussian releases: a site of the staged mechanism, told apart on two data sets.

See :mod:`fedbnsl.privacy.audit` for what an audit shows. The code under audit is
:meth:`fedbnsl.privacy.staged_site.GaussianSite.step` as it runs in production, one release a run; the data
sets differ in one of 50 records, chosen to move the release as far as its sensitivity.
"""

from __future__ import annotations

import numpy as np

from fedbnsl.federate.messages import Message, pack_sparse
from fedbnsl.privacy.audit import LEVELS, Audit, judge, noise_of
from fedbnsl.privacy.gradients import RADIUS
from fedbnsl.privacy.staged_site import GaussianSite

ROWS, LARGE = 50, 30.0


def audit_moment(mu: float = 1.0, runs: int = 20_000, seed: int = 0, secure: bool = False) -> Audit:
    """Audit the second moment: two variables, R = 1, one record of (30, 0) or of (0, 30), the others 0.

    Parameters
    ----------
    mu : float
        μ, as promised.
    runs : int
        On each of the two data sets.
    seed : int
    secure : bool
        Draw the noise of secure mode, for which ``seed`` has no meaning; some 100 times slower.

    Returns
    -------
    Audit
    """
    message = Message({"scales": np.ones(2), "radius": np.ones(1)})
    first, second = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])  # upper triangles
    scale = np.sqrt(2) / mu * np.array([1.0, np.sqrt(0.5), 1.0])
    records = (np.array([LARGE, 0.0]), np.array([0.0, LARGE]))
    means = first / ROWS, second / ROWS
    return _told_apart(records, message, "moment", means, scale / ROWS, mu, runs, seed, secure)


def audit_gradient(mu: float = 1.0, runs: int = 20_000, seed: int = 0, secure: bool = False) -> Audit:
    """Audit the residual gradient at (1, 4), (2, 4), (3, 4) with B = 0: one record is (30, 30, 30, ±30).

    The products of the record are 900 at all three entries, or −900, and the other records are 0. Clipped
    together they are ± 1.2 in every place; clipped one by one, to the same length, ± 1.2 √3.

    Parameters
    ----------
    mu, runs, seed, secure
        As :func:`audit_moment`.

    Returns
    -------
    Audit
    """
    entries = np.zeros((4, 4), dtype=bool)
    entries[:3, 3] = True
    message = Message({**pack_sparse(np.zeros((4, 4)), entries), "residual_scales": np.ones(4)})
    record = np.full(4, LARGE)
    other = record * np.array([1, 1, 1, -1])
    means = np.full(3, RADIUS) / ROWS
    scale = np.full(3, 2 * RADIUS * np.sqrt(3) / (ROWS * mu))
    return _told_apart((record, other), message, "gradient", (means, -means), scale, mu, runs, seed, secure)


def _told_apart(records, message, name, means, scale, mu, runs, seed, secure) -> Audit:
    """Log-likelihood ratios of what the promise says the releases are, over runs on both data sets."""
    logs = []
    for number, record in enumerate(records):
        values = np.zeros((ROWS, len(record)))
        values[0] = record
        noise = noise_of(secure, seed, name, number)
        outputs = np.stack([GaussianSite(values, [mu], noise).step(0, message)[name] for _ in range(runs)])
        distances = [np.sum(((outputs - mean) / scale) ** 2, axis=1) / 2 for mean in means]
        logs.append(distances[1] - distances[0])
    return judge(*logs, mu**2 / 2, True, LEVELS[secure])
