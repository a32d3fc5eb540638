"""One site's rows: variable names, a matrix, and the declared states of discrete variables."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from fedbnsl.errors import InputError

_EXACT = 2**53  # the largest whole number up to which float64 holds every one
_REMEDY = "Give one number a cell; discrete values are positions in states"


class SiteData:
    """The rows that one site holds, immutable.

    Parameters
    ----------
    names : sequence of str
        The d variable names, all different.
    values : array_like, shape (n, d)
        Discrete: codes, ``values[k, i]`` is a position in ``states[i]``. Continuous: numbers.
    states : sequence of sequences of str, optional
        The declared states of every variable, whether or not this site saw them. None: continuous.
    label : str
        What to call the site in tables and messages.

    Attributes
    ----------
    names : tuple of str
    values : ndarray, shape (n, d), read-only; int16 if discrete, float64 if continuous
    states : tuple of tuples of str, or None
    label : str

    Raises
    ------
    InputError
        If names repeat, shapes do not fit, values are no numbers (text, complex numbers, dates), a
        code has no declared state, or a number is not finite.
    """

    __slots__ = ("label", "names", "states", "values")

    def __init__(self, names: Sequence[str], values, states=None, label: str = "site"):
        names = tuple(str(name) for name in names)
        given = _numbers(values, label)
        if len(set(names)) != len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise InputError(f"column names must differ, but {', '.join(twice)} repeats", where=label)
        if given.ndim != 2 or given.shape[1] != len(names):
            raise InputError(
                f"the table has shape {given.shape}, but there are {len(names)} names", where=label
            )
        if states is None:
            matrix = given.astype(np.float64)
            bad = np.argwhere(~np.isfinite(matrix))
            if len(bad):
                row, column = bad[0]
                raise InputError(
                    f"{len(bad)} missing or infinite value(s), the first in row {row + 1}",
                    where=f"{label}, column {names[column]!r}",
                    remedy="Drop or fill these rows first",
                )
            if given.dtype.kind in "iu":
                over = (np.maximum(given, 0) > _EXACT) | (np.minimum(given, 0) < -_EXACT)
                large = np.flatnonzero(over).tolist()
                if large:
                    row, column = divmod(large[0], len(names))
                    raise InputError(
                        f"row {row + 1} has the whole number {given[row, column]}, of more digits than a "
                        "float64 keeps",
                        where=f"{label}, column {names[column]!r}",
                        remedy="Leave the column out if it is an identifier, or rescale it",
                    )
        else:
            states = _checked_states(names, states, label)
            with np.errstate(invalid="ignore"):  # what does not fit is reported below
                matrix = given.astype(np.int16)
            counts = np.array([len(column) for column in states])
            bad = np.argwhere((given != matrix) | (matrix < 0) | (matrix >= counts))
            if len(bad):
                row, column = bad[0]
                raise InputError(
                    f"row {row + 1} has the code {given[row, column]}, which is no position among "
                    f"the {counts[column]} declared states",
                    where=f"{label}, column {names[column]!r}",
                )
        matrix.flags.writeable = False
        for key, value in (
            ("names", names),
            ("values", matrix),
            ("states", states),
            ("label", label),
        ):
            object.__setattr__(self, key, value)

    def __setattr__(self, key, value):
        raise AttributeError("a SiteData cannot be changed; make a new one")

    def __reduce__(self):
        return SiteData, (self.names, self.values, self.states, self.label)

    def __repr__(self) -> str:
        kind = "continuous" if self.states is None else "discrete"
        return f"<SiteData {self.label!r}: {self.n_rows} rows, {len(self.names)} {kind} variables>"

    @property
    def n_rows(self) -> int:
        """Number of rows n."""
        return len(self.values)

    @property
    def is_discrete(self) -> bool:
        """Whether the variables have declared states."""
        return self.states is not None

    @property
    def cardinalities(self) -> np.ndarray:
        """Number of declared states of each variable, int64, shape (d,). Discrete data only."""
        return np.array([len(column) for column in self.states], dtype=np.int64)

    def rows(self, index, label: str | None = None) -> "SiteData":
        """The rows selected by ``index`` (positions, slice or mask)."""
        return SiteData(self.names, self.values[index], self.states, label or self.label)

    def to_frame(self):
        """A pandas DataFrame; discrete columns are categoricals over the declared states."""
        import pandas

        if self.states is None:
            return pandas.DataFrame(self.values, columns=list(self.names))
        columns = {
            name: pandas.Categorical.from_codes(self.values[:, i], categories=list(self.states[i]))
            for i, name in enumerate(self.names)
        }
        return pandas.DataFrame(columns)


def checked_site(site: SiteData, where: str | None = None) -> SiteData:
    """The site itself; InputError, which calls it ``where``, if it is something else."""
    if not isinstance(site, SiteData):
        raise InputError(
            f"a SiteData is expected, not a {type(site).__name__}",
            where=where,
            remedy="fedbnsl.data.read_site and fedbnsl.cohort.read make them from files",
        )
    return site


def checked_sites(sites: Iterable[SiteData]) -> list[SiteData]:
    """The sites as a list; InputError if there is none, or something is no site."""
    if isinstance(sites, SiteData) or not isinstance(sites, Iterable):
        raise InputError(
            f"a list of sites is expected, not a {type(sites).__name__}",
            remedy="Give [site] for one site, and the attribute sites of a cohort",
        )
    sites = list(sites)
    if not sites:
        raise InputError("there is no site")
    return [checked_site(site, f"site {place} of {len(sites)}") for place, site in enumerate(sites, start=1)]


def check_same_variables(sites: Sequence[SiteData]) -> None:
    """Raise InputError unless all sites share names (in order), kind and declared states."""
    if not sites:
        raise InputError("there is no site")
    first = sites[0]
    for site in sites[1:]:
        missing = [name for name in first.names if name not in site.names]
        extra = [name for name in site.names if name not in first.names]
        if missing or extra:
            raise InputError(
                f"the variables differ from those of {first.label!r}"
                + (f"; missing: {', '.join(missing[:10])}" if missing else "")
                + (f"; extra: {', '.join(extra[:10])}" if extra else ""),
                where=site.label,
                remedy="Give every site the same columns, or read the shared ones: columns=[…]",
            )
        if site.names != first.names:
            raise InputError(
                f"the variables stand in another order than at {first.label!r}",
                where=site.label,
                remedy="Order the columns alike at every site",
            )
        if (site.states is None) != (first.states is None):
            raise InputError(
                f"this site is {'continuous' if site.states is None else 'discrete'} "
                f"but {first.label!r} is not",
                where=site.label,
                remedy="Declare the states of all columns at every site, or at none",
            )
        if site.states != first.states:
            column = next(i for i in range(len(site.names)) if site.states[i] != first.states[i])
            raise InputError(
                f"the declared states {list(site.states[column])} differ from "
                f"{list(first.states[column])} at {first.label!r}",
                where=f"{site.label}, column {site.names[column]!r}",
                remedy="Declare the same states, in the same order, at every site",
            )


def _numbers(values, label: str) -> np.ndarray:
    """The values as an array of numbers; what is missing among Python objects becomes nan."""
    try:
        given = np.asarray(values)
        if given.dtype.kind == "O":
            if any(isinstance(value, str | bytes) for value in given.flat):
                raise InputError("some values are text, not numbers", where=label, remedy=_REMEDY)
            given = given.astype(np.float64)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the values are no table of numbers ({error})", where=label, remedy=_REMEDY
        ) from None
    if given.dtype.kind not in "biuf":
        what = {"U": "text", "S": "text", "c": "complex numbers", "M": "dates", "m": "times"}
        kind = what.get(given.dtype.kind, str(given.dtype))
        raise InputError(f"the values are {kind}, not numbers", where=label, remedy=_REMEDY)
    return given


def _checked_states(names, states, label) -> tuple[tuple[str, ...], ...]:
    listed = isinstance(states, Iterable) and not isinstance(states, str | Mapping)
    columns = list(states) if listed else []
    if not listed or not all(isinstance(column, Iterable) for column in columns):
        raise InputError(
            f"the declared states must be one list of texts a column, not {states!r}",
            where=label,
            remedy='For example [["no", "yes"], ["low", "mid", "high"]] for two columns',
        )
    states = tuple(tuple(str(state) for state in column) for column in columns)
    if len(states) != len(names):
        raise InputError(f"states are declared for {len(states)} of {len(names)} columns", where=label)
    for name, column in zip(names, states, strict=True):
        if not column or len(set(column)) != len(column):
            raise InputError(
                f"the declared states {list(column)} must be one or more different texts",
                where=f"{label}, column {name!r}",
            )
    return states
