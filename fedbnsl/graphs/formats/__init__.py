"""Graph files: one module a format family, chosen by suffix in :mod:`fedbnsl.graphs.formats.files`."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "files": ["read_graph", "write_graph"],
        "json_graph": ["graph_from_dict", "graph_to_dict"],
    },
)
