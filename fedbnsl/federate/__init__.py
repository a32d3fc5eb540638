"""Round-based protocols: sites and a server exchange messages."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "attack": ["Transcript", "leakage", "listen", "recover_covariances"],
        "each_site": ["try_on_sites"],
        "federation": ["Federation"],
        "grid": ["try_options"],
        "messages": ["Message"],
        "parameters": ["FittedNetwork", "fit_parameters"],
        "personalisation": ["refit", "refit_site"],
        "protocol": ["ProtocolRun", "Server", "Site"],
        "run": ["drive", "run"],
    },
)
