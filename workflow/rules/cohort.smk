# A user's own sites: check the files, clean the rows.


rule check:
    input:
        "results/cohort/problems.tsv",
    log:
        "results/logs/check.log",
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    message:
        "The files of your sites have been checked"
    script:
        "../../scripts/check_verdict.py"


rule check_cohort:
    input:
        COHORT.files,
    output:
        text=CHECKED,
        table="results/cohort/check.tsv",
        variables="results/cohort/variables.tsv",
        problems="results/cohort/problems.tsv",
    log:
        "results/logs/check_cohort.log",
    benchmark:
        "results/benchmarks/check_cohort.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=cohort_memory,
        runtime=15,
    params:
        section=CONFIG["cohort"],
        code=code("check_cohort.py"),
    message:
        "Checking the files of your sites"
    script:
        "../../scripts/check_cohort.py"


rule read_cohort:
    input:
        COHORT.files,
    output:
        cohort="results/cohort/cohort.json",
        sites=expand("results/cohort/sites/{site}.parquet", site=[site.name for site in COHORT.sites]),
    log:
        "results/logs/read_cohort.log",
    benchmark:
        "results/benchmarks/read_cohort.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=cohort_memory,
        runtime=15,
    params:
        section=cohort_data(),
        code=code("read_cohort.py"),
    message:
        "Reading your sites"
    script:
        "../../scripts/read_cohort.py"


rule examples:
    input:
        expand("results/examples/{example}/cohort.yaml", example=EXAMPLES),
    message:
        "Two example cohorts are in results/examples"


rule write_example:
    output:
        "results/examples/{example}/cohort.yaml",
    log:
        "results/logs/write_example/{example}.log",
    benchmark:
        "results/benchmarks/write_example/{example}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("write_example.py"),
    message:
        "Writing the example cohort {wildcards.example}"
    script:
        "../../scripts/write_example.py"
