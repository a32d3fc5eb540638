"""What the server can tell of the sites' covariances: appendix A.1 of the Fed-Sparse-BNSL paper."""

import pandas

from fedbnsl.plot.style import label
from fedbnsl.spec import Spec
from fedbnsl.studies.artefact import Artefact
from fedbnsl.studies.statements import Check, judged

_EXACT = 1e-6  # relative error below which a covariance counts as reconstructed
_STATEMENT = "the server reconstructs the covariance of a site from its first message"
_NOTHING = "no message"
#: Errors of a covariance, and of the correlations.
LEAK_MEASURES = ("error", "correlation_error")


def reconstruction(scores: pandas.DataFrame) -> Artefact:
    """Errors of the covariances that the server reconstructs after round one, a box a method.

    Parameters
    ----------
    scores : pandas.DataFrame
        Measures of the kind ``attack``, as :func:`fedbnsl.federate.leakage` makes them.

    Returns
    -------
    Artefact
        The last box is the guess that all variables are independent with variance 1, which needs no message.
    """
    columns = ["method", "nodes", "sites", "seed", "site"]
    columns += [column for measure in LEAK_MEASURES for column in (measure, f"{measure}_guess")]
    table = scores[columns].reset_index(drop=True)
    long = with_guess(table)
    names = _short(list(dict.fromkeys(long["method"])))
    long["method"] = long["method"].map(names)
    figure = boxes_of_errors(long)
    checks = [
        Check(
            _STATEMENT,
            label(method),
            f"{len(part)} sites",
            f"relative error {part['error'].min():.2g} to {part['error'].max():.2g}",
            bool((part["error"] < _EXACT).all()),
        )
        for method, part in table[table["method"] == "fed-bnsl"].groupby("method")
    ]
    return Artefact(
        table=table, runs=table, figure=figure, printed=judged(checks, [(_STATEMENT, label("fed-bnsl"))], {})
    )


def with_guess(table: pandas.DataFrame) -> pandas.DataFrame:
    """The errors of all methods and, as one more method, of a guess without any message; one row a number.

    Parameters
    ----------
    table : pandas.DataFrame
        Measures of the kind ``attack``.
    """
    first = table[table["method"] == table["method"].iloc[0]]
    guess = first.assign(method=_NOTHING)
    for measure in LEAK_MEASURES:
        guess[measure] = guess[f"{measure}_guess"]
    return pandas.concat([table, guess]).melt(["method"], list(LEAK_MEASURES), "measure", "value")


def boxes_of_errors(long: pandas.DataFrame):
    """A box a method in its column ``method``, in order of appearance; a panel a measure."""
    from fedbnsl.plot.bars import boxes

    long = long.assign(
        measure=pandas.Categorical(long["measure"], LEAK_MEASURES).rename_categories(
            {"error": "relative error of Σ", "correlation_error": "error of a correlation (r.m.s.)"}
        ),
        method=pandas.Categorical(long["method"], list(dict.fromkeys(long["method"]))),
        # rounding errors of all sizes are one and the same
        value=long["value"].clip(lower=1e-16),
    )
    return boxes(
        long,
        x="method",
        y="value",
        panels="measure",
        columns=1,
        log_y=True,
        x_text="",
        y_text="error",
        width=6.9,
        height=1.8,
    )


def _short(methods: list[str]) -> dict[str, str]:
    """Method → its name and variant, or its label where that does not tell it from another."""
    specs = {method: Spec.parse(method) for method in methods if method != _NOTHING}
    short = {
        method: ", ".join([label(spec.name), *filter(None, [spec.dict().get("variant")])])
        for method, spec in specs.items()
    }
    return {
        method: short[method] if list(short.values()).count(short.get(method)) == 1 else label(method)
        for method in methods
    }
