"""Whatever is in the files, the check answers with a report; what it accepts can be read."""

import csv

import numpy as np
from graph_strategies import repeatable
from hypothesis import given
from hypothesis import strategies as st

from fedbnsl.cohort import check, read

CELLS = [
    "",
    " ",
    "a",
    "A",
    "b ",
    "0",
    "1",
    "1.0",
    "2.5",
    "3,5",
    "-9",
    "999",
    "NA",
    "?",
    "#REF!",
    "1-Mar",
    "<1",
]
CELLS += [
    "2020-01-01",
    "1e400",
    "1E+05",
    "inf",
    "nan",
    "\ufeff",
    "\x00",
    "ß",
    ",",
    ";",
    '"',
    "yes",
    "no",
    "1 000",
    "²",
]
NAMES = ["x", "X", "y", "z ", "", "id", "1", "Ä", "\ufeffx"]
cells = st.one_of(st.sampled_from(CELLS), st.text(max_size=3))


@st.composite
def tables(draw):
    header = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4))
    palette = draw(st.lists(cells, min_size=1, max_size=4))
    rows = draw(st.integers(0, 50))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    short = draw(st.booleans())
    width = [len(header) - (short and k == 3) for k in range(rows)]
    return [header, *([palette[i] for i in rng.integers(0, len(palette), w)] for w in width)]


sections = st.fixed_dictionaries(
    {
        "columns": st.sampled_from(
            [{}, {"discrete": {"x": ["a", "b"]}}, {"continuous": ["x", "y"]}, {"discretise": {"x": [1, 2]}}]
        ),
        "spelling": st.sampled_from(["exact", "loose"]),
        "missing": st.fixed_dictionaries(
            {
                "policy": st.sampled_from(["reject", "complete-cases", "impute"]),
                "codes": st.sampled_from([[], [-9], ["a", 1]]),
            }
        ),
    }
)


@repeatable
@given(st.lists(tables(), min_size=1, max_size=3), sections, st.sampled_from([",", ";"]))
def test_any_content_is_answered_with_a_report(tmp_path_factory, contents, section, separator):
    folder = tmp_path_factory.mktemp("fuzz")
    sites = {}
    for k, rows in enumerate(contents):
        path = folder / f"s{k}.csv"
        with path.open("w", encoding="utf-8", newline="", errors="surrogatepass") as file:
            csv.writer(file, delimiter=separator).writerows(rows)
        sites[f"s{k}"] = str(path)
    found = check({"sites": sites, **section})
    assert str(found)
    assert found.problem_table.shape[0] == len(found.problems)
    for problem in found.problems:
        assert problem.problem
        assert problem.remedy
        assert problem.row is None or 1 <= problem.row <= 51
    if found.ok:
        cohort = read({"sites": sites, **section})
        assert len(cohort.sites) == len(sites)
        assert len({site.names for site in cohort.sites}) == 1
        assert all(site.n_rows >= 2 for site in cohort.sites)


@repeatable
@given(
    st.lists(st.binary(max_size=60), min_size=1, max_size=2), st.sampled_from([".csv", ".tsv.gz", ".parquet"])
)
def test_any_bytes_are_answered_with_a_report(tmp_path_factory, contents, suffix):
    folder = tmp_path_factory.mktemp("fuzz")
    sites = {f"s{k}": str(folder / f"s{k}{suffix}") for k in range(len(contents))}
    for content, path in zip(contents, sites.values(), strict=True):
        (folder / path).write_bytes(content)
    assert not check(sites).ok
