"""Background knowledge in config.yaml, checked as far as that goes before there is any data."""


def check_background(options: dict) -> None:
    """Check the options ``required``, ``forbidden`` and ``tiers`` of a learner, given as texts.

    Whether the data have the variables is seen at the site.

    Raises
    ------
    InputError
        If a text has not the form that :func:`fedbnsl.learn.ges` reads, or they contradict each other.
    """
    texts = [options.get(key) for key in ("required", "forbidden", "tiers")]
    if not any(texts):
        return
    from fedbnsl.learn.background import Background  # loads compiled code

    names = dict.fromkeys(
        name.strip() for text in texts if text for part in text.split("..") for name in part.split("+")
    )
    Background.of(list(names), *texts)
