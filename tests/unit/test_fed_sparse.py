import numpy as np
import pytest
import scipy.linalg
import scipy.optimize

from fedbnsl import Graph, InputError
from fedbnsl.data import SiteData, simulate_linear_gaussian
from fedbnsl.errors import ConvergenceWarning
from fedbnsl.evaluate import edge_metrics
from fedbnsl.federate import Message, run
from fedbnsl.federate import _sparse_kernels as kernels
from fedbnsl.federate.admm import Penalties
from fedbnsl.federate.fed_sparse import FedSparseServer, FedSparseSite, Wire
from fedbnsl.federate.frank_wolfe import FrankWolfeSite
from fedbnsl.federate.messages import index_bytes, unpack_sparse
from fedbnsl.registry import method

TRUTH = np.array([[0, 1.5, 0, -1.0], [0, 0, 1.2, 0], [0, 0, 0, 0], [0, 0, 0, 0]])  # a → b → c, a → d
NAMES = ("a", "b", "c", "d")
VARIANTS = pytest.mark.parametrize("variant", ["growing", "paper"])


def sites(rows, weights=TRUTH, seed=1):
    """One site for each number of rows, with means that differ between sites."""
    rng = np.random.default_rng(seed)
    d = len(weights)
    names = [f"x{i}" for i in range(d)] if d != 4 else NAMES
    spread = np.linalg.inv(np.eye(d) - weights)
    return [
        SiteData(names, rng.normal(size=(n, d)) @ spread + 10 * k, label=f"site {k}")
        for k, n in enumerate(rows)
    ]


def problem(d=6, count=3, seed=4):
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(size=(d, d)) * (rng.random((d, d)) < 0.4), 1)
    return sites([400, 900, 650][:count], weights, seed)


def covariance(site):
    return np.cov(site.values.T, bias=True)


class Lasso:
    """One local problem and everything about it in plain numpy (not transposed)."""

    def __init__(self, d, seed, rho=1.3, l1=0.2, rows=None, start=True):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(rows or 3 * d, d)) @ (np.eye(d) + 0.4 * rng.normal(size=(d, d)))
        self.sigma, self.rho, self.l1 = covariance(SiteData(map(str, range(d)), values)), rho, l1
        self.linear = 0.3 * rng.normal(size=(d, d))
        self.start = rng.normal(size=(d, d)) * (rng.random((d, d)) < 0.4) if start else np.zeros((d, d))

    def gradient(self, b):
        return self.sigma @ (b - np.eye(len(b))) + self.linear + self.rho * b

    def value(self, b):
        gap = np.eye(len(b)) - b
        smooth = 0.5 * np.trace(gap.T @ self.sigma @ gap) + np.sum(self.linear * b)
        return smooth + self.rho / 2 * np.sum(b * b) + self.l1 * np.abs(b).sum()

    def free(self, diagonal):
        return np.full(self.sigma.shape, True) if diagonal else ~np.eye(len(self.sigma), dtype=bool)

    def begun(self, diagonal=True):
        b = np.where(self.free(diagonal), self.start, 0.0)
        return b, np.ascontiguousarray(b.T), np.ascontiguousarray(self.gradient(b).T)

    def optimality(self, b, diagonal):
        """Largest distance of 0 from the subdifferential."""
        g = self.gradient(b)
        gap = np.where(b != 0, np.abs(g + self.l1 * np.sign(b)), np.maximum(np.abs(g) - self.l1, 0))
        return gap[self.free(diagonal)].max()


def soft(x, by):
    return np.sign(x) * np.maximum(np.abs(x) - by, 0)


# --- the local step -----------------------------------------------------------------------------


def test_gradient_is_that_of_the_objective():
    lasso = Lasso(5, 1)
    b, bt, _ = lasso.begun()
    out = np.empty_like(bt)
    kernels.gradient(bt, lasso.sigma, np.ascontiguousarray(lasso.linear.T), lasso.rho, out)
    np.testing.assert_allclose(out.T, lasso.gradient(b), rtol=1e-12, atol=1e-12)
    smooth = Lasso(5, 1, l1=0.0)
    for i, j in ((0, 0), (1, 3), (4, 2)):
        step = np.zeros((5, 5))
        step[i, j] = 1e-5
        slope = (smooth.value(b + step) - smooth.value(b - step)) / 2e-5
        assert out[j, i] == pytest.approx(slope, abs=1e-7)


def literal_greedy(lasso, b, gamma, updates, diagonal):
    """Every score anew at every update."""
    b = b.copy()
    m = np.repeat(np.diag(lasso.sigma)[:, None] + lasso.rho, len(b), axis=1)
    free, chosen = lasso.free(diagonal), []
    for _ in range(updates):
        g = lasso.gradient(b)
        scores = np.sqrt(m) * np.abs(soft(b - g / m, lasso.l1 / m) - b)
        i, j = np.unravel_index(np.argmax(np.where(free, scores, -1.0)), b.shape)
        b[i, j] = soft(b[i, j] - gamma * g[i, j] / m[i, j], gamma * lasso.l1 / m[i, j])
        chosen.append((i, j))
    return b, chosen


@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize(("gamma", "l1"), [(0.5, 0.2), (1.0, 0.2), (0.5, 0.0)])
@pytest.mark.parametrize("start", [True, False])
def test_greedy_updates_are_the_literal_ones_step_by_step(diagonal, gamma, l1, start):
    for d, seed, rows in ((2, 1, None), (5, 2, None), (9, 3, 4)):
        lasso = Lasso(d, seed, l1=l1, rows=rows, start=start)
        b, bt, gt = lasso.begun(diagonal)
        literal, _ = literal_greedy(lasso, b, gamma, 0, diagonal)
        for _ in range(25):
            kernels.greedy_descent(bt, gt, lasso.sigma, lasso.rho, l1, gamma, 1, diagonal)
            literal, _ = literal_greedy(lasso, literal, gamma, 1, diagonal)
            np.testing.assert_allclose(bt.T, literal, atol=1e-11)
            assert ((bt.T == 0) == (literal == 0)).all()
        np.testing.assert_allclose(gt.T, lasso.gradient(literal), atol=1e-11)
        _, at_once, gradient = lasso.begun(diagonal)
        kernels.greedy_descent(at_once, gradient, lasso.sigma, lasso.rho, l1, gamma, 25, diagonal)
        np.testing.assert_array_equal(at_once, bt)


@pytest.mark.parametrize("diagonal", [True, False])
def test_equal_scores_go_in_row_major_order(diagonal):
    # All variances 2, all covariances 1, no other term: 20 or 25 coordinates, few different scores.
    lasso = Lasso(5, 1, rho=1.0, l1=0.25)
    lasso.sigma, lasso.linear = np.ones((5, 5)) + np.eye(5), np.zeros((5, 5))
    lasso.start[:] = 0.0
    _, bt, gt = lasso.begun(diagonal)
    literal, chosen = literal_greedy(lasso, lasso.start, 0.5, 12, diagonal)
    kernels.greedy_descent(bt, gt, lasso.sigma, 1.0, 0.25, 0.5, 12, diagonal)
    np.testing.assert_allclose(bt.T, literal, atol=1e-14)
    assert chosen[:2] == ([(0, 0), (1, 1)] if diagonal else [(0, 1), (0, 2)])


def test_greedy_descent_ends_at_the_minimum():
    lasso = Lasso(6, 3, l1=0.4)
    _, bt, gt = lasso.begun()
    done = kernels.greedy_descent(bt, gt, lasso.sigma, lasso.rho, 0.4, 1.0, 10**6, True)
    assert 20 < done < 10**4  # by itself
    assert lasso.optimality(bt.T, True) < 1e-8
    exact, gradient = lasso.begun()[1:]
    kernels.cyclic_descent(exact, gradient, lasso.sigma, lasso.rho, 0.4, True, 1e-12, 10**5)
    np.testing.assert_allclose(bt, exact, atol=1e-8)
    assert ((bt == 0) == (exact == 0)).all()
    assert (exact == 0).any()
    empty = np.zeros((6, 6))
    start = np.ascontiguousarray(lasso.gradient(empty).T)
    assert kernels.greedy_descent(empty, start, lasso.sigma, lasso.rho, 1e3, 0.5, 50, True) == 0


@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize(("l1", "rows"), [(0.3, None), (0.3, 3), (0.0, None)])
def test_the_converged_step_agrees_with_a_generic_solver(diagonal, l1, rows):
    d = 5
    lasso = Lasso(d, 8, l1=l1, rows=rows)
    b, bt, gt = lasso.begun(diagonal)
    kernels.cyclic_descent(bt, gt, lasso.sigma, lasso.rho, l1, diagonal, 1e-12, 10**5)
    assert lasso.optimality(bt.T, diagonal) < 1e-8
    np.testing.assert_allclose(gt.T, lasso.gradient(bt.T), atol=1e-10)
    assert lasso.value(bt.T) < lasso.value(b)

    def split(x):
        return (x[: d * d] - x[d * d :]).reshape(d, d)

    def smooth(x):
        g = lasso.gradient(split(x)).ravel()
        w = split(x)
        return lasso.value(w) - l1 * np.abs(w).sum() + l1 * x.sum(), np.concatenate([g + l1, l1 - g])

    upper = np.where(lasso.free(diagonal).ravel(), np.inf, 0.0)
    oracle = scipy.optimize.minimize(
        smooth, np.zeros(2 * d * d), jac=True, method="L-BFGS-B",
        bounds=list(zip(np.zeros(2 * d * d), np.tile(upper, 2), strict=True)),
        options={"ftol": 1e-16, "gtol": 1e-11, "maxiter": 10000, "maxfun": 100000},
    )  # fmt: skip
    assert lasso.value(bt.T) == pytest.approx(oracle.fun, abs=1e-8)
    np.testing.assert_allclose(bt.T, split(oracle.x), atol=1e-6)


def test_without_penalty_and_with_diagonal_the_minimum_is_the_closed_form_of_fed_bnsl():
    lasso = Lasso(6, 2, l1=0.0)
    _, bt, gt = lasso.begun()
    kernels.cyclic_descent(bt, gt, lasso.sigma, lasso.rho, 0.0, True, 1e-13, 10**5)
    closed = np.linalg.solve(lasso.sigma + lasso.rho * np.eye(6), lasso.sigma - lasso.linear)
    np.testing.assert_allclose(bt.T, closed, atol=1e-9)


def test_a_column_of_zeros_is_defined():
    """Its smoothness is ρ₂; without duals nothing moves there."""
    lasso = Lasso(4, 5, l1=0.1)
    lasso.sigma[2], lasso.sigma[:, 2], lasso.linear[:] = 0.0, 0.0, 0.0
    lasso.start[:] = 0.0
    for descend in (
        lambda b, g: kernels.greedy_descent(b, g, lasso.sigma, lasso.rho, 0.1, 0.5, 200, True),
        lambda b, g: kernels.cyclic_descent(b, g, lasso.sigma, lasso.rho, 0.1, True, 1e-10, 1000),
        lambda b, g: kernels.frank_wolfe(
            b, g, lasso.sigma, np.zeros((4, 4)), lasso.rho, 0.1, 50.0, 200, True
        ),
    ):
        _, bt, gt = lasso.begun()
        descend(bt, gt)
        assert np.isfinite(bt).all()
        assert bt.any()
        assert not bt[2].any()
        assert not bt[:, 2].any()


# --- Frank–Wolfe --------------------------------------------------------------------------------


def literal_frank_wolfe(lasso, b, radius, steps, diagonal):
    """Vertex by enumeration, step by a search along the segment."""
    b, free = b.copy(), lasso.free(diagonal)
    for _ in range(steps):
        g, t = lasso.gradient(b), np.abs(b).sum()
        vertices = [(np.zeros_like(b), 0.0)]
        for i, j in np.argwhere(free):
            for sign in (-1.0, 1.0):
                vertex = np.zeros_like(b)
                vertex[i, j] = sign * radius
                vertices.append((vertex, radius))
        slopes = [np.sum(g * (vertex - b)) + lasso.l1 * (length - t) for vertex, length in vertices]
        vertex, length = vertices[int(np.argmin(slopes))]
        if min(slopes) >= 0:
            break
        smooth = Lasso.value(lasso, b) - lasso.l1 * t

        def along(s, b=b, vertex=vertex, t=t, length=length):
            moved = b + s * (vertex - b)
            return lasso.value(moved) - lasso.l1 * np.abs(moved).sum() + lasso.l1 * (t + s * (length - t))

        assert along(0.0) == pytest.approx(smooth + lasso.l1 * t)
        best = scipy.optimize.minimize_scalar(
            along, bounds=(0, 1), method="bounded", options={"xatol": 1e-12}
        )
        b = b + best.x * (vertex - b)
    return b


@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize("radius", [2.0, 40.0])
def test_frank_wolfe_steps_are_the_literal_ones(diagonal, radius):
    lasso = Lasso(4, 6, l1=0.3)
    b, bt, gt = lasso.begun(diagonal)
    scale = radius / max(np.abs(b).sum(), radius)
    bt *= scale
    gt[:] = lasso.gradient(bt.T).T
    linear = np.ascontiguousarray(lasso.linear.T)
    literal = bt.T.copy()
    for _ in range(8):
        kernels.frank_wolfe(bt, gt, lasso.sigma, linear, lasso.rho, 0.3, radius, 1, diagonal)
        literal = literal_frank_wolfe(lasso, literal, radius, 1, diagonal)
        np.testing.assert_allclose(bt.T, literal, atol=2e-5)
        literal = bt.T.copy()
        np.testing.assert_allclose(gt.T, lasso.gradient(bt.T), atol=1e-9)


@pytest.mark.parametrize("diagonal", [True, False])
def test_frank_wolfe_lowers_the_objective_towards_the_same_minimum(diagonal):
    lasso = Lasso(5, 7, l1=0.3)
    b, bt, gt = lasso.begun(diagonal)
    exact, gradient = (a.copy() for a in (bt, gt))
    kernels.cyclic_descent(exact, gradient, lasso.sigma, lasso.rho, 0.3, diagonal, 1e-12, 10**5)
    site = FrankWolfeSite(lasso.sigma, Penalties(1.0, lasso.rho), 0.3, diagonal, 1)
    site.local = bt
    linear = np.ascontiguousarray(lasso.linear.T)
    radius = site.radius(gt, linear, lasso.rho)
    shifted = lasso.value(b) + np.sum(lasso.linear**2) / (2 * lasso.rho)
    assert radius == pytest.approx(shifted / 0.3)
    assert np.abs(exact).sum() <= radius
    values = [lasso.value(b)]
    for _ in range(40):
        kernels.frank_wolfe(bt, gt, lasso.sigma, linear, lasso.rho, 0.3, radius, 500, diagonal)
        values.append(lasso.value(bt.T))
    assert (np.diff(values) <= 1e-12).all()
    lowest = lasso.value(exact.T)
    assert values[-1] >= lowest - 1e-12
    assert values[-1] - lowest < 1e-3 * (values[0] - lowest)


# --- site and server ----------------------------------------------------------------------------

TWO = np.array([[1.0, 1.0], [1.0, 3.0]])


def test_two_rounds_of_one_site_by_hand():
    # Smoothness 2 and 4; λ = 1/4. From 0: B₀₁ = (1 − ¼)/2, B₁₀ = (1 − ¼)/4.
    penalties = Penalties(0.0, 1.0)
    site = FedSparseSite(TWO, penalties, 0.25, False, "converged", 1.0)
    server = FedSparseServer(2, penalties, 0.3, w_step="exact")
    answer = site.step(0, server.start())
    np.testing.assert_allclose(unpack_sparse(answer, 2), [[0, 3 / 8], [3 / 16, 0]], atol=1e-9)
    broadcast = server.aggregate([answer])
    np.testing.assert_allclose(unpack_sparse(broadcast, 2), [[0, 3 / 8], [3 / 16, 0]], atol=1e-9)
    assert not server.mean_dual.any()  # exactly: W = V without a penalty on h
    assert server.diagnostics()["h"] == pytest.approx(2 * np.cosh(9 / 128) - 2)
    assert server.diagnostics()["dual_residual"] == pytest.approx(np.hypot(3 / 8, 3 / 16))
    second = unpack_sparse(site.step(1, broadcast), 2)  # (1 + W − ¼)/2 and (1 + W − ¼)/4
    np.testing.assert_allclose(second, [[0, 9 / 16], [15 / 64, 0]], atol=1e-9)


def test_one_greedy_update_by_hand():
    # Scores √2 · 3/8 against √4 · 3/16: the first; half a step gives (½ − ¼)/2 · … = ½ · 3/8.
    site = FedSparseSite(TWO, Penalties(0.0, 1.0), 0.25, False, 1, 0.5)
    np.testing.assert_allclose(unpack_sparse(site.step(0, Message()), 2), [[0, 3 / 16], [0, 0]])


def test_multipliers_grow_by_their_rules():
    penalties = Penalties(2.0, 1.0, growth1=3.0)
    server = FedSparseServer(2, penalties, 0.3, w_step="exact")
    local, alpha = np.array([[0.0, 0.9], [0.8, 0.0]]), 0.0
    packed = Message({"positions": np.array([[1], [2]], dtype=np.uint8), "values": np.array([0.9, 0.8])})
    dual = np.zeros((2, 2))
    for rho1 in (2.0, 6.0, 18.0):
        w = unpack_sparse(server.aggregate([packed]), 2)
        h = 2 * np.cosh(w[0, 1] * w[1, 0]) - 2
        alpha += rho1 * h
        dual = dual + local - w
        assert h > 1e-6
        assert server.alpha == pytest.approx(alpha, rel=1e-9)
        np.testing.assert_allclose(server.mean_dual, dual, atol=1e-12)


@pytest.mark.parametrize("wire", [Wire(), Wire("changes"), Wire("changes", "single")])
def test_the_server_follows_the_mean_of_the_sites_duals(wire):
    penalties = Penalties(10.0, 1.0, growth1=1.3)
    pieces = [FedSparseSite(covariance(one), penalties, 0.05, True, 20, 0.5, wire) for one in problem()]
    server = FedSparseServer(6, penalties, 0.3, wire=wire)
    broadcast = server.start()
    for round in range(6):
        broadcast = server.aggregate([piece.step(round, broadcast) for piece in pieces])
    for piece in pieces:
        piece.step(6, broadcast)
    np.testing.assert_allclose(np.mean([p.dual for p in pieces], axis=0).T, server.mean_dual, atol=1e-12)


def test_rounds_agree_with_the_plain_algorithm():
    """Literal greedy updates, every site's dual at the server, SciPy for W."""
    rho1, l1, d, updates = 10.0, 0.05, 6, 30
    group = problem()
    w, alpha, bs, betas = np.zeros((d, d)), 0.0, np.zeros((3, d, d)), np.zeros((3, d, d))
    for _ in range(3):
        for p, one in enumerate(group):
            lasso = Lasso(d, 0, rho=1.0, l1=l1)
            lasso.sigma, lasso.linear = covariance(one), betas[p] - w
            bs[p], _ = literal_greedy(lasso, bs[p], 0.5, updates, True)

        def objective(x, alpha=alpha, betas=betas):
            w = x.reshape(d, d)
            e = scipy.linalg.expm(w * w)
            h = np.trace(e) - d
            f = alpha * h + rho1 / 2 * h * h
            g = (alpha + rho1 * h) * 2 * e.T * w
            for b, beta in zip(bs, betas, strict=True):
                f += np.sum(beta * (b - w)) + 0.5 * np.sum((b - w) ** 2)
                g += -beta - (b - w)
            return f, g.ravel()

        x = scipy.optimize.minimize(
            objective, w.ravel(), jac=True, method="L-BFGS-B",
            options={"ftol": 1e-16, "gtol": 1e-10, "maxiter": 5000, "maxfun": 50000},
        ).x  # fmt: skip
        w = x.reshape(d, d)
        alpha += rho1 * (np.trace(scipy.linalg.expm(w * w)) - d)
        betas = betas + bs - w
    ours = run(
        "fed-sparse-bnsl", group, variant="paper", rounds=3, rho1=rho1, l1=l1, updates=updates, w_step="exact"
    )
    np.testing.assert_allclose(ours.raw_weights, w, atol=2e-3)
    assert ours.rounds["primal_residual"].iloc[-1] == pytest.approx(np.sqrt(np.sum((bs - w) ** 2)), rel=1e-2)


# --- whole runs ---------------------------------------------------------------------------------


def fed(group, **options):
    return run("fed-sparse-bnsl", group, **options)


@VARIANTS
def test_an_easy_graph_is_recovered(variant):
    result = fed(sites([3000] * 3), variant=variant, l1=0.02)
    assert result.graph == Graph(NAMES, TRUTH != 0)
    np.testing.assert_allclose(result.weights, TRUTH, atol=0.12)


def test_the_variants_settings_reach_the_pieces():
    build = method("fed-sparse-bnsl").load()

    def pieces(**options):
        return build(problem(), seed=0, **method("fed-sparse-bnsl").checked(options))

    paper = pieces(variant="paper")
    site = paper.sites[0]
    assert (site.updates, site.gamma, site.diagonal, site.l1, paper.rounds) == (150, 0.5, True, 0.1, 100)
    assert site.penalties.at(0) == site.penalties.at(99) == (1000.0, 1.0)
    assert paper.server.wire == Wire("full", "double")
    growing = pieces()
    site = growing.sites[0]
    assert (site.updates, site.gamma, site.diagonal) == (150, 1.0, False)
    assert site.penalties.at(0) == (0.1, 1.0)
    assert site.penalties.at(99)[0] == pytest.approx(1e8)
    assert growing.server.wire == Wire("changes", "double")
    own = pieces(variant="paper", rho1=7.0, keep_diagonal=False, gamma=0.2, send="changes", rounds=10)
    assert own.sites[0].penalties.at(9) == (7.0, 1.0)
    assert (own.sites[0].diagonal, own.sites[0].gamma, own.server.wire.send) == (False, 0.2, "changes")
    assert pieces(rounds=1).sites[0].penalties.at(0) == (0.1, 1.0)


@VARIANTS
def test_sending_changes_gives_the_same_bits_for_fewer_bytes(variant):
    group, _ = simulate_linear_gaussian(20, 20, 4, 1000, seed=1001)
    full, changes = (fed(group, variant=variant, send=send) for send in ("full", "changes"))
    assert full.raw_weights.tobytes() == changes.raw_weights.tobytes()
    assert full.paper_bytes == changes.paper_bytes == full.bytes_total
    assert changes.bytes_total < full.bytes_total
    numbers = [name for name in full.rounds if not name.startswith("bytes")]
    assert full.rounds[numbers].equals(changes.rounds[numbers])
    entry = 8 + index_bytes(20)
    assert (full.rounds["bytes_up"] == entry * full.rounds["entries_up"]).all()
    assert (full.rounds["bytes_down"] == entry * full.rounds["entries_down"]).all()
    assert full.rounds["entries_down"].iloc[-1] == 4 * np.count_nonzero(full.raw_weights)
    first = full.rounds.iloc[0]
    assert changes.rounds["bytes_up"].iloc[0] == first["bytes_up"]  # all is new
    assert first["entries_up"] <= 4 * 150


def test_single_precision_takes_four_bytes_and_changes_little():
    group, _ = simulate_linear_gaussian(10, 10, 3, 1000, seed=1002)
    double = fed(group, rounds=20, send="full")
    single = fed(group, rounds=20, send="full", precision="single")
    entries = single.rounds["entries_up"] + single.rounds["entries_down"]
    assert single.bytes_total == (4 + index_bytes(10)) * entries.sum()
    np.testing.assert_array_equal(single.raw_weights, single.raw_weights.astype(np.float32))
    np.testing.assert_allclose(single.raw_weights, double.raw_weights, atol=1e-2)
    assert single.raw_weights.tobytes() != double.raw_weights.tobytes()


@VARIANTS
@pytest.mark.parametrize("site_weights", ["equal", "rows"])
def test_the_order_of_sites_changes_no_bit(variant, site_weights):
    group = problem()
    first = fed(group, rounds=30, variant=variant, site_weights=site_weights)
    for order in ((2, 0, 1), (1, 0, 2)):
        again = fed([group[k] for k in order], rounds=30, variant=variant, site_weights=site_weights)
        assert again.raw_weights.tobytes() == first.raw_weights.tobytes()
        assert again.rounds.equals(first.rounds)


def test_weights_by_rows_follow_the_rows():
    small, large = sites([500])[0], sites([2500], TRUTH / 2)[0]
    by_rows, equal = fed([small, large], site_weights="rows"), fed([small, large])
    assert by_rows.raw_weights[0, 1] < equal.raw_weights[0, 1] - 0.1  # nearer to .75 than to 1.5
    same = fed([small, small], site_weights="rows")
    np.testing.assert_array_equal(same.raw_weights, fed([small, small]).raw_weights)


def test_copies_of_a_site_act_as_one_site_with_scaled_penalties():
    one = problem(count=1)
    options = {"variant": "paper", "rounds": 4, "w_step": "exact", "l1": 0.02}
    alone = fed(one, rho1=10.0, **options)
    copies = fed(one * 4, rho1=40.0, **options)
    np.testing.assert_allclose(copies.raw_weights, alone.raw_weights, atol=2e-3)


@VARIANTS
def test_zeros_at_all_sites_are_zeros_of_w_and_the_diagonal_is_an_option(variant):
    group, _ = simulate_linear_gaussian(20, 20, 4, 1000, seed=1003)
    with_diagonal = fed(group, variant=variant, keep_diagonal=True)
    assert np.diagonal(with_diagonal.raw_weights).any()
    assert not np.diagonal(with_diagonal.weights).any()
    without = fed(group, variant=variant, keep_diagonal=False)
    assert not np.diagonal(without.raw_weights).any()
    assert np.count_nonzero(without.raw_weights) < 200  # of 380


@VARIANTS
def test_fewer_rows_than_variables_and_tiny_sites(variant):
    tiny = problem(d=8, count=3)
    tiny = [tiny[0].rows(slice(0, 5)), tiny[1].rows(slice(0, 2)), tiny[2].rows(slice(0, 30))]
    for updates in (150, "converged"):
        result = fed(tiny, variant=variant, updates=updates)
        assert np.isfinite(result.raw_weights).all()
        assert np.isfinite(result.rounds.to_numpy()).all()
        assert result.graph.is_dag()


def test_a_single_variable_and_a_large_penalty_have_no_edges():
    result = fed(sites([20, 30], np.zeros((1, 1))), rounds=3)
    assert result.graph.n_edges == result.bytes_total == 0
    assert np.isnan(result.varsortability)
    assert fed(problem(), l1=1e6, rounds=5).bytes_total == 0


def test_a_stopped_run_is_the_beginning_of_the_whole_one():
    group, _ = simulate_linear_gaussian(10, 10, 4, 1000, seed=1004)
    whole = fed(group, keep_history=True)
    stopped = fed(group, stop=0.02)
    rounds = len(stopped.rounds)
    assert 10 < rounds < 100
    assert stopped.rounds.equals(whole.rounds.iloc[:rounds])
    np.testing.assert_array_equal(stopped.weights, whole.history[rounds - 1])
    size = np.sqrt(4) * np.linalg.norm(stopped.raw_weights)
    last = stopped.rounds.iloc[-1]
    assert max(last["primal_residual"] / size, last["dual_residual"] / size, last["h"]) <= 0.02
    assert len(fed(group, stop=1e-12).rounds) == 100


def test_runs_over_seeds_are_as_good_as_measured():
    """Mean over ten graphs; single runs are too sensitive to say much."""
    found = []
    for seed in range(1001, 1011):
        group, truth = simulate_linear_gaussian(20, 20, 8, 1000, seed=seed)
        result = fed(group)
        found.append([*(edge_metrics(result.graph, truth)[k] for k in ("shd", "tpr")), result.bytes_total])
        assert result.converged
        assert result.varsortability > 0.8
    shd, tpr, size = np.mean(found, axis=0)
    assert shd < 2.5
    assert tpr > 0.92
    assert size < 2.3e6


def test_frank_wolfe_learns_and_pays_for_its_entries():
    group, truth = simulate_linear_gaussian(10, 10, 4, 1000, seed=1001)
    result = run("fed-bnsl-fw", group)
    assert edge_metrics(result.graph, truth)["shd"] <= 3
    assert result.bytes_total == result.paper_bytes
    again = run("fed-bnsl-fw", group[::-1], rho1_last=1e6)
    assert again.raw_weights.tobytes() == run("fed-bnsl-fw", group, rho1_last=1e6).raw_weights.tobytes()
    assert again.raw_weights.tobytes() != result.raw_weights.tobytes()
    with pytest.raises(InputError, match="l1"):
        run("fed-bnsl-fw", group, l1=0.0)


@pytest.mark.parametrize("value", [0, 1.5, "convergd", None])
def test_a_number_of_updates_that_is_none_is_refused(value):
    with pytest.raises(InputError, match="method 'fed-sparse-bnsl': updates"):
        fed(problem(), updates=value)


def test_a_scale_that_the_penalty_does_not_fit_is_reported_and_growing_penalties_fit_more():
    group, truth = simulate_linear_gaussian(10, 10, 4, 1000, seed=2)
    scaled = [SiteData(one.names, 100 * one.values, label=one.label) for one in group]
    with pytest.warns(ConvergenceWarning, match="larger rho2") as caught:
        result = fed(scaled, variant="paper")
    assert not result.converged
    assert "schedule" not in str(caught[0].message)  # this method has none
    growing = fed(scaled)
    assert growing.converged
    assert growing.graph == truth.graph
