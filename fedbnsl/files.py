"""Writing files so that a killed program never leaves half of one."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fedbnsl.errors import InputError


@contextmanager
def replacing(path: Path | str) -> Iterator[Path]:
    """A temporary path in the same folder that becomes ``path`` when the block ends well.

    The temporary name keeps the suffix of ``path``, since many writers choose a format by it. The
    folder is made if it is missing.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".part-", suffix="".join(path.suffixes[-2:]))
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes files that only their owner can read; outputs get the usual permissions
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: Path | str, text: str) -> None:
    """Write text as UTF-8 with ``\\n`` line ends, in one move."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path | str, content) -> None:
    """Write compact JSON, keys in the given order, in one move."""
    write_text(path, json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n")


def read_json(path: Path | str):
    """Read a JSON file.

    Raises
    ------
    InputError
        If the file is damaged; the message names it.
    """
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(
            f"the file is damaged ({error})",
            where=str(path),
            remedy="Delete it and run again: it is made anew",
        ) from None
