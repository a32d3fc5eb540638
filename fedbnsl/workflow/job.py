"""What surrounds every script: its log, its one-line failure, its provenance, a record of its work time."""

import sys
import time
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from fedbnsl.errors import InputError
from fedbnsl.workflow.provenance import write_provenance

WORK = "work seconds since the epoch:"


def run(main: Callable, snakemake, timed: bool = True) -> None:
    """Run ``main(snakemake)`` with output to the rule's log.

    Bad input ends the job with its message; anything else leaves the traceback in the log. Either
    way the terminal gets one line. The log's last line says from when to when the script itself
    worked, which :mod:`fedbnsl.workflow.summary` adds up; it never enters a result. ``timed=False`` leaves
    it out, for work whose time may depend on rows that are to be kept secret.
    """
    path = Path(snakemake.log[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    started = time.time()
    failure = None
    with path.open("w", encoding="utf-8") as log, redirect_stdout(log), redirect_stderr(log):
        try:
            main(snakemake)
            write_provenance(snakemake)
        except InputError as error:
            failure = str(error)
            print(failure)
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"
            traceback.print_exc()
        if timed:
            print(WORK, f"{started:.3f}", f"{time.time():.3f}")
    if failure:
        print(f"{snakemake.rule}: {failure}", file=sys.stderr)
        raise SystemExit(1)
