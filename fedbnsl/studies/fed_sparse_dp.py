"""Figures and tables of the Fed-Sparse-BNSL paper about differential privacy.

Every run of a study has a known seed, so none is private: tables have the column ``privacy``, the run's own
statement. Apart from that there are sound forms, which would be private in secure mode, and forms of the
papers that would not; the names of these begin with ``not private``.
"""

import math

import pandas

from fedbnsl.plot.style import label
from fedbnsl.privacy.accountant import zcdp_budget, zcdp_epsilon
from fedbnsl.privacy.statement import NO_PROMISE
from fedbnsl.spec import Spec
from fedbnsl.studies.artefact import Artefact
from fedbnsl.studies.fed_sparse import MEASURES
from fedbnsl.studies.fed_sparse_attack import LEAK_MEASURES, boxes_of_errors, with_guess
from fedbnsl.studies.fed_sparse_dp_said import (
    said_of_accounting,
    said_of_budgets,
    said_of_shares,
    said_of_variables,
)
from fedbnsl.studies.forms import (
    DP_SPARSE,
    EXACT,
    HISTOGRAMS,
    NOT_PRIVATE,
    SOUND,
    STAGED,
    UNCLIPPED,
    form,
    options_of,
)

_KEY = ("form", "nodes", "epsilon", "seed")


def over_budgets(scores: pandas.DataFrame) -> Artefact:
    """SHD, TPR and FDR over ε, a line a form of a method, and levels without noise (figure 3).

    Parameters
    ----------
    scores : pandas.DataFrame
        Measures of the kind ``grid`` of private methods, and of Fed-Sparse-BNSL for reference.
    """
    table = _with_forms(scores)
    table = table[table["form"] != UNCLIPPED].reset_index(drop=True)  # printed for one ε only
    noisy, levels = _parted(table)
    table = pandas.concat([levels, noisy], ignore_index=True)
    return Artefact(
        table=table,
        runs=table,
        figure=_curves(noisy, "epsilon", levels=levels, rows="kind", log_x=True),
        printed=said_of_budgets(noisy, levels),
    )


def over_variables(scores: pandas.DataFrame, epsilon: float) -> Artefact:
    """SHD, TPR and FDR over the number of variables at one ε (figure 4).

    Parameters
    ----------
    scores : pandas.DataFrame
        As for :func:`over_budgets`.
    epsilon : float
        Which of the ε in it.
    """
    table = _with_forms(scores)
    table = table[table["epsilon"].isna() | (table["epsilon"] == epsilon)].reset_index(drop=True)
    free = table[table["epsilon"].isna()]
    shown = [table[table["epsilon"].notna()], *(free.assign(kind=kind) for kind in (SOUND, NOT_PRIVATE))]
    return Artefact(
        table=table,
        runs=table,
        figure=_curves(pandas.concat(shown), "nodes", rows="kind"),
        printed=said_of_variables(table[table["epsilon"].notna()]),
    )


def over_shares(scores: pandas.DataFrame) -> Artefact:
    """SHD, TPR and FDR over the share of the budget for the constants M (figure 7).

    Parameters
    ----------
    scores : pandas.DataFrame
        Measures of the kind ``grid`` of DP-Fed-Sparse-BNSL, with the column ``rows``.

    Returns
    -------
    Artefact
        ``share_of_rho`` is what a run was given; ``share_of_epsilon`` what it is by the paper's way of
        counting: the ε, relative to all of it, that so much of ρ buys alone. Other methods have none.
    """
    table = _with_forms(scores)
    options = table["method"].map(options_of)
    table["share_of_rho"] = options.map(lambda one: one.get("scale_share")).astype(float)
    table["share_of_epsilon"] = [
        _share_of_epsilon(share, epsilon, rows**-2.0)
        for share, epsilon, rows in zip(table["share_of_rho"], table["epsilon"], table["rows"], strict=True)
    ]
    level = table["form"].isin([EXACT, STAGED])
    table.loc[~level, "form"] = [
        HISTOGRAMS if one["scale_bound"] is None else f"squares below {one['scale_bound']:g}"
        for one in options[~level]
    ]
    return Artefact(
        table=table,
        runs=table,
        figure=_curves(
            table[~level],
            "share_of_epsilon",
            levels=table[level],
            x_text="share of ε for the constants M",
        ),
        printed=said_of_shares(table),
    )


def over_accounting(scores: pandas.DataFrame) -> Artefact:
    """SHD, TPR and FDR over ε with the noise that each accounting asks for (figure 8).

    Parameters
    ----------
    scores : pandas.DataFrame
        As for :func:`over_budgets`.
    """
    table = _with_forms(scores)
    names = {"cks": f"{DP_SPARSE}, exact conversion", "paper": f"{DP_SPARSE}, the paper's conversion"}
    private = table["epsilon"].notna() & (table["form"] == DP_SPARSE)
    table.loc[private, "form"] = [
        names[options_of(method)["conversion"]] for method in table.loc[private, "method"]
    ]
    noisy, levels = _parted(table)
    table = pandas.concat([levels, noisy], ignore_index=True)
    return Artefact(
        table=table,
        runs=table,
        figure=_curves(noisy, "epsilon", levels=levels, log_x=True),
        printed=said_of_accounting(noisy),
    )


def sachs(scores: pandas.DataFrame) -> Artefact:
    """Edges, SHD, correct edges of the skeleton and v-structures on the Sachs data, means over seeds.

    Parameters
    ----------
    scores : pandas.DataFrame
        Measures of the kind ``grid`` of private methods, with the column ``log``.
    """
    runs = scores.assign(form=scores["method"].map(form))
    key = ["log", "form", "method", "privacy"]
    measures = ["edges", "shd", "skeleton_correct", "v_structures", "bytes", "converged"]
    runs["converged"] = runs["converged"].astype(float)
    grouped = runs.groupby(key, sort=False)
    table = grouped[measures].mean().reset_index()
    table.insert(4, "seeds", grouped.size().to_numpy())
    return Artefact(table=table, runs=runs)


def reconstruction(scores: pandas.DataFrame) -> Artefact:
    """Errors of the covariances that the server reconstructs, a box a form (appendix A.1 with noise).

    Parameters
    ----------
    scores : pandas.DataFrame
        Measures of the kind ``attack``.
    """
    columns = ["method", "nodes", "sites", "seed", "site"]
    columns += [column for measure in LEAK_MEASURES for column in (measure, f"{measure}_guess")]
    table = scores[columns].reset_index(drop=True)
    table.insert(0, "form", table["method"].map(form))
    names = table["form"].str.replace(": ", ":\n").str.replace(", ", ",\n").str.replace(" (", "\n(")
    long = with_guess(table.assign(method=names))
    return Artefact(table=table, runs=table, figure=boxes_of_errors(long))


def _with_forms(scores: pandas.DataFrame) -> pandas.DataFrame:
    """Each run once, on data that all methods were run on, with ``form``, its ``kind`` and ``epsilon``."""
    table = scores.drop_duplicates(["method", "nodes", "sites", "seed"])
    methods = table.groupby("nodes")["method"].transform("nunique")
    table = table[table.groupby(["nodes", "seed"])["method"].transform("nunique") == methods]
    table = table.reset_index(drop=True)
    options = table["method"].map(options_of)
    table["epsilon"] = [one.get("epsilon") for one in options]
    table["epsilon"] = table["epsilon"].astype(float)
    table["form"] = [
        form(method) if private else f"without noise: {label(Spec.parse(method).name)}" + _variant(method)
        for method, private in zip(table["method"], table["epsilon"].notna(), strict=True)
    ]
    table["kind"] = [NOT_PRIVATE if name.startswith(NOT_PRIVATE) else SOUND for name in table["form"]]
    table["privacy"] = table["privacy"].fillna(NO_PROMISE)
    rest = ["kind", "method", "sites", "rows", "rounds", *MEASURES, "edges", "bytes", "converged", "privacy"]
    return table[[*_KEY, *(column for column in rest if column in table)]]


def _variant(method: str) -> str:
    variant = Spec.parse(method).dict().get("variant")
    return "" if variant is None else f" ({variant})"


def _parted(table: pandas.DataFrame) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    """Runs with noise, and those without it on the same data."""
    noisy, free = table[table["epsilon"].notna()], table[table["epsilon"].isna()]
    same = free["nodes"].isin(noisy["nodes"].unique()) & free["seed"].isin(noisy["seed"].unique())
    return noisy, free[same]


def _curves(table, x, levels=None, rows=None, **options):
    from fedbnsl.plot.curves import curves

    def long(part, names):
        molten = part.melt(names, list(MEASURES), var_name="measure", value_name="value")
        return molten.assign(measure=pandas.Categorical(molten["measure"], MEASURES))

    hlines = None
    if levels is not None and len(levels):
        hlines = long(levels, ["form"]).rename(columns={"form": "label"})[["label", "measure", "value"]]
    drawn = long(table, ["form", "kind", "seed", x])
    drawn["kind"] = pandas.Categorical(drawn["kind"], [SOUND, NOT_PRIVATE])
    return curves(
        drawn,
        x=x,
        y="value",
        group="form",
        panels="measure",
        rows=rows,
        y_text={measure: label(measure) for measure in MEASURES},
        hlines=hlines,
        **options,
    )


def _share_of_epsilon(share: float, epsilon: float, delta: float) -> float:
    if share == 0 or math.isnan(share):
        return share
    return zcdp_epsilon(share * zcdp_budget(epsilon, delta, "cks"), delta, "cks") / epsilon
