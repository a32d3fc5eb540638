"""Canonical texts, random streams and the error type: what every file name and every draw hangs on."""

import math
import multiprocessing
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbnsl.errors import InputError
from fedbnsl.seeds import derived_seed, generator, sequence
from fedbnsl.spec import Spec

ROOT = Path(__file__).parents[2]

# --- texts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, "5"),
        (5.0, "5"),
        (np.float64(5), "5"),
        (np.int64(5), "5"),
        (0.1, "0.1"),
        (1e-5, "1e-05"),
        (1e20, "1e+20"),
        (-0.0, "0"),
        (math.inf, "inf"),
        (True, "true"),
        (np.bool_(False), "false"),
        (None, "null"),
        ("mcbnc", "mcbnc"),
        ("2024-01-01", "2024-01-01"),
        ("yes", "yes"),
    ],
)
def test_a_value_has_one_text(value, text):
    spec = Spec.of("m", {"k": value})
    assert str(spec) == f"m@k={text}"
    back = Spec.parse(f"m@k={text}").dict()["k"]
    assert back == value
    assert isinstance(back, bool) == isinstance(value, bool | np.bool_)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 0.001),
        ("1E3", 1000.0),
        (".5", 0.5),
        ("-2", -2),
        ("+2", 2),
        ("007", 7),
        ("True", True),
        ("NULL", None),
        (".inf", math.inf),
        ("nan", "nan"),
        ("off", "off"),
        ("1_000", "1_000"),
    ],
)
def test_values_as_people_write_them(text, value):
    read = Spec.parse(f"m@k={text}").dict()["k"]
    assert read == value
    assert type(read) is type(value)


def test_options_are_sorted_so_that_equal_settings_have_equal_texts():
    a = Spec.parse("fed-sparse-bnsl@rounds=100,l1=0.10")
    b = Spec.of("fed-sparse-bnsl", {"l1": 0.1, "rounds": 100.0})
    assert a == b
    assert str(a) == str(b) == "fed-sparse-bnsl@l1=0.1,rounds=100"


_words = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,8}", fullmatch=True)
_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text("ab01.+-_einfINF", min_size=1),
)


@settings(deadline=None)
@given(_words, st.dictionaries(_words, _values, max_size=4))
def test_a_text_stands_for_one_spec_or_is_refused(name, options):
    spec = Spec.of(name, options)
    try:
        text = str(spec)
    except InputError:
        assert any(isinstance(value, str) for value in options.values())
        return
    back = Spec.parse(text)
    assert back == spec
    assert str(back) == text
    assert {key: isinstance(value, str) for key, value in back.options} == {
        key: isinstance(value, str) for key, value in spec.options
    }
    assert "/" not in text
    assert not text.startswith(".")


@pytest.mark.parametrize("word", ["1e-3", "5", "true", "Null", "inf", "a/b", "a b", "", "é", "a,b", "k=v"])
def test_words_that_would_come_back_as_something_else_are_refused(word):
    with pytest.raises(InputError, match="cannot stand in a file name"):
        str(Spec.of("m", {"k": word}))


@pytest.mark.parametrize("value", [math.nan, [1], (1,), {}, np.arange(2), np.arange(1)])
def test_values_that_are_no_scalars_are_refused(value):
    with pytest.raises(InputError, match="option 'k' cannot stand"):
        str(Spec.of("m", {"k": value}))


@pytest.mark.parametrize("name", ["", "..", ".hidden", "-x", "a/b", "../up", "a@b", "a=b", "a,b"])
def test_names_that_leave_the_folder_are_refused(name):
    with pytest.raises(InputError):
        str(Spec.of(name))
    with pytest.raises(InputError):
        str(Spec.of("m", {name: 1}))


@pytest.mark.parametrize(
    "text", ["", "@a=1", "m@a", "m@=1", "m@a=", "m@a=1@b=2", "m@a=x y", "m@a==1", "../m@a=1"]
)
def test_unreadable_texts_are_refused(text):
    with pytest.raises(InputError, match="Write name@key=value"):
        Spec.parse(text)


def test_an_option_given_twice_is_refused():
    with pytest.raises(InputError, match="'a' is given twice"):
        Spec.parse("m@a=1,a=2")


# --- random streams --------------------------------------------------------------------------------


def test_streams_are_the_same_on_every_machine():
    # Written down once; a change here changes every result of every study.
    draws = generator(1, "network", "alarm").integers(0, 10**9, 3)
    assert draws.tolist() == [
        901841311,
        303871429,
        836187540,
    ]
    assert derived_seed(0, "learn", 5) == 1865554549


def test_streams_do_not_follow_the_hash_seed():
    code = "from fedbnsl.seeds import derived_seed; print(derived_seed(3, 'a', ('b', 2), None, 0.5))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert found == {f"{derived_seed(3, 'a', ('b', 2), None, 0.5)}\n"}


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (("a",), ("b",)),
        (("a", "b"), ("ab",)),
        (("a", "b"), ("a\x1fb",)),
        (("a", "b"), ("b", "a")),
        (("a",), ("a", "")),
        ((1, 2), (12,)),
        ((1, 2), ((1, 2),)),
        (((1, 2), 3), (1, (2, 3))),
        ((1,), ("1",)),
        ((1,), (-1,)),
        ((None,), ("None",)),
        ((), ("",)),
        (((),), ()),
    ],
)
def test_different_work_has_different_streams(a, b):
    assert derived_seed(1, *a) != derived_seed(1, *b)


def test_different_roots_have_different_streams():
    seeds = {derived_seed(root, "same") for root in (0, 1, 2, 2**31, 2**32, 2**32 + 1, 2**64)}
    assert len(seeds) == 7


@pytest.mark.parametrize(
    ("numpy_key", "key"),
    [
        ((np.int64(3),), (3,)),
        ((np.str_("a"),), ("a",)),
        ((np.float64(0.5),), (0.5,)),
        (((np.int8(1), 2),), ((1, 2),)),
        (([1, 2],), ((1, 2),)),
    ],
)
def test_numpy_numbers_and_lists_name_the_same_work(numpy_key, key):
    assert derived_seed(np.int64(1), *numpy_key) == derived_seed(1, *key)


@pytest.mark.parametrize("part", [object(), {1, 2}, {"a": 1}, np.arange(3), len])
def test_what_has_no_stable_text_cannot_name_a_stream(part):
    with pytest.raises(TypeError, match="cannot be part"):
        sequence(1, "work", part)


@pytest.mark.parametrize("root", [-1, 1.5, 1.0, None, "x"])
@pytest.mark.parametrize("draw", [sequence, generator, derived_seed])
def test_a_root_that_is_no_seed_is_refused(draw, root):
    with pytest.raises(InputError, match=f"whole number, 0 or larger, not {root!r}"):
        draw(root, "work")


def test_neighbouring_streams_do_not_correlate():
    draws = np.array([generator(7, "site", number).standard_normal(2000) for number in range(20)])
    off_diagonal = np.corrcoef(draws)[np.triu_indices(20, 1)]
    # 190 correlations with standard error 1/√2000: the largest stays below 4.5 of them.
    assert np.abs(off_diagonal).max() < 4.5 / math.sqrt(2000)


# --- the error -------------------------------------------------------------------------------------


def test_the_message_says_what_where_and_what_to_do():
    error = InputError("row 3 is empty", where="data.csv", remedy="Delete it")
    assert str(error) == "data.csv: row 3 is empty. Delete it"
    assert str(InputError("row 3 is empty")) == "row 3 is empty"
    assert str(InputError("row 3 is empty", where="data.csv")) == "data.csv: row 3 is empty"
    assert isinstance(error, ValueError)


def _fail(_):
    raise InputError("bad", where="there", remedy="Mend it")


def test_the_error_crosses_processes_whole():
    back = pickle.loads(pickle.dumps(InputError("bad", where="there", remedy="Mend it")))
    assert (back.problem, back.where, back.remedy) == ("bad", "there", "Mend it")
    with (
        multiprocessing.get_context("spawn").Pool(1) as pool,
        pytest.raises(InputError, match=r"there: bad\. Mend it"),
    ):
        pool.map(_fail, [0])
