"""Whether a budget is large enough to learn anything, from public numbers alone."""

import math
from collections.abc import Sequence

from fedbnsl.errors import InputError

#: Above this, no mechanism of this package was seen to beat the empty graph.
HOPELESS = 3.0
#: Noise of a covariance in units of what edges need is this times d^1.5 / (n μ).
OMEGA_FACTOR = 2.2


def difficulty(d: int, rows: Sequence[int], mus: Sequence[float]) -> float:
    """ω = 2.2 d^1.5 (Σ_p 1/μ_p²)^½ / Σ_p n_p: noise of a pooled covariance in units of what edges need.

    For equal sites it is 2.2 d^1.5 / (n μ √P). Rows are pooled, so a site's noise, which is ∝ 1/(n_p μ_p),
    weighs by n_p. Where sites count alike instead, ω is that of as many sites like the smallest: no less.

    Parameters
    ----------
    d : int
        Number of variables.
    rows : sequence of int
        n_p of every site, at least one.
    mus : sequence of float
        μ_p, the Gaussian equivalent of every site's (ε, δ).

    Returns
    -------
    float
        Up to 1: most edges are found. 1 to 3: many. Above 3: as good as none.
    """
    return OMEGA_FACTOR * d**1.5 * math.sqrt(math.fsum(mu**-2 for mu in mus)) / sum(rows)


def check_difficulty(
    omega: float, epsilon: float, d: int, rows: Sequence[int], force: bool, pooled: bool = True
) -> None:
    """Raise InputError if ω is above :data:`HOPELESS`, unless the run is forced.

    Parameters
    ----------
    omega, epsilon : float
        ω and ε.
    d : int
        Number of variables.
    rows : sequence of int
        n_p of every site.
    force : bool
    pooled : bool
        Whether ω is that of all rows together, or of sites like the smallest; the message says how many
        rows would do, in all or a site.

    Raises
    ------
    InputError
    """
    if omega <= HOPELESS or force:
        return
    sites = f"{len(rows)} site{'s' * (len(rows) > 1)}"
    if pooled:
        number, where, unit = sum(rows), f"at {sites}", "in all"
    else:
        number, where, unit = min(rows), f"at the smallest of {sites}", "a site"
    raise InputError(
        f"the privacy budget ε = {epsilon:g} is too small for {d} variables and {number} rows {where} "
        f"(ω = {omega:.1f}, more than {HOPELESS:g}): the noise would bury every edge",
        remedy=f"Use about {math.ceil(number * omega / HOPELESS)} rows {unit}, fewer variables or a larger "
        "epsilon; force=True runs it all the same",
    )
