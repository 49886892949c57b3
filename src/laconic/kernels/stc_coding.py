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
the other topics are computed together by conjugate gradients. This method takes three or four
steps, while gradient descent takes a hundred. Steps for the words and steps for the document
alternate.

The words of the document are in a workspace (`laconic.kernels.stc_workspace`).
"""

import numpy as np

from laconic.kernels.blocks import combine_rows, multiply_rows, padded
from laconic.kernels.compile import lane_kernel
from laconic.kernels.stc_start import start_words
from laconic.kernels.vectors import (
    LANES,
    choose,
    count_positive,
    largest,
    load,
    root,
    spread,
    store,
    total,
)

WORD_STEPS = 50  # maximum number of tangent steps until the word codes have converged
SHARED = 0.5  # Topics that more than this share of the words use get a joint Newton step.
# In the first JOINT_STEPS steps, each document step follows one word step. In later steps, the word
# codes converge before each document step.
JOINT_STEPS = 8
# Maximum number of Newton steps, after which plain gradient steps follow; these steps cannot fail.
NEWTON_STEPS = 60
CG_GAIN = 1e-2  # factor by which conjugate gradients reduce the squared residual
# The last step is taken if it is at most LAST_STEP times the tolerance. After a Newton step of this
# size, the next step would be within the tolerance.
LAST_STEP = 7


@lane_kernel
def step_words(workspace, used, n_words, penalties, tol):
    """Take one tangent step of u for all words, and compute τ.

    Returns whether no u changed by more than `tol` (relative to 1 + |u|).
    """
    coupling, word_l1, word_l2, _, _, offset, poisson = penalties
    width = padded(n_words)
    block, counts, u = workspace.betas, workspace.counts, workspace.u
    code, shift = workspace.code, workspace.shift
    real = block.dtype.type
    h = real(0.5 / (coupling + word_l2))
    for a in range(used):
        shift[a] = h * (real(2 * coupling) * code[a] - real(word_l1))
    zero, one, slope = spread(real(0)), spread(real(1)), spread(h)
    eps, allowed = spread(real(offset)), spread(real(tol))
    n_moved = 0
    for i in range(0, width, LANES):
        old = load(u, i)
        push = slope * old
        base, curve = zero, zero
        at = i
        for a in range(used):
            beta, c = load(block, at), spread(shift[a])
            uses = beta * push + c
            base = choose(uses, base + beta * c, base)
            curve = choose(uses, curve + beta * beta, curve)
            at += width
        w, q = load(counts, i), slope * curve
        if poisson:
            p = base + eps
            b, d = p + q, w - p
            square = b * b + (q + q) * (d + d)
            r = root(choose(square, square, zero))
            new = choose(b, d + d, r - b) / choose(b, b + r, q + q)
            m = p + q * new
            store(workspace.stiffness, i, w / (m * m + q * w))
        else:
            new = (w - base) / (one + q)
            store(workspace.stiffness, i, one / (one + q))
        store(u, i, new)
        moved = magnitude(new - old) - allowed * (one + magnitude(new))
        n_moved += count_positive(moved)
    return n_moved == 0


@lane_kernel
def magnitude(vector):
    return choose(vector, vector, vector - (vector + vector))


@lane_kernel
def measure_gradient(workspace, used, n_words, penalties):
    """Compute the gradient, the diagonal of the Hessian and diagonal Newton steps.

    Also lists the topics that many words share in `shared`. Returns the number of these topics, and
    the largest entry of the code.
    """
    coupling, word_l1, word_l2, doc_l1, doc_l2, _, _ = penalties
    width = padded(n_words)
    block, u = workspace.betas, workspace.u
    code, shift, users = workspace.code, workspace.shift, workspace.users
    gradient, diagonal, step = workspace.gradient, workspace.diagonal, workspace.step
    real = block.dtype.type
    zero = real(0)
    none = spread(zero)
    h = real(0.5 / (coupling + word_l2))
    slope = spread(h)
    twice, length = real(2 * coupling), real(n_words)
    rest = real(1) - twice * h
    full = twice * length + real(2 * doc_l2)
    least = full * real(1e-6)  # lower bound on the diagonal, which limits steps in flat directions
    for a in range(used):
        c = spread(shift[a])
        sums, n_users = none, 0
        for i in range(0, width, LANES):
            push = load(block, a * width + i) * load(u, i)
            uses = push * slope + c
            sums = choose(uses, sums + push, sums)
            n_users += count_positive(uses)
        gradient[a] = total(sums)
        users[a] = real(n_users - (width - n_words if shift[a] > zero else 0))
    for a in range(used, padded(used)):
        gradient[a], users[a] = zero, zero
    most = none
    for a in range(0, used, LANES):
        # The differences θ - s are summed, because θ and s are nearly equal.
        theta, n_users = load(code, a), load(users, a)
        shrunk = spread(rest) * theta + spread(h * real(word_l1))
        apart = n_users * shrunk - slope * load(gradient, a)
        apart = apart + (spread(length) - n_users) * theta
        g = spread(twice) * apart + spread(real(doc_l1)) + spread(real(2 * doc_l2)) * theta
        curve = spread(full) - spread(twice * twice * h) * n_users
        curve = choose(curve - spread(least), curve, spread(least))
        newton = (none - g) / curve
        store(gradient, a, g)
        store(diagonal, a, curve)
        store(step, a, choose(theta, newton, choose(newton, newton, none)))
        most = choose(theta - most, theta, most)
    n_shared = np.int64(0)
    for a in range(used):
        if users[a] > real(SHARED) * length and (code[a] > zero or gradient[a] < zero):
            workspace.shared[n_shared] = a
            n_shared += 1
    return n_shared, largest(most)


@lane_kernel
def solve_shared(workspace, n_words, penalties, n_shared, gain):
    """Compute the joint Newton step of the shared topics by preconditioned conjugate gradients.

    The preconditioner is the diagonal of the Hessian. The iteration ends when the squared residual
    has fallen by the factor `gain`. Also stores the weights of these topics in `shared_betas`, and
    their steps in `shared_step`.
    """
    width = padded(n_words)
    block, stiffness, fit = workspace.shared_betas, workspace.stiffness, workspace.fit
    shared, shift, u = workspace.shared, workspace.shift, workspace.u
    gradient, diagonal, step = workspace.gradient, workspace.diagonal, workspace.step
    image, residual = workspace.image, workspace.residual
    direction, inverse = workspace.direction, workspace.inverse
    shared_diagonal, shared_step = workspace.shared_diagonal, workspace.shared_step
    real = block.dtype.type
    zero = real(0)
    none = spread(zero)
    twice = real(2 * penalties.coupling)
    h = real(0.5 / (penalties.coupling + penalties.word_l2))
    slope = spread(h)
    scale = twice * twice * h * h
    for j in range(n_shared):
        a = shared[j]
        c = spread(shift[a])
        squares = none
        for i in range(0, width, LANES):
            beta = load(workspace.betas, a * width + i)
            beta = choose(beta * load(u, i) * slope + c, beta, none)
            store(block, j * width + i, beta)
            squares = squares + beta * beta * load(stiffness, i)
        shared_diagonal[j] = diagonal[a]
        inverse[j] = total(squares)
        residual[j] = -gradient[a]
    rows = padded(n_shared)
    for j in range(n_shared, rows):  # These rows of zeros stay zero.
        shared_diagonal[j], inverse[j], residual[j], image[j] = real(1), zero, zero, zero
    products = none
    for j in range(0, rows, LANES):
        r = load(residual, j)
        p = spread(real(1)) / (load(shared_diagonal, j) + spread(scale) * load(inverse, j))
        store(inverse, j, p)
        store(direction, j, r * p)
        store(shared_step, j, none)
        products = products + r * r * p
    product = total(products)
    goal = real(gain) * product
    for _ in range(n_shared + 2):
        combine_rows(block, n_shared, width, direction, fit)
        for i in range(0, width, LANES):
            store(fit, i, load(fit, i) * load(stiffness, i))
        multiply_rows(block, n_shared, width, fit, image)
        curvatures = none
        for j in range(0, rows, LANES):
            d = load(direction, j)
            x = load(shared_diagonal, j) * d + spread(scale) * load(image, j)
            store(image, j, x)
            curvatures = curvatures + d * x
        curvature = total(curvatures)
        if not curvature > zero:
            break
        length = spread(product / curvature)
        products = none
        for j in range(0, rows, LANES):
            r = load(residual, j) - length * load(image, j)
            store(residual, j, r)
            store(shared_step, j, load(shared_step, j) + length * load(direction, j))
            products = products + r * r * load(inverse, j)
        new = total(products)
        if new <= goal:
            break
        again = spread(new / product)
        for j in range(0, rows, LANES):
            d = load(residual, j) * load(inverse, j) + again * load(direction, j)
            store(direction, j, d)
        product = new
    for j in range(n_shared):
        step[shared[j]] = shared_step[j]


@lane_kernel
def solve_code(workspace, used, n_words, penalties, tol, max_steps, newton):
    """Find the code of a document, starting from the code in the workspace.

    Returns the number of steps. With ``max_steps=1``, the document code does not change; only the
    word codes and the gradient are computed. Otherwise, the word codes belong to the code before
    the last step.

    tol : float
        The steps end when the next step would change no entry of the code by more than this share
        of the largest entry. With Newton steps, this is judged by the step before; see `LAST_STEP`.
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
        still = settle_words(
            workspace,
            used,
            n_words,
            penalties,
            100 * tol if joint else tol,
            1 if joint else WORD_STEPS,
        )
        still = still or not joint
        n_shared, largest_code = measure_gradient(workspace, used, n_words, penalties)
        if last:
            return max_steps
        plain = not newton or number >= NEWTON_STEPS
        none = spread(real(0))
        if plain:
            for a in range(0, used, LANES):
                store(step, a, (none - load(gradient, a)) / spread(full))
        elif n_shared > 0:
            solve_shared(workspace, n_words, penalties, n_shared, CG_GAIN)
        changes = none
        for a in range(0, used, LANES):
            theta, move = load(code, a), load(step, a)
            move = magnitude(choose(theta + move, move, theta))
            changes = choose(move - changes, move, changes)
        change = largest(changes)
        if number > JOINT_STEPS and change >= before:  # Damp the steps if the code oscillates.
            damping *= real(0.5)
        before = change
        length = spread(real(1) if plain else damping)
        for a in range(0, used, LANES):
            theta = load(code, a) + length * load(step, a)
            store(code, a, choose(theta, theta, none))
        if still and change <= real(tol if plain else LAST_STEP * tol) * largest_code:
            return number + 1
    return max_steps


@lane_kernel
def settle_words(workspace, used, n_words, penalties, tol, max_steps):
    """Take word steps until no u changes by more than `tol`; return whether that is so."""
    for _ in range(max_steps):  # noqa: SIM110  # numba does not support any() of a generator
        if step_words(workspace, used, n_words, penalties, tol):
            return True
    return False


@lane_kernel
def measure_objective(workspace, used, n_words, penalties):
    """Return the objective of a document, and store m of each word in `fit`.

    The objective is computed for the document code and the values u in the workspace.
    """
    coupling, word_l1, word_l2, doc_l1, doc_l2, offset, poisson = penalties
    width = padded(n_words)
    block, counts, u, fit = workspace.betas, workspace.counts, workspace.u, workspace.fit
    code, shift = workspace.code, workspace.shift
    real = block.dtype.type
    zero = spread(real(0))
    slope = spread(real(0.5 / (coupling + word_l2)))
    for i in range(0, width, LANES):
        store(fit, i, zero)
    value = 0.0
    for a in range(used):
        theta, c = spread(code[a]), spread(shift[a])
        distance, mass, square = zero, zero, zero
        for i in range(0, width, LANES):
            beta = load(block, a * width + i)
            s = beta * load(u, i) * slope + c
            s = choose(s, s, zero)
            distance = distance + (s - theta) * (s - theta)
            mass = mass + s
            square = square + s * s
            store(fit, i, load(fit, i) + beta * s)
        idle = max(shift[a], real(0))  # code of a padded word
        padding = width - n_words
        value += coupling * (total(distance) - padding * (idle - code[a]) ** 2)
        value += word_l1 * (total(mass) - padding * idle)
        value += word_l2 * (total(square) - padding * idle * idle)
        value += doc_l1 * code[a] + doc_l2 * code[a] * code[a]
    for i in range(n_words):
        if poisson:
            value += fit[i] - counts[i] * np.log(fit[i] + offset)
        else:
            value += 0.5 * (counts[i] - fit[i]) ** 2
    return value
