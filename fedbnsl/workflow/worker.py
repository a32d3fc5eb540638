"""A function in a process of its own, so that a time limit or a crash costs one call and not the job."""

import ctypes
import multiprocessing
import signal
import sys
from collections.abc import Callable


class Stopped(Exception):
    """The call came to no end: its message says why."""


class Worker:
    """Calls a function, one argument after another, in a child process.

    The child is a fork that lives on between calls, so what the parent has imported is there and costs
    nothing. A call that takes too long is killed, compiled code included, and the next one gets a new
    child. To be used in a ``with`` statement, which ends the child.

    Parameters
    ----------
    function : callable of one argument
        What it returns must be picklable. What it prints goes where the parent's output goes.
    time_limit : float, optional
        Seconds that one call may take. Default: no limit.
    """

    def __init__(self, function: Callable, time_limit: float | None = None):
        self.function, self.time_limit = function, time_limit
        self.process = self.connection = None

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *error) -> None:
        self._end()

    def __call__(self, argument):
        """``function(argument)``.

        Raises
        ------
        Stopped
            If the time limit was reached, or the child died.
        """
        if self.process is None:
            self._start()
        try:
            self.connection.send(argument)
            if not self.connection.poll(self.time_limit):
                self._end()
                raise Stopped(f"time limit of {self.time_limit:g} s")
            return self.connection.recv()
        except (EOFError, ConnectionError):
            self.process.join()
            code = self.process.exitcode
            self._end()
            raise Stopped(_cause(code)) from None

    def _start(self) -> None:
        # A fork, not a new interpreter: that would run the parent's script again.
        context = multiprocessing.get_context("fork")
        self.connection, other = context.Pipe()
        self.process = context.Process(
            target=_serve, args=(self.function, other, self.connection), daemon=True
        )
        self.process.start()
        other.close()

    def _end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.connection.close()
            self.process = self.connection = None


def _serve(function: Callable, connection, parents_end) -> None:
    """The child: answer arguments until the parent is gone."""
    parents_end.close()
    if sys.platform == "linux":
        # PR_SET_PDEATHSIG: a parent that is killed takes its child along, whatever the child computes
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    while True:
        try:
            argument = connection.recv()
        except EOFError:
            return
        answer = function(argument)
        sys.stdout.flush()
        sys.stderr.flush()
        connection.send(answer)


def _cause(code: int) -> str:
    """What the exit code of a child that died says."""
    if code == -signal.SIGKILL:
        return "the process was killed (SIGKILL), as happens when memory runs out"
    if code < 0:
        return f"the process crashed ({signal.Signals(-code).name})"
    return f"the process ended with exit code {code}"
