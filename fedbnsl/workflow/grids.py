"""Grids of options in one text: ``fed-bnsl@l1=0.01+0.1,rho1=100+1000`` is four settings of a method.

A value that is several, joined by ``+``, stands for each of them in turn; all else is as in
:class:`fedbnsl.spec.Spec`.
"""

import itertools
import math

from fedbnsl.spec import Spec


def combinations(text: str) -> list[str]:
    """The texts of all settings in a grid; the last option changes fastest."""
    spec = Spec.parse(text)
    values = [_values(key, value) for key, value in spec.options]
    keys = [key for key, _ in spec.options]
    return [
        str(Spec.of(spec.name, dict(zip(keys, chosen, strict=True)))) for chosen in itertools.product(*values)
    ]


def size(text: str) -> int:
    """Number of settings in a grid; 1 for a method."""
    return math.prod(len(_values(key, value)) for key, value in Spec.parse(text).options)


def canonical(text: str, given: dict, defaults: dict) -> str:
    """The text of a grid with other options added, and without those that only repeat a default.

    Parameters
    ----------
    text : str
    given : dict
        Options that hold where the text does not set them.
    defaults : dict
        Of all the method's options.
    """
    spec = Spec.parse(text)
    options = {**given, **spec.dict()}
    kept = {key: value for key, value in options.items() if _values(key, value) != [defaults[key]]}
    return str(Spec.of(spec.name, kept))


def _values(key: str, value: object) -> list:
    if not (isinstance(value, str) and "+" in value):
        return [value]
    return [Spec.parse(f"method@{key}={part}").dict()[key] for part in value.split("+")]
