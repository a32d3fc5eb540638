# Run round-based protocols, a run of seeds a job.


rule federate:
    input:
        sites=federate_inputs,
    output:
        graphs="results/federated/{method}/{source}/{partition}/sites{sites}/seeds{first}-{last}/graphs.json",
        rounds="results/federated/{method}/{source}/{partition}/sites{sites}/seeds{first}-{last}/rounds.tsv",
        history="results/federated/{method}/{source}/{partition}/sites{sites}/seeds{first}-{last}/history.parquet",
    log:
        "results/logs/federate/{method}/{source}/{partition}/sites{sites}/seeds{first}-{last}.log",
    benchmark:
        "results/benchmarks/federate/{method}/{source}/{partition}/sites{sites}/seeds{first}-{last}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=federate_memory,
        runtime=federate_runtime,
    params:
        method="{method}",
        options=method_options("method"),
        source="{source}",
        partition="{partition}",
        sites=number("sites"),
        first=number("first"),
        last=number("last"),
        root_seed=CONFIG["seed"],
        code=code("federate.py", "method"),
    message:
        "{wildcards.method} on {wildcards.source}, {wildcards.sites} sites, seeds {wildcards.first} to {wildcards.last}"
    script:
        "../../scripts/federate.py"
