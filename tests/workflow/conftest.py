"""Copies of the checkout that the tests of the workflow share."""

import pytest
from checkout import Checkout


@pytest.fixture(scope="session")
def checkout(tmp_path_factory) -> Checkout:
    """A copy whose config asks for the smoke preset; nothing has run."""
    made = Checkout(tmp_path_factory.mktemp("checkout"))
    made.edit("config.yaml", "preset: laptop", "preset: smoke")
    return made


@pytest.fixture(scope="session")
def finished(checkout) -> Checkout:
    """The copy after the smoke run."""
    checkout.run = checkout.snakemake()
    return checkout
