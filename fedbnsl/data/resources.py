"""Where the small files that come with the package are."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def resource(name: str) -> Path:
    """Path of a file below ``resources/``, for example ``networks.tsv``.

    An installed package carries the folder inside itself, a checkout has it beside the package.
    """
    inside = _PACKAGE / "resources"
    return (inside if inside.is_dir() else _PACKAGE.parent / "resources") / name
