"""Learning at one site: its graph or the reason that there is none, and the learner's warnings."""

import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

from fedbnsl.data.site_files import read_site
from fedbnsl.errors import InputError
from fedbnsl.graphs.formats.json_graph import graph_to_dict


def learn_site(learner: Callable, job: tuple[Path, int]) -> dict:
    """Read a site's file and learn from it. A failure is an answer, not an exception.

    Parameters
    ----------
    learner : callable
        ``learner(site, seed=...) -> Graph or WeightedGraph``.
    job : (path, int)
        The site's file and the seed.

    Returns
    -------
    dict
        ``graph`` and ``rows``, how many it was learned from, or ``error``, the reason in one line, whose
        traceback is printed; and ``warnings``, the texts of the warnings meant for users
        (``UserWarning``), each once. Others are printed.
    """
    path, seed = job
    answer = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            site = read_site(path)
            answer["graph"] = graph_to_dict(learner(site, seed=seed))
            answer["rows"] = len(site.values)
        except Exception as error:
            traceback.print_exc()
            answer["error"] = (
                str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
            )
    told = []
    for warning in caught:
        if issubclass(warning.category, UserWarning):
            told.append(str(warning.message).removeprefix(f"{path.stem}: "))
        else:
            print(warnings.formatwarning(warning.message, warning.category, warning.filename, warning.lineno))
    answer["warnings"] = list(dict.fromkeys(told))
    return answer
