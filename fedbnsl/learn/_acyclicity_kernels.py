"""Compiled kernels of the acyclicity function h(W) = tr e^{W∘W} − d and of minimising under it.

Written as loops over flat arrays with few array expressions: these take long to compile.
"""

import numpy as np
from numba import njit

# Taylor degree 16 at 1-norm ≤ 1: the remainder is below 1/17! ≈ 3e-15 of the result.
_TAYLOR = np.array([1.0 / float(np.prod(np.arange(1.0, k + 1))) for k in range(17)])
_MEMORY = 10


@njit(cache=True)
def multiply(a, b, out):
    """out = a b for (d, d) matrices."""
    np.dot(a, b, out)


@njit(cache=True)
def inner(x, y):
    """Σ xᵢ yᵢ of flat arrays."""
    return np.dot(x, y)


@njit(cache=True)
def sparse_expm_minus_identity(a, f, term, following):
    """e^A − I into ``f`` for a sparse A ≥ 0 as its Taylor series; returns False if that is long.

    The series stops when a term is below 1e-18 of the sum; for a DAG it ends by itself, with trace 0.
    """
    d = a.shape[0]
    first = np.zeros(d + 1, np.int64)
    columns, values = np.empty(a.size, np.int64), np.empty(a.size)
    count, total = 0, 0.0
    for i in range(d):
        for j in range(d):
            f[i, j] = term[i, j] = a[i, j]
            if a[i, j] != 0.0:
                columns[count], values[count] = j, a[i, j]
                count += 1
                total += a[i, j]
        first[i + 1] = count
    for k in range(2, 80):
        added = 0.0
        for i in range(d):
            for j in range(d):
                following[i, j] = 0.0
            for entry in range(first[i], first[i + 1]):
                j, scaled = columns[entry], values[entry] / k
                for other in range(d):
                    following[i, other] += scaled * term[j, other]
            for j in range(d):
                f[i, j] += following[i, j]
                added += following[i, j]
        total += added
        if added <= 1e-18 * total:
            return True
        if not np.isfinite(total):
            return False
        term, following = following, term
    return False


@njit(cache=True)
def expm_minus_identity(w, f, work):
    """e^{W∘W} − I into ``f``; returns False on overflow (``f`` is then undefined).

    A sparse W by its Taylor series; else scaling and squaring with a Paterson–Stockmeyer polynomial.
    All terms are ≥ 0 and the identity is left out (squaring: F ← 2F + F²), so nothing cancels and small
    traces keep their digits. ``work`` is scratch, shape (5, d, d).
    """
    d = w.shape[0]
    power1, power2, power3, power4, other = work[0], work[1], work[2], work[3], work[4]
    norm, filled = 0.0, 0
    for j in range(d):
        column = 0.0
        for i in range(d):
            power1[i, j] = w[i, j] * w[i, j]
            column += power1[i, j]
            if w[i, j] != 0.0:
                filled += 1
        norm = max(norm, column)
        if not norm + column < 2.0**64:
            return False
    if 8 * filled <= d * d and sparse_expm_minus_identity(power1, f, power2, power3):
        return True
    squarings = 0
    scale = 1.0
    while norm * scale > 1.0:
        scale *= 0.5
        squarings += 1
    for i in range(d):
        for j in range(d):
            power1[i, j] *= scale
    multiply(power1, power1, power2)
    multiply(power2, power1, power3)
    multiply(power2, power2, power4)
    # Horner in the fourth power, four coefficients a time; the last time without the constant term.
    for i in range(d):
        for j in range(d):
            other[i, j] = _TAYLOR[16] * power4[i, j]
    for block in (12, 8, 4, 0):
        for i in range(d):
            for j in range(d):
                f[i, j] = (
                    other[i, j]
                    + _TAYLOR[block + 3] * power3[i, j]
                    + _TAYLOR[block + 2] * power2[i, j]
                    + _TAYLOR[block + 1] * power1[i, j]
                )
            if block:
                f[i, i] += _TAYLOR[block]
        if block:
            multiply(f, power4, other)
    for _ in range(squarings):
        multiply(f, f, other)
        total = 0.0
        for i in range(d):
            for j in range(d):
                f[i, j] = 2.0 * f[i, j] + other[i, j]
                total += f[i, j]
        if not np.isfinite(total):
            return False
    return True


@njit(cache=True)
def objective(w, target, quadratic, alpha, rho, l1, gradient, exponential, work):
    """½ tr((W−V)ᵀ Q (W−V)) + α h(W) + ρ/2 h(W)² + l1·‖W‖₁, V = ``target``; returns (value, h).

    Fills ``gradient`` (of all but the last term) and ``exponential`` = (e^{W∘W})ᵀ. On overflow returns
    (+inf, +inf), and neither is valid. ``work`` is scratch, shape (5, d, d).
    """
    d = w.shape[0]
    if not expm_minus_identity(w, exponential, work):
        return np.inf, np.inf
    difference, product = work[0], work[1]
    h, norm = 0.0, 0.0
    for i in range(d):
        h += exponential[i, i]
        for j in range(d):
            norm += abs(w[i, j])
            difference[i, j] = w[i, j] - target[i, j]
    multiply(quadratic, difference, product)
    slope = 2.0 * (alpha + rho * h)
    value = 0.0
    for i in range(d):
        exponential[i, i] += 1.0
        for j in range(i):
            exponential[i, j], exponential[j, i] = exponential[j, i], exponential[i, j]
    for i in range(d):
        for j in range(d):
            value += difference[i, j] * product[i, j]
            gradient[i, j] = product[i, j] + slope * exponential[i, j] * w[i, j]
    value = 0.5 * value + alpha * h + 0.5 * rho * h * h + l1 * norm
    if not np.isfinite(value):
        return np.inf, np.inf
    return value, h


@njit(cache=True)
def steepest(w, gradient, l1, free, slope):
    """Slope of the objective along its steepest descent (flat arrays), 0 where ``free`` is False.

    At w = 0 the ℓ1 term allows movement only if the gradient exceeds l1. Returns the largest |slope|.
    """
    largest = 0.0
    for i in range(w.size):
        slope[i] = 0.0
        if free[i]:
            if w[i] > 0.0 or (w[i] == 0.0 and gradient[i] < -l1):
                slope[i] = gradient[i] + l1
            elif w[i] < 0.0 or gradient[i] > l1:
                slope[i] = gradient[i] - l1
        largest = max(largest, abs(slope[i]))
    return largest


@njit(cache=True)
def descent(slope, diagonal, steps, changes, curvatures, newest, stored, direction):
    """−H·slope by the two loops of L-BFGS with middle matrix γ/``diagonal``, into ``direction``.

    γ fits the middle matrix to the newest step, as is usual. Entries that would not descend along their
    own slope are set to 0: they may be about to change sign.
    """
    factors = np.zeros(_MEMORY)
    for i in range(slope.size):
        direction[i] = slope[i]
    for back in range(stored):
        k = (newest - 1 - back) % _MEMORY
        factors[k] = inner(steps[k], direction) / curvatures[k]
        for i in range(slope.size):
            direction[i] -= factors[k] * changes[k, i]
    gamma = 1.0
    if stored:
        k, length = (newest - 1) % _MEMORY, 0.0
        for i in range(slope.size):
            length += changes[k, i] * changes[k, i] / diagonal[i]
        gamma = curvatures[k] / length
    for i in range(slope.size):
        direction[i] *= gamma / diagonal[i]
    for back in range(stored - 1, -1, -1):
        k = (newest - 1 - back) % _MEMORY
        factor = factors[k] - inner(changes[k], direction) / curvatures[k]
        for i in range(slope.size):
            direction[i] += factor * steps[k, i]
    for i in range(slope.size):
        direction[i] = -direction[i] if direction[i] * slope[i] > 0.0 else 0.0


@njit(cache=True)
def minimise(start, target, quadratic, alpha, rho, l1, free, f_tolerance, g_tolerance, iterations):
    """Minimise :func:`objective` from ``start``; entries where ``free`` is False stay 0.

    Orthant-wise L-BFGS (Andrew and Gao 2007): memory 10, diagonal middle matrix
    ∝ 1/(Q_ii + 2(α + ρh) (e^{W∘W})_ji) renewed every iteration, Armijo backtracking with quadratic
    interpolation (an overflow counts as +inf). Stops when no slope exceeds ``g_tolerance``, or when even a
    step without memory lowers the objective by no more than ``f_tolerance`` relative to
    max(|objective|, 1).

    Returns (W, h(W), iterations done, evaluations of the objective).
    """
    d = start.shape[0]
    size = d * d
    steps, changes = np.zeros((_MEMORY, size)), np.zeros((_MEMORY, size))
    curvatures = np.zeros(_MEMORY)
    stored, newest = 0, 0
    work = np.empty((5, d, d))
    # Flat views beside the matrices; the two of a pair swap places when a step is taken.
    now, trial = np.zeros(size), np.zeros(size)
    gradient, trial_gradient = np.empty(size), np.empty(size)
    exponential, trial_exponential = np.empty(size), np.empty(size)
    slope, direction, diagonal = np.empty(size), np.empty(size), np.empty(size)
    flat_start, flat_free = start.reshape(size), free.reshape(size)
    square = (d, d)

    value, h, evaluations = np.inf, np.inf, 0
    for attempt in range(2):
        for i in range(size):
            now[i] = flat_start[i] if flat_free[i] and attempt == 0 else 0.0
        value, h = objective(
            now.reshape(square), target, quadratic, alpha, rho, l1,
            gradient.reshape(square), exponential.reshape(square), work,
        )  # fmt: skip
        evaluations += 1
        if np.isfinite(value):
            break  # else begin at W = 0, where nothing overflows

    done = 0
    while done < iterations and steepest(now, gradient, l1, flat_free, slope) > g_tolerance:
        done += 1
        fresh = stored == 0
        for i in range(size):
            diagonal[i] = quadratic[i // d, i // d] + 2.0 * (alpha + rho * h) * exponential[i]
        descent(slope, diagonal, steps, changes, curvatures, newest, stored, direction)

        step, before, trial_h, accepted = 1.0, value, h, False
        for _ in range(60):
            expected = 0.0
            for i in range(size):
                trial[i] = now[i] + step * direction[i]
                side = now[i] if now[i] != 0.0 else -slope[i]
                if trial[i] * side < 0.0:
                    trial[i] = 0.0
                expected += slope[i] * (trial[i] - now[i])
            value, trial_h = objective(
                trial.reshape(square), target, quadratic, alpha, rho, l1,
                trial_gradient.reshape(square), trial_exponential.reshape(square), work,
            )  # fmt: skip
            evaluations += 1
            accepted = value <= before + 1e-4 * expected
            if accepted:
                break
            shrink = 0.1
            if np.isfinite(value):
                shrink = min(max(-0.5 * expected / (value - before - expected), 0.1), 0.5)
            step *= shrink

        if accepted:
            k = newest % _MEMORY
            for i in range(size):
                steps[k, i] = trial[i] - now[i]
                changes[k, i] = trial_gradient[i] - gradient[i]
            curvatures[k] = inner(steps[k], changes[k])
            if curvatures[k] > 1e-12 * inner(changes[k], changes[k]):
                newest += 1
                stored = min(stored + 1, _MEMORY)
            h = trial_h
            now, trial = trial, now
            gradient, trial_gradient = trial_gradient, gradient
            exponential, trial_exponential = trial_exponential, exponential
        else:
            value = before
        if before - value <= f_tolerance * max(abs(before), abs(value), 1.0):
            if fresh:
                break
            stored = 0
    return now.reshape(square), h, done, evaluations
