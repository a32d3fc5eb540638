"""What a user hands over, a path or Python values, as YAML would have given it."""

import datetime
import glob
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import yaml

from fedbnsl.cohort.knowledge import Knowledge
from fedbnsl.cohort.schema import SCHEMA
from fedbnsl.cohort.site_list import SUFFIXES
from fedbnsl.errors import InputError


def section_and_options(given) -> tuple[object, object]:
    """The section and the options of methods that were meant, neither of them checked.

    Parameters
    ----------
    given : mapping, list, str or path
        The section, or the sites themselves: a mapping of site to file, a file, a pattern, or a list of
        these; or the path of a config file.

    Raises
    ------
    InputError
        If it is nothing of that kind, or the config file cannot be read.
    """
    given = plain(given, "the cohort")
    if isinstance(given, str):
        if given.lower().endswith(SUFFIXES) or (glob.has_magic(given) and not Path(given).is_file()):
            return {"sites": given}, {}
        document = read_document(given)
        options = document.get("options")
        if "cohort" in document:
            return document["cohort"], {} if options is None else options
        if set(document) <= set(SCHEMA["properties"]):
            return {"sites": {}, **document}, {}
        raise InputError(
            "there is no section cohort in the file",
            where=given,
            remedy="Write, for example\n\n  cohort:\n    sites: {north: data/north.csv}\n",
        )
    if not isinstance(given, dict | list):
        raise InputError(
            f"a cohort cannot be made of {given!r}",
            remedy='Give a mapping of site to file, as {"north": "north.csv"}, the section cohort as a '
            "mapping, or the path of a config file",
        )
    return given, {}


def read_document(path: str) -> dict:
    """The mapping that a YAML file holds; empty if there is nothing in it.

    Raises
    ------
    InputError
        If it cannot be read, is not UTF-8 or no YAML, gives a key twice, or is no mapping.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        content = yaml.load(text, Loader=_EachOnce)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=path or "the path ''") from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"the text is not UTF-8: there is the byte {error.object[error.start]:#04x}",
            where=path,
            remedy="Save it as UTF-8",
        ) from None
    except yaml.YAMLError as error:
        raise InputError(f"not valid YAML: {error}", where=path) from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise InputError(
            "the file must be a mapping of keys to values",
            where=path,
            remedy="For example\n\n  cohort:\n    sites: {north: data/north.csv}\n",
        )
    return content


def plain(value, where: str = "the settings"):
    """Mappings, tuples, arrays, NumPy numbers, paths and Knowledge as what YAML reads: dicts, lists, scalars.

    Raises
    ------
    InputError
        At anything else, such as a set, which has no order.
    """
    if isinstance(value, Knowledge):
        value = value.to_dict()
    if isinstance(value, Mapping):
        return {plain(key, where): plain(one, f"{where}, {key}") for key, one in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple | range):
        return [plain(one, where) for one in value]
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if value is None or isinstance(value, str | bool | int | float | datetime.date):
        return value
    raise InputError(
        f"{value!r} is a {type(value).__name__}, which settings cannot hold",
        where=where,
        remedy="Give texts, numbers, lists and mappings, as config.yaml has them",
    )


class _EachOnce(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Refuses a mapping that gives a key twice, of which one would be lost without a word."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        twice = next((key for key in keys if key != "<<" and keys.count(key) > 1), None)
        if twice is not None:
            raise yaml.MarkedYAMLError(
                problem=f"the key {twice!r} is given twice", problem_mark=node.start_mark
            )
        return super().construct_mapping(node, deep)
