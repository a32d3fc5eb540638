"""Choosing between methods where no truth is known: held-out likelihood, stability, complexity."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import stdtrit

from fedbnsl.graphs.graph import Graph, WeightedGraph, as_graph


def stability(graph: Graph | WeightedGraph, shares: np.ndarray) -> float:
    """How sure the bootstrap is about which pairs are joined, from 0 (a coin's toss for each) to 1.

    Parameters
    ----------
    graph : Graph or WeightedGraph
    shares : ndarray, shape (d, d)
        Share of replicates that join each pair.

    Returns
    -------
    float
        The mean of |2 · share − 1| over the pairs that the graph or any replicate joins; NaN where there is
        no such pair, or no replicate.
    """
    adjacency = as_graph(graph).adjacency
    joined = np.triu((adjacency | adjacency.T).astype(bool) | (shares > 0), 1)
    return float(np.abs(2 * shares[joined] - 1).mean()) if joined.any() and shares.size else float("nan")


def compare(held_out: Mapping[str, np.ndarray], rows: Sequence[int]) -> dict[str, dict[str, float]]:
    """Held-out likelihood of several methods on the same folds, and how far each is from the best.

    Parameters
    ----------
    held_out : mapping of method to ndarray, shape (folds, P)
        From :func:`fedbnsl.evaluate.joining.cross_validated`, with the same folds for all.
    rows : sequence of int
        Of each site: sites count by their rows.

    Returns
    -------
    dict
        By method: ``held_out`` (nats a row), ``behind`` (the best minus it) and ``behind_se``, the standard
        error of that difference over folds. NaN where a method failed in a fold.
    """
    # a site without values has too few rows to be held out; that is the same for every method
    judged = [bool(np.isfinite([v[:, p] for v in held_out.values()]).any()) for p in range(len(rows))]
    weights = np.where(judged, np.asarray(rows, dtype=np.float64), 0.0)
    weights /= max(weights.sum(), 1.0)
    means = {name: np.where(judged, values, 0.0) @ weights for name, values in held_out.items()}
    known = {name: values.mean() for name, values in means.items() if np.isfinite(values).all()}
    best = max(known, key=known.get) if known else None
    table = {}
    for name, values in means.items():
        if name not in known:
            table[name] = dict.fromkeys(("held_out", "behind", "behind_se"), float("nan"))
            continue
        lag = means[best] - values
        error = float(lag.std(ddof=1) / np.sqrt(len(lag))) if len(lag) > 1 else float("nan")
        table[name] = {"held_out": float(known[name]), "behind": float(lag.mean()), "behind_se": error}
    return table


def recommend(rows: Sequence[Mapping]) -> tuple[str | None, str]:
    """Which method to take, and why, in plain words.

    The rule: of the methods whose held-out likelihood is not clearly behind the best one's (the difference's
    95 % interval by Student's t over the folds holds 0), the one with the most stable edges; of those
    within .02 of it, the one with fewer parameters.

    Parameters
    ----------
    rows : sequence of mapping
        One a method: ``method``, ``held_out``, ``behind``, ``behind_se``, ``stability``, ``parameters``;
        optionally ``folds`` (otherwise many), ``private`` (not to be judged: every run spends a budget) and
        ``same`` (other methods that gave the same network).

    Returns
    -------
    (str or None, str)
        The method, None if no method can be judged; the reasons.
    """
    judged = [row for row in rows if np.isfinite(row["held_out"])]
    if not judged:
        told = "No method was judged on held-out rows, so none is recommended."
        return None, " ".join([told, *_not_judged(rows)])
    if len(judged) == 1 and len(rows) == 1:
        only = judged[0]["method"]
        return (
            only,
            f"Only {only} was run, so there is nothing to choose between. Name more methods to compare.",
        )
    close = [row for row in judged if row["behind"] == 0 or row["behind"] < _margin(row)]
    best = max(judged, key=lambda row: row["held_out"])
    surest = max(_sure(row) for row in close)
    steady = [row for row in close if _sure(row) >= surest - 0.02]
    chosen = min(steady, key=lambda row: (row["parameters"], -row["held_out"]))
    said = []
    if chosen is best:
        said.append(
            f"{chosen['method']} predicts held-out rows best ({chosen['held_out']:.4g} nats a row"
            + (", the others are clearly behind)." if len(close) == 1 < len(judged) else ").")
        )
    else:
        said.append(
            f"{best['method']} predicts held-out rows best ({best['held_out']:.4g} nats a row), but "
            f"{chosen['method']} is not clearly behind ({chosen['behind']:.2g} ± {chosen['behind_se']:.2g})."
        )
    if len(close) > 1:
        others = ", ".join(row["method"] for row in close if row is not chosen)
        if len(steady) == 1:
            said.append(
                f"Its edges are the most stable of these ({chosen['stability']:.2f}; beside it: {others})."
            )
        else:
            said.append(
                f"Of the methods that do as well ({others}), none is clearly more stable and simpler."
            )
    behind = [row["method"] for row in judged if row not in close]
    if behind:
        said.append(f"Clearly behind: {', '.join(behind)}.")
    if chosen.get("same"):
        said.append(f"The same network comes from {', '.join(chosen['same'])}.")
    said += _not_judged(rows)
    said.append("This says how well the networks describe these sites, not whether their arrows are causes.")
    return chosen["method"], " ".join(said)


def _margin(row: Mapping) -> float:
    """Half the 95 % interval of the difference to the best, by Student's t over the folds."""
    folds = row.get("folds", np.inf)
    factor = float(stdtrit(folds - 1, 0.975)) if np.isfinite(folds) else 1.96
    return factor * row["behind_se"]


def _not_judged(rows: Sequence[Mapping]) -> list[str]:
    told = []
    left = [row for row in rows if not np.isfinite(row["held_out"])]
    private = [row["method"] for row in left if row.get("private")]
    failed = [row["method"] for row in left if not row.get("private")]
    if private:
        told.append(
            f"Not judged, since every further run would spend more of a budget: {', '.join(private)}."
        )
    if failed:
        told.append(f"Not judged, as none was asked for or a part failed: {', '.join(failed)}.")
    return told


def _sure(row: Mapping) -> float:
    return row["stability"] if np.isfinite(row["stability"]) else -1.0
