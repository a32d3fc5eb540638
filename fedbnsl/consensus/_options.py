"""Options of the pruning, checked one by one and together."""

import math
import re
from collections.abc import Sequence
from numbers import Real

import numpy as np

from fedbnsl.errors import InputError

VARIANTS = ("gmcbc", "mcbnc")
TIES = ("random", "first")
REUSES = ("exact", "stale")
REPORTS = ("g_star", "refused")
K_MAX_LIMIT = 20  # 2^20 subsets an edge

_POSITIVE = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(e-?[0-9]+)?", re.IGNORECASE)


def check_choice(option: str, value: object, allowed: Sequence[str]) -> None:
    """InputError unless the value is one of a few words."""
    if not isinstance(value, str) or value not in allowed:
        raise InputError(f"{option} cannot be {value!r}", remedy=f"Choose one of: {', '.join(allowed)}")


def check_k_max(k_max: object) -> None:
    """InputError unless it is a number of members that H can be chosen from."""
    if not _is_whole(k_max) or not 0 <= k_max <= K_MAX_LIMIT:
        raise InputError(f"k_max cannot be {k_max!r}", remedy=f"Give a whole number from 0 to {K_MAX_LIMIT}")


def check_limit(what: str, number: object) -> None:
    """InputError unless the number is whole and not negative."""
    if not _is_whole(number) or number < 0:
        raise InputError(f"the {what} cannot be {number!r}", remedy="Give a whole number of 0 or more")


def _is_whole(number: object) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def check_time_limit(seconds: object) -> None:
    """InputError unless it is None or a number of seconds."""
    if seconds is None:
        return
    if isinstance(seconds, bool) or not isinstance(seconds, Real) or not 0 <= seconds < math.inf:
        raise InputError(f"time_limit cannot be {seconds!r}", remedy="Give 0 seconds or more, or None")


def check_together(reuse: str, report: str, knowledge: bool, limits: bool, time_limit: float | None) -> None:
    """Refuse what is not defined together.

    Parameters
    ----------
    reuse, report : str
    knowledge : bool
        Whether there is background knowledge.
    limits : bool
        Whether the number of edges or the treewidth is limited.
    time_limit : float or None
    """
    if time_limit is not None and reuse == "stale":
        raise InputError(
            'time_limit needs reuse="exact"', remedy="Leave out one of them: exact scores are the faster ones"
        )
    if knowledge and (reuse == "stale" or report == "refused"):
        raise InputError(
            'background knowledge needs reuse="exact" and report="g_star"',
            remedy="Leave out the knowledge or the option",
        )
    if limits and report == "refused":
        raise InputError(
            'max_edges and max_treewidth need report="g_star": a new fusion can exceed them',
            remedy="Leave out the limits or the option",
        )


def parsed_weights(weights: str | Sequence[float] | None) -> Sequence[float] | None:
    """Weights as given, or as written in a text such as ``5000+3000+200``; None for all alike.

    Raises
    ------
    InputError
        If the text is no sum of positive numbers; or is ``rows``, as graphs alone have none.
    """
    if not isinstance(weights, str):
        return weights
    if weights == "equal":
        return None
    if weights == "rows":
        raise InputError(
            "graphs alone do not say how many rows they were learned from",
            where="weights",
            remedy="Give the numbers, such as 5000+3000+200",
        )
    parts = weights.split("+")
    if not all(_POSITIVE.fullmatch(part) and float(part) > 0 for part in parts):
        raise InputError(
            f"the weights cannot be {weights!r}",
            where="weights",
            remedy="Write equal, rows (where the sites are known), or a positive number for each graph, "
            "such as 5000+3000+200",
        )
    return [float(part) for part in parts]


def check_options(options: dict) -> None:
    """What the schemas of the options cannot say, before there are any graphs.

    Raises
    ------
    InputError
        If options do not go together, or a text cannot be read.
    """
    from fedbnsl.learn.background_text import check_background

    knowledge = any(options.get(key) for key in ("required", "forbidden", "tiers"))
    limits = any(options.get(key) is not None for key in ("max_edges", "max_treewidth"))
    check_together(options["reuse"], options["report"], knowledge, limits, options["time_limit"])
    if options["weights"] != "rows":
        parsed_weights(options["weights"])
    check_background(options)
