"""The methods beside one another, the best single input and the mean of the inputs; what each input is."""

import pandas

from fedbnsl.consensus.own_inputs import OwnInputs
from fedbnsl.consensus.own_reasons import Distance, comparison_rows, input_rows
from fedbnsl.files import read_json
from fedbnsl.plot.tables import write_table
from fedbnsl.workflow.job import run


def main(snakemake):
    own = OwnInputs.from_dict(read_json(snakemake.input.inputs))
    inputs = input_rows(own, Distance(own.graphs))
    rows = comparison_rows([read_json(path) for path in snakemake.input.measures], inputs)
    caption = (
        f"Consensus of {len(inputs)} networks on {len(own.names)} variables. The best input is the one with "
        "the least mean SMHD to all inputs, itself included. Here every input counts once, also for methods "
        "that weight them. Treewidth: upper bound by min-fill."
    )
    write_table(pandas.DataFrame(rows), snakemake.output.methods, caption)
    write_table(pandas.DataFrame(inputs), snakemake.output.inputs, "The networks that were fused.")


run(main, snakemake)  # noqa: F821
