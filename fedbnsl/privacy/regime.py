"""Whether a budget is large enough to learn anything, from public numbers alone."""

import math
from collections.abc import Sequence

from fedbnsl.errors import InputError
from fedbnsl.privacy.accountant import gdp_budget

#: Above this, no mechanism of this package was seen to beat the empty graph.
HOPELESS = 3.0


def difficulty(d: int, rows: Sequence[int], epsilon: float, delta: float) -> float:
    """ω = 2.2 d^1.5 / (n μ √P): about the noise of a learned covariance, in units of what edges need.

    Parameters
    ----------
    d : int
        Number of variables.
    rows : sequence of int
        n_p of each of P sites; n is the smallest.
    epsilon, delta : float
        The budget of a site; μ is its Gaussian equivalent.

    Returns
    -------
    float
        Up to 1: most edges are found. 1 to 3: many. Above 3: as good as none.
    """
    return 2.2 * d**1.5 / (min(rows) * gdp_budget(epsilon, delta) * math.sqrt(len(rows)))


def check_difficulty(d: int, rows: Sequence[int], epsilon: float, delta: float, force: bool) -> float:
    """ω, if it is at most :data:`HOPELESS` or the run is forced.

    Raises
    ------
    InputError
        Else; the message says how many rows would do.
    """
    omega = difficulty(d, rows, epsilon, delta)
    if omega > HOPELESS and not force:
        needed = math.ceil(min(rows) * omega / HOPELESS)
        raise InputError(
            f"the privacy budget ε = {epsilon:g} is too small for {d} variables and {min(rows)} rows at the "
            f"smallest of {len(rows)} site{'s' * (len(rows) > 1)} (ω = {omega:.1f}, more than {HOPELESS:g}): "
            "the noise would bury every edge",
            remedy=f"Use about {needed} rows a site, fewer variables or a larger epsilon; force=True runs it "
            "all the same",
        )
    return omega
