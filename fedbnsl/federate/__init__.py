"""Round-based protocols: sites and a server exchange messages."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "messages": ["Message"],
        "protocol": ["ProtocolRun", "Server", "Site"],
        "run": ["Federation", "drive", "run"],
    },
)
