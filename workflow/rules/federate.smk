# Run round-based protocols, a run of seeds a job.


rule federate:
    input:
        sites=federate_inputs,
    output:
        graphs=f"results/federated/{FEDERATED}/graphs.json",
        rounds=f"results/federated/{FEDERATED}/rounds.tsv",
        history=f"results/federated/{FEDERATED}/history.parquet",
        privacy=f"results/federated/{FEDERATED}/privacy.json",
        seconds=f"results/benchmarks/rounds/{FEDERATED}.tsv",
    log:
        f"results/logs/federate/{FEDERATED}.log",
    benchmark:
        f"results/benchmarks/federate/{FEDERATED}.tsv"
    wildcard_constraints:
        method=r"(?![^/]*\bmode=secure\b)[^/]+",
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


# Without a benchmark, and without times in its log: they may depend on rows that are to be kept secret.
rule federate_secure:
    input:
        sites=federate_inputs,
    output:
        graphs=f"results/federated/{FEDERATED}/graphs.json",
        rounds=f"results/federated/{FEDERATED}/rounds.tsv",
        history=f"results/federated/{FEDERATED}/history.parquet",
        privacy=f"results/federated/{FEDERATED}/privacy.json",
    log:
        f"results/logs/federate/{FEDERATED}.log",
    wildcard_constraints:
        method=r"[^/]*\bmode=secure\b[^/]*",
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


rule grid:
    input:
        sites=federate_inputs,
    output:
        f"results/scores/{{measured}}/{FEDERATED}.tsv",
    log:
        f"results/logs/{{measured}}/{FEDERATED}.log",
    benchmark:
        f"results/benchmarks/{{measured}}/{FEDERATED}.tsv"
    wildcard_constraints:
        measured=one_of([kind for kind in GRIDS if kind != EACH_SITE]),
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=federate_memory,
        runtime=grid_runtime,
    params:
        method="{method}",
        source="{source}",
        partition="{partition}",
        sites=number("sites"),
        first=number("first"),
        last=number("last"),
        held_out=held_out,
        root_seed=CONFIG["seed"],
        code=code("grid.py", "method"),
    message:
        "{wildcards.method} on {wildcards.source}, all combinations, seeds {wildcards.first} to {wildcards.last}"
    script:
        "../../scripts/grid.py"


rule attack:
    input:
        sites=federate_inputs,
    output:
        f"results/scores/attack/{FEDERATED}.tsv",
    log:
        f"results/logs/attack/{FEDERATED}.log",
    benchmark:
        f"results/benchmarks/attack/{FEDERATED}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=federate_memory,
        runtime=5,
    params:
        method="{method}",
        options=method_options("method"),
        source="{source}",
        partition="{partition}",
        sites=number("sites"),
        first=number("first"),
        last=number("last"),
        root_seed=CONFIG["seed"],
        code=code("attack.py", "method"),
    message:
        "What the server learns from {wildcards.method} on {wildcards.source}, {wildcards.sites} sites"
    script:
        "../../scripts/attack.py"


rule each_site:
    output:
        f"results/scores/each-site/{FEDERATED}.tsv",
    log:
        f"results/logs/each-site/{FEDERATED}.log",
    benchmark:
        f"results/benchmarks/each-site/{FEDERATED}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=federate_memory,
        runtime=grid_runtime,
    params:
        method="{method}",
        source="{source}",
        partition="{partition}",
        sites=number("sites"),
        first=number("first"),
        last=number("last"),
        root_seed=CONFIG["seed"],
        code=code("each_site.py", "method"),
    message:
        "{wildcards.method} on {wildcards.source}, {wildcards.sites} sites, seeds {wildcards.first} to {wildcards.last}"
    script:
        "../../scripts/each_site.py"
