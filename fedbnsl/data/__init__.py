"""Data: networks, samples, simulations, partitions into sites, site files."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "networks": ["NETWORKS", "DiscreteNetwork", "load_network"],
        "partition": ["partition"],
        "sachs": ["load_sachs"],
        "simulate": ["simulate_linear_gaussian"],
        "site_data": ["SiteData", "check_same_variables"],
        "site_files": ["read_site", "write_site"],
    },
)
