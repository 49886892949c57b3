"""Figure 5 of the STC paper at its own protocol, with the zeros of figure 2 (right) and figure 3.

Models without labels learn from all 18,774 documents, as the paper says; a linear SVM is then
trained on the codes of the training half. Models with labels learn from the training half. All get
the same counts.

A cell is one system with one number of topics and one seed, in its own process with one thread.
``python -m benchmarks run stc-figure-5`` runs all cells of `GRID`.
``python -m benchmarks.papers.stc_figure_5 run`` runs those that the result lacks, or selected ones,
and adds each to the result, so it can be stopped and continued.
"""

from __future__ import annotations

import json
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import product
from typing import Any, NamedTuple

import click
import numpy as np
import scipy.sparse as sp
from scipy.stats import ttest_rel

from benchmarks.accuracy import dense
from benchmarks.harness import (
    DIRTY,
    RESULTS,
    Run,
    commit,
    execute,
    n_cores,
    python_output,
    threads,
    write,
)
from benchmarks.newsgroups import Halves, newsgroup_halves
from benchmarks.papers.comparison import (
    SklearnNMF,
    TomotopySLDA,
    choose_svm,
    has_tomotopy,
    svm_accuracy,
)
from benchmarks.papers.entropic_lda import EntropicLDA
from benchmarks.papers.literal_medlda import LiteralMedLDA
from benchmarks.papers.literal_nmf import MultiplicativeNMF
from benchmarks.papers.literal_stc import LiteralSTC, fit_medstc, fit_stc
from benchmarks.papers.stc_words import (
    SMALL,
    average_code,
    columns_of_words,
    count_topics,
    rows_with,
)
from laconic import PLSA, STC, MedSTC

NAME = "stc-figure-5"
SIZES = (60, 20, 110)
MOST_STEPS = {"STC": 500, "MedSTC": 60}  # as printed; the authors' program stops after 60, too
SLDA_SWEEPS = 100  # of Gibbs sampling
KAPPAS = (0.1, 0.3, 0.5, 0.9, 0.95)  # strengths of the entropic regulariser of regLDA
WORD_PENALTIES = (0.01, 0.1)
START = {"max_iter": 30, "tol": 5e-4}  # of the PLSA that STC starts from
AUTHORS = {"STC as printed": 58.3, "MedSTC as printed": 79.7}  # the authors' program, K = 60, in %
MEASURES = {
    "accuracy": ("accuracy", "%"),
    "zeros": ("exact zeros in word codes", ""),
    "small": (f"word codes below {SMALL:g}", ""),
    "cpu": ("CPU seconds of the fit", "s"),
    "test_cpu": ("CPU seconds to code the test half", "s"),
}
TIMES = ("cpu", "test_cpu")


class Task(NamedTuple):
    """What a system gets."""

    halves: Halves
    K: int
    seed: int
    smoke: bool

    @property
    def all(self) -> sp.csr_matrix:
        """The counts of all documents, the training half first."""
        return sp.vstack([self.halves.train, self.halves.test], format="csr")


class Fitted(NamedTuple):
    """What a system returns: codes or predictions of documents, and codes of words."""

    codes: Callable[[sp.csr_matrix], np.ndarray] | None  # documents x topics, for an SVM
    predict: Callable[[sp.csr_matrix], np.ndarray] | None = None  # instead of an SVM
    word_codes: Callable[[sp.csr_matrix], np.ndarray] | None = None  # entries x topics
    setting: str = ""


# --- the systems ---------------------------------------------------------------------------------


def _printed(task: Task) -> Fitted:
    most = 2 if task.smoke else MOST_STEPS["STC"]
    model = fit_stc(task.all, task.K, start="uniform", max_iter=most, watch=_progress)
    return Fitted(model.codes, None, model.word_codes, _steps_of(model))


def _printed_medstc(task: Task) -> Fitted:
    halves, most = task.halves, 2 if task.smoke else MOST_STEPS["MedSTC"]
    model = fit_medstc(
        halves.train, halves.train_labels, task.K, start="uniform", max_iter=most, watch=_progress
    )
    return Fitted(None, model.predict, model.word_codes, _steps_of(model))


def _medlda(task: Task) -> Fitted:
    most = 3 if task.smoke else 100
    model = LiteralMedLDA(task.K, task.seed, max_iter=most)
    model.fit(task.halves.train, task.halves.train_labels)
    setting = (
        f"C={model.C:g}, ℓ={model.cost:g}, estimated α={model.alpha:.2g}, {model.n_iter} steps, "
        f"the last two changed the objective by {model.change:.1e}"
    )
    return Fitted(None, model.predict, model.word_codes, setting)


def _slda(task: Task) -> Fitted:
    """Return sLDA by Gibbs sampling with a binary response for each class; it needs tomotopy."""
    sweeps = 20 if task.smoke else SLDA_SWEEPS
    system = TomotopySLDA(task.K, task.seed, sweeps - sweeps // 5)
    system.fit(task.halves.train, task.halves.train_labels)
    before = system.model.ll_per_word
    system.model.train(sweeps // 5, workers=1)
    gained = system.model.ll_per_word - before
    topics = np.full((task.halves.train.shape[1], task.K), 1.0)  # words that no document has
    known = np.array(system.model.used_vocabs).astype(np.int64)
    topics[known] = np.array([system.model.get_topic_word_dist(k) for k in range(task.K)]).T

    def words(X: sp.csr_matrix) -> np.ndarray:
        codes = system.codes(X)[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))]
        codes *= topics[X.indices]
        return codes / codes.sum(axis=1, keepdims=True)

    setting = f"{sweeps} sweeps, the last {sweeps // 5} raised log p of a word by {gained:.1e}"
    return Fitted(None, system.predict, words, setting)


def _steps_of(model: LiteralSTC) -> str:
    changed = abs(1 - model.objective[-1] / model.objective[-2])
    return f"λ=γ=1, ρ=0.01, {model.n_iter} iterations, the last changed it by {changed:.1e}"


def _progress(model: LiteralSTC) -> None:
    """Show how far a printed algorithm is, because it takes many minutes."""
    if model.n_iter % 10 == 0:
        with_labels = "MedSTC" if model.classes is not None else "STC"
        click.echo(f"{with_labels} as printed: {_steps_of(model)}", err=True)


def _stc(**options: Any) -> Callable[[Task], Fitted]:
    """Return STC with ρ chosen on the validation part of the training half; λ/γ is 0.1."""

    def fit(task: Task) -> Fitted:
        X, halves = task.all, task.halves
        best, model = (-1.0, 0.0), None
        for rho in WORD_PENALTIES[:1] if task.smoke else WORD_PENALTIES:
            trial = STC(
                task.K, doc_penalty=0.1, word_penalty=rho, random_state=task.seed, n_jobs=1,
                **options,
            ).fit(X)  # fmt: skip
            codes = dense(trial.transform(halves.train))
            chosen = choose_svm(codes, halves.train_labels, halves.is_validation)
            if (chosen.validation, rho) > best:
                best, model = (chosen.validation, rho), trial
        assert model is not None
        return _of_stc(model, f"λ=0.1, γ=1, ρ={best[1]:g}")

    return fit


def _of_stc(model: STC | MedSTC, setting: str = "") -> Fitted:
    predict = model.predict if isinstance(model, MedSTC) else None
    return Fitted(
        lambda X: dense(model.transform(X)),
        predict,
        lambda X: dense(model.word_codes(X).entries),
        setting,
    )


def _medstc(norm: str) -> Callable[[Task], Fitted]:
    def fit(task: Task) -> Fitted:
        model = MedSTC(task.K, word_norm=norm, random_state=task.seed, n_jobs=1)
        return _of_stc(model.fit(task.halves.train, task.halves.train_labels))

    return fit


def _plsa(task: Task) -> Fitted:
    model = PLSA(task.K, random_state=task.seed, n_jobs=1, **START).fit(task.all)
    return Fitted(lambda X: dense(model.transform(X)))


def _lda(kappa: float = 0.0) -> Callable[[Task], Fitted]:
    """Return LDA with estimated α, or regLDA if κ is positive."""

    def fit(task: Task) -> Fitted:
        passes = 4 if task.smoke else 30
        model = EntropicLDA(
            task.K, kappa, estimate_alpha=True, max_iter=passes, random_state=task.seed
        ).fit(task.all)
        return Fitted(model.transform, None, model.word_codes, f"estimated α={model.alpha:.2g}")

    return fit


def _nmf(observed: bool) -> Callable[[Task], Fitted]:
    def fit(task: Task) -> Fitted:
        passes = 5 if task.smoke else 100
        model = MultiplicativeNMF(task.K, task.seed, passes, observed).fit(task.all)

        def words(X: sp.csr_matrix) -> np.ndarray:
            return model.codes(X)[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))]

        return Fitted(model.codes, None, words)

    return fit


def _nmf_of_tfidf(task: Task) -> Fitted:
    return Fitted(SklearnNMF(task.K, task.seed).fit(task.all).codes)


SYSTEMS: dict[str, Callable[[Task], Fitted]] = {
    "STC": _stc(),
    "PLSA": _plsa,
    "STC, paper's dictionary": _stc(dictionary="paper"),
    "NMF": _nmf(observed=True),
    "NMF, all words": _nmf(observed=False),
    "NMF of tf-idf": _nmf_of_tfidf,
    "STC, l1 norm of θ": _stc(doc_norm="l1"),
    "gaussSTC": _stc(word_norm="l2"),
    "MedSTC": _medstc("l1"),
    "gaussMedSTC": _medstc("l2"),
    "LDA": _lda(),
    **{f"regLDA, κ={kappa:g}": _lda(kappa) for kappa in KAPPAS},
    "STC as printed": _printed,
    "MedSTC as printed": _printed_medstc,
    "MedLDA": _medlda,
    "sLDA": _slda,
}
NEEDS_TOMOTOPY = ("sLDA",)
PAIRS = (("STC", "LDA"), ("STC", "NMF, all words"), ("STC", "gaussSTC"), ("STC", "PLSA"),
         ("MedSTC", "gaussMedSTC"))  # fmt: skip
FEWEST_PAIRS = 5


# --- one cell ------------------------------------------------------------------------------------


def cell(task: Task, system: str) -> dict[str, Any]:
    """Fit one system and return its measures."""
    halves = task.halves
    started = time.process_time()
    fitted = SYSTEMS[system](task)
    found: dict[str, Any] = {"cpu": time.process_time() - started, "setting": fitted.setting}
    if fitted.predict is not None:
        predicted, found["test_cpu"] = _timed(fitted.predict, halves.test)
        found["accuracy"] = 100 * float(np.mean(predicted == halves.test_labels))
    elif fitted.codes is not None:
        test_codes, found["test_cpu"] = _timed(fitted.codes, halves.test)
        judged = svm_accuracy(
            fitted.codes(halves.train),
            halves.train_labels,
            halves.is_validation,
            test_codes,
            halves.test_labels,
        )
        found["accuracy"] = 100 * judged.accuracy
        found["validation"] = 100 * judged.validation
    if fitted.word_codes is not None:
        codes = fitted.word_codes(halves.test)
        found["zeros"] = float(np.mean(codes == 0))
        found["small"] = float(np.mean(codes < SMALL * codes.sum(axis=1, keepdims=True)))
        found["words"] = _words(task, fitted.word_codes)
    return found


def _timed(
    code: Callable[[sp.csr_matrix], np.ndarray], X: sp.csr_matrix
) -> tuple[np.ndarray, float]:
    """Return the codes or predictions of documents, and the CPU seconds that they take."""
    code(X[:2])  # so that compiling is not measured
    started = time.process_time()
    found = code(X)
    return found, time.process_time() - started


def _words(
    task: Task, word_codes: Callable[[sp.csr_matrix], np.ndarray]
) -> dict[str, dict[str, int]]:
    """Count the topics in the average codes of the words of figure 3, over all documents."""
    wanted = columns_of_words(task.halves.vocabulary)
    X = task.all
    X = X[rows_with(X, wanted.values())]
    codes = word_codes(X)
    return {
        word: count_topics(average_code(X, codes, column))._asdict()
        for word, column in wanted.items()
    }


# --- all cells -----------------------------------------------------------------------------------


FIVE, ONE = range(5), (0,)
GRID: Mapping[str, Mapping[int, Sequence[int]]] = {  # system -> number of topics -> seeds
    "STC": {60: FIVE, 20: FIVE, 110: FIVE},
    "PLSA": {60: FIVE, 20: ONE, 110: ONE},
    "STC, paper's dictionary": {60: ONE},
    "STC, l1 norm of θ": {60: ONE},
    "NMF": {60: ONE},
    "NMF, all words": {60: FIVE, 20: ONE, 110: ONE},
    "NMF of tf-idf": {60: ONE},
    "gaussSTC": {60: FIVE, 20: ONE, 110: ONE},
    "MedSTC": {60: FIVE, 20: ONE, 110: ONE},
    "gaussMedSTC": {60: FIVE, 20: ONE, 110: ONE},
    "LDA": {60: FIVE, 20: FIVE, 110: FIVE},
    **{name: dict.fromkeys(SIZES, ONE) for name in SYSTEMS if name.startswith("regLDA")},
    "STC as printed": {60: ONE, 20: ONE},
    "MedSTC as printed": {60: ONE},
    "MedLDA": dict.fromkeys(SIZES, ONE),
    "sLDA": {60: ONE},
}


def stc_figure_5(run: Run) -> None:
    """Figure 5: accuracy of all systems at the paper's protocol, by K; zeros of word codes."""
    if run.smoke:  # in this process, because starting others takes seconds
        task = Task(newsgroup_halves(run), 5, run.seed, True)
        for system in ("STC", "NMF", "LDA", "MedSTC", "MedLDA", "STC as printed"):
            run.cells[_name(system, 5, run.seed)] = cell(task, system)
    else:
        installed = [one for one in cells_of(GRID) if _is_installed(one[0])]
        for name, found in _in_processes(installed):
            run.cells[name] = found
    _report(run, run.cells)


def cells_of(grid: Mapping[str, Mapping[int, Sequence[int]]]) -> Iterator[tuple[str, int, int]]:
    for system, sizes in grid.items():
        for K, seeds in sizes.items():
            for seed in seeds:
                yield system, K, seed


def _is_installed(system: str) -> bool:
    return system not in NEEDS_TOMOTOPY or has_tomotopy()


def _name(system: str, K: int, seed: int) -> str:
    return f"{system}; {K}; {seed}"


def _in_process(system: str, K: int, seed: int) -> dict[str, Any]:
    arguments = ("-m", "benchmarks.papers.stc_figure_5", "cell", system, str(K), str(seed))
    return dict(python_output(*arguments)) | {"commit": commit()}


def _in_processes(wanted: Sequence[tuple[str, int, int]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Run cells, one process for each core at a time; the slowest systems start first."""
    order = sorted(wanted, key=lambda one: "as printed" not in one[0] and one[0] != "sLDA")
    with ThreadPoolExecutor(n_cores()) as pool:
        running = {pool.submit(_in_process, *one): _name(*one) for one in order}
        for done in as_completed(running):
            yield running[done], done.result()


def _report(run: Run, cells: dict[str, Any]) -> None:
    """Add rows, which are means over seeds, and notes."""
    run.note(
        "20 Newsgroups by date. Models without labels learn from all documents, models with labels "
        "from the training half; a linear SVM (C and scaling chosen on the validation part) "
        "classifies codes of models without a classifier. All get counts. 'as printed' is the "
        "paper's coordinate descent and projected gradient with the values of the authors' program "
        "(λ=γ=1, ρ=0.01), until the objective changes by less than 1e-4 of it. With labels, the "
        "objective does not settle, and 60 steps are made, as in that program. As the paper says, "
        "it starts from uniform codes and topics, so that it does not depend on the seed. 'STC, "
        "paper's dictionary' minimises the same objective from PLSA; STC is laconic's default (a "
        "coupled dictionary), also with the l1 norm of θ; PLSA is the model that these start from. "
        f"They and gaussSTC have λ=0.1, γ=1 and ρ of {WORD_PENALTIES} chosen on the validation "
        "part. LDA is variational, "
        "with estimated α and 30 passes; its word codes are computed in log space as in LDA-C, "
        "and exact zeros are underflows. regLDA is the same LDA with an entropic regulariser of "
        "strength κ; regLDA+ has the κ that is best on the validation part, and regLDA- the κ "
        "whose share of exact zeros is nearest to that of STC (the strongest, if several "
        "are). NMF has 100 multiplicative updates of the divergence over observed words "
        "(footnote 7); 'NMF, all words' also explains that "
        "other words do not occur, as standard NMF does; 'NMF of tf-idf' is scikit-learn's, with "
        "the squared error of balanced tf-idf. MedLDA is variational EM as in its "
        "paper, with the values of its authors' program (ℓ=16, estimated α) and C chosen once on "
        "the validation part, until two steps change the objective by less than 1e-4 of it; its "
        "word codes are computed like those of LDA. Its γ and that of LDA are updated once per "
        "sweep over a document; updates after each word, as in the authors' program, take about 40 "
        "times as long to code the test half. sLDA is tomotopy's, sampled, with a binary response "
        "for each class; the word codes are p(z|w,d) for the sampled topics of a document. Zeros "
        "are shares of the word codes of the "
        "test half; 'below "
        f"{SMALL:g}' is relative to the sum of a code. CPU seconds of the fit include the choice "
        "of ρ; those to code the test half include the prediction of models with a classifier, but "
        "no SVM. The machine was busy, so only large differences mean something."
    )
    run.note(
        "The paper's figure 5: STC at about 60 to 75 %, growing with K, above LDA, NMF and "
        "gaussSTC; MedSTC at about 80 %, above gaussMedSTC, MedLDA and sLDA; five seeds. Its "
        "figure 2 (right): word codes of STC are much sparser than those of all others; LDA and "
        "NMF are very dense, and so are MedLDA and sLDA. Its figure 6: MedSTC codes the test half "
        "much faster than MedLDA and sLDA, and sLDA takes longest to train."
    )
    for K, system in product(sorted({_key(name)[1] for name in cells}), SYSTEMS):
        seeds = {_key(name)[2]: one for name, one in cells.items() if _key(name)[:2] == (system, K)}
        if not seeds:
            continue
        for key, (what, unit) in MEASURES.items():
            values = [one[key] for one in seeds.values() if key in one]
            if values:
                run.row(f"{what}, {system}, K={K}", float(np.mean(values)), unit,
                        tolerance=None if key in TIMES else 0.02,
                        **_beside(system, K, key))  # fmt: skip
        spread = [one["accuracy"] for one in seeds.values()]
        run.note(
            f"{system}, K={K}: seeds {', '.join(map(str, sorted(seeds)))}; accuracies "
            f"{', '.join(f'{value:.2f}' for value in spread)} %; "
            f"{next(iter(seeds.values()))['setting'] or 'no setting to choose'}."
        )
    _regularised_rows(run, cells)
    _paired_rows(run, cells)
    _words_rows(run, cells)
    commits = Counter(str(one.get("commit")) for one in cells.values())
    if len(commits) > 1:
        counts = "; ".join(f"{number} from {name}" for name, number in commits.items())
        run.note(f"The cells were run from these commits: {counts}.")


def _key(name: str) -> tuple[str, int, int]:
    system, K, seed = name.split("; ")
    return system, int(K), int(seed)


def _beside(system: str, K: int, key: str) -> dict[str, Any]:
    if key == "accuracy" and K == 60 and system in AUTHORS:
        return {"peer": "the authors' program", "peer_value": AUTHORS[system]}
    return {}


def _regularised_rows(run: Run, cells: dict[str, Any]) -> None:
    """Add regLDA+ and regLDA- of the paper: the κ of the best accuracy, and of STC's zeros."""
    for K in SIZES:
        one_seed = {_key(name)[0]: one for name, one in cells.items() if _key(name)[1:] == (K, 0)}
        stc = one_seed.get("STC")
        regularised = {name: one for name, one in one_seed.items() if name.startswith("regLDA")}
        if stc is None or not regularised:
            continue
        strongest_first = sorted(regularised, key=lambda name: -float(name.partition("=")[2]))
        chosen = {
            "regLDA+": max(regularised, key=lambda name: regularised[name]["validation"]),
            "regLDA-": min(
                strongest_first, key=lambda name: abs(regularised[name]["zeros"] - stc["zeros"])
            ),
        }
        if "LDA" in one_seed:  # the mean over seeds would not compare like with like
            run.row(f"accuracy, LDA with the same seed, K={K}", one_seed["LDA"]["accuracy"], "%",
                    tolerance=0.02)  # fmt: skip
        for name, system in chosen.items():
            for key in ("accuracy", "zeros", "small"):
                what, unit = MEASURES[key]
                run.row(f"{what}, {name}, K={K}", regularised[system][key], unit, tolerance=0.02)
            run.note(f"{name}, K={K}: {system}.")


def _paired_rows(run: Run, cells: dict[str, Any]) -> None:
    """Compare systems with the same seeds by a paired t-test of their accuracies."""
    for one, other in PAIRS:
        for K in SIZES:
            found = [
                {_key(name)[2]: cell["accuracy"] for name, cell in cells.items()
                 if _key(name)[:2] == (system, K)}
                for system in (one, other)
            ]  # fmt: skip
            seeds = sorted(found[0].keys() & found[1].keys())
            if len(seeds) >= FEWEST_PAIRS:
                ours, theirs = ([each[seed] for seed in seeds] for each in found)
                p = float(ttest_rel(ours, theirs).pvalue)
                what = f"p of a paired t-test over {len(seeds)} seeds, {one} and {other}, K={K}"
                run.row(what, p, "", tolerance=None)


def _words_rows(run: Run, cells: dict[str, Any]) -> None:
    """Add the topics of the words of figure 3, for K = 60 and the first seed."""
    for name, one in cells.items():
        system, K, seed = _key(name)
        for word, counted in one.get("words", {}).items() if (K, seed) == (60, 0) else ():
            run.row(f"topics of '{word}', at least 5 %, {system}", counted["large"], "topics")
            run.row(f"topics of '{word}', not zero, {system}", counted["nonzero"], "topics")


# --- command line --------------------------------------------------------------------------------


@click.group()
def main() -> None:
    """Run single cells of figure 5."""


@main.command("run")
@click.option("--system", "systems", multiple=True, type=click.Choice([*SYSTEMS]))
@click.option("--topics", "sizes", multiple=True, type=int)
@click.option("--seed", "seeds", multiple=True, type=int)
@click.option("--again", is_flag=True, help="Also run cells that the result already has.")
def run_cells(systems: Any, sizes: Any, seeds: Any, again: bool) -> None:
    """Run cells, all by default, and add them to the result."""
    current = commit()
    if current is not None and current.endswith(DIRTY):
        raise click.UsageError("Files differ from the commit; commit the changes first.")
    stored = stored_cells()
    wanted = [
        (system, K, seed)
        for system, K, seed in cells_of(GRID)
        if (system in systems if systems else _is_installed(system))
        and (not sizes or K in sizes)
        and (not seeds or seed in seeds)
        and (again or _name(system, K, seed) not in stored)
    ]
    for name, found in _in_processes(wanted):
        merge({name: found})


@main.command("report")
def report_cells() -> None:
    """Write the rows and notes of the result again, without running any cell."""
    merge({})


def stored_cells() -> dict[str, Any]:
    """Return the cells of the result file."""
    file = RESULTS / f"{NAME}.json"
    return json.loads(file.read_text(encoding="utf-8"))["cells"] if file.exists() else {}


def merge(new: dict[str, Any]) -> None:
    """Add cells to the result file, next to their means over seeds; drop those not in `GRID`."""
    known = {_name(*one) for one in cells_of(GRID)}
    cells = {name: one for name, one in (stored_cells() | new).items() if name in known}
    result = execute(lambda run: _report(run, cells), Run(NAME, cells=cells))
    result["seconds"] = round(sum(one["cpu"] for one in cells.values()), 1)
    write(result, RESULTS)


@main.command("cell")
@click.argument("system", type=click.Choice([*SYSTEMS]))
@click.argument("size", type=int)
@click.argument("seed", type=int)
def print_cell(system: str, size: int, seed: int) -> None:
    """Run one cell in this process and print its measures as JSON."""
    with warnings.catch_warnings(), threads(1):
        warnings.simplefilter("ignore")
        task = Task(newsgroup_halves(Run(NAME)), size, seed, False)
        click.echo(json.dumps(cell(task, system)))


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.papers.stc_figure_5")
