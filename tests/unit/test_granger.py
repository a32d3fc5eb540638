"""Granger causality against statsmodels, and on a process whose causes are known."""

import numpy as np
import pytest

from fedbnsl.errors import InputError
from fedbnsl.learn.granger import granger


def process(volumes, seed, coefficient=0.6):
    """x → y with one volume of delay; z alone."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((volumes, 3))
    for t in range(1, volumes):
        values[t, 1] += coefficient * values[t - 1, 0]
        values[t, 2] += 0.5 * values[t - 1, 2]
    return values


@pytest.mark.parametrize("lags", [1, 2, 3])
def test_one_series_agrees_with_statsmodels(lags):
    from statsmodels.tsa.api import VAR

    values = process(80, 1)
    fitted = VAR(values).fit(lags, trend="c")
    found = granger([values], lags)
    for i in range(3):
        for j in range(3):
            if i != j:
                wanted = fitted.test_causality(f"y{j + 1}", f"y{i + 1}", kind="f").test_statistic
                assert found[i, j] == pytest.approx(wanted, rel=1e-8)
    assert (np.diag(found) == 0).all()


def test_the_cause_is_found_and_its_direction():
    found = granger([process(200, seed) for seed in range(3)])
    assert found.argmax() == 1  # x → y
    assert found[0, 1] > 100
    assert found[1, 0] < 10


def test_no_volume_is_predicted_from_another_recording():
    """Joined end to end, the last volumes of one recording would explain the first of the next."""
    first, second = process(30, 1), process(30, 2) + 50  # another mean
    apart = granger([first, second])
    np.testing.assert_allclose(apart, granger([second, first]))
    np.testing.assert_allclose(apart, granger([first, second - 50]))
    by_hand = []
    for values in (first, second):
        past, present = values[:-1] - values[:-1].mean(axis=0), values[1:] - values[1:].mean(axis=0)
        by_hand.append((past, present))
    x, y = (np.concatenate(part) for part in zip(*by_hand, strict=True))
    slope = np.linalg.lstsq(x, y, rcond=None)[0]
    rest = ((y - x @ slope) ** 2).sum(axis=0) / (58 - 3 - 2)
    t = slope[0, 1] / np.sqrt(rest[1] * np.linalg.inv(x.T @ x)[0, 0])
    assert apart[0, 1] == pytest.approx(t**2)


def test_too_few_rows_are_told():
    with pytest.raises(InputError, match="5 rows with a past do not suffice for 6 coefficients"):
        granger([process(7, 1)], 2)
    with pytest.raises(InputError, match="lags must be 1 or more"):
        granger([process(7, 1)], 0)


def test_a_constant_column_is_told():
    values = process(30, 1)
    values[:, 1] = 0.1  # the mean of which rounds
    with pytest.raises(InputError, match="column 2: the column has the same value"):
        granger([values, values + 1.0], 2)
