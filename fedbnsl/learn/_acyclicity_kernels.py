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
    How large a term is, is told by its row sums, which follow from those of the term before.
    """
    d = a.shape[0]
    first = np.zeros(d + 1, np.int64)
    columns, values = np.empty(a.size, np.int64), np.empty(a.size)
    sums, following_sums = np.zeros(d), np.empty(d)
    count, total = 0, 0.0
    for i in range(d):
        for j in range(d):
            f[i, j] = term[i, j] = a[i, j]
            if a[i, j] != 0.0:
                columns[count], values[count] = j, a[i, j]
                count += 1
                sums[i] += a[i, j]
        total += sums[i]
        first[i + 1] = count
    for k in range(2, 80):
        added = 0.0
        for i in range(d):
            for j in range(d):
                following[i, j] = 0.0
            following_sums[i] = 0.0
            for entry in range(first[i], first[i + 1]):
                j, scaled = columns[entry], values[entry] / k
                following_sums[i] += scaled * sums[j]
                for other in range(d):
                    following[i, other] += scaled * term[j, other]
            for j in range(d):
                f[i, j] += following[i, j]
            added += following_sums[i]
        total += added
        if added <= 1e-18 * total:
            return True
        if not np.isfinite(total):
            return False
        term, following = following, term
        sums, following_sums = following_sums, sums
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


@njit(cache=True)
def strong_components(pattern):
    """Strongly connected components of a (d, d) boolean adjacency: (number of each node, their count)."""
    d = pattern.shape[0]
    component = np.full(d, -1)
    index, low, cursor = np.full(d, -1), np.zeros(d, np.int64), np.zeros(d, np.int64)
    path, waiting = np.empty(d, np.int64), np.empty(d, np.int64)
    seen, count, n_waiting = 0, 0, 0
    for root in range(d):
        if index[root] >= 0:
            continue
        depth = 0
        path[0] = root
        while depth >= 0:
            node = path[depth]
            if index[node] < 0:
                index[node] = low[node] = seen
                seen += 1
                waiting[n_waiting] = node
                n_waiting += 1
            descended = False
            while cursor[node] < d:
                other = cursor[node]
                if pattern[node, other] and component[other] < 0:
                    if index[other] < 0:
                        depth += 1
                        path[depth] = other
                        descended = True
                        break  # the cursor stays: on return the other's low is taken over
                    low[node] = min(low[node], low[other])
                cursor[node] += 1
            if descended:
                continue
            if low[node] == index[node]:
                while True:
                    n_waiting -= 1
                    component[waiting[n_waiting]] = count
                    if waiting[n_waiting] == node:
                        break
                count += 1
            depth -= 1
    return component, count


@njit(cache=True)
def cyclic_edges(pattern):
    """The edges of a (d, d) boolean adjacency that lie on directed cycles, loops included.

    Returns flat arrays (source, target, offset): the edges are grouped by strongly connected component,
    and those of group g are ``offset[g]:offset[g + 1]``.
    """
    d = pattern.shape[0]
    component, count = strong_components(pattern)
    sizes = np.zeros(count + 1, np.int64)
    for i in range(d):
        for j in range(d):
            if pattern[i, j] and component[i] == component[j]:
                sizes[component[i] + 1] += 1
    groups = 0
    offset, place = np.zeros(count + 1, np.int64), np.zeros(count, np.int64)
    for c in range(count):
        if sizes[c + 1]:
            place[c] = offset[groups]
            offset[groups + 1] = offset[groups] + sizes[c + 1]
            groups += 1
    sources, targets = np.empty(offset[groups], np.int64), np.empty(offset[groups], np.int64)
    for i in range(d):
        for j in range(d):
            if pattern[i, j] and component[i] == component[j]:
                sources[place[component[i]]], targets[place[component[i]]] = i, j
                place[component[i]] += 1
    return sources, targets, offset[: groups + 1]


@njit(cache=True)
def local_numbers(sources, targets, offset, d):
    """Number the nodes of every group of edges 0, 1, …: (sources, targets, size of each group)."""
    number = np.full(d, -1)
    rows, columns = np.empty_like(sources), np.empty_like(targets)
    sizes = np.zeros(len(offset) - 1, np.int64)
    for g in range(len(offset) - 1):
        for q in range(offset[g], offset[g + 1]):
            if number[sources[q]] < 0:
                number[sources[q]] = sizes[g]
                sizes[g] += 1
        for q in range(offset[g], offset[g + 1]):
            # Every node of a strongly connected group is the source of an edge.
            rows[q], columns[q] = number[sources[q]], number[targets[q]]
    return rows, columns, sizes


@njit(cache=True)
def exponential_on_edges(w, rows, columns, offset, sizes, buffer, exponential):
    """h of the weights ``w`` of cyclic edges; (e^{W∘W})_ji of every edge i → j into ``exponential``.

    With F = e^{W∘W/2} − I, half the exponent and so a shorter series, e^{W∘W} = (I + F)², needed at
    the edges and the diagonal only. All terms are ≥ 0. Returns +inf on overflow. ``buffer`` is scratch
    of shape (8, largest size squared).
    """
    h = 0.0
    for g in range(len(sizes)):
        n = sizes[g]
        flat = buffer.reshape(buffer.size)
        root = flat[: n * n].reshape((n, n))
        f = flat[n * n : 2 * n * n].reshape((n, n))
        turned = flat[2 * n * n : 3 * n * n].reshape((n, n))
        work = flat[3 * n * n : 8 * n * n].reshape((5, n, n))
        for i in range(n):
            for j in range(n):
                root[i, j] = 0.0
        for q in range(offset[g], offset[g + 1]):
            root[rows[q], columns[q]] = w[q] * 0.7071067811865476
        if not expm_minus_identity(root, f, work):
            return np.inf
        for i in range(n):
            for j in range(n):
                turned[j, i] = f[i, j]
        for i in range(n):
            h += 2.0 * f[i, i] + inner(f[i], turned[i])
        for q in range(offset[g], offset[g + 1]):
            i, j = rows[q], columns[q]
            exponential[q] = 2.0 * f[j, i] + inner(f[j], turned[i])
            if i == j:
                exponential[q] += 1.0
    return h if np.isfinite(h) else np.inf


@njit(cache=True)
def minimise_on_cycles(start, target, curvature, alpha, rho, f_tolerance, g_tolerance, iterations):
    """Minimise α h(W) + ρ/2 h(W)² + c/2 ‖W − V‖², c = ``curvature``, V = ``target``, from ``start``.

    Only edges on cycles of V are searched, as one vector; elsewhere W = V. L-BFGS with memory 10, middle
    matrix 1/(c + 2(α + ρh) (e^{W∘W})_ji) renewed every iteration, Armijo backtracking with quadratic
    interpolation (an overflow counts as +inf). Stops like :func:`minimise`.

    Returns (W, h(W), iterations done, evaluations of h).
    """
    d = start.shape[0]
    result = target.copy()
    sources, targets, offset = cyclic_edges(target != 0.0)
    rows, columns, sizes = local_numbers(sources, targets, offset, d)
    size = len(sources)
    if size == 0:
        return result, 0.0, 0, 0
    largest = 0
    for n in sizes:
        largest = max(largest, n)
    buffer = np.empty((8, largest * largest))
    goal, now, trial = np.empty(size), np.empty(size), np.empty(size)
    exponential, trial_exponential = np.empty(size), np.empty(size)
    gradient, trial_gradient = np.empty(size), np.empty(size)
    direction = np.empty(size)
    steps, changes = np.zeros((_MEMORY, size)), np.zeros((_MEMORY, size))
    curvatures, factors = np.zeros(_MEMORY), np.zeros(_MEMORY)
    stored, newest = 0, 0
    for q in range(size):
        goal[q] = target[sources[q], targets[q]]
        now[q] = start[sources[q], targets[q]]
    h = exponential_on_edges(now, rows, columns, offset, sizes, buffer, exponential)
    evaluations = 1
    if not np.isfinite(h + rho * h * h):
        for q in range(size):
            now[q] = 0.0
        h = exponential_on_edges(now, rows, columns, offset, sizes, buffer, exponential)
        evaluations += 1
    value = alpha * h + 0.5 * rho * h * h
    for q in range(size):
        value += 0.5 * curvature * (now[q] - goal[q]) ** 2
        gradient[q] = 2.0 * (alpha + rho * h) * exponential[q] * now[q] + curvature * (now[q] - goal[q])
    done = 0
    while done < iterations and np.max(np.abs(gradient)) > g_tolerance:
        done += 1
        fresh = stored == 0
        for q in range(size):
            direction[q] = gradient[q]
        for back in range(stored):
            k = (newest - 1 - back) % _MEMORY
            factors[k] = inner(steps[k], direction) / curvatures[k]
            for q in range(size):
                direction[q] -= factors[k] * changes[k, q]
        for q in range(size):
            direction[q] /= curvature + 2.0 * (alpha + rho * h) * exponential[q]
        for back in range(stored - 1, -1, -1):
            k = (newest - 1 - back) % _MEMORY
            other = factors[k] - inner(changes[k], direction) / curvatures[k]
            for q in range(size):
                direction[q] += other * steps[k, q]
        slope = -inner(gradient, direction)
        step, before, accepted, trial_h = 1.0, value, False, h
        for _ in range(60):
            for q in range(size):
                trial[q] = now[q] - step * direction[q]
            trial_h = exponential_on_edges(trial, rows, columns, offset, sizes, buffer, trial_exponential)
            evaluations += 1
            value = alpha * trial_h + 0.5 * rho * trial_h * trial_h
            for q in range(size):
                value += 0.5 * curvature * (trial[q] - goal[q]) ** 2
            accepted = value <= before + 1e-4 * step * slope
            if accepted:
                break
            shrink = 0.1
            if np.isfinite(value):
                shrink = min(max(-0.5 * step * slope / (value - before - step * slope), 0.1), 0.5)
            step *= shrink
        if accepted:
            k = newest % _MEMORY
            h = trial_h
            for q in range(size):
                trial_gradient[q] = 2.0 * (alpha + rho * h) * trial_exponential[q] * trial[q] + curvature * (
                    trial[q] - goal[q]
                )
                steps[k, q] = trial[q] - now[q]
                changes[k, q] = trial_gradient[q] - gradient[q]
            curvatures[k] = inner(steps[k], changes[k])
            if curvatures[k] > 1e-12 * inner(changes[k], changes[k]):
                newest += 1
                stored = min(stored + 1, _MEMORY)
            now, trial = trial, now
            gradient, trial_gradient = trial_gradient, gradient
            exponential, trial_exponential = trial_exponential, exponential
        else:
            value = before
        if before - value <= f_tolerance * max(abs(before), abs(value), 1.0):
            if fresh:
                break
            stored = 0
    for q in range(size):
        result[sources[q], targets[q]] = now[q]
    return result, h, done, evaluations
