"""What to call a private method with its options: a sound form, or one of the papers that is not private."""

from fedbnsl.plot.style import label
from fedbnsl.registry import method
from fedbnsl.spec import Spec

DP_SPARSE, DP_COVARIANCE, STAGED = "DP-Fed-Sparse-BNSL", "DP-Fed-BNSL", "DP-staged"
PRINTED = "DP-Fed-Sparse-BNSL, printed options"
#: Forms that would be private in secure mode, and those that would not.
SOUND, NOT_PRIVATE = "sound forms", "not private"
#: What keeps a form from being private, and how it is called then.
AVERAGED = f"{NOT_PRIVATE}: as printed, the mean clipped"
MANGOLD = f"{NOT_PRIVATE}: Laplace noise as of Mangold et al."
EXACT = f"{NOT_PRIVATE}: exact M"
UNCLIPPED = f"{NOT_PRIVATE}: DP-Fed-BNSL as printed, nothing clipped"
HISTOGRAMS = "histograms of squares"


def options_of(text: str) -> dict:
    """All options of a method's text, defaults filled in."""
    spec = Spec.parse(text)
    return {**method(spec.name).defaults(), **spec.dict()}


def form(text: str) -> str:
    """The name of a method with its options, where it is one of the private methods; else its label.

    Parameters
    ----------
    text : str
        Such as ``dp-fed-bnsl@bound=7``.

    Returns
    -------
    str
        Begins with ``not private`` for forms that secure mode refuses.
    """
    name, options = Spec.parse(text).name, options_of(text)
    if name in ("dp-auto", "dp-staged"):
        return STAGED
    if name == "dp-fed-bnsl":
        return DP_COVARIANCE if options["bound"] is None else UNCLIPPED
    if name != "dp-fed-sparse-bnsl":
        return label(text)
    if options["clipping"] == "average":
        return AVERAGED
    if options["conversion"] == "mangold":
        return MANGOLD
    if options["scale_share"] == 0:
        return EXACT
    return DP_SPARSE if options["clip_total"] is None else PRINTED
