"""Measures: structure, likelihood, communication, comparison with printed values."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "communication": ["dense_bytes", "sparse_entry_bytes"],
        "personalisation": ["normalised_mse"],
        "ranks": ["friedman", "holm_pairwise", "mean_ranks"],
        "scale": ["scale_note", "varsortability"],
        "sid": ["sid"],
        "structure": ["edge_metrics", "metrics", "shd", "smhd"],
        "verdicts": ["verdict"],
    },
)
