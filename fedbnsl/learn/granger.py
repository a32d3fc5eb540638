"""Granger causality: which series help to predict which, beyond all others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fedbnsl.errors import InputError


def granger(series: Sequence[np.ndarray], lags: int = 1) -> np.ndarray:
    """F statistic of every pair of variables: does the past of i improve the prediction of j?

    One vector autoregression over all series, each with its own beginning: a volume is predicted from the
    ``lags`` volumes before it in the same series, never from another series. The statistic is that of the
    Wald test that all lags of i have coefficient 0 in the equation of j, given all lags of all other
    variables and of j itself (conditional Granger causality). With one lag it is t², and on one series it
    is what ``statsmodels.tsa.api.VAR(…).fit(lags).test_causality(j, i, kind="f")`` gives.

    Parameters
    ----------
    series : sequence of ndarray, shape (T_k, d)
        Several recordings of the same d variables; each has a mean of its own.
    lags : int, default 1
        Order of the autoregression.

    Returns
    -------
    ndarray, shape (d, d)
        At (i, j): F of i → j, with (lags, rows − coefficients) degrees of freedom; 0 on the diagonal.

    Raises
    ------
    InputError
        If lags is below 1, there are too few rows for the number of coefficients, or a variable is constant
        in every series.

    Source: Granger (1969), Investigating causal relations by econometric models and cross-spectral methods,
    Econometrica 37; in the conditional form of Geweke (1984).
    """
    if lags < 1:
        raise InputError(f"lags must be 1 or more, not {lags}")
    past, present = [], []
    for values in series:
        # a mean of its own: the intercepts of the series drop out of the regression
        blocks = [values[lags - lag : len(values) - lag] for lag in range(lags + 1)]
        centred = [block - block.mean(axis=0) for block in blocks if len(block)]
        if centred:
            present.append(centred[0])
            past.append(np.concatenate(centred[1:], axis=1))
    d = series[0].shape[1]
    rows = sum(len(block) for block in present)
    freedom = rows - lags * d - len(present)
    if freedom < 1:
        raise InputError(
            f"{rows} rows with a past do not suffice for {lags * d} coefficients",
            remedy="Give more volumes, fewer variables, or fewer lags",
        )
    used = [values for values in series if len(values) > lags]
    flat = np.flatnonzero(np.all([(values == values[0]).all(axis=0) for values in used], axis=0))
    if flat.size:
        raise InputError(
            "the column has the same value in all rows of every series, so nothing can follow from it",
            where=f"column {flat[0] + 1}",
            remedy="Leave it out",
        )
    x, y = np.concatenate(past), np.concatenate(present)
    inverse = np.linalg.inv(x.T @ x)
    coefficients = inverse @ (x.T @ y)
    variance = ((y - x @ coefficients) ** 2).sum(axis=0) / freedom
    statistics = np.zeros((d, d))
    for i in range(d):
        own = np.arange(lags) * d + i
        moved = np.linalg.solve(inverse[np.ix_(own, own)], coefficients[own])
        statistics[i] = (coefficients[own] * moved).sum(axis=0) / (lags * variance)
    np.fill_diagonal(statistics, 0.0)
    return statistics
