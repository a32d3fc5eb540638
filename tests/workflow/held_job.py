"""A small run whose consensus can be held back, to cut it off at a known point."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from tiny_study import STUDY

METHOD = '''"""A consensus that can be held back."""

import time
from pathlib import Path


def held(graphs, *, seed=0):
    """The first of the graphs, as soon as there is no file ``hold``."""
    while Path("hold").exists():
        Path("at_work").touch()
        time.sleep(0.05)
    return graphs[0].to_dag()
'''
TARGET = (
    "results/scores/consensus/held/ges@ess=2,max_parents=4/asia@rows=200/unequal@sites=2/sites2/seeds1-1.tsv"
)


class Run:
    """Snakemake at work in the background, in a process group of its own."""

    def __init__(self, checkout, *arguments):
        self.folder = checkout.folder
        self.output = (self.folder / "output").open("w+", encoding="utf-8")
        command = [sys.executable, "-m", "snakemake", *arguments, "--", TARGET]
        self.process = subprocess.Popen(
            command,
            cwd=self.folder,
            stdout=self.output,
            stderr=self.output,
            start_new_session=True,
            preexec_fn=_heed_control_c,
        )

    def wait_for_the_job(self):
        """Until the job that is held back is at work; its process is the answer."""
        self.wait_for(self.folder / "at_work")
        pids = [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit()]
        (job,) = [
            pid for pid in pids if ".consensus.py" in _command(pid) and str(self.folder) in _command(pid)
        ]
        return job

    def end(self):
        """The exit code of Snakemake, and what it said."""
        code = self.process.wait(timeout=120)
        self.output.seek(0)
        return code, self.output.read()

    def wait_for(self, path):
        """Until a file is there, while the run goes on."""
        deadline = time.monotonic() + 120
        while not path.exists():
            assert self.process.poll() is None, self.end()
            assert time.monotonic() < deadline
            time.sleep(0.05)


def _heed_control_c():
    """What runs in the background of a script inherits that it ignores Ctrl-C; a user's run does not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _command(pid):
    """The command line of a process, words that are parts of a shell's script left out."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8").split("\0")
    except OSError:
        return ""
    return " ".join(word for word in words if " " not in word)


def make_held(checkout):
    """Turn a copy of the checkout into one that has this method, and a study that uses it."""
    checkout.add_method("consensus", "held", METHOD)
    study = STUDY.replace("methods: [gmcbc]", "methods: [held]", 1)
    (checkout.folder / "workflow/studies/tiny.yaml").write_text(study, encoding="utf-8")
    config = {"preset": "smoke", "studies": ["tiny"], "seed": 1}
    (checkout.folder / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    return checkout
