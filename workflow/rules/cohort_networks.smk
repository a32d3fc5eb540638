# One network of a user's own sites, by each method: structure, parameters, stability, what joining gives.


rule cohort:
    input:
        cohort_outputs(),
    message:
        "The networks of your own sites are in results/cohort"


rule cohort_learn:
    input:
        "results/cohort/sites/{site}.parquet",
    output:
        "results/cohort/sites/{site}.learned.json",
    log:
        "results/logs/cohort_learn/{site}.log",
    benchmark:
        "results/benchmarks/cohort_learn/{site}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=cohort_memory,
        runtime=cohort_runtime,
    params:
        learner=COHORT.learner,
        background=CONFIG["cohort"]["background"],
        site_failures=CONFIG["site_failures"],
        site_time_limit=CONFIG["site_time_limit"],
        root_seed=CONFIG["seed"],
        code=cohort_code("cohort_learn.py"),
    message:
        "Learning at your site {wildcards.site}"
    script:
        "../../scripts/cohort_learn.py"


rule cohort_network:
    input:
        sites=COHORT_SITES,
        learned=cohort_learned,
    output:
        "results/cohort/{method}/network.json",
    log:
        "results/logs/cohort_network/{method}.log",
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=cohort_memory,
        runtime=cohort_runtime,
    params:
        method="{method}",
        learner=cohort_learner,
        background=cohort_background,
        labels=[site.name for site in COHORT.sites],
        root_seed=CONFIG["seed"],
        ledgers="ledgers",
        code=cohort_code("cohort_network.py", "method"),
    message:
        "One network of your own sites by {wildcards.method}"
    script:
        "../../scripts/cohort_network.py"


rule cohort_stability:
    input:
        sites=COHORT_SITES,
        learned=cohort_learned,
    output:
        "results/cohort/{method}/stability/{part}.json",
    log:
        "results/logs/cohort_stability/{method}/{part}.log",
    benchmark:
        "results/benchmarks/cohort_stability/{method}/{part}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=cohort_memory,
        runtime=cohort_runtime,
    params:
        method="{method}",
        part="{part}",
        labels=[site.name for site in COHORT.sites],
        learner=COHORT.learner,
        background=CONFIG["cohort"]["background"],
        root_seed=CONFIG["seed"],
        code=cohort_code("cohort_stability.py", "method"),
    message:
        "Stability of {wildcards.method} on your own sites, part {wildcards.part}"
    script:
        "../../scripts/cohort_stability.py"


rule cohort_held_out:
    input:
        sites=COHORT_SITES,
    output:
        "results/cohort/{method}/held_out.json",
    log:
        "results/logs/cohort_held_out/{method}.log",
    benchmark:
        "results/benchmarks/cohort_held_out/{method}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=cohort_memory,
        runtime=cohort_runtime,
    params:
        method="{method}",
        learner=COHORT.learner,
        background=CONFIG["cohort"]["background"],
        folds=COHORT.folds,
        pseudo_count=COHORT.pseudo_count,
        labels=[site.name for site in COHORT.sites],
        root_seed=CONFIG["seed"],
        code=cohort_code("cohort_held_out.py", "method"),
    message:
        "Judging {wildcards.method} on held-out rows of your own sites"
    script:
        "../../scripts/cohort_held_out.py"


rule cohort_page:
    input:
        sites=COHORT_SITES,
        cohort="results/cohort/cohort.json",
        network="results/cohort/{method}/network.json",
        learned=cohort_learned,
        stability=cohort_stability_files,
        held_out=cohort_held_out_file,
    output:
        html=report(
            "results/cohort/{method}/index.html",
            caption="../report/cohort.rst",
            category="Your own sites",
            labels={"method": "{method}"},
        ),
        files=directory("results/cohort/{method}/files"),
        edges="results/cohort/{method}/edges.csv",
        differences="results/cohort/{method}/differences.tsv",
        joining="results/cohort/{method}/joining.tsv",
        measures="results/cohort/{method}/measures.json",
        pdf="results/cohort/{method}/network.pdf",
        png="results/cohort/{method}/network.png",
    log:
        "results/logs/cohort_page/{method}.log",
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=cohort_memory,
        runtime=30,
    params:
        method="{method}",
        learner=COHORT.learner,
        background=CONFIG["cohort"]["background"],
        section=CONFIG["cohort"],
        folds=COHORT.folds,
        pseudo_count=COHORT.pseudo_count,
        root_seed=CONFIG["seed"],
        code=cohort_code("cohort_page.py", "method"),
    message:
        "The page of your own sites' network by {wildcards.method}"
    script:
        "../../scripts/cohort_page.py"


rule compare_cohort:
    input:
        sites=COHORT_SITES,
        measures=expand("results/cohort/{method}/measures.json", method=COHORT.methods),
        networks=expand("results/cohort/{method}/network.json", method=COHORT.methods),
        held_out=[path for label in COHORT.methods for path in held_out_of(label)],
        stability=[path for label in COHORT.methods for path in stability_of(label)],
    output:
        methods=report(
            "results/cohort/methods.tsv",
            caption="../report/cohort_methods.rst",
            category="Your own sites",
        ),
        markdown="results/cohort/methods.md",
        recommendation="results/cohort/recommendation.md",
    log:
        "results/logs/compare_cohort.log",
    benchmark:
        "results/benchmarks/compare_cohort.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        methods=list(COHORT.methods),
        folds=COHORT.folds,
        code=cohort_code("compare_cohort.py"),
    message:
        "Comparing the methods on your own sites"
    script:
        "../../scripts/compare_cohort.py"
