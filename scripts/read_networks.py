"""Read a user's own networks and bring them to common variables."""

from fedbnsl.consensus.own_inputs import read_own
from fedbnsl.files import write_json
from fedbnsl.workflow.job import run


def main(snakemake):
    own = read_own(list(snakemake.input), snakemake.params.variables, snakemake.params.repeated)
    for line in (*own.notes, *(f"{one.file}: {note}" for one in own.inputs for note in one.notes)):
        print(line)
    write_json(snakemake.output[0], own.to_dict())


run(main, snakemake)  # noqa: F821
