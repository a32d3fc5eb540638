"""The section ``cohort:`` of config.yaml: its check, and the settings it stands for."""

import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fedbnsl.cohort.given import plain
from fedbnsl.cohort.knowledge import Knowledge
from fedbnsl.cohort.method_labels import canonical, check_once, check_private
from fedbnsl.cohort.schema import SCHEMA
from fedbnsl.cohort.site_list import SiteFile, site_files
from fedbnsl.data.declared_states import read_declaration
from fedbnsl.errors import InputError
from fedbnsl.registry import method
from fedbnsl.spec import Spec

WHERE = "config.yaml, cohort"
#: Numbers beyond this are no measurements, and their squares leave little room to compute.
LARGEST = 1e100
State = str | bool
NO_SITES = InputError(
    "there are no sites",
    where=f"{WHERE}.sites",
    remedy="Name a file a site, or a pattern, for example\n\n"
    "  cohort:\n"
    "    sites: {north: data/north.csv, south: data/south.csv}\n\n"
    "The suffix says the format: .csv .tsv .parquet, the first two also with .gz",
)


@dataclass(frozen=True)
class Section:
    """The checked settings of a cohort.

    Attributes
    ----------
    sites : tuple of SiteFile
    ignore, identifier, continuous : tuples of str
        Columns of these roles.
    discrete : dict of column to declared states
        A state that YAML read as true or false stays a bool: it stands for any word that YAML reads so.
    discretise : dict of column to increasing cut points
        Cuts c1 < … < ck make the states ``below_c1``, ``c1_to_c2``, …, ``from_ck``.
    states_file : str or None
        The file that ``discrete`` came from.
    rename : dict of name in a file to name of the variable
    recode : dict of column to dict of text in a file to state
    loose : bool
        Whether case, blanks and the way of writing a number are overlooked in column names and states.
    codes : tuple of str; by_column : dict of column to tuple of str
        What stands for a missing value, besides empty cells and the words NA, NaN, null, none and ?.
    policy : str
        ``reject``, ``complete-cases`` or ``impute``.
    background : Knowledge
    learner : str; consensus, federate : tuples of str
        Methods, each with its options, as canonical texts.
    replicates : int
        Resamplings of the rows for the confidence in edges.
    folds : int
        Of the cross-validation; 0: none.
    pseudo_count : float
        Of the network's parameters: see :func:`fedbnsl.federate.fit_parameters`.
    """

    sites: tuple[SiteFile, ...]
    ignore: tuple[str, ...] = ()
    identifier: tuple[str, ...] = ()
    discrete: dict[str, tuple[State, ...]] = field(default_factory=dict)
    continuous: tuple[str, ...] = ()
    discretise: dict[str, tuple[float, ...]] = field(default_factory=dict)
    states_file: str | None = None
    rename: dict[str, str] = field(default_factory=dict)
    recode: dict[str, dict[str, State]] = field(default_factory=dict)
    loose: bool = False
    codes: tuple[str, ...] = ()
    by_column: dict[str, tuple[str, ...]] = field(default_factory=dict)
    policy: str = "reject"
    background: Knowledge = field(default_factory=Knowledge)
    learner: str = "ges"
    consensus: tuple[str, ...] = ("gmcbc",)
    federate: tuple[str, ...] = ()
    replicates: int = 50
    folds: int = 5
    pseudo_count: float = 1.0

    @classmethod
    def of(cls, section: Mapping) -> "Section":
        """From the mapping that :func:`check_section` takes or gives; paths start from the current folder.

        Raises
        ------
        InputError
            If a pattern matches no file, a suffix or a site's name cannot be, a column has two roles, or
            the file of states cannot be read. A site's file that is not there is left to the check.
        """
        if not isinstance(section, Mapping) or set(SCHEMA["properties"]) - set(section):
            section = check_section(section)
        columns, missing = section["columns"], section["missing"]
        states_file = None
        if isinstance(columns["discrete"], str):
            states_file = columns["discrete"]
            discrete, _ = read_declaration(states_file)
        else:
            discrete = {name: _states(name, given) for name, given in columns["discrete"].items()}
        made = cls(
            sites=site_files(section["sites"]),
            ignore=tuple(columns["ignore"]),
            identifier=tuple(columns["identifier"]),
            discrete=discrete,
            continuous=tuple(columns["continuous"]),
            discretise={name: tuple(map(float, cuts)) for name, cuts in columns["discretise"].items()},
            states_file=states_file,
            rename=dict(section["rename"]),
            recode={
                name: {k: _state(v) for k, v in pairs.items()} for name, pairs in section["recode"].items()
            },
            loose=section["spelling"] == "loose",
            codes=tuple(map(_code, missing["codes"])),
            by_column={name: tuple(map(_code, codes)) for name, codes in missing["by_column"].items()},
            policy=missing["policy"],
            background=Knowledge.of(section["background"], f"{WHERE}.background"),
            learner=section["learner"],
            consensus=tuple(section["consensus"]),
            federate=tuple(section["federate"]),
            replicates=section["stability"]["replicates"],
            folds=section["held_out"]["folds"],
            **section["parameters"],
        )
        made._check_roles()
        made._check_weights()
        return made

    def _check_roles(self) -> None:
        roles: dict[str, str] = {}
        for role in ("ignore", "identifier", "discrete", "continuous", "discretise"):
            for name in getattr(self, role):
                if name in roles:
                    raise InputError(
                        f"the column {name!r} stands under {roles[name]} and under {role}",
                        where=f"{WHERE}.columns",
                        remedy="Leave it in one of them",
                    )
                roles[name] = role

    def _check_weights(self) -> None:
        """Weights in a consensus method's options are one a site, unless a word stands for them."""
        for text in self.consensus if self.sites else ():
            weights = Spec.parse(text).dict().get("weights", "equal")
            if weights not in ("equal", "rows") and weights.count("+") + 1 != len(self.sites):
                raise InputError(
                    f"{text} gives {weights.count('+') + 1} weights for {len(self.sites)} sites",
                    where=f"{WHERE}.consensus",
                    remedy=f"Give one a site, in the order {', '.join(site.name for site in self.sites)}; "
                    "or write weights=rows",
                )

    @property
    def methods(self) -> tuple[str, ...]:
        """All methods: those that fuse the sites' graphs, then the federated ones."""
        return (*self.consensus, *self.federate)

    @property
    def files(self) -> list[str]:
        """All files that are there and that the cohort is read from, for a rule's input."""
        paths = [path for site in self.sites for path in (Path(site.path), site.side_file)]
        paths += [Path(self.states_file)] if self.states_file else []
        return [str(path) for path in paths if path.is_file()]


def check_section(section: Mapping | None, options: dict[str, dict] | None = None) -> dict:
    """The section with all defaults and its methods in canonical text; no file is looked at.

    Parameters
    ----------
    section : mapping
        As in config.yaml.
    options : dict, optional
        The section ``options:`` of config.yaml, which holds for the methods named here as well.

    Raises
    ------
    InputError
        With the key, what is wrong with it, and YAML that would be right.
    """
    from fedbnsl.workflow.documents import check  # loads jsonschema

    document, options = {"cohort": as_meant(section)}, {} if options is None else options
    check(document, {"properties": {"cohort": SCHEMA}}, where="config.yaml")
    if not isinstance(options, Mapping) or not all(isinstance(one, Mapping) for one in options.values()):
        raise InputError(
            f"the options {options!r} must be a mapping of method to options",
            where="config.yaml, options",
            remedy="For example\n\n  options:\n    gmcbc: {ties: first}\n",
        )
    made = document["cohort"]
    for name, cuts in made["columns"]["discretise"].items():
        if any(abs(cut) > LARGEST for cut in cuts) or not all(
            a < b for a, b in itertools.pairwise([*cuts, math.inf])
        ):
            raise InputError(
                f"the cut points {cuts} do not increase, or are beyond {LARGEST:g}",
                where=f"{WHERE}.columns.discretise.{name}",
                remedy=f"Write them in order, for example discretise: {{{name}: [40, 60]}}",
            )
    if isinstance(made["columns"]["discrete"], dict):
        for name, given in made["columns"]["discrete"].items():
            _states(name, given)
    if not made["parameters"]["pseudo_count"] <= LARGEST:
        raise InputError(
            f"the pseudo-count {made['parameters']['pseudo_count']} is no number up to {LARGEST:g}",
            where=f"{WHERE}.parameters.pseudo_count",
            remedy="For example pseudo_count: 1.0",
        )
    made["learner"] = canonical(made["learner"], "learn", "learner", options)
    for key in ("consensus", "federate"):
        made[key] = list(dict.fromkeys(canonical(text, key, key, options) for text in made[key]))
    if not made["consensus"] and not made["federate"]:
        raise InputError(
            "there is no method, neither under consensus nor under federate",
            where=WHERE,
            remedy="Name one, for example\n\n  cohort:\n    consensus: [gmcbc]\n",
        )
    check_private(made)
    knowledge = Knowledge.of(made["background"], f"{WHERE}.background")
    made["background"] = knowledge.to_dict()
    check_once(made, knowledge)
    learner = method(Spec.parse(made["learner"]).name)
    if knowledge and made["consensus"] and not knowledge.options(learner):
        raise InputError(
            f"the learner {learner.name!r} takes no background knowledge",
            where=f"{WHERE}.learner",
            remedy="Use one that does\n\n  cohort:\n    learner: ges\n",
        )
    return made


def as_meant(section):
    """A copy as of YAML, in which an unquoted ``?`` in a list of codes is the text that its writer meant."""
    section = {} if section is None else plain(section, WHERE)
    codes = section.get("missing") if isinstance(section, dict) else None
    lists = []
    if isinstance(codes, dict):
        lists = [codes.get("codes")]
        lists += codes["by_column"].values() if isinstance(codes.get("by_column"), dict) else []
    for given in lists:
        if isinstance(given, list):
            given[:] = ["?" if code == {None: None} else code for code in given]
    return section


def _states(name: str, given) -> tuple[State, ...]:
    states = tuple(_state(state) for state in given)
    if len(set(states)) != len(states):
        raise InputError(
            f"the declared states {list(states)} must differ", where=f"{WHERE}.columns.discrete.{name}"
        )
    return states


def _state(given) -> State:
    return given if isinstance(given, bool) else str(given)


def _code(given) -> str:
    if isinstance(given, float) and given.is_integer():
        return str(int(given))
    return re.sub(r"^nan$", "NaN", str(given))
