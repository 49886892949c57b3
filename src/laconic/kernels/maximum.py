"""The larger of two numbers, in a form that makes loops for a maximum run in vector registers.

LLVM turns such a loop into vector instructions only if it may ignore NaN in each comparison and
selection. numba allows this for comparisons only, so a loop with ``max`` takes ten times as long.
"""

from numba import types
from numba.core.typing.templates import signature

from laconic.kernels.vectors import compiled_as

NO_NAN = ("nnan", "nsz")


def larger(a, b):
    """Return the larger of two floats of the same type, which must not be NaN."""
    return max(a, b)


def _type_of_floats(a, b):
    return signature(a, a, b) if isinstance(a, types.Float) and a == b else None


@compiled_as(larger, 2, _type_of_floats)
def _larger(builder, real, a, b):
    is_larger = builder.fcmp_ordered(">", a, b, flags=NO_NAN)
    return builder.select(is_larger, a, b, flags=NO_NAN)
