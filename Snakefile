from snakemake.utils import min_version

min_version("9.27")


configfile: "config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/targets.smk"
include: "workflow/rules/requests.smk"
include: "workflow/rules/messages.smk"
include: "workflow/rules/cluster.smk"
include: "workflow/rules/sites.smk"
include: "workflow/rules/learn.smk"
include: "workflow/rules/generate.smk"
include: "workflow/rules/federate.smk"
include: "workflow/rules/consensus.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/fmri.smk"
include: "workflow/rules/networks.smk"
include: "workflow/rules/cohort_common.smk"
include: "workflow/rules/cohort.smk"
include: "workflow/rules/cohort_networks.smk"
include: "workflow/rules/verify.smk"


rule all:
    default_target: True
    input:
        everything(),
    message:
        "All figures, tables and networks are there"


rule learned:
    input:
        LEARNED,
    message:
        "The graphs of the sites are listed in {input}"


for study in PLAN.studies:

    rule:
        name:
            study
        input:
            study_outputs(study),
        message:
            "All of this study is there"


onstart:
    announce()


onsuccess:
    summarize(succeeded=True)


onerror:
    summarize(succeeded=False)
