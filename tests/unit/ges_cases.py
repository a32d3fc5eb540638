"""Sites, scores and searches that tests of greedy equivalence search share."""

import functools

import numpy as np
from graph_strategies import every_graph
from literal_ges import rounded

from fedbnsl import Graph
from fedbnsl.data import SiteData
from fedbnsl.graphs.cpdag import dag_to_cpdag
from fedbnsl.learn import _ges_kernels as kernels
from fedbnsl.learn import ges_scores, ges_search
from fedbnsl.scores import bdeu, bic, gaussian_bic
from fedbnsl.scores.bdeu import bdeu_family
from fedbnsl.scores.bic import bic_family, gaussian_bic_family

FULL = {"bdeu": bdeu, "bic": bic, "gaussian-bic": gaussian_bic}
PHASES = (kernels.FORWARD, kernels.BACKWARD)


def discrete_site(d, rows, seed, skew=(0.2, 0.5, 1.0)):
    """A random network with up to three parents a node; the last declared state is never seen."""
    rng = np.random.default_rng(seed)
    cards, order = rng.integers(2, 4, d), rng.permutation(d)
    values = np.zeros((rows, d), dtype=int)
    for place, v in enumerate(order):
        parents = [u for u in order[:place] if rng.random() < rng.choice([0.2, 0.5, 0.8])][-3:]
        configuration = np.zeros(rows, dtype=int)
        for u in parents:
            configuration = configuration * cards[u] + values[:, u]
        table = rng.dirichlet(np.full(cards[v], rng.choice(skew)), configuration.max() + 1)
        values[:, v] = (rng.random(rows)[:, None] > table[configuration].cumsum(axis=1)[:, :-1]).sum(axis=1)
    return SiteData(
        [f"v{i}" for i in range(d)], values, [[str(k) for k in range(card + 1)] for card in cards]
    )


def continuous_site(d, rows, seed, density=0.5):
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.uniform(0.5, 2.0, (d, d)) * (rng.random((d, d)) < density), 1)
    noise = rng.standard_normal((rows, d)) * rng.uniform(0.5, 2.0, d)
    values = (noise @ np.linalg.inv(np.eye(d) - weights))[:, rng.permutation(d)]
    return SiteData([f"v{i}" for i in range(d)], values + rng.uniform(-9, 9, d))


def random_site(score, d, rows, seed, **options):
    return (
        continuous_site(d, rows, seed) if score == "gaussian-bic" else discrete_site(d, rows, seed, **options)
    )


def varying(site):
    return np.flatnonzero((site.values != site.values[0]).any(axis=0))


def without_constants(site):
    keep = varying(site)
    states = site.states and [site.states[i] for i in keep]
    return SiteData([site.names[i] for i in keep], site.values[:, keep], states)


def family_of(site, score, ess=1.0):
    if score == "bdeu":
        return bdeu_family(site, ess)
    return bic_family(site) if score == "bic" else gaussian_bic_family(site)


def full_score(graph, site, score, ess=1.0):
    return bdeu(graph, site, ess) if score == "bdeu" else FULL[score](graph, site)


def started(site, score, cap=None, ess=1.0, background=None):
    d = len(site.names)
    fill = ges_scores.gains_of(site, np.arange(d), score, ess)
    return ges_search._Search(site, d, d if cap is None else cap, fill, background)


def steps_of(search):
    """The CPDAG after every operator."""
    for phase in PHASES:
        search.start(phase)
        while search.step(phase):
            yield phase, search.adjacency()


def literal_steps(search):
    for phase, once in zip(PHASES, (search.insert_once, search.delete_once), strict=True):
        while once():
            yield phase, search.p


def arbitrary_family(seed):
    """Scores that follow no data, so that long and winding searches occur."""

    @functools.cache
    def family(y, parents):
        rng = np.random.default_rng([seed, y, *sorted(int(p) + 1 for p in parents)])
        return rng.normal() + 0.4 * len(parents)

    return family


def filled_by(family):
    def fill(requests, owner, base, need, gains):
        d = gains.shape[1]
        for group in requests:
            parents, wanted = (
                np.flatnonzero([int(rows[group, i // 64]) >> (i % 64) & 1 for i in range(d)])
                for rows in (base, need)
            )
            before = family(int(owner[group]), tuple(parents))
            for x in wanted:
                gains[group, x] = rounded(family(int(owner[group]), tuple(sorted({*parents, x}))) - before)

    return fill


@functools.cache
def classes(d):
    """The DAGs of every class, by the class."""
    found = {}
    for dag in every_graph(d):
        if Graph(range(d), dag).is_dag():
            found.setdefault(dag_to_cpdag(dag).tobytes(), []).append(dag)
    return found


def reversals(key, d):
    """(x, y, class of D') for all DAGs D of the class and arcs y → x whose turning leads out of it."""
    for dag in classes(d)[key]:
        for y, x in np.argwhere(dag):
            other = dag.copy()
            other[y, x], other[x, y] = 0, 1
            if Graph(range(d), other).is_dag() and dag_to_cpdag(other).tobytes() != key:
                yield x, y, dag_to_cpdag(other)
