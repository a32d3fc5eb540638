"""A cohort of fMRI time series in which the connections are known, because they were planted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fedbnsl.data.atlas import region_names
from fedbnsl.data.fmri import FmriCohort, Subject
from fedbnsl.data.linear_equations import solve_linear_equations
from fedbnsl.data.settings import one_of, whole
from fedbnsl.errors import InputError
from fedbnsl.seeds import generator

PATIENTS, CONTROLS = "MDD", "HC"

#: Volumes at the five sites of the paper, in the order of its tables.
VOLUMES = (240, 240, 240, 107, 143)
#: Patients and controls at them (its table 4).
PATIENT_COUNTS, CONTROL_COUNTS = (70, 16, 62, 33, 57), (124, 159, 96, 29, 67)


class Setting(NamedTuple):
    """How hard a cohort is to learn from.

    Attributes
    ----------
    autocorrelation : float
        Of the noise from one volume to the next.
    low, high : float
        Range of the size of a connection's weight.
    subject_sd : float
        Standard deviation of a subject's weights around those of the group.
    scored : bool
        Whether every ROI of every subject is scaled to variance 1.
    """

    autocorrelation: float
    low: float
    high: float
    subject_sd: float
    scored: bool


SETTINGS = {
    "easy": Setting(0.5, 0.25, 0.6, 0.0, False),
    "demonstration": Setting(0.8, 0.2, 0.45, 0.15, False),
    "warning": Setting(0.5, 0.25, 0.6, 0.0, True),
}


class Connection(NamedTuple):
    """A planted connection: from ROI ``i`` to ROI ``j``, of a ``kind``, at a ``site`` or at all (-1)."""

    i: int
    j: int
    kind: str
    site: int
    weight: float


@dataclass(frozen=True)
class FmriSimulation:
    """Sites whose subjects follow x_t = Wᵀ x_t + e_t, e an AR(1) noise of variance 1 in every ROI.

    Connections are of three kinds: ``shared`` by all, of the ``disease`` (patients at all sites), and of one
    ``site`` (patients and controls there). All of them together are acyclic. Equal noise variances are what
    tells directions on the raw scale; real recordings do not promise them.

    Attributes
    ----------
    setting : {"easy", "demonstration", "warning"}
        See :data:`SETTINGS`. ``warning`` is the easy one with every ROI scaled to variance 1, which takes the
        directions away.
    seed : int
    sites : int
        Default: 5.
    subjects : int, optional
        Of each group at each site. None: as many as in the paper, for its five sites.
    rois : int
        The first ones of the 56 that the paper studies. Default: 56.
    shared, disease, specific : int
        How many connections are shared, of the disease, and of each site. Default: 50, 12 and 10.
    """

    setting: str = "demonstration"
    seed: int = 1
    sites: int = 5
    subjects: int | None = 5
    rois: int = 56
    shared: int = 50
    disease: int = 12
    specific: int = 10

    def __post_init__(self):
        one_of("setting", self.setting, SETTINGS)
        for key in ("seed", "sites", "rois", "shared", "disease", "specific"):
            object.__setattr__(self, key, whole(key, getattr(self, key)))
        if self.subjects is not None:
            object.__setattr__(self, "subjects", whole("subjects", self.subjects))
        if self.subjects is None and self.sites != len(VOLUMES):
            raise InputError(
                f"the paper's numbers of subjects are those of {len(VOLUMES)} sites, not {self.sites}"
            )
        if self.sites < 1 or not (self.subjects is None or self.subjects >= 1):
            raise InputError("there must be at least one site, with at least one subject of each group")
        if not 2 <= self.rois <= len(self._all_names()):
            raise InputError(f"rois must lie between 2 and {len(self._all_names())}, not {self.rois}")
        wanted = self.shared + self.disease + self.sites * self.specific
        if min(self.shared, self.disease, self.specific) < 0 or wanted > self.rois * (self.rois - 1) // 2:
            raise InputError(
                f"{wanted} connections cannot be planted among {self.rois} ROIs",
                remedy="Give fewer connections (shared, disease, specific), none negative, or more ROIs",
            )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The ROIs, by the abbreviations of the atlas."""
        return self._all_names()[: self.rois]

    @property
    def site_names(self) -> tuple[str, ...]:
        """site-1, site-2, …"""
        return tuple(f"site-{k + 1}" for k in range(self.sites))

    @cached_property
    def planted(self) -> tuple[Connection, ...]:
        """All connections, in a random causal order of the ROIs."""
        rng = self._generator("connections")
        order = rng.permutation(self.rois)
        later, earlier = np.tril_indices(self.rois, -1)
        kinds = [("shared", -1)] * self.shared + [("disease", -1)] * self.disease
        kinds += [("site", site) for site in range(self.sites) for _ in range(self.specific)]
        picks = rng.choice(len(later), len(kinds), replace=False)
        sizes = rng.uniform(*SETTINGS[self.setting][1:3], len(kinds)) * rng.choice([-1.0, 1.0], len(kinds))
        return tuple(
            Connection(int(order[earlier[p]]), int(order[later[p]]), kind, site, float(size))
            for p, (kind, site), size in zip(picks, kinds, sizes, strict=True)
        )

    def weights(self, site: int, group: str) -> np.ndarray:
        """W of a group at site 0, 1, …, shape (rois, rois)."""
        weights = np.zeros((self.rois, self.rois))
        for one in self.planted:
            if one.site in (-1, site) and not (one.kind == "disease" and group == CONTROLS):
                weights[one.i, one.j] = one.weight
        return weights

    def cohort(self) -> FmriCohort:
        """The time series of all subjects."""
        subjects = []
        for site, label in enumerate(self.site_names):
            for group in (PATIENTS, CONTROLS):
                for number in range(1, self._count(site, group) + 1):
                    name = f"{group}-{site + 1}-{number:03d}"
                    subjects.append(Subject(name, label, group, self._series(site, group, number)))
        return FmriCohort(self.names, subjects)

    @property
    def n_values(self) -> int:
        """How many numbers the time series of all subjects hold."""
        return self.rois * sum(
            VOLUMES[site % len(VOLUMES)] * self._count(site, group)
            for site in range(self.sites)
            for group in (PATIENTS, CONTROLS)
        )

    def _count(self, site: int, group: str) -> int:
        """Subjects of a group at a site."""
        if self.subjects is not None:
            return self.subjects
        return (PATIENT_COUNTS if group == PATIENTS else CONTROL_COUNTS)[site]

    def _series(self, site: int, group: str, number: int) -> np.ndarray:
        setting, rng = SETTINGS[self.setting], self._generator("subject", site, group, number)
        volumes = VOLUMES[site % len(VOLUMES)]
        noise = rng.standard_normal((volumes, self.rois))
        noise[1:] *= np.sqrt(1 - setting.autocorrelation**2)
        for t in range(1, volumes):
            noise[t] += setting.autocorrelation * noise[t - 1]
        weights = self.weights(site, group)
        weights = np.where(
            weights, weights + setting.subject_sd * rng.standard_normal(weights.shape), weights
        )
        values = solve_linear_equations(weights, np.asfortranarray(noise))
        return values / values.std(axis=0) if setting.scored else values

    def _generator(self, *key) -> np.random.Generator:
        return generator(self.seed, "fmri simulation", self.setting, self.rois, *key)

    @staticmethod
    def _all_names() -> tuple[str, ...]:
        return region_names(selected=True)
