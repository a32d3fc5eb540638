# Make a sample of the results again, from nothing, and compare the bytes.


rule verify:
    log:
        "results/logs/verify.log",
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=600,
    params:
        candidates=verifiable,
        wanted=CONFIG["verify"],
        config=verified_config(),
        snakefile=workflow.main_snakefile,
        root_seed=CONFIG["seed"],
    message:
        "Making some results again, to compare them"
    script:
        "../../scripts/verify.py"
