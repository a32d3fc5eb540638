"""The loop that drives a protocol inside one process."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fedbnsl import registry
from fedbnsl.data.site_data import SiteData, check_same_variables, checked_sites
from fedbnsl.errors import ConvergenceWarning, InputError
from fedbnsl.federate.federation import Federation
from fedbnsl.federate.messages import Message
from fedbnsl.federate.protocol import ProtocolRun
from fedbnsl.learn.sufficient import check_continuous
from fedbnsl.seeds import run_seed
from fedbnsl.threads import one_thread

if TYPE_CHECKING:
    import pandas

SECURE = "secure"


def run(
    name: str,
    sites: Sequence[SiteData],
    seed: int | None = None,
    keep_history: bool = False,
    ledger: Path | str | None = None,
    **options,
) -> Federation:
    """Learn from the sites with the federated method called ``name``.

    Parameters
    ----------
    name : str
        A method of kind ``federate`` in :mod:`fedbnsl.registry`.
    sites : sequence of SiteData
        At least one; the same variables in the same order at every site.
    seed : int, optional
        Root of all randomness; 0 if not given. With ``mode="secure"`` it must not be given.
    keep_history : bool
        Also return the DAG weights after every round.
    ledger : path, optional
        Folder with one file a site, named by its label: what private runs on its rows have spent so far.
        This run is added, before it starts, or refused if a site's budget does not allow it. A site
        without a file gets one whose budget is this run's.
    **options
        The method's options; see its registry entry for names, defaults and ranges.

    Returns
    -------
    Federation

    Raises
    ------
    InputError
        On an unknown method or option, sites that do not fit together or the method, and columns that
        cannot be learned from; the message names the site and column. On a seed that is no whole
        number of 0 or more, or any seed in secure mode. On a run over a site's privacy budget.

    Warns
    -----
    ConvergenceWarning
        If the run has not converged (see :class:`Federation`): by how much, and what to do.
    UserWarning
        If a site without a ledger gets one in a folder that has others.
    """
    sites, protocol = assemble(name, sites, seed, options)
    privacy, ledgers = protocol.privacy, protocol.ledgers
    if privacy is not None:
        privacy = privacy.accounted(ledger is not None)
    if ledger is not None:
        from fedbnsl.privacy.ledger_folder import enter

        ledgers = enter(Path(ledger), ledgers)
    with one_thread():
        driven = drive(protocol, keep_history)
    raw, weights = protocol.server.result()
    unmet = protocol.server.unmet()
    secret = protocol.privacy is not None and protocol.privacy.mode == SECURE
    seconds = np.full_like(driven.seconds, np.nan) if secret else driven.seconds
    variances = None
    if not (secret or sites[0].is_discrete):
        variances = np.stack([site.values.var(axis=0) for site in sites])
    if unmet is not None:
        problem, remedy = unmet
        spread = ""
        if variances is not None:
            spread = (
                f"; the variances of the columns range from {variances.min():.3g} to {variances.max():.3g}"
            )
        warnings.warn(
            f"{name} has not converged: {problem}{spread}. {remedy}", ConvergenceWarning, stacklevel=2
        )
    return Federation(
        name,
        sites[0].names,
        weights,
        raw,
        driven.rounds,
        driven.history,
        len(sites),
        unmet is None,
        seconds,
        variances,
        privacy,
        tuple(ledgers),
    )


def assemble(
    name: str, sites: Sequence[SiteData], seed: int | None, options: dict
) -> tuple[list[SiteData], ProtocolRun]:
    """The checked sites, and the pieces of a method on them; parameters and errors as of :func:`run`."""
    entry = registry.method(name, "federate")
    options = entry.checked(options)
    secret = options.get("mode") == SECURE
    seed = run_seed(seed, secret, f"method {name!r}")
    sites = checked_sites(sites)
    check_same_variables(sites)
    for site in sites:
        if entry.data == "continuous":
            check_continuous(site, look=not secret)
        elif entry.data == "discrete" and not site.is_discrete:
            raise InputError(f"{name} needs discrete data, but these are continuous", where=site.label)
    with one_thread():
        return sites, entry.load()(sites, seed=seed, **options)


class Driven(NamedTuple):
    """What :func:`drive` leaves; for all three see :class:`Federation`."""

    rounds: pandas.DataFrame
    history: np.ndarray | None
    seconds: np.ndarray


def drive(protocol: ProtocolRun, keep_history: bool = False) -> Driven:
    """Exchange all messages of a protocol; the result stays with ``protocol.server``.

    Parameters
    ----------
    protocol : ProtocolRun
    keep_history : bool
        Whether to keep the weights after every round.

    Returns
    -------
    Driven
    """
    import pandas

    server, sites = protocol.server, protocol.sites
    rows, history, seconds = [], [], []
    broadcast = server.start()
    start_bytes = len(sites) * broadcast.n_bytes
    heard = [broadcast] * len(sites)
    for round in range(protocol.rounds):
        began = time.process_time()
        answers = [site.step(round, message) for site, message in zip(sites, heard, strict=True)]
        answered = time.process_time()
        sent = server.aggregate(answers)
        seconds.append((answered - began, time.process_time() - answered))
        heard = [sent] * len(sites) if isinstance(sent, Message) else sent
        down = sum(message.n_bytes for message in heard) + (start_bytes if round == 0 else 0)
        up = sum(answer.n_bytes for answer in answers)
        rows.append({"round": round + 1, "bytes_up": up, "bytes_down": down, **server.diagnostics()})
        if keep_history:
            history.append(server.result()[1])
        if server.finished():
            break
    return Driven(pandas.DataFrame(rows), np.stack(history) if keep_history else None, np.array(seconds))
