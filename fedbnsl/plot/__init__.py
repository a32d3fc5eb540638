"""Pictures: one function a kind, one style."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "curves": ["curves"],
        "draw": ["draw_network"],
        "page": ["network_page"],
        "save": ["save_figure"],
    },
)
