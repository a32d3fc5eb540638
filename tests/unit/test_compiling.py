"""The line that is printed when kernels are compiled."""

import os
import subprocess
import sys

KERNELS = """
from numba import njit

@njit(cache=True)
def half(x):
    return x / 2

@njit(cache=True)
def quarter(x):
    return half(half(x))
"""
CALLS = """
import small_kernels
from fedbnsl.compiling import announce
announce("small_kernels", "small things", 7)
announce("other_kernels", "others", 9)
print(small_kernels.quarter(8), small_kernels.half(8), small_kernels.half(8.0))
"""


def test_only_what_is_not_in_the_cache_is_announced_once(tmp_path):
    (tmp_path / "small_kernels.py").write_text(KERNELS)
    path = os.pathsep.join([str(tmp_path), os.getcwd(), *sys.path])
    settings = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    told = []
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-c", CALLS], env=settings, capture_output=True, text=True, check=True
        )
        assert run.stdout == "2.0 4.0 4.0\n"
        told.append(run.stderr)
    assert told == ["Compiling small things: about 7 s, once\n", ""]
