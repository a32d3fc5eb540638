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

_RHO2 = {"type": "number", "exclusiveMinimum": 0, "description": "Penalty on disagreement"}
_ROUNDS = {"type": "integer", "minimum": 1, "description": "Rounds T"}
_SITE_WEIGHTS = {
    "enum": ["equal", "rows"],
    "default": "equal",
    "description": "Whether sites count alike or by their numbers of rows",
}
_W_STEP = {
    "enum": ["fast", "exact"],
    "default": "fast",
    "description": "How far the server's step goes: to a relative decrease of 1e-3, or of 1e-7",
}

_EPSILON = {
    "type": "number",
    "exclusiveMinimum": 0,
    "default": 5.0,
    "description": "ε of (ε, δ)-differential privacy, for every site; 20 at most with mode=secure",
}
_DELTA = {
    "type": ["number", "null"],
    "exclusiveMinimum": 0,
    "exclusiveMaximum": 1,
    "default": None,
    "description": "δ, below 1/n_p (.01/n_p at most with mode=secure); null: 1/n_p² of each site",
}
_MODE = {
    "enum": ["research", "secure"],
    "default": "research",
    "description": "Noise from the seed (reproducible, not private), or from the operating system",
}
_FORCE = {
    "type": "boolean",
    "default": False,
    "description": "Run even if the budget is too small to learn anything",
}

_VARIANCE_RATIO = {
    **_POSITIVE_OR_NULL,
    "default": 1.3,
    "description": "Gradients look at i → j only if scale i is at most this times scale j; null: always",
}

_PGMPY_SCORE = {
    "enum": [None, "bdeu", "bic"],
    "default": None,
    "description": "bdeu; bic: multinomial or linear Gaussian; null: bdeu on discrete data, else bic",
}
_ESS = {
    "type": "number",
    "exclusiveMinimum": 0,
    "default": 1.0,
    "description": "Equivalent sample size of BDeu",
}

_REQUIRED = {
    "type": ["string", "null"],
    "default": None,
    "description": "Edges that the result must have: a..b+c..d for a → b and c → d; null: none",
}
_FORBIDDEN = {
    "type": ["string", "null"],
    "default": None,
    "description": "Edges that it must not have, written in the same way; null: none",
}
_TIERS = {
    "type": ["string", "null"],
    "default": None,
    "description": "Variables in time, age+sex..smoke..lung: no edge leads back; null: none",
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

_PRUNING = {
    "ties": _TIES,
    "k_max": _K_MAX,
    "reuse": {
        "enum": ["exact", "stale"],
        "default": "exact",
        "description": "stale: scores are kept when inputs lose arcs, as the authors' program does",
    },
    "report": {
        "enum": ["g_star", "refused"],
        "default": "g_star",
        "description": "The pruned graph, or a new fusion of the pruned inputs as the program reports it",
    },
    "max_edges": {
        "type": ["integer", "null"],
        "minimum": 0,
        "default": None,
        "description": "Most edges that the network may have at any θ; null: no limit",
    },
    "max_treewidth": {
        "type": ["integer", "null"],
        "minimum": 0,
        "default": None,
        "description": "Largest treewidth (min-fill) that it may have at any θ; null: no limit",
    },
    "weights": {
        "type": "string",
        "default": "equal",
        "description": "equal; rows: by the sites' numbers of rows; or one a graph, 5000+3000+200",
    },
    "required": _REQUIRED,
    "forbidden": _FORBIDDEN,
    "tiers": _TIERS,
    "time_limit": {
        "type": ["number", "null"],
        "minimum": 0,
        "default": None,
        "description": "Seconds after which the pruning stops, wherever it is; null: none",
    },
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
            "site_weights": _SITE_WEIGHTS,
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
        name="fed-sparse-bnsl",
        kind="federate",
        function="fedbnsl.federate.fed_sparse:fed_sparse_bnsl",
        data="continuous",
        summary="Fed-Sparse-BNSL: consensus ADMM with greedy sparse updates at the sites, sparse messages",
        citation="Fed-Sparse-BNSL 2025, arXiv:2512.01708",
        options={
            "variant": {
                "enum": ["growing", "paper"],
                "default": "growing",
                "description": "Defaults of rho1, rho1_last, gamma, keep_diagonal and send",
            },
            "updates": {
                "type": ["integer", "string"],
                "minimum": 1,
                "pattern": "^converged$",
                "default": 150,
                "description": "Greedy updates K of a site in a round, or 'converged': the exact minimum",
            },
            "gamma": {
                "type": ["number", "null"],
                "exclusiveMinimum": 0,
                "maximum": 1,
                "default": None,
                "description": "Step of a greedy update; null: 1 (growing) or 0.5 (paper)",
            },
            "keep_diagonal": {
                "type": ["boolean", "null"],
                "default": None,
                "description": "Whether matrices may have a diagonal; null: false (growing), true (paper)",
            },
            "l1": {**_L1, "default": 0.1},
            "rho1": {
                **_POSITIVE_OR_NULL,
                "description": "Penalty on h, in round one; null: 0.1 (growing) or 1000 (paper)",
            },
            "rho1_last": {
                **_POSITIVE_OR_NULL,
                "description": "Penalty on h, in the last round; null: 1e8 (growing) or as rho1 (paper)",
            },
            "rho2": {**_RHO2, "default": 1.0},
            "rounds": {**_ROUNDS, "default": 100},
            "site_weights": _SITE_WEIGHTS,
            "w_step": _W_STEP,
            "send": {
                "enum": ["full", "changes", None],
                "default": None,
                "description": "All non-zero entries or changed ones; null: changes (growing), full (paper)",
            },
            "precision": {
                "enum": ["double", "single"],
                "default": "double",
                "description": "Numbers in messages: 8 or 4 bytes",
            },
            "stop": {
                **_POSITIVE_OR_NULL,
                "description": "End when h and the residuals, relative to W, are this small; null: never",
            },
            "threshold": _THRESHOLD,
        },
    ),
    Method(
        name="dp-fed-sparse-bnsl",
        kind="federate",
        function="fedbnsl.privacy.dp_sparse_method:dp_fed_sparse_bnsl",
        check="fedbnsl.privacy.dp_sparse_method:check_options",
        data="continuous",
        summary="DP-Fed-Sparse-BNSL: Fed-Sparse-BNSL with differentially private greedy updates",
        citation="Fed-Sparse-BNSL 2025, arXiv:2512.01708, section 5",
        options={
            "epsilon": _EPSILON,
            "delta": _DELTA,
            "mode": _MODE,
            "rounds": {
                "type": ["integer", "null"],
                "minimum": 1,
                "default": None,
                "description": "Rounds T; null: 30 to 100, as the budget allows",
            },
            "updates": {
                "type": ["integer", "null"],
                "minimum": 1,
                "default": None,
                "description": "Greedy updates K of a site in a round; null: max(10, .4 d)",
            },
            "clip": {
                **_POSITIVE_OR_NULL,
                "description": "c̄: terms of the gradient of row i are clipped at c̄√M_i; null: 2",
            },
            "clip_total": {
                **_POSITIVE_OR_NULL,
                "description": "C, in place of clip: c̄ = C / √(Σ M)",
            },
            "clip_sum": {
                "enum": ["rows", "entries"],
                "default": "rows",
                "description": "Whether that sum is over d rows or d² entries (comparison only)",
            },
            "clipping": {
                "enum": ["record", "average"],
                "default": "record",
                "description": "What is clipped: every record's term, or their mean (comparison only)",
            },
            "gamma": {
                "type": "number",
                "exclusiveMinimum": 0,
                "maximum": 1,
                "default": 1.0,
                "description": "Step of a greedy update",
            },
            "l1": {**_L1, "default": 0.1},
            "rho1": {
                "type": "number",
                "exclusiveMinimum": 0,
                "default": 100.0,
                "description": "Penalty on h, in round one",
            },
            "rho1_last": {
                **_POSITIVE_OR_NULL,
                "default": 1e5,
                "description": "Penalty on h, in the last round; null: as rho1",
            },
            "rho2": {**_RHO2, "default": 0.5},
            "scale_share": {
                "type": "number",
                "minimum": 0,
                "exclusiveMaximum": 1,
                "default": 0.05,
                "description": "Share of the budget for the columns' scales; 0: exact (comparison only)",
            },
            "scale_bound": {
                **_POSITIVE_OR_NULL,
                "description": "Squares above this count as this in the columns' scales; null: histograms",
            },
            "conversion": {
                "enum": ["cks", "paper", "mangold"],
                "default": "cks",
                "description": "Accounting of zCDP, or of Laplace noise after Mangold (comparison only)",
            },
            "w_step": _W_STEP,
            "threshold": _THRESHOLD,
            "force": _FORCE,
        },
    ),
    Method(
        name="dp-auto",
        kind="federate",
        function="fedbnsl.privacy.staged_method:dp_auto",
        check="fedbnsl.privacy.statement:check_promise",
        data="continuous",
        summary="The private method of choice: dp-staged, with the plan that suits the budget",
        citation="Balle, Wang 2018, Improving the Gaussian mechanism for differential privacy, ICML",
        options={
            "epsilon": _EPSILON,
            "delta": _DELTA,
            "mode": _MODE,
            "variance_ratio": _VARIANCE_RATIO,
            "threshold": _THRESHOLD,
            "force": _FORCE,
        },
    ),
    Method(
        name="dp-staged",
        kind="federate",
        function="fedbnsl.privacy.staged_method:dp_staged",
        check="fedbnsl.privacy.statement:check_promise",
        data="continuous",
        summary="Private scales, second moments and residual gradients in stages, all by Gaussian noise",
        citation="Balle, Wang 2018, Improving the Gaussian mechanism for differential privacy, ICML",
        options={
            "epsilon": _EPSILON,
            "delta": _DELTA,
            "mode": _MODE,
            "plan": {
                "enum": ["preconditioned", "direct", None],
                "default": None,
                "description": "Two second moments and two gradients, one and five, or by public numbers",
            },
            "variance_ratio": _VARIANCE_RATIO,
            "threshold": _THRESHOLD,
            "force": _FORCE,
        },
    ),
    Method(
        name="dp-fed-bnsl",
        kind="federate",
        function="fedbnsl.privacy.covariance_method:dp_fed_bnsl",
        check="fedbnsl.privacy.covariance_method:check_options",
        data="continuous",
        summary="DP-Fed-BNSL: Fed-BNSL on noisy second moments of clipped records, one a site",
        citation="Fed-Sparse-BNSL 2025, arXiv:2512.01708, section 6.3",
        options={
            "epsilon": _EPSILON,
            "delta": _DELTA,
            "mode": _MODE,
            "bound": {
                **_POSITIVE_OR_NULL,
                "description": "b of the paper's form: noise for ‖x‖² ≤ b, no clipping (comparison only)",
            },
            "rounds": {**_ROUNDS, "default": 100},
            "rho1": {
                "type": "number",
                "exclusiveMinimum": 0,
                "default": 1000.0,
                "description": "Penalty on h",
            },
            "rho2": {**_RHO2, "default": 1.0},
            "l1": {
                "type": ["number", "null"],
                "minimum": 0,
                "default": None,
                "description": "λ of the penalty λ‖W‖₁; null: .1, or twice the noise if that is more",
            },
            "threshold": _THRESHOLD,
        },
    ),
    Method(
        name="fed-bnsl-fw",
        kind="federate",
        function="fedbnsl.federate.frank_wolfe:fed_bnsl_fw",
        data="continuous",
        summary="Fed-BNSL-FW: Fed-Sparse-BNSL with Frank–Wolfe steps in place of greedy updates",
        citation="Fed-Sparse-BNSL 2025, arXiv:2512.01708, appendix C.1",
        options={
            "updates": {
                "type": "integer",
                "minimum": 1,
                "default": 150,
                "description": "Frank–Wolfe steps of a site in a round",
            },
            "keep_diagonal": {
                "type": "boolean",
                "default": True,
                "description": "Whether the matrices may have a diagonal",
            },
            "l1": {
                "type": "number",
                "exclusiveMinimum": 0,
                "default": 0.1,
                "description": "λ of the penalty λ‖B‖₁ at every site",
            },
            "rho1": {
                "type": "number",
                "exclusiveMinimum": 0,
                "default": 1000.0,
                "description": "Penalty on h, in round one",
            },
            "rho1_last": {
                **_POSITIVE_OR_NULL,
                "description": "Penalty on h, in the last round; null: as rho1",
            },
            "rho2": {**_RHO2, "default": 1.0},
            "rounds": {**_ROUNDS, "default": 100},
            "site_weights": _SITE_WEIGHTS,
            "w_step": _W_STEP,
            "threshold": _THRESHOLD,
        },
    ),
    Method(
        name="notears-pfl",
        kind="federate",
        function="fedbnsl.federate.pfl:notears_pfl",
        per_site=True,
        data="continuous",
        summary="NOTEARS-PFL: one network a site, alike by a penalty that is chosen by rows held out",
        citation="Liu, Guo, Qi, Wang, Chang 2023, Personalized brain functional connectivity of MDD patients",
        options={
            "penalty": {
                "enum": ["auto", "group", "fused", "chain", "none", "pooled", "consensus"],
                "default": "auto",
                "description": "What sites have in common; auto: group or fused; chain: as in the paper",
            },
            "mode": {
                "enum": ["direct", "admm"],
                "default": "direct",
                "description": "Covariances sent once, or rounds of matrices as in the paper",
            },
            "l1": {
                "type": ["number", "null"],
                "minimum": 0,
                "default": None,
                "description": "λ₁ of the penalty λ₁‖Z‖₁ of every site; null: chosen by rows held out",
            },
            "l2": {
                "type": ["number", "null"],
                "minimum": 0,
                "default": None,
                "description": "λ₂ of what makes sites alike; null: chosen by rows held out",
            },
            "rounds": {**_ROUNDS, "default": 80, "description": "Rounds T of admm"},
            "rho1": {
                "type": "number",
                "exclusiveMinimum": 0,
                "default": 0.1,
                "description": "Penalty on h in round one of admm",
            },
            "rho1_growth": {
                "type": "number",
                "minimum": 1,
                "default": 1.2,
                "description": "By what rho1 grows a round",
            },
            "rho2": {**_RHO2, "default": 1.0, "description": "Penalty on disagreement in admm"},
            "threshold": _THRESHOLD,
        },
    ),
    Method(
        name="ges",
        kind="learn",
        function="fedbnsl.learn.ges:ges",
        check="fedbnsl.learn.background_text:check_background",
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
            "reinsertion": {
                "type": "integer",
                "minimum": 0,
                "default": 0,
                "description": "Rounds of putting nodes elsewhere; each costs 10 to 50 plain searches",
            },
            "time_limit": {
                "type": ["number", "null"],
                "minimum": 0,
                "default": None,
                "description": "Seconds after which the search stops with the graph it has; null: none",
            },
            "required": _REQUIRED,
            "forbidden": _FORBIDDEN,
            "tiers": _TIERS,
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
        name="pc-pgmpy",
        kind="learn",
        function="fedbnsl.learn.pgmpy_pc:pc_pgmpy",
        data="any",
        summary="PC by pgmpy: tests of independence, chi-square or partial correlation",
        citation="Colombo, Maathuis 2014, Order-independent constraint-based causal structure learning, JMLR",
        options={
            "significance_level": {
                "type": "number",
                "exclusiveMinimum": 0,
                "exclusiveMaximum": 1,
                "default": 0.01,
                "description": "Two variables are joined unless a test has a p-value of this or more",
            },
            "max_conditioning": {
                "type": "integer",
                "minimum": 0,
                "default": 3,
                "description": "Largest number of variables that a test conditions on",
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
        name="fusion-treewidth",
        kind="consensus",
        function="fedbnsl.consensus.baselines:fusion_treewidth",
        data="any",
        summary="The most frequent arcs of the fusion that keep the treewidth within a limit",
        citation="Torrijos, Puerta, Gámez, Aledo 2025, Informed greedy BN fusion, arXiv:2504.00467v1",
        options={
            "limit": {
                "type": ["integer", "null"],
                "minimum": 0,
                "default": None,
                "description": "Largest treewidth (min-fill); null: the largest of the inputs",
            },
        },
    ),
    Method(
        name="best-input",
        kind="consensus",
        function="fedbnsl.consensus.baselines:best_input",
        data="any",
        summary="The one of the graphs that is nearest to all of them, by mean SMHD",
        citation="Kaufman, Rousseeuw 1990, Finding Groups in Data, chapter 2 (medoids)",
    ),
    Method(
        name="gmcbc",
        kind="consensus",
        function="fedbnsl.consensus.pruning_methods:gmcbc",
        check="fedbnsl.consensus._options:check_options",
        data="any",
        summary="Greedy Min-Cut Bayesian Consensus: the fusion, pruned by minimum cuts",
        citation="Torrijos, Puerta, Gámez, Aledo 2025, Informed greedy BN fusion, arXiv:2504.00467v1",
        options=_PRUNING,
    ),
    Method(
        name="mcbnc",
        kind="consensus",
        function="fedbnsl.consensus.pruning_methods:mcbnc",
        check="fedbnsl.consensus._options:check_options",
        data="any",
        summary="Min-Cut Bayesian Network Consensus: GMCBC from the equivalence class of the fusion",
        citation="Torrijos, Puerta, Aledo, Gámez 2026, BN consensus via greedy min-cut analysis, AAAI",
        options=_PRUNING,
    ),
    Method(
        name="perturbed",
        kind="generate",
        function="fedbnsl.graphs.perturbed:perturbed",
        data="any",
        summary="Input networks by random additions and removals of arcs in a base network",
        citation="Puerta, Aledo, Gámez, Laborda 2021, Efficient and accurate fusion of BNs, Inf. Fusion",
        options={
            "moves": {
                "type": "number",
                "minimum": 0,
                "default": 0.75,
                "description": "Number of moves, as a share of the number of variables",
            },
            "max_parents": {
                "type": ["integer", "null"],
                "minimum": 0,
                "default": 3,
                "description": "Most parents that an addition may reach; null: one more than in the base",
            },
            "max_children": {
                "type": ["integer", "null"],
                "minimum": 0,
                "default": 4,
                "description": "Most children that an addition may reach; null: one more than in the base",
            },
            "edges": {
                "type": ["number", "null"],
                "minimum": 0,
                "default": 2.5,
                "description": "Most edges, as a multiple of the variables; null: 1.1 times the base's",
            },
            "count": {
                "enum": ["drawn", "applied"],
                "default": "drawn",
                "description": "Whether each pair drawn is a move, or only one that changes the network",
            },
            "remove": {
                "enum": ["drop", "reverse"],
                "default": "drop",
                "description": "Whether an arc that alone joins two parts is removed or turned round",
            },
            "first": {
                "enum": ["perturbed", "base"],
                "default": "perturbed",
                "description": "Whether the first input is perturbed too, or is the base itself",
            },
            "scramble": {
                "type": "number",
                "minimum": 0,
                "default": 0.0,
                "description": "Share s: the base itself is first changed by d·⌊s·d⌋ moves; 0: not at all",
            },
        },
    ),
]
