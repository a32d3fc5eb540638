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
from fedbnsl.data.fmri_files import check_folder
from fedbnsl.data.sources import source_kind
from fedbnsl.errors import InputError
from fedbnsl.registry import method as registered
from fedbnsl.registry import methods
from fedbnsl.spec import Spec
from fedbnsl.workflow import closure, cohort_pieces, cost, grids, own_networks, plan, settings, summary
from fedbnsl.workflow.cells import EACH_SITE, GRIDS
from fedbnsl.workflow.fmri_cells import REAL as REAL_COHORT
from fedbnsl.workflow.fmri_cells import simulation_of

HERE = Path(workflow.basedir)
STARTED = time.time()

try:
    STUDIES = settings.load_studies(HERE / "workflow/studies", HERE / "workflow/schemas/study.schema.yaml")
    CONFIG = settings.check_config(config, HERE / "workflow/schemas/config.schema.yaml", STUDIES)
    PLAN = plan.Plan(CONFIG, STUDIES)
    OWN_FILES, OWN_REPEATED = own_networks.expand(CONFIG["networks"]["files"])
    own_networks.check_weights(CONFIG["networks"]["methods"], OWN_FILES)
    if not OWN_FILES and "networks" in sys.argv and workflow.is_main_process:
        raise own_networks.NO_FILES
    if CONFIG["fmri_cohort"]:
        check_folder(CONFIG["fmri_cohort"])
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


def learn_inputs(wildcards):
    """The folders that hold the run's sites."""
    return site_folders(
        wildcards.source,
        wildcards.partition,
        wildcards.seed,
        int(wildcards.first),
        int(wildcards.last),
    )


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


def held_out(wildcards):
    """The share of rows that sites keep out to judge what they learned; 0 if that is not measured."""
    return 0.2 if wildcards.get("measured") == "held-out" else 0.0


def is_learner(wildcards):
    """Whether each site learns with the method by itself."""
    return Spec.parse(wildcards.method).name in methods("learn")


def personal_networks(wildcards):
    """The files of the networks that sites learned by themselves, or that they learned together."""
    w = wildcards
    if not is_learner(w):
        return [f"results/federated/{FEDERATED}/graphs.json".format(**w)]
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


CHECKED = "results/cohort/check.txt"
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
FEDERATED_LABELS = {**CONSENSUS_LABELS, "learner": "–"}
CONSENSUS = "{method}/{learner}/{source}/{partition}/sites{sites}/seeds{first}-{last}"
FEDERATED = "{method}/{source}/{partition}/sites{sites}/seeds{first}-{last}"
FIGURES = [name for study in PLAN.studies for name, a in PLAN.artefacts(study).items() if a["figure"]]
TABLES = [name for study in PLAN.studies for name, a in PLAN.artefacts(study).items() if not a["figure"]]
