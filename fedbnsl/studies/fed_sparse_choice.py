"""Choosing options: the grids of appendix B.3 of the Fed-Sparse-BNSL paper, and a choice without a truth."""

import pandas

from fedbnsl.plot.style import label
from fedbnsl.spec import Spec
from fedbnsl.studies.artefact import Artefact
from fedbnsl.studies.statements import Check, judged

_NEAR = 2  # so many edges more or fewer than the truth count as a similar number
_KEPT = ("shd", "tpr", "fdr", "edges", "skeleton_correct", "v_structures", "converged")
_STATEMENT = "the printed options have the lowest SHD of the grid"


def tuning(
    scores: pandas.DataFrame, printed: dict[str, list[str]], together: dict[str, str] | None = None
) -> Artefact:
    """What is best in every grid, by each rule for what is best, and the options that the paper prints.

    Rules: ``SHD``, the lowest, mean over the seeds (B.3.1), fewer bytes where that is equal. For data with
    one truth, where the paper looks at it for want of another (B.3.4), ``truth``: most edges of the true
    skeleton among the settings with about as many edges as the truth, that is at most two more or fewer, or
    else the nearest number. ``likelihood`` looks at no truth: the largest likelihood of rows that the sites
    keep out.

    Parameters
    ----------
    scores : pandas.DataFrame
        Measures of the kinds ``grid`` and ``held-out``: one row a run.
    printed : dict
        Experiment → the methods with the options that the paper prints for it.
    together : dict, optional
        Experiment → the name that it shares with others, to average over the seeds of all of them.

    Returns
    -------
    Artefact
        One row an experiment, method and rule; ``tried`` settings, ``equal``: how many are as good.
    """
    scores = scores.assign(experiment=scores["experiment"].replace(together or {}))
    if "log_likelihood" not in scores:
        scores["log_likelihood"] = float("nan")
    scores["name"] = scores["method"].str.partition("@")[0]
    rows, checks, expected = [], [], []
    for (experiment, name), part in scores.groupby(["experiment", "name"], sort=False):
        settings = setting_means(part)
        with_likelihood = settings["log_likelihood"].notna().any()
        rules = ("truth", "likelihood") if with_likelihood else ("SHD",)
        chosen = {rule: best_settings(settings, rule) for rule in rules}
        for text in printed.get(experiment, ()):
            if Spec.parse(text).name == name:
                alike = [_same(one, text) for one in settings["method"]]
                chosen["as printed"] = settings[alike]
        for rule, best in chosen.items():
            rows += [_row(experiment, part, rule, settings, best)] if len(best) else []
        if not with_likelihood:
            expected.append((_STATEMENT, f"{experiment}, {label(name)}"))
            checks += [
                Check(
                    *expected[-1],
                    text["method"],
                    f"SHD {text['shd']:.3g}, the lowest is {settings['shd'].min():.3g}",
                    bool(text["shd"] <= settings["shd"].min() + 1e-9),
                )
                for _, text in chosen.get("as printed", settings.iloc[:0]).iterrows()
            ]
    reasons = dict.fromkeys(
        expected, "a grid is judged on one or two draws of the data, and those of the paper are others"
    )
    table = pandas.DataFrame(rows)
    return Artefact(table=table, runs=scores, printed=judged(checks, expected, reasons))


def setting_means(part: pandas.DataFrame) -> pandas.DataFrame:
    """One row a setting: means over the seeds, in the order of the grid."""
    columns = [*_KEPT, "edges_true", "bytes", "log_likelihood"]
    return part.groupby("method", sort=False)[columns].mean().reset_index()


def best_settings(settings: pandas.DataFrame, rule: str) -> pandas.DataFrame:
    """The best settings by a rule of :func:`tuning`: all that are as good, those with fewer bytes first."""
    if rule == "SHD":
        best = settings[settings["shd"] == settings["shd"].min()]
    elif rule == "likelihood":
        best = settings[settings["log_likelihood"] == settings["log_likelihood"].max()]
    else:
        away = (settings["edges"] - settings["edges_true"]).abs()
        near = settings[away <= max(_NEAR, away.min())]
        best = near[near["skeleton_correct"] == near["skeleton_correct"].max()]
        best = best[best["shd"] == best["shd"].min()]
    return best.sort_values("bytes", kind="stable")


def _same(text: str, other: str) -> bool:
    """Whether two texts are the same method with the same options, defaults filled in."""
    from fedbnsl.registry import method

    one, two = Spec.parse(text), Spec.parse(other)
    entry = method(one.name)
    return one.name == two.name and entry.checked(one.dict()) == entry.checked(two.dict())


def _row(experiment, part, rule, settings, best) -> dict:
    first = best.iloc[0]
    told = {"experiment": experiment}
    if "log" in part and part["log"].notna().any():
        told["log"] = part["log"].iloc[0]
    seeds = sorted(set(part["seed"]))
    return {
        **told,
        "rule": rule,
        "chosen": first["method"],
        "equal": len(best),
        "tried": len(settings),
        "seeds": "+".join(map(str, seeds)),
        **{key: first[key] for key in _KEPT},
        "megabytes": first["bytes"] / 1e6,
        "log_likelihood": first["log_likelihood"],
    }
