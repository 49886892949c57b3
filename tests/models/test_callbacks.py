"""Tests of the callbacks that scikit-learn supports since version 1.9."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.callback import ProgressBar
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline

import laconic
from laconic import SCTM, SparseLSA, Weighting
from tests.messages import warned
from tests.models.sparse_lsa import reference

X = reference.documents(3, 40, 30)


class Recorder:
    """A callback that records the calls of scikit-learn's callback protocol."""

    def __init__(self, stop_after=None, interrupt_after=None):
        self.events = []
        self.seen = []
        self.stop_after = stop_after
        self.interrupt_after = interrupt_after

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.events.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context):
        self.events.append(f"end {context.task_name}")
        if context.task_name == "pass":
            self.seen.append(estimator.n_iter_)
            if self.interrupt_after == estimator.n_iter_:
                raise KeyboardInterrupt
            return self.stop_after == estimator.n_iter_
        return False


def check_events(recorder, model):
    passes = ["begin pass", "end pass"] * model.n_iter_
    assert recorder.events == ["setup", "begin fit", *passes, "end fit", "teardown"]
    assert recorder.seen == list(range(1, model.n_iter_ + 1))


@pytest.mark.parametrize(
    "model",
    [SparseLSA(4, alpha=0.4), SCTM(4), SCTM(4, correlated=True)],
    ids=["slsa", "sctm", "sctm, correlated"],
)
def test_callbacks_hear_of_every_pass(model):
    recorder = Recorder()
    model.set_callbacks(recorder).fit(X)
    assert model.n_iter_ > 2
    check_events(recorder, model)


def test_callbacks_of_a_step_hear_of_every_pass_of_a_pipeline(planted):
    recorder = Recorder()
    pipeline = laconic.pipeline("slsa", n_components=3)
    pipeline[-1].set_callbacks(recorder)
    pipeline.fit(planted[0])
    check_events(recorder, pipeline[-1])


class Spreading(Recorder):
    """A callback that meta-estimators pass on to their inner estimators."""

    max_propagation_depth = None


def test_callbacks_of_a_pipeline_reach_the_model(planted):
    recorder = Spreading()
    pipeline = laconic.pipeline("slsa", n_components=3).set_callbacks(recorder)
    pipeline.fit(planted[0])
    assert recorder.events.count("end pass") == pipeline[-1].n_iter_
    assert recorder.events[0] == "setup"
    assert recorder.events[-1] == "teardown"


def test_a_callback_can_stop_the_fit():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SparseLSA(4, alpha=0.4, tol=0).set_callbacks(Recorder(stop_after=2)).fit(X)
    assert model.n_iter_ == 2
    assert model.converged_ is False


def test_ctrl_c_inside_a_callback():
    model = SparseLSA(4, alpha=0.4, tol=0).set_callbacks(Recorder(interrupt_after=3))
    with warned("SparseLSA", "3 passes", kind=ConvergenceWarning):
        model.fit(X)
    assert model.n_iter_ == len(model.objective_) == 3
    assert model.transform(X).shape == (40, 4)


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_scikit_learns_own_progress_bar(capsys):
    SparseLSA(4, alpha=0.4).set_callbacks(ProgressBar()).fit(X)
    assert "SparseLSA - fit" in capsys.readouterr().out
    make_pipeline(Weighting(), SparseLSA(4)).set_callbacks(ProgressBar()).fit(X)
    assert "Pipeline - fit" in capsys.readouterr().out


def test_callbacks_do_not_change_the_result():
    plain = SparseLSA(4, alpha=0.4).fit(X)
    heard = SparseLSA(4, alpha=0.4).set_callbacks(Recorder()).fit(X)
    assert np.array_equal(plain.components_.toarray(), heard.components_.toarray())
