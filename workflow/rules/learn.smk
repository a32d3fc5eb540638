# Learn a graph at every site, a run of sites a job.


rule learn:
    input:
        sites=learn_inputs,
    output:
        "results/learned/{learner}/{source}/{partition}/seed{seed}/{first}-{last}.json",
    log:
        "results/logs/learn/{learner}/{source}/{partition}/seed{seed}/{first}-{last}.log",
    benchmark:
        "results/benchmarks/learn/{learner}/{source}/{partition}/seed{seed}/{first}-{last}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=learn_memory,
        runtime=learn_runtime,
    params:
        learner="{learner}",
        options=method_options("learner"),
        source="{source}",
        partition="{partition}",
        seed=number("seed"),
        root_seed=CONFIG["seed"],
        first=number("first"),
        last=number("last"),
        site_failures=CONFIG["site_failures"],
        site_time_limit=CONFIG["site_time_limit"],
        code=code("learn.py", "learner"),
    message:
        "Learning with {wildcards.learner} at sites {wildcards.first} to {wildcards.last} of {wildcards.source}, {wildcards.partition}, seed {wildcards.seed}"
    script:
        "../../scripts/learn.py"


rule list_learned:
    input:
        learned=all_learned,
    output:
        LEARNED,
    log:
        "results/logs/learned.log",
    benchmark:
        "results/benchmarks/learned.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        inputs=learned_inputs,
        code=code("learned.py"),
    message:
        "Listing the graphs learned at the sites"
    script:
        "../../scripts/learned.py"
