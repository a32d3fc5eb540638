"""Federated Bayesian-network structure learning.

Sites learn structure from data they keep, a server makes one network of it. Submodules load when
they are first used, so ``import fedbnsl`` is cheap.
"""

import lazy_loader

from fedbnsl._version import __version__ as __version__

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "cohort",
        "consensus",
        "data",
        "evaluate",
        "federate",
        "graphs",
        "learn",
        "plot",
        "privacy",
        "scores",
    ],
    submod_attrs={
        "errors": ["InputError"],
        "graphs.graph": ["Graph", "WeightedGraph"],
        "graphs.formats": ["read_graph", "write_graph"],
    },
)
