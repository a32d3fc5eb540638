# Fuse a user's own networks: files named in config.yaml, no data, no study.


rule networks:
    input:
        own_outputs(),
    message:
        "The consensus of your own networks is in results/own"


rule read_networks:
    input:
        OWN_FILES,
    output:
        "results/own/inputs.json",
    log:
        "results/logs/read_networks.log",
    benchmark:
        "results/benchmarks/read_networks.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        variables=CONFIG["networks"]["variables"],
        repeated=OWN_REPEATED,
        code=code("read_networks.py"),
    message:
        "Reading {input}"
    script:
        "../../scripts/read_networks.py"


rule own_network:
    input:
        "results/own/inputs.json",
    output:
        html=report(
            "results/own/{method}/index.html",
            caption="../report/own.rst",
            category="Your own networks",
            labels={"method": "{method}"},
        ),
        edges="results/own/{method}/edges.csv",
        reasons="results/own/{method}/reasons.tsv",
        measures="results/own/{method}/measures.json",
        graphml="results/own/{method}/network.graphml",
        dot="results/own/{method}/network.dot",
        json="results/own/{method}/network.json",
        pdf="results/own/{method}/network.pdf",
        png="results/own/{method}/network.png",
        theta="results/own/{method}/theta.tsv",
        theta_pdf="results/own/{method}/theta.pdf",
        theta_png="results/own/{method}/theta.png",
    log:
        "results/logs/own_network/{method}.log",
    benchmark:
        "results/benchmarks/own_network/{method}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        method="{method}",
        options=method_options("method"),
        theta=CONFIG["networks"]["theta"],
        root_seed=CONFIG["seed"],
        code=code("networks.py", "method"),
    message:
        "Consensus of your own networks by {wildcards.method}"
    script:
        "../../scripts/networks.py"


rule compare_networks:
    input:
        inputs="results/own/inputs.json",
        measures=expand("results/own/{method}/measures.json", method=CONFIG["networks"]["methods"]),
    output:
        methods=report(
            "results/own/methods.tsv",
            caption="../report/own_methods.rst",
            category="Your own networks",
        ),
        markdown="results/own/methods.md",
        inputs="results/own/inputs.tsv",
        inputs_markdown="results/own/inputs.md",
    log:
        "results/logs/compare_networks.log",
    benchmark:
        "results/benchmarks/compare_networks.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        code=code("compare_networks.py"),
    message:
        "Comparing the methods on your own networks"
    script:
        "../../scripts/compare_networks.py"
