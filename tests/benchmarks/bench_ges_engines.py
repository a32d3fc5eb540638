"""One greedy equivalence search in a process of its own, for bench_ges.py, which starts this file.

Run ``python tests/benchmarks/bench_ges_engines.py ENGINE NETWORK ROWS SEED ESS BUDGET``; prints JSON. BUDGET
is in CPU seconds of the search, after which the process is killed.

All engines get the same columns (constant ones left out, as :func:`fedbnsl.learn.ges` does itself) and the
same score, BDeu with the declared numbers of states and no prior over structures:

- ``pgmpy`` takes a score from outside; it gets this package's, because its own (1.1.2) is wrong for unseen
  states, and slower. It has a turning phase; the others here have not.
- ``causal-learn`` fixes in ``ges`` the equivalent sample size at 1 and the states at those that occur, and
  adds a prior over structures. Its score function takes all three as parameters: it is given them, with one
  half as the probability of every edge, which makes the prior the same for all graphs.
- ``andrey`` fixes the same in ``ges``. Its score class takes the sample size and the prior (none at d − 1
  expected parents); the numbers of states are set on it once it is made.

``score_error`` says how far what an engine reports as the score of its result is from BDeu here.
"""

import importlib.metadata
import json
import os
import re
import resource
import sys
import time
from pathlib import Path

import numpy as np

from fedbnsl import Graph
from fedbnsl.data import SiteData, load_network
from fedbnsl.learn import ges, ges_pgmpy
from fedbnsl.scores import bdeu

PACKAGES = {
    "fedbnsl": None,
    "andrey": "andrey-core",
    "causal-learn": "causal-learn",
    "pgmpy": "pgmpy",
}
LEAST, MOST = 0.2, 5  # CPU seconds of one measurement, and how many are made unless they take long
LONG = 2.0  # all together


def by_fedbnsl(site, ess):
    """This package's search."""
    return ges(site, ess=ess).adjacency, None


def by_pgmpy(site, ess):
    """pgmpy's search on this package's score."""
    return ges_pgmpy(site, ess=ess).adjacency, None


def by_causal_learn(site, ess):
    """causal-learn's search on its BDeu."""
    from causallearn.score.LocalScoreFunction import local_score_BDeu
    from causallearn.search.ScoreBased import GES

    others = len(site.names) - 1
    parameters = {
        "sample_prior": ess,
        "structure_prior": others / 2,
        "r_i_map": dict(enumerate(site.cardinalities.tolist())),
    }

    def with_parameters(data, child, parents, _):
        return local_score_BDeu(data, child, parents, parameters)

    with_parameters.__name__ = "local_score_BDeu"
    GES.local_score_BDeu = with_parameters
    record = GES.ges(site.values, "local_score_BDeu", node_names=list(site.names))
    return record["G"].graph == -1, float(record["score"]) - (others + 1) * others * np.log(0.5)


def by_andrey(site, ess):
    """andrey's search on its BDeu."""
    import andrey
    from andrey.core.score import BDeuScore
    from andrey.search import ges as engine

    def make_score(_, data, **__):
        score = BDeuScore(data, sample_prior=ess, structure_prior=data.shape[1] - 1)
        score._cardinalities = site.cardinalities
        return score

    # The package has a function of the module's name, which may have taken its place.
    module = engine if hasattr(engine, "make_score") else sys.modules["andrey.search.ges"]
    module.make_score = make_score
    with andrey.config(num_workers=1):
        found = andrey.ges(site.values.astype(float), score_func="local_score_BDeu")
    return found.structure.to_numpy() == 1, found.metadata["score"] / -2


SEARCH = {
    "fedbnsl": by_fedbnsl,
    "andrey": by_andrey,
    "causal-learn": by_causal_learn,
    "pgmpy": by_pgmpy,
}


def peak_mb() -> float:
    """Largest memory of this process so far; getrusage would count in the process that started it."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


def version(engine: str) -> str | None:
    """Of the engine; None if it is not installed."""
    if PACKAGES[engine] is None:
        import fedbnsl

        return fedbnsl.__version__
    try:
        return importlib.metadata.version(PACKAGES[engine])
    except importlib.metadata.PackageNotFoundError:
        return None


def without_constants(site: SiteData) -> tuple[SiteData, np.ndarray]:
    """The site's other columns, and their positions."""
    keep = np.flatnonzero((site.values != site.values[0]).any(axis=0))
    states = [site.states[i] for i in keep]
    return SiteData([site.names[i] for i in keep], site.values[:, keep], states, site.label), keep


def limit_cpu(seconds: float) -> None:
    """Have this process killed after so much more CPU time."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = int(np.ceil(time.process_time() + seconds))
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def measured(engine: str, name: str, rows: int, seed: int, ess: float, budget: float) -> dict:
    """What one engine does on one sample."""
    if version(engine) is None:
        return {"outcome": "not installed"}
    search = SEARCH[engine]
    start = time.process_time()
    network = load_network(name)
    site = network.sample(rows, seed)
    sampling = time.process_time() - start
    narrow, keep = without_constants(site)
    asia, _ = without_constants(load_network("asia").sample(200, seed))
    start = time.process_time()
    search(asia, ess)  # imports, and compiles or loads what is compiled
    first = time.process_time() - start
    before = peak_mb()
    limit_cpu(budget)
    times, repeats, spent = [], 1, 0.0
    while not times or (spent < LONG and len(times) < MOST):
        start = time.process_time()
        for _ in range(repeats):
            adjacency, reported = search(narrow, ess)
        taken = time.process_time() - start
        spent += taken
        if taken < LEAST and not times:
            repeats *= 2
        else:
            times.append(taken / repeats)
    peak = peak_mb()
    full = np.zeros((len(site.names),) * 2, dtype=np.int8)
    full[np.ix_(keep, keep)] = adjacency
    found = Graph(site.names, full)
    differ = full != network.graph.cpdag().adjacency
    own = bdeu(Graph(narrow.names, np.asarray(adjacency, dtype=np.int8)), narrow, ess)
    return {
        "outcome": "done",
        "version": version(engine),
        "cpu_s": min(times),
        "first_s": first,
        "peak_mb": peak,
        "before_mb": before,
        "edges": found.n_edges,
        "shd": int(np.triu(differ | differ.T).sum()),
        "bdeu": bdeu(found, site, ess),
        "score_error": None if reported is None else reported - own,
        "sampling_s": sampling,
    }


def main(engine, name, rows, seed, ess, budget) -> None:
    """Print the measurements."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    print(json.dumps(measured(engine, name, int(rows), int(seed), float(ess), float(budget))))


if __name__ == "__main__":
    main(*sys.argv[1:])
