"""The BIF reader, the benchmark networks and sampling from them."""

import gzip
import itertools
import logging
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from fedbnsl.data.bif import SUM_TOLERANCE, parse_bif
from fedbnsl.data.networks import NETWORKS, DiscreteNetwork, load_network, printed_facts
from fedbnsl.errors import InputError

PLAIN = """network demo {
}
variable a {
  type discrete [ 2 ] { yes, no };
}
variable b {
  type discrete [ 3 ] { low, mid, high };
}
variable c {
  type discrete [ 2 ] { on, off };
}
probability ( a ) {
  table 0.2, 0.8;
}
probability ( b ) {
  table 0.5, 0.3, 0.2;
}
probability ( c | b, a ) {
  (low, yes) 0.11, 0.89;
  (mid, yes) 0.21, 0.79;
  (high, yes) 0.31, 0.69;
  (low, no) 0.12, 0.88;
  (mid, no) 0.22, 0.78;
  (high, no) 0.32, 0.68;
}
"""


# --- reading --------------------------------------------------------------------------------------


def test_plain_file():
    content = parse_bif(PLAIN)
    assert content.names == ("a", "b", "c")
    assert content.states == (("yes", "no"), ("low", "mid", "high"), ("on", "off"))
    # the parents keep the order of the file, not that of the variables
    assert content.parents == ((), (), (1, 0))
    np.testing.assert_array_equal(content.tables[0], [0.2, 0.8])
    np.testing.assert_array_equal(content.tables[2][..., 0], [[0.11, 0.12], [0.21, 0.22], [0.31, 0.32]])


@pytest.mark.parametrize("name", ["asia", "child", "alarm"])
def test_tables_equal_those_of_pgmpy(name):
    ours = load_network(name)
    theirs = _pgmpy_model(name)
    assert set(ours.names) == set(theirs.nodes)
    assert set(ours.graph.arcs()) == set(theirs.edges)
    for i, variable in enumerate(ours.names):
        cpd = theirs.get_cpds(variable)
        assert list(ours.states[i]) == cpd.state_names[variable]
        parents = [ours.names[p] for p in ours.parents[i]]
        assert parents == cpd.variables[1:]
        np.testing.assert_array_equal(np.moveaxis(ours.tables[i], -1, 0), cpd.values)


def test_trick_file_equals_pgmpy_for_any_order_of_parents_and_rows():
    """Parents in another order than declared, rows shuffled, states that repeat across variables."""
    from pgmpy.readwrite import BIFReader

    sizes = {"p": 2, "q": 3, "r": 4}
    states = {name: [f"s{k}" for k in range(size)][::-1] for name, size in sizes.items()}
    blocks = "network unknown {\n}\n"
    for name in ("c", "p", "q", "r"):
        own = states.get(name, ["s1", "s0"])
        blocks += f"variable {name} {{\n  type discrete [ {len(own)} ] {{ {', '.join(own)} }};\n}}\n"
    for name, size in sizes.items():
        blocks += f"probability ( {name} ) {{\n  table {', '.join([str(1 / size)] * size)};\n}}\n"
    rng = np.random.default_rng(4)
    rows = list(itertools.product(states["r"], states["p"], states["q"]))
    chance = dict(zip(rows, rng.random(len(rows)).round(4), strict=True))
    rng.shuffle(rows)
    body = "".join(f"  ({', '.join(row)}) {chance[tuple(row)]}, {1 - chance[tuple(row)]};\n" for row in rows)
    text = f"{blocks}probability ( c | r, p, q ) {{\n{body}}}\n"
    content = parse_bif(text)
    cpd = BIFReader(string=text).get_model().get_cpds("c")
    assert content.parents[0] == (3, 1, 2)
    np.testing.assert_array_equal(np.moveaxis(content.tables[0], -1, 0), cpd.values)
    for row, value in chance.items():  # and by the labels themselves
        place = tuple(states[name].index(state) for name, state in zip("rpq", row, strict=True))
        assert content.tables[0][(*place, 0)] == value


VARIANTS = {
    "comments": PLAIN.replace("variable b", "// variable x { }\n/* two\n lines { */ variable b"),
    "properties": PLAIN.replace(
        "type discrete [ 2 ] { yes, no };",
        "property pos = (3, 4);\n type discrete [ 2 ] { yes, no };\n property x ;",
    ).replace("  table 0.2", "  property y ;\n  table 0.2"),
    "quotes": PLAIN.replace("variable a", 'variable "a"')
    .replace("low", '"low"')
    .replace("| b, a", '| "b" , "a"'),
    "blanks for commas": PLAIN.replace(", ", " "),
    "no blanks": PLAIN.replace(", ", ",").replace(" {", "{").replace("[ 2 ]", "[2]").replace("( ", "("),
    "no bar": PLAIN.replace("c | b, a", "c b a"),
    "exponents": PLAIN.replace("0.2, 0.8;", "2e-1, 8.0E-1;"),
    "windows lines": PLAIN.replace("\n", "\r\n"),
    "default": PLAIN.replace("  (high, no) 0.32, 0.68;\n", "  default 0.32, 0.68;\n"),
    "table": PLAIN[: PLAIN.index("  (low, yes)")]
    + "  table 0.11, 0.12, 0.21, 0.22, 0.31, 0.32, 0.89, 0.88, 0.79, 0.78, 0.69, 0.68;\n}\n",
    "blocks in another order": PLAIN[PLAIN.index("probability") :] + PLAIN[: PLAIN.index("probability")],
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_variants_say_the_same(variant):
    plain, other = parse_bif(PLAIN), parse_bif(VARIANTS[variant])
    assert VARIANTS[variant] != PLAIN
    assert (other.names, other.states, other.parents) == (plain.names, plain.states, plain.parents)
    for ours, theirs in zip(plain.tables, other.tables, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_quoted_texts_may_hold_anything():
    text = PLAIN.replace("variable a", 'variable "a // {b}"').replace("( a )", '( "a // {b}" )')
    text = text.replace("| b, a", '| b, "a // {b}"').replace("low", '"<= 1, (2; 3]"')
    content = parse_bif(text)
    assert content.names[0] == "a // {b}"
    assert content.states[1][0] == "<= 1, (2; 3]"
    assert content.tables[2][0, 1, 0] == 0.12


def test_unquoted_states_may_hold_blanks():
    content = parse_bif(PLAIN.replace("low", "very low"))
    assert content.states[1][0] == "very low"
    assert content.tables[2][0, 1, 0] == 0.12


BROKEN = {
    "sum": (("0.2, 0.8;", "0.2, 0.9;"), 13, "'a' for no parents sum to 1.1, not 1"),
    "sum of a row": (("0.22, 0.78", "0.22, 0.87"), 23, "'c' for b = mid, a = no sum to 1.09, not 1"),
    "negative": (("0.2, 0.8;", "-0.2, 1.2;"), 13, "'a' has the probability -0.2"),
    "not a number": (("0.2, 0.8;", "nan, 0.8;"), 13, "'a' has the probability nan"),
    "a word": (("0.2, 0.8;", "0.2, much;"), 13, "could not convert string to float: 'much'"),
    "too few numbers": (("0.2, 0.8;", "1;"), 13, "'a' needs 2 numbers here, not 1"),
    "unknown state": (
        ("(mid, yes)", "(medium, yes)"),
        20,
        "'medium' is no state of 'b'. Its states: low, mid, high",
    ),
    "unknown parent": (("| b, a", "| b, z"), 18, "the variable 'z' is not declared"),
    "missing row": (
        ("  (high, no) 0.32, 0.68;\n", ""),
        18,
        "'c' lacks 1 of its 6 rows, the first for b = high, a = no",
    ),
    "repeated row": (("(high, no)", "(low, yes)"), 24, "'c' repeats its row b = low, a = yes"),
    "parents swapped": (("(low, yes)", "(yes, low)"), 19, "'yes' is no state of 'b'"),
    "state missing in a row": (("(mid, yes)", "(mid)"), 20, "the row (mid) gives 1 states to 2 parents"),
    "states miscounted": (("[ 3 ]", "[ 4 ]"), 7, "'b' declares 4 states but lists 3"),
    "states repeat": (("low, mid, high }", "low, mid, low }"), 7, "must be one or more different texts"),
    "no states": (("[ 2 ] { yes, no }", "[ 0 ] { }"), 4, "must be one or more different texts"),
    "continuous": (("discrete [ 2 ]", "continuous [ 2 ]"), 4, "the variable 'a' is continuous"),
    "no type": (("  type discrete [ 2 ] { yes, no };\n", ""), 3, "the variable 'a' has no type line"),
    "declared twice": (("variable b", "variable a"), 6, "the variable 'a' is declared twice"),
    "two blocks": (("probability ( b )", "probability ( a )"), 15, "'a' has a second probability block"),
    "brace missing": (("table 0.2, 0.8;\n}", "table 0.2, 0.8;\n"), 12, "cannot read 'probability ( a ) {'"),
    "semicolon missing": (("0.2, 0.8;", "0.2, 0.8"), 13, "cannot read 'table 0.2, 0.8'"),
    "rubbish between": (("variable b", "what is this\nvariable b"), 6, "cannot read 'what is this'"),
    "two children": (("c | b, a", "c, b | a"), 18, "expected one child and different parents"),
    "own parent": (("c | b, a", "c | c, a"), 18, "expected one child and different parents"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_reported_with_their_line(case):
    (old, new), line, message = BROKEN[case]
    assert old in PLAIN
    with pytest.raises(InputError) as caught:
        parse_bif(PLAIN.replace(old, new, 1), "my.bif")
    assert caught.value.where == f"my.bif, line {line}"
    assert message in str(caught.value)


def test_missing_block_and_empty_file():
    text = PLAIN.replace("probability ( b ) {\n  table 0.5, 0.3, 0.2;\n}\n", "")
    with pytest.raises(InputError, match=r"my\.bif: the variable 'b' has no probability block"):
        parse_bif(text, "my.bif")
    with pytest.raises(InputError, match=r"my\.bif: no variable is declared"):
        parse_bif("", "my.bif")


def test_rounded_rows_are_kept_as_they_are():
    rounded = parse_bif(PLAIN.replace("0.5, 0.3, 0.2", "0.33, 0.33, 0.33"))
    np.testing.assert_array_equal(rounded.tables[1], [0.33] * 3)
    assert SUM_TOLERANCE == 0.01
    with pytest.raises(InputError, match=r"sum to 0\.98"):
        parse_bif(PLAIN.replace("0.5, 0.3, 0.2", "0.33, 0.33, 0.32"))


def test_files(tmp_path):
    (tmp_path / "mine.bif").write_text(PLAIN)
    (tmp_path / "packed.bif.gz").write_bytes(gzip.compress(PLAIN.encode()))
    assert load_network(tmp_path / "mine.bif").name == "mine"
    assert load_network(str(tmp_path / "packed.bif.gz")).name == "packed"
    with pytest.raises(InputError, match=r"none\.bif: there is no such file"):
        load_network(tmp_path / "none.bif")
    with pytest.raises(InputError, match=r"there is no network 'asja'.*asia, sachs, child"):
        load_network("asja")
    (tmp_path / "bad.bif.gz").write_text(PLAIN)
    with pytest.raises(InputError, match=r"bad\.bif\.gz: cannot be read"):
        load_network(tmp_path / "bad.bif.gz")
    (tmp_path / "latin.bif").write_bytes(PLAIN.replace("yes", "sí").encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        load_network(tmp_path / "latin.bif")


def test_cycle_is_named(tmp_path):
    text = PLAIN.replace(
        "probability ( a ) {\n  table 0.2, 0.8;",
        "probability ( a | c ) {\n  (on) 0.2, 0.8;\n  (off) 0.5, 0.5;",
    )
    (tmp_path / "loop.bif").write_text(text)
    with pytest.raises(InputError, match=r"loop: the parents form the directed cycle (a → c → a|c → a → c)"):
        load_network(tmp_path / "loop.bif")


# --- the sixteen networks -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def networks():
    return {name: load_network(name) for name in NETWORKS}


def test_facts_against_the_printed_table(networks):
    """All numbers of the GMCBC paper's Table 1 hold but one: child has no node with 4 parents."""
    printed = printed_facts()
    assert tuple(printed) == NETWORKS
    different = {
        (name, key): (round(value, 2), printed[name][key])
        for name, network in networks.items()
        for key, value in network.facts().items()
        if round(value, 2) != printed[name][key]
    }
    assert different == {("child", "max_parents"): (2, 4)}


def test_every_table_is_a_distribution(networks):
    for network in networks.values():
        for i, table in enumerate(network.tables):
            assert table.shape[-1] == len(network.states[i])
            np.testing.assert_allclose(table.sum(axis=-1), 1, atol=1e-6)


def test_loading_imports_no_heavy_package():
    code = (
        "import sys; from fedbnsl.data import load_network; load_network('asia').sample(10, seed=1);"
        "print([name for name in ('pgmpy', 'pandas', 'sklearn', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_networks_cannot_be_changed():
    asia = load_network("asia")
    with pytest.raises(ValueError, match="read-only"):
        asia.tables[0][0] = 0.5
    with pytest.raises(AttributeError):
        asia.name = "other"


def test_table_of_another_shape_is_refused():
    with pytest.raises(InputError, match=r"toy, b: the table has shape \(3, 2\), not \(2, 3\)"):
        DiscreteNetwork("toy", ["a", "b"], ["xy", "uvw"], [[], [0]], [[0.5, 0.5], np.full((3, 2), 0.5)])


# --- sampling -------------------------------------------------------------------------------------


def test_same_seed_same_rows(networks):
    asia = networks["asia"]
    first, again, other = asia.sample(500, seed=7), asia.sample(500, seed=7), asia.sample(500, seed=8)
    assert first.values.tobytes() == again.values.tobytes()
    assert (first.values != other.values).any()
    np.testing.assert_array_equal(asia.sample(123, seed=7).values, first.values[:123])


def test_all_states_are_declared_seen_or_not(networks):
    mildew = networks["mildew"]
    site = mildew.sample(20, seed=1, label="north")
    assert site.states == mildew.states
    assert site.label == "north"
    assert max(site.cardinalities) > 20 >= len(np.unique(site.values[:, 0]))


def test_asia_rows_follow_the_joint_distribution(networks):
    """χ² over all 256 cells of the joint, whose exact probabilities are products of table entries."""
    asia = networks["asia"]
    rows = 200_000
    site = asia.sample(rows, seed=3)
    counts = np.bincount(site.values @ (2 ** np.arange(8)), minlength=256)
    joint = np.array([_probability(asia, [cell >> i & 1 for i in range(8)]) for cell in range(256)])
    assert joint.sum() == pytest.approx(1)
    assert counts[joint == 0].sum() == 0
    expected = rows * joint
    often = expected >= 5
    observed = np.append(counts[often], counts[~often].sum())
    expected = np.append(expected[often], expected[~often].sum())
    assert stats.chisquare(observed, expected * rows / expected.sum()).pvalue > 0.01


def test_marginals_equal_those_of_variable_elimination(networks):
    from pgmpy.inference import VariableElimination

    child = networks["child"]
    rows = 50_000
    site = child.sample(rows, seed=5)
    infer = VariableElimination(_pgmpy_model("child"))
    pvalues = []
    for i, name in enumerate(child.names):
        factor = infer.query([name], show_progress=False)
        exact = [factor.get_value(**{name: state}) for state in child.states[i]]
        counts = np.bincount(site.values[:, i], minlength=len(exact))
        pvalues.append(stats.chisquare(counts, rows * np.array(exact) / sum(exact)).pvalue)
    assert min(pvalues) > 0.01 / len(pvalues)


def test_rows_follow_every_conditional_table(networks):
    alarm = networks["alarm"]
    site = alarm.sample(60_000, seed=11)
    statistic = freedom = 0
    for i, table in enumerate(alarm.tables):
        counts = np.zeros(table.shape)
        np.add.at(counts, tuple(site.values[:, [*alarm.parents[i], i]].T), 1)
        expected = counts.sum(axis=-1, keepdims=True) * table
        assert counts[table == 0].sum() == 0
        for row, exact in zip(
            counts.reshape(-1, table.shape[-1]), expected.reshape(-1, table.shape[-1]), strict=True
        ):
            if exact[exact > 0].min(initial=np.inf) >= 5 and (exact > 0).sum() > 1:
                statistic += ((row - exact)[exact > 0] ** 2 / exact[exact > 0]).sum()
                freedom += (exact > 0).sum() - 1
    assert freedom > 200
    assert 0.01 < stats.chi2.sf(statistic, freedom) < 0.99


def test_impossible_states_are_never_drawn():
    """Zeros first, between and last, with rounded rows that do not sum to 1."""
    table = [0.0, 0.33, 0.0, 0.66, 0.0]
    network = DiscreteNetwork("zeros", ["a"], ["vwxyz"], [[]], [table])
    counts = np.bincount(network.sample(100_000, seed=1).values[:, 0], minlength=5)
    assert counts[[0, 2, 4]].tolist() == [0, 0, 0]
    assert counts[1] / 100_000 == pytest.approx(1 / 3, abs=0.005)


def test_a_draw_of_exactly_zero_skips_impossible_states():
    class Zeros(np.random.Generator):
        def random(self, shape):
            return np.zeros(shape)

    network = DiscreteNetwork("zeros", ["a"], ["vwx"], [[]], [[0.0, 0.5, 0.5]])
    assert network.sample(1, Zeros(np.random.PCG64())).values.tolist() == [[1]]


def test_no_rows_is_an_error(networks):
    with pytest.raises(InputError, match="asia: the number of rows must be 1 or larger, not 0"):
        networks["asia"].sample(0, seed=1)


def _probability(network, codes):
    entries = [
        table[tuple(codes[p] for p in (*network.parents[i], i))] for i, table in enumerate(network.tables)
    ]
    return np.prod(entries)


def _pgmpy_model(name):
    from pgmpy.readwrite import BIFReader

    from fedbnsl.data.networks import _bundled_folder

    logging.getLogger("pgmpy").setLevel(logging.ERROR)
    text = gzip.decompress((_bundled_folder() / f"{name}.bif.gz").read_bytes()).decode()
    return BIFReader(string=text).get_model()


# --- what is refused ------------------------------------------------------------------------------

HALF = [0.5, 0.5]


@pytest.mark.parametrize(
    ("parents", "tables", "message"),
    [
        ([[], [0]], [[-0.5, 1.5], [HALF, HALF]], "toy, a: the table has the probability -0.5 at [0]"),
        ([[], [0]], [HALF, [HALF, [np.nan, 1]]], "toy, b: the table has the probability nan at [1, 0]"),
        ([[], [0]], [HALF, [HALF, [0, 0]]], "toy, b: the probabilities for the parents' states [1] sum to 0"),
        (
            [[], [0]],
            [HALF, [[0.6, 0.5], HALF]],
            "toy, b: the probabilities for the parents' states [0] sum to 1.1",
        ),
        (
            [[], [-2]],
            [HALF, [HALF, HALF]],
            "toy, b: the parents [-2] must be different positions from 0 to 1",
        ),
        ([[], [2]], [HALF, [HALF, HALF]], "toy, b: the parents [2] must be different positions from 0 to 1"),
        ([[], [1]], [HALF, [HALF, HALF]], "toy, b: the parents [1] must be different positions from 0 to 1"),
        ([[], [0, 0]], [HALF, np.full((2, 2, 2), 0.5)], "toy, b: the parents [0, 0] must be different"),
        ([[]], [HALF, HALF], "toy: parents are given for 1 of 2 variables"),
        ([[], []], [HALF], "toy: tables are given for 1 of 2 variables"),
    ],
)
def test_networks_that_are_none(parents, tables, message):
    with pytest.raises(InputError) as caught:
        DiscreteNetwork("toy", ["a", "b"], ["xy", "uv"], parents, tables)
    assert message in str(caught.value)


def test_states_of_a_network():
    with pytest.raises(InputError, match=r"toy, a: the states \['x', 'x'\] must be one or more different"):
        DiscreteNetwork("toy", ["a"], ["xx"], [[]], [HALF])
    with pytest.raises(InputError, match="toy: states are given for 0 of 1 variables"):
        DiscreteNetwork("toy", ["a"], [], [[]], [HALF])
    # numbers printed with two decimals are a distribution
    DiscreteNetwork("toy", ["a"], ["xyz"], [[]], [[0.33, 0.33, 0.33]])


def test_damaged_gzip(tmp_path):
    packed = bytearray(gzip.compress(PLAIN.encode()))
    packed[10:14] = b"\xff" * 4
    (tmp_path / "bad.bif.gz").write_bytes(packed)
    with pytest.raises(InputError, match=r"bad\.bif\.gz: cannot be read"):
        load_network(tmp_path / "bad.bif.gz")


def test_endless_number_of_states():
    with pytest.raises(InputError, match=r"my\.bif, line 4: cannot read 'type discrete \[ 222"):
        parse_bif(PLAIN.replace("[ 2 ]", f"[ {'2' * 5000} ]", 1), "my.bif")


@pytest.mark.parametrize(("parents", "states", "refused"), [(64, 1, True), (63, 1, False), (26, 2, True)])
def test_tables_too_large(parents, states, refused):
    """64 parents are more than an array has dimensions; 26 of two states, and the child: 2²⁷ entries."""
    names = [f"v{i}" for i in range(parents)]
    listed = ", ".join("st"[:states])
    numbers = ", ".join([str(1 / states)] * states)
    text = "variable c { type discrete [ 2 ] { y, n }; }\n"
    for name in names:
        text += f"variable {name} {{ type discrete [ {states} ] {{ {listed} }}; }}\n"
        text += f"probability ( {name} ) {{ table {numbers}; }}\n"
    text += f"probability ( c | {', '.join(names)} ) {{ default 0.5, 0.5; }}\n"
    if refused:
        with pytest.raises(
            InputError, match=f"my.bif, line .*: the table of 'c', with {parents} parents, is too"
        ):
            parse_bif(text, "my.bif")
    else:
        assert parse_bif(text, "my.bif").tables[0].shape == (1,) * parents + (2,)
