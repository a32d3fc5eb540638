"""The table of rounds of a federated run, for readers."""

from fedbnsl.plot import style

_SHOWN = ("round", "h", "primal_residual", "dual_residual", "edges", "bytes_up", "bytes_down")


def rounds_table(rounds) -> list[list[str]]:
    """Rows of cells for :func:`fedbnsl.plot.page.network_page`, the first the header.

    Parameters
    ----------
    rounds : pandas.DataFrame
        Of a :class:`fedbnsl.federate.Federation`; of the known columns those that there are.
    """
    shown = [column for column in _SHOWN if column in rounds]
    cells = [[_cell(value) for value in row] for row in rounds[shown].itertuples(index=False, name=None)]
    return [[style.label(column) for column in shown], *cells]


def _cell(value) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
