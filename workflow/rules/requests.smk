# The memory and the time that jobs ask for; more on every further attempt.


def consensus_memory(wildcards, attempt):
    """Megabytes for the graphs of the largest number of sites; no rows are read."""
    return cost.memory_mb(wildcards.source, held=0, graphs=max(numbers("sites")(wildcards))) * attempt


def score_memory(wildcards, attempt):
    """Megabytes for the graphs and the rows of the largest number of sites."""
    most = max(numbers("sites")(wildcards))
    return cost.memory_mb(wildcards.source, held=most, graphs=most) * attempt


def consensus_runtime(wildcards, attempt):
    """Minutes to ask for."""
    seconds = cost.consensus_seconds(wildcards.source, max(numbers("sites")(wildcards)))
    return cost.runtime_minutes(len(seeds_of(wildcards)) * seconds, attempt)


def sites_memory(wildcards, attempt):
    """Megabytes to make sites: one after another, or all at once where one table is split."""
    split = Spec.parse(wildcards.partition).dict().get("sites", 1)
    return cost.memory_mb(wildcards.source, held=split) * attempt


def learn_memory(wildcards, attempt):
    """Megabytes to learn at one site after another."""
    return cost.memory_mb(wildcards.source) * attempt


def learn_runtime(wildcards, attempt):
    """Minutes to ask for."""
    sites = int(wildcards.last) - int(wildcards.first) + 1
    seconds = sites * cost.learn_seconds(wildcards.learner, wildcards.source)
    return cost.runtime_minutes(seconds, attempt, at_least=sites * (CONFIG["site_time_limit"] or 0))


def federate_memory(wildcards, attempt):
    """Megabytes for all sites of one seed at once."""
    return cost.memory_mb(wildcards.source, int(wildcards.sites)) * attempt


def federate_runtime(wildcards, attempt, runs=1):
    """Minutes to ask for, where the protocol runs so often for each seed."""
    seconds = cost.federate_seconds(wildcards.method, wildcards.source, int(wildcards.sites))
    return cost.runtime_minutes(len(seeds_of(wildcards)) * runs * seconds, attempt)


def grid_runtime(wildcards, attempt):
    """Minutes to ask for: every setting of the grid is run, twice where held-out rows are judged too."""
    runs = grids.size(wildcards.method) * (2 if held_out(wildcards) else 1)
    return federate_runtime(wildcards, attempt, runs)


def fmri_memory(wildcards, attempt):
    """Megabytes for all time series of a cohort at once, and for learning from them."""
    if wildcards.source == REAL_COHORT:
        values = cost.values_in_files(fmri_cohort_files(wildcards))
    else:
        values = simulation_of(wildcards.source, CONFIG["seed"]).n_values
    return cost.series_mb(values) * attempt


def cohort_memory(wildcards, attempt, input):
    """Megabytes to hold all files of the cohort as text cells at once."""
    return (600 + int(40 * input.size_mb)) * attempt


def cohort_runtime(wildcards, attempt, input):
    """Minutes for learning again and again from all rows of the cohort; `site_time_limit` bounds a search."""
    return (30 + int(10 * input.size_mb)) * attempt
