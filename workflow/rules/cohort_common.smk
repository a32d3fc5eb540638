# What the rules about a user's own sites share.

from fedbnsl.cohort.given import read_document

# Of a key that stands twice, Snakemake would take the last without a word: a site could be lost so.
if workflow.is_main_process:
    for path in workflow.configfiles:
        if Path(path).suffix in (".yaml", ".yml"):
            try:
                read_document(str(path))
            except InputError as error:
                raise WorkflowError(str(error)) from None

COHORT_SITES = [f"results/cohort/sites/{site.name}.parquet" for site in COHORT.sites]


def cohort_data():
    """What of the section `cohort` says what the sites' rows are; a change of method leaves it alone."""
    later = ("learner", "consensus", "federate", "stability", "held_out", "parameters")
    return {key: value for key, value in CONFIG["cohort"].items() if key not in later}


def cohort_code(script, *method_wildcards):
    """As :func:`code`, with the learner of the cohort."""

    def digest(wildcards):
        names = [COHORT.learner, *(wildcards[name] for name in method_wildcards)]
        entries = [registered(Spec.parse(name).name) for name in dict.fromkeys(names)]
        return closure.digest(HERE / "scripts" / script, entries)

    return digest


def cohort_learned(wildcards):
    """What the sites learned alone. A private method releases nothing else, so it has none of it."""
    if cohort_pieces.is_private(wildcards.method):
        return []
    return [f"results/cohort/sites/{site.name}.learned.json" for site in COHORT.sites]


def cohort_learner(wildcards):
    """What the sites learn with, for a method that uses their graphs; others do not hang on it."""
    return COHORT.learner if registered(Spec.parse(wildcards.method).name).kind == "consensus" else None


def cohort_background(wildcards):
    """The background knowledge, for a method that uses it or whose learner does."""
    way = Way(wildcards.method, COHORT.learner, COHORT.background)
    return CONFIG["cohort"]["background"] if way.uses_knowledge else None


def stability_of(method):
    """The files about the stability of a method; none for a private one, which every run costs."""
    if cohort_pieces.is_private(method):
        return []
    parts = cohort_pieces.stability_parts(COHORT.replicates, len(COHORT.sites))
    return [f"results/cohort/{method}/stability/{part}.json" for part in parts]


def held_out_of(method):
    """The file that judges a method on held-out rows; none for a private one, which every run costs."""
    if cohort_pieces.is_private(method) or not COHORT.folds:
        return []
    return [f"results/cohort/{method}/held_out.json"]


def cohort_stability_files(wildcards):
    """As :func:`stability_of`, for a rule."""
    return stability_of(wildcards.method)


def cohort_held_out_file(wildcards):
    """As :func:`held_out_of`, for a rule."""
    return held_out_of(wildcards.method)


def cohort_outputs():
    """All that is made of the user's own sites; nothing where none are named."""
    return cohort_pieces.outputs(COHORT.methods) if COHORT.sites else []
