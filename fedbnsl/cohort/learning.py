"""One way from sites to one network: a learner at the sites and a consensus, or a federated method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fedbnsl.cohort.knowledge import Knowledge
from fedbnsl.consensus.site_weights import site_weights
from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph, WeightedGraph, as_graph
from fedbnsl.registry import method
from fedbnsl.seeds import derived_seed
from fedbnsl.spec import Spec

if TYPE_CHECKING:
    from fedbnsl.consensus.path import PruningPath
    from fedbnsl.federate.run import Federation


@dataclass(frozen=True)
class Way:
    """How one network is made of sites.

    Attributes
    ----------
    method : str
        A method of kind ``consensus`` or ``federate`` with its options, like ``gmcbc@ties=first``.
    learner : str
        The method of kind ``learn`` that gives each site its own graph. A federated method does not use
        these graphs; they show what each site would have found alone.
    knowledge : Knowledge
        Handed to the learner, and to a method that takes such options.
    seed : int
        Root of all randomness.
    labels : tuple of str
        The sites that weights written in the method's options are about, in their order; not needed without.
    """

    method: str
    learner: str = "ges"
    knowledge: Knowledge = field(default_factory=Knowledge)
    seed: int = 1
    labels: tuple[str, ...] = ()

    @property
    def is_consensus(self) -> bool:
        """Whether the sites' graphs are fused, rather than messages exchanged."""
        return method(Spec.parse(self.method).name).kind == "consensus"

    @property
    def is_private(self) -> bool:
        """Whether the method adds noise for differential privacy, so that every run spends a budget."""
        return method(Spec.parse(self.method).name).is_private

    @property
    def is_secret(self) -> bool:
        """Whether its noise comes from the operating system, so that what it releases counts."""
        spec = Spec.parse(self.method)
        return self.is_private and method(spec.name).checked(spec.dict())["mode"] == "secure"

    @property
    def uses_knowledge(self) -> bool:
        """Whether the background knowledge reaches the learner of a consensus, or the method itself."""
        entries = [method(Spec.parse(self.method).name)]
        if self.is_consensus:
            entries.append(method(Spec.parse(self.learner).name))
        return any(self.knowledge.options(entry) for entry in entries)

    def learn_site(self, site: SiteData, *what: object) -> Graph | WeightedGraph:
        """The graph that a site learns alone; ``what`` tells repeated calls apart (a replicate, a fold)."""
        spec = Spec.parse(self.learner)
        entry = method(spec.name, "learn")
        seed = derived_seed(self.seed, "cohort site", self.learner, site.label, *what)
        return entry.load()(site, seed=seed, **entry.checked(spec.dict()) | self.knowledge.options(entry))

    def learn_sites(self, sites: Sequence[SiteData], *what: object) -> SiteGraphs:
        """The graphs of all sites; a site at which learning fails gets none, and its reason is kept."""
        graphs, failed = [], {}
        for site in sites:
            try:
                graphs.append(self.learn_site(site, *what))
            except InputError as error:
                graphs.append(None)
                failed[site.label] = str(error)
        return SiteGraphs(tuple(graphs), failed)

    def together(
        self,
        sites: Sequence[SiteData],
        graphs: Sequence[Graph | WeightedGraph | None] | None = None,
        *what: object,
        ledger: str | None = None,
        failed: Mapping[str, str] | None = None,
    ) -> Together:
        """One network of all sites.

        Parameters
        ----------
        sites : sequence of SiteData
        graphs : sequence of Graph, WeightedGraph or None, optional
            What the sites learned alone, if that is known already. Default: it is learned where it is needed.
        *what
            Tells repeated calls apart.
        ledger : path, optional
            Folder of the sites' ledgers, for a private method: see :func:`fedbnsl.federate.run`.
        failed : mapping of site to str, optional
            Why sites have no graph in ``graphs``, for the message if none has.

        Raises
        ------
        InputError
            If no site has a graph to fuse, or the method refuses the sites.
        """
        spec = Spec.parse(self.method)
        entry = method(spec.name)
        options = entry.checked(spec.dict()) | self.knowledge.options(entry)
        seed = derived_seed(self.seed, "cohort", self.method, *what)
        if entry.kind == "federate":
            from fedbnsl.federate.run import run  # here, so that planning does not load it

            # in secure mode noise comes from the operating system, and no seed may be given
            secret = options.get("mode") == "secure"
            account = ledger if secret else None
            found = run(spec.name, sites, seed=None if secret else seed, ledger=account, **options)
            return Together(_one_graph(found), None, found)
        if graphs is None:
            graphs, failed = self.learn_sites(sites, *what)
        there = {site.label: graph for site, graph in zip(sites, graphs, strict=True) if graph is not None}
        if not there:
            raise InputError(
                f"{self.learner} gave no graph at any of the {len(sites)} sites",
                remedy=f"The first says: {next(iter(failed.values()))}" if failed else None,
            )
        if "weights" in options:
            rows = {site.label: len(site.values) for site in sites if site.label in there}
            where = f"method {self.method}"
            options["weights"] = site_weights(options["weights"], self.labels, rows, where)
        from fedbnsl.consensus.path import PruningPath  # loads compiled code

        found = entry.load()(list(there.values()), seed=seed, **options)
        path = found if isinstance(found, PruningPath) else None
        return Together(as_graph(found) if path is None else path.best(), path, None)


class SiteGraphs(NamedTuple):
    """What the sites learned alone, None where learning failed, and why it did, by site."""

    graphs: tuple[Graph | WeightedGraph | None, ...]
    failed: dict[str, str]


class Together(NamedTuple):
    """One network, and the path or the federated run that it comes from."""

    graph: Graph | WeightedGraph
    path: PruningPath | None
    federation: Federation | None


def _one_graph(found: Federation) -> WeightedGraph:
    if found.weights.ndim == 2:
        return WeightedGraph(found.names, found.weights)
    # a method with a network for each site: the edges that more than half of the sites have
    shared = (found.weights != 0).mean(axis=0) > 0.5
    return WeightedGraph(found.names, np.where(shared, found.weights.mean(axis=0), 0.0))
