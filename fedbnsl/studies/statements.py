"""What a paper says in words, looked at case by case."""

from collections.abc import Iterable
from dataclasses import dataclass

import pandas

from fedbnsl.plot.summary import summarise
from fedbnsl.studies.artefact import Artefact


@dataclass(frozen=True)
class Check:
    """One statement in one case.

    Attributes
    ----------
    statement : str
        What the paper says, with the tolerance under which it is taken here.
    setting : str
        Where it was looked at: an experiment.
    case : str
        The case: a network, a number of sites.
    measured : str
    holds : bool
    """

    statement: str
    setting: str
    case: str
    measured: str
    holds: bool


def statement_artefact(
    checks: Iterable[Check], expected: Iterable[tuple[str, str]], reasons: dict[tuple[str, str], str]
) -> Artefact:
    """The table of all checks, and a verdict for each statement and setting.

    Parameters
    ----------
    checks : iterable of Check
    expected : iterable of (statement, setting)
        What there is a verdict for, in this order; without a check it is not comparable.
    reasons : dict
        (statement, setting) → why it does not hold everywhere.
    """
    checks = list(checks)
    columns = ["statement", "setting", "case", "measured", "holds"]
    table = pandas.DataFrame([vars(check) for check in checks], columns=columns)
    return Artefact(table=table, runs=table, printed=judged(checks, expected, reasons))


def judged(
    checks: Iterable[Check], expected: Iterable[tuple[str, str]], reasons: dict[tuple[str, str], str]
) -> tuple[dict, ...]:
    """A verdict for each statement and setting, for ``printed`` of an artefact; parameters as above."""
    checks = list(checks)
    printed = []
    for statement, setting in expected:
        of_this = [check for check in checks if (check.statement, check.setting) == (statement, setting)]
        telling = [check for check in of_this if not check.holds] or of_this
        printed.append(
            {
                "statement": statement,
                "where": setting,
                "held": [check.holds for check in of_this],
                "measured": _some(telling),
                "reason": reasons.get((statement, setting)),
            }
        )
    return tuple(printed)


def _some(checks: list[Check], most: int = 4) -> str:
    """The first few, and how many more there are."""
    told = "; ".join(f"{check.case}: {check.measured}" for check in checks[:most])
    return told + (f"; and {len(checks) - most} more" if len(checks) > most else "")


def of_method(scores: pandas.DataFrame, name: str) -> pandas.DataFrame:
    """The measures of one method, whatever its options."""
    if not len(scores):
        return scores
    return scores[scores["method"].str.partition("@")[0] == name]


class Cell:
    """The measures of one problem: its path over θ and what it is compared with, over all seeds.

    Parameters
    ----------
    name : str
    scores : pandas.DataFrame
        Its rows of :func:`fedbnsl.evaluate.consensus_table.consensus_table`.
    """

    def __init__(self, name: str, scores: pandas.DataFrame):
        self.name = name
        self.scores = scores

    def curve(self, measure: str) -> pandas.Series:
        """Mean over the seeds at every θ at which one of them changes, by θ."""
        path = self.scores[self.scores["series"] == "consensus"]
        means = summarise(path, "theta", measure, step=True)
        return means.set_index("theta")["mean"]

    def at(self, measure: str, theta: float) -> float:
        """The mean curve at θ: a step function, continuous from the right."""
        curve = self.curve(measure)
        return float(curve[curve.index <= theta].iloc[-1])

    def of(self, series: str, measure: str) -> float:
        """Mean over the seeds of a measure of the inputs, the gold standard, the fusion or the best."""
        return float(self.scores.loc[self.scores["series"] == series, measure].mean())

    def span(self, measure: str) -> tuple[float, float, float]:
        """The least value of the mean curve, and the first and the last θ at which it is taken.

        The last one is where the next, larger value begins; ∞ for the value of the empty network.
        """
        curve = self.curve(measure)
        least = float(curve.min())
        alike = (curve <= least + 1e-9).to_numpy()
        last = len(alike) - 1 - alike[::-1].argmax()
        end = float(curve.index[last + 1]) if last + 1 < len(curve) else float("inf")
        return least, float(curve.index[alike.argmax()]), end


def cells(scores: pandas.DataFrame, by: str = "network") -> list[Cell]:
    """One :class:`Cell` for each value of ``by`` and number of sites, in order of appearance."""
    if not len(scores):
        return []
    named = "{} nodes" if by == "nodes" else "{}"
    return [
        Cell(f"{named.format(value if isinstance(value, str) else f'{value:g}')}, r = {sites}", part)
        for (value, sites), part in scores.groupby([by, "sites"], sort=False, observed=True)
    ]
