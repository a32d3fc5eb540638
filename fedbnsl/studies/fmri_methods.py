"""The learners of the fMRI study by name, with the options that each takes."""

from fedbnsl.errors import InputError
from fedbnsl.spec import Spec

#: What is learned with → its options: ``penalty`` of :func:`fedbnsl.federate.pfl.notears_pfl`, ``lags`` of
#: :func:`fedbnsl.learn.granger.granger`.
METHODS = {"notears-pfl": ("penalty",), "notears-sig": (), "ges": (), "pc": (), "granger": ("lags",)}


def check_method(method: str) -> None:
    """InputError unless this is a learner of the study, with options that it takes."""
    spec = Spec.parse(method)
    if spec.name not in METHODS:
        raise InputError(
            f"the fMRI study has no learner {spec.name!r}", remedy=f"Choose one of {', '.join(METHODS)}"
        )
    known = METHODS[spec.name]
    unknown = [key for key in spec.dict() if key not in known]
    if unknown:
        raise InputError(
            f"{spec.name} has no option {unknown[0]!r} here", remedy=f"It takes: {', '.join(known) or 'none'}"
        )
