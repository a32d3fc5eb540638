"""Options in the texts of sources and partitions: their types, and lists in one word."""

from fedbnsl.errors import InputError
from fedbnsl.spec import Spec


def typed(spec: Spec, kinds: dict[str, type], where: str) -> dict:
    """The options, each of its kind; whole numbers may stand for real ones and for words."""
    found = {}
    for key, value in spec.options:
        if key not in kinds:
            raise InputError(
                f"there is no option {key!r}", where=where, remedy=f"Options: {', '.join(kinds) or 'none'}"
            )
        kind = kinds[key]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if kind is float and number:
            value = float(value)
        elif kind is str and number:
            value = str(value)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            words = {int: "a whole number", float: "a number", bool: "true or false", str: "a word"}
            raise InputError(f"the option {key!r} must be {words[kind]}, not {value!r}", where=where)
        found[key] = value
    return found


def shares_of(text: str, where: str) -> list[float]:
    """Relative sizes written as ``5+3+2``."""
    try:
        return [float(part) for part in text.split("+")]
    except ValueError:
        raise InputError(
            f"cannot read the shares {text!r}", where=where, remedy="Write, for example, shares=5+3+2"
        ) from None


def example(needed: tuple[str, ...]) -> str:
    """Options of a partition as one would write them."""
    return ",".join({"sites": "sites=3", "variable": "variable=NAME"}[key] for key in needed)
