"""Make some of the results again in a temporary folder, and compare the bytes."""

import sys
import tempfile

from fedbnsl.errors import InputError
from fedbnsl.workflow.job import run
from fedbnsl.workflow.verification import choose, differences


def main(snakemake):
    p = snakemake.params
    chosen = choose(p.candidates, p.wanted, p.root_seed)
    print("made again:", *chosen, sep="\n  ", flush=True)
    with tempfile.TemporaryDirectory(prefix="fedbnsl-verify-") as folder:
        found = differences(chosen, p.config, p.snakefile, folder)
    if found:
        raise InputError(f"not the same when made again: {', '.join(found)}")
    print(f"\n{len(chosen)} results made again from nothing: the same bytes\n  ", end="", file=sys.__stderr__)
    print(*chosen, sep="\n  ", file=sys.__stderr__)


run(main, snakemake)  # noqa: F821
