"""Cohorts of fMRI time series from several sites: who was scanned where, and what each region did.

A cohort is a folder::

    participants.tsv        columns subject, site, group (or participants.csv)
    rois.txt                the ROI names, one a line; only where series are .npy files
    SITE/SUBJECT.csv        one table a subject: a line a volume, a column an ROI (or .tsv, or .npy)

Every subject is at one site and in one group, and all that is drawn or split is subjects, never volumes: two
parts of a cohort cannot share a person.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.seeds import generator


@dataclass(frozen=True)
class Subject:
    """One person's recording.

    Attributes
    ----------
    name, site, group : str
    values : ndarray, shape (T, d)
        T volumes of d ROIs, in the unit of the file.
    """

    name: str
    site: str
    group: str
    values: np.ndarray


class FmriCohort:
    """The subjects of all sites, immutable.

    Parameters
    ----------
    names : sequence of str
        The d ROIs.
    subjects : iterable of Subject

    Raises
    ------
    InputError
        If there is no subject, one appears twice, two have the same recording, or a series has fewer than two
        volumes, another number of columns, a value that is no finite number, or a constant ROI.
    """

    def __init__(self, names: Sequence[str], subjects: Iterable[Subject]):
        self.names = tuple(names)
        self.subjects = tuple(sorted(subjects, key=lambda one: (one.site, one.name)))
        if not self.subjects:
            raise InputError("the cohort has no subject")
        seen: dict[str, Subject] = {}
        recordings: dict[bytes, Subject] = {}
        for one in self.subjects:
            where = f"site {one.site}, subject {one.name}"
            if one.name in seen:
                raise InputError(
                    twice((seen[one.name].site, seen[one.name].group), (one.site, one.group)),
                    where=f"subject {one.name}",
                    remedy=ONCE,
                )
            seen[one.name] = one
            _check_series(one.values, self.names, where)
            digest = hashlib.sha256(np.ascontiguousarray(one.values).tobytes()).digest()
            if digest in recordings:
                raise InputError(
                    f"the time series is the same as that of subject {recordings[digest].name}",
                    where=where,
                    remedy="Remove one of the two: a person in both parts of a split would be a leak",
                )
            recordings[digest] = one

    def __repr__(self) -> str:
        return (
            f"<FmriCohort: {len(self.subjects)} subjects, {len(self.sites)} sites, groups "
            f"{', '.join(self.groups)}, {len(self.names)} ROIs>"
        )

    @cached_property
    def sites(self) -> tuple[str, ...]:
        """The sites, sorted."""
        return tuple(sorted({one.site for one in self.subjects}))

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The groups, sorted."""
        return tuple(sorted({one.group for one in self.subjects}))

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What is allowed but should be known: series of different length at a site, values on scale 1."""
        found = []
        for site in self.sites:
            lengths = sorted({len(one.values) for one in self.subjects if one.site == site})
            if len(lengths) > 1:
                found.append(
                    f"site {site}: series of {', '.join(map(str, lengths))} volumes; every volume counts "
                    "alike, so longer series count more"
                )
        if all(np.allclose(one.values.var(axis=0), 1, atol=0.02) for one in self.subjects):
            found.append(
                "all series have variance 1: without the scale, directions are hardly to be learned; look at "
                "connections without their direction"
            )
        return tuple(found)

    def of(self, site: str, group: str) -> tuple[Subject, ...]:
        """The subjects of one group at one site, by name."""
        return tuple(one for one in self.subjects if (one.site, one.group) == (site, group))

    def series(self, group: str) -> dict[str, list[np.ndarray]]:
        """For each site, the series of a group's subjects, every column centred, not scaled.

        Raises
        ------
        InputError
            If a site has no subject of this group.
        """
        found = {}
        for site in self.sites:
            own = self.of(site, group)
            if not own:
                raise InputError(
                    f"no subject of group {group!r}",
                    where=f"site {site}",
                    remedy=f"Leave the site out, or choose one of the groups {', '.join(self.groups)}",
                )
            found[site] = [one.values - one.values.mean(axis=0) for one in own]
        return found

    def site_data(self, group: str) -> list[SiteData]:
        """One table a site for the learners: the series of a group's subjects below each other."""
        return [
            SiteData(self.names, np.concatenate(own), label=site) for site, own in self.series(group).items()
        ]

    def split(self, seed: int, share: float = 0.7) -> tuple[FmriCohort, FmriCohort]:
        """Two cohorts without a common subject: discovery and validation.

        Parameters
        ----------
        seed : int
        share : float
            Part of the subjects that goes into the first, rounded for each site and group; at least one
            subject goes into either. Default: 0.7, as in the paper.

        Raises
        ------
        InputError
            If the share is not between 0 and 1, or a group has a single subject at a site.
        """
        if not 0 < share < 1:
            raise InputError(f"the share of subjects must lie between 0 and 1, not {share!r}")
        first, second = [], []
        for own, where in self._strata():
            if len(own) < 2:
                raise InputError("a single subject cannot be split", where=where, remedy="Leave the site out")
            order = generator(seed, "fmri split", where).permutation(len(own))
            cut = min(max(round(share * len(own)), 1), len(own) - 1)
            first += [own[k] for k in order[:cut]]
            second += [own[k] for k in order[cut:]]
        return FmriCohort(self.names, first), FmriCohort(self.names, second)

    def drawn(self, seed: int, repeat: int, subjects: int) -> FmriCohort:
        """So many different subjects of each group at each site; another ``repeat``, another draw.

        Raises
        ------
        InputError
            If a group has fewer at a site.
        """
        chosen = []
        for own, where in self._strata():
            if not 1 <= subjects <= len(own):
                raise InputError(
                    f"{subjects} subjects are to be drawn, but there are {len(own)}",
                    where=where,
                    remedy="Draw fewer subjects, or leave the site out",
                )
            picks = generator(seed, "fmri draw", where, repeat).choice(len(own), subjects, replace=False)
            chosen += [own[k] for k in picks]
        return FmriCohort(self.names, chosen)

    def _strata(self):
        for site in self.sites:
            for group in self.groups:
                own = self.of(site, group)
                if own:
                    yield own, f"site {site}, group {group}"


ONCE = "A subject has one site and one group; give persons different names"


def twice(first: tuple[str, str], second: tuple[str, str]) -> str:
    """What is wrong with a subject that appears with two pairs of site and group."""
    for what, a, b in zip(("at the sites", "in the groups"), first, second, strict=True):
        if a != b:
            return f"is {what} {a!r} and {b!r}"
    return "is listed twice"


def _check_series(values: np.ndarray, names: Sequence[str], where: str) -> None:
    """InputError unless the series can be learned from."""
    if values.ndim != 2 or values.shape[1] != len(names):
        raise InputError(f"the series has shape {values.shape}, but there are {len(names)} ROIs", where=where)
    if len(values) < 2:
        raise InputError(
            f"the series has {len(values)} row, and nothing varies in fewer than 2",
            where=where,
            remedy="Give a row for every volume",
        )
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise InputError(
            f"{len(bad)} missing or infinite value(s), the first in row {row + 1}",
            where=f"{where}, ROI {names[column]}",
            remedy="Leave the subject out, or fill the gaps before",
        )
    constant = np.flatnonzero(np.ptp(values, axis=0) == 0)
    if len(constant):
        raise InputError(
            f"the ROI has the value {values[0, constant[0]]:g} in all {len(values)} volumes",
            where=f"{where}, ROI {names[constant[0]]}",
            remedy="Leave the subject out, or the ROI at all sites: it may lie outside the scanned volume",
        )
