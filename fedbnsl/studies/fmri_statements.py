"""What the NOTEARS-PFL paper says in section 5 and prints in table 2, to be compared."""

from __future__ import annotations

import pandas

from fedbnsl.studies.statements import Check

BETTER_OVERLAP = (
    "NOTEARS-PFL finds the connections of all sites better than SIG, GES, PC and Granger causality"
)
BETTER_SITE = "NOTEARS-PFL finds site-specific connections better than SIG, GES, PC and Granger causality"
MORE_OUT = "Patients have more outgoing connections than controls at their ten regions with the most"
MORE_IN = "Patients have more incoming connections than controls at their ten regions with the most"
SMALLEST = "NOTEARS-PFL gives every connection its smallest p value of all methods"
SIGNIFICANT = "NOTEARS-PFL finds every connection more often in patients (p < 0.05)"
CORRECTED = "All of them stay below 0.05 after Holm's correction"

_OF = {
    "overlap": [BETTER_OVERLAP],
    "site": [BETTER_SITE],
    "degrees": [MORE_OUT, MORE_IN],
    "proportions": [SMALLEST, SIGNIFICANT, CORRECTED],
}
_WHERE = "simulated cohort"
#: Why a statement does not hold everywhere.
REASONS = {
    (BETTER_OVERLAP, _WHERE): (
        "NOTEARS reads directions from the scale of the signals: with every region scaled to variance 1 they "
        "are gone, while GES and PC, which read them from independences, keep theirs"
    ),
    (BETTER_SITE, _WHERE): (
        "The paper's penalty makes neighbouring sites alike, so what one site has alone is lost or spread; "
        "the penalty fused keeps it (pfl-recovery)"
    ),
    (SMALLEST, _WHERE): (
        "Several learners find the same connection in every draw of patients and in none of controls, and "
        "then have the same p value"
    ),
}
_COMPARED = ("notears-sig", "ges", "pc", "granger")
_ANOTHER = "the paper's cohort is access-controlled; this is another one, with other connections"

#: Table 2 of the paper: connection → p values of NOTEARS-PFL, SIG, GES, PC and Granger causality.
PRINTED_P = {
    "INS.R → INS.L": ("0.0002", "0.0016", "0.0022", "0.0512", "0.0057"),
    "INS.R → ORBmid.R": ("0.0012", "0.0029", "0.0055", "0.0234", "0.0133"),
    "THA.L → CAU.R": ("0.0016", "0.0040", "0.0126", "0.1636", "0.0264"),
    "PCG.L → PCG.R": ("0.0040", "0.0091", "0.0283", "0.0984", "0.0549"),
    "INS.R → ACG.R": ("0.0049", "0.0234", "0.0133", "0.2625", "0.0289"),
    "STG.R → MTG.R": ("0.0055", "0.0264", "0.0549", "0.0721", "0.0567"),
    "MTG.L → ORBmid.R": ("0.0126", "0.0283", "0.0264", "0.1556", "0.1018"),
}


def printed_p_values() -> list[dict]:
    """The values of table 2 in the form of :func:`fedbnsl.studies.artefact.verdict_table`."""
    return [
        {
            "quantity": "p",
            "where": {"connection": connection, "method": method},
            "value": value,
            "better": "lower",
            "differs": _ANOTHER,
        }
        for connection, values in PRINTED_P.items()
        for method, value in zip(("notears-pfl", *_COMPARED), values, strict=True)
    ]


def expected(what: str) -> list[tuple[str, str]]:
    """What there is a verdict for: statements, with where they are looked at."""
    return [(statement, _WHERE) for statement in _OF[what]]


def held(what: str, table: pandas.DataFrame, *groups: str) -> list[Check]:
    """The checks of one artefact's statements."""
    looks = {"overlap": _better, "site": _better, "degrees": _more, "proportions": _smallest}
    return [Check(s, _WHERE, *rest) for s, *rest in looks[what](table, what, *groups)]


def _better(table: pandas.DataFrame, what: str):
    for setting, part in table.groupby("setting", sort=False) if len(table) else ():
        f = part.set_index("method")[what]
        others = [method for method in _COMPARED if method in f]
        best = max(others, key=lambda method: f[method])
        told = f"F {f['notears-pfl']:.2f}, {best} {f[best]:.2f}"
        yield _OF[what][0], str(setting), told, bool(f["notears-pfl"] > f[best])


def _more(totals: pandas.DataFrame, what: str, patients: str, controls: str):
    total = totals.set_index(["group", "direction"])["degree"]
    for statement, direction in ((MORE_OUT, "out"), (MORE_IN, "in")):
        first, second = total.get((patients, direction), 0), total.get((controls, direction), 0)
        yield statement, "all sites", f"{first} and {second}", bool(first > second)


def _smallest(table: pandas.DataFrame, what: str):
    for connection, part in table.groupby("connection", sort=False):
        p = part.set_index("method")["p"]
        mine, others = p["notears-pfl"], p.drop("notears-pfl")
        corrected = part.set_index("method")["p_holm"]["notears-pfl"]
        told = f"{mine:.2g}, {others.idxmin()} {others.min():.2g}" if len(others) else f"{mine:.2g}"
        yield SMALLEST, connection, told, bool((mine < others).all())
        yield SIGNIFICANT, connection, f"{mine:.2g}", bool(mine < 0.05)
        yield CORRECTED, connection, f"{corrected:.2g}", bool(corrected < 0.05)
