"""Linear algebra on one thread: many small products gain nothing from more, and bits stay the same."""

from contextlib import AbstractContextManager


def one_thread() -> AbstractContextManager:
    """A context in which NumPy, SciPy and compiled kernels use one BLAS thread.

    Matrices here have tens to hundreds of rows: threads cost more than they bring, jobs of a workflow
    already run side by side, and sums must not depend on the number of cores.
    """
    import scipy.linalg  # noqa: F401  compiled kernels use its BLAS: it must be loaded to be limited
    import threadpoolctl

    return threadpoolctl.threadpool_limits(limits=1, user_api="blas")
