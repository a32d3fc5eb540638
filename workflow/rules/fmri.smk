# fMRI cohorts: simulate one in the layout of a real one, and learn connections from its parts.
from fedbnsl.workflow.fmri_cells import REAL as REAL_COHORT


def fmri_cohort_folder(wildcards):
    """The folder of the cohort: the user's own, or a simulated one."""
    if wildcards.source == REAL_COHORT:
        return CONFIG["fmri_cohort"]
    return f"results/fmri/{wildcards.source}"


def fmri_cohort_files(wildcards):
    """The files of the user's own cohort, so that a change of one is noticed."""
    if wildcards.source != REAL_COHORT:
        return []
    found = (path for pattern in ("*.*", "*/*.*") for path in Path(CONFIG["fmri_cohort"]).glob(pattern))
    return sorted(str(path) for path in found if path.is_file())


def fmri_memory(wildcards, attempt):
    """Megabytes for all time series of a cohort at once, and for learning from them."""
    return 2000 * attempt


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
