"""Say that a first call is slow because its kernels are being compiled."""

import sys

from numba.core import event


def announce(kernels: str, what: str, seconds: int) -> None:
    """Print one line to stderr when the first kernel of a module has to be compiled.

    Kernels that numba finds in its cache are not compiled, so nothing is printed for them.

    Parameters
    ----------
    kernels : str
        Name of the module.
    what : str
        What they belong to, for the message.
    seconds : int
        About how long it takes altogether.
    """
    event.register("numba:compile", _Announcement(kernels, what, seconds))


class _Announcement(event.Listener):
    def __init__(self, kernels: str, what: str, seconds: int):
        self.kernels, self.what, self.seconds, self.made = kernels, what, seconds, False

    def on_start(self, event):
        if not self.made and event.data["dispatcher"].py_func.__module__ == self.kernels:
            self.made = True
            print(
                f"Compiling {self.what}: about {self.seconds} s, once",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event):
        """Nothing to say."""
