"""Figures and tables of the MCBNC paper: ranks over networks, treewidth, and other consensus methods."""

import pandas

from fedbnsl.evaluate.ranks import block_ranks, friedman, holm_pairwise, mean_ranks
from fedbnsl.studies.artefact import Artefact
from fedbnsl.studies.statements import of_method

#: What is ranked: series of the measures → name.
SERIES = {"best": "MCBNC", "inputs": "mean of the inputs", "fusion": "G⁺"}
OURS, INPUTS, FUSION = SERIES.values()

_BETTER = {"smhd_gold": "lower", "bdeu": "higher"}
_PRINTED_RANKS = {
    "smhd_gold": {OURS: "1.40", INPUTS: "1.91", FUSION: "2.69"},
    "bdeu": {OURS: "1.70", INPUTS: "1.58", FUSION: "2.72"},
}
# measure, the better one, the other one, whether they differ, the printed p value
_PRINTED_TESTS = [
    ("smhd_gold", OURS, INPUTS, True, "6.95e-4"),
    ("smhd_gold", OURS, FUSION, True, "7.68e-18"),
    ("bdeu", INPUTS, OURS, False, "about 0.41"),
    ("bdeu", INPUTS, FUSION, True, "3.25e-14"),
    ("bdeu", OURS, FUSION, True, "below that of the inputs' mean"),
]
_BLOCK = ["network", "sites"]
_BARLEY = (
    "no reduction from a whole number below 46 rounds to 58.7 %, so the printed one is not from the gold "
    "standard, whose treewidth is 7 at most; the fusion is the likelier reference"
)


def ranks(scores: pandas.DataFrame) -> Artefact:
    """Mean ranks of the consensus, of its inputs and of the plain fusion over networks and numbers of sites.

    Friedman's test, and the differences from the best method with Holm's correction. The paper's p values
    (SMHD 6.95e-4 and 7.68e-18; BDeu 0.41 and 3.25e-14) fit its mean ranks for 90 blocks, that is 15
    networks and six numbers of sites, and for Holm over the two comparisons with the best method; they do
    not fit 60 blocks (four numbers of sites), nor Holm over all three pairs. The twelve ties that it counts
    for two networks are six a network, too. The best method is therefore the control here as well.

    Parameters
    ----------
    scores : pandas.DataFrame
        Measures of MCBNC; other methods are passed over.
    """
    from fedbnsl.plot.ranks import rank_axes

    scores = of_method(scores, "mcbnc")
    rows, runs = [], []
    for measure, better in _BETTER.items():
        blocks = _blocks(scores, measure)
        statistic, p = friedman(blocks, better)
        pairs = holm_pairwise(blocks, better, control="best").set_index("second")
        for name, mean in mean_ranks(blocks, better).items():
            rows.append(
                {
                    "measure": measure,
                    "method": name,
                    "blocks": len(blocks),
                    "mean_rank": mean,
                    "printed_rank": float(_PRINTED_RANKS[measure][name]),
                    "friedman": statistic,
                    "friedman_p": p,
                    "control": pairs["first"].iloc[0],
                    "z": pairs["z"].get(name),
                    "p_holm": pairs["p_holm"].get(name),
                }
            )
        of_blocks = block_ranks(blocks, better).reset_index()
        runs.append(of_blocks.melt(_BLOCK, var_name="method", value_name="rank").assign(measure=measure))
    table = pandas.DataFrame(rows)
    figure = rank_axes(
        table,
        value="mean_rank",
        group="method",
        panels="measure",
        p="p_holm",
        panel_text={"smhd_gold": "SMHD to the gold standard", "bdeu": "BDeu"},
    )
    printed = [
        {
            "quantity": "rank",
            "where": {"measure": measure, "method": name},
            "value": value,
            "better": "lower" if name == OURS else "match",
        }
        for measure, values in _PRINTED_RANKS.items()
        for name, value in values.items()
    ]
    tests = [_tested(scores, *test) for test in _PRINTED_TESTS]
    return Artefact(table=table, runs=pandas.concat(runs), figure=figure, printed=(*printed, *tests))


def treewidth(scores: pandas.DataFrame) -> Artefact:
    """Treewidth of the consensus, its inputs, the fusion and the gold standard over numbers of sites.

    The table also has what the consensus saves against each of the others, in per cent. The paper gives
    one number: 58.7 % for BARLEY and 100 sites, compared to the gold standard. All three references are
    put beside it, since it cannot be the gold standard: a ratio of two whole numbers that rounds to 41.3 %
    has a denominator of 46 or more, and BARLEY's treewidth is 7 at most.
    """
    from fedbnsl.plot.bars import bars

    scores = of_method(scores, "mcbnc")
    names = list(dict.fromkeys(scores["network"]))
    wide = (
        scores[scores["series"].isin(["best", "inputs", "fusion", "gold"])]
        .pivot_table(index=[*_BLOCK, "seed"], columns="series", values="treewidth")
        .reset_index()
    )
    wide["network"] = pandas.Categorical(wide["network"], names)
    wide = wide.sort_values([*_BLOCK, "seed"]).reset_index(drop=True)
    table = wide[[*_BLOCK, "seed"]].copy()
    table["network"] = table["network"].astype(str)
    table["mcbnc"] = wide["best"]
    for series in ("gold", "inputs", "fusion"):
        table[series] = wide[series]
        table[f"reduction_vs_{series}"] = (100 * (1 - wide["best"] / wide[series])).where(wide[series] > 0)
    shown = {**SERIES, "gold": "gold"}
    long = wide.melt([*_BLOCK, "seed"], list(shown), "series", "treewidth")
    long["series"] = pandas.Categorical(long["series"].map(shown), list(shown.values()))
    figure = bars(long, x="sites", y="treewidth", group="series", panels="network")
    printed = [
        {
            "quantity": f"reduction_vs_{series}",
            "where": {"network": "barley", "sites": 100},
            "value": "58.7",
            "better": "match",
            "note": _BARLEY,
        }
        for series in ("gold", "inputs", "fusion")
    ]
    below = table["mcbnc"] <= table["fusion"]
    printed.append(
        {
            "statement": "The consensus has no larger treewidth than the plain fusion",
            "where": "",
            "held": below.tolist(),
            "measured": _told(table, below, "{network}, {sites} sites: {mcbnc:g} and {fusion:g}"),
            "reason": None,
        }
    )
    return Artefact(table=table, runs=table, figure=figure, printed=tuple(printed))


def baselines(scores: pandas.DataFrame) -> Artefact:
    """Every consensus method beside the inputs' mean and the plain fusion, with mean ranks.

    Mean ranks are over the networks and numbers of sites of ``blocks``, 1 for the best.
    """
    best = scores[scores["series"] == "best"]
    # what is compared with, once, whatever the number of methods
    others = scores[scores["method"] == scores["method"].iloc[0]]
    others = others[others["series"].isin(["inputs", "fusion"])]
    others = others.assign(method=others["series"].map(SERIES))
    measures = ["smhd_gold", "smhd_inputs", "bdeu", "edges", "treewidth"]
    table = pandas.concat([best, others])[["network", "sites", "seed", "method", *measures]]
    for measure in ("smhd_gold", "smhd_inputs", "bdeu"):
        wide = table.pivot_table(index=_BLOCK, columns="method", values=measure, sort=False).dropna()
        wide = wide[list(dict.fromkeys(table["method"]))]
        found = mean_ranks(wide, "higher" if measure == "bdeu" else "lower")
        table[f"mean_rank_{measure}"] = table["method"].map(found)
        table["blocks"] = len(wide)
    table = table.reset_index(drop=True)
    return Artefact(table=table, runs=table)


def _blocks(scores: pandas.DataFrame, measure: str) -> pandas.DataFrame:
    """One row a network and number of sites, one column a name of SERIES; means over the seeds.

    Differences in the seventh decimal are rounding: equal networks must tie.
    """
    wanted = scores[scores["series"].isin(list(SERIES))]
    wide = wanted.pivot_table(index=_BLOCK, columns="series", values=measure, sort=False).dropna()
    return wide[list(SERIES)].rename(columns=SERIES).round(6)


def _tested(scores, measure, first, second, differ, printed) -> dict:
    """Whether the two differ by rank as the paper says, at the level of 5 %."""
    pairs = holm_pairwise(_blocks(scores, measure), _BETTER[measure], control=first).set_index("second")
    ahead, p = pairs["difference"][second], pairs["p_holm"][second]
    ranked = f"{first} ranks before {second}" if differ else f"{first} and {second} do not differ"
    return {
        "statement": f"{ranked} (printed p {printed})",
        "where": measure,
        "held": [ahead > 0 and p < 0.05 if differ else p >= 0.05],
        "measured": f"ranks differ by {ahead:+.3g} in {len(_blocks(scores, measure))} blocks, p = {p:.3g}",
        "reason": "How many networks and numbers of sites there are decides what can be told apart",
    }


def _told(table, held, form) -> str:
    telling = table[~held] if (~held).any() else table
    return "; ".join(form.format(**row) for row in telling.head(4).to_dict("records"))
