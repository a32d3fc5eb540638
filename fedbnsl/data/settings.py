"""Settings in one Python type each, so that equal settings are equal wherever they are compared."""

import numbers
import sys
from collections.abc import Collection
from dataclasses import fields

import numpy as np

from fedbnsl.errors import InputError


def whole(key: str, value: object) -> int:
    """``value`` as an int: 5, 5.0 and NumPy's 5 alike; InputError for anything else, also a bool."""
    if isinstance(value, numbers.Integral) and _is_number(value):
        return int(value)
    if _is_number(value) and float(value).is_integer():
        return int(value)
    raise InputError(f"{key} must be a whole number, not {value!r}")


def real(key: str, value: object) -> float:
    """``value`` as a float; InputError unless it is a finite number."""
    if _is_number(value) and abs(value) <= sys.float_info.max:
        return float(value)
    raise InputError(f"{key} must be a finite number, not {value!r}")


def truth_value(key: str, value: object) -> bool:
    """``value`` as a bool; InputError unless it is one, since the text "no" would count as true."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise InputError(f"{key} must be True or False, not {value!r}")


def one_of(key: str, value: object, known: Collection[str]) -> None:
    """InputError unless ``value`` is one of the words that are ``known``."""
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{key}: there is no {value!r}", remedy=f"Choose one of: {', '.join(known)}")


def unify_types(settings) -> None:
    """Give every int, float and bool field of a frozen dataclass that very type, or raise InputError.

    5 and 5.0 are one setting, but their texts would be keys of different random streams.
    """
    checks = {int: whole, float: real, bool: truth_value}
    for field in fields(settings):
        if field.type in checks:
            value = checks[field.type](field.name, getattr(settings, field.name))
            object.__setattr__(settings, field.name, value)


def check_random_dag(nodes: int, edges: int, seed: int) -> None:
    """InputError unless a DAG on so many nodes can have so many edges, and the seed is 0 or larger."""
    if seed < 0:
        raise InputError(f"seed must be 0 or larger, not {seed}")
    most = nodes * (nodes - 1) // 2
    if nodes < 1 or not 0 <= edges <= most:
        raise InputError(
            f"a DAG on {nodes} nodes cannot have {edges} edges",
            remedy=f"Give nodes of 1 or more and edges from 0 to nodes·(nodes − 1)/2 = {max(most, 0)}",
        )


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
