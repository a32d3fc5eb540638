"""Which of a node's id and its label is the variable's name."""

import re


def numbered_names(labels: dict[str, str | None]) -> dict[str, str]:
    """Name by id, given each id's label or None.

    Programs that number their nodes (``0``, ``n0``) put the name into a label. The labels are taken
    if every id is such a number and every node has its own label; otherwise the ids are the names.
    """
    texts = list(labels.values())
    numbered = all(re.fullmatch(r"n?\d+", identifier) for identifier in labels)
    if numbered and all(texts) and len(set(texts)) == len(texts):
        return dict(labels)
    return {identifier: identifier for identifier in labels}
