"""What a site has spent: ρ and μ of a release, budgets, files, and statements beside results."""

import json
import math
import subprocess
import sys

import opendp.prelude as opendp
import pytest

from fedbnsl import InputError
from fedbnsl.privacy import (
    Ledger,
    Release,
    Statement,
    gdp_budget,
    gdp_delta,
    noise_multiplier,
    zcdp_budget,
)
from fedbnsl.privacy.ledger_folder import enter
from fedbnsl.privacy.statement import stamp

opendp.enable_features("contrib")


def test_rho_and_mu_of_releases():
    gauss = Release("g", "gaussian", 2.0, 10.0, 3)
    assert gauss.rho == pytest.approx(3 * 4 / 200)
    assert gauss.mu == pytest.approx(math.sqrt(3) / 5)
    assert Release("m", "noisy-max", 2.0, 10.0, 3).rho == gauss.rho
    assert Release("l", "laplace", 2.0, 10.0).rho == pytest.approx(0.02)
    assert Release("m", "noisy-max", 2.0, 10.0).mu is None


def test_rho_of_a_noisy_maximum_is_that_of_opendp_for_scores_that_go_both_ways():
    scores = opendp.vector_domain(opendp.atom_domain(T="i64")), opendp.linf_distance(T="i64")
    release = opendp.m.make_noisy_max(*scores, opendp.zero_concentrated_divergence(), scale=7.0)
    assert Release("m", "noisy-max", 3.0, 7.0).rho == pytest.approx(release.map(3), rel=1e-12)


def test_rho_of_a_noisy_maximum_bounds_the_divergences_of_its_law():
    """Worst case: one score up and all others down; the bound is nearly reached at one order."""
    ratios = []
    for others in (1, 9):
        for beta in (1.0, 4.0):
            for gap in (-3.0, 0.0, 2.0):
                p, q = ([math.exp((gap + s) / beta), others * math.exp(-s / beta)] for s in (0.5, -0.5))
                p, q = ([w / sum(x) for w in x] for x in (p, q))
                rho = Release("m", "noisy-max", 1.0, beta).rho
                for order in (1.01, 2, 5, 40):
                    moment = sum(a**order * b ** (1 - order) for a, b in zip(p, q, strict=True))
                    ratios.append(math.log(moment) / (order - 1) / (order * rho))
    assert 0.9 < max(ratios) <= 1


def test_updates_of_the_planned_noise_spend_the_whole_budget():
    z = noise_multiplier(5.0, 4e-8, 2000, scale_share=0.05)
    ledger = Ledger("clinic", 5.0, 4e-8)
    ledger.spend(Release("choice", "noisy-max", 1.0, z, 2000), Release("value", "gaussian", 1.0, z, 2000))
    assert ledger.spent / ledger.budget == pytest.approx(0.95)
    rest = Release("scale", "gaussian", 1.0, (2 * 0.05 * zcdp_budget(5.0, 4e-8)) ** -0.5)
    ledger.spend(rest)
    assert ledger.epsilon_spent == pytest.approx(5.0)
    assert list(ledger.rows()["share"]) == pytest.approx([0.475, 0.475, 0.05])
    with pytest.raises(InputError, match="ledger of clinic: more: not enough is left of the privacy budget"):
        ledger.spend(Release("more", "laplace", 1.0, 1000.0))
    assert len(ledger.rows()) == 3


def test_a_gaussian_ledger_adds_squares_of_mu_and_takes_nothing_else():
    ledger = Ledger("clinic", 1.0, 1e-6, "gdp")
    mu = gdp_budget(1.0, 1e-6)
    assert ledger.epsilon_spent == 0
    ledger.spend(Release("a", "gaussian", 0.6 * mu, 1.0), Release("b", "gaussian", 0.4 * mu, 1.0, 4))
    assert ledger.epsilon_spent == pytest.approx(1.0)
    with pytest.raises(InputError, match="a noisy-max release cannot be accounted as Gaussian"):
        Ledger("clinic", 1.0, 1e-6, "gdp").spend(Release("c", "noisy-max", 1.0, 1e9))


def test_noise_that_is_nearly_gaussian_takes_its_part_of_delta_from_a_gaussian_ledger(tmp_path):
    """δ(μ, ε) + (1 + e^ε) · variation ≤ δ, with the variations of all runs together."""
    ledger = Ledger("clinic", 1.0, 1e-6, "gdp")
    mu = gdp_budget(1.0, 1e-6)
    near = Release("a", "gaussian", 0.3 * mu, 1.0, variation=1e-7)
    ledger.spend(near)
    ledger.spend(near)
    assert ledger.budget == pytest.approx(gdp_budget(1.0, 1e-6 - (1 + math.e) * 2e-7) ** 2)
    spent = math.sqrt(2) * 0.3 * mu
    assert gdp_delta(spent, ledger.epsilon_spent) == pytest.approx(1e-6 - (1 + math.e) * 2e-7)
    with pytest.raises(InputError, match="not enough is left"):  # (1 + e) · 3e-7 is above δ
        ledger.spend(Release("b", "gaussian", 1e-9, 1.0, variation=1e-7))
    ledger.spend(Release("b", "gaussian", 1e-9, 1.0))
    ledger.save(tmp_path / "a.json")
    assert Ledger.load(tmp_path / "a.json").releases == ledger.releases
    # ρ is that of the noise drawn: nothing is set aside.
    exact = Ledger("clinic", 1.0, 1e-6)
    exact.spend(near)
    assert exact.budget == zcdp_budget(1.0, 1e-6)
    with pytest.raises(InputError, match="variation must be between 0 and 1, not nan"):
        Release("a", "gaussian", 1.0, 1.0, variation=math.nan)


def test_releases_are_entered_all_or_none():
    ledger = Ledger("clinic", 1.0, 1e-6)
    small, large = Release("small", "gaussian", 1.0, 100.0), Release("large", "gaussian", 1.0, 0.1)
    with pytest.raises(InputError, match="small, large: not enough"):
        ledger.spend(small, large)
    assert ledger.spent == 0
    ledger.spend(small)


def test_a_ledger_survives_its_file(tmp_path):
    ledger = Ledger("clinic", 1.0, 1e-6, "paper")
    ledger.spend(Release("choice", "noisy-max", 1 / 3, 100.0, 7))
    ledger.save(tmp_path / "a.json")
    again = Ledger.load(tmp_path / "a.json")
    assert again.releases == ledger.releases
    assert (again.site, again.epsilon, again.delta, again.conversion) == ("clinic", 1.0, 1e-6, "paper")
    assert again.spent == ledger.spent


def test_a_file_that_is_no_ledger_or_over_its_budget_is_refused(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"site": "clinic"}')
    with pytest.raises(InputError, match=r"a\.json: the file is no ledger"):
        Ledger.load(path)
    ledger = Ledger("clinic", 1.0, 1e-6)
    ledger.spend(Release("choice", "noisy-max", 1.0, 100.0))
    ledger.save(path)
    content = json.loads(path.read_text())
    content["releases"][0]["scale"] = 1.0
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="not enough is left"):
        Ledger.load(path)


def run_ledger(site, share):
    """What a run with a budget of its own, ε = 1, spends, as a share of it."""
    ledger = Ledger(site, 1.0, 1e-6)
    ledger.spend(Release("all", "gaussian", 1.0, (2 * share * ledger.budget) ** -0.5))
    return ledger


def test_runs_on_the_same_rows_add_up_until_the_budget_is_spent(tmp_path):
    enter(tmp_path, [run_ledger("a", 0.4), run_ledger("b", 0.4)])
    enter(tmp_path, [run_ledger("b", 0.5)])
    with pytest.raises(InputError, match=r"ledger of b: all: not enough .* \(90% is spent, this takes 50%\)"):
        enter(tmp_path, [run_ledger("a", 0.5), run_ledger("b", 0.5)])
    assert [len(Ledger.load(tmp_path / f"{site}.json").releases) for site in "ab"] == [1, 2]


def test_a_budget_agreed_on_before_allows_several_runs(tmp_path):
    Ledger("site 1", 2.5, 1e-6).save(tmp_path / "site_1.json")
    for _ in range(2):
        enter(tmp_path, [run_ledger("site 1", 1.0)])
    assert 1.0 < Ledger.load(tmp_path / "site_1.json").epsilon_spent < 2.0


def test_ledgers_of_others_and_of_nothing_are_refused(tmp_path):
    with pytest.raises(InputError, match="nothing to enter in a ledger"):
        enter(tmp_path, [])
    with pytest.raises(InputError, match=r"two sites would share the ledger a_b\.json"):
        enter(tmp_path, [run_ledger("a b", 0.1), run_ledger("a_b", 0.1)])
    assert not list(tmp_path.iterdir())
    enter(tmp_path, [run_ledger("a b", 0.1)])
    with pytest.raises(InputError, match="this is the ledger of 'a b', not of 'a_b'"):
        enter(tmp_path, [run_ledger("a_b", 0.1)])


def test_a_damaged_ledger_is_to_be_restored_and_never_deleted(tmp_path):
    path = tmp_path / "a.json"
    whole = Ledger("a", 1.0, 1e-6).to_dict()
    wrong = [
        {**whole, "epsilon": -1.0},
        {**whole, "conversion": "none"},
        {**whole, "releases": [{"name": 1}]},
    ]
    for text in ('{"site":', "", "[]", *map(json.dumps, wrong)):
        path.write_text(text)
        with pytest.raises(InputError) as caught:
            enter(tmp_path, [run_ledger("a", 0.1)])
        assert str(caught.value).startswith(f"{path}: ")
        assert "Restore it from a copy" in str(caught.value)
        assert "Delete" not in str(caught.value)
        assert path.read_text() == text


def test_a_ledger_that_is_a_link_is_refused_lest_the_true_one_misses_a_run(tmp_path):
    enter(tmp_path / "true", [run_ledger("a", 0.6)])
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.json").symlink_to(tmp_path / "true" / "a.json")
    with pytest.raises(InputError, match=r"project/a\.json: this ledger is a link .* ledger itself, .*/true"):
        enter(tmp_path / "project", [run_ledger("a", 0.3)])
    (tmp_path / "linked").symlink_to(tmp_path / "true")
    enter(tmp_path / "linked", [run_ledger("a", 0.3)])  # a folder may be one: its files are the same
    assert len(Ledger.load(tmp_path / "true" / "a.json").releases) == 2


def test_a_ledger_begun_beside_others_is_announced(tmp_path, recwarn):
    enter(tmp_path / "new", [run_ledger("a", 0.1), run_ledger("b", 0.1)])
    enter(tmp_path / "new", [run_ledger("a", 0.1)])
    assert not recwarn
    path = tmp_path / "new" / "c.json"
    with pytest.warns(UserWarning, match="a new ledger is begun") as warned:
        enter(tmp_path / "new", [run_ledger("a", 0.1), run_ledger("c", 0.1)])
    assert [str(w.message) for w in warned] == [
        f"{path}: a new ledger is begun, as if nothing had been spent here"
    ]
    assert path.exists()


SPEND = """
import sys, time
from pathlib import Path
from fedbnsl import InputError
from fedbnsl.privacy import Ledger, Release
from fedbnsl.privacy.ledger_folder import enter

plain = Ledger.spend
own = Ledger("a", 1.0, 1e-6)
plain(own, Release("all", "gaussian", 1.0, (2 * 0.6 * own.budget) ** -0.5))

def slow(self, *releases):
    plain(self, *releases)
    time.sleep(0.4 * bool(releases))

Ledger.spend = slow
print("ready", flush=True)
sys.stdin.readline()
try:
    enter(Path(sys.argv[1]), [own])
    print("allowed")
except InputError:
    print("refused")
"""


def test_two_processes_do_not_spend_the_same_budget(tmp_path):
    """Each takes 60 %, and dawdles between reading and writing; both begin when both are ready."""
    Ledger("a", 1.0, 1e-6).save(tmp_path / "a.json")
    command = [sys.executable, "-c", SPEND, str(tmp_path)]
    both = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    for one in both:
        assert one.stdout.readline() == "ready\n"
    for one in both:
        one.stdin.write("\n")
        one.stdin.flush()
    answers = sorted(one.communicate(timeout=60)[0] for one in both)
    assert answers == ["allowed\n", "refused\n"]
    assert len(Ledger.load(tmp_path / "a.json").releases) == 1


@pytest.mark.parametrize(
    ("release", "message"),
    [
        (("a", "uniform", 1.0, 1.0), "release 'a': there is no mechanism 'uniform'"),
        (("a", "gaussian", 0.0, 1.0), "release 'a': its sensitivity must be a finite number above 0"),
        (("a", "gaussian", 1.0, math.nan), "release 'a': its scale must be a finite number above 0"),
        (("a", "gaussian", 1.0, 1.0, 0), "release 'a': its number of times must be a whole number"),
    ],
)
def test_a_release_without_noise_or_meaning_is_refused(release, message):
    with pytest.raises(InputError) as caught:
        Release(*release)
    assert str(caught.value).startswith(message)


def test_an_unknown_conversion_is_refused():
    with pytest.raises(InputError, match="ledger of a: there is no conversion 'rdp'"):
        Ledger("a", 1.0, 1e-6, "rdp")


def test_a_known_seed_or_a_fault_is_never_stamped_private(tmp_path):
    common = {"epsilon": 1.0, "delta": 1e-6, "public": "n", "clipping": "every record"}
    assert not stamp("research", None, **common).private
    assert stamp("research", None, **common).reason == "seed known"
    assert not stamp("secure", "averaged clipping", **common).private
    sound = stamp("secure", None, **common)
    assert sound.private
    assert sound.accounted(False).reason.endswith("this run alone; spending is not recorded")
    assert "ledgers hold what all runs have spent" in sound.accounted(True).reason
    research = stamp("research", None, **common)
    assert research.accounted(True) == research.accounted(False) == research
    sound.save(tmp_path / "privacy.json")
    content = json.loads((tmp_path / "privacy.json").read_text())
    assert content["private"] is True
    assert content["adjacency"] == "replace one record"
    with pytest.raises(InputError, match="a run with a known seed is not private"):
        Statement(True, "trust me", 1.0, 1e-6, "replace one record", "n", "c", "research")
    with pytest.raises(InputError, match="there is no mode 'safe'"):
        Statement(False, "r", 1.0, 1e-6, "replace one record", "n", "c", "safe")
