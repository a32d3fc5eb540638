# Sample or simulate data, split it into sites, write one file a site.


rule sites:
    output:
        directory("results/sites/{source}/{partition}/seed{seed}/{first}-{last}"),
    log:
        "results/logs/sites/{source}/{partition}/seed{seed}/{first}-{last}.log",
    benchmark:
        "results/benchmarks/sites/{source}/{partition}/seed{seed}/{first}-{last}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=sites_memory,
        runtime=5,
    params:
        source="{source}",
        partition="{partition}",
        seed=number("seed"),
        root_seed=CONFIG["seed"],
        first=number("first"),
        last=number("last"),
        code=code("sites.py"),
    message:
        "Sites {wildcards.first} to {wildcards.last} of {wildcards.source}, {wildcards.partition}, seed {wildcards.seed}"
    script:
        "../../scripts/sites.py"
