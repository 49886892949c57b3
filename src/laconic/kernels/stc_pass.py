"""A pass of sparse topical coding over documents: codes, and what they say about the dictionary.

CSR comes in as data, indices, indptr; ``words`` is the dictionary with one row for each word and
one column for each topic. A word that no topic has is left out of its document: its code is zero
and it costs a constant.
"""

import numpy as np

from laconic.kernels.compile import lane_kernel
from laconic.kernels.mixture import TINY, update_mixture
from laconic.kernels.stc_coding import (
    has_positive,
    lanes_of,
    load_document,
    longest_row,
    measure_objective,
    open_workspace,
    solve_code,
    start_code,
)

NOTHING, COUPLED, PAPER, SUMS = 0, 1, 2, 3
MIXTURE_STEPS = 3


@lane_kernel
def code_documents(
    data, indices, indptr, words, theta, settings, tol, max_steps, warm, what, first, second
):
    """Codes of documents into `theta`, and sums for the dictionary.

    settings : (γ, ρ₁, ρ₂, λ₁, λ₂, ε, poisson), see `laconic.kernels.stc_coding`
    warm : bool
        Start from `theta`; the objective of a document then never rises, to rounding.
    what : int
        NOTHING; COUPLED adds w π_k / π'β to `first`, see `add_mixture`; PAPER adds w s_k / (m + ε)
        to `first` and s_k to `second` (Gaussian: w s_k and m s_k); SUMS adds the part of each count
        that a topic explains, w s_k β_k / m, to `second`.
    first, second : (n_words, n_topics), or of no rows where they are not asked for

    Returns the objective and the log-likelihood of the mixtures π, both summed.
    """
    n_topics = words.shape[1]
    workspace = open_workspace(n_topics, longest_row(indptr), words.dtype)
    topics = workspace[3][0]
    code = workspace[2][0]
    known_data = np.empty(workspace[1].shape[1], data.dtype)
    known = np.empty(workspace[1].shape[1], indices.dtype)
    mix, share = np.empty(n_topics, words.dtype), np.empty(n_topics, words.dtype)
    objective, likelihood = 0.0, 0.0
    for d in range(len(indptr) - 1):
        n_words = np.int64(0)
        for p in range(indptr[d], indptr[d + 1]):
            if has_positive(words[indices[p]]):
                known[n_words] = indices[p]
                known_data[n_words] = data[p]
                n_words += 1
            elif settings[6]:
                objective -= data[p] * np.log(settings[5])
            else:
                objective += 0.5 * data[p] * data[p]
        row = theta[d]
        if n_words == 0:
            row[:] = 0
            continue
        counts, columns = known_data[:n_words], known[:n_words]
        used = load_document(workspace, counts, columns, words, row, settings, warm)
        if warm:
            recall_code(workspace, used, row)
        else:
            start_code(workspace, used, n_words, settings)
        before, after = np.inf, 0.0
        if warm and what == PAPER:
            solve_code(workspace, used, n_words, settings, tol, np.int64(1), warm)
            before = measure_objective(workspace, used, n_words, settings)
        newton = True
        while True:
            solve_code(workspace, used, n_words, settings, tol, max_steps, newton)
            if what == NOTHING:
                break
            after = measure_objective(workspace, used, n_words, settings)
            if after <= before or not newton:
                break
            recall_code(workspace, used, row)  # not become better: again by plain steps
            newton = False
        objective += after
        row[:] = 0
        for a in range(used):
            row[topics[a]] = code[a]
        if what == COUPLED:
            likelihood += add_mixture(counts, columns, words, row, mix, share, first)
        elif what != NOTHING:
            add_word_codes(workspace, used, columns, settings, what, first, second)
    return objective, likelihood


@lane_kernel
def recall_code(workspace, used, row):
    for a in range(used):
        workspace[2][0, a] = row[workspace[3][0, a]]


@lane_kernel
def add_mixture(counts, columns, words, row, mix, share, first):
    """Add w π_k / π'β for each word; returns the log-likelihood of the mixture π.

    π is the document code scaled to sum to one, after a few steps of expectation maximisation. The
    many small entries of a code are what single words need, not what the document is about; where
    they counted as they are, topics would run into each other, pass after pass.
    """
    real = words.dtype.type
    n_topics = len(row)
    mass = real(0)
    for k in range(n_topics):
        mass += row[k]
    if mass <= real(0):
        return 0.0
    for k in range(n_topics):
        mix[k] = row[k] / mass
    for _ in range(MIXTURE_STEPS):
        share[:] = real(0)
        for i in range(len(counts)):
            word = words[columns[i]]
            m = real(0)
            for k in range(n_topics):
                m += mix[k] * word[k]
            if m > real(TINY):
                ratio = real(counts[i]) / m
                for k in range(n_topics):
                    share[k] += ratio * word[k]
        update_mixture(mix, share, 0.0)
    total = 0.0
    for i in range(len(counts)):
        word, target = words[columns[i]], first[columns[i]]
        m = real(0)
        for k in range(n_topics):
            m += mix[k] * word[k]
        if m > real(TINY):
            ratio = real(counts[i]) / m
            for k in range(n_topics):
                target[k] += ratio * mix[k]
            total += counts[i] * np.log(m)
        else:
            total += counts[i] * np.log(TINY)
    return total


@lane_kernel
def add_word_codes(workspace, used, columns, settings, what, first, second):
    """Add what the codes of the words of a document, whose m is in the workspace, bring."""
    coupling, _, word_l2, _, _, offset, poisson = settings
    topics = workspace[3][0]
    counts, scalar, fit = workspace[1][0], workspace[1][1], workspace[1][5]
    shift = workspace[2][1]
    real = shift.dtype.type
    block = lanes_of(workspace[0][0], used, len(columns))
    h = real(0.5 / (coupling + word_l2))
    for i in range(len(columns)):
        j = columns[i]
        explained = counts[i] / (fit[i] + real(offset))
        ratio = explained if poisson else counts[i]
        cost = real(1) if poisson else fit[i]
        for a in range(used):
            s = shift[a] + h * block[a, i] * scalar[i]
            if s > real(0):
                k = topics[a]
                if what == PAPER:
                    first[j, k] += s * ratio
                    second[j, k] += s * cost
                else:
                    second[j, k] += s * explained * block[a, i]
