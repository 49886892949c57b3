"""Tests of the fit loop that all models share: helpful warnings, Ctrl-C and progress."""

from __future__ import annotations

import logging
import signal
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from laconic import SparseLSA
from laconic.engines import ENGINES
from laconic.models import MODELS
from tests.engines.interrupted import Interrupted
from tests.messages import check, warned
from tests.models.sparse_lsa import reference

X = reference.documents(3, 40, 30)


# ---- how a fit ends ----


def test_max_iter_warns_and_says_what_to_change():
    with warned("SparseLSA", "3 passes", "max_iter", "tol", kind=ConvergenceWarning):
        model = SparseLSA(4, alpha=0.4, max_iter=3, tol=0).fit(X)
    assert model.n_iter_ == 3
    assert model.converged_ is False


def test_convergence_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SparseLSA(4, alpha=0.4).fit(X)
    assert model.converged_ is True
    assert model.n_iter_ >= len(model.objective_) >= 2
    decrease = model.objective_[-2] - model.objective_[-1]
    assert decrease <= 1e-4 * 0.5 * np.sum(X**2)


def test_warnings_point_at_the_caller():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SparseLSA(99, alpha=0.4, max_iter=2, tol=0).fit(X)
    kinds = {warning.category: warning.filename for warning in caught}
    assert kinds[ConvergenceWarning] == __file__
    assert kinds[UserWarning] == __file__


@pytest.mark.parametrize("name", ["slsa", "plsa", "sctm", "stc"])
def test_warnings_of_a_batch_point_at_the_caller(name):
    counts = np.abs(X[:, :5]).round()
    with pytest.warns(UserWarning, match="topics were requested") as caught:
        MODELS[name](9, random_state=0).partial_fit(counts)
    assert {warning.filename for warning in caught} == {__file__}


def test_warnings_point_through_scikit_learn():
    model = make_pipeline(Normalizer(), SparseLSA(4, alpha=0.001, max_iter=1, tol=0))
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X)
    with pytest.warns(ConvergenceWarning) as more:
        GridSearchCV(model, {"sparselsa__positive": [False]}, scoring=lambda *_: 0, cv=2).fit(X)
    assert {warning.filename for warning in [*caught, *more]} == {__file__}


# ---- Ctrl-C ----


@pytest.mark.parametrize("passes", [0, 2])
@pytest.mark.parametrize("params", [{"alpha": 0.4}, {"words_per_topic": 5}])
def test_interrupted_in_a_pass(passes, params, monkeypatch):
    monkeypatch.setitem(ENGINES, "interrupted", lambda n_jobs: Interrupted("sum_products", passes))
    model = SparseLSA(4, init="identity", engine="interrupted", **params)
    with warned("SparseLSA", f"{passes} passes", kind=ConvergenceWarning):
        model.fit(X)
    assert model.converged_ is False
    assert model.n_iter_ == passes
    assert model.components_.shape == (4, 30)
    assert model.components_.nnz > 0
    assert model.transform(X).shape == (40, 4)
    assert np.isfinite(model.topic_shares_).all()
    if passes and "alpha" in params:
        _, values = reference.alternate(
            X, np.eye(40)[:, :4], reference.l1(0.4), passes=passes, momentum=0.9
        )
        np.testing.assert_allclose(model.objective_, values, rtol=1e-9)


def test_real_ctrl_c_leaves_a_usable_model():
    """The process gets SIGINT during the passes, continues, and uses the model.

    The lines that it prints are so long that the pipe fills up, so that the fit pauses before it
    can converge.
    """
    code = """
        import logging, signal, sys, warnings
        import numpy as np
        from laconic import SparseLSA
        signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
        warnings.simplefilter("always")
        random = np.random.default_rng(0)
        X = random.random((600, 150)) * (random.random((600, 150)) < 0.3)

        logging.basicConfig(stream=sys.stdout, format="%(message)-300s", level=logging.INFO)
        model = SparseLSA(20, alpha=0.1, tol=0, max_iter=10**7, engine="serial", verbose=2)
        model.fit(X)
        print("usable", model.converged_, model.n_iter_, model.transform(X[:3]).shape, flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        for _ in range(3):  # verbose=2 prints a line for every pass
            assert "pass" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 0, err
    last = out[out.rindex("usable") :].split()
    assert last[1] == "False"
    assert int(last[2]) >= 3
    check(err, "SparseLSA", f"{last[2]} passes", golden=False)
    assert "Traceback" not in err


# ---- progress ----


@pytest.mark.parametrize("verbose", [0, 1, 2])
def test_silent_where_standard_error_is_no_terminal(verbose, capfd):
    SparseLSA(4, alpha=0.4, verbose=verbose).fit(X)
    out, err = capfd.readouterr()
    assert out == err == ""


def test_a_bar_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # this makes rich assume a terminal
    monkeypatch.delenv("NO_COLOR", raising=False)
    SparseLSA(4, alpha=0.4, verbose=1).fit(X)
    out, err = capsys.readouterr()
    assert out == ""
    assert "fitting SparseLSA" in err


def test_verbose_two_logs_each_pass(caplog):
    with caplog.at_level(logging.INFO, logger="laconic"):
        model = SparseLSA(4, alpha=0.4, verbose=2).fit(X)
    lines = [r.getMessage() for r in caplog.records if r.getMessage().startswith("SparseLSA: pass")]
    assert len(lines) == model.n_iter_
    assert f"{model.objective_[0]:.6g}" in lines[0]
