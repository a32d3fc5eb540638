"""Whether the methods of a cohort suit its variables."""

from collections.abc import Sequence

from fedbnsl.cohort.knowledge import Knowledge
from fedbnsl.cohort.problems import Problems
from fedbnsl.cohort.section import Section
from fedbnsl.cohort.variables import Variable
from fedbnsl.registry import method, methods
from fedbnsl.spec import Spec


def check_methods(section: Section, variables: Sequence[Variable], problems: Problems) -> None:
    """Whether the methods take this kind of data, and know the variables that their options name."""
    names = [variable.name for variable in variables]
    used = {"learner": (section.learner,) if section.consensus else ()}
    used |= {"consensus": section.consensus, "federate": section.federate}
    for labels in used.values():
        for label in labels:
            given = Spec.parse(label).dict()
            own = {part: given.get(part) or () for part in ("required", "forbidden", "tiers")}
            for name in Knowledge.of(own, f"method {label}").names:
                if name not in names:
                    problems.error(
                        f"the method {label} speaks of {name!r}, which is no variable",
                        f"There is {', '.join(names[:20])}",
                    )
    roles = {variable.is_discrete for variable in variables if variable.role != "unusable"}
    if len(roles) != 1:
        return  # a mixture is reported elsewhere
    kind = "discrete" if roles == {True} else "continuous"
    for key, labels in used.items():
        for label in labels:
            entry = method(Spec.parse(label).name)
            if entry.data not in ("any", kind):
                fit = [one.name for one in methods(entry.kind).values() if one.data in ("any", kind)]
                remedy = f"There is {', '.join(fit)}" if fit else f"Leave it out: {key}: []"
                problems.error(f"the method {label} takes {entry.data} data, and these are {kind}", remedy)
            elif key == "federate" and section.background and not section.background.options(entry):
                problems.warning(
                    f"the method {label} takes no background knowledge",
                    "Its network may contradict what is known; the learner under consensus keeps to it",
                )
