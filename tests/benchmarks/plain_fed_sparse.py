"""Fed-Sparse-BNSL in plain NumPy and SciPy, as one would write it down: for bench_federated.py."""

import numpy as np
import scipy.linalg
import scipy.optimize


def soft(x, by):
    """x moved towards 0 by ``by``."""
    return np.sign(x) * np.maximum(np.abs(x) - by, 0.0)


def local_step(sigma, linear, b, l1, gamma, updates, diagonal):
    """Greedy updates with ρ₂ = 1: the gradient is carried along, all scores are computed anew."""
    d = len(b)
    g = sigma @ (b - np.eye(d)) + linear + b
    m = np.repeat(np.diag(sigma)[:, None] + 1.0, d, axis=1)
    roots = np.sqrt(m)
    for _ in range(updates):
        scores = roots * np.abs(soft(b - g / m, l1 / m) - b)
        if not diagonal:
            np.fill_diagonal(scores, -1.0)
        i, j = np.unravel_index(np.argmax(scores), scores.shape)
        change = soft(b[i, j] - gamma * g[i, j] / m[i, j], gamma * l1 / m[i, j]) - b[i, j]
        b[i, j] += change
        g[:, j] += change * sigma[:, i]
        g[i, j] += change
    return b


def global_step(w, target, curvature, alpha, rho):
    """SciPy's L-BFGS-B with a dense matrix exponential; returns (W, h)."""
    d = len(w)

    def objective(x):
        w = x.reshape(d, d)
        with np.errstate(over="ignore", invalid="ignore"):
            exponential = scipy.linalg.expm(w * w)
        h = np.trace(exponential) - d
        if not np.isfinite(h):
            return np.inf, np.zeros_like(x)
        gap = w - target
        value = alpha * h + rho / 2 * h * h + curvature / 2 * np.sum(gap * gap)
        return value, ((alpha + rho * h) * 2 * exponential.T * w + curvature * gap).ravel()

    start = np.where(target != 0, w, 0.0).ravel()
    found = scipy.optimize.minimize(objective, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-7})
    w = found.x.reshape(d, d)
    return w, np.trace(scipy.linalg.expm(w * w)) - d


def fed_sparse(covariances, rounds=100, updates=150, l1=0.1, gamma=1.0, diagonal=False, rho1=(0.1, 1e8)):
    """W after all rounds, with the defaults of the method in this package."""
    sites, d = len(covariances), len(covariances[0])
    w, alpha, dual = np.zeros((d, d)), 0.0, np.zeros((sites, d, d))
    b = np.zeros((sites, d, d))
    for rho in np.geomspace(*rho1, rounds):
        for p, sigma in enumerate(covariances):
            b[p] = local_step(sigma, dual[p] - w, b[p], l1, gamma, updates, diagonal)
        w, h = global_step(w, (b + dual).mean(axis=0), float(sites), alpha, rho)
        alpha += rho * h
        dual += b - w
    return w
