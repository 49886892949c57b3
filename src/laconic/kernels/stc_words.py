"""Kernels of sparse topical coding that compute word codes from document codes."""

import numpy as np

from laconic.kernels.compile import kernel


@kernel
def encode_words(data, indices, indptr, words, theta, penalties):
    """Return the word codes s as data, indices, indptr of a CSR matrix.

    The matrix has one row for each stored entry of the counts and one column for each topic. For
    each word, the scalar u (see `laconic.kernels.stc_coding`) is computed to full precision.
    """
    coupling, word_l1, word_l2, _, _, offset, poisson = penalties
    n_topics = words.shape[1]
    h = 0.5 / (coupling + word_l2)
    shift = np.zeros(n_topics)
    out_data = np.empty(n_topics, words.dtype)
    out_indices = np.empty(n_topics, np.int32)
    out_indptr = np.zeros(len(indices) + 1, np.int64)
    at = 0
    for d in range(len(indptr) - 1):
        for k in range(n_topics):
            shift[k] = h * (2 * coupling * theta[d, k] - word_l1)
        for p in range(indptr[d], indptr[d + 1]):
            word = words[indices[p]]
            u = solve_word(float(data[p]), word, shift, h, offset, poisson)
            if at + n_topics > len(out_data):
                size = 2 * len(out_data) + n_topics
                new_data, new_indices = np.empty(size, words.dtype), np.empty(size, np.int32)
                for q in range(at):  # Compiling a slice would take two seconds longer.
                    new_data[q], new_indices[q] = out_data[q], out_indices[q]
                out_data, out_indices = new_data, new_indices
            has_topic = False
            for k in range(n_topics):
                has_topic = has_topic or word[k] > 0
            for k in range(n_topics):
                s = shift[k] + h * word[k] * u
                if s > 0 and has_topic:
                    out_data[at] = s
                    out_indices[at] = k
                    at += 1
            out_indptr[p + 1] = at
    return out_data[:at].copy(), out_indices[:at].copy(), out_indptr


@kernel
def solve_word(count, word, shift, h, offset, poisson):
    """Find u of a word by tangent steps from above.

    Each step solves the equation for the topics that are positive at the previous u.
    """
    u = count / offset if poisson else count
    for _ in range(100):
        base = 0.0
        curve = 0.0
        for k in range(len(word)):
            if shift[k] + h * word[k] * u > 0:
                base += word[k] * shift[k]
                curve += word[k] * word[k]
        q = h * curve
        if poisson:
            p = base + offset
            b, d = p + q, count - p
            root = np.sqrt(max(b * b + 4 * q * d, 0.0))
            new = 2 * d / (b + root) if b > 0 else (root - b) / (2 * q)
        else:
            new = (count - base) / (1 + q)
        change = abs(new - u)
        u = new
        if change <= 1e-12 * (1 + abs(u)):
            break
    return u
