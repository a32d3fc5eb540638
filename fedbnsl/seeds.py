"""Random generators that depend on what is computed, never on order, cores or machines."""

import hashlib

import numpy as np


def sequence(root: int, *key: object) -> np.random.SeedSequence:
    """Seed sequence for one piece of work.

    Parameters
    ----------
    root : int
        The root seed (``seed`` in config.yaml), non-negative.
    *key
        What the work is: strings, integers, tuples of those. Two different keys give independent
        streams; the same key gives the same stream on every machine.

    Returns
    -------
    numpy.random.SeedSequence
    """
    if root < 0:
        raise ValueError(f"the root seed must be 0 or larger, not {root}")
    digest = hashlib.sha256("\x1f".join(repr(part) for part in key).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.SeedSequence([root, *words])


def generator(root: int, *key: object) -> np.random.Generator:
    """NumPy generator (PCG64) for one piece of work; see :func:`sequence`."""
    return np.random.default_rng(sequence(root, *key))
