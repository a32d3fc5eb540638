"""Background knowledge about the network of a cohort: required and forbidden edges, and tiers in time."""

from collections.abc import Sequence
from dataclasses import dataclass

from fedbnsl.errors import InputError
from fedbnsl.registry import Method


@dataclass(frozen=True)
class Knowledge:
    """What is known beforehand, by variable names.

    Attributes
    ----------
    required, forbidden : tuple of pairs of str
        Edges ``(from, to)``.
    tiers : tuple of tuples of str
        Groups of variables in time; no edge leads back.
    """

    required: tuple[tuple[str, str], ...] = ()
    forbidden: tuple[tuple[str, str], ...] = ()
    tiers: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, section: dict, where: str) -> "Knowledge":
        """From ``{required, forbidden, tiers}``, each a list or a text as for :func:`fedbnsl.learn.ges`.

        Raises
        ------
        InputError
            If a text has not the right form, or the parts contradict each other.
        """
        parts = {}
        for key in ("required", "forbidden", "tiers"):
            given = section[key]
            if isinstance(given, str):
                outer, inner = ("..", "+") if key == "tiers" else ("+", "..")
                given = [[name.strip() for name in part.split(inner)] for part in given.split(outer) if part]
            parts[key] = tuple(tuple(part) for part in given)
        found = cls(**parts)
        if found:
            from fedbnsl.learn.background import Background  # loads compiled code

            try:
                Background.of(found.names, *(parts[key] for key in ("required", "forbidden", "tiers")))
            except InputError as error:
                place = where if error.where is None else f"{where}.{error.where}"
                raise InputError(error.problem, where=place, remedy=error.remedy) from None
        return found

    def __bool__(self) -> bool:
        """Whether anything is known."""
        return bool(self.required or self.forbidden or self.tiers)

    @property
    def names(self) -> list[str]:
        """The variables that it speaks of, each once."""
        parts: Sequence = (*self.required, *self.forbidden, *self.tiers)
        return list(dict.fromkeys(name for part in parts for name in part))

    def options(self, entry: Method) -> dict:
        """The options that hand it to a method; empty where the method takes none, or there is nothing."""
        given = {"required": self.required, "forbidden": self.forbidden, "tiers": self.tiers}
        return {key: value for key, value in given.items() if value and key in entry.options}

    def to_dict(self) -> dict:
        """As in config.yaml."""
        return {
            "required": [list(edge) for edge in self.required],
            "forbidden": [list(edge) for edge in self.forbidden],
            "tiers": [list(tier) for tier in self.tiers],
        }
