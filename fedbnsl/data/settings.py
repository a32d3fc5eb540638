"""Settings in one Python type each, so that equal settings are equal wherever they are compared."""

import numbers
import sys

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


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
