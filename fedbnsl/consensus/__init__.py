"""One-shot consensus of graphs: node order, fusion, min-cut pruning."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "fuse": ["fuse"],
        "imap": ["minimal_imap"],
        "order": ["node_order"],
        "prune": ["PruningPath", "prune"],
    },
)
