"""The entries of the register: one a method. See :mod:`fedbnsl.registry` for what each field means."""

from fedbnsl.registry import Method

_L1 = {"type": "number", "minimum": 0, "description": "λ of the penalty λ‖W‖₁"}
_THRESHOLD = {
    "type": "number",
    "minimum": 0,
    "default": 0.3,
    "description": "Edges with |w| up to this are dropped, then the smallest until there is no cycle",
}
_POSITIVE_OR_NULL = {"type": ["number", "null"], "exclusiveMinimum": 0, "default": None}

_PGMPY_SCORE = {
    "enum": ["bdeu", "bic"],
    "default": "bdeu",
    "description": "bdeu, or bic: multinomial on discrete data, linear Gaussian on continuous data",
}
_ESS = {
    "type": "number",
    "exclusiveMinimum": 0,
    "default": 1.0,
    "description": "Equivalent sample size of BDeu",
}

_TIES = {
    "enum": ["random", "first"],
    "default": "random",
    "description": "Which of several candidates of least score is deleted: one drawn, or the first",
}
_K_MAX = {
    "type": "integer",
    "minimum": 0,
    "maximum": 20,
    "default": 10,
    "description": "Number of shared neighbours that the sets H of an edge are chosen from",
}

METHODS = [
    Method(
        name="notears",
        kind="learn",
        function="fedbnsl.learn.notears:notears",
        data="continuous",
        summary="NOTEARS on one site's covariance",
        citation="Zheng, Aragam, Ravikumar, Xing 2018, DAGs with NO TEARS, NeurIPS",
        options={"l1": {**_L1, "default": 0.1}, "threshold": _THRESHOLD},
    ),
    Method(
        name="notears-pooled",
        kind="federate",
        function="fedbnsl.federate.pooled:notears_pooled",
        data="continuous",
        summary="NOTEARS on the covariance of all sites, sent in one round: the centralised reference",
        citation="Zheng, Aragam, Ravikumar, Xing 2018, DAGs with NO TEARS, NeurIPS",
        options={"l1": {**_L1, "default": 0.1}, "threshold": _THRESHOLD},
    ),
    Method(
        name="fed-bnsl",
        kind="federate",
        function="fedbnsl.federate.fed_bnsl:fed_bnsl",
        data="continuous",
        summary="Fed-BNSL (NOTEARS-ADMM): consensus ADMM with dense messages",
        citation="Ng, Zhang 2022, Towards federated BN structure learning, AISTATS",
        options={
            "schedule": {
                "enum": ["paper", "reference"],
                "default": "paper",
                "description": "Penalties, rounds and loss unless given: constant, or growing every round",
            },
            "rounds": {
                "type": ["integer", "null"],
                "minimum": 1,
                "default": None,
                "description": "Rounds T; null: 100 (paper) or 200 (reference)",
            },
            "rho1": {
                **_POSITIVE_OR_NULL,
                "description": "Penalty on h, in round one; null: 1000 (paper) or 0.001 (reference)",
            },
            "rho2": {
                **_POSITIVE_OR_NULL,
                "description": "Penalty on disagreement, in round one; null: 1 (paper) or 0.001 (reference)",
            },
            "l1": {**_L1, "default": 0.01},
            "loss": {
                "enum": ["sum", "mean", None],
                "default": None,
                "description": "Add or average the sites' losses; null: sum (paper) or mean (reference)",
            },
            "site_weights": {
                "enum": ["equal", "rows"],
                "default": "equal",
                "description": "Whether sites count alike or by their numbers of rows",
            },
            "tolerance": {
                "type": "number",
                "exclusiveMinimum": 0,
                "default": 1e-3,
                "description": "Relative decrease of the objective at which the server's step stops",
            },
            "threshold": _THRESHOLD,
        },
    ),
    Method(
        name="ges",
        kind="learn",
        function="fedbnsl.learn.ges:ges",
        data="any",
        summary="Greedy equivalence search, compiled",
        citation="Chickering 2002, Optimal structure identification with greedy search, JMLR",
        options={
            "score": {
                "enum": [None, "bdeu", "bic", "gaussian-bic"],
                "default": None,
                "description": "null: bdeu on discrete data, gaussian-bic on continuous data",
            },
            "ess": _ESS,
            "max_parents": {
                "type": ["integer", "null"],
                "minimum": 0,
                "default": None,
                "description": "Largest number of parents; null: no limit",
            },
            "turning": {
                "type": "boolean",
                "default": False,
                "description": "Whether to turn edges too, and start again if any was turned",
            },
            "time_limit": {
                "type": ["number", "null"],
                "minimum": 0,
                "default": None,
                "description": "Seconds after which the search stops with the graph it has; null: none",
            },
        },
    ),
    Method(
        name="ges-pgmpy",
        kind="learn",
        function="fedbnsl.learn.pgmpy_ges:ges_pgmpy",
        data="any",
        summary="Greedy equivalence search with a turning phase, by pgmpy (slow; up to some 20 variables)",
        citation="Chickering 2002, Optimal structure identification with greedy search, JMLR",
        options={"score": _PGMPY_SCORE, "ess": _ESS},
    ),
    Method(
        name="hill-climb-pgmpy",
        kind="learn",
        function="fedbnsl.learn.pgmpy_ges:hill_climb_pgmpy",
        data="any",
        summary="Hill climbing over DAGs with a tabu list, by pgmpy",
        citation="Koller, Friedman 2009, Probabilistic Graphical Models, section 18.4.3",
        options={
            "score": _PGMPY_SCORE,
            "ess": _ESS,
            "max_parents": {
                "type": ["integer", "null"],
                "minimum": 1,
                "default": None,
                "description": "Largest number of parents; null: no limit",
            },
        },
    ),
    Method(
        name="majority",
        kind="consensus",
        function="fedbnsl.consensus.voting:majority",
        data="any",
        summary="The edges that a share of the graphs have; a cycle loses its least supported edge",
        citation="Friedman, Goldszmidt, Wyner 1999, Data analysis with BNs: a bootstrap approach, UAI",
        options={
            "threshold": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "default": 0.5,
                "description": "Least share of the graphs that must join two variables",
            },
        },
    ),
    Method(
        name="fusion",
        kind="consensus",
        function="fedbnsl.consensus.fusion:fusion",
        data="any",
        summary="Fusion without pruning: the union of minimal I-maps under one node order",
        citation="Puerta, Aledo, Gámez, Laborda 2021, Efficient and accurate fusion of BNs, Inf. Fusion",
    ),
    Method(
        name="gmcbc",
        kind="consensus",
        function="fedbnsl.consensus.pruning:gmcbc",
        data="any",
        summary="Greedy Min-Cut Bayesian Consensus: the fusion, pruned by minimum cuts",
        citation="Torrijos, Puerta, Gámez, Aledo 2025, Informed greedy BN fusion, arXiv:2504.00467v1",
        options={"ties": _TIES, "k_max": _K_MAX},
    ),
    Method(
        name="mcbnc",
        kind="consensus",
        function="fedbnsl.consensus.pruning:mcbnc",
        data="any",
        summary="Min-Cut Bayesian Network Consensus: GMCBC from the equivalence class of the fusion",
        citation="Torrijos, Puerta, Aledo, Gámez 2026, BN consensus via greedy min-cut analysis, AAAI",
        options={"ties": _TIES, "k_max": _K_MAX},
    ),
]
