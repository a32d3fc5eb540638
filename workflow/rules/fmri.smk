# fMRI cohorts: simulate one in the layout of a real one, and learn connections from its parts.


rule fmri_cohort:
    output:
        directory("results/fmri/{source}"),
    log:
        "results/logs/fmri_cohort/{source}.log",
    benchmark:
        "results/benchmarks/fmri_cohort/{source}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=fmri_memory,
        runtime=10,
    params:
        source="{source}",
        root_seed=CONFIG["seed"],
        code=code("fmri_cohort.py"),
    message:
        "Simulating the fMRI cohort {wildcards.source}"
    script:
        "../../scripts/fmri_cohort.py"


rule fmri_connections:
    input:
        cohort=fmri_cohort_folder,
        files=fmri_cohort_files,
    output:
        "results/scores/fmri/{method}/{source}/{partition}/seeds{first}-{last}.tsv",
    log:
        "results/logs/fmri_connections/{method}/{source}/{partition}/seeds{first}-{last}.log",
    benchmark:
        "results/benchmarks/fmri_connections/{method}/{source}/{partition}/seeds{first}-{last}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=fmri_memory,
        runtime=60,
    params:
        method="{method}",
        source="{source}",
        partition="{partition}",
        first=number("first"),
        last=number("last"),
        root_seed=CONFIG["seed"],
        code=code("fmri_connections.py", modules=["fedbnsl.federate.pfl"]),
    message:
        "Connections by {wildcards.method} in {wildcards.source}, {wildcards.partition}"
    script:
        "../../scripts/fmri_connections.py"
