"""Kernels of sparse topical coding (STC) that compute the codes of one document.

Each word code is computed from a single scalar. The document code is found by Newton steps.

For a document with counts w, the document code θ and the word codes s_n solve

    min  Σ_n [ ℓ(w_n, s_n'β_n) + γ |s_n - θ|² + ρ₁ |s_n|₁ + ρ₂ |s_n|² ] + λ₁ |θ|₁ + λ₂ |θ|²

over non-negative codes, where ℓ(w, m) is m - w ln(m + ε) (Poisson) or 1/2 (w - m)² (Gaussian).

*Words.* At the optimum, s_k = max(0, c_k + h β_k u) with h = 1 / 2(γ + ρ₂), c_k = h (2γ θ_k - ρ₁)
and u = -ℓ'(m), which is one number for the whole word. Let P = Σ β c and Q = h Σ β² be sums over
the topics where s_k > 0. Then m = P + Q u, and u solves

    Poisson:   Q u² + (P + ε + Q) u + P + ε - w = 0     (the larger root)
    Gaussian:  u = (w - P) / (1 + Q)

Because m is convex and increasing in u, solving the equation for the topics that are positive at
the previous u is a tangent step, and u decreases monotonically to the root.

*The document.* After minimisation over the word codes, the objective is a smooth convex function of
θ with the gradient 2 (n γ + λ₂) θ + λ₁ - 2γ Σ_n s_n and the Hessian
2 (n γ + λ₂) I - 4γ² h Σ_n (D_n - h τ_n β_n β_n'), where D_n selects the topics of word n and
τ = -u'(m) / (1 - Q u'(m)). Here, u'(m) is -w / (m + ε)² for the Poisson loss and -1 for the
Gaussian loss. For topics that few words use, only the diagonal of the Hessian is used. The steps of
the other topics are computed together by conjugate gradients. This method takes about five steps,
while gradient descent takes a hundred. Steps for the words and steps for the document alternate.

A topic with β_kn w_n ≤ ε ρ₁ for all words (β_kn w_n ≤ ρ₁ with the Gaussian loss) has a zero code
and is left out. Words are stored in lanes (see `laconic.kernels.stc_lanes`); lanes are padded with
w = 0 and β = 0.
"""

from typing import NamedTuple

import numpy as np

from laconic.kernels.compile import lane_kernel
from laconic.kernels.stc_lanes import LANES, combine_rows, multiply_rows

WORD_STEPS = 50  # maximum number of tangent steps until the word codes have converged
START_STEPS = 3  # number of steps of expectation maximisation that compute the initial code
SHARED = 0.25  # Topics that more than this share of the words use get a joint Newton step.
# In the first JOINT_STEPS steps, each document step follows one word step. In later steps, the word
# codes converge before each document step.
JOINT_STEPS = 8
# Maximum number of Newton steps, after which plain gradient steps follow; these steps cannot fail.
NEWTON_STEPS = 60
CG_GAIN = 1e-4  # factor by which conjugate gradients reduce the squared residual


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

    # arrays of topics x words; see `lanes_of`
    betas: np.ndarray
    active_betas: np.ndarray  # equal to `betas`, or zero if the word does not use the topic
    shared_betas: np.ndarray  # rows of `active_betas` for the topics in `shared`
    # arrays with one value per word
    counts: np.ndarray
    u: np.ndarray
    base: np.ndarray  # P
    curve: np.ndarray  # Q / h
    stiffness: np.ndarray  # τ
    fit: np.ndarray  # m
    # arrays with one value per topic that the document may use
    code: np.ndarray  # θ
    shift: np.ndarray  # c
    users: np.ndarray  # number of words that use the topic
    gradient: np.ndarray
    diagonal: np.ndarray
    step: np.ndarray
    sums: np.ndarray
    topics: np.ndarray  # column number of the topic in the dictionary
    # arrays with one value per topic in `shared`
    shared: np.ndarray  # topics that get a joint Newton step
    image: np.ndarray
    residual: np.ndarray
    direction: np.ndarray
    preconditioner: np.ndarray


@lane_kernel
def open_workspace(n_topics, longest, dtype):
    """Allocate a workspace for documents of up to `longest` words."""
    padded = (longest + LANES - 1) // LANES * LANES
    lanes = np.zeros((3, n_topics * padded), dtype)
    per_word = np.zeros((6, padded), dtype)
    per_topic = np.zeros((11, n_topics), dtype)
    lists = np.zeros((2, n_topics), np.int64)
    return Workspace(
        betas=lanes[0],
        active_betas=lanes[1],
        shared_betas=lanes[2],
        counts=per_word[0],
        u=per_word[1],
        base=per_word[2],
        curve=per_word[3],
        stiffness=per_word[4],
        fit=per_word[5],
        code=per_topic[0],
        shift=per_topic[1],
        users=per_topic[2],
        gradient=per_topic[3],
        diagonal=per_topic[4],
        step=per_topic[5],
        sums=per_topic[6],
        topics=lists[0],
        shared=lists[1],
        image=per_topic[7],
        residual=per_topic[8],
        direction=per_topic[9],
        preconditioner=per_topic[10],
    )


@lane_kernel
def lanes_of(block, n_topics, n_words):
    """Return a block of the workspace as an array of topics x words, padded to full lanes."""
    padded = (n_words + LANES - 1) // LANES * LANES
    return block[: n_topics * padded].reshape(n_topics, padded)


@lane_kernel
def longest_row(indptr):
    longest = 1
    for d in range(len(indptr) - 1):
        longest = max(longest, indptr[d + 1] - indptr[d])
    return longest


@lane_kernel
def has_positive(row):
    for k in range(len(row)):  # noqa: SIM110  # numba does not support any() of a generator
        if row[k] > 0:
            return True
    return False


@lane_kernel
def load_document(workspace, data, indices, words, theta, penalties, warm):
    """Copy the words of a document into lanes; return the number of topics that it may use.

    If `warm` is true, the fit starts from `theta`, the code of the document for a similar
    dictionary.
    """
    real = words.dtype.type
    n_topics = words.shape[1]
    n_words = len(data)
    counts, topics = workspace.counts, workspace.topics
    block = lanes_of(workspace.betas, n_topics, n_words)
    padded = block.shape[1]
    for i in range(n_words):
        counts[i] = data[i]
    for i in range(n_words, padded):
        counts[i] = real(0)
    i = 0
    while i + 3 < n_words:  # Copy four rows (words) at a time into each lane.
        row0, row1 = words[indices[i]], words[indices[i + 1]]
        row2, row3 = words[indices[i + 2]], words[indices[i + 3]]
        for k in range(n_topics):
            lane = block[k]
            lane[i], lane[i + 1], lane[i + 2], lane[i + 3] = row0[k], row1[k], row2[k], row3[k]
        i += 4
    while i < padded:
        for k in range(n_topics):
            block[k, i] = words[indices[i], k] if i < n_words else real(0)
        i += 1
    limit = real(penalties.word_l1 * (penalties.offset if penalties.poisson else 1.0))
    used = 0
    for k in range(n_topics):
        lane = block[k]
        reached = real(0)
        for i in range(padded):
            reached += real(1) if lane[i] * counts[i] > limit else real(0)
        if reached > real(0) or (warm and theta[k] > real(0)):
            topics[used] = k
            target = block[used]
            for i in range(padded):
                target[i] = lane[i]
            used += 1
    return used


@lane_kernel
def start_code(workspace, used, n_words, penalties):
    """Set the initial code to a mixture from a few EM steps, times the factor that fits best."""
    _, word_l1, word_l2, doc_l1, doc_l2, offset, poisson = penalties
    block = lanes_of(workspace.betas, used, n_words)
    real = block.dtype.type
    counts, fit, code, gain = workspace.counts, workspace.fit, workspace.code, workspace.shift
    tiny = real(1e-30)
    for a in range(used):
        code[a] = real(1) / real(used)
    for _ in range(START_STEPS):
        combine_rows(block, used, code, fit)
        for i in range(block.shape[1]):
            fit[i] = counts[i] / (fit[i] + tiny)
        multiply_rows(block, used, fit, gain)
        total = tiny
        for a in range(used):
            code[a] *= gain[a]
            total += code[a]
        for a in range(used):
            code[a] /= total
    largest = real(0)
    for a in range(used):
        largest = max(largest, code[a])
    mass, square = real(0), real(0)
    for a in range(used):
        if code[a] < real(0.02) * largest:
            code[a] = real(0)
        mass += code[a]
        square += code[a] * code[a]
    combine_rows(block, used, code, fit)
    linear = (real(word_l1) * real(n_words) + real(doc_l1)) * mass
    quadratic = real(2) * (real(doc_l2) + real(word_l2) * real(n_words)) * square
    factor = real(0)
    if poisson:
        total = real(0)
        for i in range(block.shape[1]):
            linear += fit[i]
            total += counts[i]
        factor = total / (linear + tiny)
        for _ in range(4):
            pull = real(0)
            for i in range(block.shape[1]):
                pull += counts[i] * fit[i] / (factor * fit[i] + real(offset))
            factor *= pull / (linear + quadratic * factor + tiny)
    else:
        pull, curve = -linear, quadratic + tiny
        for i in range(block.shape[1]):
            pull += counts[i] * fit[i]
            curve += fit[i] * fit[i]
        factor = max(pull, real(0)) / curve
    for a in range(used):
        code[a] *= factor


@lane_kernel
def start_words(workspace, used, n_words, penalties):
    """Set the initial u of each word to the value for a word code equal to the document code."""
    block = lanes_of(workspace.betas, used, n_words)
    real = block.dtype.type
    counts, u, fit = workspace.counts, workspace.u, workspace.fit
    combine_rows(block, used, workspace.code, fit)
    for i in range(block.shape[1]):
        if penalties.poisson:
            u[i] = counts[i] / (fit[i] + real(penalties.offset)) - real(1)
        else:
            u[i] = counts[i] - fit[i]


@lane_kernel
def step_words(workspace, used, n_words, penalties, tol):
    """Take one tangent step of u for all words.

    Returns whether no u changed by more than `tol` (relative to 1 + |u|). Also sets `active_betas`,
    `users` and τ in the workspace.
    """
    coupling, word_l1, word_l2, _, _, offset, poisson = penalties
    block = lanes_of(workspace.betas, used, n_words)
    active = lanes_of(workspace.active_betas, used, n_words)
    real = block.dtype.type
    zero, one = real(0), real(1)
    counts, u, base, curve = workspace.counts, workspace.u, workspace.base, workspace.curve
    stiffness = workspace.stiffness
    code, shift, users = workspace.code, workspace.shift, workspace.users
    h = real(0.5 / (coupling + word_l2))
    padding = real(block.shape[1] - n_words)
    n = block.shape[1]
    for i in range(n):
        base[i] = zero
        curve[i] = zero
    for a in range(used):
        c = h * (real(2 * coupling) * code[a] - real(word_l1))
        shift[a] = c
        lane, active_lane = block[a], active[a]
        n_users = zero
        for i in range(n):
            beta = lane[i]
            uses = c + h * beta * u[i] > zero
            value = beta if uses else zero
            n_users += one if uses else zero
            active_lane[i] = value
            base[i] += value * c
            curve[i] += value * value
        users[a] = n_users - (padding if c > zero else zero)
    still = True
    if poisson:
        eps = real(offset)
        for i in range(n):
            q, p, w = h * curve[i], base[i] + eps, counts[i]
            b, d = p + q, w - p
            square = b * b + (q + q) * (d + d)
            root = np.sqrt(square if square > zero else zero)
            new = (d + d if b > zero else root - b) / (b + root if b > zero else q + q)
            m = p + q * new
            pull = w / (m * m)
            stiffness[i] = pull / (one + q * pull)
            still &= abs(new - u[i]) <= real(tol) * (one + abs(new))
            u[i] = new
    else:
        for i in range(n):
            q = h * curve[i]
            new = (counts[i] - base[i]) / (one + q)
            stiffness[i] = one / (one + q)
            still &= abs(new - u[i]) <= real(tol) * (one + abs(new))
            u[i] = new
    return still


@lane_kernel
def measure_gradient(workspace, used, n_words, penalties):
    """Compute the gradient, the diagonal of the Hessian and diagonal Newton steps.

    Also lists the topics that many words share in `shared`. Returns the number of these topics, and
    the largest entry of the code.
    """
    coupling, _, word_l2, doc_l1, doc_l2, _, _ = penalties
    active = lanes_of(workspace.active_betas, used, n_words)
    real = active.dtype.type
    zero = real(0)
    code, shift, users, sums = workspace.code, workspace.shift, workspace.users, workspace.sums
    gradient, diagonal, step = workspace.gradient, workspace.diagonal, workspace.step
    multiply_rows(active, used, workspace.u, sums)
    h = real(0.5 / (coupling + word_l2))
    twice, length = real(2 * coupling), real(n_words)
    full = twice * length + real(2 * doc_l2)
    least = full * real(1e-6)  # lower bound on the diagonal, which limits steps in flat directions
    largest = zero
    n_shared = np.int64(0)
    for a in range(used):
        total = users[a] * shift[a] + h * sums[a]
        gradient[a] = twice * (length * code[a] - total) + real(doc_l1) + real(2 * doc_l2) * code[a]
        diagonal[a] = max(full - twice * twice * h * users[a], least)
        largest = max(largest, code[a])
        step[a] = zero
        if code[a] > zero or gradient[a] < zero:
            step[a] = -gradient[a] / diagonal[a]
            if users[a] > real(SHARED) * length:
                workspace.shared[n_shared] = a
                n_shared += 1
    return n_shared, largest


@lane_kernel
def solve_shared(workspace, used, n_words, penalties, n_shared, gain):
    """Compute the joint Newton step of the shared topics by preconditioned conjugate gradients.

    The iteration ends when the squared residual has fallen by the factor `gain`.
    """
    active = lanes_of(workspace.active_betas, used, n_words)
    block = lanes_of(workspace.shared_betas, n_shared, n_words)
    real = active.dtype.type
    zero = real(0)
    stiffness, fit, shared = workspace.stiffness, workspace.fit, workspace.shared
    gradient, diagonal, step = workspace.gradient, workspace.diagonal, workspace.step
    image, residual = workspace.image, workspace.residual
    direction, preconditioner = workspace.direction, workspace.preconditioner
    n = active.shape[1]
    twice = real(2 * penalties.coupling)
    h = real(0.5 / (penalties.coupling + penalties.word_l2))
    scale = twice * twice * h * h
    product = zero
    for j in range(n_shared):
        a = shared[j]
        source, target = active[a], block[j]
        square = zero
        for i in range(n):
            target[i] = source[i]
            square += source[i] * source[i] * stiffness[i]
        preconditioner[j] = diagonal[a] + scale * square
        step[a] = zero
        residual[j] = -gradient[a]
        direction[j] = residual[j] / preconditioner[j]
        product += residual[j] * direction[j]
    goal = real(gain) * product
    for _ in range(n_shared + 2):
        combine_rows(block, n_shared, direction, fit)
        for i in range(n):
            fit[i] *= stiffness[i]
        multiply_rows(block, n_shared, fit, image)
        curvature = zero
        for j in range(n_shared):
            image[j] = diagonal[shared[j]] * direction[j] + scale * image[j]
            curvature += direction[j] * image[j]
        if not curvature > zero:
            break
        length = product / curvature
        new = zero
        for j in range(n_shared):
            step[shared[j]] += length * direction[j]
            residual[j] -= length * image[j]
            new += residual[j] * residual[j] / preconditioner[j]
        if new <= goal:
            break
        for j in range(n_shared):
            direction[j] = residual[j] / preconditioner[j] + new / product * direction[j]
        product = new


@lane_kernel
def solve_code(workspace, used, n_words, penalties, tol, max_steps, newton):
    """Find the code of a document, starting from the code in the workspace.

    Returns the number of steps. With ``max_steps=1``, the document code does not change; only the
    word codes and the gradient are computed.

    tol : float
        The steps end when the next step would change no entry of the code by more than this share
        of the largest entry.
    newton : bool
        If False, only plain gradient steps are taken, which are slow but cannot raise the
        objective.
    """
    real = workspace.code.dtype.type
    code, gradient, step = workspace.code, workspace.gradient, workspace.step
    full = real(2 * penalties.coupling) * real(n_words) + real(2 * penalties.doc_l2)
    start_words(workspace, used, n_words, penalties)
    damping, before = real(1), real(np.inf)
    for number in range(max_steps):
        last = number + 1 == max_steps
        joint = newton and number < JOINT_STEPS and not last
        for _ in range(1 if joint else WORD_STEPS):
            still = step_words(workspace, used, n_words, penalties, 100 * tol if joint else tol)
            if still:
                break
        still = still or not joint
        n_shared, largest = measure_gradient(workspace, used, n_words, penalties)
        if last:
            return max_steps
        if not newton or number >= NEWTON_STEPS:
            for a in range(used):
                step[a] = -gradient[a] / full
        elif n_shared > 0:
            solve_shared(workspace, used, n_words, penalties, n_shared, CG_GAIN)
        change = real(0)
        for a in range(used):
            change = max(change, abs(max(step[a], -code[a])))
        if still and change <= real(tol) * largest:
            return number + 1
        if number > JOINT_STEPS and change >= before:  # Damp the steps if the code oscillates.
            damping *= real(0.5)
        before = change
        length = damping if newton and number < NEWTON_STEPS else real(1)
        for a in range(used):
            code[a] = max(code[a] + length * step[a], real(0))
    return max_steps


@lane_kernel
def measure_objective(workspace, used, n_words, penalties):
    """Return the objective of a document, and store m of each word in `fit`.

    The objective is computed for the document code and the values u in the workspace.
    """
    coupling, word_l1, word_l2, doc_l1, doc_l2, offset, poisson = penalties
    block = lanes_of(workspace.betas, used, n_words)
    real = block.dtype.type
    zero = real(0)
    counts, u, fit = workspace.counts, workspace.u, workspace.fit
    code, shift = workspace.code, workspace.shift
    h = real(0.5 / (coupling + word_l2))
    for i in range(n_words):
        fit[i] = zero
    total = 0.0
    for a in range(used):
        theta, c, lane = code[a], shift[a], block[a]
        distance, mass, square = zero, zero, zero
        for i in range(n_words):
            s = c + h * lane[i] * u[i]
            s = s if s > zero else zero
            distance += (s - theta) * (s - theta)
            mass += s
            square += s * s
            fit[i] += lane[i] * s
        total += coupling * distance + word_l1 * mass + word_l2 * square
        total += doc_l1 * theta + doc_l2 * theta * theta
    for i in range(n_words):
        if poisson:
            total += fit[i] - counts[i] * np.log(fit[i] + offset)
        else:
            total += 0.5 * (counts[i] - fit[i]) ** 2
    return total
