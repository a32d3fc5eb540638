# Settings, the plan, and the helpers that several rules use.
import os
import re
import sys
import time
from pathlib import Path

# One thread a job: small matrices gain nothing from more, and results must not depend on it.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

sys.path.insert(0, workflow.basedir)

from snakemake.exceptions import WorkflowError

from fedbnsl.cohort.examples import EXAMPLES
from fedbnsl.cohort.learning import Way
from fedbnsl.cohort.section import NO_SITES, Section
from fedbnsl.data.sources import source_kind
from fedbnsl.errors import InputError
from fedbnsl.registry import method as registered
from fedbnsl.registry import methods
from fedbnsl.spec import Spec
from fedbnsl.workflow.fmri_cells import REAL as REAL_COHORT
from fedbnsl.workflow import closure, cohort_pieces, cost, grids, own_networks, plan, settings, summary
from fedbnsl.workflow.cells import GRIDS

HERE = Path(workflow.basedir)
STARTED = time.time()
# targets that are about a user's own sites and nothing else
COHORT_TARGETS = {"check", "cohort", "examples"}

try:
    STUDIES = settings.load_studies(HERE / "workflow/studies", HERE / "workflow/schemas/study.schema.yaml")
    CONFIG = settings.check_config(config, HERE / "workflow/schemas/config.schema.yaml", STUDIES)
    PLAN = plan.Plan(CONFIG, STUDIES)
    OWN_FILES, OWN_REPEATED = own_networks.expand(CONFIG["networks"]["files"])
    if not OWN_FILES and "networks" in sys.argv and workflow.is_main_process:
        raise own_networks.NO_FILES
    COHORT = Section.of(CONFIG["cohort"])
    if not COHORT.sites and {"check", "cohort"} & set(sys.argv) and workflow.is_main_process:
        raise NO_SITES
except InputError as error:
    raise WorkflowError(str(error)) from None


wildcard_constraints:
    seed=r"\d+",
    first=r"\d+",
    last=r"\d+",
    sites=r"\d+(_\d+)*",
    method=r"[^/]+",
    learner=r"[^/]+",
    source=r"[^/]+",
    partition=r"[^/]+",
    artefact=r"[^/.]+",
    site=r"[^/]+",
    part=r"\d+-\d+|sites",


def code(script, *method_wildcards, modules=()):
    """A params function: digest of the code that a script reaches, its methods' code included."""

    def digest(wildcards):
        entries = [registered(Spec.parse(wildcards[name]).name) for name in method_wildcards]
        return closure.digest(HERE / "scripts" / script, entries, modules)

    return digest


def method_options(wildcard):
    """A params function: all options of the method that a wildcard names, defaults included."""

    def options(wildcards):
        spec = Spec.parse(wildcards[wildcard])
        return registered(spec.name).checked(spec.dict())

    return options


def number(wildcard):
    """A params function: a wildcard as an integer."""

    def value(wildcards):
        return int(wildcards[wildcard])

    return value


def numbers(wildcard):
    """A params function: a wildcard like 3_10 as a list of integers."""

    def value(wildcards):
        return [int(part) for part in wildcards[wildcard].split("_")]

    return value


def site_folders(source, partition, seed, first, last):
    """The folders that hold the files of the sites first … last."""
    runs = plan.overlapping(plan.site_batches(source, last), first, last)
    return [f"results/sites/{source}/{partition}/seed{seed}/{a}-{b}" for a, b in runs]


def one_of(names):
    """A wildcard constraint: one of these names, or nothing at all where there is none."""
    return "|".join(map(re.escape, names)) or "(?!)"


def consensus_memory(wildcards, attempt):
    """Megabytes for the graphs of the largest number of sites; no rows are read."""
    return cost.memory_mb(wildcards.source, held=0, graphs=max(numbers("sites")(wildcards))) * attempt


def score_memory(wildcards, attempt):
    """Megabytes for the graphs and the rows of the largest number of sites."""
    most = max(numbers("sites")(wildcards))
    return cost.memory_mb(wildcards.source, held=most, graphs=most) * attempt


def consensus_runtime(wildcards, attempt):
    """Minutes to ask for."""
    seconds = cost.consensus_seconds(wildcards.source, max(numbers("sites")(wildcards)))
    return cost.runtime_minutes(len(seeds_of(wildcards)) * seconds, attempt)


def sites_memory(wildcards, attempt):
    """Megabytes to make sites: one after another, or all at once where one table is split."""
    split = Spec.parse(wildcards.partition).dict().get("sites", 1)
    return cost.memory_mb(wildcards.source, held=split) * attempt


def learn_memory(wildcards, attempt):
    """Megabytes to learn at one site after another."""
    return cost.memory_mb(wildcards.source) * attempt


def learn_inputs(wildcards):
    """The folders that hold the run's sites."""
    return site_folders(
        wildcards.source,
        wildcards.partition,
        wildcards.seed,
        int(wildcards.first),
        int(wildcards.last),
    )


def learn_runtime(wildcards, attempt):
    """Minutes to ask for."""
    sites = int(wildcards.last) - int(wildcards.first) + 1
    seconds = sites * cost.learn_seconds(wildcards.learner, wildcards.source)
    return cost.runtime_minutes(seconds, attempt, at_least=sites * (CONFIG["site_time_limit"] or 0))


def seeds_of(wildcards):
    """The seeds of a run."""
    return range(int(wildcards.first), int(wildcards.last) + 1)


def input_graphs(wildcards):
    """The files of the largest number of learned graphs for every seed, or the folder of generated ones."""
    w, sites = wildcards, max(numbers("sites")(wildcards))
    if plan.is_generator(w.learner):
        return [f"results/generated/{w.learner}/{w.source}/sites{sites}/seeds{w.first}-{w.last}"]
    return [
        path
        for seed in seeds_of(w)
        for path in plan.learned_files(w.learner, w.source, w.partition, seed, sites)
    ]


def federate_inputs(wildcards):
    """The folders of all sites, for every seed of the run."""
    return [
        folder
        for seed in seeds_of(wildcards)
        for folder in site_folders(wildcards.source, wildcards.partition, seed, 1, int(wildcards.sites))
    ]


def federate_memory(wildcards, attempt):
    """Megabytes for all sites of one seed at once."""
    return cost.memory_mb(wildcards.source, int(wildcards.sites)) * attempt


def federate_runtime(wildcards, attempt):
    """Minutes to ask for."""
    seconds = cost.federate_seconds(wildcards.method, wildcards.source, int(wildcards.sites))
    return cost.runtime_minutes(len(seeds_of(wildcards)) * seconds, attempt)


def grid_runtime(wildcards, attempt):
    """Minutes to ask for."""
    seconds = cost.federate_seconds(wildcards.method, wildcards.source, int(wildcards.sites))
    runs = grids.size(wildcards.method) * (2 if held_out(wildcards) else 1)
    return cost.runtime_minutes(len(seeds_of(wildcards)) * runs * seconds, attempt)


def each_site_runtime(wildcards, attempt):
    """Minutes to ask for."""
    seconds = cost.federate_seconds(wildcards.method, wildcards.source, int(wildcards.sites))
    runs = grids.size(wildcards.method)
    return cost.runtime_minutes(len(seeds_of(wildcards)) * runs * seconds, attempt)


def held_out(wildcards):
    """The share of rows that sites keep out to judge what they learned; 0 if that is not measured."""
    return 0.2 if wildcards.measured == "held-out" else 0.0


def is_learner(wildcards):
    """Whether each site learns with the method by itself."""
    return Spec.parse(wildcards.method).name in methods("learn")


def personal_networks(wildcards):
    """The files of the networks that sites learned by themselves, or that they learned together."""
    w = wildcards
    if not is_learner(w):
        folder = f"{w.method}/{w.source}/{w.partition}/sites{w.sites}/seeds{w.first}-{w.last}"
        return [f"results/federated/{folder}/graphs.json"]
    return [
        path
        for seed in seeds_of(w)
        for path in plan.learned_files(w.method, w.source, w.partition, seed, int(w.sites))
    ]


def personal_sites(wildcards):
    """The data on which a shared network is refitted."""
    return [] if is_learner(wildcards) else federate_inputs(wildcards)


def judging_seeds(wildcards):
    """The seed of the data that the networks of each seed are judged on; none where there are no rows."""
    if source_kind(wildcards.source) == "none":
        return {}
    generated = plan.is_generator(wildcards.learner)
    return {seed: plan.JUDGING_SEED if generated else seed for seed in seeds_of(wildcards)}


def judging_sites(wildcards):
    """The folders of the largest number of sites that the networks are judged on."""
    w, sites = wildcards, max(numbers("sites")(wildcards))
    return [
        folder
        for seed in sorted(set(judging_seeds(w).values()))
        for folder in site_folders(w.source, w.partition, seed, 1, sites)
    ]


def artefact_scores(wildcards):
    """The measures that an artefact reads."""
    found = (planned.cell.scores for planned in PLAN.planned_for(wildcards.artefact))
    return sorted(set(found))


def artefact_cells(wildcards):
    """Experiment, grid values and file of every cell that an artefact reads."""
    return [
        {"experiment": p.experiment, "scores": p.cell.scores, "values": p.columns}
        for p in PLAN.planned_for(wildcards.artefact)
    ]


def artefact_of(wildcards):
    """The study file's entry of an artefact."""
    return PLAN.artefacts(PLAN.study_of(wildcards.artefact))[wildcards.artefact]


def artefact_code(wildcards):
    """Digest of the code that makes an artefact."""
    maker = artefact_of(wildcards)["make"].partition(":")[0]
    return code("artefact.py", modules=[maker])(wildcards)


def artefact_paper(wildcards):
    """The study that an artefact belongs to."""
    return PLAN.study_of(wildcards.artefact)


def artefact_study(wildcards):
    """The report's category of an artefact: the title of its study."""
    return STUDIES[artefact_paper(wildcards)]["title"]


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


def cohort_data():
    """What of the section `cohort` says what the sites' rows are; a change of method leaves it alone."""
    later = ("learner", "consensus", "federate", "stability", "held_out", "parameters")
    return {key: value for key, value in CONFIG["cohort"].items() if key not in later}


def cohort_memory(wildcards, attempt, input):
    """Megabytes to hold all files of the cohort as text cells at once."""
    return (600 + int(40 * input.size_mb)) * attempt


def cohort_runtime(wildcards, attempt, input):
    """Minutes for learning again and again from all rows of the cohort; `site_time_limit` bounds a search."""
    return (30 + int(10 * input.size_mb)) * attempt


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


def all_learned():
    """The files of all graphs that the chosen studies learn at sites."""
    files = (path for _, paths in learned_inputs() for path in paths)
    return list(dict.fromkeys(files))


def learned_inputs():
    """Learner, source, partition, seed and number of sites of what is learned, with the files of each."""
    return [(inputs, plan.learned_files(*inputs)) for inputs in PLAN.learned()]


def study_outputs(study):
    """Figures, tables and network pages of a study."""
    return [
        *(f"results/tables/{name}.tsv" for name in PLAN.artefacts(study)),
        *PLAN.pages(study),
    ]


def verifiable():
    """The measures, tables and network pages that `verify` may make again."""
    return [
        *(planned.cell.scores for planned in PLAN.all_cells()),
        *(path for study in PLAN.studies for path in study_outputs(study)),
    ]


def at_once():
    """How many jobs run at once: as many as there are cores here, or as a cluster may hold."""
    asked = workflow.resource_settings
    return max(1, asked.cores or asked.nodes or 1)


def announce():
    """Say what is about to run and what it will take."""
    if OWN_FILES and not COHORT_ALONE:
        print(own_networks.announcement(OWN_FILES, CONFIG["networks"]["methods"]), file=sys.stderr)
    if OWN_ALONE or COHORT_ALONE or "verify" in sys.argv:
        return
    print(summary.announcement(PLAN, at_once()), file=sys.stderr)


def summarize(succeeded):
    """Say what was made, where, and how long it took."""
    if "check" in sys.argv and Path(CHECKED).exists():
        print(Path(CHECKED).read_text(encoding="utf-8"), file=sys.stderr)
    if COHORT.sites and "cohort" in sys.argv:
        print(cohort_pieces.report(COHORT.methods), file=sys.stderr)
    if OWN_FILES and not COHORT_ALONE:
        print(own_networks.report(CONFIG["networks"]["methods"]), file=sys.stderr)
    if OWN_ALONE or COHORT_ALONE or "verify" in sys.argv:
        return
    print(
        summary.report(PLAN, STARTED, time.time(), at_once(), succeeded),
        file=sys.stderr,
    )


# whether the run is about the user's own networks and nothing else
OWN_ALONE = "networks" in sys.argv and not {"all", "learned", *PLAN.studies} & set(sys.argv)
COHORT_ALONE = bool(COHORT_TARGETS & set(sys.argv)) and not {
    "all",
    "learned",
    "networks",
    *PLAN.studies,
} & set(sys.argv)
CHECKED = "results/cohort/check.txt"
COHORT_SITES = [f"results/cohort/sites/{site.name}.parquet" for site in COHORT.sites]
LEARNED = "results/learned/sites.tsv"
REPRODUCTION = "results/tables/reproduction.tsv"
# what tells the networks in the report apart
CONSENSUS_LABELS = {
    "data": "{source}",
    "partition": "{partition}",
    "sites": "{sites}",
    "learner": "{learner}",
    "method": "{method}",
    "seed": "{first}",
}
FEDERATED_LABELS = {
    "data": "{source}",
    "partition": "{partition}",
    "sites": "{sites}",
    "learner": "–",
    "method": "{method}",
    "seed": "{first}",
}
CONSENSUS = "{method}/{learner}/{source}/{partition}/sites{sites}/seeds{first}-{last}"
FEDERATED = "{method}/{source}/{partition}/sites{sites}/seeds{first}-{last}"
FIGURES = [name for study in PLAN.studies for name, a in PLAN.artefacts(study).items() if a["figure"]]
TABLES = [name for study in PLAN.studies for name, a in PLAN.artefacts(study).items() if not a["figure"]]

# `onstart` does not run in a dry run, where one wants to know as much
if {"-n", "--dry-run", "--dryrun"} & set(sys.argv) and workflow.is_main_process:
    announce()
