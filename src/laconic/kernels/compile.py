"""Decorators that compile kernels.

In kernels, a counter that is passed to another kernel is initialised as ``np.int64(0)``. If it were
initialised as 0, numba would compile the other kernel twice, once for the literal 0 and once for
int64.
"""

import logging

from numba import config, njit
from numba.core import event

from laconic.kernels.cache import cache_of

logger = logging.getLogger("laconic.kernels")


class FirstUse(event.Listener):
    """Listener that logs the first time that a kernel is compiled.

    numba holds a lock while it sends these events, so no other lock is needed.
    """

    logged = False

    def on_start(self, start):
        function = start.data["dispatcher"].py_func
        if not self.logged and function.__module__.startswith("laconic."):
            self.logged = True
            logger.info("compiling kernels for this machine (once, takes some seconds)")

    def on_end(self, end):
        pass


event.register("numba:compile", FirstUse())


def compiled(**options):
    """Return a decorator that compiles kernels with the given numba options."""

    def decorate(function):
        dispatcher = njit(nogil=True, **options)(function)
        if not config.DISABLE_JIT:
            dispatcher._cache = cache_of(function)  # replaces numba's own cache (cache=True)
        return dispatcher

    return decorate


kernel = compiled()

# This decorator is for the body of a loop that several kernels share.
inlined_kernel = compiled(forceinline=True)

# This decorator is for kernels whose divisions run in vector registers. Division by zero gives
# infinity or NaN, as in NumPy, and no error; sums are not reordered.
exact_kernel = compiled(error_model="numpy")

# A kernel that is called by another kernel is always inlined. If LLVM decided about inlining, the
# process that compiles the kernels would run separate code for the called kernel, but a process
# that loads the caller from the cache would run the copy inlined in the caller. Since sums may be
# reordered, the results of the two processes would differ in the last bits.
REORDERED = {"error_model": "numpy", "forceinline": True}

# This decorator is for kernels whose sums may be reordered, so that sums run in vector registers.
# These kernels are five times faster if each entry takes one product and one sum. NaN and infinity
# keep their meaning.
lane_kernel = compiled(fastmath={"contract", "reassoc", "nsz"}, **REORDERED)
