"""Log-likelihood of a site's rows under a network with parameters."""

import numpy as np

from fedbnsl.data.gaussian_network import GaussianNetwork, check_network_names
from fedbnsl.data.networks import DiscreteNetwork
from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError


def row_log_likelihoods(network: DiscreteNetwork | GaussianNetwork, site: SiteData) -> np.ndarray:
    """Log-probability (nats) of every row, or its log-density.

    Parameters
    ----------
    network : DiscreteNetwork or GaussianNetwork
    site : SiteData
        The network's variables in its order; discrete: with its states.

    Returns
    -------
    ndarray of float64, shape (n,)
        −inf where the network gives a row the probability 0. Densities of continuous data are per unit
        of the columns: they compare models on the same columns, and nothing else.

    Raises
    ------
    InputError
        If the variables, their kind or their states differ.
    """
    check_network_names(network.names, site)
    if site.is_discrete != isinstance(network, DiscreteNetwork):
        kinds = ("continuous", "discrete")
        raise InputError(
            f"the rows are {kinds[site.is_discrete]}, the network is {kinds[not site.is_discrete]}",
            where=site.label,
        )
    if isinstance(network, GaussianNetwork):
        residuals = site.values @ (np.eye(len(site.names)) - network.coefficients) - network.intercepts
        terms = residuals**2 / network.variances + np.log(2 * np.pi * network.variances)
        return -0.5 * terms.sum(axis=1)
    if site.states != network.states:
        column = next(i for i, states in enumerate(site.states) if states != network.states[i])
        raise InputError(
            f"the declared states {list(site.states[column])} are not those of the network, "
            f"{list(network.states[column])}",
            where=f"{site.label}, column {site.names[column]!r}",
        )
    total = np.zeros(site.n_rows)
    with np.errstate(divide="ignore"):
        for i, (parents, table) in enumerate(zip(network.parents, network.tables, strict=True)):
            total += np.log(table[tuple(site.values[:, v] for v in (*parents, i))])
    return total
