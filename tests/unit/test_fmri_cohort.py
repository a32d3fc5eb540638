"""fMRI cohorts: the folder, what is refused, and that no person is in two parts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbnsl.data.fmri import FmriCohort, Subject
from fedbnsl.data.fmri_files import read_cohort, write_cohort
from fedbnsl.errors import InputError

NAMES = ("INS.L", "INS.R", "THA.L")


def series(seed, volumes=6):
    return np.random.default_rng(seed).normal(3, 2, (volumes, len(NAMES)))


def subjects(sites=2, each=3):
    return [
        Subject(f"{group}{site}{k}", f"s{site}", group, series(hash_of(group, site, k), 5 + site))
        for site in range(sites)
        for group in ("HC", "MDD")
        for k in range(each)
    ]


def hash_of(group, site, k):
    return (group == "MDD") * 1000 + site * 100 + k


@pytest.fixture
def folder(tmp_path):
    write_cohort(FmriCohort(NAMES, subjects()), tmp_path, ".csv")
    return tmp_path


@pytest.mark.parametrize("suffix", [".npy", ".csv", ".tsv"])
def test_what_is_written_is_read(tmp_path, suffix):
    cohort = FmriCohort(NAMES, subjects())
    write_cohort(cohort, tmp_path, suffix)
    again = read_cohort(tmp_path)
    assert again.names == NAMES
    assert [(s.name, s.site, s.group) for s in again.subjects] == [
        (s.name, s.site, s.group) for s in cohort.subjects
    ]
    assert all(
        np.array_equal(a.values, b.values) for a, b in zip(again.subjects, cohort.subjects, strict=True)
    )


def test_columns_in_another_order_are_put_right(folder):
    path = folder / "s1/MDD10.csv"
    rows = [line.split(",") for line in path.read_text().split()]
    path.write_text("\n".join(",".join(row[::-1]) for row in rows) + "\n")
    one = next(s for s in read_cohort(folder).subjects if s.name == "MDD10")
    assert np.array_equal(one.values, series(hash_of("MDD", 1, 0), 6))


def test_site_tables_hold_centred_unscaled_series_below_each_other():
    cohort = FmriCohort(NAMES, subjects())
    first, second = cohort.site_data("MDD")
    assert (first.label, first.n_rows, second.n_rows) == ("s0", 15, 18)
    own = series(hash_of("MDD", 0, 1), 5)
    np.testing.assert_allclose(first.values[5:10], own - own.mean(axis=0))


def replace(folder, name, old, new):
    path = folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def cut(folder, name, lines):
    path = folder / name
    path.write_text("\n".join(path.read_text().split("\n")[:lines]) + "\n")


FAULTS = {
    "two groups": (
        lambda f: replace(f, "participants.tsv", "MDD00\ts0\tMDD\n", "MDD00\ts0\tMDD\nMDD00\ts0\tHC\n"),
        r"row \d+: subject 'MDD00' is in the groups 'MDD' and 'HC'",
    ),
    "two sites": (
        lambda f: replace(f, "participants.tsv", "MDD00\ts0\tMDD\n", "MDD00\ts0\tMDD\nMDD00\ts1\tMDD\n"),
        r"subject 'MDD00' is at the sites 's0' and 's1'",
    ),
    "listed twice": (
        lambda f: replace(f, "participants.tsv", "MDD00\ts0\tMDD\n", "MDD00\ts0\tMDD\n" * 2),
        r"subject 'MDD00' is listed twice",
    ),
    "no group": (
        lambda f: replace(f, "participants.tsv", "MDD00\ts0\tMDD\n", "MDD00\ts0\t\n"),
        r"row \d+: '' cannot be a group",
    ),
    "way out": (
        lambda f: replace(f, "participants.tsv", "MDD00\ts0", "../MDD00\ts0"),
        r"'../MDD00' cannot be a subject",
    ),
    "no column": (
        lambda f: replace(f, "participants.tsv", "group", "diagnosis"),
        r"participants.tsv: the column 'group' is missing; there is subject, site, diagnosis",
    ),
    "no list": (lambda f: (f / "participants.tsv").unlink(), r"there is no list of participants"),
    "missing file": (lambda f: (f / "s1/HC11.csv").unlink(), r"s1: subject 'HC11' has no file"),
    "two files": (
        lambda f: (f / "s1/HC11.tsv").write_text("x"),
        r"s1: subject 'HC11' has two files",
    ),
    "nobody's file": (
        lambda f: (f / "s1/HC99.csv").write_text("x"),
        r"HC99.csv: the file belongs to no participant",
    ),
    "other ROIs": (
        lambda f: replace(f, "s1/HC11.csv", "THA.L", "THA.R"),
        r"s1/HC11.csv: the ROIs differ from those of \S+s0/HC00.csv \(missing: THA.L; extra: THA.R\)",
    ),
    "ROI twice": (
        lambda f: replace(f, "s1/HC11.csv", "THA.L", "INS.L"),
        r"HC11.csv: the ROI INS.L appears twice",
    ),
    "one row": (
        lambda f: cut(f, "s1/HC11.csv", 2),
        r"site s1, subject HC11: the series has 1 row, and nothing varies",
    ),
    "empty": (lambda f: cut(f, "s1/HC11.csv", 0), r"HC11.csv: there are no ROI names"),
    "short row": (
        lambda f: (f / "s1/HC11.csv").write_text("INS.L,INS.R,THA.L\n1,2,3\n1,2\n"),
        r"HC11.csv: row 2 has 2 values for 3 ROIs",
    ),
    "text": (
        lambda f: (f / "s1/HC11.csv").write_text("INS.L,INS.R,THA.L\n1,2,3\n1,x,4\n"),
        r"HC11.csv, ROI INS.R: row 2 has 'x', which is no number",
    ),
    "NaN": (
        lambda f: (f / "s1/HC11.csv").write_text("INS.L,INS.R,THA.L\n1,2,3\n1,,4\n"),
        r"site s1, subject HC11, ROI INS.R: 1 missing or infinite value\(s\), the first in row 2",
    ),
    "constant ROI": (
        lambda f: (f / "s1/HC11.csv").write_text("INS.L,INS.R,THA.L\n1,2,3\n2,2,4\n"),
        r"site s1, subject HC11, ROI INS.R: the ROI has the value 2 in all 2 volumes",
    ),
    "same recording": (
        lambda f: (f / "s1/HC11.csv").write_bytes((f / "s0/HC00.csv").read_bytes()),
        r"site s1, subject HC11: the time series is the same as that of subject HC00",
    ),
    "no names": (
        lambda f: (
            (f / "rois.txt").unlink(),
            (f / "s1/HC11.csv").unlink(),
            np.save(f / "s1/HC11", np.eye(3)),
        ),
        r"\.npy files, which hold no column names",
    ),
    "no numbers": (
        lambda f: ((f / "s1/HC11.csv").unlink(), np.save(f / "s1/HC11", np.array(["a"]))),
        r"HC11.npy: the values are <U1, not numbers",
    ),
    "damaged": (
        lambda f: ((f / "s1/HC11.csv").unlink(), (f / "s1/HC11.npy").write_bytes(b"no")),
        r"HC11.npy: this is no NumPy file",
    ),
    "other width": (
        lambda f: ((f / "s1/HC11.csv").unlink(), np.save(f / "s1/HC11", np.ones((4, 2)))),
        r"subject HC11: the series has shape \(4, 2\), but there are 3 ROIs",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_has_one_clear_message(folder, fault):
    spoil, message = FAULTS[fault]
    read_cohort(folder)
    spoil(folder)
    with pytest.raises(InputError, match=message) as caught:
        read_cohort(folder)
    assert len(str(caught.value).splitlines()) == 1


def test_series_of_different_length_are_allowed_and_told(folder):
    assert read_cohort(folder).notes == ()
    cut(folder, "s1/HC11.csv", 5)
    (note,) = read_cohort(folder).notes
    assert note.startswith("site s1: series of 4, 6 volumes")


def test_standardised_series_are_told():
    scored = [Subject(s.name, s.site, s.group, s.values / s.values.std(axis=0)) for s in subjects()]
    (note,) = FmriCohort(NAMES, scored).notes
    assert "variance 1" in note


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 7), st.integers(0, 99), st.floats(0.01, 0.99))
def test_a_split_shares_no_subject_and_loses_none(each, seed, share):
    cohort = FmriCohort(NAMES, subjects(each=each))
    first, second = cohort.split(seed, share)
    names = [{s.name for s in part.subjects} for part in (first, second)]
    assert not names[0] & names[1]
    assert names[0] | names[1] == {s.name for s in cohort.subjects}
    for site in cohort.sites:
        for group in cohort.groups:
            sizes = len(first.of(site, group)), len(second.of(site, group))
            assert min(sizes) >= 1
            assert abs(sizes[0] - share * each) <= 1
    drawn = second.drawn(seed, 1, 1)
    assert not {s.name for s in drawn.subjects} & names[0]
    assert len(drawn.subjects) == 4


def test_a_split_is_70_to_30_and_depends_on_the_seed_alone():
    cohort = FmriCohort(NAMES, subjects(each=10))
    first, second = cohort.split(1)
    assert len(first.of("s0", "MDD")) == 7
    turned = FmriCohort(NAMES, reversed(cohort.subjects)).split(1)[1]
    assert [s.name for s in turned.subjects] == [s.name for s in second.subjects]
    assert {s.name for s in cohort.split(2)[1].subjects} != {s.name for s in second.subjects}


def test_draws_differ_and_cannot_be_too_large():
    cohort = FmriCohort(NAMES, subjects(each=6))
    draws = {tuple(s.name for s in cohort.drawn(1, k, 3).subjects) for k in range(4)}
    assert len(draws) == 4
    with pytest.raises(InputError, match="site s0, group HC: 7 subjects are to be drawn, but there are 6"):
        cohort.drawn(1, 0, 7)


def test_a_site_without_a_group_or_a_second_subject_is_told():
    lonely = FmriCohort(NAMES, [s for s in subjects(each=1) if (s.site, s.group) != ("s1", "MDD")])
    with pytest.raises(InputError, match="site s1: no subject of group 'MDD'"):
        lonely.site_data("MDD")
    with pytest.raises(InputError, match="site s0, group HC: a single subject cannot be split"):
        lonely.split(1)
    with pytest.raises(InputError, match="between 0 and 1"):
        lonely.split(1, 1.0)


def test_one_person_twice_is_refused_however_the_cohort_is_made():
    one, *others = subjects()
    for twin, told in (
        (Subject(one.name, "s1", one.group, series(77)), "at the sites 's0' and 's1'"),
        (Subject(one.name, "s0", "MDD", series(77)), "in the groups 'HC' and 'MDD'"),
        (Subject(one.name, "s0", "HC", series(77)), "listed twice"),
    ):
        with pytest.raises(InputError, match=told):
            FmriCohort(NAMES, [one, *others, twin])


@pytest.mark.parametrize("kind", ["nothing", "file", "empty folder"])
def test_a_missing_cohort_is_named_with_the_layout(tmp_path, kind):
    folder = tmp_path / "cohort"
    if kind == "file":
        folder.write_text("subject")
    elif kind == "empty folder":
        folder.mkdir()
    with pytest.raises(InputError) as caught:
        read_cohort(folder)
    for told in (str(folder), "participants.tsv", "SITE/SUBJECT.csv", "rois.txt"):
        assert told in str(caught.value)


@pytest.mark.parametrize("name", ["participants.tsv", "rois.txt", "table"])
def test_files_that_are_no_text_are_named(tmp_path, name):
    write_cohort(FmriCohort(NAMES, subjects()), tmp_path, ".csv" if name == "table" else ".npy")
    path = tmp_path / "s1" / "MDD10.csv" if name == "table" else tmp_path / name
    path.write_bytes(path.read_bytes() + b"\xff\n")
    with pytest.raises(InputError, match=rf"{path.name}.*UTF-8"):
        read_cohort(tmp_path)
