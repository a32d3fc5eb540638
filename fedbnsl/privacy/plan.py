"""The public rule: how the budget is split, from public numbers alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fedbnsl.privacy.regime import OMEGA_FACTOR

#: Least and largest share of μ² for the scales of the variables.
SCALE_SHARES = (0.05, 0.3)
# Wanted noise of a pooled count, in records a record.
_SCALE_NOISE = 0.05
#: Up to this ω the second moment is worth a second, preconditioned release.
EASY = 1.0


@dataclass(frozen=True)
class Plan:
    """How a staged run spends its budget.

    Attributes
    ----------
    name : str
    moments, gradients : tuple of float
        Shares of what is left after the scales, one a release.
    strictness : float
        κ: λ is this many standard deviations of the noise.
    """

    name: str
    moments: tuple[float, ...]
    gradients: tuple[float, ...]
    strictness: float

    @property
    def rounds(self) -> int:
        """One release a round: scales, moments, gradients."""
        return 1 + len(self.moments) + len(self.gradients)

    def shares(self, scales: float) -> list[float]:
        """Share of μ² of the release of every round, that of the scales given; they add up to 1."""
        rest = (*self.moments, *self.gradients)
        return [scales, *((1 - scales) * share for share in rest)]


PLANS = {
    plan.name: plan
    for plan in (
        Plan("preconditioned", (0.2, 0.4), (0.2, 0.2), 2.0),
        Plan("direct", (0.4,), (0.12,) * 5, 3.0),
    )
}


def scale_share(d: int, omega: float) -> float:
    """Share of μ² for the scales: 5 % unless few variables with a small budget need more, up to 30 %.

    ``omega`` is :func:`fedbnsl.privacy.regime.difficulty` of ``d`` variables.
    A share q leaves noise of √2 ω/(2.2 d √q) in a pooled count over the number of records, which should be
    .05. With 8 variables and ω = 1.2, five percent would make it .43, more than most counts.
    """
    least, most = SCALE_SHARES
    return min(most, max(least, 2 * (omega / (OMEGA_FACTOR * d * _SCALE_NOISE)) ** 2))


def site_mus(mu: float, shares: Sequence[float]) -> list[float]:
    """μ of the release of every round of a site whose budget is ``mu``: √share · μ."""
    return [math.sqrt(share) * mu for share in shares]


def chosen_plan(omega: float) -> Plan:
    """The plan for this ω: two looks at the moments where they show most edges, else more gradients."""
    return PLANS["preconditioned" if omega <= EASY else "direct"]
