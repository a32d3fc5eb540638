"""What networks of several sites have in common, and what each has alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

Connection = tuple[str, str]


def overlapping(sites: Mapping[str, Collection[Connection]]) -> set[Connection]:
    """The connections (from, to) that all sites have."""
    return set.intersection(*(set(own) for own in sites.values())) if sites else set()


def site_specific(sites: Mapping[str, Collection[Connection]]) -> dict[str, set[Connection]]:
    """For each site, the connections that it has and no other."""
    counts = Counter(one for own in sites.values() for one in set(own))
    return {site: {one for one in set(own) if counts[one] == 1} for site, own in sites.items()}


def undirected(connections: Iterable[Connection]) -> set[Connection]:
    """The pairs of ends, without the direction."""
    return {(a, b) if a < b else (b, a) for a, b in connections}


def f_score(found: Collection, true: Collection) -> float:
    """2 |found ∩ true| / (|found| + |true|); 1 where both are empty."""
    found, true = set(found), set(true)
    if not found and not true:
        return 1.0
    return 2 * len(found & true) / (len(found) + len(true))
