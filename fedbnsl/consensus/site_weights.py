"""The weights of the graphs of known sites: all alike, by rows, or as they are written."""

from collections.abc import Hashable, Mapping, Sequence

from fedbnsl.errors import InputError


def site_weights(
    wanted: str, sites: Sequence[Hashable], rows: Mapping[Hashable, int | None], where: str | None = None
) -> str:
    """The option ``weights`` of a pruning method for the sites that have a graph.

    Parameters
    ----------
    wanted : str
        ``equal``; ``rows``, by the numbers of rows that the graphs were learned from; or a number for each
        of ``sites``, such as ``5000+3000+200``.
    sites : sequence
        All sites, with or without a graph.
    rows : mapping of site to int or None
        The sites that have a graph, in the order of the graphs, and how many rows they learned from; None
        where that is not known.
    where : str, optional
        Where the option stands, for messages.

    Returns
    -------
    str
        ``equal``, or a number for each of the graphs: a weight goes with its site, whichever others are
        missing.

    Raises
    ------
    InputError
        If there are not as many weights as sites, or rows count and a number of rows is not known.
    """
    if wanted == "equal":
        return wanted
    if wanted == "rows":
        unknown = [str(site) for site, number in rows.items() if number is None]
        if unknown:
            raise InputError(
                f"the graphs cannot be weighted by rows: how many {unknown[0]} has is not known",
                where=where,
                remedy="Leave weights out, or give a number for each graph",
            )
        return "+".join(str(number) for number in rows.values())
    weights = wanted.split("+")
    if len(weights) != len(sites):
        raise InputError(f"there are {len(weights)} weights for {len(sites)} sites", where=where)
    of_site = dict(zip(sites, weights, strict=True))
    return "+".join(of_site[site] for site in rows)
