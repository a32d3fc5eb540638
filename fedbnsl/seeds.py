"""Random generators that depend on what is computed, never on order, cores or machines."""

import hashlib
import numbers

import numpy as np

from fedbnsl.errors import InputError


def sequence(root: int, *key: object) -> np.random.SeedSequence:
    """Seed sequence for one piece of work.

    Parameters
    ----------
    root : int
        The root seed (``seed`` in config.yaml), non-negative.
    *key
        What the work is: strings, numbers, None, tuples of those. Two different keys give independent
        streams; the same key gives the same stream on every machine. A NumPy number is the Python
        number it equals, a list the tuple.

    Returns
    -------
    numpy.random.SeedSequence

    Raises
    ------
    InputError
        If the root is no whole number or is negative.
    TypeError
        If a part of the key is anything else: its text might hold an address or follow hash order.
    """
    root = checked_seed(root)
    digest = hashlib.sha256("\x1f".join(_text(part) for part in key).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.SeedSequence([root, *words])


def generator(root: int, *key: object) -> np.random.Generator:
    """NumPy generator (PCG64) for one piece of work; see :func:`sequence`."""
    return np.random.default_rng(sequence(root, *key))


def derived_seed(root: int, *key: object) -> int:
    """A seed below 2³² for one piece of work, for functions that take an integer."""
    return int(sequence(root, *key).generate_state(1)[0])


def checked_seed(seed: object) -> int:
    """``seed`` as a Python int; InputError unless it is a whole number of 0 or more."""
    if not isinstance(seed, numbers.Integral) or seed < 0:
        raise InputError(f"the seed must be a whole number, 0 or larger, not {seed!r}")
    return int(seed)


def run_seed(seed: object, secret: bool, where: str) -> int | None:
    """The seed of a run: 0 where none is given; None where the operating system gives the randomness.

    Raises
    ------
    InputError
        If it is no whole number of 0 or more, or one is given although the run is to be secret.
    """
    if not secret:
        return checked_seed(0 if seed is None else seed)
    if seed is not None:
        raise InputError(
            f"mode='secure' takes no seed, but {seed!r} is given: who knows the seed can subtract the noise",
            where=where,
            remedy="Leave the seed out, or use mode='research', whose results are not private",
        )
    return None


def _text(part: object) -> str:
    """Text that differs between different parts; strings are quoted and escaped."""
    if isinstance(part, np.generic):
        part = part.item()
    if isinstance(part, tuple | list):
        return f"({','.join(_text(member) for member in part)})"
    if part is None or isinstance(part, str | int | float):
        return repr(part)
    raise TypeError(f"a {type(part).__name__} cannot be part of what a random stream is for")
