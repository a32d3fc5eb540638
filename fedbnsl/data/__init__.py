"""Data: networks, samples, simulations, partitions into sites, site files."""

import lazy_loader

# No module here is named like a public function: importing it would put the module in the function's place.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=["sources"],
    submod_attrs={
        "atlas": ["load_atlas"],
        "fmri": ["FmriCohort"],
        "fmri_files": ["read_cohort", "write_cohort"],
        "fmri_simulation": ["FmriSimulation"],
        "gaussian_network": ["GaussianNetwork"],
        "networks": ["NETWORKS", "DiscreteNetwork", "load_network"],
        "partitions": ["partition"],
        "personal": ["PersonalSimulation"],
        "sachs": ["load_sachs"],
        "simulate": ["LinearSimulation", "simulate_linear_gaussian"],
        "site_data": ["SiteData", "check_same_variables"],
        "site_files": ["read_site", "write_site"],
        "standardise": ["standardised"],
    },
)
