"""Three clean sites, discrete or continuous, as tables of text that a test can spoil before writing them."""

import numpy as np

STATES = {"smoke": ["no", "yes"], "stage": ["I", "II", "III"], "cough": ["no", "yes"]}
SITES = ("north", "south", "west")
ROWS = 60


class Tables:
    """The header and the rows of each site; ``settings`` are further keys of the section."""

    def __init__(self, folder, kind):
        self.folder, self.kind = folder, kind
        self.settings = {"columns": {"discrete": STATES}} if kind == "discrete" else {}
        self.names = {site: f"{site}.csv" for site in SITES}
        self.header = {site: list(STATES if kind == "discrete" else ("age", "crp", "bmi")) for site in SITES}
        self.rows = {}
        self.encoding, self.separator, self.raw = {}, {}, {}
        for number, site in enumerate(SITES):
            rng = np.random.default_rng(number)
            if kind == "discrete":
                columns = [rng.choice(states, ROWS) for states in STATES.values()]
            else:
                columns = [
                    [str(age) for age in rng.integers(20, 90, ROWS)],
                    [f"{crp:.4f}" for crp in rng.gamma(2, 4, ROWS)],
                    [f"{bmi:.1f}" for bmi in rng.normal(26, 4, ROWS)],
                ]
            self.rows[site] = [list(map(str, row)) for row in zip(*columns, strict=True)]

    def put(self, site, column, *cells, row=1):
        """Replace cells of a column from a row (the first is 1) on."""
        place = self.header[site].index(column)
        for k, cell in enumerate(cells):
            self.rows[site][row - 1 + k][place] = cell

    def change(self, site, column, function):
        """Apply a function to all cells of a column."""
        place = self.header[site].index(column)
        for row in self.rows[site]:
            row[place] = function(row[place])

    def add(self, name, cells, sites=SITES):
        """A further column; ``cells`` gives those of a site from its number of rows."""
        for site in sites:
            self.header[site].append(name)
            for row, cell in zip(self.rows[site], cells(len(self.rows[site])), strict=True):
                row.append(cell)

    def write(self):
        """Write the files; a mapping of site to file."""
        for site in SITES:
            separator = self.separator.get(site, ",")
            lines = [separator.join(row) for row in [self.header[site], *self.rows[site]]]
            content = "".join(f"{line}\n" for line in lines).encode(self.encoding.get(site, "utf-8"))
            (self.folder / self.names[site]).write_bytes(self.raw.get(site, content))
        return {site: str(self.folder / self.names[site]) for site in SITES}

    def section(self):
        """Write the files; the section that names them."""
        return {"sites": self.write(), **self.settings}
