"""Coordinate descent that finds the sparse part of one document, for `PCP(solver="exact")`."""

from laconic.kernels.compile import lane_kernel

ROUNDS = 5  # maximum number of sweeps over all words in one call
SWEEPS = 5  # maximum number of sweeps over the words of the sparse part after each of them


@lane_kernel
def descend(words, weights, curvature, scale, penalty, limit, rest, sparse, pull):
    """Minimise 1/2 l'Ml + penalty |s|_1 over s = d - l, and return how far the result is from it.

    M is ``scale I - B' diag(weights) B``, and `curvature` is its diagonal. `words` contains the
    rows of B', which belong to the entries of s. `sparse` is s, `rest` is l and `pull` is
    ``weights * B l``; the three are updated. The result is the largest change of a slope in the
    last sweep over all words; the descent ends when it is at most `limit`.
    """
    worst = 0.0
    for _ in range(ROUNDS):
        worst = sweep(words, weights, curvature, scale, penalty, rest, sparse, pull, False)
        if worst <= limit:
            break
        for _ in range(SWEEPS):
            inner = sweep(words, weights, curvature, scale, penalty, rest, sparse, pull, True)
            if inner <= 0.1 * limit:
                break
    return worst


@lane_kernel
def sweep(words, weights, curvature, scale, penalty, rest, sparse, pull, only_nonzero):
    """Minimise over one entry of s after the other; return the largest change of a slope."""
    worst = 0.0
    for j in range(len(sparse)):
        before = sparse[j]
        if only_nonzero and before == 0.0:
            continue
        word = words[j]
        slope = scale * rest[j]
        for k in range(len(pull)):
            slope -= word[k] * pull[k]
        slope += curvature[j] * before
        after = 0.0
        if slope > penalty:
            after = (slope - penalty) / curvature[j]
        elif slope < -penalty:
            after = (slope + penalty) / curvature[j]
        change = after - before
        if change != 0.0:
            sparse[j] = after
            rest[j] -= change
            for k in range(len(pull)):
                pull[k] -= change * weights[k] * word[k]
            worst = max(worst, abs(change) * curvature[j])
    return worst
