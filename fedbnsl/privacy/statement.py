"""What a result promises about privacy, written beside it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from fedbnsl.errors import InputError
from fedbnsl.files import write_json

REPLACE_ONE = "replace one record"
MODES = ("research", "secure")


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
    adjacency: str = REPLACE_ONE,
) -> Statement:
    """The statement of a run: private in secure mode unless the method itself has a ``fault``.

    Parameters
    ----------
    mode : {"research", "secure"}
    fault : str or None
        Why the chosen form of the method is not private whatever the randomness; None for a sound form.
    epsilon, delta, public, clipping, adjacency
        See :class:`Statement`.

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
    return Statement(private, reason, epsilon, delta, adjacency, public, clipping, mode)
