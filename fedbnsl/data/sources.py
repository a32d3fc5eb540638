"""Data sources and partitions as texts, the way the workflow names them.

A source says where rows come from, a partition how sites get them; both are
:class:`fedbnsl.spec.Spec` texts, so they can stand in config and in file names:

============================  ==================================================================
source                        what it is
============================  ==================================================================
``asia@rows=5000``            a network of ``NETWORKS``; rows a site
``linear-gaussian@nodes=50``  a :class:`~fedbnsl.data.simulate.LinearSimulation`; also rows a site
``personal-gaussian``         a :class:`~fedbnsl.data.personal.PersonalSimulation`, every site with a network
                              of its own; also rows a site, or rows_a_node times the nodes; of these
                              each site has one of shared_by parts
``sachs-cytometry@log=true``  the continuous Sachs table (``sachs`` is the discrete network); raw
                              scale by default; here and for ``linear-gaussian``,
                              ``standardised=true`` gives every column of a site variance 1
``random-dag@nodes=30``       a :func:`~fedbnsl.data.random_networks.random_base` for each seed, and no
                              rows: something to perturb
============================  ==================================================================

============================  ==================================================================
partition                     what it is
============================  ==================================================================
``iid``                       site k is sampled on its own; any number of sites
``equal@sites=3``             one table, split by :func:`~fedbnsl.data.partitions.partition`
``unequal@sites=5``           likewise; ``shares=5+3+2`` gives the sizes
``dirichlet@sites=5,…``       likewise; needs ``variable=…``
============================  ==================================================================

Where a network or a simulation is split, the table has rows × sites rows.
"""

from collections.abc import Iterable
from dataclasses import fields
from functools import lru_cache

from fedbnsl.data.networks import NETWORKS, DiscreteNetwork, load_network, printed_facts
from fedbnsl.data.partitions import PARTITIONS, check_options
from fedbnsl.data.partitions import partition as split
from fedbnsl.data.personal import PersonalSimulation
from fedbnsl.data.random_networks import random_base
from fedbnsl.data.sachs import load_sachs
from fedbnsl.data.simulate import LinearSimulation
from fedbnsl.data.site_data import SiteData
from fedbnsl.data.source_options import example, rows_of_each, shares_of, typed
from fedbnsl.data.standardise import standardised
from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph, WeightedGraph
from fedbnsl.seeds import generator
from fedbnsl.spec import Spec

_SIMULATION = "linear-gaussian"
_PERSONAL = "personal-gaussian"
_RANDOM = "random-dag"
_TABLE = "sachs-cytometry"
_TABLE_SIZE = (11, 7466)

#: The sources that are not networks.
SOURCES = (_SIMULATION, _PERSONAL, _TABLE, _RANDOM)

_NETWORK_OPTIONS = {"rows": 5000}
# Whether every site standardises its columns.
_SCALE_OPTIONS = {"standardised": False}
_SHARE_OPTIONS = {"rows": 20, "rows_a_node": 0.0, "shared_by": 1}
_MOST_ROWS = 10**9
_SIMULATIONS = {_SIMULATION: LinearSimulation, _PERSONAL: PersonalSimulation}
_OF_SIMULATION = {
    name: {field.name: field.default for field in fields(made) if field.name != "seed"}
    for name, made in _SIMULATIONS.items()
}
#: The options of every source with their defaults; those of a network are ``_NETWORK_OPTIONS``.
_OPTIONS = {
    _SIMULATION: {**_OF_SIMULATION[_SIMULATION], **_NETWORK_OPTIONS, **_SCALE_OPTIONS},
    _PERSONAL: {**_OF_SIMULATION[_PERSONAL], **_SHARE_OPTIONS},
    _TABLE: {"log": False, **_SCALE_OPTIONS},
    _RANDOM: {"nodes": 30, "max_parents": 3, "max_children": 4, "edges": 2.5},
}
# None: no default. The type is what matters.
_PARTITION_OPTIONS = {
    "sites": int,
    "shares": str,
    "variable": str,
    "alpha": float,
    "bins": int,
    "minimum": int,
}


@lru_cache(maxsize=1024)
def check_source(text: str) -> Spec:
    """Check the text of a source and fill in its defaults.

    Raises
    ------
    InputError
        On an unknown source, an option it does not have, or a value that is out of range.
    """
    spec = Spec.parse(text)
    if spec.name not in NETWORKS + SOURCES:
        raise InputError(
            f"there is no data source {spec.name!r}", remedy=f"Choose one of: {', '.join(NETWORKS + SOURCES)}"
        )
    defaults = _OPTIONS.get(spec.name, _NETWORK_OPTIONS)
    kinds = {key: type(default) for key, default in defaults.items()}
    options = {**defaults, **typed(spec, kinds, f"source {text!r}")}
    if spec.name == _PERSONAL:
        options = {**options, **rows_of_each(options, f"source {text!r}")}
    if not 1 <= options.get("rows", 1) <= _MOST_ROWS:
        raise InputError(
            f"rows must be from 1 to {_MOST_ROWS}, not {options['rows']}", where=f"source {text!r}"
        )
    checked = Spec.of(spec.name, options)
    if spec.name in _SIMULATIONS:
        _drawn_graph(checked, seed=0)
    elif spec.name == _RANDOM:
        random_base(seed=0, moves=0, **checked.dict())  # a walk would load numba, in every plan
    return checked


@lru_cache(maxsize=1024)
def check_partition(text: str) -> Spec:
    """Check the text of a partition.

    Raises
    ------
    InputError
        On an unknown partition, an option it does not have or that is out of range, or a missing one.
    """
    spec = Spec.parse(text)
    where = f"partition {text!r}"
    if spec.name == "iid":
        typed(spec, {}, where)
        return spec
    if spec.name not in PARTITIONS:
        raise InputError(
            f"there is no partition {spec.name!r}", remedy=f"Choose one of: {', '.join(('iid', *PARTITIONS))}"
        )
    kinds = {key: _PARTITION_OPTIONS[key] for key in ("sites", *PARTITIONS[spec.name])}
    options = typed(spec, kinds, where)
    needed = ("sites", "variable") if spec.name == "dirichlet" else ("sites",)
    for key in needed:
        if key not in options:
            raise InputError(
                f"the option {key!r} is missing", where=where, remedy=f"Write {spec.name}@{example(needed)}"
            )
    shares = {"shares": shares_of(options["shares"], where)} if "shares" in options else {}
    check_options({**options, **shares}, where)
    return Spec.of(spec.name, options)


def make_sites(source: str, partition: str, seed: int, numbers: Iterable[int]) -> list[SiteData]:
    """The sites of these numbers; a site is the same whichever others are asked for.

    Parameters
    ----------
    source, partition : str
    seed : int
    numbers : iterable of int
        Site numbers, from 1.

    Returns
    -------
    list of SiteData
        In the order of ``numbers``, labelled ``site_0001``, …

    Raises
    ------
    InputError
        If a text is wrong, the two do not go together, or there is no site of such a number.
    """
    data, way = check_source(source), check_partition(partition)
    if source_kind(source) == "none":
        raise InputError("this source has no rows, so there are no sites", where=f"source {source!r}")
    numbers = [int(number) for number in numbers]
    most = n_sites(partition)
    for number in numbers:
        if number < 1 or (most is not None and number > most):
            raise InputError(f"there is no site {number}", where=f"partition {str(way)!r}")
    sites = _raw_sites(data, way, seed, numbers)
    return [standardised(site) for site in sites] if data.dict().get("standardised") else sites


def _raw_sites(data: Spec, way: Spec, seed: int, numbers: list[int]) -> list[SiteData]:
    if way.name == "iid":
        return [_sample(data, seed, number, f"site_{number:04d}") for number in numbers]
    options = way.dict()
    if "shares" in options:
        options["shares"] = shares_of(options["shares"], f"partition {str(way)!r}")
    sites = split(_pool(data, seed, options["sites"]), how=way.name, seed=seed, **options)
    return [sites[number - 1] for number in numbers]


def n_sites(partition: str) -> int | None:
    """How many sites a partition makes; None: as many as one asks for."""
    return check_partition(partition).dict().get("sites")


def true_graph(source: str, seed: int) -> Graph | WeightedGraph:
    """The graph that the rows come from, or are judged by.

    A network's DAG; a simulation's common DAG with its global weights; the Sachs consensus graph, which is
    no DAG (see :func:`fedbnsl.data.sachs.load_sachs`); the random DAG of this seed.
    """
    data = check_source(source)
    if data.name in (*_SIMULATIONS, _RANDOM):
        return _drawn_graph(data, seed)
    if data.name == _TABLE:
        return load_sachs()[1]
    return _network(data.name).graph


def true_site_weights(source: str, seed: int, numbers: Iterable[int]) -> list[WeightedGraph]:
    """The weights behind each of these sites of a simulation (all the same if it is homogeneous).

    Raises
    ------
    InputError
        If the source is no simulation.
    """
    data = check_source(source)
    if data.name not in _SIMULATIONS:
        raise InputError("only simulated sites have known weights", where=f"source {source!r}")
    simulation = _simulation(data, seed)
    return [simulation.site_truth(int(number)) for number in numbers]


def source_kind(source: str) -> str:
    """``discrete`` or ``continuous``; ``none`` where there are no rows."""
    name = check_source(source).name
    if name == _RANDOM:
        return "none"
    return "continuous" if name in SOURCES else "discrete"


def source_size(source: str) -> tuple[int, int]:
    """(nodes, rows), without sampling or loading: rows a site, or of the whole Sachs table, or 0."""
    data = check_source(source)
    options = data.dict()
    if data.name == _TABLE:
        return _TABLE_SIZE
    if data.name in (*_SIMULATIONS, _RANDOM):
        return options["nodes"], options.get("rows", 0)
    return _network_nodes()[data.name], options["rows"]


# --- rows -----------------------------------------------------------------------------------------


def _sample(data: Spec, seed: int, number: int, label: str) -> SiteData:
    rows = data.dict().get("rows")
    if data.name == _TABLE:
        raise InputError(
            "a table cannot be sampled without end, so it does not go with the partition 'iid'",
            where=f"source {str(data)!r}",
            remedy="Use a partition with a number of sites, for example equal@sites=3",
        )
    if data.name in _SIMULATIONS:
        return _simulation(data, seed).site(number, rows, label)
    return _network(data.name).sample(rows, generator(seed, "site", str(data), "iid", number), label)


def _pool(data: Spec, seed: int, sites: int) -> SiteData:
    if data.name == _TABLE:
        return load_sachs(data.dict()["log"])[0]
    rows = data.dict()["rows"] * sites
    if data.name in _SIMULATIONS:
        if data.name == _PERSONAL or data.dict()["heterogeneous"]:
            raise InputError(
                "every site has weights of its own, so there is no common table to split",
                where=f"source {str(data)!r}",
                remedy=f"Use the partition iid, or {_SIMULATION}@heterogeneous=false",
            )
        return _simulation(data, seed).site(0, rows)
    return _network(data.name).sample(rows, generator(seed, "pool", str(data), sites))


def _simulation(data: Spec, seed: int) -> LinearSimulation | PersonalSimulation:
    options = {key: value for key, value in data.options if key in _OF_SIMULATION[data.name]}
    return _SIMULATIONS[data.name](seed=seed, **options)


def _drawn_graph(data: Spec, seed: int) -> Graph | WeightedGraph:
    """The graph of one seed of a source that draws it."""
    if data.name in _SIMULATIONS:
        return _simulation(data, seed).truth()
    return random_base(seed=seed, **data.dict())


@lru_cache(maxsize=4)  # several sites in one process; the networks are immutable
def _network(name: str) -> DiscreteNetwork:
    return load_network(name)


@lru_cache(maxsize=1)
def _network_nodes() -> dict[str, int]:
    return {name: facts["nodes"] for name, facts in printed_facts().items()}
