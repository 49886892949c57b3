"""Vectors of `LANES` floats, on which the kernels of sparse topical coding compute.

LLVM also turns plain loops over words into vector instructions, but each of these loops advances by
64 words and leaves the remaining words to slower loops. Most documents have fewer than 100 words,
so much of the time would be spent there. Also, explicit vectors stay in registers while a loop runs
over topics.

Vectors are created by `load` or `spread` and written by `store`. They can be added, subtracted,
multiplied and divided. If kernels are not compiled (``NUMBA_DISABLE_JIT=1``), vectors are arrays.
"""

import operator

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

LANES = 16

# --- functions of vectors ------------------------------------------------------------------------


def load(array, at):
    """Return the vector of `LANES` entries of a one-dimensional array, starting with `at`."""
    return array[at : at + LANES].copy()


def store(array, at, vector):
    """Write a vector to the entries of a one-dimensional array, starting with `at`."""
    array[at : at + LANES] = vector


def spread(number):
    """Return a vector whose entries are all equal to the number."""
    return np.full(LANES, number)


def total(vector):
    """Return the sum of the entries."""
    while len(vector) > 1:
        vector = vector[: len(vector) // 2] + vector[len(vector) // 2 :]
    return vector[0]


def largest(vector):
    """Return the largest entry."""
    return vector.max()


def choose(test, positive, other):
    """Return the entries of `positive` where the test is positive, and of `other` elsewhere."""
    return np.where(test > 0, positive, other)


def count_positive(test):
    """Return the number of positive entries."""
    return np.count_nonzero(test > 0)


def root(vector):
    """Return the square root of each entry."""
    return np.sqrt(vector)


def transpose(source, starts, target, at, stride):
    """Copy a square of `LANES` x `LANES` entries between one-dimensional arrays, transposed.

    Row i of the square starts at ``starts[i]`` in the source, and column i starts at
    ``at + i * stride`` in the target.
    """
    for i in range(LANES):
        store(target, at + i * stride, source[starts[:LANES] + i])


def prefetch(array, at):
    """Start to read the entry `at` of a one-dimensional array into the cache."""


# --- how the functions are compiled --------------------------------------------------------------


class Vector(types.Type):
    """Type of a vector whose entries have the type `real`."""

    def __init__(self, real):
        super().__init__(f"Vector({real})")
        self.real = real


@register_model(Vector)
class VectorModel(models.PrimitiveModel):
    """Vectors are stored as vectors of LLVM."""

    def __init__(self, manager, vector):
        real = manager.lookup(vector.real).get_value_type()
        super().__init__(manager, vector, ir.VectorType(real, LANES))


def compiled_as(function, n_arguments, type_of):
    """Return a decorator for the code of a function of vectors.

    `type_of` returns the signature for given types of arguments, or None if they are unsuitable.
    The code is a function of the builder, the type of the result and the arguments.
    """

    @infer_global(function)
    class Typing(AbstractTemplate):
        def generic(self, args, kws):
            return type_of(*args) if len(args) == n_arguments else None

    def register(code):
        @lower_builtin(function, *[types.Any] * n_arguments)
        def compute(context, builder, sig, args):
            args = [
                context.make_array(kind)(context, builder, value).data
                if isinstance(kind, types.Array)
                else value
                for kind, value in zip(sig.args, args, strict=True)
            ]
            return code(builder, context.get_value_type(sig.return_type), *args)

        return code

    return register


def _type_of_pair(left, right):
    return signature(left, left, right) if isinstance(left, Vector) and left == right else None


def _compile_operator(operation, instruction):
    @infer_global(operation)
    class Typing(AbstractTemplate):
        def generic(self, args, kws):
            return _type_of_pair(*args) if len(args) == 2 else None

    @lower_builtin(operation, Vector, Vector)
    def compute(context, builder, sig, args):
        return getattr(builder, instruction)(*args)


_compile_operator(operator.add, "fadd")
_compile_operator(operator.sub, "fsub")
_compile_operator(operator.mul, "fmul")
_compile_operator(operator.truediv, "fdiv")


def _align(vector_type):
    """Return the alignment of arrays in bytes, which is only that of a single float."""
    return 4 if isinstance(vector_type.element, ir.FloatType) else 8


@compiled_as(load, 2, lambda array, at: signature(Vector(array.dtype), array, types.intp))
def _load(builder, vector_type, data, at):
    pointer = builder.bitcast(builder.gep(data, [at]), vector_type.as_pointer())
    return builder.load(pointer, align=_align(vector_type))


@compiled_as(store, 3, lambda array, at, v: signature(types.none, array, types.intp, v))
def _store(builder, none, data, at, vector):
    pointer = builder.bitcast(builder.gep(data, [at]), vector.type.as_pointer())
    builder.store(vector, pointer, align=_align(vector.type))
    return ir.Constant(none, None)


@compiled_as(spread, 1, lambda number: signature(Vector(number), number))
def _spread(builder, vector_type, number):
    empty = ir.Constant(vector_type, ir.Undefined)
    first = builder.insert_element(empty, number, ir.Constant(ir.IntType(32), 0))
    return _shuffle(builder, first, [0] * LANES)


@compiled_as(total, 1, lambda vector: signature(vector.real, vector))
def _total(builder, real, vector):
    width = LANES
    while width > 1:
        width //= 2
        vector = builder.fadd(
            _shuffle(builder, vector, range(width)),
            _shuffle(builder, vector, range(width, 2 * width)),
        )
    return builder.extract_element(vector, ir.Constant(ir.IntType(32), 0))


@compiled_as(largest, 1, lambda vector: signature(vector.real, vector))
def _largest(builder, real, vector):
    width = LANES
    while width > 1:
        width //= 2
        low, high = (
            _shuffle(builder, vector, part) for part in (range(width), range(width, 2 * width))
        )
        vector = builder.select(builder.fcmp_ordered(">", low, high), low, high)
    return builder.extract_element(vector, ir.Constant(ir.IntType(32), 0))


@compiled_as(choose, 3, lambda test, v, other: signature(v, test, v, other))
def _choose(builder, vector_type, test, positive, other):
    return builder.select(_is_positive(builder, test), positive, other)


@compiled_as(count_positive, 1, lambda test: signature(types.int64, test))
def _count_positive(builder, integer, test):
    bits = builder.bitcast(_is_positive(builder, test), ir.IntType(LANES))
    return builder.zext(builder.ctpop(bits), integer)


@compiled_as(root, 1, lambda vector: signature(vector, vector))
def _root(builder, vector_type, vector):
    name = f"llvm.sqrt.v{LANES}f{8 * _align(vector_type)}"
    return _call(builder, name, vector_type, [vector])


@compiled_as(
    transpose,
    5,
    lambda source, starts, target, at, stride: signature(
        types.none, source, starts, target, types.intp, types.intp
    ),
)
def _transpose(builder, none, source, starts, target, at, stride):
    vector_type = ir.VectorType(source.type.pointee, LANES)
    rows = []
    for i in range(LANES):
        start = builder.load(builder.gep(starts, [ir.Constant(ir.IntType(64), i)]))
        rows.append(_load(builder, vector_type, source, start))
    half = LANES // 2
    low, high = (
        [j + LANES * k for j in part for k in (0, 1)] for part in (range(half), range(half, LANES))
    )
    for _ in range(LANES.bit_length() - 1):  # Each round merges pairs of rows, entry by entry.
        pairs = list(zip(rows[:half], rows[half:], strict=True))
        rows = [_shuffle(builder, a, part, b) for a, b in pairs for part in (low, high)]
    for row in rows:
        _store(builder, none, target, at, row)
        at = builder.add(at, stride)
    return ir.Constant(none, None)


@compiled_as(prefetch, 2, lambda array, at: signature(types.none, array, types.intp))
def _prefetch(builder, none, data, at):
    pointer = builder.bitcast(builder.gep(data, [at]), ir.IntType(8).as_pointer())
    # for reading; of use later, but not at once; data rather than instructions
    options = [ir.Constant(ir.IntType(32), number) for number in (0, 2, 1)]
    _call(builder, "llvm.prefetch.p0", ir.VoidType(), [pointer, *options])
    return ir.Constant(none, None)


def _call(builder, name, result_type, arguments):
    """Call an intrinsic function of LLVM."""
    kind = ir.FunctionType(result_type, [argument.type for argument in arguments])
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(function, arguments)


def _shuffle(builder, vector, numbers, other=None):
    """Return a vector of the entries with the given numbers of a vector, followed by another."""
    numbers = list(numbers)
    mask = ir.Constant(ir.VectorType(ir.IntType(32), len(numbers)), numbers)
    other = ir.Constant(vector.type, ir.Undefined) if other is None else other
    return builder.shuffle_vector(vector, other, mask)


def _is_positive(builder, vector):
    zero = ir.Constant(vector.type, [0.0] * LANES)
    return builder.fcmp_ordered(">", vector, zero)
