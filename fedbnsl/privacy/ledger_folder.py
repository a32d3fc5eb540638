"""The folder with the ledgers of all sites, in which every private run is entered before it starts."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fedbnsl.errors import InputError
from fedbnsl.privacy.ledger import Ledger

_LOCK = ".lock"


def enter(folder: Path, ledgers: Sequence[Ledger]) -> list[Ledger]:
    """Add what a run is about to release to the sites' ledgers in ``folder``, for all sites or for none.

    The folder is locked meanwhile, so that runs at the same time do not spend the same budget.

    Parameters
    ----------
    folder : Path
        ``<label>.json`` for every site; a missing one is made, with the run's own budget.
    ledgers : sequence of Ledger
        Of the run.

    Returns
    -------
    list of Ledger
        The sites' ledgers as they are in the folder now.

    Raises
    ------
    InputError
        If the run is not private, labels repeat, a ledger is a link, or a site's budget does not allow the
        run.

    Warns
    -----
    UserWarning
        If a ledger is made in a folder that has others: was a site renamed, or a file lost?
    """
    if not ledgers:
        raise InputError(
            "the run has nothing to enter in a ledger: its method or options promise no privacy",
            remedy="Leave ledger out, or choose a private method in its sound form",
        )
    paths = [folder / f"{re.sub(r'[^0-9A-Za-z._-]+', '_', own.site)}.json" for own in ledgers]
    for place, path in enumerate(paths):
        if path in paths[:place]:
            raise InputError(
                f"two sites would share the ledger {path.name}",
                where=ledgers[place].site,
                remedy="Give every site a label of its own",
            )
        if path.is_symlink():
            # writing would put a file in its place, and what it led to would not hear of this run
            raise InputError(
                "this ledger is a link to another",
                where=str(path),
                remedy=f"Give the folder of the ledger itself, {path.resolve().parent}",
            )
    with _locked(folder):
        others = any(not path.name.startswith(".") for path in folder.iterdir())
        missing = [path for path in paths if not path.exists()]
        kept = _added(paths, ledgers)
        for path, known in zip(paths, kept, strict=True):
            known.save(path)
    for path in missing if others else ():
        warnings.warn(f"{path}: a new ledger is begun, as if nothing had been spent here", stacklevel=3)
    return kept


def _added(paths: Sequence[Path], ledgers: Sequence[Ledger]) -> list[Ledger]:
    """The ledgers of the files, with those of a run entered; nothing is written."""
    kept = []
    for path, own in zip(paths, ledgers, strict=True):
        if path.exists():
            known = Ledger.load(path)
        else:
            known = Ledger(own.site, own.epsilon, own.delta, own.conversion)
        if known.site != own.site:
            raise InputError(
                f"this is the ledger of {known.site!r}, not of {own.site!r}",
                where=str(path),
                remedy="Keep the ledgers of different federations in different folders",
            )
        known.spend(*own.releases)
        kept.append(known)
    return kept


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Nobody else who asks for it has the folder meanwhile; the lock ends with its process at the latest."""
    import fcntl  # not on Windows, where only ledgers need it

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
