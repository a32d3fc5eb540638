"""Scores of a graph on data: BDeu, BIC, Gaussian BIC, log-likelihood on held-out rows."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "bdeu": ["bdeu"],
        "bic": ["bic", "gaussian_bic"],
        "likelihood": ["held_out_log_likelihood"],
        "network_likelihood": ["row_log_likelihoods"],
    },
)
