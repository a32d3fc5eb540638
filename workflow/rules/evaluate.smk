# Measure what was learned.


rule score_consensus:
    input:
        consensus=f"results/consensus/{CONSENSUS}.json",
        graphs=input_graphs,
        sites=judging_sites,
    output:
        f"results/scores/consensus/{CONSENSUS}.tsv",
    log:
        f"results/logs/score_consensus/{CONSENSUS}.log",
    benchmark:
        f"results/benchmarks/score_consensus/{CONSENSUS}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=score_memory,
        runtime=consensus_runtime,
    params:
        method="{method}",
        learner="{learner}",
        source="{source}",
        first=number("first"),
        last=number("last"),
        judging_seeds=judging_seeds,
        root_seed=CONFIG["seed"],
        ess=1.0,
        code=code("score_consensus.py"),
    message:
        "Measuring {wildcards.method} on {wildcards.source}, {wildcards.partition}, seeds {wildcards.first} to {wildcards.last}"
    script:
        "../../scripts/score_consensus.py"


rule score_federated:
    input:
        graphs=f"results/federated/{FEDERATED}/graphs.json",
        rounds=f"results/federated/{FEDERATED}/rounds.tsv",
        history=f"results/federated/{FEDERATED}/history.parquet",
    output:
        f"results/scores/federated/{FEDERATED}.tsv",
    log:
        f"results/logs/score_federated/{FEDERATED}.log",
    benchmark:
        f"results/benchmarks/score_federated/{FEDERATED}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=federate_memory,
        runtime=5,
    params:
        method="{method}",
        source="{source}",
        sites=number("sites"),
        root_seed=CONFIG["seed"],
        code=code("score_federated.py"),
    message:
        "Measuring {wildcards.method} on {wildcards.source}, seeds {wildcards.first} to {wildcards.last}"
    script:
        "../../scripts/score_federated.py"


rule score_personal:
    input:
        networks=personal_networks,
        sites=personal_sites,
    output:
        f"results/scores/personal/{FEDERATED}.tsv",
    log:
        f"results/logs/score_personal/{FEDERATED}.log",
    benchmark:
        f"results/benchmarks/score_personal/{FEDERATED}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=federate_memory,
        runtime=5,
    params:
        method="{method}",
        source="{source}",
        partition="{partition}",
        sites=number("sites"),
        first=number("first"),
        last=number("last"),
        learned=is_learner,
        root_seed=CONFIG["seed"],
        code=code("score_personal.py"),
    message:
        "Measuring every site's own network, {wildcards.method} on {wildcards.source}, seeds {wildcards.first} to {wildcards.last}"
    script:
        "../../scripts/score_personal.py"
