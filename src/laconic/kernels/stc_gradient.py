"""Gradient, with respect to the dictionary β, of a function L of the document codes.

A document code θ(β) solves ∇F(θ, β) = 0, where F is the objective in `laconic.kernels.stc_coding`.
If g = dL/dθ is the gradient of L with respect to the codes, implicit differentiation gives
dL/dβ = -(∂∇F/∂β)' v, where v solves H v = g, and H is the Hessian of F restricted to topics with a
positive code. With the sum z = Σ_k v_k β_k over the topics that a word uses,

    dL/dβ_kn = Σ_d 2γ h [ v_k u - z τ (s_k + h β_k u) ]      for the topics k that word n uses.
"""

import numpy as np

from laconic.kernels.blocks import combine_rows, longest_row, padded
from laconic.kernels.compile import lane_kernel
from laconic.kernels.stc_coding import solve_code, solve_shared
from laconic.kernels.stc_workspace import (
    has_positive,
    load_document,
    open_workspace,
)
from laconic.kernels.vectors import LANES, choose, load, spread, store

GAIN = 1e-6  # factor by which conjugate gradients reduce the squared residual


@lane_kernel
def add_gradient(data, indices, indptr, words, theta, code_gradient, penalties, tol, out):
    """Add dL/dβ to `out` (words x topics).

    `theta` contains the codes and `code_gradient` contains dL/dθ, both as documents x topics.
    """
    n_topics = words.shape[1]
    real = words.dtype.type
    zero = real(0)
    workspace = open_workspace(n_topics, longest_row(indptr), words.dtype)
    topics, free, fit = workspace.topics, workspace.shared, workspace.fit
    code, shift, step = workspace.code, workspace.shift, workspace.step
    h = real(0.5 / (penalties.coupling + penalties.word_l2))
    factor = real(2 * penalties.coupling) * h
    warm = np.bool_(True)
    for d in range(len(indptr) - 1):
        if not has_positive(theta[d]):
            continue
        counts = data[indptr[d] : indptr[d + 1]]
        columns = indices[indptr[d] : indptr[d + 1]]
        n_words = len(counts)
        used = load_document(workspace, counts, columns, words, theta[d], penalties, warm)
        for a in range(used):
            code[a] = theta[d, topics[a]]
        solve_code(workspace, used, n_words, penalties, tol, np.int64(1), warm)
        n_free = np.int64(0)
        for a in range(used):
            step[a] = zero
            if code[a] > zero:
                workspace.gradient[a] = -code_gradient[d, topics[a]]
                free[n_free] = a
                n_free += 1
        solve_shared(workspace, n_words, penalties, n_free, GAIN)
        width = padded(n_words)
        combine_rows(workspace.shared_betas, n_free, width, workspace.shared_step, fit)
        # From here on, the block of the shared topics holds the terms of the sum.
        block, terms, slope = workspace.betas, workspace.shared_betas, spread(h)
        for a in range(used):
            c, v = spread(shift[a]), spread(step[a])
            for i in range(0, width, LANES):
                u = load(workspace.u, i)
                pushed = load(block, a * width + i) * u * slope
                s = pushed + c
                pull = v * u - load(fit, i) * load(workspace.stiffness, i) * (s + pushed)
                store(terms, a * width + i, choose(s, spread(factor) * pull, spread(zero)))
        for i in range(n_words):
            target = out[columns[i]]
            for a in range(used):
                target[topics[a]] += terms[a * width + i]
