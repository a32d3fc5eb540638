"""What is computed as one piece, and the files of its measures and of its picture."""

from dataclasses import dataclass

from fedbnsl.registry import methods
from fedbnsl.spec import Spec
from fedbnsl.workflow import grids

#: The kind of experiments on sites that have networks of their own.
EACH_SITE = "each-site"

_SECURE = "secure"

#: The kinds of experiments whose measures are of federated runs, and the folder of their measures: all
#: rounds; every site's own network, learned or refitted; the last round for a grid of options, without
#: and with the likelihood of held-out rows; what the server could reconstruct; the mean over sites that are
#: drawn, learned from and measured in one job, for a grid of options.
FOLDERS = {
    "federate": "federated",
    "personal": "personal",
    "grid": "grid",
    "held-out": "held-out",
    "attack": "attack",
    EACH_SITE: "each-site",
}
#: Those in which a method stands for a grid of its options.
GRIDS = ("grid", "held-out", EACH_SITE)


def is_secure(spec: Spec) -> bool:
    """Whether a method with its options takes its noise from the operating system, and so no seed."""
    return spec.dict().get("mode") == _SECURE


@dataclass(frozen=True)
class ConsensusCell:
    """The graphs of one source fused for each number of sites, for a run of seeds.

    ``learner`` is what the graphs come from: a method of the kind ``learn`` at every site, or one of the
    kind ``generate``, for which the sites are but numbers.
    """

    method: str
    learner: str
    source: str
    partition: str
    sites: tuple[int, ...]
    seeds: tuple[int, int]

    @property
    def stem(self) -> str:
        """Path below ``consensus/`` or ``scores/consensus/``, without suffix."""
        sites, (first, last) = "_".join(map(str, self.sites)), self.seeds
        inputs = f"{self.learner}/{self.source}/{self.partition}"
        return f"{self.method}/{inputs}/sites{sites}/seeds{first}-{last}"

    @property
    def scores(self) -> str:
        """The file of measures."""
        return f"results/scores/consensus/{self.stem}.tsv"

    @property
    def page(self) -> str:
        """The HTML page of the network of the first seed and the largest number of sites."""
        return f"results/networks/consensus/{self.stem}.html"


@dataclass(frozen=True)
class FederateCell:
    """A round-based protocol on the sites of one source, for a run of seeds, and what is measured of it.

    ``kind`` is a key of :data:`FOLDERS`. For ``personal`` the method may be one of the kind ``learn``; for
    ``grid``, ``held-out`` and ``each-site`` its options may be lists, see :mod:`fedbnsl.workflow.grids`.
    """

    method: str
    source: str
    partition: str
    sites: int
    seeds: tuple[int, int]
    kind: str = "federate"

    @property
    def stem(self) -> str:
        """Path below ``federated/`` or ``scores/federated/``, without suffix."""
        first, last = self.seeds
        return f"{self.method}/{self.source}/{self.partition}/sites{self.sites}/seeds{first}-{last}"

    @property
    def scores(self) -> str:
        """The file of measures."""
        return f"results/scores/{FOLDERS[self.kind]}/{self.stem}.tsv"

    @property
    def graphs(self) -> str:
        """The file of the networks that the protocol learned."""
        return f"results/federated/{self.stem}/graphs.json"

    @property
    def runs(self) -> int:
        """How often the protocol runs for each seed."""
        return grids.size(self.method) if self.kind in GRIDS else 1

    @property
    def learner(self) -> str | None:
        """The method, if it is one that each site learns with by itself."""
        return self.method if Spec.parse(self.method).name in methods("learn") else None

    @property
    def page(self) -> str:
        """The HTML page of the network of the first seed."""
        return f"results/networks/federated/{self.stem}.html"
