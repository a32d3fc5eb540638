# Figures, tables, network pages, and the comparison with the printed values.


rule table:
    input:
        scores=artefact_scores,
    output:
        table=report(
            "results/tables/{artefact}.tsv",
            caption="../report/artefact.rst",
            category=artefact_study,
            labels={"artefact": "{artefact}", "content": "numbers"},
        ),
        markdown="results/tables/{artefact}.md",
        verdicts="results/verdicts/{artefact}.tsv",
    log:
        "results/logs/artefact/{artefact}.log",
    benchmark:
        "results/benchmarks/artefact/{artefact}.tsv"
    wildcard_constraints:
        artefact=one_of(TABLES),
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        cells=artefact_cells,
        entry=artefact_of,
        study=artefact_paper,
        seed=CONFIG["seed"],
        preset=CONFIG["preset"],
        code=artefact_code,
    message:
        "Making {wildcards.artefact}"
    script:
        "../../scripts/artefact.py"


use rule table as figure with:
    output:
        table=report(
            "results/tables/{artefact}.tsv",
            caption="../report/artefact.rst",
            category=artefact_study,
            labels={"artefact": "{artefact}", "content": "numbers"},
        ),
        markdown="results/tables/{artefact}.md",
        verdicts="results/verdicts/{artefact}.tsv",
        pdf="results/figures/{artefact}.pdf",
        png=report(
            "results/figures/{artefact}.png",
            caption="../report/artefact.rst",
            category=artefact_study,
            labels={"artefact": "{artefact}", "content": "figure"},
        ),
    wildcard_constraints:
        artefact=one_of(FIGURES),


rule draw_consensus:
    input:
        consensus=f"results/consensus/{CONSENSUS}.json",
        graphs=input_graphs,
    output:
        html=report(
            f"results/networks/consensus/{CONSENSUS}.html",
            caption="../report/network.rst",
            category="Networks",
            labels=CONSENSUS_LABELS,
        ),
        pdf=f"results/networks/consensus/{CONSENSUS}.pdf",
        png=f"results/networks/consensus/{CONSENSUS}.png",
        graph=f"results/networks/consensus/{CONSENSUS}.graphml",
    log:
        f"results/logs/draw_consensus/{CONSENSUS}.log",
    benchmark:
        f"results/benchmarks/draw_consensus/{CONSENSUS}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        kind="consensus",
        method="{method}",
        learner="{learner}",
        source="{source}",
        partition="{partition}",
        seed=number("first"),
        root_seed=CONFIG["seed"],
        code=code("draw.py"),
    message:
        "Drawing the network of {wildcards.method} on {wildcards.source}, {wildcards.partition}"
    script:
        "../../scripts/draw.py"


rule draw_federated:
    input:
        graphs=f"results/federated/{FEDERATED}/graphs.json",
        rounds=f"results/federated/{FEDERATED}/rounds.tsv",
    output:
        html=report(
            f"results/networks/federated/{FEDERATED}.html",
            caption="../report/network.rst",
            category="Networks",
            labels=FEDERATED_LABELS,
        ),
        pdf=f"results/networks/federated/{FEDERATED}.pdf",
        png=f"results/networks/federated/{FEDERATED}.png",
        graph=f"results/networks/federated/{FEDERATED}.graphml",
    log:
        f"results/logs/draw_federated/{FEDERATED}.log",
    benchmark:
        f"results/benchmarks/draw_federated/{FEDERATED}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        kind="federated",
        method="{method}",
        source="{source}",
        partition="{partition}",
        sites="{sites}",
        seed=number("first"),
        root_seed=CONFIG["seed"],
        code=code("draw.py"),
    message:
        "Drawing the network of {wildcards.method} on {wildcards.source}"
    script:
        "../../scripts/draw.py"


rule reproduction:
    input:
        verdicts=expand("results/verdicts/{artefact}.tsv", artefact=[*FIGURES, *TABLES]),
    output:
        table=report(
            "results/tables/reproduction.tsv",
            caption="../report/reproduction.rst",
            category="Comparison with the printed values",
        ),
        markdown="results/tables/reproduction.md",
    log:
        "results/logs/reproduction.log",
    benchmark:
        "results/benchmarks/reproduction.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        code=code("reproduction.py"),
    message:
        "Collecting the comparison with the printed values"
    script:
        "../../scripts/reproduction.py"
