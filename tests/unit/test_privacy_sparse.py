"""DP-Fed-Sparse-BNSL from end to end: agreement without noise, bytes, budgets, refusals, secure mode."""

import contextlib
import dataclasses
import io
import logging
import pickle
import warnings

import numpy as np
import pytest

from fedbnsl import InputError
from fedbnsl.data import SiteData, simulate_linear_gaussian
from fedbnsl.errors import ConvergenceWarning
from fedbnsl.federate import run
from fedbnsl.federate.run import assemble
from fedbnsl.privacy import Ledger, noise_multiplier, setting, zcdp_budget
from fedbnsl.privacy import noise as noise_module
from fedbnsl.privacy.dp_sparse_method import affordable_rounds

NAME = "dp-fed-sparse-bnsl"
FORMS = pytest.mark.parametrize(
    "form",
    [
        {"clipping": "average"},
        {"conversion": "mangold"},
        {"clip_total": 5.0, "clip_sum": "entries"},
        {"scale_share": 0.0},
    ],
    ids=lambda form: next(iter(form)),
)


def simulated(sites=3, rows=2000, nodes=5, seed=7):
    return simulate_linear_gaussian(nodes=nodes, edges=nodes, sites=sites, rows=rows, seed=seed)


def private(sites, seed=1, **options):
    return run(NAME, sites, seed=seed, **{"epsilon": 5.0, "rounds": 6, "updates": 4, **options})


def centred(sites):
    return [SiteData(site.names, site.values - site.values.mean(axis=0), label=site.label) for site in sites]


def test_with_hardly_any_noise_and_clipping_it_is_fed_sparse_bnsl():
    sites = centred(simulated()[0])
    # So many updates reach the minimum, whatever the smoothness constants.
    options = {"rounds": 8, "updates": 400, "l1": 0.1, "rho1": 0.1, "rho1_last": 1e8, "rho2": 1.0}
    plain = run("fed-sparse-bnsl", sites, **options)
    noisy = private(sites, epsilon=1e15, delta=1e-9, clip=1e4, scale_bound=1e4, **options)
    assert np.count_nonzero(plain.weights) >= 4
    np.testing.assert_allclose(noisy.raw_weights, plain.raw_weights, atol=1e-3)
    np.testing.assert_array_equal(noisy.weights != 0, plain.weights != 0)


def test_the_bytes_are_those_of_the_messages():
    sites, _ = simulated()
    found = private(sites)
    d, count = 5, 3
    up, down = found.rounds["bytes_up"], found.rounds["bytes_down"]
    assert len(found.rounds) == 7
    assert up[0] == count * d * 24 * 8  # histograms
    assert down[0] == count * d * 8
    bounded = private(sites, scale_bound=20.0).rounds
    assert bounded["bytes_up"][0] == bounded["bytes_down"][0] == count * d * 8
    # 8 bytes a number and 1 a position; at most K entries change at a site in a round.
    assert (up[1:] <= count * 4 * 9).all()
    assert (up[1:] > 0).all()
    assert (down[1:] % (count * 9) == 0).all()


def test_a_seed_gives_the_same_result_and_another_another():
    sites, _ = simulated()
    one, again, other = private(sites), private(sites), private(sites, seed=2)
    np.testing.assert_array_equal(one.raw_weights, again.raw_weights)
    assert not np.array_equal(one.raw_weights, other.raw_weights)


def test_sites_have_noise_of_their_own():
    """Two sites with the same rows release different things."""
    site = simulated()[0][0]
    twin = SiteData(site.names, site.values, label="twin")
    _, protocol = assemble(NAME, [site, twin], 1, {})
    first, second = (piece.step(0, protocol.server.start())["scale"] for piece in protocol.sites)
    assert (first != second).all()


def test_what_a_run_spends_is_its_budget_by_release():
    sites, _ = simulated(rows=1000)
    found = private(sites, rounds=10, updates=7, epsilon=2.0, scale_share=0.1)
    assert len(found.ledgers) == 3
    for ledger, site in zip(found.ledgers, sites, strict=True):
        assert (ledger.site, ledger.epsilon, ledger.delta) == (site.label, 2.0, 1e-6)
        rows = ledger.rows()
        assert list(rows["mechanism"]) == ["gaussian", "noisy-max", "gaussian"]
        assert list(rows["times"]) == [1, 70, 70]
        assert list(rows["share"]) == pytest.approx([0.1, 0.45, 0.45])
        z = noise_multiplier(2.0, 1e-6, 70, scale_share=0.1)
        assert rows["scale"][1] / rows["sensitivity"][1] == pytest.approx(z)
        assert ledger.epsilon_spent == pytest.approx(2.0)


def test_the_noise_of_the_sites_is_what_their_ledgers_say():
    """z at the sites that run, which differ in rows; M's noise from the first message."""
    sites = [*simulated(sites=1, rows=1000)[0], *simulated(sites=1, rows=4000)[0]]
    _, protocol = assemble(NAME, sites, 3, {"epsilon": 1.0, "rounds": 5, "updates": 2, "force": True})
    for piece, ledger, n in zip(protocol.sites, protocol.ledgers, (1000, 4000), strict=True):
        assert piece.multiplier == noise_multiplier(1.0, n**-2.0, 10, scale_share=0.05)
        assert ledger.releases[1].scale == pytest.approx(piece.multiplier * 2 / n)
        assert ledger.releases[0].rho == pytest.approx(0.05 * zcdp_budget(1.0, n**-2.0))


@pytest.mark.parametrize(
    ("rows", "updates", "rho", "rounds"),
    [(5000, 10, 0.07, 34), (5000, 10, 0.001, 30), (5000, 10, 9.0, 100), (10_000, 10, 0.02, 39)],
)
def test_rounds_follow_the_budget(rows, updates, rho, rounds):
    assert affordable_rounds(rows, updates, rho) == rounds


def test_defaults_are_for_the_smallest_site_and_the_number_of_variables():
    sites = [*simulated(sites=1, rows=3000)[0], *simulated(sites=1, rows=9000)[0]]
    _, protocol = assemble(NAME, sites, 3, {"epsilon": 5.0})
    rounds = affordable_rounds(3000, 10, zcdp_budget(5.0, 9000**-2.0))
    assert 30 < rounds < 100
    assert protocol.rounds == rounds + 1
    assert protocol.sites[0].problem.updates == 10
    assert protocol.sites[0].problem.clip.at(np.ones(5)) == 2.0


def test_the_threshold_of_the_paper_is_shared_out_over_rows_or_entries():
    sites, _ = simulated()
    clips = []
    for how in ("rows", "entries"):
        _, protocol = assemble(NAME, sites, 1, {"clip_total": 6.0, "clip_sum": how})
        m = np.array([1.0, 2.0, 3.0, 4.0, 6.0])
        clips.append(protocol.sites[0].problem.clip.at(m))
    assert clips == pytest.approx([6 / 4, 6 / 4 / np.sqrt(5)])


def test_research_mode_is_stamped_not_private():
    found = private(simulated()[0])
    assert found.privacy.private is False
    assert found.privacy.reason == "seed known"
    assert (found.privacy.epsilon, found.privacy.delta) == (5.0, 2000**-2.0)
    assert found.variances is not None
    assert np.isfinite(found.seconds).all()


@FORMS
def test_forms_for_comparison_run_but_are_never_private(form, tmp_path):
    sites, _ = simulated()
    found = private(sites, **form)
    assert found.privacy.private is False
    assert found.privacy.reason.startswith("comparison only: ")
    assert found.ledgers == ()
    assert len(found.rounds) == 7
    with pytest.raises(InputError, match=r"not offered with mode='secure' \(comparison only: "):
        private(sites, seed=None, mode="secure", **form)
    with pytest.raises(InputError, match="nothing to enter in a ledger"):
        private(sites, ledger=tmp_path, **form)


def test_a_second_run_adds_to_the_ledgers_and_one_over_budget_never_starts(tmp_path, monkeypatch):
    sites, _ = simulated()
    for site in sites[:2]:
        Ledger(site.label, 12.0, 2000**-2.0).save(tmp_path / f"{site.label}.json")
    with pytest.warns(UserWarning, match=f"{sites[2].label}.json: a new ledger is begun"):
        first = private(sites, ledger=tmp_path)
    paths = [tmp_path / f"{site.label}.json" for site in sites]
    assert [len(Ledger.load(path).releases) for path in paths] == [3, 3, 3]
    second = private(sites[:2], ledger=tmp_path, epsilon=3.0)
    spent = [Ledger.load(path).epsilon_spent for path in paths]
    assert [ledger.epsilon_spent for ledger in second.ledgers] == spent[:2]
    assert second.ledgers[0].epsilon == 12.0
    assert spent[0] == spent[1] > 5.0
    assert spent[2] == pytest.approx(5.0) == pytest.approx(first.ledgers[2].epsilon_spent)
    # The third site has no budget left: no site may step.
    before = [path.read_text() for path in paths]
    monkeypatch.setattr("fedbnsl.privacy.dp_sparse.PrivateSparseSite.step", None)
    with pytest.raises(InputError, match=f"ledger of {sites[2].label}: .*not enough is left"):
        private(sites, ledger=tmp_path, epsilon=1.0)
    assert [path.read_text() for path in paths] == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0.0}, "epsilon: 0.0 is less than or equal to the minimum of 0"),
        ({"epsilon": -1.0}, "epsilon: -1.0 is less than or equal to the minimum of 0"),
        ({"epsilon": np.nan}, "epsilon: nan is not a finite number"),
        ({"delta": 1.5}, "delta: 1.5 is"),
        ({"delta": 1e-3}, "delta = 0.001 is not below 1/n = 0.0005"),
        ({"clip": 1.0, "clip_total": 5.0}, "clip and clip_total are two ways"),
        ({"clip_sum": "entries"}, "clip_sum says how clip_total is shared out"),
        ({"scale_share": 1.0}, "scale_share: 1.0 is greater than or equal to the maximum of 1"),
        ({"mode": "safe"}, "mode: 'safe' is not one of"),
        ({"epsilon": 0.005}, "the privacy budget ε = 0.005 is too small for 5 variables and 2000 rows"),
        ({"mode": "secure"}, "mode='secure' takes no seed, but 1 is given"),
    ],
)
def test_bad_options_are_refused_with_a_clear_message(options, message):
    with pytest.raises(InputError) as caught:
        private(simulated()[0], **options)
    assert message in str(caught.value)


def test_a_hopeless_budget_says_how_many_rows_would_do_and_can_be_forced():
    budget = {"epsilon": 0.5, "delta": 1e-6}
    with pytest.raises(InputError, match=r"Use about \d+ rows") as caught:
        private(simulated(nodes=20, rows=150)[0], **budget)
    rows = int(str(caught.value).split("about ")[1].split()[0])
    assert 300 < rows < 400
    with pytest.raises(InputError, match="too small"):
        private(simulated(nodes=20, rows=rows - 5)[0], **budget)
    with pytest.warns(ConvergenceWarning):
        private(simulated(nodes=20, rows=rows)[0], **budget)
    with pytest.warns(ConvergenceWarning):
        private(simulated(nodes=20, rows=150)[0], force=True, **budget)


def test_data_that_cannot_be_learned_from_are_refused():
    sites, _ = simulated()
    values = sites[0].values.copy()
    values[:, 2] = 4.0
    with pytest.raises(InputError, match=r"column 'x3'.*: all 2000 rows have the value 4"):
        private([SiteData(["x1", "x2", "x3", "x4", "x5"], values)])
    with pytest.raises(InputError, match="needs two variables or more"):
        private([SiteData(["a"], values[:, :1])])
    values[7, 1] = np.nan
    with pytest.raises(InputError, match="1 missing or infinite value"):
        SiteData(list("abcde"), values)


def test_one_site_alone_may_run():
    found = private(simulated(sites=1, rows=4000)[0])
    assert found.n_sites == len(found.ledgers) == 1
    with pytest.raises(InputError, match="a list of sites is expected"):
        private(simulated(sites=1)[0][0])


# --- secure mode --------------------------------------------------------------------------------


class Scripted:
    """In place of the operating system's noise: releases that follow a script, whatever the rows."""

    largest = noise_module.SecureNoise.largest

    def __init__(self):
        self.random = np.random.default_rng(11)
        self.seen = []

    def gaussian(self, totals, scale):
        self.seen.append(np.array(totals))
        return np.rint(scale * self.random.normal(size=np.shape(totals)))

    def noisy_max(self, scores, tops, sums, multiplier):
        j, i = self.random.permutation(len(scores))[:2]
        return int(j), int(i)


def everything_left_behind(sites, folder, monkeypatch, **options):
    """All that a run leaves: fields, printed and logged text, warnings, files."""
    used = []

    def scripted(*_):
        used.append(Scripted())
        return used[-1]

    if options.get("mode") == "secure":
        monkeypatch.setattr(setting, "SecureNoise", scripted)
    monkeypatch.chdir(folder)
    out, records = io.StringIO(), []
    handler = logging.Handler(0)
    handler.emit = lambda record: records.append(record.getMessage())
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(0)
    try:
        with (
            warnings.catch_warnings(record=True) as warned,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(out),
        ):
            warnings.simplefilter("always")
            options = {"epsilon": 5.0, "rounds": 6, "updates": 4, **options}
            found = run(NAME, sites, keep_history=True, ledger=folder / "ledgers", **options)
    finally:
        logging.getLogger().removeHandler(handler)
        logging.getLogger().setLevel(logging.WARNING)
    left = {field.name: pickle.dumps(getattr(found, field.name)) for field in dataclasses.fields(found)}
    left["ledgers"] = [ledger.rows().to_csv() for ledger in found.ledgers]
    left["derived"] = str((found.bytes_total, found.paper_bytes, found.varsortability))
    left["printed"] = out.getvalue() + str(records) + str([str(w.message) for w in warned])
    left["files"] = {
        str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
    return left, used


def other_rows(sites, seed=5):
    """The same sites with entirely different rows, one column constant."""
    rng = np.random.default_rng(seed)
    changed = []
    for site in sites:
        values = 1e3 * rng.exponential(size=site.values.shape)
        values[:, 1] = 3.0
        changed.append(SiteData(site.names, values, label=site.label))
    return changed


def test_in_secure_mode_nothing_but_the_releases_depends_on_the_rows(tmp_path, monkeypatch):
    """With releases that follow a script, all that is left behind is the same for any rows."""
    sites, _ = simulated()
    left = []
    for place, rows in enumerate((sites, other_rows(sites))):
        folder = tmp_path / str(place)
        folder.mkdir()
        left.append(everything_left_behind(rows, folder, monkeypatch, mode="secure"))
    (one, noises), (two, others) = left
    assert len(noises) == 3
    assert not np.array_equal(noises[0].seen[0], others[0].seen[0])  # the rows did go in
    assert one.keys() == two.keys()
    for name in one:
        assert one[name] == two[name], name
    assert b"private" in one["privacy"]
    assert one["files"]


def test_the_same_comparison_finds_what_research_mode_leaves_behind(tmp_path, monkeypatch):
    sites, _ = simulated()
    changed = [SiteData(s.names, s.values * [1, 1, 1, 1, 1.001], label=s.label) for s in sites]
    left = []
    for place, rows in enumerate((sites, changed)):
        folder = tmp_path / str(place)
        folder.mkdir()
        left.append(everything_left_behind(rows, folder, monkeypatch, seed=1)[0])
    assert left[0]["variances"] != left[1]["variances"]


def test_secure_mode_with_real_noise():
    sites, _ = simulated(rows=5000)
    found = run(NAME, sites, mode="secure", epsilon=5.0, rounds=4, updates=3)
    again = run(NAME, sites, mode="secure", epsilon=5.0, rounds=4, updates=3)
    assert found.privacy.private
    assert found.privacy.mode == "secure"
    assert found.privacy.reason.endswith("this run alone; spending is not recorded")
    assert found.variances is None
    assert np.isnan(found.seconds).all()
    assert not np.array_equal(found.raw_weights, again.raw_weights)
    assert [round(ledger.epsilon_spent, 6) for ledger in found.ledgers] == [5.0] * 3


def test_secure_mode_says_what_to_install_without_opendp(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "opendp.prelude", None)
    with pytest.raises(
        InputError, match=r"needs the package opendp\. Install it: pip install 'fedbnsl\[privacy\]'"
    ):
        run(NAME, simulated()[0], mode="secure")
