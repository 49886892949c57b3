"""Scratch arrays for the codes of one document, and loading a document into them.

The weights of the document's words are copied into a block of topics x words, so that kernels
process `LANES` words at a time; see `laconic.kernels.blocks`. Rows are padded with words with
w = 0 and β = 0. A topic with β_kn w_n ≤ ε ρ₁ for all words (β_kn w_n ≤ ρ₁ with the Gaussian loss)
has a zero code and is left out.
"""

from typing import NamedTuple

import numpy as np

from laconic.kernels.blocks import copy_weights, padded
from laconic.kernels.compile import lane_kernel
from laconic.kernels.vectors import LANES, count_positive, load, spread, store


class Penalties(NamedTuple):
    """Parameters γ, ρ₁, ρ₂, λ₁, λ₂, ε of the objective, and whether the loss is Poisson."""

    coupling: float
    word_l1: float
    word_l2: float
    doc_l1: float
    doc_l2: float
    offset: float
    poisson: bool


class Workspace(NamedTuple):
    """Scratch arrays that are reused for all documents of a pass."""

    # blocks of topics x words
    betas: np.ndarray
    shared_betas: np.ndarray  # for the topics in `shared`; zero if the word does not use the topic
    # arrays with one value per word
    counts: np.ndarray
    u: np.ndarray
    stiffness: np.ndarray  # τ
    fit: np.ndarray  # m
    # arrays with one value per topic that the document may use
    code: np.ndarray  # θ
    shift: np.ndarray  # c
    users: np.ndarray  # number of words that use the topic
    gradient: np.ndarray
    diagonal: np.ndarray
    step: np.ndarray
    topics: np.ndarray  # column number of the topic in the dictionary
    starts: np.ndarray  # positions in the dictionary, see `copy_weights`
    # arrays with one value per topic in `shared`, padded
    shared: np.ndarray  # topics that get a joint Newton step
    image: np.ndarray
    residual: np.ndarray
    direction: np.ndarray
    inverse: np.ndarray  # inverse of the diagonal of the Hessian
    shared_diagonal: np.ndarray
    shared_step: np.ndarray


@lane_kernel
def open_workspace(n_topics, longest, dtype):
    """Allocate a workspace for documents of up to `longest` words."""
    width = padded(longest)
    blocks = np.zeros((2, n_topics * width), dtype)
    per_word = np.zeros((4, width), dtype)
    per_topic = np.zeros((12, padded(n_topics)), dtype)
    lists = np.zeros((2, n_topics), np.int64)
    starts = np.zeros(LANES, np.int64)
    return Workspace(
        betas=blocks[0],
        shared_betas=blocks[1],
        counts=per_word[0],
        u=per_word[1],
        stiffness=per_word[2],
        fit=per_word[3],
        code=per_topic[0],
        shift=per_topic[1],
        users=per_topic[2],
        gradient=per_topic[3],
        diagonal=per_topic[4],
        step=per_topic[5],
        topics=lists[0],
        shared=lists[1],
        starts=starts,
        image=per_topic[6],
        residual=per_topic[7],
        direction=per_topic[8],
        inverse=per_topic[9],
        shared_diagonal=per_topic[10],
        shared_step=per_topic[11],
    )


@lane_kernel
def has_positive(row):
    for k in range(len(row)):  # noqa: SIM110  # numba does not support any() of a generator
        if row[k] > 0:
            return True
    return False


@lane_kernel
def load_document(workspace, data, indices, words, theta, penalties, warm):
    """Copy the words of a document into the block; return the number of topics that it may use.

    If `warm` is true, the fit starts from `theta`, the code of the document for a similar
    dictionary.
    """
    real = words.dtype.type
    n_topics = words.shape[1]
    n_words = len(data)
    width = padded(n_words)
    counts, topics, block = workspace.counts, workspace.topics, workspace.betas
    for i in range(n_words):
        counts[i] = data[i]
    for i in range(n_words, width):
        counts[i] = real(0)
    copy_weights(indices, words, block, workspace.starts)
    limit = spread(real(penalties.word_l1 * (penalties.offset if penalties.poisson else 1.0)))
    used = 0
    for k in range(n_topics):
        reached = warm and theta[k] > real(0)
        for i in range(0, width, LANES):
            if reached:
                break
            reached = count_positive(load(block, k * width + i) * load(counts, i) - limit) > 0
        if reached:
            topics[used] = k
            if used < k:
                for i in range(0, width, LANES):
                    store(block, used * width + i, load(block, k * width + i))
            used += 1
    for a in range(used, padded(used)):  # Kernels also process `LANES` topics at a time.
        workspace.code[a] = real(0)
    return used
