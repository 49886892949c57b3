"""Non-negative lasso on a Gram matrix, which computes sparse codes of documents.

For each document, find the code θ ≥ 0 that minimises 1/2 θ'Gθ - c'θ, where G is the Gram matrix of
the topics, and c (`pull` in the code) is the correlations minus the penalty. The support of a code
is the set of topics with a positive entry. The active-set method has three steps, none of which
raises the objective:

- *take in*: Use coordinate descent on the topic that violates the optimality conditions most, until
  no topic violates them by more than a limit. If the code is initially zero, the number of descent
  steps that find most of the support is about the number of topics in the support.
- *solve*: Move to the exact minimum on the support, computed by an LDL' factorisation. If the
  minimum has negative entries, move towards it only until the first entry becomes zero; the topic
  of this entry then leaves the support. If the support is singular, because a topic is a copy or
  mixture of other topics, move along the null direction instead until a topic leaves.
- *check*: Compute the gradient for all topics, and repeat the steps if a topic violates the
  conditions.

Computing a code that is exact on its support takes less time than coordinate descent to a precision
of three digits.
"""

import numpy as np

from laconic.kernels.compile import lane_kernel
from laconic.kernels.maximum import larger

ROUNDS = 100
SWEEPS = 1000
# Before a solve, topics whose slope is above this share of the steepest slope are taken in.
FIRST = 0.004
# If a pivot is at most this share of the topic's diagonal entry of the Gram matrix, the support is
# singular.
PIVOT = 1e-12
# outcomes of a solve: the code reached the minimum, or an entry of the code became zero before
SOLVED, BOUND = 0, 1


@lane_kernel
def take_in(gram, slope, code, support, size, limit):
    """Take coordinate descent steps on the topic of steepest slope, until no slope exceeds `limit`.

    Returns the new size of the support.
    """
    n_topics = len(slope)
    steepest = limit
    for k in range(n_topics):
        steepest = larger(steepest, slope[k])
    while steepest > limit:
        chosen = 0
        for k in range(n_topics):
            if slope[k] == steepest:
                chosen = k
        row = gram[chosen]
        if row[chosen] <= 0.0:  # The topic contains no words.
            slope[chosen] = 0.0
            change = 0.0
        else:
            if code[chosen] == 0.0:
                support[size] = chosen
                size += 1
            change = steepest / row[chosen]
            code[chosen] += change
        steepest = limit
        for k in range(n_topics):
            slope[k] -= change * row[k]
            steepest = larger(steepest, slope[k])
    return size


@lane_kernel
def solve_support(gram, pull, code, support, size, done, upper, scale, solution):
    """Move the codes of the support towards the minimum, until the first code reaches zero.

    The first `done` rows and columns of the factor are already computed. Returns the new size of
    the support, and the outcome, which is SOLVED or BOUND.
    """
    for a in range(size):
        first = max(a, done)
        row, out = gram[support[a]], upper[a]
        for b in range(first, size):
            out[b] = row[support[b]]
        solution[a] = pull[support[a]] - eliminate(upper, scale, solution, a, first, size)
        if a >= done:
            if out[a] <= PIVOT * row[support[a]]:
                find_null_direction(upper, scale, a, solution)
                follow_direction(gram, pull, code, support, size, a, solution)
                return drop_zeros(code, support, size), BOUND
            scale[a] = 1.0 / out[a]
    for a in range(size - 1, -1, -1):
        row = upper[a]
        total = solution[a]
        for b in range(a + 1, size):
            total -= row[b] * solution[b]
        solution[a] = total * scale[a]
    outcome = follow_solution(gram, pull, code, support, size, solution)
    return drop_zeros(code, support, size), outcome


@lane_kernel
def eliminate(upper, scale, solution, a, first, size):
    """Subtract multiples of the rows above from row `a` of the factor (Gaussian elimination).

    Only the columns from `first` on are changed. Returns the number to subtract from the right-hand
    side. Four rows are subtracted at a time, because each subtraction reads and writes the whole
    row `a`.
    """
    out = upper[a]
    taken = 0.0
    c = 0
    while c + 3 < a:
        r0, r1, r2, r3 = upper[c], upper[c + 1], upper[c + 2], upper[c + 3]
        f0, f1 = r0[a] * scale[c], r1[a] * scale[c + 1]
        f2, f3 = r2[a] * scale[c + 2], r3[a] * scale[c + 3]
        taken += f0 * solution[c] + f1 * solution[c + 1]
        taken += f2 * solution[c + 2] + f3 * solution[c + 3]
        for b in range(first, size):
            out[b] -= (f0 * r0[b] + f1 * r1[b]) + (f2 * r2[b] + f3 * r3[b])
        c += 4
    while c < a:
        r0 = upper[c]
        f0 = r0[a] * scale[c]
        taken += f0 * solution[c]
        for b in range(first, size):
            out[b] -= f0 * r0[b]
        c += 1
    return taken


@lane_kernel
def follow_solution(gram, pull, code, support, size, solution):
    """Move the code to a solution, or towards a solution that has negative entries.

    If the solution has negative entries, move to its positive part if that lowers the objective.
    Otherwise, move towards the solution until the first code is zero.
    """
    step = 1.0
    for a in range(size):
        if solution[a] <= 0.0:
            now = code[support[a]]
            step = min(step, now / (now - solution[a]))
    if step == 1.0 or is_lower(gram, pull, code, support, size, solution):
        for a in range(size):
            code[support[a]] = max(solution[a], 0.0)
    else:
        for a in range(size):
            now = code[support[a]]
            new = now + step * (solution[a] - now)
            if solution[a] <= 0.0 and new <= 1e-12 * now:
                new = 0.0
            code[support[a]] = max(new, 0.0)
    return SOLVED if step == 1.0 else BOUND


@lane_kernel
def is_lower(gram, pull, code, support, size, solution):
    """Return whether the positive part of a solution has a lower objective than the code."""
    change = 0.0
    for a in range(size):
        row = gram[support[a]]
        new, now = max(solution[a], 0.0), code[support[a]]
        middle = 0.0
        for b in range(size):
            middle += row[support[b]] * (max(solution[b], 0.0) + code[support[b]])
        change += (new - now) * (0.5 * middle - pull[support[a]])
    return change < 0.0


@lane_kernel
def find_null_direction(upper, scale, c, direction):
    """Find the direction in which the first c topics of the support cancel the next topic."""
    direction[c] = 1.0
    for a in range(c - 1, -1, -1):
        row = upper[a]
        total = row[c]
        for b in range(a + 1, c):
            total += row[b] * direction[b]
        direction[a] = -total * scale[a]


@lane_kernel
def follow_direction(gram, pull, code, support, size, c, direction):
    """Move downhill along a direction with almost no curvature until a code becomes zero."""
    slope, curvature = 0.0, 0.0
    for a in range(c + 1):
        row = gram[support[a]]
        topic_slope = pull[support[a]]
        for b in range(size):
            topic_slope -= row[support[b]] * code[support[b]]
        slope += direction[a] * topic_slope
        for b in range(c + 1):
            curvature += direction[a] * direction[b] * row[support[b]]
    sign = 1.0 if slope >= 0.0 else -1.0
    step, leaving = np.inf, c
    for a in range(c + 1):
        if sign * direction[a] < 0.0 and -code[support[a]] / (sign * direction[a]) < step:
            step = -code[support[a]] / (sign * direction[a])
            leaving = a
    if step == np.inf:
        # No code becomes zero along the direction: move to the minimum, then set the code of the
        # topic support[c] to zero.
        step = abs(slope) / curvature if curvature > 0.0 else 0.0
    elif curvature > 0.0 and abs(slope) < step * curvature:
        step, leaving = abs(slope) / curvature, c
    for a in range(c + 1):
        code[support[a]] = max(code[support[a]] + step * sign * direction[a], 0.0)
    code[support[leaving]] = 0.0


@lane_kernel
def drop_zeros(code, support, size):
    """Remove topics with a zero code from the support; return the new size of the support."""
    new_size = 0
    for a in range(size):
        if code[support[a]] > 0.0:
            support[new_size] = support[a]
            new_size += 1
    return new_size


@lane_kernel
def descend(gram, pull, slope, code, tol):
    """Run coordinate descent over all topics until no step changes a slope by more than `tol`."""
    find_slopes(gram, pull, code, slope)
    for _ in range(SWEEPS):
        largest = 0.0
        for j in range(len(pull)):
            row = gram[j]
            if row[j] <= 0.0:
                continue
            change = max(slope[j] / row[j], -code[j])
            if change != 0.0:
                largest = max(largest, abs(change) * row[j])
                code[j] += change
                for k in range(len(pull)):
                    slope[k] -= change * row[k]
        if largest <= tol:
            break


@lane_kernel
def find_slopes(gram, pull, code, slope):
    """Compute the slopes `pull` - G θ at a code θ, which are the negative gradient."""
    for k in range(len(pull)):
        slope[k] = pull[k]
    for j in range(len(pull)):
        weight = code[j]
        if weight != 0.0:
            row = gram[j]
            for k in range(len(pull)):
                slope[k] -= weight * row[k]


@lane_kernel
def steepest_slope(gram, pull, code, support, size, slope):
    """Compute the slopes at a code, and return the largest slope."""
    for k in range(len(pull)):
        slope[k] = pull[k]
    for a in range(size):
        weight = code[support[a]]
        row = gram[support[a]]
        for k in range(len(pull)):
            slope[k] -= weight * row[k]
    steepest = 0.0
    for k in range(len(pull)):
        steepest = larger(steepest, slope[k])
    return steepest


@lane_kernel
def solve_code(gram, pull, code, tol, slope, support, upper, scale, solution):
    """Minimise the objective over the code of one document, starting from its current value."""
    size = np.int64(0)
    largest = 0.0
    for k in range(len(pull)):
        largest = larger(largest, pull[k])
    for k in range(len(pull)):
        if code[k] > 0.0:
            support[size] = k
            size += 1
    if largest <= 0.0 and size == 0:
        return
    limit = tol * largest
    if size == 0:
        for k in range(len(pull)):
            slope[k] = pull[k]
        size = take_in(gram, slope, code, support, size, FIRST * largest)
    done = np.int64(0)
    for _ in range(ROUNDS):
        outcome = BOUND
        while size > 0 and outcome == BOUND:
            before = size
            size, outcome = solve_support(
                gram, pull, code, support, size, done, upper, scale, solution
            )
            done = size if outcome == SOLVED and size == before else 0
        steepest = steepest_slope(gram, pull, code, support, size, slope)
        if steepest <= limit:
            return
        size = take_in(gram, slope, code, support, size, max(limit, FIRST * steepest))
    descend(gram, pull, slope, code, limit)


@lane_kernel
def nonnegative_lasso(gram, correlations, alpha, codes, tol):
    """Compute the codes of documents, given the Gram matrix of the topics.

    gram : (n_topics, n_topics), float64
    correlations : (n_documents, n_topics)
        Correlation of each document with each topic.
    alpha : (n_topics,)
        Penalty on the code of each topic.
    codes : (n_documents, n_topics), float64
        Initial codes, such as zeros, which are overwritten by the result.
    tol : float
        Maximum violation of the optimality conditions, as a share of the document's largest pull
        (correlation minus penalty).
    """
    n_topics = len(gram)
    pull, slope, scale = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics)
    solution, upper = np.empty(n_topics), np.empty((n_topics, n_topics))
    support = np.empty(n_topics, np.int64)
    for i in range(len(codes)):
        row = correlations[i]
        for k in range(n_topics):
            pull[k] = row[k] - alpha[k]
        solve_code(gram, pull, codes[i], tol, slope, support, upper, scale, solution)
