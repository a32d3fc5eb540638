# Fuse the sites' graphs into one.


rule consensus:
    input:
        learned=learned_files,
    output:
        "results/consensus/{method}/{learner}/{source}/{partition}/seed{seed}/sites{sites}.json",
    log:
        "results/logs/consensus/{method}/{learner}/{source}/{partition}/seed{seed}/sites{sites}.log",
    benchmark:
        "results/benchmarks/consensus/{method}/{learner}/{source}/{partition}/seed{seed}/sites{sites}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=consensus_memory,
        runtime=consensus_runtime,
    params:
        method="{method}",
        options=method_options("method"),
        learner="{learner}",
        source="{source}",
        partition="{partition}",
        seed=number("seed"),
        root_seed=CONFIG["seed"],
        sites=numbers("sites"),
        code=code("consensus.py", "method"),
    message:
        "Consensus by {wildcards.method} of {wildcards.source}, {wildcards.partition}, seed {wildcards.seed}"
    script:
        "../../scripts/consensus.py"
