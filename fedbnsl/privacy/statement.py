"""What a result promises about privacy, written beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from fedbnsl.errors import InputError
from fedbnsl.files import write_json

REPLACE_ONE = "replace one record"
MODES = ("research", "secure")
#: In secure mode ε is this at most, and δ this over n_p. Larger ones would be called private, and promise
#: little: odds of e²⁰ are no protection, and with δ = .01/n one record in full may leave in one run of 100.
LARGEST_EPSILON, LARGEST_SHARE = 20.0, 0.01
#: What may be said of methods without a statement.
NO_PROMISE = "not private: the method promises nothing about the rows"


def check_promise(options: Mapping[str, object]) -> None:
    """Raise InputError if secure mode refuses ε, or δ whatever the number of rows.

    Methods have it checked with their options, so before any row is read; what depends on the number of rows
    is left to :func:`fedbnsl.privacy.setting.site_deltas`.

    Parameters
    ----------
    options : mapping
        ``mode``, ``epsilon`` and ``delta``, among others.
    """
    epsilon, delta = options["epsilon"], options["delta"]
    if options["mode"] != "secure":
        return
    if epsilon > LARGEST_EPSILON:
        raise InputError(
            f"epsilon = {epsilon:g} is above {LARGEST_EPSILON:g}: such a run protects nobody, and is "
            "not to be called private",
            remedy="Give a smaller epsilon; mode='research' takes any, and is stamped not private",
        )
    if delta is not None and delta > LARGEST_SHARE:
        raise InputError(
            f"delta = {delta:g} is above {LARGEST_SHARE:g}/n for any number of rows n: too likely to lay a "
            "record open to be called private",
            remedy="Leave delta out for 1/n²",
        )


@dataclass(frozen=True)
class Statement:
    """The guarantee of a result, and under which assumptions.

    Attributes
    ----------
    private : bool
        Whether the guarantee holds.
    reason : str
        Why, or why not.
    epsilon, delta : float
        (ε, δ)-DP for every site; the noise was chosen for it even where ``private`` is false.
    adjacency : str
        What may differ between neighbouring data.
    public : str
        What is taken as known to everybody, and so must not be chosen on the rows.
    clipping : str
        What bounds the influence of one record.
    mode : {"research", "secure"}
    """

    private: bool
    reason: str
    epsilon: float
    delta: float
    adjacency: str
    public: str
    clipping: str
    mode: str

    def __post_init__(self):
        if self.mode not in MODES:
            raise InputError(f"there is no mode {self.mode!r}", remedy=f"Choose one of: {', '.join(MODES)}")
        if self.private and self.mode != "secure":
            raise InputError(
                "a run with a known seed is not private: whoever knows the seed can subtract the noise",
                remedy="Use mode='secure', which takes its noise from the operating system",
            )

    @property
    def words(self) -> str:
        """The statement in one line; it begins with ``private`` or ``not private``."""
        budget = f"ε = {self.epsilon:g}, δ = {self.delta:.3g}"
        if not self.private:
            return f"not private: {self.reason} (noise as for {budget})"
        return f"private: {budget} at every site ({self.adjacency}); {self.reason}"

    def accounted(self, recorded: bool) -> Statement:
        """The statement with what its ε covers: this run alone, for runs on the same rows add up."""
        if not self.private:
            return self
        if recorded:
            more = "this run alone; the sites' ledgers hold what all runs have spent"
        else:
            more = "this run alone; spending is not recorded"
        return replace(self, reason=f"{self.reason}; {more}")

    def save(self, path: Path | str) -> None:
        """Write the statement as JSON."""
        write_json(path, asdict(self))


def stamp(
    mode: str,
    fault: str | None,
    *,
    epsilon: float,
    delta: float,
    public: str,
    clipping: str,
) -> Statement:
    """The statement of a run: private in secure mode unless the method itself has a ``fault``.

    Parameters
    ----------
    mode : {"research", "secure"}
    fault : str or None
        Why the chosen form of the method is not private whatever the randomness; None for a sound form.
    epsilon, delta, public, clipping
        See :class:`Statement`; the adjacency is :data:`REPLACE_ONE`.

    Returns
    -------
    Statement
    """
    if fault is not None:
        reason = fault
    elif mode == "research":
        reason = "seed known"
    else:
        reason = "noise from the operating system, fresh for every release, calibrated for every site"
    private = fault is None and mode == "secure"
    return Statement(private, reason, epsilon, delta, REPLACE_ONE, public, clipping, mode)
