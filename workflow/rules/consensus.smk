# Fuse the graphs of sites, or generated ones, into one, a run of seeds a job.


rule consensus:
    input:
        graphs=input_graphs,
    output:
        "results/consensus/{method}/{learner}/{source}/{partition}/sites{sites}/seeds{first}-{last}.json",
    log:
        "results/logs/consensus/{method}/{learner}/{source}/{partition}/sites{sites}/seeds{first}-{last}.log",
    benchmark:
        "results/benchmarks/consensus/{method}/{learner}/{source}/{partition}/sites{sites}/seeds{first}-{last}.tsv"
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
        first=number("first"),
        last=number("last"),
        root_seed=CONFIG["seed"],
        sites=numbers("sites"),
        code=code("consensus.py", "method"),
    message:
        "Consensus by {wildcards.method} of {wildcards.source}, {wildcards.partition}, seeds {wildcards.first} to {wildcards.last}"
    script:
        "../../scripts/consensus.py"
