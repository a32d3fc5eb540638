"""Graphs: the type, operations on DAGs and CPDAGs, generators, treewidth, file formats."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=["cpdag", "dag", "generators", "moral"],
    submod_attrs={
        "formats": ["read_graph", "write_graph"],
        "graph": ["Graph", "WeightedGraph", "as_graph"],
        "treewidth": ["min_fill_order", "treewidth"],
    },
)
