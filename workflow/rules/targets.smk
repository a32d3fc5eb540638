# What the targets of the command line stand for.


def everything():
    """All that the chosen studies make, and the consensus of the user's own networks if any are named."""
    return [
        *(path for study in PLAN.studies for path in study_outputs(study)),
        REPRODUCTION,
        *own_outputs(),
    ]


def own_outputs():
    """All that is made of the user's own networks; nothing where none are named."""
    return own_networks.outputs(CONFIG["networks"]["methods"]) if OWN_FILES else []


def study_outputs(study):
    """Figures, tables and network pages of a study."""
    return [
        *(f"results/tables/{name}.tsv" for name in PLAN.artefacts(study)),
        *PLAN.pages(study),
    ]


def all_learned(wildcards):
    """The files of all graphs that the chosen studies learn at sites."""
    files = (path for _, paths in learned_inputs(wildcards) for path in paths)
    return list(dict.fromkeys(files))


def learned_inputs(wildcards):
    """Learner, source, partition, seed and number of sites of what is learned, with the files of each."""
    return [(inputs, plan.learned_files(*inputs)) for inputs in PLAN.learned()]


def verifiable(wildcards):
    """The measures, tables and network pages that `verify` may make again."""
    return [
        *(planned.cell.scores for planned in PLAN.all_cells()),
        *(path for study in PLAN.studies for path in study_outputs(study)),
    ]


def verified_config():
    """The settings that `verify` makes results again with, in another folder."""
    kept = {key: value for key, value in CONFIG.items() if key not in ("networks", "cohort")}
    if kept["fmri_cohort"]:
        kept["fmri_cohort"] = str(Path(kept["fmri_cohort"]).resolve())
    return kept
