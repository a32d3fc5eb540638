"""Round-based protocols: sites and a server exchange messages."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "attack": ["Transcript", "listen", "recover_covariances"],
        "messages": ["Message"],
        "parameters": ["FittedNetwork", "fit_parameters"],
        "personalisation": ["refit"],
        "protocol": ["ProtocolRun", "Server", "Site"],
        "run": ["Federation", "drive", "run"],
    },
)
