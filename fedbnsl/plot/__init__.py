"""Pictures, pages and tables: one function a kind, one style."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=["style"],
    submod_attrs={
        "bars": ["bars", "boxes"],
        "curves": ["curves"],
        "draw": ["draw_network"],
        "layout": ["layered"],
        "page": ["network_page"],
        "ranks": ["rank_axes"],
        "save": ["save_figure"],
        "summary": ["summarise"],
        "tables": ["mean_sd", "write_table"],
        "thresholds": ["best_points", "threshold_choice"],
    },
)
