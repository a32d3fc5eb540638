"""What the workflow tells its user before it starts and when it ends."""

from collections import Counter
from pathlib import Path

from fedbnsl.files import read_json
from fedbnsl.privacy.statement import NO_PROMISE
from fedbnsl.workflow.forecast import forecast
from fedbnsl.workflow.job import WORK
from fedbnsl.workflow.pieces import by_reason, read_records
from fedbnsl.workflow.plan import Plan, learned_files

_SORTED = 0.9  # a varsortability that says that directions follow the scale
_SHOWN = 10  # lines about sites that went wrong


def announcement(plan: Plan, cores: int) -> str:
    """The studies that are about to run, and a rough prediction of their time.

    Parameters
    ----------
    plan : Plan
    cores : int
        How many jobs run at once.
    """
    lines = [
        f"\nPreset {plan.config['preset']}, root seed {plan.config['seed']}, at most {cores} job(s) at once."
    ]
    total = 0.0
    for study in plan.studies:
        expected = forecast(plan, study)
        total += expected.seconds
        cells = {planned.cell for cells in plan.cells[study].values() for planned in cells}
        lines.append(
            f"  {study}: {len(plan.artefacts(study))} figures and tables from {len(cells)} cells in about "
            f"{expected.jobs} jobs, {_range(expected.seconds)} of computing on one core, "
            f"up to {expected.memory_mb} MB a job"
        )
    lines.append(
        f"All of it from nothing: {_range(total / max(cores, 1))}, by a rough guess. The first run also "
        "compiles, for about a minute. What is already there is not made again.\n"
    )
    return "\n".join(lines)


def report(
    plan: Plan, started: float, ended: float, cores: int, succeeded: bool, root: Path | str = "results"
) -> str:
    """The end of a run: what is there, where, what it took, what is missing.

    Parameters
    ----------
    plan : Plan
    started, ended : float
        Seconds since the epoch.
    cores : int
    succeeded : bool
        Whether every job did.
    root : path
        The results folder.
    """
    root = Path(root)
    lines = [""]
    for study in plan.studies:
        states = {name: _state(plan, name, root) for name in plan.artefacts(study)}
        current = sum(state == "current" for state in states.values())
        lines.append(f"{study}: {current} of {len(states)} figures and tables")
        if set(states.values()) != {"missing"}:  # or none was asked for
            lines += [f"  {state}: {name}" for name, state in states.items() if state != "current"]
    lines.append(f"  figures   {root}/figures/*.pdf, *.png")
    lines.append(f"  numbers   {root}/tables/*.tsv (and .md to read)")
    lines.append(f"  networks  {root}/networks/**/*.html, one offline page each")
    lines += graphs_learned(plan, root)
    lines += federated_runs(plan, root)
    counts = verdict_counts(root / "tables/reproduction.tsv")
    if counts:
        told = ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
        lines.append(f"  compared with the printed values: {told} ({root}/tables/reproduction.tsv)")
    busy, own, jobs = work(root / "logs", started)
    wall = ended - started
    if jobs:
        lines.append(
            f"{jobs} jobs in {_duration(wall)}: {own:.0f} s of own work, at most {cores} at once; "
            f"in {100 * max(0.0, 1 - busy / wall):.0f} % of the time no script was at work"
        )
    if succeeded:
        lines.append("One page with everything: snakemake --report report.html\n")
    else:
        lines.append(
            "Some jobs failed; their messages are above and in their logs. What was computed is kept:"
        )
        lines.append("run the same command again after mending the cause.\n")
    return "\n".join(lines)


def _state(plan: Plan, artefact: str, root: Path) -> str:
    """Whether an artefact's table belongs to what is planned now."""
    table = root / f"tables/{artefact}.tsv"
    if not table.exists():
        return "missing"
    scores = [root.parent / planned.cell.scores for planned in plan.planned_for(artefact)]
    made = table.stat().st_mtime
    if any(not path.exists() or path.stat().st_mtime > made for path in scores):
        return "from an earlier run"
    return "current"


def graphs_learned(plan: Plan, root: Path | str = "results") -> list[str]:
    """How many sites have a graph, which have none, and which have one that the learner warned of.

    A site of several experiments counts once. No line if nothing is learned at sites.
    """
    root = Path(root)
    most: dict[tuple, int] = {}
    for *key, sites in plan.learned():
        most[tuple(key)] = max(most.get(tuple(key), 0), sites)
    there, told = 0, []
    for key, sites in most.items():
        files = [root.parent / path for path in learned_files(*key, sites)]
        records, missing, warned = read_records([path for path in files if path.exists()], sites)
        there += len(records) - len(missing)
        learner, source, partition, seed = key
        for what, reasons in (("left out", missing), ("warning", warned)):
            if reasons:
                where = f"{learner}, {source}, {partition}, seed {seed}"
                told.append(f"    {what}: {where}, {by_reason(reasons)}")
    lines = (
        [f"  graphs    {root}/learned/**/*.json, of {there} of {sum(most.values())} sites"] if most else []
    )
    lines += told[:_SHOWN]
    if len(told) > _SHOWN:
        lines.append(f"    and {len(told) - _SHOWN} more: see sites_missing and sites_warned in the tables")
    return lines


def federated_runs(plan: Plan, root: Path | str = "results") -> list[str]:
    """Which federated runs have not converged, how many networks may follow the scale of the columns, and
    what runs with noise promise.

    No line if there is no such run.
    """
    root = Path(root)
    cells = dict.fromkeys(p.cell for p in plan.all_cells() if getattr(p.cell, "kind", "") == "federate")
    there, told, shares, promised = 0, [], [], Counter()
    for cell in cells:
        path = root.parent / cell.graphs
        if not path.exists():
            continue
        unmet = {}
        for record in read_json(path)["seeds"]:
            there += 1
            promised[record.get("privacy", NO_PROMISE).partition(" (")[0].partition(": ε")[0]] += 1
            if record["varsortability"] is not None:
                shares.append(record["varsortability"])
            if not record["converged"]:
                unmet[record["seed"]] = "; ".join(record["warnings"])
        if unmet:
            first, reason = next(iter(unmet.items()))
            where = f"{cell.method}, {cell.source}, {cell.sites} sites"
            told.append(f"    {len(unmet)} run(s) of {where}; seed {first}: {reason}")
    if not there:
        return []
    sorted_ = sum(share >= _SORTED for share in shares)
    lines = [f"  rounds    {root}/federated/**/rounds.tsv, of {there} federated runs"]
    if told:
        lines += ["  not converged:", *told[:_SHOWN]]
    if len(told) > _SHOWN:
        lines.append(f"    and {len(told) - _SHOWN} more settings: see the column converged in the tables")
    lines.append(
        f"  scale: in {sorted_} of {len(shares)} of their networks, {_SORTED:.0%} or more of the directed "
        "paths lead to the larger variance: other units would give other directions (see a network's page)"
    )
    promised.pop(NO_PROMISE, None)
    if promised:
        lines.append("  privacy: of the runs with noise (see their privacy.json)")
        lines += [f"    {number} {words}" for words, number in sorted(promised.items())]
    return lines


def work(logs: Path | str, since: float) -> tuple[float, float, int]:
    """Own work of the scripts that started after ``since``, read from their logs.

    Returns
    -------
    busy : float
        Seconds during which at least one script was at work.
    own : float
        Seconds of work over all scripts.
    jobs : int
        Number of scripts.
    """
    spans = []
    for path in Path(logs).rglob("*.log"):
        if path.stat().st_mtime < since:
            continue
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()[-1:]:
            if line.startswith(WORK):
                start, end = map(float, line.removeprefix(WORK).split())
                if start >= since:
                    spans.append((start, end))
    busy, reached = 0.0, since
    for start, end in sorted(spans):
        busy += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return busy, sum(end - start for start, end in spans), len(spans)


def verdict_counts(path: Path | str) -> Counter:
    """How often each verdict stands in the table of reproduced numbers; empty if there is none."""
    path = Path(path)
    if not path.exists():
        return Counter()
    header, *rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return Counter(row[header.index("verdict")] for row in rows)


def _range(seconds: float) -> str:
    return f"{_duration(seconds)} to {_duration(3 * seconds)}"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
