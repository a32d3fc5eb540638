"""Column names that a program or a slip put into a site's file, and that no one meant."""

import re
from collections.abc import Container, Sequence
from pathlib import Path

from fedbnsl.data.site_columns import is_number
from fedbnsl.errors import InputError

_INDEX = re.compile(r"__index_level_\d+__")


def check_header(path: Path, names: Sequence[str], meant: Container[str] = ()) -> None:
    """Check the column names of a table of text or Parquet.

    Parameters
    ----------
    path : Path
    names : sequence of str
        All columns of the table.
    meant : container of str
        Names that are right however they look, such as those with declared states.

    Raises
    ------
    InputError
        On a pandas index among the columns. In text also on a name that is empty or has blanks at
        an end, and if all names are numbers, as they are where the header line is missing.
    """
    unsure = [name for name in names if name not in meant]
    for name in unsure:
        if _INDEX.fullmatch(name):
            raise _error(
                path, name, "the column is the index of a pandas table", "Write the file with index=False"
            )
    if path.suffix == ".parquet":
        return
    for number, name in enumerate(names, 1):
        if name in meant:
            continue
        if not name.strip():
            raise _error(
                path,
                name,
                f"column {number} has no name in the header line",
                "Name it, or write the file without it (pandas: index=False)",
            )
        if name != name.strip():
            raise _error(
                path,
                name,
                "the name in the header line has blanks at an end",
                f"Write {name.strip()!r}, with no blanks around the separator",
            )
    if len(unsure) == len(names) and all(map(is_number, names)):
        raise _error(
            path,
            names[0],
            "all names in the header line are numbers, as if there were no header",
            "Add a first line with the column names",
        )


def _error(path: Path, name: str, problem: str, remedy: str) -> InputError:
    return InputError(problem, where=f"{path}, column {name!r}", remedy=remedy)
