"""Compiled kernels of NOTEARS-PFL: one entry (i, j) of all sites at once.

A block is the vector z of one entry's values at the K sites. Matrices come transposed, [site, j, i], so
that the column that a change of z_k moves is contiguous. ``soft`` stands in
:mod:`fedbnsl.federate._sparse_kernels` too: a kernel file imports none of the package, for numba's cache
would not see that one change.
"""

import numpy as np
from numba import njit

NONE, GROUP, FUSED, CHAIN = 0, 1, 2, 3


@njit(cache=True)
def soft(x, t):
    """Soft threshold: x moved towards 0 by t, not past it."""
    if x > t:
        return x - t
    if x < -t:
        return x + t
    return 0.0


@njit(cache=True)
def fused_block(u, l1, l2, z, order, sums, counts):
    """argmin ½‖z − u‖² + l1 ‖z‖₁ + l2 Σ_{k<l} |z_k − z_l| into ``z``.

    In the order of u the sum of differences is linear: shift by l2 (2r − K + 1), r = 0, 1, …, make the
    result monotone (pool adjacent violators), then soft-threshold. ``order`` (a permutation, kept from
    call to call, for it changes little), ``sums`` and ``counts`` are scratch of length K.
    """
    number = len(u)
    largest = 0.0
    for k in range(number):
        largest = max(largest, abs(u[k]))
    if largest <= l1:
        for k in range(number):
            z[k] = 0.0
        return
    for r in range(1, number):  # insertion sort: nearly sorted already
        one, at = order[r], r
        while at > 0 and u[order[at - 1]] > u[one]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = one
    pools = 0
    for r in range(number):
        sums[pools], counts[pools] = u[order[r]] - l2 * (2 * r - number + 1), 1
        pools += 1
        while pools > 1 and sums[pools - 2] * counts[pools - 1] >= sums[pools - 1] * counts[pools - 2]:
            sums[pools - 2] += sums[pools - 1]
            counts[pools - 2] += counts[pools - 1]
            pools -= 1
    r = 0
    for pool in range(pools):
        value = soft(sums[pool] / counts[pool], l1)
        for _ in range(counts[pool]):
            z[order[r]] = value
            r += 1


@njit(cache=True)
def group_block(b, a, l1, l2, z):
    """argmin Σ_k (½ a_k z_k² − b_k z_k + l1 |z_k|) + l2 ‖z‖₂ into ``z``; every a_k > 0.

    z = 0 if the soft-thresholded b is no longer than l2. Else z_k = s_k r / (a_k r + l2) with r = ‖z‖, the
    root of Σ (s_k / (a_k r + l2))² = 1, by Newton's method from below.
    """
    number = len(b)
    length, steepest = 0.0, 0.0
    for k in range(number):
        z[k] = soft(b[k], l1)
        length += z[k] * z[k]
        steepest = max(steepest, a[k])
    length = np.sqrt(length)
    if length <= l2:
        for k in range(number):
            z[k] = 0.0
        return
    r = (length - l2) / steepest
    for _ in range(100):
        value, slope = 0.0, 0.0
        for k in range(number):
            inverse = 1.0 / (a[k] * r + l2)
            part = (z[k] * inverse) ** 2
            value += part
            slope += part * a[k] * inverse
        # of value^(−½) − 1, which is concave and nearly straight
        step = (1.0 - value**-0.5) * value**1.5 / slope
        r += step
        if abs(step) <= 1e-13 * r:
            break
    for k in range(number):
        z[k] *= r / (a[k] * r + l2)


@njit(cache=True)
def chain_block(b, a, l1, coupling, z):
    """A few rounds of descent on Σ_k (½ a_k z_k² − b_k z_k + l1 |z_k|) + Σ_e ½ coupling_e (z_{e+1} − z_e)².

    Coordinate by coordinate, then all together where they have one sign: strongly coupled sites hardly
    move one at a time. From and into ``z``.
    """
    number = len(b)
    for _ in range(3):
        for k in range(number):
            top, bottom = b[k], a[k]
            if k > 0:
                top += coupling[k - 1] * z[k - 1]
                bottom += coupling[k - 1]
            if k < number - 1:
                top += coupling[k] * z[k + 1]
                bottom += coupling[k]
            z[k] = soft(top, l1) / bottom
        low, high, pull, curvature = np.inf, -np.inf, 0.0, 0.0
        for k in range(number):
            low, high = min(low, z[k]), max(high, z[k])
            pull += b[k] - a[k] * z[k]
            curvature += a[k]
        shift = 0.0
        if low >= 0.0 and (high > 0.0 or pull > number * l1):
            shift = max((pull - number * l1) / curvature, -low)
        elif high <= 0.0 and (low < 0.0 or pull < -number * l1):
            shift = min((pull + number * l1) / curvature, -high)
        for k in range(number):
            z[k] += shift


@njit(cache=True)
def prox_group(u, l1, l2, out):
    """:func:`group_block` with a = 1 for every column of ``u``, shape (K, n)."""
    ones = np.ones(u.shape[0])
    b, z = np.empty(u.shape[0]), np.empty(u.shape[0])
    for entry in range(u.shape[1]):
        b[:] = u[:, entry]
        group_block(b, ones, l1, l2, z)
        out[:, entry] = z


@njit(cache=True)
def prox_fused(u, l1, l2, out):
    """:func:`fused_block` for every column of ``u``, shape (K, n)."""
    number = u.shape[0]
    order, sums, counts = np.arange(number), np.empty(number), np.empty(number, np.int64)
    b, z = np.empty(number), np.empty(number)
    for entry in range(u.shape[1]):
        b[:] = u[:, entry]
        fused_block(b, l1, l2, z, order, sums, counts)
        out[:, entry] = z


@njit(cache=True)
def sweep(z, gradient, quadratic, bend, slope, rho, l1, l2, kind, coupling, most, tolerance):
    """Block coordinate descent on a model of the loss under a penalty; returns the number of sweeps.

    The model around the z that comes in: the quadratic loss with ``quadratic`` Σ_k, shape (K, d, d), plus
    ½ ``bend`` (z − z₀)² entry by entry, plus ½ rho (Σ slope (z − z₀))² site by site. All but the last three
    are [site, j, i]; ``gradient`` is the model's without its last term, kept up to date. ``coupling``: as of
    :func:`chain_block`. Ends after ``most`` sweeps or when nothing moves by more than ``tolerance``/√a.
    """
    number, d = z.shape[0], z.shape[1]
    moved_along = np.zeros(number)
    a, b, new, u = np.empty(number), np.empty(number), np.empty(number), np.empty(number)
    old = np.empty(number)
    order, sums, counts = np.arange(number), np.empty(number), np.empty(number, np.int64)
    for done in range(most):
        largest = 0.0
        for j in range(d):
            for i in range(d):
                if i == j:
                    continue
                zero, pull, steepest = True, 0.0, 0.0
                for k in range(number):
                    now, along = z[k, j, i], slope[k, j, i]
                    a[k] = quadratic[k, i, i] + bend[k, j, i] + rho * along * along
                    b[k] = a[k] * now - gradient[k, j, i] - rho * moved_along[k] * along
                    new[k] = now
                    zero = zero and now == 0.0
                    pull, steepest = max(pull, abs(b[k])), max(steepest, a[k])
                if zero and pull <= l1:
                    continue
                if kind == GROUP:
                    group_block(b, a, l1, l2, new)
                elif kind == FUSED:
                    # One curvature for all sites bounds the model from above; a few such steps, or fewer
                    # where they hardly move.
                    for _ in range(5):
                        for k in range(number):
                            old[k] = new[k]
                            u[k] = new[k] + (b[k] - a[k] * new[k]) / steepest
                        fused_block(u, l1 / steepest, l2 / steepest, new, order, sums, counts)
                        moved = 0.0
                        for k in range(number):
                            moved = max(moved, abs(new[k] - old[k]))
                        if moved * np.sqrt(steepest) <= 0.1 * tolerance:
                            break
                elif kind == CHAIN:
                    chain_block(b, a, l1, coupling, new)
                else:
                    for k in range(number):
                        new[k] = soft(b[k], l1) / a[k]
                for k in range(number):
                    change = new[k] - z[k, j, i]
                    if change != 0.0:
                        z[k, j, i] = new[k]
                        largest = max(largest, abs(change) * np.sqrt(a[k]))
                        moved_along[k] += slope[k, j, i] * change
                        for m in range(d):
                            gradient[k, j, m] += quadratic[k, i, m] * change
                        gradient[k, j, i] += bend[k, j, i] * change
        if largest <= tolerance:
            return done + 1
    return most
