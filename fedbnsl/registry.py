"""The register of methods: the one place that knows which methods exist.

Config validation, the workflow's rules, figures and docs all read it from here. A method is a
function and one entry in :mod:`fedbnsl.methods`; nothing else has to change.

What each kind of function takes and gives:

- ``learn``: ``f(site: SiteData, *, seed: int, **options) -> Graph | WeightedGraph``, one site's graph.
- ``federate``: ``f(sites: list[SiteData], *, seed: int, **options) -> ProtocolRun``, the pieces of a
  round-based protocol, which :func:`fedbnsl.federate.run` drives.
- ``consensus``: ``f(graphs: list[Graph], *, seed: int, **options) -> Graph | PruningPath``.
- ``generate``: ``f(base: Graph, numbers: list[int], *, seed: int, **options) -> list[Graph]``, networks to
  fuse that are drawn instead of learned; each depends on its number alone.
"""

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fedbnsl.errors import InputError

KINDS = ("learn", "federate", "consensus", "generate")


@dataclass(frozen=True)
class Method:
    """One entry.

    Attributes
    ----------
    name : str
        As written in config.
    kind : str
        One of ``learn``, ``federate``, ``consensus``, ``generate``.
    function : str
        ``package.module:function``, imported when the method is used.
    data : str
        ``discrete``, ``continuous`` or ``any``; what the sites' data must be.
    options : dict
        JSON schema of each option: ``{"ess": {"type": "number", "default": 1.0, …}}``.
    summary : str
        One line for tables and messages.
    citation : str
        Whose method it is.
    check : str, optional
        ``package.module:function`` that is given all options and raises InputError if they do not fit
        together, which a schema cannot say.
    per_site : bool
        Whether a ``federate`` method learns a network for each site instead of one for all.
    """

    name: str
    kind: str
    function: str
    data: str
    summary: str
    citation: str
    options: dict = field(default_factory=dict)
    check: str | None = None
    per_site: bool = False

    def load(self) -> Callable:
        """Import and return the function."""
        return _imported(self.function)

    def defaults(self) -> dict:
        """Every option at its default."""
        return {key: schema["default"] for key, schema in self.options.items()}

    @property
    def is_private(self) -> bool:
        """Whether the method adds noise for differential privacy, so that every run spends a budget."""
        return "epsilon" in self.options

    def checked(self, options: dict, where: str | None = None) -> dict:
        """``options`` with defaults filled in.

        Parameters
        ----------
        options : dict
        where : str, optional
            Where the options stand, for the message, such as a file and the key in it.

        Raises
        ------
        InputError
            On an unknown option, a value that its schema refuses, or a number that is not finite.
        """
        import jsonschema

        for key, value in options.items():
            if key not in self.options:
                known = ", ".join(self.options) or "none"
                raise InputError(
                    f"the method {self.name!r} has no option {key!r}",
                    where=where,
                    remedy=f"Its options: {known}",
                )
            place = f"{where}, method {self.name!r}" if where else f"method {self.name!r}"
            # A schema's bounds let NaN through, for it is neither below nor above them.
            if isinstance(value, float | np.floating) and not math.isfinite(value):
                raise InputError(
                    f"{key}: {value} is not a finite number",
                    where=place,
                    remedy=_allowed(self.options[key]),
                )
            # not jsonschema.validate: it checks the schema as well, which takes most of the time of planning
            errors = jsonschema.Draft202012Validator(self.options[key]).iter_errors(value)
            error = jsonschema.exceptions.best_match(errors)
            if error is not None:
                raise InputError(f"{key}: {error.message}", where=place, remedy=_allowed(self.options[key]))
        full = {**self.defaults(), **{key: self._typed(key, value) for key, value in options.items()}}
        if self.check:
            try:
                _imported(self.check)(full)
            except InputError as error:
                place = ", ".join(filter(None, [where, f"method {self.name!r}", error.where]))
                raise InputError(error.problem, where=place, remedy=error.remedy) from None
        return full

    def _typed(self, key: str, value: object) -> object:
        # For JSON schema 100.0 is an integer; for range() it is not.
        types = self.options[key].get("type", ())
        whole = "integer" in types and "number" not in types and isinstance(value, float)
        return int(value) if whole else value


def methods(kind: str | None = None) -> dict[str, Method]:
    """All entries by name, or those of one kind."""
    from fedbnsl.methods import METHODS

    return {entry.name: entry for entry in METHODS if kind in (None, entry.kind)}


def method(name: str, kind: str | None = None) -> Method:
    """The entry called ``name``.

    Raises
    ------
    InputError
        If there is none, or it is of another kind.
    """
    known = methods(kind)
    if name not in known:
        raise InputError(
            f"there is no {kind + ' ' if kind else ''}method {name!r}",
            remedy=f"Choose one of: {', '.join(sorted(known))}",
        )
    return known[name]


def _imported(path: str) -> Callable:
    module, _, attribute = path.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _allowed(schema: dict) -> str:
    parts = [
        f"{key} {schema[key]}" for key in ("enum", "minimum", "exclusiveMinimum", "maximum") if key in schema
    ]
    return f"Allowed: {schema.get('type', 'value')}" + (f", {', '.join(parts)}" if parts else "")
