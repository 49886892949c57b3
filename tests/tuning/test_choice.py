"""Tests of how the number of topics is chosen, with given trials."""

from __future__ import annotations

import numpy as np

from laconic.tuning.choice import Choice, choose, has_passed
from laconic.tuning.prediction import Prediction
from laconic.tuning.trials import Trial


def trial(share, recurrence):
    return Trial(Prediction(np.array([share])), recurrence, 0.0, 0.0)


def classified(n_right, n=100):
    right = np.zeros(n)
    right[:n_right] = 1
    return Trial(Prediction(np.zeros(1)), 1.0, 0.0, 0.0, right)


def test_the_score_is_the_product():
    assert trial(0.5, 0.8).score == 0.4
    assert trial(-0.5, 0.8).score == 0  # a negative explained share counts as zero


def test_a_peak_is_taken():
    trials = {10: trial(0.5, 0.7), 20: trial(0.9, 0.95), 40: trial(0.92, 0.6)}
    assert choose(trials, 100) == Choice(20, "peak")


def test_of_equal_scores_the_smaller_size_is_taken():
    assert choose({4: trial(0.5, 0.5), 2: trial(0.5, 0.5)}, 100).size == 2


def test_without_a_peak_the_knee_is_taken():
    # explained / highest explained - size / 100 is .2 - .05, .55 - .2, .8 - .5, 1 - 1
    trials = {5: trial(0.2, 0.5), 20: trial(0.55, 0.5), 50: trial(0.8, 0.5), 100: trial(1.0, 0.5)}
    assert choose(trials, 100) == Choice(20, "knee")
    # the range ends at 200, but no size above 100 was tried, so no knee is looked for
    assert choose(trials, 200) == Choice(100, "peak")


def test_a_straight_line_has_no_knee():
    trials = {2: trial(0.1, 1.0), 4: trial(0.2, 1.0), 8: trial(0.4, 1.0), 16: trial(0.75, 1.0)}
    assert choose(trials, 16) == Choice(16, "peak")


def test_a_score_that_has_fallen_by_a_tenth_has_a_peak():
    trials = {10: trial(0.5, 0.5), 50: trial(1.0, 0.5), 100: trial(1.0, 0.44)}
    assert choose(trials, 100) == Choice(50, "peak")


def test_the_fewest_topics_that_classify_not_clearly_worse():
    # the best is 90 of 100 ± 3.0, so that from 84 on a size is not clearly worse
    trials = {5: classified(70), 10: classified(83), 20: classified(85), 40: classified(90)}
    assert choose(trials, 100) == Choice(20, "accuracy")


def test_when_to_stop_doubling():
    trials = {2: trial(0.1, 1.0), 4: trial(0.3, 1.0), 8: trial(0.4, 0.7)}
    assert not has_passed(trials)  # one step without a better score may be chance
    trials[16] = trial(0.4, 0.6)
    assert has_passed(trials)
    trials[32] = trial(0.4, 0.9)
    assert not has_passed(trials)
    assert not has_passed({2: classified(50), 4: classified(80), 8: classified(81)})
    assert has_passed({2: classified(80), 4: classified(82), 8: classified(81)})
