"""Does joining pay for a site? Its held-out rows under its own model and under the shared one."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import stdtrit

from fedbnsl.data.site_data import SiteData, check_same_variables
from fedbnsl.errors import InputError
from fedbnsl.federate.parameters import fit_parameters
from fedbnsl.graphs.graph import Graph, WeightedGraph
from fedbnsl.scores.network_likelihood import row_log_likelihoods
from fedbnsl.seeds import generator

#: Columns of :func:`joining`.
JOINING = (
    *("site", "rows_train", "rows_test", "own", "shared_graph", "shared", "gain", "gain_se", "verdict"),
)
_FEWEST = 10  # rows to judge on


def split_rows(sites: Sequence[SiteData], share: float, seed: int) -> tuple[list[SiteData], list[SiteData]]:
    """Rows to learn from and rows to judge on, at every site; a random split by the site's label.

    Parameters
    ----------
    sites : sequence of SiteData
    share : float
        Of the rows to judge on, between 0 and 1; at least one row stays on either side, but a site with
        fewer than two rows is only learned from.
    seed : int

    Returns
    -------
    train, test : lists of SiteData
        By site, every row in one of the two, in the order of the site's rows.
    """
    train, test = [], []
    for site in sites:
        held = max(min(max(round(share * site.n_rows), 1), site.n_rows - 1), 0)
        order = generator(seed, "held-out rows", site.label).permutation(site.n_rows)
        test.append(site.rows(np.sort(order[:held])))
        train.append(site.rows(np.sort(order[held:])))
    return train, test


def joining(
    shared: Graph | WeightedGraph,
    own: Sequence[Graph | WeightedGraph | None],
    train: Sequence[SiteData],
    test: Sequence[SiteData],
    pseudo_count: float = 1.0,
) -> list[dict]:
    """One row a site: the mean log-likelihood of its held-out rows under three models.

    Parameters
    ----------
    shared : Graph or WeightedGraph
        What all sites learned together, from ``train`` only.
    own : sequence of Graph, WeightedGraph or None
        What each site learned alone from its ``train``; None where it learned nothing.
    train, test : sequence of SiteData
        By site.
    pseudo_count : float
        As in :func:`fedbnsl.federate.fit_parameters`.

    Returns
    -------
    list of dict
        ``site``, ``rows_train``, ``rows_test``; ``own``: its graph with its own parameters;
        ``shared_graph``: the shared graph with its own parameters; ``shared``: the shared graph with the
        parameters of all sites (nats a row). ``gain`` = shared − own, with the standard error
        ``gain_se`` of the mean of paired differences, NaN for one row. ``verdict``: ``pays`` or ``costs``
        where the 95 % interval of the gain (Student's t) does not hold 0, otherwise ``no clear difference``;
        ``too few rows`` with fewer than ten rows to judge on; ``not comparable`` where a model cannot be
        fitted, which has NaN.

    Raises
    ------
    InputError
        If there are not as many graphs and rows as sites, or the shared network cannot be fitted.
    """
    if not len(own) == len(train) == len(test):
        raise InputError(f"{len(own)} graphs, {len(train)} and {len(test)} sites do not belong together")
    check_same_variables([*train, *test])
    everyone = fit_parameters(shared, train, pseudo_count=pseudo_count).network
    rows = []
    for graph, learned, held in zip(own, train, test, strict=True):
        alone = None if graph is None else _rows_under(graph, learned, held, pseudo_count)
        local = _rows_under(shared, learned, held, pseudo_count)
        joint = row_log_likelihoods(everyone, held)
        gain = np.full(1, np.nan) if alone is None else joint - alone
        n = held.n_rows
        error = float(gain.std(ddof=1) / np.sqrt(n)) if n > 1 and alone is not None else float("nan")
        difference = _mean(gain)
        rows.append(
            {
                "site": held.label,
                "rows_train": learned.n_rows,
                "rows_test": n,
                "own": _mean(alone),
                "shared_graph": _mean(local),
                "shared": _mean(joint),
                "gain": difference,
                "gain_se": error,
                "verdict": _verdict(difference, error, n),
            }
        )
    return rows


def cross_validated(
    learn: Callable[[list[SiteData]], Graph | WeightedGraph],
    sites: Sequence[SiteData],
    folds: int,
    seed: int,
    pseudo_count: float = 1.0,
) -> np.ndarray:
    """Mean log-likelihood of held-out rows of every site, under networks learned and fitted without them.

    Parameters
    ----------
    learn : callable
        Sites to one graph.
    sites : sequence of SiteData
        One with fewer rows than ``folds`` is only learned from.
    folds : int
    seed : int
    pseudo_count : float
        As in :func:`fedbnsl.federate.fit_parameters`.

    Returns
    -------
    ndarray, shape (folds, P)
        Nats a row. NaN where a fold's model cannot be fitted, and for a site that is only learned from.
    """
    parts = []
    for site in sites:
        part = generator(seed, "fold", site.label).permutation(np.arange(site.n_rows) % folds)
        parts.append(part if site.n_rows >= folds else np.full(site.n_rows, -1))
    found = np.full((folds, len(sites)), np.nan)
    for fold in range(folds):
        train = [site.rows(part != fold) for site, part in zip(sites, parts, strict=True)]
        try:
            network = fit_parameters(learn(train), train, pseudo_count=pseudo_count).network
        except InputError:  # such as a column that is constant without the fold
            continue
        for p, (site, part) in enumerate(zip(sites, parts, strict=True)):
            if (part == fold).any():
                found[fold, p] = row_log_likelihoods(network, site.rows(part == fold)).mean()
    return found


def _rows_under(graph, learned: SiteData, held: SiteData, pseudo_count: float) -> np.ndarray | None:
    try:
        network = fit_parameters(graph, [learned], pseudo_count=pseudo_count).network
    except InputError:  # a column constant at this site, or determined by its parents
        return None
    return row_log_likelihoods(network, held)


def _mean(values) -> float:
    return float("nan") if values is None or not len(values) else float(values.mean())


def _verdict(gain: float, error: float, rows: int) -> str:
    if rows < _FEWEST:
        return "too few rows"
    if np.isnan(gain) or np.isnan(error):
        return "not comparable"
    if abs(gain) <= stdtrit(rows - 1, 0.975) * error:
        return "no clear difference"
    return "pays" if gain > 0 else "costs"
