"""Variable names: checks and messages about them."""

from collections.abc import Iterable, Sequence

from fedbnsl.errors import InputError


def checked_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names as a tuple of str; InputError if one repeats."""
    names = tuple(str(name) for name in names)
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise InputError(f"variable names must differ, but {', '.join(twice)} occurs more than once")
    return names


def locate(index: dict[str, int], name: str, where: str) -> int:
    """The position of a name; InputError with ``where`` the name stands if it is unknown."""
    if name not in index:
        raise InputError(
            f"{where} names {name!r}, which is not a variable",
            remedy=f"The variables are {', '.join(list(index)[:20])}{', …' if len(index) > 20 else ''}",
        )
    return index[name]


def difference(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """In words, which names only one of two graphs has."""
    parts = [
        f"Only in the {side}: {', '.join(sorted(extra)[:10])}"
        for side, extra in (("first", set(ours) - set(theirs)), ("second", set(theirs) - set(ours)))
        if extra
    ]
    return "; ".join(parts)
