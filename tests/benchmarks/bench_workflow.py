"""What the workflow itself costs: planning of many cells, share of the run that is not the scripts' work.

Run in a folder outside the checkout, which is copied there:

    python tests/benchmarks/bench_workflow.py plan 1000 10000     # a dry run of so many cells
    python tests/benchmarks/bench_workflow.py run smoke laptop    # on 1 and 2 cores

Prints a tab-separated table. `run` compiles first, in a run of its own that is not counted.
"""

import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PIECES = ("Snakefile", "config.yaml", "fedbnsl", "workflow", "scripts", "profiles", "resources", "envs")
STUDY = """
title: Many cells
citation: none
experiments:
  many:
    description: Many cells.
    kind: consensus
    source: "asia@rows={rows}"
    partition: iid
    learner: ges
    methods: [gmcbc]
    pages: false
    presets:
      smoke: &grid {rows: [ROWS], sites: [2], seeds: [1, 1]}
      laptop: *grid
      paper: *grid
artefacts:
  many:
    experiments: [many]
    make: fedbnsl.studies.gmcbc:consensus_table
    caption: Many cells.
"""


def copy(folder):
    """The project in a folder of its own; compiled kernels stay valid."""
    for name in PIECES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        else:
            shutil.copy2(source, folder / name)


def snakemake(folder, *arguments):
    """Seconds of processor, seconds by the clock, and all that was said."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, time.perf_counter() - started, done.stdout + done.stderr


def plan(cells):
    """A dry run in a process of its own, so that its peak of memory can be read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy(folder)
        rows = ", ".join(str(100 + k) for k in range(cells))
        (folder / "workflow/studies/many.yaml").write_text(STUDY.replace("ROWS", rows), encoding="utf-8")
        (folder / "config.yaml").write_text("{preset: smoke, studies: [many], seed: 1}", encoding="utf-8")
        seconds, clock, said = snakemake(folder, "--dry-run", "--quiet", "rules")
        (jobs,) = re.findall(r"^total +(\d+)$", said, re.MULTILINE)[-1:]
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"plan\t{cells}\t{jobs}\t{seconds:.1f}\t{clock:.1f}\t{peak:.0f}", flush=True)


def run(preset):
    """The studies on one core and on two."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy(folder)
        snakemake(folder, "--cores", "2", "--config", "preset=smoke")
        for cores in (1, 2):
            shutil.rmtree(folder / "results")
            shutil.rmtree(folder / ".snakemake")
            seconds, clock, said = snakemake(folder, "--cores", str(cores), "--config", f"preset={preset}")
            (jobs, idle) = re.findall(
                r"^(\d+) jobs in .* in (\d+) % of the time no script", said, re.MULTILINE
            )[0]
            print(f"run\t{preset}\t{cores}\t{jobs}\t{seconds:.0f}\t{clock:.0f}\t{idle}", flush=True)


if __name__ == "__main__":
    what, *sizes = sys.argv[1:]
    if what == "plan":
        print("what\tcells\tjobs\tcpu_seconds\tseconds\tpeak_mb")
        for cells in sorted(map(int, sizes)):  # the peak is that of the largest so far
            plan(cells)
    else:
        print("what\tpreset\tcores\tjobs\tcpu_seconds\tseconds\tpercent_without_work")
        for preset in sizes:
            run(preset)
