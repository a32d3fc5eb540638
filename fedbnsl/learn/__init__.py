"""Per-site learners: one site in, one graph out."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "ges": ["ges"],
        "notears": ["notears"],
        "pgmpy_ges": ["ges_pgmpy", "hill_climb_pgmpy"],
        "pgmpy_pc": ["pc_pgmpy"],
        "sufficient": ["SufficientStatistics", "sufficient_statistics"],
        "threshold": ["threshold_to_dag"],
    },
)
