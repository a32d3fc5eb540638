"""One-shot consensus of graphs: node order, fusion, min-cut pruning, voting."""

import lazy_loader

# No module here is named like a public function: importing it would put the module in the function's place.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "baselines": ["best_of_inputs", "fuse_within_treewidth"],
        "fusion": ["fuse"],
        "imap": ["minimal_imap"],
        "order": ["node_order"],
        "path": ["CurvePoint", "PruningPath"],
        "pruning": ["prune"],
        "steps": ["Deletion"],
        "support": ["edge_support"],
        "voting": ["vote"],
    },
)
