"""From studies to cells: what has to be computed, and the file that each piece lives in.

A file is named by what it is (source, partition, seed, method with options), never by the study
that wants it, so two studies that need the same sites or the same learned graphs share them.

=====================  ===========================================================================
piece                  file below ``results/``
=====================  ===========================================================================
site files             ``sites/SOURCE/PARTITION/seedS/A-B/`` (sites A to B, one file each)
learned graphs         ``learned/LEARNER/SOURCE/PARTITION/seedS/A-B.json``
generated graphs       ``generated/GENERATOR/SOURCE/sitesN/seedsA-B/`` (``seedS/1-N.json`` each)
consensus              ``consensus/METHOD/LEARNER/SOURCE/PARTITION/sitesN_M/seedsA-B.json``
federation             ``federated/METHOD/SOURCE/PARTITION/sitesN/seedsA-B/`` (three files)
measures               the same below ``scores/``, as ``.tsv``
measures of one site   ``scores/personal/METHOD/SOURCE/PARTITION/sitesN/seedsA-B.tsv``
of grids of options    ``scores/grid/…`` and ``scores/held-out/…``, METHOD as in :mod:`.grids`
of what leaks          ``scores/attack/…``
connections in fMRI    ``scores/fmri/METHOD/SOURCE/PART/seedsA-B.tsv``, see :mod:`.fmri_cells`
=====================  ===========================================================================
"""

import itertools
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from fedbnsl.data.sources import check_partition, check_source, source_kind
from fedbnsl.errors import InputError
from fedbnsl.registry import method, methods
from fedbnsl.spec import Spec
from fedbnsl.workflow import cost, grids
from fedbnsl.workflow.cells import EACH_SITE, FOLDERS, GRIDS, ConsensusCell, FederateCell, is_secure
from fedbnsl.workflow.fmri_cells import FmriCell, fmri_cells

_MOST_SEEDS = 10_000
_DRAWN = ("consensus", "federate")  # the kinds of experiments whose networks can have pages

#: Generated graphs are judged on the data of this seed, whatever theirs: the data play no part in making
#: them, and so they are the ones that other experiments learn from.
JUDGING_SEED = 1


@dataclass(frozen=True)
class Planned:
    """A cell, the grid values that led to it, and the experiment it belongs to."""

    experiment: str
    values: tuple[tuple[str, object], ...]
    cell: ConsensusCell | FederateCell
    drawn: bool  # whether its network gets a page: the first seed's does, if the experiment has pages

    @property
    def columns(self) -> dict[str, object]:
        """What tells the cell's measures apart in an artefact's table: its network and grid values."""
        return {"network": Spec.parse(self.cell.source).name, **dict(self.values)}


class Plan:
    """All cells of the chosen studies.

    Parameters
    ----------
    config : dict
        Checked by :func:`fedbnsl.workflow.settings.check_config`.
    studies : dict
        From :func:`fedbnsl.workflow.settings.load_studies`.
    """

    def __init__(self, config: dict, studies: dict[str, dict]):
        self.config = config
        self.studies = {name: studies[name] for name in config["studies"]}
        self.cells: dict[str, dict[str, list[Planned]]] = {
            study: {
                name: list(self._cells(study, name, experiment))
                for name, experiment in content["experiments"].items()
            }
            for study, content in self.studies.items()
        }

    def artefacts(self, study: str) -> dict[str, dict]:
        """The artefacts of a study by name."""
        return self.studies[study]["artefacts"]

    def study_of(self, artefact: str) -> str:
        """The study that an artefact belongs to."""
        return next(name for name in self.studies if artefact in self.artefacts(name))

    def planned_for(self, artefact: str) -> list[Planned]:
        """The cells whose measures an artefact reads."""
        study = self.study_of(artefact)
        wanted = self.artefacts(study)[artefact]["experiments"]
        return [planned for name in wanted for planned in self.cells[study][name]]

    def all_cells(self) -> list[Planned]:
        """Every planned cell of every study."""
        return [planned for study in self.cells.values() for cells in study.values() for planned in cells]

    def learned(self) -> list[tuple[str, str, str, int, int]]:
        """Where graphs are learned: learner, source, partition, seed, number of sites; each once."""
        found = (
            (cell.learner, cell.source, cell.partition, seed, _most(cell.sites))
            for cell in (planned.cell for planned in self.all_cells())
            if cell.learner and not is_generator(cell.learner)
            for seed in range(cell.seeds[0], cell.seeds[1] + 1)
        )
        return list(dict.fromkeys(found))

    def pages(self, study: str) -> list[str]:
        """The network pages of a study."""
        found = (p.cell.page for cells in self.cells[study].values() for p in cells if p.drawn)
        return sorted(set(found))

    def _cells(self, study: str, name: str, experiment: dict) -> Iterator[Planned]:
        grid = dict(experiment["presets"][self.config["preset"]])
        grid.update(self.config["override"].get(study, {}).get(name, {}))
        first, last = grid.pop("seeds")
        if not 0 <= last - first < _MOST_SEEDS:
            raise InputError(
                f"seeds must be [first, last], not {[first, last]}",
                where=f"study {study}, {name}",
                remedy=f"Give the first and the last of at most {_MOST_SEEDS} seeds",
            )
        every = tuple(sorted(grid.pop("sites")))
        most = grid.pop("most_sites", {})
        kind = experiment["kind"]
        template = "".join([experiment["source"], experiment["partition"], *experiment["methods"]])
        if kind == FmriCell.kind:
            filled = _product(grid, where=f"study {study}, {name}", template=template)
            filled = [{**values, "sites": number} for values in filled for number in every]
            real = bool(self.config["fmri_cohort"])
            for values, cell in fmri_cells(experiment, filled, (first, last), real, self.config["seed"]):
                yield Planned(name, tuple(sorted(values.items())), cell, drawn=False)
            return
        per_number = kind in FOLDERS or "{sites}" in template
        for values in _product(grid, where=f"study {study}, {name}", template=template):
            network = values.get("network")
            numbers = tuple(number for number in every if number <= most.get(network, number))
            if not numbers:
                raise InputError(
                    f"{network} is to run with at most {most[network]} sites, and no number is as small",
                    where=f"study {study}, {name}",
                    remedy="Add a smaller number to sites, or leave the network out",
                )
            for sites in [(n,) for n in numbers] if per_number else [numbers]:
                filled = {**values, "sites": sites[0]}
                source = str(Spec.parse(experiment["source"].format(**filled)))
                partition = str(Spec.parse(experiment["partition"].format(**filled)))
                check_source(source)
                check_partition(partition)
                for text in (each.format(**filled) for each in experiment["methods"]):
                    if kind in FOLDERS:
                        label = self._federated(text, kind, source, study, name)
                        runs = grids.size(label) if kind in GRIDS else 1
                        size = cost.seeds_per_job(label, source, sites[0], runs)
                        cell = partial(FederateCell, sites=sites[0], kind=kind)
                    else:
                        label = self._with_options(text, kind, source, study, name)
                        size = cost.seeds_per_consensus_job(source, sites[-1])
                        learner = self._inputs(experiment["learner"], source, study, name)
                        _check_rows_known(label, learner, study, name)
                        cell = partial(ConsensusCell, learner=learner, sites=sites)
                    cell = partial(cell, method=label, source=source, partition=partition)
                    key = tuple(sorted(values.items()))
                    for seeds in batches(first, last, size):
                        drawn = experiment["pages"] and seeds[0] == first and kind in _DRAWN
                        yield Planned(name, key, cell(seeds=seeds), drawn)

    def _federated(self, text: str, kind: str, source: str, study: str, name: str) -> str:
        """The canonical text of a method of such an experiment, or of a grid of its options."""
        if kind != EACH_SITE and method(Spec.parse(text).name).per_site:
            raise InputError(
                f"{text!r} learns a network for each site",
                where=f"study {study}, {name}",
                remedy=f"Write kind: {EACH_SITE} for its experiment",
            )
        if kind != "federate" and method_is_secure(self.config, text):
            raise InputError(
                "mode: secure is for one run whose network is kept, not for measuring many or an attack",
                where=f"study {study}, {name}, method {text!r}",
                remedy="Write kind: federate, or leave mode out",
            )
        if kind in GRIDS:
            for one in grids.combinations(text):
                self._with_options(one, "federate", source, study, name)
            known = Spec.parse(text).name
            return grids.canonical(text, self.config["options"].get(known, {}), method(known).defaults())
        if kind == "personal" and Spec.parse(text).name in methods("learn"):
            return self._with_options(text, "learn", source, study, name)
        return self._with_options(text, "federate", source, study, name)

    def _inputs(self, text: str, source: str, study: str, name: str) -> str:
        """What makes the graphs that are fused, a learner or a generator, checked like any method."""
        if is_generator(text):
            return self._with_options(text, "generate", source, study, name)
        if source_kind(source) == "none":
            raise InputError(
                f"{source!r} has no rows to learn from",
                where=f"study {study}, {name}",
                remedy=f"As learner, take one of: {', '.join(methods('generate'))}",
            )
        return self._with_options(text, "learn", source, study, name)

    def _with_options(self, text: str, kind: str, source: str, study: str, name: str) -> str:
        """A method's canonical text, with the options that config sets and the study does not."""
        spec = Spec.parse(text)
        options = {**self.config["options"].get(spec.name, {}), **spec.dict()}
        entry = method(spec.name, kind)
        entry.checked(options, where=f"study {study}, {name}")
        if entry.data not in ("any", source_kind(source)):
            raise InputError(f"the method {spec.name!r} needs {entry.data} data, but {source!r} is not")
        return str(Spec.of(spec.name, options, entry.defaults()))


def method_is_secure(config: dict, text: str) -> bool:
    """Whether a method is to run in secure mode, by its text or by the options in config."""
    spec = Spec.parse(text)
    return is_secure(Spec.of(spec.name, {**config["options"].get(spec.name, {}), **spec.dict()}))


def _check_rows_known(label: str, learner: str, study: str, name: str) -> None:
    """Sites are weighted by rows where graphs are learned from rows."""
    if is_generator(learner) and Spec.parse(label).dict().get("weights") == "rows":
        raise InputError(
            f"{label!r} weights the sites by their rows, but {learner!r} draws the graphs from none",
            where=f"study {study}, {name}",
            remedy="Take a learner; or name the option only where sites have rows, not for all in options: "
            "for your own sites\n\n  cohort:\n    consensus: [gmcbc@weights=rows]\n",
        )


def is_generator(learner: str) -> bool:
    """Whether the graphs to fuse are generated instead of learned."""
    return Spec.parse(learner).name in methods("generate")


def batches(first: int, last: int, size: int) -> list[tuple[int, int]]:
    """The runs of ``size`` numbers that cover first … last; the last run may be shorter."""
    return [(start, min(start + size - 1, last)) for start in range(first, last + 1, size)]


def site_batches(source: str, sites: int) -> list[tuple[int, int]]:
    """The runs of site numbers written by one job each."""
    return batches(1, sites, cost.sites_per_file_job(source))


def learn_batches(learner: str, source: str, sites: int) -> list[tuple[int, int]]:
    """The runs of site numbers learned by one job each."""
    return batches(1, sites, cost.sites_per_learn_job(learner, source))


def learned_files(learner: str, source: str, partition: str, seed: int, sites: int) -> list[str]:
    """The files of the graphs learned at the sites 1 … ``sites``."""
    folder = f"results/learned/{learner}/{source}/{partition}/seed{seed}"
    return [f"{folder}/{first}-{last}.json" for first, last in learn_batches(learner, source, sites)]


def overlapping(runs: Iterable[tuple[int, int]], first: int, last: int) -> list[tuple[int, int]]:
    """The runs that hold at least one of the numbers first … last."""
    return [run for run in runs if run[0] <= last and run[1] >= first]


def _most(sites: int | tuple[int, ...]) -> int:
    return sites if isinstance(sites, int) else max(sites)


def _product(grid: dict, where: str, template: str) -> Iterator[dict]:
    unused = [key for key in grid if f"{{{key}}}" not in template]
    if unused:
        raise InputError(
            f"the key {unused[0]!r} stands in no template",
            where=where,
            remedy=f"Use {{{unused[0]}}} in source or partition, or drop it",
        )
    wanted = {field for _, field, _, _ in string.Formatter().parse(template) if field} - {"sites"}
    if wanted - set(grid):
        raise InputError(
            f"the templates use {{{min(wanted - set(grid))}}}, for which the preset has no values",
            where=where,
        )
    for values in itertools.product(*grid.values()):
        yield dict(zip(grid, values, strict=True))
