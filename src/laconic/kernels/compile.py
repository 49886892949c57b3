"""Decorators that compile kernels.

A counter that is passed to another kernel is initialised as ``np.int64(0)``. With a plain 0, numba
would compile the other kernel twice: for the literal and for int64.
"""

import logging

from numba import config, njit
from numba.core import event

from laconic.kernels.cache import cache_of

logger = logging.getLogger("laconic.kernels")


class FirstUse(event.Listener):
    """Log once that kernels are being compiled; numba sends these events under its lock."""

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
    """Return a decorator that compiles kernels with the given options of numba."""

    def decorate(function):
        dispatcher = njit(nogil=True, **options)(function)
        if not config.DISABLE_JIT:
            dispatcher._cache = cache_of(function)  # cache=True would set numba's own cache
        return dispatcher

    return decorate


kernel = compiled()

# Kernels that are called by other kernels are always inlined. If LLVM decided, the process that
# compiles would run the separate code of the callee, but processes that load the caller from the
# cache would run the copy inlined in the caller. Since sums may be reordered, their results would
# differ in the last bits.
REORDERED = {"error_model": "numpy", "forceinline": True}

# Sums may be reordered to run in vector registers, which is five times faster where each entry is
# one product and one sum. NaN and infinity keep their meaning.
lane_kernel = compiled(fastmath={"contract", "reassoc", "nsz"}, **REORDERED)

# As above, but for kernels that compute a maximum, which runs in vector registers only if NaN may
# be ignored. Use it only for values that were checked to be finite.
maximum_kernel = compiled(fastmath={"contract", "reassoc", "nsz", "nnan", "ninf"}, **REORDERED)
