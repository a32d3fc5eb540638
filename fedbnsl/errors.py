"""The one error that bad input raises, and how its message is built; the warning of a run that fell short."""


class InputError(ValueError):
    """Bad input, reported as what is wrong, where, and how to mend it.

    Parameters
    ----------
    problem : str
        What is wrong, in plain words, without a full stop.
    where : str, optional
        File, column, row, site or config key that the problem is about.
    remedy : str, optional
        What the reader can do.
    """

    def __init__(self, problem: str, *, where: str | None = None, remedy: str | None = None):
        self.problem, self.where, self.remedy = problem, where, remedy
        message = f"{where}: {problem}" if where else problem
        if remedy:
            message = f"{message}. {remedy}"
        super().__init__(message)

    def __reduce__(self):  # keeps the three parts when an error crosses a process boundary
        return _rebuild, (self.problem, self.where, self.remedy)


class ConvergenceWarning(UserWarning):
    """An iterative method ended before its solution settled: what it returns is not to be relied on."""


def _rebuild(problem, where, remedy):
    return InputError(problem, where=where, remedy=remedy)
