"""What a study will take, from nothing: jobs, seconds of computing, the memory of its largest job."""

from dataclasses import dataclass

from fedbnsl.data.sources import source_kind
from fedbnsl.workflow import cost
from fedbnsl.workflow.cells import EACH_SITE, ConsensusCell
from fedbnsl.workflow.fmri_cells import FmriCell
from fedbnsl.workflow.plan import JUDGING_SEED, Plan, is_generator, learn_batches, site_batches


@dataclass(frozen=True)
class Forecast:
    """``jobs`` is near the truth, ``seconds`` within a factor of three, ``memory_mb`` what is asked for."""

    jobs: int
    seconds: float
    memory_mb: int


def forecast(plan: Plan, study: str) -> Forecast:
    """Add up a study's jobs; sites, graphs and runs that several of its experiments share count once."""
    cells = dict.fromkeys(planned.cell for cells in plan.cells[study].values() for planned in cells)
    sites: dict[tuple, int] = {}  # (source, partition, seed) → how many
    learned: dict[tuple, int] = {}  # the same for (learner, source, partition, seed)
    other, jobs, seconds, memory = set(), 0, 0.0, 500
    for cell in cells:
        first, last = cell.seeds
        seeds = range(first, last + 1)
        if isinstance(cell, FmriCell):
            jobs += 1
            seconds += cell.seconds
            other.add(cell.source)  # its cohort is simulated once
            continue
        if isinstance(cell, ConsensusCell):
            most = max(cell.sites)
            if is_generator(cell.learner):
                other.add((cell.learner, cell.source, cell.sites, cell.seeds))
                data = [JUDGING_SEED]
            else:
                data = seeds
                for seed in seeds:
                    _at_least(learned, (cell.learner, cell.source, cell.partition, seed), most)
            jobs += 2
            seconds += 2 * len(seeds) * cost.consensus_seconds(cell.source, most)
            memory = max(memory, cost.memory_mb(cell.source, most, most))
        else:
            most, data = cell.sites, seeds
            jobs += 1
            if cell.kind == EACH_SITE:  # draws its own sites
                data = []
            elif cell.learner is None and cell.kind in ("federate", "personal", "attack"):
                other.add((cell.method, cell.source, cell.partition, cell.sites, cell.seeds))
            if cell.learner:
                seconds += len(seeds) * cell.sites * cost.learn_seconds(cell.learner, cell.source)
            elif cell.kind not in ("personal", "attack"):  # what these measure is made for another kind
                seconds += (
                    len(seeds) * cell.runs * cost.federate_seconds(cell.method, cell.source, cell.sites)
                )
            memory = max(memory, cost.memory_mb(cell.source, most))
        if source_kind(cell.source) != "none":
            for seed in data:
                _at_least(sites, (cell.source, cell.partition, seed), most)
    for (learner, source, _, _), number in learned.items():
        seconds += number * cost.learn_seconds(learner, source)
        jobs += len(learn_batches(learner, source, number))
    jobs += sum(len(site_batches(source, number)) for (source, _, _), number in sites.items())
    jobs += len(other) + len(plan.pages(study)) + len(plan.artefacts(study))
    return Forecast(jobs, seconds + cost.JOB_SECONDS * jobs, memory)


def _at_least(numbers: dict[tuple, int], key: tuple, number: int) -> None:
    numbers[key] = max(numbers.get(key, 0), number)
