"""What a site has spent of its privacy budget, by which release."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fedbnsl.errors import InputError
from fedbnsl.files import read_json, write_json
from fedbnsl.privacy import accountant
from fedbnsl.privacy.exact_sums import exchange_delta

if TYPE_CHECKING:
    import pandas

MECHANISMS = ("gaussian", "noisy-max", "laplace")
#: Currencies of a ledger: ρ by either conversion, or μ² where all releases are Gaussian.
LEDGER_CONVERSIONS = (*accountant.CONVERSIONS, "gdp")

# A run spends its whole budget in shares whose sum may exceed it by rounding.
_ROUNDING = 1e-9
_RESTORE = "Restore it from a copy: without it nobody knows what these rows have spent"


@dataclass(frozen=True)
class Release:
    """Something computed from the rows that leaves the site with noise.

    Attributes
    ----------
    name : str
        What it is.
    mechanism : {"gaussian", "noisy-max", "laplace"}
        Gaussian noise on numbers; the position of the largest of scores with Gumbel noise of one scale
        added; Laplace noise on one number (or on several, with ℓ1 sensitivity).
    sensitivity : float
        Largest change when one record is replaced: ℓ2 norm of the numbers, or largest score's.
    scale : float
        Standard deviation of Gaussian noise, scale of Gumbel or Laplace noise; same units.
    times : int
        How often it happens, each time with fresh noise.
    variation : float
        Total variation between the noise drawn and rounded Gaussian noise, at most, of all times together:
        see :func:`fedbnsl.privacy.exact_sums.rounding_variation`. A ledger that counts in μ, which holds for
        the latter, sets a part of δ aside for it; one that counts in ρ need not, for ρ is that of the former.
    """

    name: str
    mechanism: str
    sensitivity: float
    scale: float
    times: int = 1
    variation: float = 0.0

    def __post_init__(self):
        if self.mechanism not in MECHANISMS:
            raise InputError(
                f"there is no mechanism {self.mechanism!r}",
                where=f"release {self.name!r}",
                remedy=f"Choose one of: {', '.join(MECHANISMS)}",
            )
        for what in ("sensitivity", "scale"):
            value = getattr(self, what)
            if not (math.isfinite(value) and value > 0):
                raise InputError(
                    f"its {what} must be a finite number above 0, not {value}", where=f"release {self.name!r}"
                )
        if not 0 <= self.variation <= 1:
            raise InputError(
                f"its variation must be between 0 and 1, not {self.variation}",
                where=f"release {self.name!r}",
            )
        if isinstance(self.times, bool) or not isinstance(self.times, int) or self.times < 1:
            raise InputError(
                f"its number of times must be a whole number of 1 or more, not {self.times!r}",
                where=f"release {self.name!r}",
            )

    @property
    def rho(self) -> float:
        """ρ of all times together: Δ² / (2 scale²) each, whatever the mechanism.

        Gaussian: Bun, Steinke 2016, Prop. 1.6. Noisy maximum: Gumbel noise of scale β is the exponential
        mechanism exp(S/β), whose log-probabilities all change within a range of 2Δ/β; a range of η is
        η²/8-zCDP (Cesar, Rogers 2021). It holds for scores that go up and down. Laplace: pure Δ/b-DP,
        which is (Δ/b)²/2-zCDP.
        """
        return self.times * (self.sensitivity / self.scale) ** 2 / 2

    @property
    def mu(self) -> float | None:
        """μ of all times together, √times · Δ / σ; None unless Gaussian."""
        if self.mechanism != "gaussian":
            return None
        return math.sqrt(self.times) * self.sensitivity / self.scale


class Ledger:
    """The account of one site: a budget (ε, δ) for everything computed from its rows, and the releases.

    Parameters
    ----------
    site : str
        Whose rows.
    epsilon, delta : float
        The budget of all releases together, in all runs.
    conversion : {"cks", "paper", "gdp"}
        How releases add up: see :mod:`fedbnsl.privacy.accountant`. ``gdp`` takes Gaussian releases only.
    """

    def __init__(self, site: str, epsilon: float, delta: float, conversion: str = "cks"):
        if conversion not in LEDGER_CONVERSIONS:
            raise InputError(
                f"there is no conversion {conversion!r}",
                where=f"ledger of {site}",
                remedy=f"Choose one of: {', '.join(LEDGER_CONVERSIONS)}",
            )
        self.site, self.epsilon, self.delta, self.conversion = site, epsilon, delta, conversion
        self.releases: list[Release] = []
        if conversion == "gdp":
            self._budget = accountant.gdp_budget(epsilon, delta) ** 2
        else:
            self._budget = accountant.zcdp_budget(epsilon, delta, conversion)

    @property
    def budget(self) -> float:
        """What there is to spend: ρ*, or μ² for ``gdp``, at the δ that rounding leaves there."""
        return self._budget_beside(self.releases)

    @property
    def spent(self) -> float:
        """What is spent, in the same units as :attr:`budget`."""
        return math.fsum(self._cost(release) for release in self.releases)

    @property
    def epsilon_spent(self) -> float:
        """ε of all releases so far at the ledger's δ; 0 without any."""
        spent = self.spent
        if spent == 0:
            return 0.0
        if self.conversion == "gdp":
            return accountant.gdp_epsilon(math.sqrt(spent), self._delta_beside(self.releases))
        return accountant.zcdp_epsilon(spent, self.delta, self.conversion)

    def spend(self, *releases: Release) -> None:
        """Enter releases, all or none; call it before they are made.

        Raises
        ------
        InputError
            If they are more than what is left of the budget, or are not Gaussian in a ``gdp`` ledger.
        """
        wanted = math.fsum(self._cost(release) for release in releases)
        spent = self.spent
        if spent + wanted > self._budget_beside([*self.releases, *releases]) * (1 + _ROUNDING):
            names = ", ".join(dict.fromkeys(release.name for release in releases))
            raise InputError(
                f"{names}: not enough is left of the privacy budget ε = {self.epsilon:g}, "
                f"δ = {self.delta:g} ({spent / self.budget:.0%} is spent, this takes "
                f"{wanted / self.budget:.0%})",
                where=f"ledger of {self.site}",
                remedy="Ask for a smaller epsilon, or agree on a larger budget before looking at any result",
            )
        self.releases.extend(releases)

    def rows(self) -> pandas.DataFrame:
        """One row a release: what it is, its noise, its ρ and μ, and its share of the budget."""
        import pandas

        columns = ["site", "release", "mechanism", "sensitivity", "scale", "times", "rho", "mu", "share"]
        return pandas.DataFrame(
            [
                (
                    self.site,
                    one.name,
                    one.mechanism,
                    one.sensitivity,
                    one.scale,
                    one.times,
                    one.rho,
                    math.nan if one.mu is None else one.mu,
                    self._cost(one) / self.budget,
                )
                for one in self.releases
            ],
            columns=columns,
        )

    def save(self, path: Path | str) -> None:
        """Write the ledger as JSON."""
        write_json(path, self.to_dict())

    def to_dict(self) -> dict:
        """The ledger in plain types, as in its file."""
        return {
            "site": self.site,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "conversion": self.conversion,
            "releases": [
                {key: value for key, value in asdict(release).items() if key != "variation" or value}
                for release in self.releases
            ],
        }

    @classmethod
    def load(cls, path: Path | str) -> Ledger:
        """Read a ledger that :meth:`save` wrote.

        Raises
        ------
        InputError
            If the file is damaged, is no ledger, or holds more than its budget.
        """
        try:
            content = read_json(path)
            ledger = cls(content["site"], content["epsilon"], content["delta"], content["conversion"])
            ledger.spend(*(Release(**release) for release in content["releases"]))
        except InputError as error:
            raise InputError(error.problem, where=str(path), remedy=_RESTORE) from None
        except (KeyError, TypeError) as error:
            raise InputError(f"the file is no ledger ({error})", where=str(path), remedy=_RESTORE) from None
        return ledger

    def _budget_beside(self, releases: Sequence[Release]) -> float:
        if self.conversion != "gdp" or not any(release.variation for release in releases):
            return self._budget
        delta = self._delta_beside(releases)
        return accountant.gdp_budget(self.epsilon, delta) ** 2 if delta > 0 else 0.0

    def _delta_beside(self, releases: Sequence[Release]) -> float:
        """What the rounding of the noise of these leaves of δ, at the ledger's ε, which is the largest."""
        return self.delta - exchange_delta((one.variation for one in releases), self.epsilon)

    def _cost(self, release: Release) -> float:
        if self.conversion != "gdp":
            return release.rho
        if release.mu is None:
            raise InputError(
                f"{release.name}: a {release.mechanism} release cannot be accounted as Gaussian",
                where=f"ledger of {self.site}",
                remedy="Use a ledger with the conversion cks",
            )
        return release.mu**2
