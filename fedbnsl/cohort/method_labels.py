"""The methods that the section ``cohort:`` names: their canonical texts, and what does not go together."""

from fedbnsl.cohort.knowledge import Knowledge
from fedbnsl.errors import InputError
from fedbnsl.registry import method, methods
from fedbnsl.spec import Spec

WHERE = "config.yaml, cohort"
_EXAMPLE = {"learn": "ges", "consensus": "[gmcbc]", "federate": "[fed-sparse-bnsl]"}


def canonical(text: str, kind: str, key: str, options: dict[str, dict]) -> str:
    """A method's text with its options and those of the section ``options:``, without repeated defaults."""
    where = f"{WHERE}.{key}"
    try:
        spec = Spec.parse(text)
        entry = method(spec.name, kind)
    except InputError as error:
        remedy = (
            f"There is {', '.join(methods(kind))}. For example\n\n  cohort:\n    {key}: {_EXAMPLE[kind]}\n"
        )
        raise InputError(error.problem, where=where, remedy=remedy) from None
    chosen = {**options.get(spec.name, {}), **spec.dict()}
    entry.checked(chosen, where=where)
    return str(Spec.of(spec.name, chosen, entry.defaults()))


def check_once(made: dict, knowledge: Knowledge) -> None:
    """Background knowledge of a kind stands in the section or in a method's options, not in both."""
    for key in ("learner", "consensus", "federate"):
        for label in [made[key]] if key == "learner" else made[key]:
            spec = Spec.parse(label)
            twice = spec.dict().keys() & knowledge.options(method(spec.name)).keys()
            if twice:
                raise InputError(
                    f"{label} has {', '.join(sorted(twice))} of its own, and there is more under background",
                    where=f"{WHERE}.{key}",
                    remedy="Write all of it under background",
                )


def check_private(made: dict) -> None:
    """Refuse what would spoil the privacy of a method that promises it."""
    labels = [*made["consensus"], *made["federate"]]
    private = [label for label in labels if method(Spec.parse(label).name).is_private]
    if not private:
        return
    secure = [label for label in private if _is_secure(label)]
    sound = secure or private
    others = [label for label in labels if label not in sound]
    if others:
        how = "with noise that its seed gives away" if others[0] in private else "without any"
        raise InputError(
            f"{sound[0]} adds noise for privacy, but {others[0]} would publish a network of the same rows "
            f"{how}",
            where=WHERE,
            remedy="Run them apart, for example\n\n  cohort:\n    consensus: []\n"
            f"    federate: [{sound[0]}]\n",
        )
    if made["missing"]["policy"] != "reject":
        raise InputError(
            f"{private[0]} protects single rows, but missing: {{policy: {made['missing']['policy']}}} lets a "
            "row change others, or how many there are",
            where=f"{WHERE}.missing.policy",
            remedy="Fill or drop the missing values by a rule that does not look at the rows, and write "
            "policy: reject",
        )


def _is_secure(label: str) -> bool:
    spec = Spec.parse(label)
    return method(spec.name).checked(spec.dict())["mode"] == "secure"
