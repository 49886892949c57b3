"""One pass of sparse topical coding: compute document codes, and sums for the dictionary update.

CSR matrices are passed as data, indices, indptr. The dictionary is passed as ``words``, an array of
words x topics. Words that are in no topic are left out of the documents, because their codes are
zero, and they only add a constant to the objective.
"""

import numpy as np

from laconic.kernels.blocks import announce_words, longest_row, padded
from laconic.kernels.compile import lane_kernel
from laconic.kernels.mixture import explain_words, step_mixture
from laconic.kernels.stc_coding import WORD_STEPS, measure_objective, settle_words, solve_code
from laconic.kernels.stc_start import start_code
from laconic.kernels.stc_workspace import (
    has_positive,
    load_document,
    open_workspace,
)
from laconic.kernels.vectors import LANES, choose, load, spread, store

# Values of `collect`, which select the sums that a pass computes for each word and topic. Sums are
# computed from the count w, the word code s and m = s'β.
NOTHING = 0
COUPLED = 1  # The numerator is w π_k / π'β; see `add_mixture`.
# Poisson loss: the numerator is w s_k / (m + ε), and the denominator is s_k. Gaussian loss: the
# numerator is w s_k, and the denominator is m s_k.
PAPER = 2
EXPLAINED = 3  # The numerator is the part w s_k β_k / m of each count that a topic explains.

MIXTURE_STEPS = 3  # number of steps of expectation maximisation in `add_mixture`


@lane_kernel
def code_documents(
    data,
    indices,
    indptr,
    words,
    theta,
    penalties,
    tol,
    max_steps,
    warm,
    collect,
    numerator,
    denominator,
):
    """Compute document codes, store them in `theta`, and compute sums for the dictionary update.

    penalties : Penalties
    warm : bool
        Whether to start from the codes in `theta`. If so, the objective of a document never rises,
        except by rounding errors.
    collect : int
        NOTHING, COUPLED, PAPER or EXPLAINED.
    numerator, denominator : (n_words, n_topics), or no rows if not needed
        Arrays to which the sums are added.

    Returns the objective and the log-likelihood of the mixtures π, both summed over documents.
    """
    n_topics = words.shape[1]
    workspace = open_workspace(n_topics, longest_row(indptr), words.dtype)
    # counts and column numbers of those words of a document that are in at least one topic
    topic_data = np.empty(len(workspace.counts), data.dtype)
    topic_columns = np.empty(len(workspace.counts), indices.dtype)
    objective, likelihood = 0.0, 0.0
    for d in range(len(indptr) - 1):
        if d + 2 < len(indptr):
            announce_words(indices[indptr[d + 1] : indptr[d + 2]], words)
        n_words = np.int64(0)
        for p in range(indptr[d], indptr[d + 1]):
            if has_positive(words[indices[p]]):
                topic_columns[n_words] = indices[p]
                topic_data[n_words] = data[p]
                n_words += 1
            elif penalties.poisson:
                objective -= data[p] * np.log(penalties.offset)
            else:
                objective += 0.5 * data[p] * data[p]
        row = theta[d]
        if n_words == 0:
            store_code(workspace, n_words, row)
            continue
        counts, columns = topic_data[:n_words], topic_columns[:n_words]
        used = load_document(workspace, counts, columns, words, row, penalties, warm)
        if warm:
            recall_code(workspace, used, row)
        else:
            start_code(workspace, used, n_words, penalties)
        before, after = np.inf, 0.0
        newton, steps = True, np.int64(1) if warm and collect == PAPER else max_steps
        while True:
            solve_code(workspace, used, n_words, penalties, tol, steps, newton)
            if collect == NOTHING:
                break
            settle_words(workspace, used, n_words, penalties, tol, WORD_STEPS)
            after = measure_objective(workspace, used, n_words, penalties)
            if steps < max_steps:  # This is the objective of the initial code.
                before, steps = after, max_steps
            elif after <= before or not newton:
                break
            else:  # The objective has risen, so repeat with plain gradient steps.
                recall_code(workspace, used, row)
                newton = False
        objective += after
        store_code(workspace, used, row)
        if collect == COUPLED:
            likelihood += add_mixture(workspace, used, columns, numerator)
        elif collect != NOTHING:
            add_word_codes(workspace, used, columns, penalties, collect, numerator, denominator)
    return objective, likelihood


@lane_kernel
def recall_code(workspace, used, row):
    for a in range(used):
        workspace.code[a] = row[workspace.topics[a]]


@lane_kernel
def store_code(workspace, used, row):
    for k in range(len(row)):
        row[k] = 0
    for a in range(used):
        row[workspace.topics[a]] = workspace.code[a]


@lane_kernel
def add_mixture(workspace, used, columns, numerator):
    """Add w π_k / π'β to the numerator of each word; return the log-likelihood of the mixture π.

    The mixture π is computed by scaling the document code θ to sum to one, and then taking a few
    steps of expectation maximisation. Many small entries of a code explain single words only and
    are not topics of the whole document. If π were equal to θ, these entries would make topics more
    similar with each pass.
    """
    mix, share = workspace.code[:used], workspace.step[:used]
    real = mix.dtype.type
    mass = real(0)
    for a in range(used):
        mass += mix[a]
    if mass <= real(0):
        return 0.0
    for a in range(used):
        mix[a] /= mass
    block, counts, fit = workspace.betas, workspace.counts, workspace.fit
    width = padded(len(columns))
    for _ in range(MIXTURE_STEPS):
        step_mixture(block, width, counts, mix, share, fit, 0.0)
    likelihood = explain_words(block, width, len(columns), counts, mix, fit)
    topics = workspace.topics
    for i in range(len(columns)):
        target, ratio = numerator[columns[i]], fit[i]
        for a in range(used):
            target[topics[a]] += ratio * mix[a]
    return likelihood


@lane_kernel
def add_word_codes(workspace, used, columns, penalties, collect, numerator, denominator):
    """Add the word codes of a document to the sums; m of each word is stored in the workspace."""
    counts, fit, shift = workspace.counts, workspace.fit, workspace.shift
    real = shift.dtype.type
    # The block of the shared topics is free, because the code has been found.
    block, codes, width = workspace.betas, workspace.shared_betas, padded(len(columns))
    slope, zero = spread(real(0.5 / (penalties.coupling + penalties.word_l2))), spread(real(0))
    for a in range(used):
        c = spread(shift[a])
        for i in range(0, width, LANES):
            beta = load(block, a * width + i)
            s = beta * load(workspace.u, i) * slope + c
            weight = s if collect == PAPER else s * beta
            store(codes, a * width + i, choose(s, weight, zero))
    topics = workspace.topics
    for i in range(len(columns)):
        above = numerator[columns[i]]
        explained = counts[i] / (fit[i] + real(penalties.offset))
        ratio = explained if penalties.poisson or collect != PAPER else counts[i]
        for a in range(used):
            above[topics[a]] += ratio * codes[a * width + i]
        if collect == PAPER:
            below, cost = denominator[columns[i]], real(1) if penalties.poisson else fit[i]
            for a in range(used):
                below[topics[a]] += cost * codes[a * width + i]
