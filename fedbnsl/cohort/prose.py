"""What a cohort's page says in sentences: methods and sources, communication, privacy."""

from collections.abc import Mapping, Sequence

import numpy as np

from fedbnsl.cohort.learning import Way
from fedbnsl.data.site_data import SiteData
from fedbnsl.registry import method
from fedbnsl.spec import Spec


def methods_text(
    way: Way,
    sites: Sequence[SiteData],
    *,
    failed: Sequence[str] = (),
    policy: str = "reject",
    replicates: tuple[int, int] = (0, 0),
    folds: int = 0,
    pseudo_count: float = 1.0,
) -> str:
    """A paragraph for the methods section of a paper, with the sources below it.

    Parameters
    ----------
    way : Way
    sites : sequence of SiteData
    failed : sequence of str
        Sites at which learning failed.
    policy : str
        On missing values.
    replicates : (int, int)
        Of the bootstrap: how many gave a network, and how many there were.
    folds : int
        Of the cross-validation; 0: nothing was held out.
    pseudo_count : float
    """
    entry = method(Spec.parse(way.method).name)
    rows, discrete = sum(site.n_rows for site in sites), sites[0].is_discrete
    kind = "discrete" if discrete else "continuous"
    held = "1 site holds" if len(sites) == 1 else f"{len(sites)} sites hold"
    said = [f"{held} {rows} rows of {len(sites[0].names)} {kind} variables."]
    if policy == "complete-cases":
        said.append("Rows with a missing value had been dropped.")
    elif policy == "impute":
        said.append(
            f"Missing values had been filled in at each site by its {'mode' if discrete else 'median'}."
        )
    if way.is_consensus:
        learner = method(Spec.parse(way.learner).name)
        who = "Each site" if not failed else f"Each of {len(sites) - len(failed)} sites"
        said.append(
            f"{who} learned a network from its own rows with {way.learner} ({learner.summary}); they "
            f"were combined by {way.method} ({entry.summary})."
        )
        if failed:
            said.append(f"Learning failed at {', '.join(failed)}.")
        labels = (way.learner, way.method)
    else:
        said.append(f"The sites learned one network together with {way.method} ({entry.summary}).")
        labels = (way.method,)
    said += [told for label in labels if (told := _options_text(label, discrete))]
    known = way.knowledge
    if known and not way.uses_knowledge:
        said.append("The background knowledge was not used: the method takes none.")
    elif known:
        parts = [
            f"{len(part)} {what}"
            for part, what in (
                (known.required, "required edges"),
                (known.forbidden, "forbidden edges"),
                (known.tiers, "tiers in time"),
            )
            if part
        ]
        said.append(f"Background knowledge: {', '.join(parts)}.")
    if not way.is_private:
        fit = (
            f"the posterior mean of each table under a Dirichlet prior with pseudo-count {pseudo_count:g}"
            if discrete
            else "least squares"
        )
        said.append(f"Its parameters come from the sums that all sites sent: {fit}.")
        kept, made = replicates
        if made:
            said.append(
                f"Confidence is the share of {kept} bootstrap replicates, in which every site's rows "
                "were resampled and everything was learned anew"
                + (f"; {made - kept} further ones gave no network." if made > kept else ".")
            )
        if folds:
            said.append(
                f"Whether joining pays was judged on 1/{folds} of each site's rows, split off once at "
                f"random; methods were compared by {folds}-fold cross-validation. Structure and "
                "parameters were learned without the held-out rows."
            )
    sources = [entry.citation]
    if way.is_consensus:
        sources.append(method(Spec.parse(way.learner).name).citation)
    return " ".join(said) + "\n\nSources: " + "; ".join(dict.fromkeys(sources)) + "."


def _options_text(label: str, discrete: bool) -> str:
    """The options that a method ran with, defaults included; not those that say what is known."""
    spec = Spec.parse(label)
    options = method(spec.name).checked(spec.dict())
    if "score" in options and options["score"] is None:
        options["score"] = "bdeu" if discrete else "gaussian-bic"
    if options.get("score", "bdeu") != "bdeu":
        options.pop("ess", None)
    hidden = ("required", "forbidden", "tiers")
    given = [
        f"{key} = {_word(value)}" for key, value in options.items() if key not in hidden and value is not None
    ]
    return f"Options of {spec.name}: {', '.join(given)}." if given else ""


def _word(value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def communication_text(record: Mapping, edges: Sequence[int], parameter_bytes: int | None) -> str:
    """What was exchanged: for the structure, and for the parameters if there are any."""
    if "rounds" in record:
        rounds = f"{record['rounds']} round{'s' * (record['rounds'] != 1)}"
        said = f"{record['bytes']:,} bytes of messages in {rounds}, both ways, all sites"
    else:
        said = f"one graph a site, once: {sum(edges)} edges in all"
    if parameter_bytes is not None:
        said += f"; {parameter_bytes:,} bytes for the parameters"
    return said


def data_table(sites: Sequence[SiteData]) -> list[list[str]]:
    """Each variable at each site: the shares of its states, or mean ± standard deviation."""
    table = [["variable", *(site.label for site in sites)]]
    for i, name in enumerate(sites[0].names):
        row = [name]
        for site in sites:
            column = site.values[:, i]
            if site.is_discrete:
                shares = np.bincount(column, minlength=len(site.states[i])) / max(len(column), 1)
                row.append(
                    ", ".join(f"{s} {share:.0%}" for s, share in zip(site.states[i], shares, strict=True))
                )
            else:
                row.append(f"{column.mean():.3g} ± {column.std():.3g}")
        table.append(row)
    return table


def reading_guide(consensus: bool, joining: bool) -> str:
    """What the words on the page mean."""
    said = [
        "An arrow says that two variables depend on each other even if the others are known, and "
        "which way the method directs this. It is no proof of a cause: unmeasured variables, "
        "selection and time can make arrows too.",
        "Direction: fixed means that turning the arrow round would state other independences; free "
        "means that the data cannot tell; by model means that the method tells from its assumptions "
        "(equal noise, linear effects).",
        "Strength, in nats: how much worse a row would be predicted without the edge. Support: the "
        "share of the sites that found the pair joined on their own; sites shows how (→ as here, ← "
        "the other way, — undirected). Confidence: the share of resampled data sets in which the "
        "whole procedure joins the pair, and, of these, the share that agrees with the direction "
        "(0.5: none preferred). Lost without: sites whose rows the edge needs.",
        "SMHD: the number of pairs joined in one moral graph (edges, and parents of a common child) "
        "and not in the other.",
    ]
    if consensus:
        said.append(
            "θ: how much dependence the consensus may cut to stay simple; the larger, the fewer edges."
        )
    if joining:
        said.append(
            "Does joining pay: how well rows that were kept out are predicted by the site's own "
            "model, by the shared network with the site's own numbers, and by the shared network with "
            "everybody's numbers. A gain above 0 means that the site predicts its own rows better by "
            "joining."
        )
    return "\n\n".join(said)


def privacy_text(record: Mapping) -> str:
    """What may be said about privacy, and nothing more."""
    statement = record.get("privacy")
    if statement is None:
        return (
            "No differential privacy. Rows stayed at their sites, but graphs, counts and messages that left "
            "them are computed from the rows and tell about them."
        )
    spent = [one["epsilon"] for one in record["spent"]]
    worst = f" The sites have spent ε = {max(spent):.3g} at most." if spent else ""
    if not statement["private"]:
        return (
            f"Not private: {statement['reason']}. The noise is what (ε = {statement['epsilon']:g}, "
            f"δ = {statement['delta']:.2g}) would ask for."
        )
    return (
        f"Every site has (ε = {statement['epsilon']:g}, δ = {statement['delta']:.2g}) differential privacy "
        f"for one of its records ({statement['adjacency']}).{worst} Taken as public: {statement['public']}. "
        f"Clipping: {statement['clipping']}. A person with records at two sites is protected less."
    )
