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


def rows_of_each(options: dict, where: str) -> dict:
    """``rows`` of one site from ``rows``, ``rows_a_node``, ``nodes`` and ``shared_by``, and these at neutral.

    Raises
    ------
    InputError
        If ``shared_by`` is below 1 or ``rows_a_node`` below 0.
    """
    if options["shared_by"] < 1 or options["rows_a_node"] < 0:
        raise InputError("shared_by must be 1 or larger, and rows_a_node 0 or larger", where=where)
    rows = options["rows_a_node"] * options["nodes"] or options["rows"]
    # 0.3 times 10 is a little less than 3
    return {"rows": int(rows / options["shared_by"] + 1e-9), "rows_a_node": 0.0, "shared_by": 1}
