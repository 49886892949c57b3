"""Initial codes of a document, from which the Newton steps of sparse topical coding start."""

from laconic.kernels.blocks import combine_rows, multiply_rows, padded
from laconic.kernels.compile import lane_kernel
from laconic.kernels.vectors import LANES, choose, largest, load, spread, store, total

# Number of steps of expectation maximisation, and number of steps whose factors are squared. A
# squared step comes about as far as two plain steps.
START_STEPS, SQUARED_STEPS = 3, 2
FACTOR_STEPS = 4  # number of steps that fit the scale of the code with the Poisson loss
TINY = 1e-30


@lane_kernel
def start_code(workspace, used, n_words, penalties):
    """Set the initial code to a mixture from a few EM steps, times the factor that fits best."""
    width = padded(n_words)
    block, counts, fit = workspace.betas, workspace.counts, workspace.fit
    code, gain = workspace.code, workspace.gradient
    real = block.dtype.type
    tiny, none = spread(real(TINY)), spread(real(0))
    for a in range(used):
        code[a] = real(1) / real(used)
    for a in range(used, padded(used)):
        code[a], gain[a] = real(0), real(0)
    words = none
    for i in range(0, width, LANES):
        words = words + load(counts, i)
    # After a plain step, the code sums to one.
    scale = spread(real(1) / (total(words) + real(TINY)))
    for number in range(START_STEPS):
        combine_rows(block, used, width, code, fit)
        for i in range(0, width, LANES):
            store(fit, i, load(counts, i) / (load(fit, i) + tiny))
        multiply_rows(block, used, width, fit, gain)
        for a in range(0, used, LANES):
            factors = load(gain, a) * scale
            if number < SQUARED_STEPS:
                factors = factors * factors
            store(code, a, load(code, a) * factors)
    most = none
    for a in range(0, used, LANES):
        theta = load(code, a)
        most = choose(theta - most, theta, most)
    limit = spread(real(0.02) * largest(most))
    for a in range(0, used, LANES):
        theta = load(code, a)
        store(code, a, choose(limit - theta, none, theta))
    factor = best_factor(workspace, used, n_words, penalties)
    for a in range(0, used, LANES):
        store(code, a, load(code, a) * spread(factor))


@lane_kernel
def best_factor(workspace, used, n_words, penalties):
    """Return the factor of the code for which it fits best if the word codes are equal to it."""
    _, word_l1, word_l2, doc_l1, doc_l2, offset, poisson = penalties
    width = padded(n_words)
    counts, fit, code = workspace.counts, workspace.fit, workspace.code
    real = fit.dtype.type
    zero = spread(real(0))
    mass, square = real(0), real(0)
    for a in range(used):
        mass += code[a]
        square += code[a] * code[a]
    combine_rows(workspace.betas, used, width, code, fit)
    linear = (real(word_l1) * real(n_words) + real(doc_l1)) * mass
    quadratic = real(2) * (real(doc_l2) + real(word_l2) * real(n_words)) * square
    if poisson:
        fits, words = zero, zero
        for i in range(0, width, LANES):
            fits = fits + load(fit, i)
            words = words + load(counts, i)
        linear += total(fits)
        factor = total(words) / (linear + real(TINY))
        eps = spread(real(offset))
        for _ in range(FACTOR_STEPS):
            pull = zero
            for i in range(0, width, LANES):
                m = load(fit, i)
                pull = pull + load(counts, i) * m / (spread(factor) * m + eps)
            factor *= total(pull) / (linear + quadratic * factor + real(TINY))
        return factor
    pull, curve = zero, zero
    for i in range(0, width, LANES):
        m = load(fit, i)
        pull = pull + load(counts, i) * m
        curve = curve + m * m
    return max(total(pull) - linear, real(0)) / (total(curve) + quadratic + real(TINY))


@lane_kernel
def start_words(workspace, used, n_words, penalties):
    """Set the initial u of each word to the value for a word code equal to the document code."""
    width = padded(n_words)
    counts, u, fit = workspace.counts, workspace.u, workspace.fit
    real = u.dtype.type
    combine_rows(workspace.betas, used, width, workspace.code, fit)
    for i in range(0, width, LANES):
        if penalties.poisson:
            eps, one = spread(real(penalties.offset)), spread(real(1))
            store(u, i, load(counts, i) / (load(fit, i) + eps) - one)
        else:
            store(u, i, load(counts, i) - load(fit, i))
