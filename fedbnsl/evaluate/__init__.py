"""Measures: structure, likelihood, communication, comparison with printed values."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={"structure": ["metrics", "smhd"]},
)
