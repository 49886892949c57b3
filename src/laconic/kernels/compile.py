"""The ways a kernel is compiled.

A counter that is passed on to another kernel begins as ``np.int64(0)``: for a plain 0 numba
compiles the other kernel twice, for this constant and for all other numbers.
"""

from numba import njit

kernel = njit(nogil=True, cache=True)

# Sums may be taken in another order, so that they run in vector registers: five times faster where
# every entry is a product and a sum. NaN and infinity keep their meaning.
lane_kernel = njit(
    nogil=True, cache=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"}
)

# The same where a largest value is looked for, which runs in vector registers only if NaN need not
# be kept apart: for numbers that were checked to be finite.
maximum_kernel = njit(
    nogil=True,
    cache=True,
    error_model="numpy",
    fastmath={"contract", "reassoc", "nsz", "nnan", "ninf"},
)
