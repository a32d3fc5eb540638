# Draw the graphs to fuse instead of learning them, a run of seeds a job.


rule generate:
    output:
        directory("results/generated/{learner}/{source}/sites{sites}/seeds{first}-{last}"),
    log:
        "results/logs/generate/{learner}/{source}/sites{sites}/seeds{first}-{last}.log",
    benchmark:
        "results/benchmarks/generate/{learner}/{source}/sites{sites}/seeds{first}-{last}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        learner="{learner}",
        options=method_options("learner"),
        source="{source}",
        sites=number("sites"),
        first=number("first"),
        last=number("last"),
        root_seed=CONFIG["seed"],
        code=code("generate.py", "learner"),
    message:
        "{wildcards.sites} networks by {wildcards.learner} from {wildcards.source}, seeds {wildcards.first} to {wildcards.last}"
    script:
        "../../scripts/generate.py"
