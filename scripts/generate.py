"""Draw the graphs to fuse from the source's true graph, for a run of seeds."""

from pathlib import Path

from fedbnsl.data.sources import true_graph
from fedbnsl.files import write_json
from fedbnsl.graphs.formats.json_graph import graph_to_dict
from fedbnsl.graphs.graph import as_graph
from fedbnsl.registry import method
from fedbnsl.seeds import derived_seed
from fedbnsl.spec import Spec
from fedbnsl.workflow.job import run
from fedbnsl.workflow.pieces import data_seed


def main(snakemake):
    p = snakemake.params
    spec = Spec.parse(p.learner)
    entry = method(spec.name, "generate")
    options = entry.checked(spec.dict())
    function = entry.load()
    numbers = range(1, p.sites + 1)
    for seed in range(p.first, p.last + 1):
        base = as_graph(true_graph(p.source, data_seed(p.root_seed, seed)))
        key = derived_seed(p.root_seed, "generate", p.learner, p.source, seed)
        graphs = function(base, numbers, seed=key, **options)
        records = [
            {"number": number, "site": f"input_{number:04d}", "graph": graph_to_dict(graph), "warnings": []}
            for number, graph in zip(numbers, graphs, strict=True)
        ]
        path = Path(snakemake.output[0]) / f"seed{seed}" / f"1-{p.sites}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, {"learner": p.learner, "sites": records})
        print(f"seed {seed}: done", flush=True)


run(main, snakemake)  # noqa: F821
