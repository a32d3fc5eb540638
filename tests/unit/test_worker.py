"""Calls in a child process: what comes back, what a limit and a crash cost."""

import faulthandler
import os
import signal
import time
import warnings

import numpy as np
import pytest
from numba import njit

from fedbnsl.data.site_data import SiteData
from fedbnsl.data.site_files import write_site
from fedbnsl.errors import InputError
from fedbnsl.graphs.formats.json_graph import graph_from_dict
from fedbnsl.graphs.graph import Graph
from fedbnsl.workflow.site_job import learn_site
from fedbnsl.workflow.worker import Stopped, Worker


@njit
def spin(rounds):
    """Compiled code, which no Python signal handler can interrupt."""
    total = 0
    for i in range(rounds):
        total = (total * 31 + i) % 1000003
    return total


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_answers_come_from_one_child_that_lives_on():
    with Worker(lambda x: (2 * x, os.getpid())) as worker:
        answers = [worker(x) for x in (1, 2, 3)]
    assert [answer for answer, _ in answers] == [2, 4, 6]
    (child,) = {pid for _, pid in answers}
    assert child != os.getpid()
    assert not alive(child)  # the with statement ends it


def test_compiled_code_is_stopped_and_the_next_call_works():
    spin(10)

    def work(rounds):
        return spin(rounds), os.getpid()

    with Worker(work, time_limit=0.5) as worker:
        _, first = worker(10)
        before = time.monotonic()
        with pytest.raises(Stopped, match=r"^time limit of 0\.5 s$"):
            worker(2**60)
        assert time.monotonic() - before >= 0.5
        assert not alive(first)
        answer, second = worker(10)
    assert (answer, second != first) == (spin(10), True)


def test_a_crash_is_an_answer_and_the_next_call_works():
    def work(how):
        if isinstance(how, signal.Signals):
            faulthandler.disable()  # or it tells of the crash amid the results of the tests
            os.kill(os.getpid(), how)
        return os._exit(how) if how else "fine"

    with Worker(work) as worker:
        for how, reason in (
            (signal.SIGSEGV, r"the process crashed \(SIGSEGV\)"),
            (signal.SIGKILL, r"the process was killed \(SIGKILL\), as happens when memory runs out"),
            (3, "the process ended with exit code 3"),
        ):
            with pytest.raises(Stopped, match=f"^{reason}$"):
                worker(how)
            assert worker(0) == "fine"


def test_a_killed_parent_takes_its_child_along():
    reader, writer = os.pipe()
    parent = os.fork()
    if not parent:  # a job, in the middle of a call
        with Worker(lambda _: (os.write(writer, str(os.getpid()).encode()), time.sleep(100))) as worker:
            worker(0)
    child = int(os.read(reader, 20))
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    deadline = time.monotonic() + 10
    while alive(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(child)


# --- learning at a site ---------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "site_0001.parquet"
    write_site(SiteData("ab", [[0, 1], [1, 0]], ["xy", "xy"], label="site_0001"), path)
    return path


def test_a_graph_its_seed_and_its_warnings(path, capsys):
    def learner(site, *, seed):
        for _ in range(2):
            warnings.warn(f"{site.label}: stopped early", stacklevel=1)
        warnings.warn("deprecated", DeprecationWarning, stacklevel=1)
        return Graph.from_edges("ab", [("a", "b")] if seed == 5 else [])

    answer = learn_site(learner, (path, 5))
    assert graph_from_dict(answer["graph"]) == Graph.from_edges("ab", [("a", "b")])
    assert answer["warnings"] == ["stopped early"]
    assert answer["rows"] == 2
    assert "error" not in answer
    assert "stopped" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (InputError("it is empty", where="a.csv"), "a.csv: it is empty"),
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
    ],
)
def test_a_failure_is_its_reason_and_a_traceback_in_the_log(path, capsys, error, reason):
    def learner(site, *, seed):
        warnings.warn("odd data", stacklevel=1)
        raise error

    assert learn_site(learner, (path, 5)) == {"error": reason, "warnings": ["odd data"]}
    assert "Traceback" in capsys.readouterr().err


def test_a_damaged_file_is_a_failure_too(path):
    path.write_bytes(b"PAR1 and nothing else")
    answer = learn_site(lambda site, seed: Graph("ab", np.zeros((2, 2))), (path, 5))
    assert str(path) in answer["error"]
    assert "cannot be read as Parquet" in answer["error"]
