"""One federated method with many settings of its options on the same sites."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import ConvergenceWarning, InputError
from fedbnsl.evaluate.structure import metrics
from fedbnsl.federate.federation import Federation
from fedbnsl.federate.run import run
from fedbnsl.graphs.graph import Graph
from fedbnsl.scores.likelihood import held_out_log_likelihood
from fedbnsl.seeds import generator

if TYPE_CHECKING:
    import pandas

MEASURES = ("shd", "tpr", "fdr", "edges", "edges_true", "skeleton_correct", "v_structures", "cpdag_shd")


def try_options(
    name: str,
    settings: Iterable[dict],
    sites: Sequence[SiteData],
    truth: Graph | None = None,
    *,
    seed: int = 0,
    held_out: float = 0.0,
) -> pandas.DataFrame:
    """Run a method once for every setting, and say what came out.

    Parameters
    ----------
    name : str
        A method of kind ``federate`` that learns one network for all sites.
    settings : iterable of dict
        Options of each run.
    sites : sequence of SiteData
    truth : Graph, optional
        The gold standard. Without it, there are no measures of structure.
    seed : int
        Of every run, and of the choice of rows to keep out.
    held_out : float
        Share of the rows that each site keeps out, for choosing options without a truth. The method then
        runs a second time without these rows; each site fits the parameters of the network so learned to its
        other rows, and the likelihood of the rows kept out is what counts. Only this number would have to
        leave a site. 0: not done.

    Returns
    -------
    pandas.DataFrame
        One row a setting, in order: with a truth, ``shd tpr fdr edges edges_true skeleton_correct
        v_structures cpdag_shd`` of the network of all rows (see :func:`fedbnsl.evaluate.metrics`), else
        ``edges``; ``rounds``, ``bytes``, ``paper_bytes``, ``converged``; of private methods ``privacy``,
        their statement in words; with ``held_out``, ``log_likelihood``: nats a row, mean over all rows kept
        out, NaN where it cannot be computed.

    Raises
    ------
    InputError
        As of :func:`fedbnsl.federate.run`; if ``held_out`` is no share, or leaves a site without rows on
        either side.
    """
    import pandas

    kept, out = _split(sites, held_out, seed) if held_out else (None, None)
    rows = []
    for options in settings:
        found = quiet_run(name, sites, seed, options)
        if truth is None:
            row = {"edges": found.graph.n_edges}
        else:
            measured = metrics(found.graph, truth, sid=False)
            row = {key: measured[key] for key in MEASURES}
        row |= {
            "rounds": len(found.rounds),
            "bytes": found.bytes_total,
            "paper_bytes": found.paper_bytes,
            "converged": found.converged,
        }
        if found.privacy is not None:
            row["privacy"] = found.privacy.words
        if held_out:
            row["log_likelihood"] = _likelihood(quiet_run(name, kept, seed, options).graph, kept, out)
        rows.append(row)
    return pandas.DataFrame(rows)


def quiet_run(name: str, sites: Sequence[SiteData], seed: int, options: dict) -> Federation:
    """:func:`fedbnsl.federate.run` without its :class:`~fedbnsl.errors.ConvergenceWarning`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it is a column
        return run(name, sites, seed=seed, **options)


def _split(sites, share, seed) -> tuple[list[SiteData], list[SiteData]]:
    """Every site's rows in two parts; which rows depends on the seed and the site's place."""
    if not 0 < share < 1:
        raise InputError(f"held_out must be a share between 0 and 1, not {share!r}")
    kept, out = [], []
    for place, site in enumerate(sites):
        size = max(1, round(share * site.n_rows))
        if size >= site.n_rows:
            raise InputError(f"{site.n_rows} row(s) cannot be split", where=site.label)
        order = generator(seed, "held out", place).permutation(site.n_rows)
        out.append(site.rows(order[:size]))
        kept.append(site.rows(order[size:]))
    return kept, out


def _likelihood(graph, kept, out) -> float:
    try:
        each = [
            test.n_rows * held_out_log_likelihood(graph, train, test)
            for train, test in zip(kept, out, strict=True)
        ]
    except InputError:  # fewer rows than parents, or a column that its parents determine
        return math.nan
    return math.fsum(each) / sum(test.n_rows for test in out)
