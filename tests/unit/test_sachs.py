"""The continuous Sachs table and its graph."""

import numpy as np
import pytest

from fedbnsl.data.networks import load_network
from fedbnsl.data.sachs import load_sachs
from fedbnsl.errors import InputError

NAMES = ("praf", "pmek", "plcg", "PIP2", "PIP3", "p44/42", "pakts473", "PKA", "PKC", "P38", "pjnk")


def test_all_rows():
    site, _ = load_sachs()
    assert site.names == NAMES
    assert site.values.shape == (7466, 11)
    assert site.states is None
    assert site.values[0].tolist() == [26.4, 13.2, 8.82, 18.3, 58.8, 6.61, 17.0, 414.0, 17.0, 44.9, 40.0]
    assert site.values[-1].tolist() == [30.5, 1.01, 7.3, 173.0, 22.9, 6.61, 13.7, 890.0, 1.0, 1.0, 1.65]
    assert (site.values > 0).all()


def test_gold_graph():
    _, gold = load_sachs()
    assert gold.names == NAMES
    assert gold.n_edges == len(gold.directed_edges()) == 18
    assert ("praf", "pmek") in gold.directed_edges()
    assert ("pmek", "p44/42") in gold.directed_edges()


def test_gold_graph_has_exactly_one_cycle():
    """Known and kept: the graph is what the papers compare with, although it is called a DAG there."""
    import networkx

    _, gold = load_sachs()
    (cycle,) = networkx.simple_cycles(gold.to_networkx())
    assert set(cycle) == {"plcg", "PIP2", "PIP3"}
    assert not gold.is_dag()


def test_the_two_strongest_correlations_are_edges():
    """praf–pmek (.785) and PKC–P38 (.720) on the log scale: names and columns belong together."""
    site, gold = load_sachs()
    correlation = np.triu(np.corrcoef(np.log(site.values).T), 1)
    first, second = np.argsort(-correlation, axis=None)[:2]
    pairs = [tuple(NAMES[i] for i in np.unravel_index(place, (11, 11))) for place in (first, second)]
    assert pairs == [("praf", "pmek"), ("PKC", "P38")]
    assert set(pairs) <= set(gold.directed_edges())
    np.testing.assert_allclose(correlation.ravel()[[first, second]], [0.7849, 0.7197], atol=1e-4)


def test_the_network_of_the_same_name_is_another_one():
    network = load_network("sachs")
    assert network.graph.n_edges == 17
    assert network.states[0] == ("LOW", "AVG", "HIGH")
    assert set(network.names) != set(NAMES)


def test_values_cannot_be_changed():
    site, _ = load_sachs()
    with pytest.raises(ValueError, match="read-only"):
        site.values[0, 0] = 1


def test_log_scale():
    raw, gold = load_sachs()
    log, same = load_sachs(log=True)
    assert same == gold
    np.testing.assert_allclose(log.values[0, :3], [3.273364, 2.580217, 2.177022], atol=1e-6)
    # what makes the scale matter
    variances = raw.values.var(axis=0)
    assert 1.8e3 < variances.min() < 1.9e3
    assert 4.1e5 < variances.max() < 4.2e5
    assert 0.3 < log.values.var(axis=0).min() < log.values.var(axis=0).max() < 3
    with pytest.raises(InputError, match="log must be True or False, not 'no'"):
        load_sachs(log="no")
