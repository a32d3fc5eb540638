"""The register of methods: every entry is complete, and options are checked with readable messages."""

import inspect
import math
import sys

import jsonschema
import numpy as np
import pytest

from fedbnsl import registry
from fedbnsl.errors import InputError
from fedbnsl.methods import METHODS
from fedbnsl.registry import Method, method, methods

by_name = pytest.mark.parametrize("entry", METHODS, ids=lambda entry: entry.name)


def test_names_are_unique():
    assert len(methods()) == len(METHODS)


@by_name
def test_an_entry_is_complete(entry):
    assert entry.kind in registry.KINDS
    assert entry.data in ("discrete", "continuous", "any")
    assert entry.summary
    assert any(character.isdigit() for character in entry.citation)
    for key, schema in entry.options.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["description"], key
        jsonschema.validate(schema["default"], schema)


@by_name
def test_the_function_takes_what_the_entry_says(entry):
    """First the data, then a seed and every option; a default of its own is the entry's default."""
    first = {
        "learn": ["site"],
        "federate": ["sites"],
        "consensus": ["graphs"],
        "generate": ["base", "numbers"],
    }
    names = first[entry.kind]
    data, others = np.split(list(inspect.signature(entry.load()).parameters.values()), [len(names)])
    assert [p.name for p in data] == names
    parameters = {p.name: p.default for p in others}
    assert {"seed", *entry.options} <= set(parameters)
    for name, default in parameters.items():
        if name in entry.options:
            assert default in (inspect.Parameter.empty, entry.options[name]["default"])
        elif name != "seed":
            assert default is not inspect.Parameter.empty, f"nothing sets {name}"


@by_name
def test_the_name_can_stand_in_a_file_name(entry):
    from fedbnsl.spec import Spec

    text = str(Spec.of(entry.name, entry.defaults()))
    assert Spec.parse(text).dict() == entry.defaults()


@pytest.fixture
def example(monkeypatch):
    """A register of one entry."""
    entry = Method(
        name="example",
        kind="learn",
        function="math:hypot",
        data="any",
        summary="An example",
        citation="Nobody 2000",
        options={
            "l1": {"type": "number", "minimum": 0, "default": 0.1},
            "rounds": {"type": ["integer", "null"], "minimum": 1, "default": None},
            "order": {"enum": ["first", "random"], "default": "first"},
        },
    )
    monkeypatch.setattr(sys.modules["fedbnsl.methods"], "METHODS", [entry])
    return entry


def test_a_function_is_imported_when_it_is_used(example):
    assert example.load()(3, 4) == 5


def test_defaults_fill_what_is_not_given(example):
    assert example.checked({}) == {"l1": 0.1, "rounds": None, "order": "first"}
    assert example.checked({"l1": 2})["l1"] == 2
    assert example.checked({"order": "random"}) == {"l1": 0.1, "rounds": None, "order": "random"}


def test_a_whole_float_becomes_the_integer_that_the_schema_asks_for(example):
    checked = example.checked({"rounds": 100.0, "l1": 1.0})
    assert type(checked["rounds"]) is int
    assert type(checked["l1"]) is float


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lambda": 1}, "the method 'example' has no option 'lambda'. Its options: l1, rounds, order"),
        ({"l1": -1}, "method 'example': l1: -1 is less than the minimum of 0. Allowed: number, minimum 0"),
        ({"l1": "a lot"}, "method 'example': l1: 'a lot' is not of type 'number'"),
        ({"rounds": True}, "method 'example': rounds: True is not of type 'integer', 'null'"),
        ({"rounds": 1.5}, "method 'example': rounds: 1.5 is not of type"),
        ({"order": "last"}, "method 'example': order: 'last' is not one of"),
        ({"l1": math.nan}, "method 'example': l1: nan is not a finite number. Allowed: number, minimum 0"),
        ({"l1": np.float32("nan")}, "method 'example': l1: nan is not a finite number"),
        ({"l1": math.inf}, "method 'example': l1: inf is not a finite number"),
        ({"rounds": math.inf}, "method 'example': rounds: inf is not a finite number"),
    ],
)
def test_a_bad_option_is_named_with_what_is_allowed(example, options, message):
    with pytest.raises(InputError) as caught:
        example.checked(options)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lambda": 1}, "config.yaml, options.example: the method 'example' has no option 'lambda'"),
        ({"l1": -1}, "config.yaml, options.example, method 'example': l1: -1 is less"),
        ({"l1": math.nan}, "config.yaml, options.example, method 'example': l1: nan is not"),
    ],
)
def test_the_place_of_the_options_is_part_of_the_message(example, options, message):
    with pytest.raises(InputError) as caught:
        example.checked(options, where="config.yaml, options.example")
    assert str(caught.value).startswith(message)


def test_lookup_by_name_and_kind(example):
    assert method("example") is example
    assert method("example", "learn") is example
    assert methods("federate") == {}


def test_an_unknown_name_is_answered_with_the_known_ones(example):
    with pytest.raises(InputError, match=r"there is no learn method 'exmaple'\. Choose one of: example"):
        method("exmaple", "learn")
    with pytest.raises(InputError, match="there is no federate method 'example'"):
        method("example", "federate")
