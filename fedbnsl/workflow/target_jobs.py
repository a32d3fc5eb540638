"""Which job a cluster's node was asked to run, read from its command line.

Snakemake starts a job elsewhere as ``snakemake --target-jobs 'RULE:WILDCARD=VALUE,…'``. It quotes values that
hold a comma, as ``ges@ess=5,score=bdeu`` does, but splits at every comma when it reads them again, and would
run another job than the one that was meant (snakemake/snakemake, issue 2366). This reads the quotes.
"""

import re
from collections.abc import Sequence

_FLAG = "--target-jobs"
_WILDCARD = re.compile(r'([^=,]+)=("[^"]*"|[^,]*)(?:,|$)')


def target_jobs(arguments: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Rule and wildcards of each job that a command line asks for by ``--target-jobs``.

    Parameters
    ----------
    arguments : sequence of str
        As in ``sys.argv``.

    Returns
    -------
    list of (str, dict)
        Empty where the command line has no such option.

    Raises
    ------
    ValueError
        If a job cannot be read.
    """
    if _FLAG not in arguments:
        return []
    found = []
    for text in arguments[arguments.index(_FLAG) + 1 :]:
        if text.startswith("-"):
            break
        rule, _, rest = text.partition(":")
        matches = list(_WILDCARD.finditer(rest))
        if "".join(match[0] for match in matches) != rest:
            raise ValueError(f"cannot read the job {text!r}")
        found.append((rule, {match[1]: match[2].strip('"') for match in matches}))
    return found
