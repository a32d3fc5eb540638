"""What a cohort's page says in sentences: methods and sources, communication, privacy."""

from collections.abc import Mapping, Sequence

from fedbnsl.cohort.learning import Way
from fedbnsl.data.site_data import SiteData
from fedbnsl.registry import method
from fedbnsl.spec import Spec


def methods_text(
    way: Way, sites: Sequence[SiteData], replicates: int, folds: int, pseudo_count: float
) -> str:
    """A paragraph for the methods section of a paper, with the sources below it."""
    entry = method(Spec.parse(way.method).name)
    rows = sum(site.n_rows for site in sites)
    kind = "discrete" if sites[0].is_discrete else "continuous"
    said = [f"{len(sites)} sites hold {rows} rows of {len(sites[0].names)} {kind} variables."]
    if way.is_consensus:
        learner = method(Spec.parse(way.learner).name)
        said.append(
            f"Each site learned a network from its own rows with {way.learner} ({learner.summary}); they "
            f"were combined by {way.method} ({entry.summary})."
        )
    else:
        said.append(f"The sites learned one network together with {way.method} ({entry.summary}).")
    known = way.knowledge
    if known:
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
            if sites[0].is_discrete
            else "least squares"
        )
        said.append(f"Its parameters come from the sums that all sites sent: {fit}.")
        if replicates:
            said.append(
                f"Confidence is the share of {replicates} bootstrap replicates, in which every site's rows "
                "were resampled and everything was learned anew."
            )
        if folds:
            said.append(
                f"Held-out likelihoods come from {folds}-fold cross-validation with structure and parameters "
                "learned without the held-out rows."
            )
    sources = [entry.citation]
    if way.is_consensus:
        sources.append(method(Spec.parse(way.learner).name).citation)
    return " ".join(said) + "\n\nSources: " + "; ".join(dict.fromkeys(sources)) + "."


def communication_text(record: Mapping, edges: Sequence[int]) -> str:
    """What was exchanged to learn the structure."""
    if "rounds" in record:
        rounds = f"{record['rounds']} round{'s' * (record['rounds'] != 1)}"
        return f"{record['bytes']:,} bytes of messages in {rounds}, both ways, all sites"
    return f"one graph a site, once: {sum(edges)} edges in all"


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
