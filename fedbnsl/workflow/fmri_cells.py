"""The cells of an fMRI study: the strongest connections that a learner finds in one part of a cohort."""

from collections.abc import Iterator
from dataclasses import dataclass

from fedbnsl.data.fmri_simulation import FmriSimulation
from fedbnsl.errors import InputError
from fedbnsl.spec import Spec
from fedbnsl.studies.fmri_methods import check_method

#: The parts of a cohort, whose subjects differ, with what may be said of each.
PARTS = {"discovery": {"edges"}, "validation": {"edges", "subjects"}}
#: Stands for a real cohort in the place of a simulation.
REAL = "cohort"
#: The method that gives what was planted in a simulated cohort.
PLANTED = "planted"


@dataclass(frozen=True)
class FmriCell:
    """All learners on one part of a cohort, one job; for ``validation``, every seed is a draw of subjects.

    ``method`` is the learners joined by ``+``, ``partition`` the part with its options:
    ``validation@edges=72,subjects=5``.
    """

    method: str
    source: str
    partition: str
    sites: int
    seeds: tuple[int, int]
    kind = "fmri"
    learner = None

    @property
    def scores(self) -> str:
        """The file of connections."""
        first, last = self.seeds
        return f"results/scores/fmri/{self.method}/{self.source}/{self.partition}/seeds{first}-{last}.tsv"

    @property
    def seconds(self) -> float:
        """Predicted, for two groups of 56 regions at five sites."""
        each = sum(2.5 if name.startswith("notears-pfl") else 0.7 for name in self.method.split("+"))
        return each * (self.seeds[1] - self.seeds[0] + 1)


def simulation_of(source: str, root_seed: int) -> FmriSimulation:
    """The simulation of ``fmri@setting=easy,subjects=5``; InputError if there is none."""
    spec = Spec.parse(source)
    if spec.name != "fmri":
        raise InputError(
            f"there is no fMRI cohort {source!r}", remedy="Write fmri@… with settings of the simulation"
        )
    try:
        return FmriSimulation(seed=root_seed, **spec.dict())
    except TypeError as error:
        raise InputError(f"{source}: {error}") from None


def fmri_cells(
    experiment: dict, filled: list[dict], seeds: tuple[int, int], real: bool, root_seed: int
) -> Iterator[tuple[dict, FmriCell]]:
    """The cells of one experiment, with the grid values of each.

    Parameters
    ----------
    experiment : dict
        Of a study file.
    filled : list of dict
        Grid values, ``sites`` among them.
    seeds : (int, int)
        First and last draw.
    real : bool
        Whether the user's own cohort stands in for the simulated ones: the first grid values count then.
    root_seed : int
    """
    for values in filled[:1] if real else filled:
        source = REAL if real else str(Spec.parse(experiment["source"].format(**values)))
        part = Spec.parse(experiment["partition"].format(**values))
        if part.name not in PARTS or not {"edges"} <= set(part.dict()) <= PARTS[part.name]:
            raise InputError(
                f"{part} is no part of an fMRI cohort",
                remedy="Write discovery@edges=72 or validation@edges=72,subjects=5",
            )
        if not real:
            simulation_of(source, root_seed)
        methods = [method for method in experiment["methods"] if not (real and method == PLANTED)]
        for method in methods:
            if method != PLANTED:
                check_method(method)
        cell = FmriCell("+".join(methods), source, str(part), values["sites"], seeds)
        yield ({**values, "setting": REAL} if real else values), cell
