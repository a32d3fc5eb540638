"""Figures 5 and 6 and tables 1 and 2 of the NOTEARS-PFL paper, on a cohort of fMRI time series.

All functions take the table of connections that scripts/fmri_connections.py writes, with the columns of
:func:`fedbnsl.studies.fmri_learning.learn_connections` and ``experiment``, ``method``, ``seed``, ``setting``.
The rows of the method ``planted`` hold the truth of a simulated cohort; a real one has none.
"""

from __future__ import annotations

import pandas

from fedbnsl.data.atlas import load_atlas, regions
from fedbnsl.evaluate.connections import f_score, overlapping, site_specific, undirected
from fedbnsl.evaluate.proportions import benjamini_hochberg, holm, proportion_test
from fedbnsl.studies.artefact import Artefact
from fedbnsl.studies.fmri_statements import REASONS, expected, held, printed_p_values
from fedbnsl.studies.statements import statement_artefact

PFL, PLANTED = "notears-pfl", "planted"
_TOP = 10
_TESTED = 7  # as many connections as the paper's table 2 has


def overlapping_connections(
    scores: pandas.DataFrame, patients: str = "MDD", controls: str = "HC"
) -> Artefact:
    """Connections that all sites have, and how much of what was planted every method finds (figure 5)."""
    from fedbnsl.plot.brain import glass_brain

    main = _main(scores)
    names = _names(main)
    common = {group: overlapping(_sites(_equal(main), group)) for group in (patients, controls)}
    both = common[patients] & common[controls]
    networks = {
        f"{patients} and {controls}": both,
        f"{patients} only": common[patients] - both,
        f"{controls} only": common[controls] - both,
    }
    rows = [
        (where, *edge, *regions(edge)["lobe"])
        for where, edges in networks.items()
        for edge in sorted(edges, key=lambda edge: [names.index(end) for end in edge])
    ]
    table = pandas.DataFrame(rows, columns=["found_in", "from", "to", "from_lobe", "to_lobe"])
    runs = pandas.DataFrame({"group": list(common), "connections": [len(edges) for edges in common.values()]})
    told = statement_artefact(
        held("overlap", recoveries(scores, patients, controls)), expected("overlap"), REASONS
    )
    return Artefact(table, runs, glass_brain(networks, names), told.printed)


def site_connections(scores: pandas.DataFrame, patients: str = "MDD", controls: str = "HC") -> Artefact:
    """Connections of the patients that one site alone has (figure 6)."""
    from fedbnsl.plot.brain import lobe_matrices

    main = _main(scores)
    names, sites = _names(main), _sites(_equal(main), patients)
    common, alone = overlapping(sites), site_specific(sites)
    order = ["at all sites", "at some sites", "at this site only"]
    networks = {}
    for site, own in sites.items():
        kinds = {edge: order[2 * (edge in alone[site]) or edge not in common] for edge in sorted(own)}
        networks[site] = dict(sorted(kinds.items(), key=lambda item: order.index(item[1])))
    rows = [
        (site, *edge, *regions(edge)["lobe"], found)
        for site, own in networks.items()
        for edge, found in reversed(own.items())
    ]
    table = pandas.DataFrame(rows, columns=["site", "from", "to", "from_lobe", "to_lobe", "found"])
    runs = pandas.DataFrame(
        {"site": range(1, len(alone) + 1), "connections": [len(own) for own in alone.values()]}
    )
    told = statement_artefact(held("site", recoveries(scores, patients, controls)), expected("site"), REASONS)
    return Artefact(table, runs, lobe_matrices(networks, names), told.printed)


def degrees(scores: pandas.DataFrame, patients: str = "MDD", controls: str = "HC") -> Artefact:
    """Regions with the most connections, summed over the sites, in NOTEARS-PFL's own networks (table 1)."""
    from fedbnsl.plot.brain import degree_bars

    main = _main(scores)
    main = main[main["own"]]
    atlas, drawn, rows = load_atlas(), {}, []
    for group in (patients, controls):
        drawn[group] = {}
        for direction, column in (("out", "from"), ("in", "to")):
            counts = main.loc[main["group"] == group, column].value_counts()
            ranked = sorted(counts.items(), key=lambda item: (-item[1], atlas.loc[item[0], "index"]))[:_TOP]
            drawn[group][direction] = dict(ranked)
            for name, degree in ranked:
                rows.append((group, direction, *atlas.loc[name, ["index", "name"]], name, degree))
    columns = ["group", "direction", "index", "region", "abbreviation", "degree"]
    table = pandas.DataFrame(rows, columns=columns)
    totals = table.groupby(["group", "direction"], sort=False, as_index=False)["degree"].sum()
    told = statement_artefact(held("degrees", totals, patients, controls), expected("degrees"), REASONS)
    runs = totals.rename(columns={"degree": "total"})
    return Artefact(table, runs, degree_bars(drawn), told.printed)


def proportions(scores: pandas.DataFrame, patients: str = "MDD", controls: str = "HC") -> Artefact:
    """Is each connection found more often in patients than in controls? (table 2)

    The connections are those that NOTEARS-PFL finds at all sites in the patients' discovery data and not in
    the controls', the strongest ones. In every draw of subjects from the validation data, which no network of
    the discovery data knows, a connection counts as found if most of the sites have it.

    Draws share subjects, so the runs of one group are not independent and p values are too small: the raw
    ones as well as those after Holm's and Benjamini and Hochberg's corrections over a method's connections.
    """
    main = _main(scores)
    connections = _abnormal(_equal(main), patients, controls)
    validation = _equal(
        scores[(scores["experiment"] == "validation") & (scores["setting"] == _setting(scores))]
    )
    rows = []
    for method, own in validation.groupby("method", sort=False):
        seeds = own["seed"].unique()
        sites = own["site"].nunique()
        counts = {group: _found(own[own["group"] == group], sites) for group in (patients, controls)}
        hits = [[counts[g].get(edge, 0) for g in (patients, controls)] for edge in connections]
        p = [proportion_test(first, second, len(seeds)) for first, second in hits]
        for edge, (first, second), *values in zip(
            connections, hits, p, holm(p), benjamini_hochberg(p), strict=True
        ):
            rows.append((f"{edge[0]} → {edge[1]}", method, first, second, len(seeds), *values))
    columns = ["connection", "method", "found_patients", "found_controls", "draws", "p", "p_holm", "p_bh"]
    table = pandas.DataFrame(rows, columns=columns)
    truth = _of(scores, PLANTED, _setting(scores))
    if len(truth):
        real = {f"{a} → {b}" for a, b in _disease(truth, patients, controls)}
        table["planted"] = table["connection"].isin(real)
    told = statement_artefact(held("proportions", table), expected("proportions"), REASONS)
    return Artefact(table, table, printed=(*told.printed, *printed_p_values()))


def recovery(scores: pandas.DataFrame, patients: str = "MDD", controls: str = "HC") -> Artefact:
    """F-scores of what every method finds of the planted connections, at their number."""
    table = recoveries(scores, patients, controls)
    return Artefact(table, table)


def recoveries(scores: pandas.DataFrame, patients: str, controls: str) -> pandas.DataFrame:
    """One row a setting and method: F of the overlapping, site-specific and disease connections.

    Every network is cut at the number of connections planted in it. ``overlap`` and ``site``: of the
    patients; ``disease``: at all sites in patients and not in controls; ``network``: all of all networks.
    Columns that end in ``_undirected`` pass over directions. Empty for a real cohort.
    """
    rows = []
    for setting in scores["setting"].unique():
        truth = _of(scores, PLANTED, setting)
        if not len(truth):
            continue
        sizes = truth.groupby(["group", "site"]).size()
        discovered = scores[(scores["experiment"] == "discovery") & (scores["setting"] == setting)]
        for method in discovered["method"].unique():
            if method == PLANTED:
                continue
            own = discovered[discovered["method"] == method]
            wanted = sizes.reindex(pandas.MultiIndex.from_frame(own[["group", "site"]])).to_numpy()
            own = own[own["rank"].to_numpy() <= wanted]
            found = [_kinds(part, patients, controls) for part in (own, truth)]
            measures = {kind: f_score(found[0][kind], found[1][kind]) for kind in found[1]}
            rows.append({"setting": setting, "method": method, **measures})
    return pandas.DataFrame(rows)


def _kinds(edges: pandas.DataFrame, patients: str, controls: str) -> dict[str, set]:
    sites = {group: _sites(edges, group) for group in (patients, controls)}
    alone = site_specific(sites[patients])
    kinds = {
        "overlap": overlapping(sites[patients]),
        "site": {(site, *edge) for site, own in alone.items() for edge in own},
        "disease": _disease(edges, patients, controls),
        "network": {
            (g, site, *e) for g, all_sites in sites.items() for site, own in all_sites.items() for e in own
        },
    }
    plain = undirected(kinds["overlap"])
    pairs = {(*key[:2], *sorted(key[2:])) for key in kinds["network"]}
    return {**kinds, "overlap_undirected": plain, "network_undirected": pairs}


def _disease(edges: pandas.DataFrame, patients: str, controls: str) -> set:
    return overlapping(_sites(edges, patients)) - overlapping(_sites(edges, controls))


def _abnormal(edges: pandas.DataFrame, patients: str, controls: str) -> list[tuple[str, str]]:
    """The connections of :func:`_disease`, by their mean size over the sites, the largest first."""
    own = edges[edges["group"] == patients]
    size = own["strength"].abs().groupby([own["from"], own["to"]]).sum()
    found = sorted(_disease(edges, patients, controls), key=lambda edge: (-round(size[edge], 9), edge))
    return found[:_TESTED]


def _found(edges: pandas.DataFrame, sites: int) -> dict[tuple[str, str], int]:
    """In how many draws each connection is at more than half of the sites."""
    counts = edges.groupby(["seed", "from", "to"])["site"].nunique()
    most = counts[counts > sites / 2]
    return most.groupby(["from", "to"]).size().to_dict()


def _main(scores: pandas.DataFrame) -> pandas.DataFrame:
    return _of(scores, PFL, _setting(scores))


def _setting(scores: pandas.DataFrame) -> str:
    """The setting that the pictures show: the first."""
    return scores["setting"].iloc[0]


def _of(scores: pandas.DataFrame, method: str, setting: str) -> pandas.DataFrame:
    kept = (scores["experiment"] == "discovery") & (scores["method"] == method)
    return scores[kept & (scores["setting"] == setting)]


def _equal(edges: pandas.DataFrame) -> pandas.DataFrame:
    """As many connections for every method, site and group."""
    return edges[edges["rank"] <= edges["edges"]]


def _sites(edges: pandas.DataFrame, group: str) -> dict[str, set[tuple[str, str]]]:
    """Connections of a group by site; a site that has none is there too."""
    own = edges[edges["group"] == group]
    return {
        site: set(own.loc[own["site"] == site, ["from", "to"]].itertuples(index=False, name=None))
        for site in sorted(edges["site"].unique())
    }


def _names(edges: pandas.DataFrame) -> list[str]:
    """The regions of the study that are in the table, in the order of the atlas."""
    seen = set(edges["from"]) | set(edges["to"])
    return [name for name in load_atlas().index if name in seen]
