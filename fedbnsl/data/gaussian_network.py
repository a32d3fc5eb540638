"""Linear Gaussian Bayesian networks: one linear regression a variable."""

from collections.abc import Sequence

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.graphs import dag
from fedbnsl.graphs.graph import Graph, WeightedGraph
from fedbnsl.seeds import generator


class GaussianNetwork:
    """x_j = intercept_j + Σ_i x_i W_ij + noise of variance v_j, along a DAG; immutable.

    Parameters
    ----------
    graph : Graph
        The DAG. An edge may have the coefficient 0.
    coefficients : array_like, shape (d, d)
        W; 0 where the DAG has no edge.
    intercepts : array_like, shape (d,)
    variances : array_like, shape (d,)
        Of the noise, above 0.

    Attributes
    ----------
    graph, coefficients, intercepts, variances
        As given; the arrays are read-only.

    Raises
    ------
    InputError
        If the graph is no DAG, a shape does not fit, a number is not finite, a variance is not above 0,
        or a coefficient stands where there is no edge.
    """

    __slots__ = ("coefficients", "graph", "intercepts", "variances")

    def __init__(self, graph: Graph, coefficients, intercepts, variances):
        if not graph.is_dag():
            raise InputError("a linear Gaussian network needs a DAG", remedy="Use graph.to_dag()")
        d = graph.n_nodes
        arrays = {}
        for key, value, shape in (
            ("coefficients", coefficients, (d, d)),
            ("intercepts", intercepts, (d,)),
            ("variances", variances, (d,)),
        ):
            array = np.array(value, dtype=np.float64)
            if array.shape != shape or not np.isfinite(array).all():
                raise InputError(f"the {key} must be finite numbers of shape {shape}")
            array.flags.writeable = False
            arrays[key] = array
        low = np.flatnonzero(arrays["variances"] <= 0)
        if low.size:
            raise InputError("the variance is not above 0", where=graph.names[low[0]])
        stray = np.argwhere((arrays["coefficients"] != 0) & (graph.adjacency == 0))
        if len(stray):
            i, j = stray[0]
            raise InputError(f"there is no edge {graph.names[i]} → {graph.names[j]}, but a coefficient")
        object.__setattr__(self, "graph", graph)
        for key, array in arrays.items():
            object.__setattr__(self, key, array)

    def __setattr__(self, key, value):
        raise AttributeError("a GaussianNetwork cannot be changed; make a new one")

    def __reduce__(self):
        return GaussianNetwork, (self.graph, self.coefficients, self.intercepts, self.variances)

    def __repr__(self) -> str:
        return f"<GaussianNetwork: {self.graph.n_nodes} nodes, {self.graph.n_edges} edges>"

    @property
    def names(self) -> tuple[str, ...]:
        """The variable names."""
        return self.graph.names

    @property
    def n_parameters(self) -> int:
        """Coefficients, intercepts and variances."""
        return self.graph.n_edges + 2 * self.graph.n_nodes

    @property
    def weighted_graph(self) -> WeightedGraph:
        """The coefficients as edge weights; an edge with the coefficient 0 is lost."""
        return WeightedGraph(self.names, self.coefficients)

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean, shape (d,), and covariance, shape (d, d), of the joint distribution."""
        inverse = np.linalg.inv(np.eye(len(self.names)) - self.coefficients)
        return self.intercepts @ inverse, inverse.T @ np.diag(self.variances) @ inverse

    def sample(self, rows: int, seed: int, label: str = "site") -> SiteData:
        """Independent rows, drawn variable by variable along the DAG."""
        if rows < 1:
            raise InputError(f"the number of rows must be 1 or larger, not {rows}")
        noise = generator(seed, "gaussian network").standard_normal((rows, len(self.names)))
        values = np.empty_like(noise)
        for j in dag.topological_order(self.graph.adjacency):
            parents = np.flatnonzero(self.graph.adjacency[:, j])
            mean = self.intercepts[j] + values[:, parents] @ self.coefficients[parents, j]
            values[:, j] = mean + np.sqrt(self.variances[j]) * noise[:, j]
        return SiteData(self.names, values, label=label)

    def to_pgmpy(self):
        """A pgmpy ``LinearGaussianBayesianNetwork`` with these parameters."""
        from pgmpy.factors.continuous import LinearGaussianCPD
        from pgmpy.models import LinearGaussianBayesianNetwork

        model = LinearGaussianBayesianNetwork()
        model.add_nodes_from(self.names)
        model.add_edges_from(self.graph.edges())
        for j, name in enumerate(self.names):
            parents = np.flatnonzero(self.graph.adjacency[:, j])
            model.add_cpds(
                LinearGaussianCPD(
                    name,
                    [float(self.intercepts[j]), *map(float, self.coefficients[parents, j])],
                    float(np.sqrt(self.variances[j])),
                    [self.names[i] for i in parents],
                )
            )
        return model

    def rows(self) -> list[dict]:
        """One row a number: ``variable``, ``term`` (a parent, ``intercept``, ``variance``), ``value``."""
        table = []
        for j, name in enumerate(self.names):
            table.append({"variable": name, "term": "intercept", "value": float(self.intercepts[j])})
            for i in np.flatnonzero(self.graph.adjacency[:, j]):
                table.append(
                    {"variable": name, "term": self.names[i], "value": float(self.coefficients[i, j])}
                )
            table.append({"variable": name, "term": "variance", "value": float(self.variances[j])})
        return table


def check_network_names(names: Sequence[str], site: SiteData) -> None:
    """Raise InputError unless the site has the network's variables in its order."""
    if tuple(names) != site.names:
        raise InputError(
            "the site's variables are not those of the network, in its order",
            where=site.label,
            remedy=f"Give the columns {', '.join(names[:10])}{', …' if len(names) > 10 else ''}",
        )
