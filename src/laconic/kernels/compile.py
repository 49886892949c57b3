"""The ways a kernel is compiled.

A counter that is passed on to another kernel begins as ``np.int64(0)``: for a plain 0 numba
compiles the other kernel twice, for this constant and for all other numbers.
"""

import logging

from numba import config, njit
from numba.core import event

from laconic.kernels.cache import cache_of

logger = logging.getLogger("laconic.kernels")


class FirstUse(event.Listener):
    """Tells, once, that kernels are being compiled; numba sends these events under its lock."""

    told = False

    def on_start(self, start):
        function = start.data["dispatcher"].py_func
        if not self.told and function.__module__.startswith("laconic."):
            self.told = True
            logger.info("compiling kernels for this machine (once, takes some seconds)")

    def on_end(self, end):
        pass


event.register("numba:compile", FirstUse())


def compiled(**options):
    """A decorator that makes kernels with these options of numba."""

    def decorate(function):
        made = njit(nogil=True, **options)(function)
        if not config.DISABLE_JIT:
            made._cache = cache_of(function)  # what cache=True would set to numba's own
        return made

    return decorate


kernel = compiled()

# A kernel that another one calls is inlined. Left to LLVM, the process that compiles would run the
# callee's own code, and processes that load the caller from the cache the copy inside the caller;
# with sums in any order their results differ in the last bits.
REORDERED = {"error_model": "numpy", "forceinline": True}

# Sums may be taken in another order, so that they run in vector registers: five times faster where
# every entry is a product and a sum. NaN and infinity keep their meaning.
lane_kernel = compiled(fastmath={"contract", "reassoc", "nsz"}, **REORDERED)

# The same where a largest value is looked for, which runs in vector registers only if NaN need not
# be kept apart: for numbers that were checked to be finite.
maximum_kernel = compiled(fastmath={"contract", "reassoc", "nsz", "nnan", "ninf"}, **REORDERED)
