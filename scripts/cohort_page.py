"""The files and the page of a cohort's network by one method."""

import json
from pathlib import Path

import pandas

from fedbnsl.cohort.problems import in_one_line
from fedbnsl.cohort.prose import communication_text, data_table, methods_text, privacy_text, reading_guide
from fedbnsl.cohort.tables import EDGES, difference_rows, edge_rows
from fedbnsl.data.gaussian_network import GaussianNetwork
from fedbnsl.errors import InputError
from fedbnsl.evaluate.joining import JOINING
from fedbnsl.evaluate.structure import smhd
from fedbnsl.federate.parameters import fit_parameters
from fedbnsl.files import read_json, write_json
from fedbnsl.graphs.formats import write_graph
from fedbnsl.graphs.graph import as_graph
from fedbnsl.graphs.treewidth import treewidth
from fedbnsl.plot.cohort import cohort_page, joining_table, number
from fedbnsl.plot.draw import draw_network
from fedbnsl.plot.save import save_figure
from fedbnsl.workflow.cohort_pieces import read_cohort_sites, read_site_graphs, restored, way_of
from fedbnsl.workflow.job import run
from fedbnsl.workflow.provenance import versions
from fedbnsl.workflow.table_files import write_rows


def main(snakemake):
    p, given, out = snakemake.params, snakemake.input, snakemake.output
    way = way_of(p)
    sites = read_cohort_sites(given.sites)
    cohort, record = read_json(given.cohort), read_json(given.network)
    graph = restored(record["graph"])
    learned = read_site_graphs(given.learned)
    own = dict(zip((site.label for site in sites), learned.graphs, strict=False))
    fitted, unfitted = _fitted(way, graph, sites, p)
    replicates, without = _stability(given.stability)
    held_out = read_json(given.held_out[0]) if given.held_out else None

    known = way.knowledge if way.uses_knowledge else None
    edges = edge_rows(graph, fitted, own, replicates, without, known)
    differences = difference_rows(graph, own)
    joining = held_out["joining"] if held_out else []
    for path, rows, heads, separator in (
        (out.edges, edges, EDGES, ","),
        (out.differences, differences, None if differences else ["from", "to", "network"], "\t"),
        (out.joining, joining, JOINING, "\t"),
    ):
        write_rows(path, pandas.DataFrame(rows, columns=heads), separator)
    notes = _write_network(Path(out.files), graph, fitted, cohort["states"])
    for site, found in own.items():
        for suffix in ("graphml", "txt", "csv") if found is not None else ():
            try:
                write_graph(as_graph(found), Path(out.files) / f"site {site}.{suffix}")
            except InputError as error:
                notes.append(f"No file site {site}.{suffix}: {error.problem}.")
    write_json(
        out.measures,
        {
            "method": p.method,
            "edges": as_graph(graph).n_edges,
            "parameters": None if fitted is None else fitted.network.n_parameters,
            "treewidth": treewidth(as_graph(graph)),
            "bytes": record.get("bytes"),
        },
    )
    title = f"One network of {len(sites)} sites by {p.method}"
    save_figure(draw_network(graph, title=title), out.png.removesuffix(".png"))

    facts = {
        "method": p.method,
        "sites": f"{len(sites)}" + (f", {len(learned.failed)} without a graph" if learned.failed else ""),
        "rows": sum(site.n_rows for site in sites),
        "variables": len(sites[0].names),
        "edges": as_graph(graph).n_edges,
        "treewidth": f"at most {treewidth(as_graph(graph))} (min-fill)",
        "communication": communication_text(
            record,
            [as_graph(g).n_edges for g in learned.graphs if g],
            None if fitted is None else fitted.bytes_up,
        ),
        "privacy": privacy_text(record),
    }
    if "theta" in record:
        facts["threshold θ"] = f"{record['theta']:.4g}; its network is nearest to the sites' own (mean SMHD)"
    if record.get("converged") is False:
        facts["warning"] = "The run has not converged: do not rely on this network."
    if record.get("scale"):
        facts["scale"] = record["scale"]
    remarks = [*notes, *([unfitted] if unfitted else [])]
    if remarks:
        facts["remarks"] = " ".join(remarks)
    sections = {"How to read this page": reading_guide(way.is_consensus, bool(joining))}
    sections["The sites"] = _site_table(sites, own, learned.failed, graph)
    if not way.is_private:
        sections["The data"] = data_table(sites)
    if joining:
        sections["Does joining pay? Held-out rows of each site (nats a row, higher is better)"] = (
            joining_table(joining)
        )
    if own:
        heads = list(differences[0]) if differences else ["from", "to", "network", *own]
        sections["Where the sites differ"] = [heads, *(list(row.values()) for row in differences)]
    if fitted is not None and isinstance(fitted.network, GaussianNetwork):
        rows = [[row["variable"], row["term"], number(row["value"])] for row in fitted.network.rows()]
        sections["Parameters"] = [["variable", "term", "value"], *rows]
    # what was found in the rows of a site is not part of a private release
    notes_of = [] if way.is_private else cohort["notes"]
    told = [[note["site"], note["column"], note["text"]] for note in notes_of]
    if told:
        sections["What was done to the rows"] = [["site", "column", "what"], *told]
    warned = [
        [w["site"], w["column"], w["problem"], w["remedy"]]
        for w in ([] if way.is_private else cohort["warnings"])
    ]
    if warned:
        sections["Warnings of the check"] = [["site", "column", "problem", "remedy"], *warned]
    sections["Methods and sources"] = methods_text(
        way,
        sites,
        failed=list(learned.failed),
        policy=p.section["missing"]["policy"],
        replicates=(sum(found is not None for found in replicates), len(replicates)),
        folds=p.folds,
        pseudo_count=p.pseudo_count,
    )
    sections["Settings, seed and versions"] = [
        ["what", "value"],
        *([] if way.is_secret else [["root seed", p.root_seed]]),
        *([name, number] for name, number in versions().items()),
        *([key, _plain(value)] for key, value in _settings(p.section, cohort).items()),
    ]
    cohort_page(graph, title, facts, edges, sections, out.html)


def _fitted(way, graph, sites, p):
    """The fitted network or None, and why there is none."""
    if way.is_private:
        return None, "No parameters besides the released weights: fitting them would need the rows again."
    try:
        return fit_parameters(graph, sites, pseudo_count=p.pseudo_count), ""
    except InputError as error:
        return None, f"The parameters cannot be fitted: {error}."


def _settings(section, cohort):
    """The section as used: where YAML made true and false of unquoted words, the words of the files."""
    columns = dict(section["columns"])
    if isinstance(columns["discrete"], dict) and cohort["states"] is not None:
        states = dict(zip(cohort["names"], cohort["states"], strict=True))
        columns["discrete"] = {name: states.get(name, given) for name, given in columns["discrete"].items()}
    return {**section, "columns": columns}


def _plain(value):
    """YAML without anchors: what stands at two places is written twice."""
    return in_one_line(json.loads(json.dumps(value)))


def _stability(paths):
    replicates, without = [], {}
    for path in paths:
        found = read_json(path)
        if isinstance(found, dict):
            without = {site: restored(graph) for site, graph in found.items()}
        else:
            replicates += [restored(graph) for graph in found]
    return replicates, without


def _site_table(sites, own, failed, graph):
    table = [["site", "rows", "edges of its own network", "mean distance to the shared one (SMHD)", "remark"]]
    for site in sites:
        found = own.get(site.label)
        table.append(
            [
                site.label,
                site.n_rows,
                "" if found is None else as_graph(found).n_edges,
                "" if found is None else smhd(as_graph(found), as_graph(graph)),
                failed.get(site.label, ""),
            ]
        )
    return table


def _write_network(folder, graph, fitted, states):
    """The network in every format that can hold it; a remark for each that cannot."""
    folder.mkdir(parents=True, exist_ok=True)
    dag, remarks = as_graph(graph), []
    wanted = dict.fromkeys(("json", "graphml", "dot", "csv"), (graph, None)) | {"txt": (dag, None)}
    if states is not None:
        listed = dict(zip(dag.names, map(tuple, states), strict=True))
        whole = (dag, listed) if fitted is None else (fitted.network, None)
        wanted |= dict.fromkeys(("bif", "xmlbif", "xdsl", "net"), whole)
    for suffix, (what, stated) in wanted.items():
        try:
            write_graph(what, folder / f"network.{suffix}", stated)
        except InputError as error:
            remarks.append(f"No network.{suffix}: {error.problem}.")
    if fitted is not None and isinstance(fitted.network, GaussianNetwork):
        write_rows(folder / "parameters.csv", pandas.DataFrame(fitted.network.rows()), ",")
    return remarks


run(main, snakemake)  # noqa: F821
