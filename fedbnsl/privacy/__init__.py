"""Differential privacy of what sites release: mechanisms, their accounts, and evidence that they hold."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "accountant": [
            "gdp_budget",
            "gdp_delta",
            "gdp_epsilon",
            "noise_multiplier",
            "zcdp_budget",
            "zcdp_delta",
            "zcdp_epsilon",
        ],
        "audit": ["Audit", "audit_updates"],
        "audit_gaussian": ["audit_gradient", "audit_moment"],
        "counts": ["PrivateFit", "private_parameters"],
        "ledger": ["Ledger", "Release"],
        "statement": ["Statement"],
    },
)
